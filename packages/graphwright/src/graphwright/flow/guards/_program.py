"""Evaluation: binds the names that an expression reads, evaluates it, and explains why it is not true."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, time
from fractions import Fraction
from functools import cached_property
from threading import RLock
from typing import Any

from graphwright.flow.guards.__dates import DATE_FUNCTIONS, clock_reading, zone_of
from graphwright.flow.guards._analysis import Analysis, Names, Path, analyse
from graphwright.flow.guards._environments import Environments
from graphwright.flow.guards._numeric_promotion import promoted_text
from graphwright.flow.guards._syntax_tree import Call, Expr, Has, Name, parts_of, path_of, show, unparse, walk
from graphwright.flow.guards._value_types import MOMENT, UnfitValueError, converter
from graphwright.flow.guards._vocabulary import ACTIVE_PATH, ANSWERS, MESSAGE


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of an evaluation.

    `value` is meaningful only if `error` is empty. `missing` names what the expression needs and no one has said yet
    (`answers.venue`); then `error` says so too, and the expression does not open anything.
    """

    value: Any
    error: str = ""
    missing: tuple[str, ...] = ()

    @property
    def opens(self) -> bool:
        """True only for the value true: not for an error, a missing name or another type."""
        return not self.error and self.value is True

    @property
    def closes(self) -> bool:
        """True only for the value false. An expression that cannot be evaluated neither opens nor closes."""
        return not self.error and self.value is False


Converter = Callable[[Any], Any]

_TRUE, _FALSE = Verdict(True), Verdict(False)
_ABSENT = object()
_EMPTY: Mapping[str, Any] = {}
_NOTHING: frozenset[str] = frozenset()
_ALWAYS = {ACTIVE_PATH: "", MESSAGE: ""}
_COMPILING = RLock()
_FLIPPED = {"<=": ">=", "<": ">", ">=": "<=", ">": "<", "==": "==", "in": ""}
_LINEAR: Mapping[str, Callable[[Fraction, bool], tuple[Fraction, Fraction]]] = {
    "+": lambda constant, first: (Fraction(1), constant),
    "-": lambda constant, first: (Fraction(1), -constant) if first else (Fraction(-1), constant),
    "*": lambda constant, first: (constant, Fraction(0)),
    "/": lambda constant, first: (1 / constant, Fraction(0)),
}
"""The factor and the summand of an operator and a constant, for a number that is its first or second operand."""
_NEAR = 1e-9
"""The relative distance at which a limit is tried from both sides."""


@dataclass(slots=True)
class Bounds:
    """The values that `subject`, a dotted name, must have for an expression to be true over `values`.

    `found` are pairs of a sign, one of `<= < >= > == in`, and the value after it. `others` are the names on which it
    depends otherwise. `exact` is False if there are conditions that `found` does not state.
    """

    subject: str
    values: Mapping[str, Any]
    whole: bool
    found: list[tuple[str, Any]] = field(default_factory=list)
    others: set[str] = field(default_factory=set)
    exact: bool = True
    predicates: set[str] = field(default_factory=set)
    """The predicates whose conditions are already included."""


