"""The report of a merge: which layers set a value, which one won, and why."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphwright.flow._source import Path, Source
from graphwright.flow.layers._reading import layer_name
from graphwright.flow.layers._tree import REMOVE, Origin
from graphwright.text.sentences import shortened

_LONGEST = 80


@dataclass(slots=True, eq=False)
class Conflict:
    """A field that several layers set to different values, or a part that one of them removes.

    `part` names the record (`node q.size`), `field` the field in it, empty for the whole record. `settings` are the
    values with their origins, lowest layer first; the removal of a part has no value. `winner` is the layer whose value
    the document has; empty if it has the values of all. `is_error` is whether a strict merge fails because of it.
    """

    part: str
    field: str
    strategy: str
    why: str
    winner: str
    is_error: bool = False
    settings: list[tuple[Origin, Any]] = dataclasses.field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        return {
            "part": self.part,
            "field": self.field,
            "strategy": self.strategy,
            "error": self.is_error,
            "winner": self.winner,
            "why": self.why,
            "settings": [{**place_json(origin.source, origin.path), "value": value} for origin, value in self.settings],
        }

    def lines(self) -> Iterator[str]:
        """The conflict as text, one line for each layer."""
        name = f"{self.part}, {self.field}" if self.field else self.part
        winner = f"{self.winner} wins: " if self.winner and self.strategy != REMOVE else ""
        yield f"{name}: {'error: ' if self.is_error else ''}{winner}{self.why}"
        places = [_place(origin) for origin, _ in self.settings]
        width = max(map(len, places))
        for place, (_, value) in zip(places, self.settings, strict=True):
            yield f"  {place:<{width}}  {_shown(value)}"


def place_json(source: Source, path: Path) -> dict[str, Any]:
    """The place of a value: its layer, file, line and column."""
    span = source.span(path)
    return {"layer": layer_name(source.file), "file": source.file, "line": span.line, "column": span.column}


def report(conflicts: Sequence[Conflict]) -> Iterator[str]:
    """The report as lines of text."""
    for conflict in conflicts:
        yield from conflict.lines()


def _place(origin: Origin) -> str:
    return f"{origin.source.file}:{origin.source.span(origin.path).line}"


REMOVED: Mapping[str, Any] = {"remove": True}
"""The value that the report shows for a removal."""


def _shown(value: Any) -> str:
    if value is REMOVED:
        return "removed"
    text = " ".join((value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)).split())
    return shortened(text, _LONGEST)
