"""The language of one flow: compiles guards and templates over its answers, channels and predicates."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import cache
from threading import RLock
from typing import Any

from graphwright.flow._graph_algorithms import components, cycle_through, is_cyclic
from graphwright.flow.guards._analysis import Analysis, Names, analyse
from graphwright.flow.guards._environments import (
    MOST_FIELDS,
    Environments,
    Finding,
    RejectedError,
    answer_types,
    channel_types,
)
from graphwright.flow.guards._numeric_promotion import integers_to_promote, promoted_text, unshifted
from graphwright.flow.guards._program import Guard
from graphwright.flow.guards._syntax_tree import Expr, decode, position, quote, unparse
from graphwright.flow.guards._templates import Template, take_apart
from graphwright.flow.guards._value_types import ValueType, type_of_schema
from graphwright.flow.guards._vocabulary import ACTIVE_PATH, MESSAGE, VALUE, Problem, Vocabulary, is_variable
from graphwright.text.near_names import nearest

MAX_LENGTH = 2_000
"""The maximum length of an expression, in characters."""

_MOST_COMPARISONS = 1_000_000
_NOTHING: Mapping[str, Any] = {}


class _Unit:
    """One checked text: its tree, its analysis, and the problems. A text that does not parse has no tree."""

    __slots__ = ("analysis", "names", "problems", "program", "promoted", "result", "text", "tree")

    def __init__(self, text: str, names: Names) -> None:
        self.text = text
        self.names = names
        self.tree: Expr | None = None
        self.analysis = Analysis()
        self.result = ""
        self.promoted: frozenset[int] = frozenset()
        self.problems: list[Problem] = []
        self.program: Guard | None = None


class Language:
    """All names that expressions of one flow may use. All methods are thread-safe."""

    def __init__(
        self,
        vocabularies: Mapping[str, Vocabulary],
        *,
        channels: Mapping[str, Mapping[str, Any]] = _NOTHING,
        predicates: Mapping[str, str] = _NOTHING,
        paths: Collection[str] = (),
    ) -> None:
        """`vocabularies` by graph id ("" is the root); `channels` are JSON schemas; `predicates` boolean texts.

        `paths` are the values that `active_path` may have, besides the empty text; if empty, any value is allowed.

        Names that cannot be written in an expression (`is_answer_key`, `is_variable`) are left out.
        """
        known = frozenset(vocabularies)
        # Graphs with equal vocabularies, such as many subgraphs of one pattern, share one vocabulary in the library.
        firsts: dict[str, str] = {}
        self._alike = {graph: firsts.setdefault(repr(words), graph) for graph, words in vocabularies.items()}
        self._graphs = {
            graph: answer_types(words.answers, words.scopes, graph, known) for graph, words in vocabularies.items()
        }
        self._channels = {name: shape for name, shape in channel_types(channels, paths).items() if is_variable(name)}
        self._predicates = dict(predicates)
        usable = frozenset(name for name in predicates if not self._name_problem(name))
        self._names = {graph: Names(graph, self._graphs, self._channels, usable) for graph in self._graphs}
        self._most = max(len(shape.properties) for shape in self._graphs.values())
        self._comparisons = 0
        self._environments = Environments(self._graphs, self._channels, usable)
        self._units: dict[tuple[str, str, int], _Unit] = {}
        self._programs: dict[tuple[str, str], Guard | None] = {}
        self._values: dict[str, ValueType] = {}
        self._found_cycles: dict[str, list[str]] | None = None
        self._lock = RLock()

    def guard(self, text: str, *, graph: str = "", value: Mapping[str, Any] | None = None) -> Guard | list[Problem]:
        """Return a guard, or its problems. `value` is the schema of the variable `value`, for `validate`.

        A guard that uses a predicate with problems (`predicate_problems`) compiles, and never opens.
        """
        with self._lock:
            unit = self._unit(text, graph, None if value is None else self._value_shape(value))
            problems = unit.problems or self._not_boolean(unit) or self._misplaced(unit)
            return problems or self._program(unit)

    def template(self, text: str, *, graph: str = "", texts: bool = False) -> Template | list[Problem]:
        """Return a template, or its problems; their places are those in the whole template.

        With `texts` an expression that is a list or an object is a problem.
        """
        if "{{" not in text:
            return Template(text, (text,))
        parts = take_apart(text)
        if isinstance(parts, Problem):
            return [parts]
        problems: list[Problem] = []
        programs: list[str | Guard] = []
        with self._lock:
            for part in parts:
                if isinstance(part, str):
                    programs.append(part)
                    continue
                unit = self._unit(part.text, graph, None)
                found = unit.problems or (self._not_text(unit) if texts else []) or self._misplaced(unit)
                problems.extend(_moved(problem, text, part.offset) for problem in found)
                if not found:
                    programs.append(self._program(unit))
        return problems or Template(text, programs)

    def predicate_problems(self) -> dict[str, list[Problem]]:
        """The problems of each predicate that has any.

        A predicate may use the answers of any one graph: the root's, or the first graph that it fits.
        """
        with self._lock:
            found: dict[str, list[Problem]] = {}
            for name in self._predicates:
                problem = self._name_problem(name)
                found[name] = [problem] if problem else self._predicate_problems(name)
            reported: set[frozenset[str]] = set()
            for name in self._predicates:
                cycle = self._cycles().get(name, [])
                if not cycle or frozenset(cycle) in reported:
                    continue
                reported.add(frozenset(cycle))
                message = f"`{name}` is defined by itself: {' -> '.join(cycle)}"
                found[name].append(Problem("cycle", message, hint="let one of them do without the others"))
            return {name: problems for name, problems in found.items() if problems}

    def _name_problem(self, name: str) -> Problem | None:
        if not is_variable(name):
            message = f"`{name}` cannot be the name of a predicate"
            return Problem("reserved", message, hint="use letters, digits and _; no reserved word, no type")
        if name in self._channels or name in (VALUE, ACTIVE_PATH, MESSAGE):
            return Problem("reserved", f"`{name}` is already the name of a channel", hint="rename the predicate")
        return None

    def _predicate_problems(self, name: str) -> list[Problem]:
        first: list[Problem] | None = None
        for graph in sorted(self._graphs, key=lambda graph: graph != ""):
            unit = self._unit(self._predicates[name], graph, None)
            problems = unit.problems or self._not_boolean(unit)
            if not problems:
                return []
            first = first or problems
            if not all(problem.kind == "unknown_name" for problem in problems):
                break
        return first or []

    def _fits(self, name: str, graph: str) -> bool:
        unit = self._unit(self._predicates[name], graph, None)
        return not unit.problems and unit.result == "BOOL"

    def _unit(self, text: str, graph: str, value: ValueType | None) -> _Unit:
        graph = self._alike[graph]
        key = (graph, text, id(value))
        unit = self._units.get(key)
        if unit is None:
            names = self._names[graph]
            if value is not None:
                names = replace(names, value=value)
            unit = self._units[key] = self._examined(text, names)
        return unit

    def _examined(self, text: str, names: Names) -> _Unit:
        unit = _Unit(text, names)
        if len(text) > MAX_LENGTH:
            message = f"The expression has {len(text):,} characters; {MAX_LENGTH:,} are allowed"
            unit.problems = [
                Problem("too_long", message, hint="name parts of it under `predicates:` and use the names here")
            ]
        elif self._most > MOST_FIELDS:
            message = f"A scope of the flow has {self._most:,} answers; {MOST_FIELDS:,} are allowed"
            hint = "put parts of the flow into subgraphs that are called with `as`"
            unit.problems = [Problem("too_long", message, hint=hint)]
        elif not text.strip():
            unit.problems = [Problem("syntax", "The expression is empty", hint="write `true` for always")]
        else:
            self._check(unit)
        return unit

    def _check(self, unit: _Unit) -> None:
        text, names = unit.text, unit.names
        findings: tuple[Finding, ...] = ()
        try:
            try:
                unit.result, serialized = self._environments.check(text, names.graph, names.value)
                unit.tree = decode(serialized)
            except RejectedError as error:
                unit.tree = decode(self._environments.parse(text))
                findings = self._check_promoted(unit, unit.tree, error.findings)
        except RejectedError as unreadable:
            unit.problems = self._worded(unit, unreadable.findings)
            return
        unit.analysis = analyse(unit.tree, names)
        unit.problems = self._worded(unit, findings) if findings else []
        self._add_misuses(unit, findings)

    def _check_promoted(self, unit: _Unit, tree: Expr, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
        """Check the text again with integers read as doubles next to numbers. The findings have original places."""
        unit.promoted = integers_to_promote(tree, unit.names)
        if not unit.promoted:
            return findings
        text, shifts = promoted_text(unit.text, unit.promoted)
        try:
            unit.result, _ = self._environments.check(text, unit.names.graph, unit.names.value)
        except RejectedError as error:
            return tuple(unshifted(finding, shifts, text, unit.text) for finding in error.findings)
        return ()

    def _worded(self, unit: _Unit, findings: tuple[Finding, ...]) -> list[Problem]:
        # Imported late: a flow without errors does not need the messages.
        from graphwright.flow.guards._error_messages import ErrorMessages

        return ErrorMessages(unit.text, unit.names, self._environments.graph_of, self._nearest).problems(findings)

    def _nearest(self, name: str, candidates: Collection[str]) -> str:
        """The candidate most similar to a name. Empty after too many comparisons, which limits the time."""
        self._comparisons += len(candidates)
        near = nearest(name, candidates, most=1) if self._comparisons <= _MOST_COMPARISONS else []
        return near[0] if near else ""

    def _add_misuses(self, unit: _Unit, findings: tuple[Finding, ...]) -> None:
        taken = {(problem.line, problem.column) for problem in unit.problems}
        # If the checker reports a type of answers too, its message knows the operator and is more precise.
        scopes = [] if any(finding.speaks_of_answers for finding in findings) else unit.analysis.scopes
        for misuse in (*unit.analysis.misuses, *scopes):
            place = position(unit.text, misuse.offset)
            if place not in taken:
                unit.problems.append(Problem(misuse.kind, misuse.message, *place, hint=misuse.hint))
        for literal in unit.analysis.patterns:
            if literal.type == "string" and (complaint := _pattern_complaint(str(literal.value))):
                place = position(unit.text, literal.offset)
                message = f"{quote(str(literal.value))} is not a regular expression: {complaint}"
                hint = "a sign such as ( [ . + * ? stands for itself after two backslashes"
                unit.problems.append(Problem("regex", message, *place, hint=hint))
        unit.problems.sort(key=lambda problem: (problem.line, problem.column))

    def _not_boolean(self, unit: _Unit) -> list[Problem]:
        if unit.result == "BOOL":
            return []
        assert unit.tree is not None
        subject = unparse(unit.tree)
        message = f"a guard must come to true or false; `{subject}` is {_RESULTS.get(unit.result, 'another value')}"
        if unit.result == "DYN":
            hint = f"compare it: `{subject} == true`; or give it a schema"
        else:
            hint = f"compare it with a value: `{subject} == ...`"
        return [Problem("not_boolean", message[0].upper() + message[1:], hint=hint)]

    def _not_text(self, unit: _Unit) -> list[Problem]:
        if unit.result in _RESULTS or unit.result.startswith(("BOOL", "google.protobuf.")):
            return []
        assert unit.tree is not None
        message = f"`{unparse(unit.tree)}` is a list or an object, and this is a text"
        return [Problem("type", message, hint="name the part of it that is meant")]

    def _misplaced(self, unit: _Unit) -> list[Problem]:
        """Report predicates that are valid in some graph, but not in the graph of this text."""
        for name in self._closure(unit):
            if self._fits(name, unit.names.graph) or self._predicate_problems(name):
                continue
            why = self._unit(self._predicates[name], unit.names.graph, None).problems[0]
            offset = max(unit.text.find(name), 0)
            message = f"The predicate `{name}` cannot be used here: {why.message}"
            hint = "it speaks of answers of another part of the flow"
            return [Problem("predicate", message, *position(unit.text, offset), hint=hint)]
        return []

    def _closure(self, unit: _Unit) -> list[str]:
        """All predicates that a text needs, each after those that it needs itself."""
        if not unit.analysis.predicates:
            return []
        ordered: dict[str, None] = {}
        entered: set[str] = set()
        stack = [(name, False) for name in reversed(list(unit.analysis.predicates))]
        while stack:
            name, left = stack.pop()
            if left:
                ordered[name] = None
            elif name not in entered:
                entered.add(name)
                inner = self._unit(self._predicates[name], unit.names.graph, None).analysis.predicates
                stack.append((name, True))
                stack.extend((other, False) for other in inner)
        return list(ordered)

    def _program(self, unit: _Unit) -> Guard:
        if unit.program is None:
            graph = unit.names.graph
            predicates = {name: self._predicate(name, graph) for name in self._closure(unit)}
            assert unit.tree is not None
            unit.program = Guard(
                unit.text, unit.tree, unit.analysis, unit.names, unit.promoted, self._environments, predicates
            )
        return unit.program

    def _predicate(self, name: str, graph: str) -> Guard | None:
        """The program of a predicate, or None if it is broken or defined by itself."""
        key = (graph, name)
        if key not in self._programs:
            usable = self._fits(name, graph) and name not in self._cycles()
            unit = self._unit(self._predicates[name], graph, None)
            self._programs[key] = self._program(unit) if usable else None
        return self._programs[key]

    def _cycles(self) -> dict[str, list[str]]:
        """For each predicate that needs itself, the chain from it back to it."""
        if self._found_cycles is not None:
            return self._found_cycles
        first = next(iter(self._graphs))
        needs: dict[str, list[str]] = {}
        for name, text in self._predicates.items():
            named = self._name_problem(name) is None
            needs[name] = sorted(self._unit(text, first, None).analysis.predicates) if named else []
        self._found_cycles = {}
        for component in components(needs):
            if is_cyclic(component, needs):
                members = set(component)
                self._found_cycles |= {name: [*cycle_through(name, members, needs), name] for name in component}
        return self._found_cycles

    def _value_shape(self, schema: Mapping[str, Any]) -> ValueType:
        key = json.dumps(schema, sort_keys=True, default=str)
        if key not in self._values:
            self._values[key] = type_of_schema(schema)
        return self._values[key]


_RESULTS = {
    "STRING": "a text",
    "INT": "an integer",
    "UINT": "an integer",
    "DOUBLE": "a number",
    "DYN": "a value of unknown type",
    "NULL": "null",
    "TIMESTAMP": "a date",
}


def _moved(problem: Problem, text: str, offset: int) -> Problem:
    """Return a problem of a hole, with its place in the whole template."""
    line, column = position(text, offset)
    if problem.line == 1:
        column += problem.column - 1
    else:
        column = problem.column
    return Problem(problem.kind, problem.message, line + problem.line - 1, column, problem.hint)


@cache
def _matcher() -> Any:
    from cel_expr_python import cel

    return cel.NewEnv(variables={"pattern": cel.Type.STRING}).compile("''.matches(pattern)")


def _pattern_complaint(pattern: str) -> str:
    """The error in a regular expression; empty if there is none."""
    value = _matcher().eval(data={"pattern": pattern}).value()
    return "" if isinstance(value, bool) else str(value).rpartition("invalid regular expression: ")[2]