class Guard:
    """A compiled expression. Any number of threads may evaluate it.

    `text` is what the author wrote, `tree` its syntax tree. `reads` are the names it reads (`answers.venue`,
    `answers.led.wattage`, or a channel's name), including those of its `predicates`. The program of the library is
    built at the first evaluation.
    """

    def __init__(
        self,
        text: str,
        tree: Expr,
        analysis: Analysis,
        names: Names,
        promoted: frozenset[int],
        environments: Environments,
        predicates: Mapping[str, Guard | None],
    ) -> None:
        """`predicates` are all that it reads, directly or not, each after those it needs; None for a broken one.

        `promoted` are the offsets of the integers in `text` that must be read as doubles.
        """
        self.text = text
        self.tree = tree
        self._analysis = analysis
        self._names = names
        self._promoted = promoted
        self._environments = environments
        self.predicates = predicates
        self._expression: Any = None
        self._dated = False
        self._parts: dict[int, Guard] = {}
        self._channels: tuple[tuple[str, Converter | None, Any], ...] = ()
        self._answers: tuple[tuple[str, Converter | None], ...] = ()
        self._scoped: tuple[tuple[Path, Converter | None], ...] = ()
        self.reads = frozenset(
            ".".join(path)
            for program in (self, *predicates.values())
            if program is not None
            for path in program._analysis.reads
        )

        split = ((name, *name.split(".")) for name in sorted(self.reads))
        self.read_paths = tuple((name, head, tuple(rest)) for name, head, *rest in split)
        """The names in `reads`, sorted: each with its first part and the other parts."""

    @cached_property
    def needs(self) -> frozenset[str]:
        """The names in `reads` that must have a value for its evaluation: `has(answers.x)` needs none."""
        return frozenset(
            ".".join(path)
            for program in (self, *self.predicates.values())
            if program is not None
            for needed in program._analysis.needs
            for path in (needed[:depth] for depth in range(1, len(needed) + 1))
            if path in program._analysis.reads
        )

    @property
    def trees(self) -> tuple[Expr, ...]:
        """Its syntax tree, and those of the predicates it needs, without broken ones."""
        return (self.tree, *(program.tree for program in self.predicates.values() if program is not None))

    def evaluate(self, values: Mapping[str, Any]) -> Verdict:
        """Evaluate over `{"answers": {...}, CHANNEL: ..., "value": ...}`. No content of the values makes it raise."""
        try:
            value = self._run(values)
            if value is True:
                return _TRUE
            if value is False:
                return _FALSE
            return Verdict(value)
        except _FailedError as failure:
            return self._failure(values, str(failure))
        # If the library fails to convert a value, the edge is closed and the flow does not crash.
        except Exception as error:
            return self._failure(values, _plain(str(error)))

    def _run(self, values: Mapping[str, Any]) -> Any:
        if self._expression is None:
            self._compile()
        data = self._bind(values)
        if self._dated:
            with zone_of(values):
                return self._evaluated(values, data)
        return self._evaluated(values, data)

    def _evaluated(self, values: Mapping[str, Any], data: dict[str, Any]) -> Any:
        if self.predicates:
            for name, program in self.predicates.items():
                # A predicate that cannot be evaluated stays unbound, and is an error only if its value is needed.
                if program is not None and (value := program._outcome(values, data)) is not None:
                    data[name] = value
        result = self._expression.eval(data=data)
        value = result.value()
        if value is True or value is False:
            return value
        return _result(result, value)

    def _outcome(self, values: Mapping[str, Any], results: Mapping[str, Any]) -> bool | None:
        """The result of a predicate, given the results of the predicates before it; None if it cannot be evaluated."""
        if self._expression is None:
            self._compile()
        try:
            data = self._bind(values)
            for name in self._analysis.predicates:
                if name in results:
                    data[name] = results[name]
            value = self._expression.eval(data=data).value()
        except Exception:
            return None
        return value if value is True or value is False else None

    def _bind(self, values: Mapping[str, Any]) -> dict[str, Any]:
        data: dict[str, Any] = {}
        for name, convert, default in self._channels:
            value = values.get(name, default)
            if value is not _ABSENT:
                data[name] = value if convert is None else _converted(convert, value, name)
        if self._answers or self._scoped:
            answers = values.get(ANSWERS) or _EMPTY
            bound: dict[str, Any] = {}
            data[ANSWERS] = bound
            for key, convert in self._answers:
                value = answers.get(key, _ABSENT)
                if value is not _ABSENT:
                    bound[key] = value if convert is None else _converted(convert, value, f"{ANSWERS}.{key}")
            for path, convert in self._scoped:
                self._bind_scoped(answers, bound, path, convert)
        return data

    def _bind_scoped(self, answers: Any, bound: dict[str, Any], path: Path, convert: Converter | None) -> None:
        # The scope itself always exists, so that `!has(answers.led.wattage)` is true before the call.
        for step in path[:-1]:
            bound = bound.setdefault(step, {})
            answers = answers.get(step, _EMPTY) if isinstance(answers, Mapping) else _EMPTY
        value = answers.get(path[-1], _ABSENT) if isinstance(answers, Mapping) else _ABSENT
        if value is not _ABSENT:
            name = ".".join((ANSWERS, *path))
            bound[path[-1]] = value if convert is None else _converted(convert, value, name)

    def _compile(self) -> None:
        with _COMPILING:
            channels, answers, scoped = [], [], []
            for path in self._analysis.reads:
                shape = self._names.variable(path[0])
                for step in path[1:]:
                    shape = self._names.part(shape, step)
                convert = None if shape is None else clock_reading if shape is MOMENT else converter(shape)
                if path[0] != ANSWERS:
                    channels.append((path[0], convert, _ALWAYS.get(path[0], _ABSENT)))
                elif len(path) == 2:
                    answers.append((path[1], convert))
                else:
                    scoped.append((path[1:], convert))
            self._channels, self._answers, self._scoped = tuple(channels), tuple(answers), tuple(scoped)
            calls = (part.function for tree in self.trees for part in walk(tree) if isinstance(part, Call))
            self._dated = not DATE_FUNCTIONS.isdisjoint(calls)
            text = promoted_text(self.text, self._promoted)[0] if self._promoted else self.text
            # Set last: other threads use it as the sign that the guard is complete.
            self._expression = self._environments.program(text)

    def _failure(self, values: Mapping[str, Any], error: str) -> Verdict:
        missing = tuple(
            dict.fromkeys(
                ".".join(path)
                for program in (self, *self.predicates.values())
                if program is not None
                for path in program._analysis.needs
                if _is_absent(values, path)
            )
        )
        if missing:
            verb = "has" if len(missing) == 1 else "have"
            return Verdict(None, f"{' and '.join(missing)} {verb} no value yet", missing)
        broken = next((name for name, program in self.predicates.items() if program is None), "")
        if broken:
            return Verdict(None, f"the predicate `{broken}` does not compile")
        seen = self._read_values(values)
        return Verdict(None, f"{error} ({seen})" if seen else error)

    def outcome(self, values: Mapping[str, Any], unknown: Collection[str]) -> bool | None:
        """Whether it is true for any values of the `unknown` names; None if that depends on them, or on an error."""
        return self._decided(self.tree, values, unknown, {})

    def _decided(
        self, expr: Expr, values: Mapping[str, Any], unknown: Collection[str], known: dict[str, bool | None]
    ) -> bool | None:
        """`known` are the outcomes of predicates, which may be used several times by others."""
        match expr:
            case Call(function="!"):
                inner = self._decided(expr.args[0], values, unknown, known)
                return None if inner is None else not inner
            case Call(function="&&" | "||"):
                parts = [self._decided(term, values, unknown, known) for term in expr.args]
                decisive = expr.function == "||"
                return decisive if decisive in parts else None if None in parts else not decisive
            case Name() if (program := self.predicates.get(expr.name)) is not None:
                if expr.name not in known:
                    known[expr.name] = program._decided(program.tree, values, unknown, known)
                return known[expr.name]
        part = self._part(expr)
        if not part.reads.isdisjoint(unknown):
            return None
        verdict = part.evaluate(values)
        return True if verdict.opens else False if verdict.closes else None

    def deciding_reads(self, values: Mapping[str, Any], wanted: bool = False) -> frozenset[str]:
        """Return the names read by the parts that make it `wanted`; empty if it is not, or cannot be evaluated."""
        verdict = self.evaluate(values)
        if verdict.error or verdict.value is not wanted:
            return _NOTHING
        return self._deciding(self.tree, wanted, values, {})

    def _deciding(
        self, expr: Expr, wanted: bool, values: Mapping[str, Any], known: dict[tuple[str, bool], frozenset[str]]
    ) -> frozenset[str]:
        def part(term: Expr, wanted: bool) -> frozenset[str]:
            verdict = self._part(term).evaluate(values)
            if verdict.error or verdict.value is not wanted:
                return _NOTHING
            return self._part(term)._deciding(term, wanted, values, known)

        match expr:
            case Call(function="!"):
                return self._deciding(expr.args[0], not wanted, values, known)
            case Call(function="&&" | "||" as sign):
                return _NOTHING.union(*(part(term, wanted) for term in parts_of(expr, sign)))
            case Call(function="?:", args=(condition, yes, no)):
                chosen = self._part(condition).evaluate(values).opens
                return part(yes if chosen else no, wanted) | part(condition, chosen)
            case Name() if (program := self.predicates.get(expr.name)) is not None:
                key = (expr.name, wanted)
                if key not in known:
                    known[key] = program._deciding(program.tree, wanted, values, known)
                return known[key]
        return self.reads if expr is self.tree else self._part(expr).reads

    def bounds(self, subject: Path, values: Mapping[str, Any], *, whole: bool = False) -> Bounds:
        """Return what `subject`, a `whole` number or any value, must be for it to be true over `values`."""
        bounds = Bounds(".".join(subject), values, whole)
        self._add_bounds(self.tree, bounds)
        bounds.others.discard(bounds.subject)
        return bounds

    def _add_bounds(self, expr: Expr, bounds: Bounds) -> None:
        subject, values = bounds.subject, bounds.values
        if self._decided(expr, values, {subject}, {}):
            return None
        alternatives = [
            term for term in parts_of(expr, "||") if self._decided(term, values, {subject}, {}) is not False
        ]
        match expr:
            case Call(function="&&"):
                for term in expr.args:
                    self._add_bounds(term, bounds)
                return None
            case Call(function="||") if len(alternatives) == 1:
                return self._add_bounds(alternatives[0], bounds)
            case Call(function="?:", args=(condition, yes, no)) if subject not in self._part(condition).reads:
                verdict = self._part(condition).evaluate(values)
                if verdict.opens or verdict.closes:
                    return self._add_bounds(yes if verdict.opens else no, bounds)
            case Name() if (program := self.predicates.get(expr.name)) is not None:
                if expr.name in bounds.predicates:
                    return None
                bounds.predicates.add(expr.name)
                return program._add_bounds(program.tree, bounds)
            case Call(function=sign) if sign in _FLIPPED:
                if (bound := self._bound(expr, bounds)) is not None:
                    bounds.found.append(bound)
                    return None
        bounds.exact = False
        bounds.others |= self._part(expr).reads
        return None

    def _bound(self, comparison: Call, bounds: Bounds) -> tuple[str, Any] | None:
        """The sign and limit of a comparison of the subject with a value, or None if the comparison has another form.

        The subject may be an operand of sums, products and conversions of numbers.
        """
        (left, right), sign, subject = comparison.args, comparison.function, bounds.subject
        if sign != "in" and subject in self._part(right).reads:
            left, right, sign = right, left, _FLIPPED[sign]
        if subject in self._part(right).reads:
            return None
        limit = self._part(right).evaluate(bounds.values)
        if limit.error:
            return None
        if ".".join(path_of(left) or ()) == subject:
            return sign, limit.value
        if isinstance(limit.value, datetime):
            return _date_bound(left, sign, limit.value, subject)
        edge = _fraction(limit.value) if sign not in ("in", "==") else None
        solved = None if edge is None else self._solved(left, sign, edge, bounds)
        return None if solved is None else self._tried(comparison, *solved, bounds)

    def _solved(self, expr: Expr, sign: str, edge: Fraction, bounds: Bounds) -> tuple[str, Fraction] | None:
        """Solve `expr SIGN edge` for the subject, as if numbers were exact; None if `expr` is not linear."""
        while ".".join(path_of(expr) or ()) != bounds.subject:
            match expr:
                case Call(function="double" | "int", args=(inner,)):
                    expr = inner
                    continue
                case Call(function="neg", args=(inner,)):
                    factor, added = Fraction(-1), Fraction(0)
                case Call(function="+" | "-" | "*" | "/" as operator, args=(left, right)):
                    first = bounds.subject in self._part(left).reads
                    inner, other = (left, right) if first else (right, left)
                    constant = self._constant(other, bounds)
                    if constant is None or (operator == "/" and not (first and constant)):
                        return None
                    factor, added = _LINEAR[operator](constant, first)
                case _:
                    return None
            if not factor:
                return None
            expr, edge = inner, (edge - added) / factor
            sign = sign if factor > 0 else _FLIPPED[sign]
        return sign, edge

    def _constant(self, expr: Expr, bounds: Bounds) -> Fraction | None:
        """Return the constant number of a part; None if it depends on the subject or is not a number."""
        part = self._part(expr)
        verdict = part.evaluate(bounds.values) if bounds.subject not in part.reads else None
        return _fraction(verdict.value) if verdict is not None and not verdict.error else None

    def _tried(self, comparison: Call, sign: str, edge: Fraction, bounds: Bounds) -> tuple[str, Any] | None:
        """The bound at an edge, if the comparison does turn there: numbers are rounded, and quotients cut off."""
        part, outwards = self._part(comparison), 1 if sign in ("<", "<=") else -1

        def holds(value: float) -> bool:
            return part.evaluate(_replaced(bounds.values, bounds.subject.split("."), value)).opens

        if bounds.whole:
            last = math.floor(edge) if outwards == 1 else math.ceil(edge)
            last -= outwards * (len(sign) == 1 and edge == last)
            return (f"{sign[0]}=", last) if holds(last) and not holds(last + outwards) else None
        value = float(edge)
        step = outwards * max(abs(value), 1.0) * _NEAR
        if not holds(value - step) or holds(value + step):
            return None
        return (f"{sign[0]}=" if holds(value) else sign[0]), value

    def explain(self, values: Mapping[str, Any]) -> str:
        """Explain why it is not true: the smallest false part, with the values it read. Empty if it is true."""
        if self.evaluate(values).opens:
            return ""
        try:
            return "; ".join(dict.fromkeys(self._reasons(self.tree, True, values)))
        # Predicates may nest hundreds of levels deep. At the recursion limit the explanation has no details.
        except RecursionError:
            return f"{self.text} is not true"

    def _reasons(self, expr: Expr, wanted: bool, values: Mapping[str, Any]) -> list[str]:
        """Explain why `expr` is not `wanted`."""
        match expr:
            case Call(function="!"):
                return self._reasons(expr.args[0], not wanted, values)
            case Call(function="&&" | "||"):
                return self._joined(expr, wanted, values)
            case Call(function="?:"):
                test = self._part(expr.args[0]).evaluate(values)
                if test.error:
                    return self._reasons(expr.args[0], True, values)
                return self._reasons(expr.args[1 if test.opens else 2], wanted, values)
            case Name() if self.predicates.get(expr.name) is not None and not wanted:
                return [f"{expr.name} is true"]
            case Name() if (program := self.predicates.get(expr.name)) is not None:
                return [f"{expr.name} is not true: {program.explain(values)}"]
            case _:
                return [self._leaf(expr, values)]

    def _joined(self, expr: Call, wanted: bool, values: Mapping[str, Any]) -> list[str]:
        terms = list(parts_of(expr, expr.function))
        verdicts = [(term, self._part(term).evaluate(values)) for term in terms]
        wrong = [term for term, verdict in verdicts if not verdict.error and verdict.value is not wanted]
        if not wrong:
            wrong = [term for term, verdict in verdicts if verdict.error]
        if (expr.function == "&&") != wanted:
            wrong = terms
        return [reason for term in wrong for reason in self._reasons(term, wanted, values)]

    def _leaf(self, expr: Expr, values: Mapping[str, Any]) -> str:
        part = self._part(expr)
        verdict = part.evaluate(values)
        if verdict.missing:
            return verdict.error
        text = unparse(expr)
        if verdict.error:
            return f"{text} cannot be evaluated: {verdict.error}"
        if isinstance(expr, Has) and not verdict.opens:
            path = ".".join((*(path_of(expr.operand) or (unparse(expr.operand),)), expr.name))
            return f"{path} has no value yet"
        seen = part._read_values(values)
        said = f"{text} is {show(verdict.value)}"
        return f"{said}: {seen}" if seen and path_of(expr) is None else said

    def _part(self, expr: Expr) -> Guard:
        """A part of this expression as a separate program."""
        if id(expr) not in self._parts:
            analysis = analyse(expr, self._names)
            predicates = self.predicates if analysis.predicates else {}
            text = unparse(expr, self._promoted)
            self._parts[id(expr)] = Guard(
                text, expr, analysis, self._names, frozenset(), self._environments, predicates
            )
        return self._parts[id(expr)]

    def _read_values(self, values: Mapping[str, Any]) -> str:
        """The values of the names it reads itself."""
        shown = []
        for path in self._analysis.reads:
            value = _at(values, path)
            if value is not _ABSENT:
                shown.append(f"{'.'.join(path)} is {show(value)}")
        return ", ".join(shown)


