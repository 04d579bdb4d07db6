"""Numbers put into words, English and German: `two hundred and fifty`, `zweihundertfünfzig`, `anderthalb`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from graphwright.runtime.reading.words import counted, vocabulary

_SMALL = {
    **counted("zero one two three four five six seven eight nine ten eleven twelve"),
    **{w + "teen": n for w, n in (("thir", 13), ("four", 14), ("fif", 15), ("six", 16), ("seven", 17), ("eigh", 18))},
    "nineteen": 19,
}
_TENS = {
    word: ten * 10 for word, ten in counted("twenty thirty forty fifty sixty seventy eighty ninety", 2).items()
} | {"fourty": 40}
_GERMAN_SMALL = {
    **counted("null eins zwei drei vier funf sechs sieben acht neun zehn elf zwolf"),
    **{"zwo": 2, "fuenf": 5, "zwoelf": 12, "dreizehn": 13, "vierzehn": 14, "funfzehn": 15, "fuenfzehn": 15},
    **{"sechzehn": 16, "siebzehn": 17, "achtzehn": 18, "neunzehn": 19},
}
_GERMAN_TENS = {
    **{"zwanzig": 20, "dreissig": 30, "vierzig": 40, "funfzig": 50, "fuenfzig": 50, "sechzig": 60, "siebzig": 70},
    **{"achtzig": 80, "neunzig": 90},
}
_SCALES = {
    **{"thousand": 10**3, "tausend": 10**3, "tsd": 10**3, "k": 10**3, "grand": 10**3},
    **{"million": 10**6, "millions": 10**6, "millionen": 10**6, "mio": 10**6, "mln": 10**6},
    **{"billion": 10**9, "billions": 10**9, "milliarde": 10**9, "milliarden": 10**9, "mrd": 10**9, "bn": 10**9},
}
_HUNDREDS = ("hundred", "hundert")
_DOZENS = ("dozen", "dozens", "dutzend")
_ARTICLES = frozenset({"a", "an", "ein", "eine", "einen", "einer", "einem", "one", "eins"})
_HALVES = frozenset({"half", "halb", "halbe", "halber", "halben", "halbes"})
_FIXED = {
    **dict.fromkeys(("anderthalb", "eineinhalb", "einundeinhalb"), 1.5),
    **dict.fromkeys(("zweieinhalb", "zweiundeinhalb"), 2.5),
    **dict.fromkeys(("dreieinhalb", "dreiundeinhalb"), 3.5),
    **dict.fromkeys(("viereinhalb",), 4.5),
    **dict.fromkeys(("funfeinhalb",), 5.5),
}
_POINTS = frozenset({"point", "komma"})
# An `one` behind such a word stands for a thing, not for a number: `the red one`, `which one`.
POINTING = vocabulary(
    "a an the this that which any another other each every no first second third last next some my your"
)


@lru_cache(maxsize=4096)
def german_number(word: str) -> int | None:
    """The value of a folded German number word up to 999,999 written as one (`zweihundertfunfzig`), else None."""
    if len(word) > 60:
        return None
    if word in _GERMAN_SMALL:
        return _GERMAN_SMALL[word]
    if word in _GERMAN_TENS:
        return _GERMAN_TENS[word]
    for scale, size in (("tausend", 1000), ("hundert", 100)):
        if scale in word:
            left, _, right = word.partition(scale)
            head = 1 if left in ("", "ein") else german_number(left)
            tail = 0 if not right else german_number(right.removeprefix("und") or "?")
            fits = head is not None and tail is not None and head < 1000 and tail < size
            return head * size + tail if fits and head is not None and tail is not None else None
    for tens, value in _GERMAN_TENS.items():
        if word.endswith("und" + tens):
            units = word.removesuffix("und" + tens)
            digit = 1 if units == "ein" else _GERMAN_SMALL.get(units)
            return value + digit if digit is not None and 0 < digit < 10 else None
    return None


def scale_named(word: str) -> int | None:
    """The multiplier a folded word names behind a number (`thousand`, `Mio`, `hundred`, `dozen`), else None."""
    if word in _HUNDREDS:
        return 100
    return 12 if word in _DOZENS else _SCALES.get(word)


def read_number(words: Sequence[str], at: int) -> tuple[int | float, int] | None:
    """The number that begins at `words[at]` and how many words it takes, or None. `words` are folded.

    A bare article (`a`, `ein`) is no number; with what follows it may be one (`a dozen`, `half a million`).
    """
    total: int | float = 0
    group: int | float = 0
    used = 0
    open_ = True
    last: int | float = 10**12
    small = 10**12
    while at + used < len(words):
        word = words[at + used]
        following = words[at + used + 1] if at + used + 1 < len(words) else ""
        if word in ("and", "und") and open_ and used and (following in _HALVES or following in _ARTICLES):
            half = _half_behind(words, at + used + 1)
            if half and group == int(group) and group:
                return _scaled(words, at, total + group + 0.5, used + 1 + half)
        if word in ("and", "und") and used and words[at + used - 1] in (*_HUNDREDS, "thousand", "tausend"):
            if _simple(following) is None or following in _ARTICLES - {"one", "eins"}:
                break
            used += 1
            continue
        if not used and (word in _HALVES or word in _ARTICLES):
            opened = _article(words, at)
            if opened is None:
                return None
            group, used = opened
            small = _room_below(group)
            if words[at + used - 1] in _SCALES:
                total, group, small = group, 0, 10**12
                last = total if total >= 1000 else 10**12
            continue
        value = _simple(word)
        if value is not None and value < small and word not in _ARTICLES - {"one", "eins"}:
            group += value
            small = _room_below(value)
            used += 1
        elif word in _HUNDREDS and (0 < group < 100):
            group, small = group * 100, 100
            used += 1
        elif word in _DOZENS and 0 < group < 100:
            group, small = group * 12, 1
            used += 1
        elif word in _SCALES and word != "k" and group > 0 and last > _SCALES[word]:
            last = _SCALES[word]
            total, group, small = total + group * last, 0, 10**12
            used += 1
        elif word in _POINTS and used and group == int(group):
            decimals = _decimals(words, at + used + 1)
            if not decimals:
                break
            return total + group + float("0." + decimals), used + 1 + len(decimals)
        else:
            break
    while used and words[at + used - 1] in ("and", "und"):
        used -= 1
    if not used:
        return None
    result = total + group
    return (int(result) if result == int(result) else result), used


def _room_below(value: int | float) -> int:
    """What the next word must be smaller than to add to `value`: twenty takes units, a hundred takes tens."""
    if value >= 20 and value == int(value):
        return next((room for room in (1000, 100, 10) if value % room == 0), 1)
    return 1


def _simple(word: str) -> int | float | None:
    for table in (_SMALL, _TENS, _FIXED):
        if word in table:
            return table[word]
    return german_number(word)


def _article(words: Sequence[str], at: int) -> tuple[int | float, int] | None:
    """What begins with an article or a half: `a hundred`, `ein halber`, `half a million`, `one`."""
    word = words[at]
    following = words[at + 1] if at + 1 < len(words) else ""
    beyond = words[at + 2] if at + 2 < len(words) else ""
    if word in _HALVES:
        if following in ("a", "an", "eine", "of") and (scale := scale_named(beyond)):
            return scale / 2, 3
        if scale := scale_named(following):
            return scale / 2, 2
        return 0.5, 2 if following in ("a", "an") else 1
    if following in _HALVES:
        if scale := scale_named(beyond):
            return scale / 2, 3
        return 0.5, 2
    if following and (scale := scale_named(following)) and following != "k":
        return scale, 2
    return (1, 1) if word in ("one", "eins") else None


def _scaled(words: Sequence[str], at: int, value: float, used: int) -> tuple[int | float, int]:
    """A number with a half, and what multiplies it: `two and a half thousand`."""
    scale = scale_named(words[at + used]) if at + used < len(words) else None
    return (int(value * scale), used + 1) if scale and words[at + used] != "k" else (value, used)


def _half_behind(words: Sequence[str], at: int) -> int:
    """How many words `a half` or `half` takes at this place; 0 when it does not stand there."""
    if words[at] in _HALVES:
        return 1
    if at + 1 < len(words) and words[at] in ("a", "ein", "eine") and words[at + 1] in _HALVES:
        return 2
    return 0


def _decimals(words: Sequence[str], at: int) -> str:
    found = ""
    while at < len(words):
        digit = _simple(words[at])
        if not isinstance(digit, int) or not 0 <= digit <= 9:
            break
        found += str(digit)
        at += 1
    return found
