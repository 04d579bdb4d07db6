"""Messages and hints for authors, from the findings of the type checker."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import reduce

from graphwright.flow.guards._analysis import Names
from graphwright.flow.guards._environments import Finding
from graphwright.flow.guards._syntax_tree import offset_of, position
from graphwright.flow.guards._value_types import ValueType
from graphwright.flow.guards._vocabulary import (
    ACTIVE_PATH,
    ANSWERS,
    FUNCTIONS,
    MESSAGE,
    NOW,
    VALUE,
    Problem,
    ProblemKind,
)
from graphwright.text.near_names import Suggestion, listed

_UNDECLARED = re.compile(r"undeclared reference to '(.*)' \(in container '.*'\)", re.DOTALL)
_NO_FIELD = re.compile(r"undefined field '(.*)' not found in struct '(.*)'")
_NO_OVERLOAD = re.compile(r"found no matching overload for '(.*)' applied to '\((.*)\)'")
_NOT_SELECTABLE = re.compile(r"expression of type '(.*)' cannot be the operand of a select operation")
_NOT_A_RANGE = re.compile(r"expression of type '(.*)' cannot be the range of a comprehension")
_RESERVED = re.compile(r"reserved identifier: (\w+)")
_UNEXPECTED = re.compile(
    r"(?:extraneous input|mismatched input|no viable alternative at input|at:) '(.*?)'(?: expecting|$)"
)

_TYPE_WORDS = {
    "string": "a text",
    "int": "an integer",
    "uint": "an unsigned integer",
    "double": "a number",
    "bool": "true or false",
    "null_type": "null",
    "timestamp": "a date",
    "google.protobuf.Timestamp": "a date",
    "duration": "a duration",
    "dyn": "a value of unknown type",
}
_SLIPS = tuple(
    (re.compile(pattern, re.IGNORECASE), f"{said} is not part of the language", f"write {instead}")
    for pattern, said, instead in (
        (r"===", "`===`", "`==`"),
        (r"!==", "`!==`", "`!=`"),
        (r"<>", "`<>`", "`!=`"),
        (r"=>", "`=>`", "`>=`"),
        (r"=<", "`=<`", "`<=`"),
        (r"(?<![=!<>])=(?!=)", "`=`", "`==`, or `answers.x.matches('pattern')`"),
        (r"[“”„‘’‚«»]", "a typographic quote", "'text' or \"text\""),
        (r"\band\b", "`and`", "`&&`"),
        (r"(?<!&)&(?!&)", "`&`", "`&&`"),
        (r"\bor\b", "`or`", "`||`"),
        (r"(?<!\|)\|(?!\|)", "`|`", "`||`"),
        (r"\bnot\b", "`not`", "`!`"),
        (r"\bis\b", "`is`", "`==`"),
    )
)
_FILTER = re.compile(r"(?<!\|)\|(?!\|)\s*([A-Za-z_]\w*)(?!\w*\s*[.=<>!])")
"""A single bar and a word after it, without a comparison sign next: a filter of Jinja."""

_OTHERS: tuple[tuple[str, ProblemKind, str, str], ...] = (
    ("has()", "type", "`has` takes one field, such as `answers.x`", "a channel always has a value: compare it instead"),
    ("int literal", "syntax", "the integer does not fit into 64 bits", "write it as 1.0e30, a number"),
    ("unsupported syntax", "syntax", "this notation is not part of the language", "write `answers.x`"),
    (
        "variable name must be",
        "syntax",
        "a new name for the element comes first",
        "as in `answers.tags.exists(tag, ...)`",
    ),
)
"""For words of the library: the kind of problem, its message and its hint."""

_QUOTED = re.compile(r"""'''.*?'''|\"\"\".*?\"\"\"|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*\"|//[^\n]*""", re.DOTALL)
_FOREIGN = {"True": "true", "False": "false", "None": "null", "nil": "null", "undefined": "null", "NULL": "null"}
_CLOCK = {"today": f"date({NOW})", "today()": f"date({NOW})", "now()": NOW}
"""What authors write for the time of the turn, and what it is called here."""
_SIGNS = {"-_": "-", "!_": "!", "@in": "in", "_[_]": "[]", "_?_:_": "?:"}