class _FailedError(Exception):
    """An evaluation that ended with an error; its text is for people."""


def _result(result: Any, value: Any) -> Any:
    from cel_expr_python import cel

    if result.type() == cel.Type.ERROR or result.type() == cel.Type.UNKNOWN:
        raise _FailedError(_plain(str(value)))
    return value


def _converted(convert: Converter, value: Any, name: str) -> Any:
    try:
        return convert(value)
    except UnfitValueError as error:
        raise _FailedError(f"{name} {error}") from None


def _at(values: Any, path: Iterable[str]) -> Any:
    for step in path:
        if not isinstance(values, Mapping) or step not in values:
            return _ABSENT
        values = values[step]
    return values


def _is_absent(values: Mapping[str, Any], path: Path) -> bool:
    """Whether the path has no value, and no null or scalar is in its way."""
    current: Any = values
    for step in path:
        if not isinstance(current, Mapping):
            return False
        if step not in current:
            return path[0] not in _ALWAYS
        current = current[step]
    return False


def _fraction(value: Any) -> Fraction | None:
    """A number as people write it, 0.1 as a tenth; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return Fraction(str(value))


def _date_bound(dated: Expr, sign: str, limit: datetime, subject: str) -> tuple[str, Any] | None:
    """The bound of a text that is read as a date; None if it is computed further."""
    match dated:
        case Call(function="date", args=(inner,)) if sign != "in" and ".".join(path_of(inner) or ()) == subject:
            if limit.time() != time():
                # A date is the midnight at its beginning.
                sign = {">=": ">", "<": "<="}.get(sign, sign)
            return sign, f"{limit:%Y-%m-%d}"
    return None


def _replaced(values: Mapping[str, Any], path: Sequence[str], value: Any) -> Mapping[str, Any]:
    """The values with another one at a path."""
    first, *rest = path
    below = values.get(first)
    return {**values, first: _replaced(below if isinstance(below, Mapping) else {}, rest, value) if rest else value}


_PLAIN = (
    (re.compile(r"^\w+: (.* (?:is not a date such|outside the years|is not a part of a date format).*)$"), r"\1"),
    (re.compile(r"divide by zero|modulus by zero"), "division by zero"),
    (re.compile(r"integer overflow|overflow"), "a result beyond 64 bits"),
    (re.compile(r"Index error: index=(-?\d+) size=(\d+)"), r"there is no element \1 in a list of \2"),
    (re.compile(r'Key not found in map : "?(.*?)"?$'), r"there is no `\1`"),
    (re.compile(r"Iteration budget exceeded"), "its loops take more than 10,000 steps"),
    (re.compile(r"No matching overload"), "these values do not go together"),
    (re.compile(r"SELECT to non-message"), "the value has no properties"),
    (re.compile(r"invalid regular expression: (.*)"), r"a pattern is not a regular expression: \1"),
    (re.compile(r"out of range for"), "an integer beyond 64 bits"),
)


def _plain(said: str) -> str:
    """Return an error of the CEL library in our words."""
    for pattern, words in _PLAIN:
        found = pattern.search(said)
        if found:
            return found.expand(words)
    return "it cannot be evaluated with these values"
