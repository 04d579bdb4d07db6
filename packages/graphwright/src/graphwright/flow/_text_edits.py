"""Edits of a YAML or JSON text that give it other data; comments, order and quotes of everything else do not change."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from difflib import SequenceMatcher
from typing import Any

from graphwright.flow._json_text import Position, json_positions
from graphwright.flow._source import FLAGS_1_1, Source, read_plain

_PLAIN = re.compile(r"[A-Za-z_$][\w$.-]*(?: [\w$.-]+)*")
"""A text that YAML reads as itself without quotes, also inside brackets, unless it is a word for another value.

Each character can be matched in one way only, so that the time grows with the length of the text.
"""

_WORDS = FLAGS_1_1 | {word for name in ("null", "true", "false") for word in (name, name.capitalize(), name.upper())}

_COMMA = re.compile(r"\s*,")
_ANCHOR = re.compile(r"&[^\s,\[\]{}]+\s+")


class NotEditable(Exception):
    """The text has a form in which the change cannot be made without rewriting it."""


def inline(value: Any, *, as_json: bool = False) -> str:
    """The value on one line: as JSON, or as YAML in brackets, in which words need no quotes."""
    if as_json:
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{inline(key)}: {inline(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(inline, value)) + "]"
    if isinstance(value, str) and value.isascii() and _PLAIN.fullmatch(value) and value not in _WORDS:
        return value
    return json.dumps(value, ensure_ascii=False)


def written(document: Mapping[str, Any], *, as_json: bool = False) -> str:
    """A document as text: JSON, or YAML with one line for each node and edge."""
    if as_json:
        return json.dumps(document, ensure_ascii=False, indent=2) + "\n"
    return "\n".join(_lines(document, "")) + "\n"


def _lines(value: Mapping[str, Any], indent: str) -> Iterator[str]:
    for name, item in value.items():
        if isinstance(item, list) and item and isinstance(item[0], Mapping):
            yield f"{indent}{inline(name)}:"
            yield from (f"{indent}  - {inline(each)}" for each in item)
        elif isinstance(item, Mapping) and any(isinstance(each, Mapping | list) for each in item.values()):
            yield f"{indent}{inline(name)}:"
            yield from _lines(item, indent + "  ")
        else:
            yield f"{indent}{inline(name)}: {inline(item)}"


def edited(source: Source, data: Any) -> str:
    """The text of `source` with the data `data` instead of the present one.

    A field that has another name and the same value is renamed in its place. New items of a list and new fields of the
    document get lines of their own. Raises NotEditable, for example if an alias stands for a value that changes in one
    place only.
    """
    position = json_positions(source.text)[0] if source.is_json else source.positions
    if position is None:
        raise NotEditable
    for blocks in (not source.is_json, False):
        editor = _Editor(source.text, source.is_json, blocks)
        editor.change(source.data, data, position)
        text = editor.result()
        again, problems = read_plain(text)
        if again is not None and not problems and again.data == data:
            return text
    raise NotEditable


_WIDTH = 120
"""A new value that is longer on one line, in characters, is written in several."""
_LISTS = ("nodes", "edges")
"""The fields whose items always have lines of their own, because more will be added."""


def _field(name: str, value: Any, indent: int) -> Iterator[str]:
    """The lines of a field in a block, without the indent of the block."""
    head = f"{inline(name)}: "
    if isinstance(value, list) and _has_records(value) and (len(value) > 1 or name in _LISTS):
        yield head.rstrip()
        for item in value:
            yield from _indented(_item(item, indent + 2))
    elif isinstance(value, Mapping) and value and _is_long(value, indent + len(head)):
        yield head.rstrip()
        for key, inner in value.items():
            yield from _indented(_field(key, inner, indent + 2))
    else:
        yield head + inline(value)


def _item(value: Any, indent: int) -> Iterator[str]:
    """The lines of an item of a list in a block, without the indent of the block."""
    if not isinstance(value, Mapping) or not value or indent + len(inline(value)) + 2 <= _WIDTH:
        yield f"- {inline(value)}"
        return
    dash = "- "
    for key, inner in value.items():
        for line in _field(key, inner, indent + 2):
            yield dash + line
            dash = "  "


def _is_long(value: Mapping[str, Any], indent: int) -> bool:
    return _has_records(value) or indent + len(inline(value)) > _WIDTH


def _has_records(value: Any) -> bool:
    """Whether a value contains a list of mappings, such as nodes."""
    if isinstance(value, list):
        return any(isinstance(item, Mapping) for item in value)
    return isinstance(value, Mapping) and any(map(_has_records, value.values()))


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (f"  {line}" for line in lines)


class _Editor:
    def __init__(self, text: str, as_json: bool, blocks: bool) -> None:
        self.text = text
        self.as_json = as_json
        self.blocks = blocks
        """Whether new values may take several lines."""
        self.newline = "\r\n" if "\r\n" in text else "\n"
        self.edits: dict[tuple[int, int], str] = {}
        self.visited: set[tuple[int, int, str]] = set()
        """The values that were changed: an alias leads to its anchor again."""

    def result(self) -> str:
        parts: list[str] = []
        at = 0
        for (start, end), new in sorted(self.edits.items()):
            if start < at:
                raise NotEditable
            parts += [self.text[at:start], new]
            at = end
        return "".join([*parts, self.text[at:]])

    def change(self, old: Any, new: Any, position: Position) -> None:
        """Note the edits that make `new` of the value `old` at `position`."""
        visit = (position[2], position[3], repr(new))
        if (type(old) is type(new) and old == new) or visit in self.visited:
            return
        self.visited.add(visit)
        children = position[5]
        if isinstance(old, dict) and isinstance(new, dict) and children and old.keys() & new.keys():
            self._mapping(old, new, position)
        elif isinstance(old, list) and isinstance(new, list) and children and (pairs := paired(old, new)):
            self._list(old, new, position, pairs)
        elif old == [] and isinstance(new, list) and self.blocks and self._has_own_line(position):
            start, end = position[0], self._end(position)
            name = self.text[position[0] : position[1]]
            _, *lines = _field(name, new, start - self._line(start))
            pad = self.newline + self.text[self._line(start) : start]
            self._replace(start, end, pad.join([f"{name}:", *lines]))
        else:
            text = inline(new, as_json=self.as_json)
            if isinstance(new, str) and children is None and not self.as_json:
                text = _in_style(new, position[4], text)
            start = self._start(position)
            if children is not None and self.text[start] == "-":
                text = f"  {text}"  # a list may begin in the column of its key, any other value may not
            self._replace(start, self._end(position), text)

    def _has_own_line(self, position: Position) -> bool:
        """Whether a value is that of a field at the beginning of a line."""
        return position[0] >= 0 and not self.text[self._line(position[0]) : position[0]].strip()

    def _list(self, old: list[Any], new: list[Any], position: Position, pairs: list[tuple[int, int]]) -> None:
        children = position[5] or {}
        kept = dict(pairs)
        for place, other in pairs:
            self.change(old[place], new[other], children[place])
        taken = set(kept.values())
        added: dict[int, list[Any]] = {}
        last = -1
        places = {other: place for place, other in pairs}
        for other, value in enumerate(new):
            if other in taken:
                last = places[other]
            else:
                added.setdefault(last, []).append(value)
        gone = [place for place in range(len(old)) if place not in kept]
        if self.text[self._start(position)] == "[":
            self._removals(gone, position)
            for after, values in added.items():
                self._insert_inline(values, children[after if after >= 0 else pairs[0][0]], behind=after >= 0)
            return
        for place in gone:
            dash = self._dash(children[place])
            self._remove_lines(dash, self._value_end(children[place]))
        for after, values in added.items():
            self._insert_items(values, children[after if after >= 0 else pairs[0][0]], behind=after >= 0)

    def _dash(self, child: Position) -> int:
        """The place of the dash before an item of a block list. Raises NotEditable if it shares its line."""
        dash = self.text.rfind("-", 0, child[2])
        if dash < 0 or self.text[dash + 1 : child[2]].strip() or self.text[self._line(dash) : dash].strip():
            raise NotEditable
        return dash

    def _insert_items(self, values: list[Any], child: Position, *, behind: bool) -> None:
        dash = self._dash(child)
        indent = dash - self._line(dash)
        items = [self._item_text(value, indent) for value in values]
        pad = self.newline + " " * indent
        if behind:
            end = self._line_end(self._value_end(child))
            self._replace(end, end, "".join(pad + item for item in items))
        else:
            self._replace(dash, dash, "".join(item + pad for item in items))

    def _item_text(self, value: Any, indent: int) -> str:
        lines = list(_item(value, indent)) if self.blocks else [f"- {inline(value)}"]
        return (self.newline + " " * indent).join(lines)

    def _insert_inline(self, values: list[Any], child: Position, *, behind: bool) -> None:
        start = child[2]
        before = self.text[self._line(start) : start]
        separator = f",{self.newline}{before}" if not before.strip() else ", "
        texts = [inline(value, as_json=self.as_json) for value in values]
        if behind:
            end = self._value_end(child)
            self._replace(end, end, "".join(separator + text for text in texts))
        else:
            self._replace(start, start, "".join(text + separator for text in texts))

    def _replace(self, start: int, end: int, new: str) -> None:
        known = self.edits.get((start, end))
        if start == end:
            new = (known or "") + new  # the end of an inner mapping may be that of an outer one
        elif known not in (None, new):
            raise NotEditable
        self.edits[start, end] = new

    def _start(self, position: Position) -> int:
        """The start of a value behind its anchor, which stays."""
        anchor = _ANCHOR.match(self.text, position[2]) if not self.as_json else None
        return anchor.end() if anchor is not None else position[2]

    def _end(self, position: Position) -> int:
        """The end of a value. The position of a block ends with its first line."""
        start, end, children = position[2], position[3], position[5]
        if children is not None and self.text[self._start(position)] not in ("{", "["):
            end = max((self._end(child) for child in children.values()), default=end)
        return start + len(self.text[start:end].rstrip())

    def _mapping(self, old: dict[str, Any], new: dict[str, Any], position: Position) -> None:
        children = position[5] or {}
        renamed = dict(_renamed(old, new))
        self._removals([key for key in old if key not in new and key not in renamed], position)
        for key, other in renamed.items():
            start, end = children[key][:2]
            quoted = self.as_json or self.text[start] in "\"'"
            self._replace(start, end, json.dumps(other, ensure_ascii=False) if quoted else inline(other))
        former = {other: key for key, other in renamed.items()}
        added: dict[str, dict[str, Any]] = {}
        last = ""
        for key, value in new.items():
            known = former.get(key, key)
            if known in old:
                self.change(old[known], value, children[known])
                last = known
            else:
                added.setdefault(last, {})[key] = value
        for after, fields in added.items():
            kept = after or min((key for key in old if key in new or key in renamed), key=lambda key: children[key][0])
            self._insert(fields, kept, position, behind=bool(after))

    def _removals(self, keys: Iterable[Any], position: Position) -> None:
        """Remove fields of a mapping, or items of a list in brackets."""
        removed = set(keys)
        children: Mapping[Any, Position] = position[5] or {}
        opening = self.text[self._start(position)]
        starts = {key: child[2] if opening == "[" else child[0] for key, child in children.items()}
        order = sorted(children, key=starts.__getitem__)
        block = opening not in "{["
        last_kept = max(place for place, key in enumerate(order) if key not in removed)
        for place, key in enumerate(order):
            if key not in removed:
                continue
            start, end = starts[key], self._value_end(children[key])
            if block and not self.text[self._line(start) : start].strip():
                self._remove_lines(start, end)
            elif place < last_kept:
                following = starts[order[place + 1]]
                self._replace(start, self._before_comment(end, following), "")
            else:
                before = self._value_end(children[order[place - 1]])
                comma = self._before_comment(before, start)
                self._replace(before, comma if comma < start else end, "")
                if comma < start:
                    self._replace(start, end, "")

    def _before_comment(self, start: int, end: int) -> int:
        """The end of the comma in the text between two fields, if a comment is there, which stays; else its end."""
        comma = _COMMA.match(self.text, start, end)
        return comma.end() if comma is not None and "#" in self.text[start:end] else end

    def _value_end(self, child: Position) -> int:
        if child[2] < child[0]:  # the position of an alias is that of its anchor, further up
            alias = re.compile(r"\s*:\s*\*[^\s,\]}]+").match(self.text, child[1])
            if alias is None:
                raise NotEditable
            return alias.end()
        return self._end(child)

    def _line(self, at: int) -> int:
        return self.text.rfind("\n", 0, at) + 1

    def _line_end(self, at: int) -> int:
        end = self.text.find("\n", at)
        end = len(self.text) if end < 0 else end
        return end - (end > at and self.text[end - 1] == "\r")

    def _remove_lines(self, start: int, end: int) -> None:
        """Remove a field that has lines to itself; a comment behind it stays."""
        line_end = self._line_end(end)
        if self.text[end:line_end].strip():
            self._replace(start, line_end, self.text[end:line_end].strip())
        else:
            before = self._line(start)
            if before:
                before -= 2 if self.text[before - 2 : before] == "\r\n" else 1
                self._replace(before, line_end, "")
            else:
                self._replace(0, self.text.find("\n", line_end) + 1, "")

    def _insert(self, fields: Mapping[str, Any], kept: str, position: Position, *, behind: bool) -> None:
        """Insert fields behind or in front of the field `kept` of a mapping."""
        child = (position[5] or {})[kept]
        start = child[0]
        before = self.text[self._line(start) : start]
        block = self.text[self._start(position)] != "{"
        named = [
            self._field_text(key, value, start - self._line(start) if block else -1) for key, value in fields.items()
        ]
        indent = self.newline + (" " * (start - self._line(start)) if block else before)
        if block:
            if not behind:
                self._replace(start, start, "".join(name + indent for name in named))
                return
            end = self._line_end(self._value_end(child))
            self._replace(end, end, "".join(indent + name for name in named))
            return
        separator = f",{indent}" if not before.strip() else ", "
        if behind:
            end = self._value_end(child)
            self._replace(end, end, "".join(separator + name for name in named))
        else:
            self._replace(start, start, "".join(name + separator for name in named))

    def _field_text(self, name: str, value: Any, indent: int) -> str:
        """A field as text; in a block with this indent, it may take several lines."""
        if indent >= 0 and self.blocks:
            return (self.newline + " " * indent).join(_field(name, value, indent))
        return f"{inline(name, as_json=self.as_json)}: {inline(value, as_json=self.as_json)}"


def _in_style(text: str, style: str, usual: str) -> str:
    """A text in the style of the one that it replaces: without quotes, in single or in double ones; if it can be."""
    if style == "'" and text.isprintable():
        return "'" + text.replace("'", "''") + "'"
    if style == '"':
        return json.dumps(text, ensure_ascii=False)
    if style or not text.isprintable() or usual == text:
        return usual
    source, problems = read_plain(f"x: [{text}]")
    same = source is not None and not problems and source.data == {"x": [text]} and not source.remarks()
    return text if same else usual


def paired(old: list[Any], new: list[Any]) -> list[tuple[int, int]]:
    """The items of two lists that are the same item, in order, as pairs of places: also if their content changed.

    First come the items that are equal, whose text then stays. Between them items are recognised by their `id`, or by
    `from` and `to`; in a place where others stand, by equal fields.
    """
    pairs: list[tuple[int, int]] = []
    for kind, i, i_end, j, j_end in _opcodes(list(map(_content, old)), list(map(_content, new))):
        if kind == "equal":
            pairs += zip(range(i, i_end), range(j, j_end), strict=True)
        elif kind == "replace":
            pairs += [(i + place, j + other) for place, other in _paired_by_identity(old[i:i_end], new[j:j_end])]
    return pairs


def _paired_by_identity(old: list[Any], new: list[Any]) -> list[tuple[int, int]]:
    pairs: list[tuple[int, int]] = []
    for kind, i, i_end, j, j_end in _opcodes(list(map(_identity, old)), list(map(_identity, new))):
        if kind == "equal" or (kind == "replace" and i_end - i == j_end - j):
            pairs += zip(range(i, i_end), range(j, j_end), strict=True)
        elif kind == "replace":
            for place in range(i, i_end):
                other = next((each for each in range(j, j_end) if _alike(old[place], new[each])), None)
                if other is not None:
                    pairs.append((place, other))
                    j = other + 1
    return pairs


def _opcodes(old: list[str], new: list[str]) -> list[tuple[str, int, int, int, int]]:
    return list(SequenceMatcher(None, old, new, autojunk=False).get_opcodes())


def _content(item: Any) -> str:
    return json.dumps(item, sort_keys=True, default=str)


def _identity(item: Any) -> str:
    if isinstance(item, Mapping):
        named = {name: item[name] for name in ("id", "from", "to") if isinstance(item.get(name), str)}
        item = named or item
    return _content(item)


def _alike(old: Any, new: Any) -> bool:
    if not isinstance(old, Mapping) or not isinstance(new, Mapping):
        return False
    same = [name for name, value in old.items() if name in new and new[name] == value]
    return 2 * len(same) >= max(len(old), len(new))


def _renamed(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    """The fields of which only the name changes, as (old, new): neighbours of the same fields, with the same value."""
    gone = [key for key in old if key not in new]
    come = [key for key in new if key not in old]
    for key in gone:
        other = next((each for each in come if new[each] == old[key]), None)
        if other is not None:
            come.remove(other)
            yield key, other
