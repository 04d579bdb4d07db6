"""Results kept on disk: one line a case, so that a run that was cut short goes on where it stopped."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import graphwright
from eval.cases import Case
from eval.running import Result

# What decides how a reply is read: a result that was measured before one of these changed is measured again.
_READING = ("agents", "context", "kernel", "models", "runtime/reading", "runtime/receive.py", "runtime/validation.py")


class Results:
    """The results of one model in `folder`; a case that has changed, or is read differently now, has none."""

    def __init__(self, folder: Path, model: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.file = folder / f"{re.sub(r'[^A-Za-z0-9.-]+', '-', model).strip('-')}.jsonl"
        self._model = model
        self._reading = fingerprint()
        self._kept: dict[str, Result] = {}
        self.file.touch()
        for line in self.file.read_text("utf-8").splitlines():
            try:
                entry = json.loads(line)
                self._kept[entry["key"]] = Result.from_json(entry["result"])
            except (ValueError, TypeError, KeyError):
                continue  # a line that a killed run did not finish

    def of(self, case: Case) -> Result | None:
        """The result of a case; None when it has to be run. One that failed is run again."""
        found = self._kept.get(self._key(case))
        return None if found is None or found.error else found

    def add(self, case: Case, result: Result) -> None:
        key = self._key(case)
        self._kept[key] = result
        with self.file.open("a", encoding="utf-8") as stream:
            # The line break stands in front: behind half a line it makes this one a line of its own.
            stream.write("\n" + json.dumps({"key": key, "result": result.to_json()}, ensure_ascii=False))

    def _key(self, case: Case) -> str:
        return _digest([self._model, self._reading, case.model_dump()])


def fingerprint() -> str:
    """A hash of everything in the package that decides how a reply is read."""
    package = Path(graphwright.__file__).parent
    return _digest([[str(f.relative_to(package)), f.read_text("utf-8")] for f in sorted(_files(package))])


def _files(package: Path) -> Iterable[Path]:
    for name in _READING:
        place = package / name
        found = [place] if place.is_file() else place.rglob("*")
        yield from (f for f in found if f.suffix in (".py", ".yaml", ".j2"))


def _digest(data: Any) -> str:
    return hashlib.sha256(json.dumps(data, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:16]
