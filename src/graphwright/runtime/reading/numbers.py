"""Numbers in a message: what they are worth, the unit they carry, and where they stand."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from graphwright.runtime.reading.number_words import POINTING, read_number, scale_named
from graphwright.runtime.reading.units import CURRENCIES, canonical, factor_between, unit_named
from graphwright.runtime.reading.words import Folded, fold_keeping_places, vocabulary

LIMIT = 20_000
"""How many characters of a text are searched for numbers."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A number in a text, `text[start:end]`, its unit included.

    `unit` is a symbol such as `W`, `m2` or `EUR`, '' for a bare number. `alternatives` are its other readings, in the
    same unit, where the spelling allows several (`1.500` is 1500 or 1.5).
    """

    value: int | float
    unit: str
    start: int
    end: int
    text: str
    alternatives: tuple[int | float, ...] = ()


# Digits that are no amounts: addresses, links, dates, times, phone numbers, versions, fractions, file and part names.
_NO_AMOUNT = re.compile(
    r"""
      (?<![\w.+%'-])[\w.+%'-]{1,64}@[\w.-]{1,100}
    | \bhttps?://\S{1,2000} | \bwww\.\S{1,2000}
    | (?<![\w.])\d{4}-\d{1,2}-\d{1,2}(?:t[\d:.+z-]{4,20})?(?!\w)
    | (?<![\w.])\d{1,2}[./]\d{1,2}[./](?:\d{4}|\d{2})(?!\w)
    | (?<![\w.,])\d{1,2}:\d{2}(?::\d{2})?(?!\d)
    | (?<![\w.,])\d{1,4}/\d{1,4}(?![\w,])
    | (?<![\w.,])(?!\d{1,3}(?:\.\d{3}){3}(?!\d))\d{1,3}(?:\.\d{1,3}){3}(?!\w)
    | \+\s?\d{1,3}[\d ()/-]{5,20}\d
    | (?<![\w.,])0\d{2,5}[ /-]?\d[\d /-]{3,14}(?!\w)
    | (?<!\w)\#\s?\d+
    """,
    re.VERBOSE,
)
_MONTHS = (
    r"(?:jan(?:uar|uary)?|feb(?:ruar|ruary)?|mar(?:ch)?|marz|apr(?:il)?|may|mai|june?|juni|july?|juli|aug(?:ust)?"
    r"|sept?(?:ember)?|o[ck]t(?:ober)?|nov(?:ember)?|de[cz](?:ember)?)"
)
_ORDINAL = re.compile(rf"(?:st|nd|rd|th)\b|\.?\s{_MONTHS}\b|\.\s(?:stock|etage|quartal|platz)\b|(?:er|fach|mal)\b")
_MONTH_BEFORE = re.compile(rf"\b{_MONTHS}\.?\s$")
_DIGITS = re.compile(r"\d+(?:(?:[.,']| (?=\d{3}(?!\d)))\d+)*")
_SEPARATORS = re.compile(r"[.,' ]")
_MINUS_WORD = re.compile(r"\bminus\s$")
_CODES = "|".join(sorted(code.lower() for code in CURRENCIES))
_MONEY_BEFORE = re.compile(rf"(?:us\$|[€$£¥₹]|\b(?:{_CODES}))\s?$")
_SCALE_BEHIND = re.compile(r"\s?([^\W\d_]{1,12})(?![^\W_])")
_UNIT_BEHIND = re.compile(r"(\s?-?\s?)(us\$|[€$£¥₹%]|°[cf]?|k?m/[hs]|[^\W\d_]{1,20}(?:\^?[23](?!\d))?)(?![^\W_])")
_POWER_BEHIND = re.compile(r"[\s-]?(sq\.?|square|cubic)[\s-]?([^\W\d_]{1,10})(?![^\W_])")
_RATE_BEHIND = re.compile(r"\s?/\s?([^\W\d_]{1,12}(?:\^?[23])?)(?![^\W_])")
_WORD = re.compile(r"[^\W\d_]+")
_JOINT = re.compile(r"\s*(?:x|-|to|bis|by|and|und|or|oder|auf|till|until|,)\s*")
_SPAN_JOINT = re.compile(r"\s*(?:x|-|to|bis|by|auf|till|until)\s*")
# `t` is what is left of `haven't`.
_DENIALS = vocabulary("t not no never nor cannot cant dont doesnt didnt havent hasnt hadnt")
_HOLDING = vocabulary("have has had having got get need want own set use using")
_GERMAN_ONES = frozenset({"ein", "eine", "einen", "einem", "einer"})
_MOST_DIGITS = 15


@dataclass(slots=True)
class _Raw:
    """A number in folded coordinates, while it is being put together."""

    value: int | float
    start: int
    end: int
    alternatives: tuple[int | float, ...] = ()
    unit: str = ""


def numbers_in(text: str) -> list[Mention]:
    """The numbers in the first 20,000 characters of `text`, in order.

    Reads digits with English and German separators, signs, `2k`, `1.5 million`, percentages, currencies before and
    behind, units, and number words in both languages. No numbers are: ordinals, dates, times, phone numbers,
    addresses, links, fractions, and digits inside words (`LED2`).

    One separator with exactly three digits behind it (`1.500`, `1,500`) is read as thousands; the decimal reading is
    kept in `alternatives`, unless the amount is money. With a leading zero (`0.500`) it is decimal. Another number in
    the text that shows the style decides (`2,5` makes `1.500` thousands, `1.5` makes `1.500` decimal).
    """
    text = text[:LIMIT]
    folded = fold_keeping_places(text)
    taken = bytearray(len(folded.text) + 1)
    for match in _NO_AMOUNT.finditer(folded.text):
        _take(taken, match.start(), match.end())
    found = list(_in_digits(folded, text, taken))
    found.extend(_in_words(folded, text, taken))
    found.sort(key=lambda raw: raw.start)
    _share_units(found, folded.text)
    return [_mention(raw, folded, text) for raw in found]


def convert(mention: Mention, unit: str) -> float | int | None:
    """The amount of `mention` in `unit` (as a schema's `x-unit` writes it: `W`, `m²`, `EUR`).

    A bare number counts as being in `unit`. None when the units do not agree; nothing converts between currencies.
    """
    if not mention.unit:
        return mention.value
    factor = factor_between(mention.unit, canonical(unit))
    return None if factor is None else _tidy(mention.value * factor)


def _tidy(value: float) -> int | float:
    """`value` without the noise of binary fractions, as an int when it is whole."""
    rounded = float(f"{value:.12g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) < 1e15 else rounded


def _take(taken: bytearray, start: int, end: int) -> None:
    taken[start:end] = b"\1" * (end - start)


def _mention(raw: _Raw, folded: Folded, text: str) -> Mention:
    start, end = folded.places[raw.start], folded.end(raw.end)
    alternatives = () if raw.unit in CURRENCIES else raw.alternatives
    return Mention(raw.value, raw.unit, start, end, text[start:end], alternatives)


# Digits


def _in_digits(folded: Folded, text: str, taken: bytearray) -> Iterator[_Raw]:
    line = folded.text
    runs = [match for match in _DIGITS.finditer(line) if not taken[match.start()]]
    decimal = _decimal_mark(match[0] for match in runs)
    for match in runs:
        start, end = match.span()
        _take(taken, start, end)
        money = _MONEY_BEFORE.search(line, max(0, start - 6), start) or _MONEY_BEFORE.search(
            line, max(0, start - 7), start - 1 if start and line[start - 1] in "+-" else start
        )
        if _is_inside_word(line, start) and not money:
            continue
        if _ORDINAL.match(line, end) or _MONTH_BEFORE.search(line, max(0, start - 12), start):
            continue
        numbers = list(_readings(match[0], start, decimal))
        for raw in numbers:
            if raw is numbers[0]:
                _sign(raw, line)
                if money:
                    raw.unit = unit_named(money[0].strip().strip("+-"))
                    raw.start = min(raw.start, money.start())
            if raw is numbers[-1] and not _read_behind(raw, folded, text):
                continue
            _take(taken, raw.start, raw.end)
            yield raw


def _is_inside_word(line: str, start: int) -> bool:
    if not start or not (line[start - 1].isalnum() or line[start - 1] in "_^"):
        return False
    return not (line[start - 1] == "x" and start > 1 and (line[start - 2].isdigit() or line[start - 2] == " "))


def _decimal_mark(runs: Iterator[str]) -> str:
    """The decimal mark that the other numbers of a text show beyond doubt; '' when none or both do."""
    shown = set()
    for run in runs:
        marks = [c for c in run if c in ".,"]
        if len(set(marks)) == 2:
            shown.add(marks[-1])
        elif len(marks) == 1 and not re.search(r"[.,]\d{3}$", run):
            shown.add(marks[0])
        elif len(marks) > 1 and re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", run):
            shown.add("," if marks[0] == "." else ".")
    return shown.pop() if len(shown) == 1 else ""


def _readings(run: str, start: int, decimal: str) -> Iterator[_Raw]:
    """What a run of digits and separators is worth: one number, or several when it is a list."""
    marks = _SEPARATORS.findall(run)
    groups = _SEPARATORS.split(run)
    end = start + len(run)
    if sum(map(len, groups)) > _MOST_DIGITS:
        return
    whole = int("".join(groups))
    if not marks:
        yield _Raw(whole, start, end)
    elif len(marks) == 1 and marks[0] in ".,":
        fraction = _tidy(float(".".join(groups)))
        if len(groups[1]) != 3 or len(groups[0]) > 3 or groups[0].startswith("0"):
            yield _Raw(fraction, start, end)
        elif decimal == marks[0]:
            yield _Raw(fraction, start, end, (whole,))
        else:
            yield _Raw(whole, start, end, () if decimal else (fraction,))
    elif _is_grouped(groups) and len(set(marks)) == 1:
        # `2 200 W` may be two lamps of 200 W.
        yield _Raw(whole, start, end, (int(groups[-1]),) if marks[0] == " " else ())
    elif marks[-1] in ".," and marks[-1] not in marks[:-1] and len(set(marks[:-1])) == 1 and _is_grouped(groups[:-1]):
        yield _Raw(_tidy(float(f"{''.join(groups[:-1])}.{groups[-1]}")), start, end)
    elif " " in marks or set(marks) == {","}:
        for part in re.finditer(r"[^ ]+" if " " in marks else r"[^,]+", run):
            yield from _readings(part[0], start + part.start(), decimal)


def _is_grouped(groups: list[str]) -> bool:
    return 1 <= len(groups[0]) <= 3 and not groups[0].startswith("0") and all(len(group) == 3 for group in groups[1:])


def _sign(raw: _Raw, line: str) -> None:
    """Takes a sign in front into the number. A dash behind a number is a range, a dash with a space a bullet."""
    start = raw.start
    if start and line[start - 1] in "+-":
        ahead = line[: start - 1].rstrip()[-1:] if start < 40 else line[start - 40 : start - 1].rstrip()[-1:]
        stuck = start > 1 and line[start - 2] not in " (:=~€$£¥₹"
        if not stuck and not ahead.isdigit():
            raw.start -= 1
            if line[start - 1] == "-":
                _negate(raw)
    elif match := _MINUS_WORD.search(line, max(0, start - 8), start):
        raw.start = match.start()
        _negate(raw)


def _negate(raw: _Raw) -> None:
    raw.value = -raw.value
    raw.alternatives = tuple(-value for value in raw.alternatives)


# What stands behind a number


def _read_behind(raw: _Raw, folded: Folded, text: str) -> bool:
    """Takes a multiplier and a unit behind into the number; False when the number turns out to be part of a word."""
    line = folded.text
    scale = _SCALE_BEHIND.match(line, raw.end)
    if scale:
        adjacent = scale.start(1) == raw.end
        written = text[folded.places[scale.start(1)] : folded.end(scale.end(1))]
        factor = 10**6 if written == "M" and adjacent else scale_named(scale[1])
        # 4000K is a colour temperature, 4k four thousand.
        if scale[1] == "k" and (not adjacent or (written == "K" and abs(raw.value) >= 1000)):
            factor = None
        if factor:
            raw.value = _tidy(raw.value * factor)
            raw.alternatives = tuple(_tidy(value * factor) for value in raw.alternatives)
            raw.end = scale.end(1) + (
                line[scale.end(1) : scale.end(1) + 1] == "." and scale[1] in ("mio", "mrd", "tsd")
            )
    _read_unit(raw, folded, text)
    following = line[raw.end : raw.end + 2]
    if following[:1] == "x":
        return len(following) == 1 or not following[1].isalpha()
    return not (following[:1].isalpha() or following[:1] in ("_", "^"))


def _read_unit(raw: _Raw, folded: Folded, text: str) -> None:
    line = folded.text
    unit, end = "", raw.end
    if power := _POWER_BEHIND.match(line, raw.end):
        base = unit_named(power[2])
        unit = unit_named(base + ("3" if power[1] == "cubic" else "2")) if base else ""
        end = power.end()
    if not unit and (match := _UNIT_BEHIND.match(line, raw.end)):
        unit = unit_named(text[folded.places[match.start(2)] : folded.end(match.end(2))])
        end = match.end()
        # `5 in the hall`: the inch is only read where it touches the number.
        if unit == "in" and match[2] == "in" and match[1]:
            unit = ""
    if not unit:
        return
    if (rate := _RATE_BEHIND.match(line, end)) and unit_named(rate[1]):
        unit, end = f"{unit}/{unit_named(rate[1])}", rate.end()
    raw.unit, raw.end = unit, end


# Number words


def _in_words(folded: Folded, text: str, taken: bytearray) -> Iterator[_Raw]:
    line = folded.text
    run: list[re.Match[str]] = []
    for match in _WORD.finditer(line):
        joined = run and line[run[-1].end() : match.start()] in (" ", "-", "  ")
        if taken[match.start()]:
            yield from _in_run(run, folded, text)
            run = []
            continue
        if run and not joined:
            yield from _in_run(run, folded, text)
            run = []
        run.append(match)
    yield from _in_run(run, folded, text)


def _in_run(run: list[re.Match[str]], folded: Folded, text: str) -> Iterator[_Raw]:
    words = [match[0] for match in run]
    at = 0
    while at < len(words):
        number = read_number(words, at)
        lone = number is None and words[at] in _GERMAN_ONES
        if lone:
            number = (1, 1)
        if number is None:
            at += 1
            continue
        value, used = number
        raw = _Raw(value, run[at].start(), run[at + used - 1].end())
        _sign(raw, folded.text)
        _read_unit(raw, folded, text)
        if not ((lone or value == 0.5) and not raw.unit) and not _is_pronoun(words, at, used, raw):
            yield raw
        at += used
        while at < len(run) and run[at].start() < raw.end:
            at += 1


def _is_pronoun(words: list[str], at: int, used: int, raw: _Raw) -> bool:
    if used != 1 or words[at] != "one" or raw.unit:
        return False
    # `We don't have one yet` counts nothing.
    if _DENIALS.intersection(words[max(0, at - 4) : at]) and words[at - 1] in _HOLDING:
        return True
    return bool(POINTING.intersection(words[max(0, at - 2) : at])) or words[at + 1 : at + 2] == ["of"]


def _share_units(found: list[_Raw], line: str) -> None:
    """`20 x 40 m` are two lengths, `€10-20` two prices: a bare number takes the unit of the one it is joined with."""
    for left, right in zip(reversed(found[:-1]), reversed(found[1:]), strict=True):
        if not left.unit and right.unit and _JOINT.fullmatch(line, left.end, right.start):
            left.unit = right.unit
    for left, right in itertools.pairwise(found):
        if not right.unit and left.unit and _SPAN_JOINT.fullmatch(line, left.end, right.start):
            right.unit = left.unit
