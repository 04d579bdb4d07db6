"""Weights and numbers of users and groups that a message states."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from graphwright.agents.upgrade.words.vocabulary import GROUP, USER
from graphwright.runtime.reading.numbers import numbers_in
from graphwright.runtime.reading.words import fold, words_of

_NUMBER = r"\d{1,3}(?:[.,]\d{1,4})?"
_IN_ORDER = re.compile(
    rf"(?<![\w./:-])(?P<all>{_NUMBER}(?:\s*(?P<mark>[/:]"
    rf"|-(?!\d{{4}})|\b(?:zu|to|vs)\b)\s*{_NUMBER})(?:\s*(?P=mark)\s*{_NUMBER}){{0,18}})(?![\w/:-]|\.\d)"
)
_LISTED = re.compile(
    rf"\b(?:weights?|weighted|weighting|split|ratio|gewichte?|gewichtung|aufteilung)\b(?:\s*(?:of|are|is|be|to|at|:"
    rf"|=|von|auf|should))*\s*"
    rf"(?P<all>{_NUMBER}\s*%?(?:\s*(?:,|and|und|&|,\s*and)\s*{_NUMBER}\s*%?){{1,18}})(?![\w/])"
)
# "weights=80,20" is no 80.2.
_WITHOUT_BLANKS = re.compile(r"\b(?:weights?|split|ratio|gewichte?)\s*[=:]?\s*(?P<all>\d{1,3}(?:,\d{1,3})+)(?![\w,.%])")
_EVENLY = re.compile(
    r"\b(?:evenly|equal(?:ly)?|even split|fifty[ -]fifty|half and half|half ?[/-] ?half|half half"
    r"|uniform(?:ly)?|same weights?|balanced|"
    r"in equal parts|gleichmassig|gleich verteilt|gleichverteilt|gleiche[nr]? (?:gewichte?n?|anteile?n?"
    r"|teile?n?)|halbe halbe|halb halb|halftig)\b"
)
_FRACTIONS = tuple(
    (re.compile(rf"\b(?:{words})(?!\w)"), share)
    for words, share in (
        (r"(?:two|2) thirds|2/3|zwei drittel", "66.67"),
        (r"(?:a|one|1) third|1/3|ein(?:em)? drittel", "33.33"),
        (r"(?:three|3) quarters|3/4|drei viertel", "75"),
        (r"(?:a|one|1) quarter|1/4|ein(?:em)? viertel", "25"),
        (r"half (?:of )?(?:the |them |users |students )*(?:for|get|to|in)|die halfte (?:fur|bekommt)", "50"),
    )
)
_SPEAKS_OF_WEIGHTS = re.compile(
    r"\b(?:weight\w*|split\w*|ratio|distribut\w*|percent\w*|allocation|rebalance|reweight|gewicht\w*|aufteil\w*"
    r"|verteil\w*|prozent\w*|condition\w*|bedingung\w*)\b|%"
)
_PERCENT = r"(?:%|per\s?cent|percent|prozent|pct)"
_ONLY_NUMBERS = re.compile(
    rf"(?:\b(?:make it|lieber|rather|better|please|bitte|no|nein|auf|to)\b|[^\w-])*{_NUMBER}\s*{_PERCENT}?"
    rf"(?:\s*(?:,\s*and|,|and|und|&)\s*{_NUMBER}\s*{_PERCENT}?){{1,18}}\s*(?:please|bitte)?\W*\Z"
)
_BEFORE = (
    rf"(?P<number>{_NUMBER})\s*(?P<percent>{_PERCENT})?\s*(?:of\s+(?:the\s+)?(?:users|students|them)\s+)?(?:for"
    rf"|to|in|into|on|get|gets|goes to|fur|auf|in)?\s*(?:the\s+|die\s+)?[\"'“‘]?"
)
_AFTER = (
    rf"[\"'”’]?\s*(?:condition\s*)?(?:(?:of|in|for|von|bei)\s+(?:(?:the\s+)?experiment\s+)?)?(?:\(\s*)?(?:weight\s*)?"
    r"(?:(?:[=:]|(?:to|at|gets?|with|should|must|be|is|only|just|now|then|ha(?:ve|s)|receives?|takes?|goes|down|up|auf|mit"
    r"|bekommt|a|weight|of)\b)\s*){0,6}"
    rf"(?P<number>{_NUMBER})(?!\d)(?![./:]\d)\s*(?P<percent>{_PERCENT})?"
)
_IN_FAVOUR = (
    r"\b(?:in favou?r|favou?ring|for the benefit|(?:biased|skewed|leaning|tilted|weighted)(?: more)? to(?:wards?)?"
    r"|towards?|preferring|zugunsten)"
)
_ENDS_WEIGHT = re.compile(r"\s*(?:$|[,;/&)!?]|\.(?:\s|$)|(?:and|und|please|bitte|instead|then|now|too|auch|jetzt)\b)")
_LOOSE = re.compile(
    rf"(?:^|\b(?:it|to|at|is|be|are|of|and|und|auf|mit|with|weights?|split|them)|[,/&:])\s*"
    rf"(?P<number>{_NUMBER})\s*{_PERCENT}?(?=\s*(?:$|[,;&/!?]|\.(?:\s|$)|(?:and|und)\b))"
)
_MOST_WORDS = 5


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights in per cent as they were said: by condition code, or in the order of the conditions, or `equal`.

    `loose` are those beside weights by code that stand beside none: the 70 of "make it 70 and variant 40". `shifts`
    say by how much the weight of a code is to grow, or below 0 to shrink.
    """

    by_code: Mapping[str, float] = field(default_factory=dict)
    loose: tuple[float, ...] = ()
    in_order: tuple[float, ...] = ()
    equal: bool = False
    shifts: Mapping[str, float] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.by_code or self.in_order or self.equal or self.shifts)


