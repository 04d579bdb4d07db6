"""Reading cases from YAML, with errors that name the file and the place in it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import TypeAdapter, ValidationError

from graphwright.errors import UsageError

_T = TypeVar("_T")


def read_yaml(file: Path) -> Any:
    """What the file holds. Raises UsageError naming what cannot be read."""
    try:
        return yaml.safe_load(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise UsageError("bad_case", f"{file} cannot be read: {error}", "Mend the file.") from error


def checked(kind: type[_T], data: Any, file: Path) -> _T:
    """The data as that type. Raises UsageError naming file and place."""
    try:
        return TypeAdapter(kind).validate_python(data)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        raise UsageError("bad_case", f"{file}: {place}: {first['msg']}", "Mend the file.") from error


def require_own_ids(ids: Iterable[str], file: Path) -> None:
    """Raise UsageError where several cases of a file have the same id."""
    seen: set[str] = set()
    for each in ids:
        if each in seen:
            raise UsageError("bad_case", f"{file}: several cases are called {each!r}", "Give each its own id.")
        seen.add(each)
