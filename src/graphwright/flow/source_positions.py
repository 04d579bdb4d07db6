"""Positions of keys and values in a source text, and the findings of its readers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from graphwright.flow.diagnostic_catalog import Code

Children = dict[Any, Any]
"""The positions of what is in a container, by key or index."""

Position = tuple[int, int, int, int, str, Children | None]
"""Start and end of the key (-1 without one), start and end (exclusive) of the value, its style, its children.

Offsets into the text. The style is that of a scalar: quotes, `|`, `>` or nothing. Plain tuples of numbers: they are
made for every value of a document, and anything heavier keeps the garbage collector busy for longer than reading takes.
"""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a reader found, at offsets into the text. `first` is the other place of something said twice."""

    code: Code
    start: int
    end: int
    message: str
    hint: str = ""
    first: tuple[int, int] | None = None


class Unreadable(Exception):
    """The text cannot be read; `findings` say why. Never leaves the reader."""

    def __init__(self, *findings: Finding) -> None:
        super().__init__(findings[0].message)
        self.findings = findings
