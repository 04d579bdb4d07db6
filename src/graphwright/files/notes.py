"""What a person should know about how a file was read: a sentence in English, with its code and what it names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from graphwright.files.errors import few, shown

_FEW = 5


class Note(NamedTuple):
    """A note. `code` is stable; `facts` are the numbers and names in `text`, to say it in another language."""

    code: str
    text: str
    facts: Mapping[str, Any]


def note(code: str, text: str, **facts: Any) -> Note:
    """A note on a file or a table."""
    return Note(code, text, facts)


def note_on_columns(code: str, text: str, names: Sequence[str]) -> Note:
    """A note on columns, the first of which stand where the text has `{}`; `more` says how many others there are."""
    first = [shown(name) for name in names[:_FEW]]
    return Note(code, text.replace("{}", few(names, _FEW), 1), {"columns": first, "more": len(names) - len(first)})
