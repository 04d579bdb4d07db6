"""Calculations in a text, such as "91 x 24 = 2,184": read, and computed again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice, product

from graphwright.text.numerals import Numeral

CONVERSIONS = frozenset({7, 10, 12, 24, 52, 60, 100, 168, 365, 1_000, 1_440, 3_600, 8_760, 86_400, 1_000_000})
"""Numbers that a calculation may multiply or divide by without a source: units of time, per cent, prefixes."""

_OPERATORS = {
    "+": "+",
    "-": "-",
    "−": "-",
    "–": "-",
    "*": "*",
    "×": "*",
    "·": "*",
    "x": "*",
    "÷": "/",
    "/": "/",
    ":": "/",
}
_UNIT = r"(?P<unit>[^\d=≈+*×·÷−–;!?\n()]{0,24}?)"
_CURRENCY = r"(?:[€$£¥]|[A-Z]{3}(?= ))?\s*"
_OPERATION = re.compile(
    rf"{_UNIT}(?P<close>(?:\s*\))*)(?:\s*(?P<tight>[+*×·÷/])|\s+(?P<apart>[-−–x:])(?=\s))\s*(?P<open>(?:\(\s*)*){_CURRENCY}"
)
_SIGNED = re.compile(rf"{_UNIT}(?P<close>(?:\s*\))*)\s*")
_EQUALS = re.compile(rf"{_UNIT}(?P<close>(?:\s*\))*)\s*[=≈]\s*[~≈]?\s*{_CURRENCY}")
_OPENING = re.compile(r"(?:\(\s*)*(?:[€$£¥]\s*|[A-Z]{3}\s)?$")
_RESULT_UNIT = re.compile(r"\s*([^\W\d_]{1,5}\b|[%°€$£¥])?")
_CLAUSE = re.compile(r"[.:;,(\[|\n=≈→]")
_REMARK = re.compile(r"(?<=[\d\w%€$£])[ ]?(\([^()=\n]{1,80}\))(?=\s*(?:[+*×·÷/=≈]|[-−–]\s))")
_MARKUP = re.compile(r"\*\*|__|\\times|\\cdot|\\div|\\(?:text|mathrm)\s*\{|\\[,;!]|[{}$`\\]")
_SHOWN_AS = {r"\times": "×", r"\cdot": "·", r"\div": "÷"}
_MOST_OPERANDS, _MOST_READINGS, _NEAR = 60, 64, 20
_PREFIXES = tuple(each**sign for each in (60.0, 24.0, 3_600.0, 1e3, 1e6) for sign in (1, -1))


@dataclass(frozen=True, slots=True)
class Equation:
    """Operands with operators between them, and the result in the text.

    `right`: the result is that of the calculation, as the text rounds it. `wrong`: it is not, and no other reading is
    possible: units are not mixed, the whole calculation was read, and the result is not that of operands before
    rounding. `steps` are the operands of a following calculation of the same value: 4092 and 8 of `(1023 + 3069) / 8 =
    4092 / 8 = 511.5`.
    """

    text: str
    operands: tuple[Numeral, ...]
    operators: str
    result: Numeral
    right: bool
    wrong: bool
    steps: tuple[Numeral, ...] = ()

    def is_factor(self, numeral: Numeral) -> bool:
        """Whether the calculation multiplies or divides by an operand, or multiplies it."""
        return bool(self.operators) and self._operator(numeral) in ("*", "/")

    def may_use(self, numeral: Numeral) -> bool:
        """Whether an operand needs no source: a conversion, or the number of terms of a mean."""
        if not self.is_factor(numeral):
            return False
        terms, is_last = self.operators.count("+") + 1, numeral == self.operands[-1]
        mean = self._operator(numeral) == "/" and is_last and terms > 1
        return any(value in CONVERSIONS or (mean and value == terms) for value in numeral.values)

    def _operator(self, numeral: Numeral) -> str:
        place = self.operands.index(numeral)
        return self.operators[max(place - 1, 0)]


def equations(text: str, written: Sequence[Numeral], rounds: Callable[[Numeral, float], bool]) -> Iterator[Equation]:
    """The calculations of a text; `rounds` returns whether a number of the text equals a value as it rounds it.

    `written` are the numbers of the text (see `plain_digits`) in their order, without those of dates.
    """
    plain = _MARKUP.sub(lambda match: _SHOWN_AS.get(match[0], " ").ljust(len(match[0])), text)
    remarks = [match.span(1) for match in _REMARK.finditer(plain)]
    # A remark in brackets about a term is not part of the calculation.
    written = [each for each in written if not any(begin <= each.start < end for begin, end in remarks)]
    plain = _REMARK.sub(lambda match: " " * len(match[0]), plain)
    before: _Chain | None = None
    for place in range(1, len(written)):
        gap = _EQUALS.fullmatch(plain, written[place - 1].end, written[place].start)
        chain = _Chain(plain, written, place, gap) if gap else None
        if chain and before and before.result == chain.first and (step := before.step(chain)):
            yield step
        if chain and (found := chain.equation(rounds)):
            yield found
        before = chain or before


class _Chain:
    """The operands and operators on the left of an equals sign."""

    def __init__(self, text: str, written: Sequence[Numeral], result: int, equals: re.Match[str]) -> None:
        self._text, self._written, self.result = text, written, result
        self.first = result - 1
        self._gaps = list[re.Match[str]]()
        self._units = [_unit(equals)]
        self._closed = equals["close"].count(")")
        while self.first > 0 and len(self._gaps) < _MOST_OPERANDS:
            before, numeral = written[self.first - 1], written[self.first]
            signed = numeral.text[0] in "+-−"
            gap = (_SIGNED if signed else _OPERATION).fullmatch(text, before.end, numeral.start)
            if gap is None or _is_glued(text, numeral.start):
                break
            self._gaps.insert(0, gap)
            self._units.append(_unit(gap))
            self.first -= 1

    def equation(self, rounds: Callable[[Numeral, float], bool]) -> Equation | None:
        result, values = self._written[self.result], self._values()
        if values is None:
            return None
        if len(self._operands) < 2:
            return self._conversion(result, rounds) if self._mixed else None
        scales = (1.0, *_PREFIXES) if self._mixed else (1.0,)
        right = any(rounds(result, value * scale) for value, _ in values for scale in scales)
        near = any(slack > 0 and _is_near(result, value, slack) for value, slack in values)
        wrong = bool(values) and not right and not near and not self._mixed and self._complete(self._begin)
        return self._equation(result, right, wrong)

    def _conversion(self, result: Numeral, rounds: Callable[[Numeral, float], bool]) -> Equation | None:
        """The same quantity in another unit, such as 400 mA = 0.4 A; None if no conversion gives the result."""
        scales = [scale for unit in CONVERSIONS for scale in (unit, 1 / unit)]
        right = any(rounds(result, value * scale) for value in _readings(self._operands[0]) for scale in scales)
        return self._equation(result, True, False) if right else None

    def step(self, other: _Chain) -> Equation | None:
        """The calculation with another one of the same value, which is written as its result; None if they differ."""
        pairs = product(self._values() or (), other._values() or ())
        if len(self._operands) < 2 or not any(
            abs(a - b) <= slack + more + 1e-9 * abs(a) for (a, slack), (b, more) in pairs
        ):
            return None
        return replace(self._equation(self._written[self.result], False, False), steps=tuple(other._operands))

    def _equation(self, result: Numeral, right: bool, wrong: bool) -> Equation:
        operands = self._operands
        begin = self._begin if self._tokens and self._tokens[0] == "(" else operands[0].start
        told = " ".join(self._text[begin : result.end].split())
        return Equation(told, tuple(operands), "".join(self._operators), result, right, wrong)

    @property
    def _operands(self) -> Sequence[Numeral]:
        return self._written[self.first : self.result]

    @cached_property
    def _opening_words(self) -> re.Match[str] | None:
        start = self._operands[0].start
        return _OPENING.search(self._text, max(0, start - 12), start)

    @property
    def _begin(self) -> int:
        return self._opening_words.start() if self._opening_words else self._operands[0].start

    def _values(self) -> list[tuple[float, float]] | None:
        """The possible values, each with its deviation if operands are rounded; None if it is not a calculation."""
        operands = self._operands
        if self._tokens is None or _is_glued(self._text, operands[0].start):
            return None
        value, found = _Value(self._tokens), list[tuple[float, float]]()
        for readings in islice(product(*(_readings(each) for each in operands)), _MOST_READINGS):
            if (computed := value.of(readings)) is not None:
                moved = (value.of(each) for each in _moved(readings, operands))
                found.append((computed, sum(abs((each or computed) - computed) for each in moved)))
        return found

    @property
    def _operators(self) -> list[str]:
        groups = (gap.groupdict() for gap in self._gaps)
        return [_OPERATORS[each.get("tight") or each.get("apart") or "+"] for each in groups]

    @property
    def _mixed(self) -> bool:
        """Whether the units leave open what is calculated.

        The result may be in another unit than the calculation, the operands may have several, or a percentage is added
        that may be one of the value before it.
        """
        units = {each for each in self._units if each not in ("", "%")}
        match = _RESULT_UNIT.match(self._text, self._written[self.result].end)
        own = match[1] if match else ""
        several = len(units) > 1 and bool(set(self._operators) & set("+-/"))
        return several or self._adds_percentage or bool(units and own and own not in units)

    @property
    def _adds_percentage(self) -> bool:
        added = zip(self._operators, self._operands[1:], strict=True)
        return any(operator in "+-" and operand.percent for operator, operand in added)

    def _complete(self, begin: int) -> bool:
        """Whether the calculation begins at its first operand and ends at the equals sign."""
        before = self._text[max(0, begin - _NEAR) : begin]
        of_function = self._text[begin : begin + 1] == "(" and before[-1:].isalnum()
        if of_function or before.rstrip()[-1:] in tuple("^√*/+-×·÷−–%"):
            return False
        near = max((match.end() for match in _CLAUSE.finditer(before)), default=0)
        if any(sign.isdigit() for sign in before[near:]):
            return False
        written, result = self._written, self.result
        if result + 1 == len(written):
            return True
        after = _OPERATION.fullmatch(self._text, written[result].end, written[result + 1].start)
        return after is None

    @cached_property
    def _tokens(self) -> list[str] | None:
        """Operators and parentheses, with `n` for each operand; None if the parentheses do not match."""
        tokens, depth = list[str](), 0
        for gap, operator in zip(self._gaps, self._operators, strict=True):
            closed, opening = gap["close"].count(")"), gap.groupdict().get("open", "").count("(")
            tokens += ["n", *")" * closed, operator, *"(" * opening]
            depth += opening - closed
        tokens += ["n", *")" * self._closed]
        missing, opened = self._closed - depth, self._opening_words[0].count("(") if self._opening_words else 0
        if missing < 0 or missing > opened:
            return None
        return [*"(" * missing, *tokens]


class _Value:
    """The value of a calculation for given operands."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self._tokens = tokens
        self._at, self._operands = 0, iter(list[float]())

    def of(self, operands: Sequence[float]) -> float | None:
        """Compute the value; None for a division by zero, and for parentheses that do not match."""
        self._at, self._operands = 0, iter(operands)
        try:
            value = self._sum()
        except (ZeroDivisionError, OverflowError, IndexError):
            return None
        return value if self._at == len(self._tokens) else None

    def _sum(self) -> float:
        value = self._product()
        while (operator := self._next("+-")) is not None:
            other = self._product()
            value += other if operator == "+" else -other
        return value

    def _product(self) -> float:
        value = self._operand()
        while (operator := self._next("*/")) is not None:
            other = self._operand()
            value = value * other if operator == "*" else value / other
        return value

    def _operand(self) -> float:
        if self._next("(") is None:
            self._at += 1
            return next(self._operands)
        value = self._sum()
        if self._next(")") is None:
            raise IndexError
        return value

    def _next(self, wanted: str) -> str | None:
        token = self._tokens[self._at] if self._at < len(self._tokens) else ""
        if not token or token not in wanted:
            return None
        self._at += 1
        return token


def _unit(gap: re.Match[str]) -> str:
    return " ".join(gap["unit"].split())


def _is_glued(text: str, start: int) -> bool:
    """Whether a number is the end of a name, such as Q3."""
    return start > 0 and (text[start - 1].isalpha() or text[start - 1] == "_")


def _readings(numeral: Numeral) -> list[float]:
    return [*([value / 100 for value in numeral.values] if numeral.percent else []), *numeral.values]


def _moved(readings: Sequence[float], operands: Sequence[Numeral]) -> Iterator[list[float]]:
    """The operands, with one of those with decimals changed by half its last digit."""
    for place, numeral in enumerate(operands):
        if numeral.step < 1:
            share = 0.01 if numeral.percent and readings[place] not in numeral.values else 1.0
            yield [*readings[:place], readings[place] + numeral.step * share / 2, *readings[place + 1 :]]


def _is_near(result: Numeral, computed: float, slack: float) -> bool:
    """Whether the operands may be rounded values whose calculation gives the result."""
    scales = (1.0, 0.01) if result.percent else (1.0,)
    return any(
        abs(value * scale - computed) <= slack + step * scale / 2
        for value, step in result.values.items()
        for scale in scales
    )
