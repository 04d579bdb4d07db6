"""Contexts from a file: the applications that experiments run in, and which sites, targets and codes each one knows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from graphwright.errors import UsageError
from graphwright.flow.source import MAX_BYTES, Source, read_plain
from graphwright.flow.source import Path as Place

FIELDS = ("CONDITIONS", "GROUP_TYPES", "EXP_IDS", "EXP_POINTS")
"""What a context lists: condition codes, group types, targets, sites."""

ROOT = "contextMetadata"

DEFAULT = Path(__file__).with_name("contexts.yaml")
"""The contexts that come with the service."""

_EXAMPLE = f"{ROOT}: {{maths: {{CONDITIONS: [a, b], GROUP_TYPES: [], EXP_IDS: [target], EXP_POINTS: [site]}}}}"
_LONGEST = 100

Contexts = Mapping[str, Mapping[str, list[str]]]


def read(file: Path = DEFAULT) -> Contexts:
    """The contexts of a YAML or JSON file: `contextMetadata: {NAME: {CONDITIONS: [...], GROUP_TYPES: ..., ...}}`.

    This is also what `GET /api/experiments/contextMetaData` of any server answers. Raises UsageError, which names the
    file, the line and the field.
    """
    try:
        with file.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise UsageError(
            "contexts", f"The contexts file {file} cannot be read: {why}.", "Name a YAML or JSON file in UTF-8."
        ) from None
    source, findings = read_plain(content)
    if source is None or findings:
        first = findings[0]
        raise UsageError("contexts", f"{file}:{first.span.line}:{first.span.column}: {first.message}", first.hint)
    return _Reader(file, source).contexts()


class _Reader:
    def __init__(self, file: Path, source: Source) -> None:
        self._file = file
        self._source = source

    def contexts(self) -> Contexts:
        data = self._source.data
        if data is None:
            raise self._error((), "the file is empty")
        self._require_mapping(data, (), "the file")
        if ROOT not in data:
            raise self._error((), f"`{ROOT}` is missing")
        for name in data:
            if name != ROOT:
                raise self._error((name,), f"{_named(name)} is not known here; the file holds `{ROOT}` alone")
        found = self._require_mapping(data[ROOT], (ROOT,), f"`{ROOT}`")
        if not found:
            raise self._error((ROOT,), f"`{ROOT}` names no context")
        return {name: self._context(name, value) for name, value in found.items()}

    def _context(self, name: str, value: Any) -> dict[str, list[str]]:
        place = (ROOT, name)
        # Experiments keep their context in lower case: one with capitals could never be met again.
        if not name.strip() or name != name.lower():
            raise self._error(place, f"the context {_named(name)} must be a name in lower case")
        fields = self._require_mapping(value, place, f"the context {_named(name)}")
        for field in fields:
            if field not in FIELDS:
                raise self._error((*place, field), f"the context {_named(name)} has an unknown field {_named(field)}")
        missing = [field for field in FIELDS if field not in fields]
        if missing:
            raise self._error(place, f"the context {_named(name)} lacks `{missing[0]}`")
        return {field: self._texts(fields[field], (*place, field)) for field in FIELDS}

    def _require_mapping(self, value: Any, place: Place, what: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self._error(place, f"{what} must be a mapping")
        return value

    def _texts(self, value: Any, place: Place) -> list[str]:
        what = f"`{place[-1]}` of the context {_named(str(place[-2]))}"
        if not isinstance(value, list):
            raise self._error(place, f"{what} must be a list")
        texts = []
        for at, item in enumerate(value):
            # A code is a text even where it looks like a number or a yes: what stands in the file is taken as it is.
            text = "" if isinstance(item, dict | list) else self._source.written((*place, at))
            if not text.strip():
                raise self._error((*place, at), f"{what} must hold texts that are not empty")
            texts.append(text)
        return texts

    def _error(self, place: Place, problem: str) -> UsageError:
        line = self._source.span(place, key=True).line
        return UsageError("contexts", f"{self._file}:{line}: {problem}.", f"The file looks like this: {_EXAMPLE}")


def _named(name: str) -> str:
    return f"`{name if len(name) <= _LONGEST else name[:_LONGEST] + '…'}`"
