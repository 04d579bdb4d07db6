"""Reading cases from YAML, with errors that name the file and the place in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from graphwright.errors import UsageError
from graphwright.flow._source import MAX_BYTES, read_plain

_T = TypeVar("_T")


def read_cases(kind: type[_T], file: Path) -> list[_T]:
    """The cases in a file, in order; empty if the file does not exist. Raises UsageError.

    They are flat, unlike in a file of pydantic-evals, and an error names its line.
    """
    if not file.is_file():
        return []
    return checked(list[kind], read_yaml(file), file)  # type: ignore[valid-type]


def read_yaml(file: Path) -> Any:
    """The content of a YAML file. Raises UsageError for an unreadable file."""
    try:
        with file.open("rb") as stream:
            source, findings = read_plain(stream.read(MAX_BYTES + 1))
    except OSError as error:
        raise UsageError("bad_case", f"{file} cannot be read: {error}", "Correct the file.") from error
    if source is None or findings:
        first = findings[0]
        raise UsageError("bad_case", f"{file} cannot be read: line {first.span.line}: {first.message}", first.hint)
    return source.data


def checked(kind: type[_T], data: Any, file: Path) -> _T:
    """The data as that type. Raises UsageError naming file and place."""
    try:
        return TypeAdapter(kind).validate_python(data)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        raise UsageError("bad_case", f"{file}: {place}: {first['msg']}", "Correct the file.") from error
