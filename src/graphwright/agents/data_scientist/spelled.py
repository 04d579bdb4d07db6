"""Numbers that a text tells in words: `six and a quarter`, `three percent`, `twice as many`, `two thirds`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TO_TWELVE = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_TEENS = ("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
_ROUND = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SMALL = {word: value for value, word in enumerate((*_TO_TWELVE, *_TEENS), 1)}
_TENS = {word: 10 * value for value, word in enumerate(_ROUND, 2)}
_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9}
_DOZEN = {"dozen": 12.0}
_PARTS = {"half": 0.5, "third": 1 / 3, "thirds": 1 / 3, "quarter": 0.25, "quarters": 0.25, "fifth": 0.2, "fifths": 0.2}

_TOKEN = re.compile(r"[A-Za-z]+")
_PERCENT = re.compile(r"\s*-?\s*(?:percent(?:age)?(?:\s+points?)?|per\s+cent)\b", re.IGNORECASE)
_TIMES = re.compile(r"[\s-]*(?:times\b|fold\b)", re.IGNORECASE)
_SHARE = re.compile(r"\s+(?:in|out\s+of)\s+(?:every\s+)?(?P<of>[a-z]+)\b", re.IGNORECASE)
_FRACTION = re.compile(r"[\s-]+(?P<part>thirds|quarters|fifths)\b", re.IGNORECASE)
_ADDED = re.compile(r"\s+and\s+(?:a|one|(?P<three>three))[\s-]+(?P<part>half|third|quarters?)\b", re.IGNORECASE)
_POINT = re.compile(r"\s+point((?:\s+(?:zero|one|two|three|four|five|six|seven|eight|nine))+)\b", re.IGNORECASE)
_RATIO = re.compile(
    r"\b(?:(?P<two>twice|doubl(?:ed|es)|double\s+(?=the|that|as|of|what))|(?P<three>thrice|tripled?s?|triples)"
    r"|(?P<fold>two|three|four|five|six|seven|eight|nine|ten)fold"
    r"|(?P<half>half\s+(?=as)|halved)"
    r"|(?:a|one)[\s-]+(?P<part>third|quarter|fifth)\s+(?=of|as))",
    re.IGNORECASE,
)
_QUARTILES = re.compile(r"quartile|percentile|median|interquartile|\bbox", re.IGNORECASE)
_VAGUE = re.compile(
    r"\b(?:more|less|fewer|greater|higher|lower)\s+than\s+$|\b(?:over|under|at\s+least|at\s+most)\s+$", re.IGNORECASE
)
_POINTED_AT = re.compile(
    r"\b(?:the|these|those|both|all|other|any|each|every|first|last|top|bottom|next|my|your|our|their|its|number|class"
    r"|of)\s+(?:\w+\s+)?$",
    re.IGNORECASE,
)
_OF_FORM = re.compile(
    r"\s+(?:[a-z]+\s+)?(?:groups?|categor\w+|variables?|columns?|samples?|values?|sets?|numbers?|things?|factors?|sides?"
    r"|halves|ways?|options?|means|averages?|medians?|datasets?|tables?|tails?|decimal\w*|digits?|parts?|types?|kinds?"
    r"|class(?:es)?|levels?|quartiles?|lines?|bars?|box(?:es)?|panels?|pictures?|figures?|charts?|plots?|curves?"
    r"|sentences?|reasons?|measures?|quantit\w+|features?|fields?|questions?|steps?|distributions?|populations?)\b",
    re.IGNORECASE,
)
_COMPOUND = re.compile(r"-(?!\s)(?!percent)[a-z]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class InWords:
    """A number in words: its place, its value, and what its last word leaves open as `step`.

    `percent`: it is told in per cent. `ratio`: it says how many times as large something is as something else.
    """

    start: int
    end: int
    value: float
    step: float
    percent: bool = False
    ratio: bool = False


def in_words(text: str) -> list[InWords]:
    """The numbers in words of a text that state an amount, in their order.

    Left out is what counts nothing: `one of them`, `these two`, `two groups`, `two-sided`, `more than half`.
    """
    found = [*_ratios(text), *_amounts(text)]
    found.sort(key=lambda each: (each.start, -each.end))
    if _QUARTILES.search(text):
        # "A quarter of them lies below 3" tells a quartile, and no share that was computed.
        found = [each for each in found if not (each.ratio and each.value in (0.25, 0.75))]
    return [each for place, each in enumerate(found) if not any(each.start < other.end for other in found[:place])]


def _ratios(text: str) -> Iterator[InWords]:
    for match in _RATIO.finditer(text):
        if _VAGUE.search(text, 0, match.start()):
            continue
        value = 2.0 if match["two"] else 3.0 if match["three"] else 0.5
        if match["fold"]:
            value = float(_SMALL[match["fold"].lower()])
        elif match["part"]:
            value = _PARTS[match["part"].lower()]
        yield InWords(match.start(), match.start() + len(match.group().rstrip()), value, 0.0, ratio=True)


def _amounts(text: str) -> Iterator[InWords]:
    tokens = list(_TOKEN.finditer(text))
    words = [each.group().lower() for each in tokens]
    place = 0
    while place < len(tokens):
        begun, read = place, _read(text, tokens, words, place)
        if read is None:
            place += 1
            continue
        value, step, place = read
        start, end = tokens[begun].start(), tokens[place - 1].end()
        made = _completed(text, start, end, value, step)
        if made is not None:
            yield made
            while place < len(tokens) and tokens[place].start() < made.end:
                place += 1


def _read(text: str, tokens: list[re.Match[str]], words: list[str], place: int) -> tuple[float, float, int] | None:
    """The value of the words from `place` on, the worth of the last one, and the place after them."""
    if words[place] in ("a", "an") and place + 1 < len(words) and words[place + 1] in _SCALES | _DOZEN:
        scale = (_SCALES | _DOZEN)[words[place + 1]]
        return scale, scale, place + 2
    if words[place] not in _SMALL and words[place] not in _TENS:
        return None
    total, current, step = 0.0, 0.0, 1.0
    begun, last = place, ""
    while place < len(words):
        word, here = words[place], place
        if here > begun:
            between = text[tokens[here - 1].end() : tokens[here].start()]
            if between.strip(" -\n"):
                break
            if word == "and" and last in _SCALES and place + 1 < len(words) and words[place + 1] in _SMALL | _TENS:
                place += 1
                continue
        if word in _SMALL and (not last or last in _SCALES or (last in _TENS and _SMALL[word] < 10)):
            current, step = current + _SMALL[word], 1.0
        elif word in _TENS and (not last or last in _SCALES):
            current, step = current + _TENS[word], 1.0
        elif word == "hundred" and current:
            current, step = current * 100, 100.0
        elif word in _SCALES and current:
            total, current, step = total + current * _SCALES[word], 0.0, _SCALES[word]
        elif word == "dozen" and current:
            return total + current * 12, 12.0, place + 1
        else:
            break
        last, place = word, place + 1
    return total + current, step, place


def _completed(text: str, start: int, end: int, value: float, step: float) -> InWords | None:
    """The amount with what belongs to it; None where the words count nothing."""
    alone = True
    if (point := _POINT.match(text, end)) is not None:
        digits = [_SMALL.get(word.lower(), 0) for word in point[1].split()]
        value += sum(digit * 10.0 ** -(n + 1) for n, digit in enumerate(digits))
        step, end, alone = 10.0 ** -len(digits), point.end(), False
    elif (added := _ADDED.match(text, end)) is not None:
        part = _PARTS[added["part"].lower()]
        value, step = value + part * (3 if added["three"] else 1), part
        end, alone = added.end(), False
    elif (fraction := _FRACTION.match(text, end)) is not None and value <= 4:
        return InWords(start, fraction.end(), value * _PARTS[fraction["part"].lower()], 0.0, ratio=True)
    elif (share := _SHARE.match(text, end)) is not None and (of := _SMALL.get(share["of"].lower(), 0)) > value:
        return InWords(start, share.end(), value / of, 0.0, ratio=True)
    if (percent := _PERCENT.match(text, end)) is not None:
        # Of "a hundred percent" nobody means the number.
        return None if value == 100 else InWords(start, percent.end(), value, step, percent=True)
    if (times := _TIMES.match(text, end)) is not None:
        return InWords(start, times.end(), value, 0.0, ratio=True) if value > 1 else None
    if _COMPOUND.match(text, end) or (start and text[start - 1] == "-"):
        return None
    counts = value > 1 and not _POINTED_AT.search(text, max(0, start - 40), start) and not _OF_FORM.match(text, end)
    if alone and value <= len(_TO_TWELVE) and not counts:
        return None
    return InWords(start, end, value, step)
