"""Agents that authors make from templates: folders below the data of the service, without Python."""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path

from graphwright.authoring.templates import Language, template_files
from graphwright.errors import GraphwrightError, UsageError, exception_text

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,39}")
FLOW = "flow.yaml"


class CreatedAgents:
    """The folder of these agents; each has a folder of its own, by its name."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def folders(self) -> dict[str, Path]:
        """Return the folders of the agents by their names."""
        try:
            found = sorted(self._folder.iterdir())
        except OSError:
            return {}
        return {each.name: each for each in found if _NAME.fullmatch(each.name) and (each / FLOW).is_file()}

    def create(self, name: str, template: str, title: str = "", language: Language = "en") -> None:
        """Make an agent from a template, wholly or not at all. Raises UsageError, GraphwrightError (`unwritable`)."""
        if not _NAME.fullmatch(name):
            message = f"{name[:60]!r} cannot be the name of an agent."
            raise UsageError("bad_name", message, "Use small letters, digits, - and _, at most 40, a letter first.")
        files = template_files(template, name, title, language)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            part = Path(tempfile.mkdtemp(prefix=".new-", dir=self._folder))
            try:
                for path, text in files.items():
                    (part / path).parent.mkdir(parents=True, exist_ok=True)
                    (part / path).write_text(text, "utf-8")
                part.rename(self._folder / name)
            finally:
                shutil.rmtree(part, ignore_errors=True)
        except OSError as error:
            if (self._folder / name).exists():
                raise UsageError("agent_exists", f"There is an agent {name!r} already.", "Choose another.") from None
            message = f"The agent cannot be stored: {exception_text(error)}."
            raise GraphwrightError("unwritable", message, "Check the data folder of the service.") from error
