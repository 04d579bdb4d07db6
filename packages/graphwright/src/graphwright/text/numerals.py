"""Numbers in a text, with every reading that the usual number formats allow.

"1,500" is 1500 in English and 1.5 in German; "12 650 3480", a row of a table, is 12, 650 and 3480 or 12650 and 3480.
No format is guessed: a number has all its readings, and a run of digit groups can be cut into numbers in several ways.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

__all__ = ["numerals"]

LONGEST = 2_000_000
"""The maximum length of a text that is read, in characters."""

_RUN = re.compile(
    r"(?<![\w.,])(?P<sign>[-−+]?)(?P<body>\.?\d+(?:[.,'’_ ]\d+)*)(?P<power>[eE][-+]?\d{1,3}(?!\w|\.\d))?"
    r"|(?P<glued_sign>[-−+]?)(?P<glued>\d+(?:[.,]\d+)*)"
)
_GROUP = re.compile(r"\d+")
_SEPARATOR = re.compile(r"(?<=\d)\D")
_LAST_GROUP = re.compile(r"\d{3}([.,]\d+)?")
_DECIMAL, _SPACE = ".,", " "
_MOST_JOINED, _MOST_DIGITS = 8, 300

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_POWER_OF_TEN = re.compile(r"10(?:([⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3})|\s?\^\s?\{?([-−+]?\d{1,3})\}?)")
_TIMES_POWER = re.compile(rf"(?<=\d)\s?(?:\\times|\\cdot|[×·x*])\s?{_POWER_OF_TEN.pattern}")
_RAISED = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻₀-₉]")
_FRACTION = re.compile(r"(\d?)([¼-¾⅐-⅞])")


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number in a text.

    `values` maps each possible value to the unit of its last digit. `text` is the number as written, `start` its
    position in `plain_digits` of the text.
    """

    text: str
    values: Mapping[float, float]
    percent: bool
    start: int

    @property
    def end(self) -> int:
        """The position after its last character."""
        return self.start + len(self.text)

    @property
    def step(self) -> float:
        """The unit of its last digit in the finest reading."""
        return min(self.values.values())


@dataclass(frozen=True, slots=True)
class Run:
    """Groups of digits with single separators between them: one number or several.

    `starting` lists for each group the numbers that may begin with it, the likeliest first, each with the index of the
    group after it.
    """

    starting: Sequence[Sequence[tuple[int, Numeral]]]

    def cut(self, fits: Callable[[Numeral], bool]) -> list[Numeral]:
        """Cut the run into numbers of which as few as possible do not fit; of equal cuts return the likeliest."""
        best: list[tuple[int, Numeral | None, int]] = [(0, None, 0)] * (len(self.starting) + 1)
        for group in range(len(self.starting) - 1, -1, -1):
            ways = [(best[after][0] + (not fits(each)), each, after) for after, each in self.starting[group]]
            # No number begins with a group whose digits exceed every number.
            best[group] = min(ways, key=lambda way: way[0], default=(len(self.starting) + 1, None, group + 1))
        found, group = list[Numeral](), 0
        while group < len(self.starting):
            _, each, group = best[group]
            found += [each] if each else []
        return found


def plain_digits(text: str) -> str:
    """Return the text in NFKC, with powers of ten written as `e6` and fractions as decimals.

    >>> plain_digits("1.2×10⁶ m³, 2½ h")
    '1.2e6 m, 2.5 h'
    """
    shown = text[:LONGEST].replace("{,}", ",")
    if not shown.isascii():
        shown = _FRACTION.sub(_as_decimal, shown)
    shown = _TIMES_POWER.sub(lambda match: f"e{_exponent(match)}", shown)
    shown = _POWER_OF_TEN.sub(lambda match: f"1e{_exponent(match)}", shown)
    return unicodedata.normalize("NFKC", _RAISED.sub("", shown))


def runs(text: str) -> Iterator[Run]:
    """Yield the runs of digits of a text in their order."""
    shown = plain_digits(text)
    for match in _RUN.finditer(shown):
        if starting := _starting(match, shown):
            yield Run(starting)


def numerals(text: str) -> Iterator[Numeral]:
    """Yield the numbers of a text in their order, each run of digit groups cut in the likeliest way.

    >>> [sorted(n.values) for n in numerals("1,500 or 2.5 %")]
    [[1.5, 1500.0], [2.5]]
    >>> [n.text for n in numerals("2 3,480.00 6,960.00")]
    ['2', '3,480.00', '6,960.00']
    """
    for run in runs(text):
        yield from run.cut(lambda _: True)


def numbers_in(text: str) -> set[float]:
    """Return all values that the numbers of a text may have.

    >>> sorted(numbers_in("12 650 3480"))
    [12.0, 650.0, 3480.0, 12650.0]
    """
    return {value for run in runs(text) for ways in run.starting for _, each in ways for value in each.values}


def is_number(written: str) -> bool:
    """Return whether digits and separators are one number in some format: a version or a dotted date is not."""
    return bool(_values(written))


