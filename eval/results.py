"""Results kept on disk, one line for each case, so that an interrupted run continues."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

import graphwright
from eval.measured import Measured

R = TypeVar("R", bound=Measured)

_PACKAGE = Path(graphwright.__file__).parent


class Results(Generic[R]):
    """The results of one model in `folder`.

    A changed case has no result, nor has one whose `code` changed, unless `keep` is set.
    """

    def __init__(self, folder: Path, model: str, kind: type[R], code: str, *, keep: bool = False) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.file = folder / f"{re.sub(r'[^A-Za-z0-9.-]+', '-', model).strip('-')}.jsonl"
        self._model = model
        self._code = code
        self._kept: dict[str, R] = {}
        self.file.touch()
        for line in self.file.read_text("utf-8").splitlines():
            try:
                entry = json.loads(line)
                if keep or entry["code"] == code:
                    self._kept[entry["key"]] = kind.from_json(entry["result"])
            except (ValueError, TypeError, KeyError):
                continue  # a line that a killed run did not finish

    def of(self, case: Mapping[str, Any]) -> R | None:
        """The result of a case (the fields that determine the run, as JSON), or None if it must be run.

        A failed case is run again.
        """
        found = self._kept.get(self._key(case))
        return None if found is None or found.error else found

    def add(self, case: Mapping[str, Any], result: R) -> None:
        key = self._key(case)
        self._kept[key] = result
        with self.file.open("a", encoding="utf-8") as stream:
            # The line break comes first, so that this entry has a separate line even after a truncated one.
            entry = {"key": key, "code": self._code, "result": result.to_json()}
            stream.write("\n" + json.dumps(entry, ensure_ascii=False))

    def _key(self, case: Mapping[str, Any]) -> str:
        return _digest([self._model, case])


def fingerprint(places: Iterable[str | Path]) -> str:
    """A hash of all files in these places: a name within the package, or a path."""
    files = [file for place in places for file in _files(_PACKAGE / place)]
    return _digest([[file.name, file.read_text("utf-8")] for file in files])


def _files(place: Path) -> list[Path]:
    if place.is_file():
        return [place]
    found = sorted(file for file in place.rglob("*") if file.suffix in (".py", ".yaml", ".j2"))
    if not found:
        raise FileNotFoundError(f"results depend on {place}, which is not there")
    return [file for file in found if "tests" not in file.relative_to(place).parts]


def _digest(data: Any) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:16]
