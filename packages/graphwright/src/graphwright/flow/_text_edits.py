"""Edits of a YAML or JSON text that give it other data; comments, order and quotes of everything else do not change."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from graphwright.flow._json_text import Position, json_positions
from graphwright.flow._source import FLAGS_1_1, Source, read_plain

_PLAIN = re.compile(r"[A-Za-z_$][\w$.]*(?: ?[\w$.-]+)*")
"""A text that YAML reads as itself without quotes, also inside brackets, unless it is a word for another value."""

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

    A field that has another name and the same value is renamed in its place. Raises NotEditable, for example if an
    alias stands for a value that changes in one place only.
    """
    position = json_positions(source.text)[0] if source.is_json else source.positions
    if position is None:
        raise NotEditable
    editor = _Editor(source.text, source.is_json)
    editor.change(source.data, data, position)
    text = editor.result()
    again, problems = read_plain(text)
    if again is None or problems or again.data != data:
        raise NotEditable
    return text


class _Editor:
    def __init__(self, text: str, as_json: bool) -> None:
        self.text = text
        self.as_json = as_json
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
        elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new) and children:
            for index, item in enumerate(old):
                self.change(item, new[index], children[index])
        else:
            text = inline(new, as_json=self.as_json)
            start = self._start(position)
            if children is not None and self.text[start] == "-":
                text = f"  {text}"  # a list may begin in the column of its key, any other value may not
            self._replace(start, self._end(position), text)

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

    def _removals(self, keys: Iterable[str], position: Position) -> None:
        removed = set(keys)
        children = position[5] or {}
        order = sorted(children, key=lambda key: children[key][0])
        block = self.text[self._start(position)] != "{"
        last_kept = max(place for place, key in enumerate(order) if key not in removed)
        for place, key in enumerate(order):
            if key not in removed:
                continue
            start, end = children[key][0], self._value_end(children[key])
            if block and not self.text[self._line(start) : start].strip():
                self._remove_lines(start, end)
            elif place < last_kept:
                following = children[order[place + 1]][0]
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
        named = [
            f"{inline(key, as_json=self.as_json)}: {inline(value, as_json=self.as_json)}"
            for key, value in fields.items()
        ]
        before = self.text[self._line(start) : start]
        block = self.text[self._start(position)] != "{"
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


def _renamed(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    """The fields of which only the name changes, as (old, new): neighbours of the same fields, with the same value."""
    gone = [key for key in old if key not in new]
    come = [key for key in new if key not in old]
    for key in gone:
        other = next((each for each in come if new[each] == old[key]), None)
        if other is not None:
            come.remove(other)
            yield key, other