class ErrorMessages:
    """Turns findings about one text into problems.

    `graph_of` maps a message type name to a graph id; `nearest` returns the candidate most similar to a name.
    """

    def __init__(
        self,
        text: str,
        names: Names,
        graph_of: Callable[[str], str | None],
        nearest: Callable[[str, Collection[str]], str],
    ) -> None:
        self.text = text
        self.names = names
        self.graph_of = graph_of
        self.nearest = nearest

    def problems(self, findings: tuple[Finding, ...]) -> list[Problem]:
        """One problem for each finding. If the text does not parse, only the first: the others follow from it."""
        syntax = [f for f in findings if f.text.startswith("Syntax error")]
        if syntax:
            return [self._syntax(syntax[0])]
        return list(dict.fromkeys(self._problem(finding) for finding in findings))

    def _problem(self, finding: Finding) -> Problem:
        offset = offset_of(self.text, finding.line, finding.column)
        said = finding.text
        if "recursion" in said:
            hint = "name parts of it under `predicates:` and use the names here"
            return Problem("too_deep", "The expression nests deeper than 32 levels", hint=hint)
        if found := _UNDECLARED.fullmatch(said):
            return self._undeclared(found[1], offset)
        if found := _NO_FIELD.fullmatch(said):
            return self._no_field(found[1], found[2], offset)
        if found := _NO_OVERLOAD.fullmatch(said):
            return self._no_overload(found[1], _split(found[2]), offset)
        if found := _NOT_SELECTABLE.fullmatch(said):
            hint = "only objects have properties"
            return self._at(offset, "type", f"{self._words(found[1])} has no properties to name after a dot", hint)
        if found := _NOT_A_RANGE.match(said):
            name = self._words(found[1])
            return self._at(offset, "type", f"only lists and objects can be gone through, not {name}")
        if found := _RESERVED.fullmatch(said):
            hint = "a choice is written `test ? this : that`" if found[1] == "if" else "choose another name"
            return self._at(offset, "reserved", f"`{found[1]}` is a reserved word", hint)
        for words, kind, message, hint in _OTHERS:
            if words in said:
                return self._at(offset, kind, message, hint)
        return self._at(offset, "syntax", f"the expression is not understood: {said}")

    def _at(self, offset: int, kind: ProblemKind, message: str, hint: str = "") -> Problem:
        line, column = position(self.text, min(offset, len(self.text)))
        return Problem(kind, message[0].upper() + message[1:] if message[0].islower() else message, line, column, hint)

    def _syntax(self, finding: Finding) -> Problem:
        offset = offset_of(self.text, finding.line, finding.column)
        bare = _QUOTED.sub(lambda found: "_" * len(found[0]), self.text)
        found = _FILTER.search(bare)
        known = found is not None and (found[1] in FUNCTIONS and bare[found.end() :].lstrip().startswith("("))
        if found and not known and found[1] not in {*self.names.channels, *self.names.predicates, ANSWERS}:
            hint = "write an expression, as in `has(answers.name) ? answers.name : 'you'`, or let an action write the "
            hint += "finished text to a channel; `or` between conditions is `||`"
            return self._at(found.start(), "syntax", f"there are no filters, such as `| {found[1]}`", hint)
        for pattern, message, hint in _SLIPS:
            if found := pattern.search(bare):
                return self._at(found.start(), "syntax", message, hint)
        for mark in "'\"":
            if mark in bare:
                return self._at(bare.index(mark), "syntax", "the text that starts here is never closed", f"add {mark}")
        for opening, closing in ("()", "[]", "{}"):
            if bare.count(opening) > bare.count(closing):
                return self._at(bare.rindex(opening), "syntax", f"`{opening}` is never closed", f"add `{closing}`")
        if "<EOF>" in finding.text.partition("expecting")[0]:
            hint = "a part is missing after the last sign; a choice is written `test ? this : that`"
            return self._at(offset, "syntax", "the expression ends too early", hint)
        found = _UNEXPECTED.search(finding.text)
        if not found or not found[1]:
            return self._at(offset, "syntax", "the expression is not understood from here on")
        return self._at(
            offset, "syntax", f"`{found[1].strip()}` is not expected here", "join comparisons with `&&` or `||`"
        )

    def _undeclared(self, name: str, offset: int) -> Problem:
        if self.text[offset : offset + 1] == "(":
            return self._unknown_function(name, offset)
        head = name.split(".")[0]
        start = offset
        if "." in name:
            lead = name.rpartition(".")[0]
            if self.text[offset - len(lead) : offset] == lead:
                start = offset - len(lead)
        if head in _FOREIGN:
            return self._at(
                start, "unknown_name", f"`{head}` is not a word of the language", f"write `{_FOREIGN[head]}`"
            )
        if head == VALUE:
            return self._at(start, "unknown_name", "`value` is known only in `validate`", "use `answers.KEY`")
        return self._at(start, "unknown_name", f"there is no channel or predicate `{head}`", self._name_hint(head))

    def _name_hint(self, name: str) -> str:
        answers = self.names.graphs[self.names.graph].properties
        if name in answers:
            return Suggestion(f"it is an answer: write `{ANSWERS}.{name}`", name, f"{ANSWERS}.{name}")
        if name in _CLOCK:
            return Suggestion(f"for the date of today write `{_CLOCK[name]}`", name, _CLOCK[name])
        variables = [ANSWERS, ACTIVE_PATH, MESSAGE, NOW, *self.names.channels, *self.names.predicates]
        if like := self.nearest(name, [*variables, *answers]):
            return _suggested(name, like if like in variables else f"{ANSWERS}.{like}")
        if name.lower() in ("yes", "no"):
            flag = "true" if name.lower() == "yes" else "false"
            return f"a confirmation holds `{flag}`; a text needs quotes: '{name}'"
        return f"a text needs quotes: '{name}'; an answer is written `{ANSWERS}.KEY`"

    def _unknown_function(self, name: str, offset: int) -> Problem:
        start = offset - len(name) if self.text[:offset].endswith(name) else offset
        if name in FUNCTIONS:
            return self._at(start, "unknown_function", f"`{name}` does not take these arguments")
        call = f"{name}()"
        if call in _CLOCK and self.text.startswith(call, start):
            hint: str = Suggestion(f"the clock is `{NOW}`: write `{_CLOCK[call]}`", call, _CLOCK[call])
        elif like := self.nearest(name, FUNCTIONS):
            hint = _suggested(name, like)
        else:
            hint = "there are size, matches, contains, startsWith, date, daysUntil and few more"
        return self._at(start, "unknown_function", f"there is no function `{name}`", hint)

    def _no_field(self, name: str, message: str, offset: int) -> Problem:
        start = offset + 1 if self.text[offset : offset + 1] == "." else offset
        graph = self.graph_of(message)
        if graph is None:
            shape = self._object_before(offset)
            like = self.nearest(name, shape.properties) if shape is not None else ""
            hint = _suggested(name, like) if like else "declare it among the properties of its schema"
            return self._at(start, "unknown_name", f"the object has no property `{name}`", hint)
        keys = self.names.graphs[graph].properties
        if name in self.names.channels and graph == self.names.graph:
            like = self.nearest(name, keys)
            hint = f"did you mean `{like}`, or the channel `{name}`?" if like else f"it is a channel: write `{name}`"
        elif found := self._elsewhere(name):
            hint = f"did you mean {listed(found)}?"
        elif like := self.nearest(name, keys):
            hint = _suggested(name, like)
        else:
            hint = "no question of the flow has this key here"
            if graph:
                hint = "a subgraph reads the answers of the flow only where it is called without `as`"
        return self._at(start, "unknown_name", f"there is no answer `{name}`", hint)

    def _object_before(self, offset: int) -> ValueType | None:
        """The type of the chain of names that ends at a dot."""
        found = re.search(r"[A-Za-z_][\w.]*$", self.text[:offset])
        head, *rest = found[0].split(".") if found else [""]
        return reduce(self.names.part, rest, self.names.variable(head))

    def _elsewhere(self, name: str) -> list[str]:
        """The dotted names of a key in the scopes of calls."""
        scopes = self.names.graphs[self.names.graph].properties.items()
        graphs = {key: self.names.graphs[shape.graph].properties for key, shape in scopes if shape.graph is not None}
        return [f"{ANSWERS}.{key}.{name}" for key, properties in graphs.items() if name in properties]

    def _words(self, type_: str) -> str:
        type_ = _bare(type_)
        if type_ in _TYPE_WORDS:
            return _TYPE_WORDS[type_]
        if type_.startswith("list("):
            return "a list"
        if type_.startswith("map("):
            return "an object"
        if self.graph_of(type_) is not None:
            return "a set of answers"
        return "an object" if type_.startswith("gwflow.") else "a value of another type"

    def _no_overload(self, function: str, types: list[str], offset: int) -> Problem:
        sign = _SIGNS.get(function, function.strip("_"))
        hint = self._mismatch_hint(sign, types, offset)
        if sign == "?:":
            hint = "the test must be true or false, and both results of one type"
        words = " with ".join(self._words(type_) for type_ in types)
        return self._at(offset, "type", f"`{sign}` cannot take {words}", hint)

    def _mismatch_hint(self, sign: str, types: list[str], offset: int) -> str:
        bare = [_bare(type_) for type_ in types]
        if any(self.graph_of(type_) is not None for type_ in bare):
            asked = re.match(r"\[\s*(['\"])(\w+)\1", self.text[offset:])
            asked = asked or re.search(r"(['\"])(\w+)\1\s*$", self.text[:offset])
            name = f"{ANSWERS}.{asked[2] if asked else 'KEY'}"
            return f"write `{name}`; `has({name})` asks whether the answer is there"
        if sign in ("&&", "||", "!"):
            return "compare it with a value, as in `answers.venue == 'home'`"
        kinds = frozenset(bare)
        if "null_type" in kinds:
            return 'it is never null; let its schema allow null: type: [..., "null"]'
        if sign == "+" and "string" in kinds:
            return "turn the number into a text: `string(answers.count)`"
        if bare[0].startswith("list(") and sign in ("==", "!=", "contains"):
            return "ask `'x' in answers.tags` whether a list holds a value"
        return _MISMATCHES.get(kinds, "")


