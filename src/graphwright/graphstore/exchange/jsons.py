"""JSON: one document `{"nodes": [...], "edges": [...]}`, or one element a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

from graphwright.graphstore.elements import Edge, Element
from graphwright.graphstore.errors import BadElement
from graphwright.graphstore.exchange.checking import Placed, bad, made
from graphwright.graphstore.names import shown

_CHUNK = 1 << 20
_BLANKS = " \t\r\n"
_PARTS = {"nodes": False, "edges": True}
_SHAPE = 'It is {"nodes": [...], "edges": [...]}.'


class _Repeated(ValueError):
    pass


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise _Repeated(next(name for name in names if names.count(name) > 1))
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_once)


def read_lines(path: Path) -> Iterator[Placed]:
    """The elements of a file that has one a line; one with `type` is an edge."""
    with path.open(encoding="utf-8-sig") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                place = f"{path}, line {number:,}"
                data, end = _decoded(place, line, len(line) - len(line.lstrip()))
                if line[end:].strip():
                    raise bad(place, "there is more than one element", "Each stands on a line of its own.")
                yield place, made(place, data, edge=isinstance(data, dict) and "type" in data)


def read_json(path: Path) -> Iterator[Placed]:
    """The elements of a document, as they come; only one of them is in memory at a time."""
    with path.open(encoding="utf-8-sig") as file:
        text = _Text(path, file)
        text.take("{", _SHAPE)
        seen: set[str] = set()
        while not text.taken("}"):
            if seen:
                text.take(",", "Parts are separated by commas.")
            name = text.value()
            if name not in _PARTS or name in seen:
                raise bad(text.place, f"{shown(name)} does not belong here", _SHAPE)
            seen.add(name)
            text.take(":", _SHAPE)
            yield from _part(text, _PARTS[name])
        if text.peek():
            raise bad(text.place, "there is more behind the end of the document", _SHAPE)


def _part(text: _Text, edge: bool) -> Iterator[Placed]:
    text.take("[", _SHAPE)
    number = 0
    while not text.taken("]"):
        if number:
            text.take(",", "Elements are separated by commas.")
        text.peek()
        place = f"{text.place} ({'edge' if edge else 'node'} {number + 1:,})"
        yield place, made(place, text.value(), edge=edge)
        number += 1


class _Text:
    """A document of which a window is in memory."""

    def __init__(self, path: Path, file: TextIO) -> None:
        self._path, self._file = path, file
        self._window, self._at, self._ended = "", 0, False
        self._line, self._counted = 1, 0

    @property
    def place(self) -> str:
        self._count()
        return f"{self._path}, line {self._line:,}"

    def peek(self) -> str:
        """The next character that is no blank; nothing at the end."""
        while True:
            while self._at < len(self._window):
                if self._window[self._at] not in _BLANKS:
                    return self._window[self._at]
                self._at += 1
            if not self._more():
                return ""

    def taken(self, sign: str) -> bool:
        if self.peek() != sign:
            return False
        self._at += 1
        return True

    def take(self, sign: str, hint: str) -> None:
        if not self.taken(sign):
            found = shown(self.peek()) if self.peek() else "the end"
            raise bad(self.place, f"`{sign}` is expected, not {found}", hint)

    def value(self) -> Any:
        """The next value, which is an object or a text: others could end anywhere."""
        if self.peek() not in ("{", '"'):
            found = shown(self.peek()) if self.peek() else "the end"
            raise bad(self.place, f"an element is expected, not {found}", _SHAPE)
        while True:
            try:
                value, self._at = _decoded(self.place, self._window, self._at)
                return value
            except BadElement:
                # It may only be cut off; what is wrong for good is told when there is no more to come.
                if not self._more():
                    raise

    def _more(self) -> bool:
        if self._ended:
            return False
        self._count()
        rest = self._window[self._at :]
        read = self._file.read(max(_CHUNK, len(rest)))
        self._window, self._at, self._counted, self._ended = rest + read, 0, 0, not read
        return bool(read)

    def _count(self) -> None:
        self._line += self._window.count("\n", self._counted, self._at)
        self._counted = self._at


def _decoded(place: str, text: str, start: int) -> tuple[Any, int]:
    try:
        return _DECODER.raw_decode(text, start)
    except _Repeated as error:
        raise bad(place, f"the name {shown(str(error))} stands twice in one object", "Keep one of them.") from None
    except json.JSONDecodeError as error:
        column = error.pos - text.rfind("\n", 0, error.pos)
        raise bad(place, f"this is not JSON ({error.msg}, column {column:,})", "Mend it, or export it anew.") from None
    except (RecursionError, ValueError):
        raise bad(place, "this is nested too deeply, or holds a number that is too long", "Give flat values.") from None


def write_lines(files: Sequence[TextIO], elements: Iterable[Element]) -> None:
    """One element a line."""
    for element in elements:
        files[0].write(json.dumps(element.to_json(), ensure_ascii=False) + "\n")


def write_json(files: Sequence[TextIO], elements: Iterable[Element]) -> None:
    """One document, one element a line; nodes come first."""
    file = files[0]
    file.write('{"nodes": [')
    between, edges = "\n", False
    for element in elements:
        if isinstance(element, Edge) and not edges:
            file.write('\n],\n"edges": [')
            between, edges = "\n", True
        file.write(between + json.dumps(element.to_json(), ensure_ascii=False))
        between = ",\n"
    file.write("\n]}\n" if edges else '\n],\n"edges": []}\n')