def weights(text: str, codes: Sequence[str], *, expected: bool = False, named: int = 0) -> Weights:
    """The weights that a text states; `codes` are the condition codes that it may speak of.

    `expected`: a design is spoken of, and two numbers that are all of the message are weights, whatever their sum.
    So are as many as the text names codes: `named`.

    "70/30", "60:40", "70 % for control", "control 70, variant 30", "evenly". They are as they were said, also where
    they do not add up to 100; only small ratios ("2:1") are turned into per cent.
    """
    folded = _in_figures(fold(text))
    shifts = _shifts(folded, codes)
    if shifts:
        return Weights(shifts=shifts)
    times = _times(folded, codes)
    if times:
        return Weights(times)
    by_code, rest = _by_code(folded, codes, expected=expected)
    if by_code:
        return Weights(by_code, _loose(rest) if expected or _SPEAKS_OF_WEIGHTS.search(folded) else ())
    favoured = _favoured(folded, codes)
    if favoured:
        return Weights(favoured)
    speaks = _SPEAKS_OF_WEIGHTS.search(folded) is not None or (expected and len(words_of(text)) <= _MOST_WORDS)
    for match in _IN_ORDER.finditer(folded):
        values = _values(re.split(r"[/:-]|zu|to|vs", match["all"]))
        total = sum(values)
        weighs = speaks or named == len(values)
        if abs(total - 100) < 1.5 or (weighs and 20 < total <= 200):
            return Weights(in_order=values)
        if weighs and match["mark"] == ":" and 0 < total <= 20:
            return Weights(in_order=tuple(round(100 * value / total, 4) for value in values))
    listed = _LISTED.search(folded)
    if listed is not None:
        values = _values(re.findall(_NUMBER, listed["all"]))
        if len(values) > 1:
            return Weights(in_order=values)
    bare_numbers = _ONLY_NUMBERS.match(folded) if expected else None
    if bare_numbers is not None:
        return Weights(in_order=_values(re.findall(_NUMBER, bare_numbers[0])))
    written = _WITHOUT_BLANKS.search(folded)
    if written is not None:
        return Weights(in_order=_values(written["all"].split(",")))
    if speaks:
        bare = _in_per_cent(text)
        if len(bare) > 1:
            return Weights(in_order=bare)
    return Weights(equal=_EVENLY.search(folded) is not None)