_NUMBER_OR_TEXT = (
    "write the number without quotes, or, if it is a text such as '010', put it in quotes in the schema too"
)
_MISMATCHES = {
    frozenset({"int", "double"}): "turn the integer into a number: `double(answers.count)`",
    frozenset({"timestamp", "string"}): "read the text as a date: `date(answers.day)`",
    frozenset({"google.protobuf.Timestamp", "string"}): "read the text as a date: `date(answers.day)`",
    frozenset({"google.protobuf.Timestamp", "int"}): "add days to a date: `now.addDays(3)`",
    frozenset({"bool", "string"}): "write true or false without quotes",
    frozenset({"int", "string"}): _NUMBER_OR_TEXT,
    frozenset({"double", "string"}): _NUMBER_OR_TEXT,
}


def _bare(type_: str) -> str:
    return type_[8:-1] if type_.startswith("wrapper(") else type_


def _split(types: str) -> list[str]:
    """`wrapper(int), list(string)` as a list; commas inside parentheses do not count."""
    parts, depth, start = [], 0, 0
    for place, char in enumerate(types):
        depth += (char == "(") - (char == ")")
        if char == "," and depth == 0:
            parts.append(types[start:place].strip())
            start = place + 1
    return [*parts, types[start:].strip()]


def _suggested(wanted: str, name: str) -> Suggestion:
    return Suggestion(f"did you mean `{name}`?", wanted, name)
