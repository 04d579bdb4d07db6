"""The entries of a difference: one for each node, edge and field that was added, removed, moved, renamed or changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from graphwright.flow.difference._implication import Comparison, Example
from graphwright.flow.difference._schemas import SchemaComparison
from graphwright.flow.difference._words import Piece, word_difference

What = Literal["node", "edge", "field", "action"]
Change = Literal["added", "removed", "moved", "renamed", "changed"]


@dataclass(frozen=True, slots=True)
class Detail:
    """One field that changed, with its values in both documents (None: it is not there).

    `relation` compares the later value with the earlier one: a guard or a confirmation is `weaker`, `stronger`, `equal`
    in meaning, `incomparable` or `unknown`, a schema is `wider` or `narrower` instead. `only_before` and `only_after`
    are values that only one of them accepts. `words` are the pieces of a text.
    """

    field: str
    before: Any
    after: Any
    relation: str = ""
    only_before: Example | None = None
    only_after: Example | None = None
    why: str = ""
    words: tuple[Piece, ...] = ()

    @classmethod
    def of_guards(cls, field: str, before: Any, after: Any, found: Comparison) -> Detail:
        return cls(field, before, after, found.relation, found.only_before, found.only_after, found.why)

    @classmethod
    def of_schemas(cls, field: str, before: Any, after: Any, found: SchemaComparison) -> Detail:
        one, other = (Example({"value": each[0]}) if each else None for each in (found.only_before, found.only_after))
        return cls(field, before, after, found.relation, one, other)

    @classmethod
    def of_texts(cls, field: str, before: Any, after: Any) -> Detail:
        if isinstance(before, str) and isinstance(after, str):
            return cls(field, before, after, words=tuple(word_difference(before, after)))
        return cls(field, before, after)

    def to_json(self) -> dict[str, Any]:
        found: dict[str, Any] = {"field": self.field, "before": self.before, "after": self.after}
        if self.relation:
            found["relation"] = self.relation
        for name, example in (("only_before", self.only_before), ("only_after", self.only_after)):
            if example is not None:
                found[name] = example.to_json()
        if self.why:
            found["why"] = self.why
        if self.words:
            found["words"] = [{kind: text} for kind, text in self.words]
        return found


@dataclass(frozen=True, slots=True)
class Entry:
    """One difference. `name` is a node's id, `SOURCE -> TARGET`, or a field; of something removed, the earlier one.

    `was` and `was_graph` are the earlier name and graph, if they are others. `of` is the kind of a node. An entry with
    `layout_only` differs in `ui` and `tags` alone.
    """

    what: What
    change: Change
    name: str
    graph: str = ""
    was: str = ""
    was_graph: str | None = None
    of: str = ""
    guard: str = ""
    details: tuple[Detail, ...] = ()
    layout_only: bool = False
    keys: tuple[str, str] = ("", "")
    """The ids of an edge in the earlier and in the later flow."""

    def to_json(self) -> dict[str, Any]:
        found: dict[str, Any] = {"what": self.what, "change": self.change, "name": self.name, "graph": self.graph}
        optional: Mapping[str, Any] = {"was": self.was, "type": self.of, "guard": self.guard}
        found |= {name: value for name, value in optional.items() if value}
        if self.was_graph is not None:
            found["was_graph"] = self.was_graph
        if self.details:
            found["details"] = [detail.to_json() for detail in self.details]
        return found