_MORE = r"(?:more|up|higher|raise|increase|grow|boost|bump|extra|additional|mehr|erhohe)"
_LESS = r"(?:less|fewer|down|lower|reduce|decrease|cut|shrink|drop|weniger|senke)"
_BY = rf"(?P<number>{_NUMBER})\s*(?:{_PERCENT}|percentage)?\s*(?:points?|prozentpunkte)?"


def _shifts(folded: str, codes: Sequence[str]) -> dict[str, float]:
    """By how much weights are to grow or shrink: "raise control by 10", "10 percent more for variant"."""
    found: dict[str, float] = {}
    moved = re.search(rf"\b(?:shift|move|take|verschiebe)\s+{_BY}\s*from\b", folded)
    places = {code: match.start() for code in codes if (match := re.search(_pattern(code), folded)) is not None}
    if moved is not None and len(places) == 2:
        # "Shift 10 points from control to variant".
        one, other = sorted(places, key=places.__getitem__)
        return {one: -_value(moved["number"]), other: _value(moved["number"])}
    for code in codes:
        own = _pattern(code)
        for pattern in (
            rf"{_MORE}\b[^.;,!?\n]{{0,40}}?{own}[^.;,!?\d\n]{{0,40}}?\b(?:by|um)\s+{_BY}",
            rf"{own}[^.;,!?\d\n]{{0,30}}?\b{_MORE}\s+(?:by|um)\s+{_BY}",
            rf"{own}\s+(?:gets?\s+|should get\s+|another\s+)*{_BY}\s*{_MORE}\b",
            rf"{_BY}\s*{_MORE}\s+(?:for|to|on|fur)\s+(?:the\s+)?{own}",
        ):
            grows, shrinks = re.search(pattern, folded), re.search(pattern.replace(_MORE, _LESS), folded)
            match = grows or shrinks
            if match is not None:
                found[code] = _value(match["number"]) * (1 if grows else -1)
                break
    return found


_TIMES = re.compile(
    r"\b(?P<times>twice|double|thrice|triple|half|halb|doppelt|(?:two|three|four|five|[2-9])\s*(?:times|x|mal))\s+"
    r"(?:as (?:many|much|often|likely)|the (?:weight|share|number|amount)|of what|so (?:viele?|oft))\b"
)
_FACTORS = {"twice": 2.0, "double": 2.0, "doppelt": 2.0, "thrice": 3.0, "triple": 3.0, "half": 0.5, "halb": 0.5}
_FACTORS |= {"two": 2.0, "three": 3.0, "four": 4.0, "five": 5.0}


def _times(folded: str, codes: Sequence[str]) -> dict[str, float]:
    """ "Twice as many in variant as in control": the condition that is named first gets so many times the other."""
    match = _TIMES.search(folded)
    places = {code: found.start() for code in codes if (found := re.search(_pattern(code), folded)) is not None}
    if match is None or len(places) != 2:
        return {}
    first, second = sorted(places, key=places.__getitem__)
    said = re.split(r"\s|(?<=\d)x", match["times"])[0]
    factor = _FACTORS[said] if said in _FACTORS else float(said)
    share = round(100 * factor / (1 + factor), 2)
    return {first: share, second: round(100 - share, 2)}


def _in_figures(folded: str) -> str:
    """The text with its fractions in per cent: "two thirds" is 66.67 %."""
    for pattern, share in _FRACTIONS:
        folded = pattern.sub(f"{share} %", folded)
    return folded


def _favoured(folded: str, codes: Sequence[str]) -> dict[str, float]:
    """ "80/20 in favour of variant": the larger of two weights for the code named, the other one for the other."""
    for code in codes:
        match = re.search(rf"{_IN_FAVOUR}\s+(?:of\s+|von\s+)?(?:the\s+|der\s+|die\s+)?{_pattern(code)}", folded)
        shares = [_values(re.split(r"[/:-]|zu|to|vs", each["all"])) for each in _IN_ORDER.finditer(folded)]
        if match is not None and len(shares) == 1 and len(shares[0]) == 2 and abs(sum(shares[0]) - 100) < 1.5:
            others = [each for each in codes if each != code]
            found = {code: max(shares[0])}
            return found | {others[0]: min(shares[0])} if len(others) == 1 else found
    return {}


