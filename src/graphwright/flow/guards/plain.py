"""Plain conditions, by far the commonest: what can be said of them without the CEL library, in microseconds.

A plain condition joins, by `&& || !` and parentheses, declared names that are true or false, `has(answers.x)`, and
comparisons of a declared name with literals of its own type. Whatever is not surely of this kind, or not surely
right, is left to the full way: it accepts all of the language, and it makes the diagnostics.
"""

from __future__ import annotations

import re

from graphwright.flow.guards.analysis import Analysis, Names, equals_literal
from graphwright.flow.guards.names import ANSWERS, KEYWORDS
from graphwright.flow.guards.shapes import Kind, Shape

_DEEPEST = 8
"""More parentheses, or steps of a path, are left to the CEL library, which counts levels in a way of its own."""

_NAME = r"[A-Za-z_][A-Za-z0-9_]*+"
_PATH = rf"{_NAME}(?:\.{_NAME})*"
_INTEGER = r"-?(?:0|[1-9][0-9]{0,17})"
# No escapes, and nothing that is not plainly text: what remains means the same to everybody.
_STRING = r"'[^'\\\x00-\x1f\x7f\ud800-\udfff]*+'|\"[^\"\\\x00-\x1f\x7f\ud800-\udfff]*+\""
_LITERAL = rf"{_STRING}|{_INTEGER}(?:\.[0-9]{{1,18}})?|true\b|false\b|null\b"
_GAP = r"[ \t\r\n]*+"

TERM = re.compile(
    rf"""{_GAP}(?P<negated>!{_GAP})?(?:
        (?P<open>\()
      | has\({_GAP}(?P<asked>{_PATH}){_GAP}\)
      | (?P<size>size\({_GAP})?(?P<path>{_PATH})(?(size){_GAP}\))
        (?:{_GAP}(?P<sign>==|!=|<=|>=|<|>|in\b){_GAP}
           (?:(?P<literal>{_LITERAL})|(?P<list>\[{_GAP}(?:{_LITERAL})(?:{_GAP},{_GAP}(?:{_LITERAL}))*{_GAP}\])))?
    )""",
    re.VERBOSE,
)
AFTER = re.compile(rf"{_GAP}((?:\){_GAP})*)(&&|\|\||\Z)")
ONE_LITERAL = re.compile(_LITERAL)

_RESULTS: dict[Kind, str] = {
    "text": "STRING",
    "integer": "INT",
    "number": "DOUBLE",
    "boolean": "BOOL",
    "any": "DYN",
}


class PlainReader:
    """Reads one text. Afterwards `analysis`, `result` and `widened` are what the full way would have found."""

    __slots__ = ("analysis", "names", "result", "text", "widened")

    def __init__(self, text: str, names: Names) -> None:
        self.text = text
        self.names = names
        self.analysis = Analysis()
        self.result = "BOOL"
        self.widened: set[int] = set()

    def read(self) -> bool:
        """Whether it is a plain condition (or one plain name), and right in every respect."""
        text, at, depth = self.text, 0, 0
        while True:
            term = TERM.match(text, at)
            if term is None:
                return False
            at = term.end()
            if term["open"]:
                depth += 1
                if depth > _DEEPEST:
                    return False
                continue
            kind = self._term(term)
            after = AFTER.match(text, at)
            if kind is None or after is None:
                return False
            if kind != "boolean":
                self.result = _RESULTS[kind]
                return term["path"] == text.strip(" \t\r\n")
            depth -= after[1].count(")")
            if depth < 0:
                return False
            at = after.end()
            if not after[2]:
                return depth == 0

    def _term(self, term: re.Match[str]) -> Kind | None:
        """The kind of value of one term, or None when it is not plain."""
        asked = term["asked"]
        if asked is not None:
            path = tuple(asked.split("."))
            if len(path) < 2 or self._shape(path) is None:
                return None
            self.analysis.reads.setdefault(path, term.start("asked"))
            return "boolean"
        path = tuple(term["path"].split("."))
        sign = term["sign"]
        if path[0] in self.names.predicates:
            if len(path) > 1 or sign or term["size"]:
                return None
            self.analysis.predicates[path[0]] = None
            return "boolean"
        shape = self._shape(path)
        if shape is None:
            return None
        self.analysis.reads.setdefault(path, term.start("path"))
        self.analysis.needs.setdefault(path)
        if not sign:
            return shape.kind if shape.kind in _RESULTS and not term["size"] else None
        if term["negated"]:
            return None  # `!x == 3` compares `!x`
        if term["size"]:
            return "boolean" if _is_size(shape, sign, term["literal"]) else None
        if (sign == "in") != (term["literal"] is None):
            return None
        return "boolean" if self._compares(shape, sign, term) else None

    def _shape(self, path: tuple[str, ...]) -> Shape | None:
        """The shape of a declared name; None for parts of objects, and for answers or a scope as a whole."""
        if len(path) > _DEEPEST:
            return None
        shape = self.names.variable(path[0])
        if path[0] != ANSWERS:
            return shape if len(path) == 1 else None
        for step in path[1:]:
            if shape is None or shape.kind != "answers" or step in KEYWORDS:
                return None
            shape = self.names.part(shape, step)
        return None if shape is None or shape.kind == "answers" else shape

    def _compares(self, shape: Shape, sign: str, term: re.Match[str]) -> bool:
        """Whether the literals of a comparison are of the type, and among the values, of what they stand beside."""
        group = "literal" if sign != "in" else "list"
        equality = sign == "==" or sign == "!="
        for found in ONE_LITERAL.finditer(self.text, term.start(group), term.end(group)):
            written = found[0]
            first = written[0]
            value: str | int | float | bool
            if written == "null":
                if not equality or not shape.nullable or shape.kind not in _RESULTS:
                    return False
                continue
            if first == "'" or first == '"':
                fits, value = shape.kind == "text", written[1:-1]
            elif first == "t" or first == "f":
                fits, value = shape.kind == "boolean" and equality, first == "t"
            elif "." in written:
                fits, value = shape.kind == "number", float(written)
            else:
                fits, value = shape.kind == "integer" or shape.kind == "number", int(written)
                if shape.kind == "number":
                    self.widened.add(found.start())
            if not fits and not (shape.kind == "any" and equality):
                return False
            if shape.allowed is not None and not any(equals_literal(one, value) for one in shape.allowed):
                return False
        return True


def _is_size(shape: Shape, sign: str, literal: str | None) -> bool:
    """Whether `size(x)` may stand beside this literal."""
    sized = shape.kind == "text" or (shape.kind == "list" and not shape.nullable)
    return sized and sign != "in" and literal is not None and literal.lstrip("-").isdecimal()
