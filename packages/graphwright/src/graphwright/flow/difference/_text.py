"""A difference as lines of text, each with its sign: + added, - removed, > moved, = renamed, ~ changed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from graphwright.flow.difference._compare import Difference
from graphwright.flow.difference._entries import Change, Detail, Entry
from graphwright.flow.difference._words import Piece, words_text
from graphwright.text.sentences import in_quotes, many, one_line


class Line(NamedTuple):
    """A line and its style. Of values that changed, `pieces` are the parts of the line: unchanged, removed, added."""

    style: Literal["heading", "added", "removed", "changed", "detail"]
    text: str
    pieces: tuple[Piece, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the line as JSON."""
        pieces = [{"kind": kind, "text": text} for kind, text in self.pieces]
        return {"kind": self.style, "text": self.text, "pieces": pieces}


SIGNS: dict[Change, str] = {"added": "+", "removed": "-", "moved": ">", "renamed": "=", "changed": "~"}

_SECTIONS = (("node", "nodes"), ("edge", "edges"), ("field", "document"), ("action", "actions"))
_MOST = 200
_LONGEST = 160
_VERBS = {
    "guard": ("only the old one opens with", "only the new one opens with"),
    "expression": ("only the old one holds with", "only the new one holds with"),
    "when": ("only the old one asks with", "only the new one asks with"),
    "confirm.when": ("only the old one needs a yes with", "only the new one needs a yes with"),
}
_MOST_CHANGES = 4
_EXPRESSION = re.compile(r"\{\{.*?\}\}", re.DOTALL)
_ACCEPTS = ("only the old one allows", "only the new one allows")


def text_lines(found: Difference) -> Iterator[Line]:
    """The entries by sort, at most 200 of each; a last line counts them."""
    layout = sum(entry.layout_only for entry in found.entries)
    for what, title in _SECTIONS:
        entries = [entry for entry in found.of(what) if not entry.layout_only]
        if not entries:
            continue
        yield Line("heading", title)
        for entry in entries[:_MOST]:
            yield from _entry(entry)
        if len(entries) > _MOST:
            yield Line("detail", f"  and {len(entries) - _MOST:,} more; --format json has all of them")
    if layout:
        yield Line(
            "heading", f"layout: {many(layout, 'element')} differ{'s' if layout == 1 else ''} in ui or tags only"
        )


def summary(found: Difference) -> str:
    """The counts in one line."""
    if found.equal:
        return "No difference."
    counts = []
    for what, word in (("node", "node"), ("edge", "edge"), ("field", "field"), ("action", "action")):
        for change in SIGNS:
            number = sum(not entry.layout_only for entry in found.of(what, change))
            counts += [f"{many(number, word)} {change}"] if number else []
    texts = " Only texts and layout differ." if found.changes.only_text else ""
    return f"{', '.join(counts)}.{texts}" if counts else "Only the layout differs."


def _entry(entry: Entry) -> Iterator[Line]:
    style: Any = entry.change if entry.change in ("added", "removed") else "changed"
    head = f"  {SIGNS[entry.change]} {one_line(entry.name, _LONGEST)}{_remark(entry)}"
    details = [line for detail in entry.details for line in _detail(detail)]
    # A field of the document is not named twice.
    pieces: tuple[Piece, ...] = ()
    if details and entry.details[0].field == entry.name:
        first = details.pop(0)
        head += first.text.strip().removeprefix(entry.name)
        pieces = first.pieces
    yield Line(style, head, pieces)
    yield from details


def _remark(entry: Entry) -> str:
    remarks = [entry.of] if entry.of else []
    remarks += [f"guard {_value(entry.guard)}"] if entry.guard and entry.guard != "else" else []
    remarks += ["else"] if entry.guard == "else" else []
    remarks += [f"was {one_line(entry.was, _LONGEST)}"] if entry.was else []
    if entry.was_graph is not None:
        remarks.append(f"moved from {_graph(entry.was_graph)} to {_graph(entry.graph)}")
    elif entry.graph and entry.what in ("node", "edge"):
        remarks.append(_graph(entry.graph))
    return f" ({', '.join(remarks)})" if remarks else ""


def _graph(graph: str) -> str:
    return f"subgraph {one_line(graph, _LONGEST)}" if graph else "the root"


def _detail(detail: Detail) -> Iterator[Line]:
    field: Piece = ("same", f"{detail.field}: ")
    if detail.words and _scattered(detail):
        before, after = str(detail.before), str(detail.after)
        yield Line("detail", f"      {detail.field}:")
        yield Line("removed", f"        - {in_quotes(before, 4 * _LONGEST)}", (("removed", before),))
        yield Line("added", f"        + {in_quotes(after, 4 * _LONGEST)}", (("added", after),))
        return
    if detail.words:
        text = one_line(words_text(list(detail.words)), 4 * _LONGEST)
        yield Line("detail", f"      {detail.field}: {text}", (field, *detail.words))
        return
    if detail.before is None and detail.after is None:
        yield Line("detail", f"      {detail.field}")
        return
    relation = {"equal": "equal in meaning"}.get(detail.relation, detail.relation)
    remark = f"{f': {relation}' if relation else ''}{f' ({detail.why})' if detail.why else ''}"
    text = f"      {detail.field}: {_change(detail.before, detail.after)}{remark}"
    yield Line("detail", text, (field, *_change_pieces(detail.before, detail.after), ("same", remark)))
    for words, example in zip(_VERBS.get(detail.field, _ACCEPTS), (detail.only_before, detail.only_after), strict=True):
        if example is not None:
            yield Line("detail", f"        {words} {one_line(example, _LONGEST)}")


def _changed_fields(before: Any, after: Any) -> list[tuple[str, Any, Any]]:
    """Both values, without a name; of mappings only the fields that differ."""
    if isinstance(before, dict) and isinstance(after, dict):
        names = [name for name in dict.fromkeys((*before, *after)) if before.get(name) != after.get(name)]
        return [(name, before.get(name), after.get(name)) for name in names]
    return [("", before, after)]


def _scattered(detail: Detail) -> bool:
    """Whether marks between the words are hard to read: an expression of the text differs, or many words do."""
    before, after = str(detail.before), str(detail.after)
    changes = sum(kind != "same" for kind, _ in detail.words)
    return changes > _MOST_CHANGES or _EXPRESSION.findall(before) != _EXPRESSION.findall(after)


def _change(before: Any, after: Any) -> str:
    fields = _changed_fields(before, after)
    parts = [f"{name and f'{name} '}{_value(one)} -> {_value(other)}" for name, one, other in fields]
    return (
        one_line("; ".join(parts), 2 * _LONGEST) if isinstance(before, dict) and isinstance(after, dict) else parts[0]
    )


def _change_pieces(before: Any, after: Any) -> Iterator[Piece]:
    for number, (name, one, other) in enumerate(_changed_fields(before, after)[:_MOST]):
        if name:
            yield "same", f"{'; ' if number else ''}{name} "
        if one is not None:
            yield "removed", _value(one)
        if other is not None:
            yield "added", _value(other)


def _value(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, str):
        return in_quotes(value, _LONGEST)
    return one_line(json.dumps(value, ensure_ascii=False, default=str), _LONGEST)