def _starting(match: re.Match[str], shown: str) -> list[list[tuple[int, Numeral]]]:
    glued = match["glued"] is not None
    sign, body, offset = (
        (match["glued_sign"], match["glued"], match.start("glued"))
        if glued
        else (match["sign"], match["body"], match.start("body"))
    )
    tokens = body.split(_SPACE)
    places, parts, first = list[int](), list[list[str]](), list[int]()
    for token in tokens:
        first.append(first[-1] + len(parts[-1]) if parts else 0)
        places.append(offset)
        parts.append(_parts(token, shown, offset))
        offset += len(token) + 1

    def numeral(begin: int, end: int, written: str, power: str) -> list[Numeral]:
        signed = sign if begin == places[0] else ""
        values = _values(written, power)
        if signed in ("-", "−"):
            values = {-value: step for value, step in values.items()}
        end += len(power)
        percent = shown[end : end + 2].lstrip().startswith("%")
        return [Numeral(shown[begin - len(signed) : end], values, percent, begin - len(signed))] if values else []

    found: list[list[tuple[int, Numeral]]] = []
    for at, token in enumerate(tokens):
        power = (match["power"] or "") if at == len(tokens) - 1 else ""
        end = places[at] + len(token)
        if len(parts[at]) == 1:
            ways = [(first[at] + 1, each) for each in numeral(places[at], end, token, power)]
            for last in _joined(tokens, at):
                written = _SPACE.join(tokens[at : last + 1])
                power = (match["power"] or "") if last == len(tokens) - 1 else ""
                after = first[last] + 1
                ways += [(after, each) for each in numeral(places[at], places[at] + len(written), written, power)]
            found.append(ways[::-1])
            continue
        starts = [group.span() for group in _GROUP.finditer(token)]
        for group, (begin, _) in enumerate(starts):
            ends = starts[group : group + _MOST_JOINED]
            found.append(
                [
                    (first[at] + after, each)
                    for after, (_, stop) in enumerate(ends, group + 1)
                    for each in numeral(places[at] + begin, places[at] + stop, token[begin:stop], "")
                ]
            )
    return found if any(found) else []


def _parts(token: str, shown: str, begin: int) -> list[str]:
    """Split a token into the digit groups at which it may be cut: if it is not a number, or part of a record."""
    if token.isdecimal():
        return [token]
    before, after = shown[begin - 1 : begin], shown[begin + len(token) : begin + len(token) + 2]
    record = "," in token and (
        before in (",", "[") or (after[:1] == "," and not after[1:].isspace() and len(after) > 1)
    )
    return _GROUP.findall(token) if record or not _values(token) else [token]


def _joined(tokens: Sequence[str], first: int) -> Iterator[int]:
    """Yield the last tokens of the numbers that begin at a token and have spaces between their thousands."""
    if not (tokens[first].isdecimal() and len(tokens[first]) <= 3 and tokens[first][0] != "0"):
        return
    for last in range(first + 1, min(len(tokens), first + _MOST_JOINED)):
        group = _LAST_GROUP.fullmatch(tokens[last])
        if group is None:
            return
        yield last
        if group[1]:
            return


@lru_cache(maxsize=10_000)
def _values(written: str, power: str = "") -> Mapping[float, float]:
    """Return the values that digits and separators may have as one number, each with the unit of its last digit."""
    digits, separators = _GROUP.findall(written), _SEPARATOR.findall(written)
    if sum(map(len, digits)) > _MOST_DIGITS:
        return {}
    exponent, forms = int(power[1:] or 0), list[tuple[str, str]]()
    if written.startswith("."):
        forms += [("0", digits[0])] if len(digits) == 1 else []
    elif _is_grouped(digits, separators):
        forms.append(("".join(digits), ""))
    if len(digits) > 1 and separators[-1] in _DECIMAL and separators[-1] not in separators[:-1]:
        whole = digits[:-1]
        if len(whole) == 1 or _is_grouped(whole, separators[:-1]):
            forms.append(("".join(whole), digits[-1]))
    found = dict[float, float]()
    for whole_digits, fraction in forms:
        value = float(f"{whole_digits}.{fraction or 0}e{exponent}")
        # Digits beyond every number are part of an id.
        if math.isfinite(value):
            found[value] = float(f"1e{exponent - len(fraction)}")
    return found


def _is_grouped(digits: Sequence[str], separators: Sequence[str]) -> bool:
    """Return whether digit groups are a whole number with one kind of separator between its thousands."""
    return not separators or (
        len(set(separators)) == 1
        and len(digits[0]) <= 3
        and digits[0][0] != "0"
        and all(len(group) == 3 for group in digits[1:])
    )


def _exponent(match: re.Match[str]) -> int:
    return int((match[1] or match[2]).translate(_SUPERSCRIPTS).replace("−", "-"))


def _as_decimal(match: re.Match[str]) -> str:
    value = f"{unicodedata.numeric(match[2]):.4g}"
    return match[1] + value[1:] if match[1] else value