def _in_per_cent(text: str) -> tuple[float, ...]:
    return tuple(float(each.value) for each in numbers_in(text) if each.unit == "%")


def _values(parts: Sequence[str]) -> tuple[float, ...]:
    return tuple(_value(part) for part in parts)


def _value(text: str) -> float:
    return float(text.strip().replace(",", "."))


def _by_code(folded: str, codes: Sequence[str], *, expected: bool) -> tuple[dict[str, float], str]:
    """Every code with the number that stands beside it, on the side on which most of them stand; and what is left."""
    sided: list[tuple[dict[str, float], str]] = []
    for before in (False, True):
        found: dict[str, float] = {}
        taken: list[tuple[int, int]] = []
        linked = _SPEAKS_OF_WEIGHTS.search(folded) is not None
        for code in sorted(codes, key=len, reverse=True):
            own = _pattern(code)
            pattern = rf"(?<![\w.,/:-]){_BEFORE}{own}" if before else rf"{own}{_AFTER}"
            for match in re.finditer(pattern, folded):
                place = match.span("number")
                said = re.sub(_pattern(code), "", match[0])
                linked |= bool(match["percent"] or re.search(r"[a-z=:(]", said))
                linked |= expected and _ENDS_WEIGHT.match(folded, match.end()) is not None
                if not any(start < place[1] and place[0] < end for start, end in taken):
                    found.setdefault(code, _value(match["number"]))
                    taken.append(place)
                    break
        # A lone "control 5" may be anything.
        rest = folded
        for start, end in taken:
            rest = rest[:start] + "_" * (end - start) + rest[end:]
        sided.append((found, rest) if linked or len(found) > 1 else ({}, folded))
    after, before_ = sided
    return after if len(after[0]) >= len(before_[0]) else before_


def _loose(rest: str) -> tuple[float, ...]:
    return _values([match["number"] for match in _LOOSE.finditer(rest)])


def _pattern(code: str) -> str:
    return r"(?<![\w-])" + r"[\s_-]*".join(re.escape(word) for word in words_of(code)) + r"(?![\w-])"


def counts(text: str) -> tuple[int | None, int | None]:
    """How many users and how many groups a text speaks of: "500 students in 20 classes".

    None where it states none, or several.
    """
    users: set[int] = set()
    groups: set[int] = set()
    found = numbers_in(text)
    for place, each in enumerate(found):
        behind = text[each.end : found[place + 1].start if place + 1 < len(found) else len(text)]
        cut = re.search(r"[,.;:!?\n]", behind)
        following = words_of(behind[: cut.start()] if cut else behind)[:4]
        if not isinstance(each.value, int) or each.value < 1 or each.unit == "%":
            continue
        for word in following:
            if word in USER and word not in ("user", "student", "kid", "child", "person"):
                users.add(each.value)
            elif word in GROUP or word in ("schools", "classes", "schulen", "klassen"):
                groups.add(each.value)
            elif word not in (
                "simulated",
                "fake",
                "virtual",
                "random",
                "more",
                "test",
                "new",
                "simulierte",
                "simulierten",
                "different",
                "of",
                "pretend",
                "imaginary",
                "artificial",
            ):
                break
            else:
                continue
            break
    said = re.search(r"\b(?:users|students|nutzer|schuler|participants)\s*[=:]\s*(\d{1,7})\b", fold(text))
    if said:
        users.add(int(said[1]))
    said = re.search(r"\b(?:groups|gruppen|schools|classes)\s*[=:]\s*(\d{1,7})\b", fold(text))
    if said:
        groups.add(int(said[1]))
    return (users.pop() if len(users) == 1 else None), (groups.pop() if len(groups) == 1 else None)
