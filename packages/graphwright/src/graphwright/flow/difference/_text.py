"""A difference as lines of text, each with its sign: + added, - removed, > moved, = renamed, ~ changed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Literal

from graphwright.flow.difference._compare import Difference
from graphwright.flow.difference._entries import Change, Detail, Entry
from graphwright.flow.difference._words import words_text
from graphwright.text.sentences import in_quotes, many, one_line

Line = tuple[Literal["heading", "added", "removed", "changed", "detail"], str]
"""A line and its style."""

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
_ACCEPTS = ("only the old one allows", "only the new one allows")


def text_lines(found: Difference) -> Iterator[Line]:
    """The entries by sort, at most 200 of each; a last line counts them."""
    layout = sum(entry.layout_only for entry in found.entries)
    for what, title in _SECTIONS:
        entries = [entry for entry in found.of(what) if not entry.layout_only]
        if not entries:
            continue
        yield "heading", title
        for entry in entries[:_MOST]:
            yield from _entry(entry)
        if len(entries) > _MOST:
            yield "detail", f"  and {len(entries) - _MOST:,} more; --format json has all of them"
    if layout:
        yield "heading", f"layout: {many(layout, 'element')} differ{'s' if layout == 1 else ''} in ui or tags only"


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
    if details and entry.details[0].field == entry.name:
        head += details.pop(0)[1].strip().removeprefix(entry.name)
    yield style, head
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
    if detail.words:
        yield "detail", f"      {detail.field}: {one_line(words_text(list(detail.words)), 4 * _LONGEST)}"
        return
    if detail.before is None and detail.after is None:
        yield "detail", f"      {detail.field}"
        return
    change = _change(detail.before, detail.after)
    relation = {"equal": "equal in meaning"}.get(detail.relation, detail.relation)
    why = f" ({detail.why})" if detail.why else ""
    yield "detail", f"      {detail.field}: {change}{f': {relation}' if relation else ''}{why}"
    for words, example in zip(_VERBS.get(detail.field, _ACCEPTS), (detail.only_before, detail.only_after), strict=True):
        if example is not None:
            yield "detail", f"        {words} {one_line(example, _LONGEST)}"


def _change(before: Any, after: Any) -> str:
    """Both values; of mappings only the fields that differ."""
    if isinstance(before, dict) and isinstance(after, dict):
        names = [name for name in dict.fromkeys((*before, *after)) if before.get(name) != after.get(name)]
        parts = [f"{name} {_value(before.get(name))} -> {_value(after.get(name))}" for name in names]
        return one_line("; ".join(parts), 2 * _LONGEST)
    return f"{_value(before)} -> {_value(after)}"


def _value(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, str):
        return in_quotes(value, _LONGEST)
    return one_line(json.dumps(value, ensure_ascii=False, default=str), _LONGEST)
