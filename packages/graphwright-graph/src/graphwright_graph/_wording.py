"""Text for people: elements, changes, values and result tables, one short line each, without ambiguity."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from graphwright.text.sentences import many
from graphwright_graph._elements import Change, Edge, Element, Node


class TextLimits(NamedTuple):
    """The limits of a text: characters of a text or key, items of a list, properties of an element. `…` is the rest."""

    signs: int = 60
    items: int = 5
    properties: int = 8


SHORT, WIDE = TextLimits(), TextLimits(1000, 100, 100)

MOST_LISTED = 300
"""The maximum number of deletions, and of other changes, that are listed in full.

Beyond it, each kind is counted and its first ones are named.
"""

LONGEST_LISTED = 20_000
"""The maximum length of such a list, in characters."""

MOST_KINDS = 60
MOST_NAMED = 10
"""The maximum number of lines of such a list, and of named elements in each."""

FEWEST_GROUPED = 4
"""The minimum number of equal changes that share a line."""

Remark: TypeAlias = Callable[[Sequence[Change]], str]
"""Returns the remark at the end of a line of equal changes."""

Names: TypeAlias = Mapping[tuple[str, str], str]
"""The names of nodes by label and key; they are shown after the key."""

NO_NAMES: Names = {}

COLUMN_WIDTH = 40
"""The maximum width of a table cell, in columns of a terminal."""

# Texts that need no quotes: they cannot be confused with a number, with true, or with a part of the surrounding line.
_PLAIN = re.compile(r"(?!(?:true|false|null|nan|inf|infinity)\Z)[^\W\d][\w-]*(?:[.:@/][\w-]+)*", re.IGNORECASE)
_KEY = re.compile(r"\w[\w-]*(?:[.:@/][\w-]+)*")
_SIGNS = {"created": "+", "updated": "~", "deleted": "-"}


def value_text(value: Any, room: TextLimits = SHORT) -> str:
    """A value on one line: `open`, `"two words"`, `3`, `[a, b]`; with `…` for omitted parts."""
    if isinstance(value, str):
        return _cut(value, room.signs) if _PLAIN.fullmatch(value) else _quoted(value, room.signs)
    if isinstance(value, list | tuple):
        shown = [value_text(item, room) for item in value[: room.items]]
        more = [f"… {len(value) - room.items:,} more"] if len(value) > room.items else []
        return f"[{', '.join(shown + more)}]"
    return json.dumps(value)


def properties_text(properties: Mapping[str, Any], room: TextLimits = SHORT) -> str:
    """Properties on one line, by name: `{size: 3, status: open}`; empty if there are none."""
    # Engines return them in different orders.
    shown = [f"{name}: {value_text(value, room)}" for name, value in sorted(properties.items())[: room.properties]]
    more = [f"… {len(properties) - room.properties:,} more"] if len(properties) > room.properties else []
    return f"{{{', '.join(shown + more)}}}" if shown else ""


def name_text(element: Element, room: TextLimits = SHORT, names: Names = NO_NAMES) -> str:
    """The name of an element: `Ticket T-1 "Roof leaks"`, `User ann -[REPORTS]-> Ticket T-1`; odd keys are quoted."""
    if isinstance(element, Node):
        return f"{element.label} {key_text(element, names, room)}"
    begin, end = (f"{each.label} {key_text(each, names, room)}" for each in element.ends)
    return f"{begin} -[{element.type}]-> {end}"


def key_text(node: Node, names: Names = NO_NAMES, room: TextLimits = SHORT) -> str:
    """A key, quoted if it could be confused with something else, and the name of the node, which is always quoted."""
    shown = _cut(node.key, room.signs) if _KEY.fullmatch(node.key) else _quoted(node.key, room.signs)
    name = names.get((node.label, node.key))
    return f"{shown} {_quoted(name, SHORT.signs)}" if name else shown


def element_text(element: Element, names: Names = NO_NAMES) -> str:
    """An element with its properties: `Ticket T-1 {status: open}`."""
    return f"{name_text(element, SHORT, names)} {properties_text(element.properties, SHORT)}".rstrip()


def cell_text(cell: Any, names: Names = NO_NAMES) -> str:
    """A cell of a result (nodes, edges and paths are JSON) on one line; a text is not quoted."""
    if isinstance(cell, str):
        return _cut(cell, 4 * SHORT.signs)
    if isinstance(cell, dict):
        if cell.keys() == {"label", "key", "properties"}:
            return element_text(Node(**cell))
        if {"from_key", "type", "to_key"} <= cell.keys():
            return element_text(Edge(**cell), names)
        if cell.keys() == {"nodes", "edges"}:
            return _path_text(cell, names)
        return f"{{{', '.join(f'{name}: {_inner(value, names)}' for name, value in cell.items())}}}"
    if isinstance(cell, list):
        return f"[{', '.join(_inner(item, names) for item in cell)}]"
    return "" if cell is None else value_text(cell)


def table_lines(columns: Sequence[str], rows: Sequence[Sequence[Any]], most: int, names: Names = NO_NAMES) -> list[str]:
    """Rows of a result as an aligned table below the column names; at most `most`, and how many more there are.

    A cell has at most 40 columns of a terminal; a longer one ends in `…`.
    """
    from rich.cells import cell_len, set_cell_size

    cells = [[_fitting(cell_text(cell, names)) for cell in row] for row in (columns, *rows[:most])]
    widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
    lines = ["  ".join(map(set_cell_size, row, widths)).rstrip() for row in cells]
    return lines + ([f"… and {many(len(rows) - most, 'more row')}"] if len(rows) > most else [])


def _fitting(cell: str) -> str:
    """A cell cut to the width of a column."""
    from rich.cells import cell_len, set_cell_size

    return cell if cell_len(cell) <= COLUMN_WIDTH else f"{set_cell_size(cell, COLUMN_WIDTH - 1).rstrip()}…"


def change_text(change: Change, room: TextLimits = SHORT, names: Names = NO_NAMES) -> str:
    """A change: `+ Ticket T-1 {status: open}`, `~ Ticket T-1 "Roof" status: open -> closed`, `- Ticket T-1 {...}`."""
    element, details = change.element, _details(change, room)
    if isinstance(element, Node) and (name := names.get((element.label, element.key))):
        # A name that is among the properties of the line is not repeated.
        names = {} if value_text(name, room) in details else names
    return f"{_SIGNS[change.kind]} {name_text(element, room, names)} {details}".rstrip()


def _details(change: Change, room: TextLimits = SHORT) -> str:
    """The content of a change, without the name of its element: `status: open -> closed`, or all its properties."""
    if change.before is None or change.after is None:
        return properties_text(change.element.properties, room)
    before, after, names = change.before.properties, change.after.properties, changed_names(change)
    sides = [f"{n}: {_side(before, n, room)} -> {_side(after, n, room)}" for n in names[: room.properties]]
    more = [f"… {len(names) - room.properties:,} more"] if len(names) > room.properties else []
    return ", ".join(sides + more)


def difference_lines(
    changes: Iterable[Change], mark: Remark = lambda _: "", most: int = MOST_LISTED, names: Names = NO_NAMES
) -> list[str]:
    """Changes as lines of a difference: deletions first, equal ones on one line, `…` for omitted parts.

    Up to `most` deletions and as many other changes are all named; beyond it, the first equal ones are.
    """
    ordered = deletions_first(changes)
    deleted = sum(each.after is None for each in ordered)
    return [line for part in (ordered[:deleted], ordered[deleted:]) for line in _listed(part, mark, most, names)]


def deletions_first(changes: Iterable[Change]) -> list[Change]:
    """Deletions of nodes, deletions of edges, then the rest."""
    return sorted(
        changes, key=lambda each: (each.after is not None, each.after is None and isinstance(each.before, Edge))
    )


def changed_names(change: Change) -> list[str]:
    """The properties that are set, changed or removed, sorted."""
    before, after = (each.properties if each is not None else {} for each in (change.before, change.after))
    # 1, 1.0 and true are equal in Python, but not in a graph.
    return [name for name in sorted({**before, **after}) if json.dumps(before.get(name)) != json.dumps(after.get(name))]


def _listed(changes: Sequence[Change], mark: Remark, most: int, names: Names) -> list[str]:
    if len(changes) <= most:
        lines = _grouped(changes, mark, WIDE, names, named=most)
        if sum(map(len, lines)) <= LONGEST_LISTED:
            return lines
    lines = _grouped(changes, mark, SHORT, names, named=MOST_NAMED)
    return (
        lines
        if len(lines) <= MOST_KINDS
        else [*lines[:MOST_KINDS], f"… and {many(len(lines) - MOST_KINDS, 'more line')}"]
    )


def _grouped(changes: Iterable[Change], mark: Remark, room: TextLimits, names: Names, *, named: int) -> list[str]:
    """Lines of equal changes."""
    groups: dict[tuple[str, str, str], list[Change]] = {}
    for change in changes:
        groups.setdefault((_SIGNS[change.kind], _kind(change.element), _details(change, room)), []).append(change)
    lines = []
    for (sign, kind, what), group in groups.items():
        if len(group) < FEWEST_GROUPED:
            lines += [change_text(change, room, names) + mark([change]) for change in group]
            continue
        listed = [_short(change.element, room, names) for change in group[:named]]
        more = ["…"] if len(group) > named else []
        about = f"{kind} {what}".rstrip()
        lines.append(f"{sign} {len(group):,} {about}: {', '.join(listed + more)}{mark(group)}")
    return lines


def _kind(element: Element) -> str:
    if isinstance(element, Node):
        return element.label
    return f"{element.from_label} -[{element.type}]-> {element.to_label}"


def _short(element: Element, room: TextLimits, names: Names) -> str:
    ends = (element,) if isinstance(element, Node) else element.ends
    return " -> ".join(key_text(each, names, room) for each in ends)


def counted(changes: Iterable[Change]) -> list[tuple[int, str, str]]:
    """The numbers of nodes and edges that are created, updated and deleted: `(2, "node", "created")`."""
    counts: Counter[tuple[str, str]] = Counter()
    for change in changes:
        counts[change.kind, "node" if isinstance(change.element, Node) else "edge"] += 1
    kinds = ((kind, what) for kind in _SIGNS for what in ("node", "edge"))
    return [(counts[each], each[1], each[0]) for each in kinds if counts[each]]


def counts_text(changes: Iterable[Change]) -> str:
    """The counts as text: `2 nodes created, 1 edge deleted`, or `nothing changed`."""
    parts = [f"{n:,} {what}{'s' if n > 1 else ''} {kind}" for n, what, kind in counted(changes)]
    return ", ".join(parts) or "nothing changed"


def _side(properties: Mapping[str, Any], name: str, room: TextLimits) -> str:
    return value_text(properties[name], room) if name in properties else "(none)"


def _inner(value: Any, names: Names) -> str:
    return value_text(value) if isinstance(value, str) else cell_text(value, names) or "null"


def _path_text(path: Mapping[str, Any], names: Names) -> str:
    nodes, edges = path["nodes"], path["edges"]
    parts = [name_text(Node(**nodes[0]), names=names)] if nodes else []
    for edge, before, node in zip(edges, nodes, nodes[1:], strict=False):
        onwards = (edge["from_label"], edge["from_key"]) == (before["label"], before["key"])
        parts += [f"-[{edge['type']}]->" if onwards else f"<-[{edge['type']}]-", name_text(Node(**node), names=names)]
    return " ".join(parts)


def _quoted(text: str, most: int) -> str:
    return json.dumps(_cut(text, most), ensure_ascii=False)


def _cut(text: str, most: int) -> str:
    """The beginning of a text, on one line, with a replacement sign for each character that is not printable."""
    shown = " ".join(text[: most + 1].split()) if "\n" in text[: most + 1] else text[: most + 1]
    shown = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in shown)
    return shown if len(text) <= most else f"{shown[:most]}…"
