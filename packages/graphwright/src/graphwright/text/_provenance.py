"""The origin of each value of a proposed call, and whether its effect needs a confirmation."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import permutations
from typing import Any, Literal

from graphwright.text.folding import normalised, with_plain_signs, words_of
from graphwright.text.numerals import numbers_in

Support = Literal["said", "quoted", "default", "shown", "exists", "unsupported", "contradicted"]
"""How well a value is supported.

`quoted`: the model quotes words of the user that mean the value without naming it. `default`: the user did not say it,
and code or a schema adds it. `contradicted`: the words that the model quotes name another value. `unsupported` and
`contradicted` are marks for people, not reasons to drop or to reject a value.
"""

MARKED: tuple[Support, ...] = ("unsupported", "contradicted")
"""The supports that a preview marks."""

Policy = Literal["always", "unsupported", "destructive"]
"""When a write needs a confirmation.

`always`: every write. `unsupported`: a write with a value that the user neither said nor was shown literally; a value
in the wrong place is not detected. `destructive`: only writes that delete, overwrite or cannot be undone.
"""


_ELLIPSIS, _END_OF_SENTENCE = re.compile(r"\.{3}|…"), ".!?;"
_LONGEST_GAP, _MOST_QUOTED = 8, 30  # words


@dataclass(frozen=True, slots=True)
class Sources:
    """The possible sources of values.

    `said` are the user's own messages of this request, `shown` the texts that the user was shown before, `existing` the
    exact ids (keys, codes, columns) of existing things that this request names or has looked up. `names` maps an id to
    the names that people use for it: a name in a text supports the id.
    """

    said: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    existing: frozenset[str] = frozenset()
    names: Mapping[str, Collection[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Quotations:
    """The user's words that a model quotes for a call, and the values for comparison.

    `words` are quotations by argument: its dotted path, or a part of it such as the last name. `call` quotes the
    request for the whole call, `other_calls` those for the others. `rivals` are other possible values of an argument
    (other options, ids and names of other things), `before` the replaced values, both by path.
    """

    words: Mapping[str, str] = field(default_factory=dict)
    call: str = ""
    other_calls: tuple[str, ...] = ()
    rivals: Mapping[str, Collection[str]] = field(default_factory=dict)
    before: Mapping[str, Any] = field(default_factory=dict)

    def words_for(self, path: str) -> str:
        """The quotation for an argument, or an empty text."""
        parts = path.split(".")
        spans = ((".".join(parts[begin:end]), end - begin) for end in range(len(parts), 0, -1) for begin in range(end))
        found = [(size, self.words[name]) for name, size in spans if self.words.get(name)]
        return max(found, key=lambda each: each[0])[1] if found else ""


def occurs(quote: str, texts: Iterable[str]) -> bool:
    """Return whether a quotation occurs literally in one of the texts, by their normalised forms.

    An underscore counts as a space, because models write the words for an identifier like the identifier. For a
    quotation with an ellipsis, the parts must occur one after another in one text. An empty quotation does not occur.

    >>> occurs("Set  the BUDGET", ["please set the budget to 500"])
    True
    >>> occurs("sports_court", ["lights for our sports court"])
    True
    >>> occurs("please ... to 500", ["please set the budget to 500"])
    True
    >>> occurs("set the budget to 1", ["please set the budget to 500"])
    False
    """
    wanted = _spaced(quote)
    parts = [part.strip() for part in wanted.split("...") if part.strip()]
    return bool(parts) and any(wanted in text or _in_order(parts, text) for text in map(_spaced, texts))


@lru_cache(maxsize=1_000)
def passage_of(quote: str, texts: tuple[str, ...]) -> str:
    """Return the passage that a quotation refers to: the quotation itself if it occurs; empty if no text has it.

    A quotation may leave out the middle of a passage: any text at an ellipsis, or up to eight words of a sentence, as
    for a separable verb of German or French. The passage has the middle, too.

    >>> passage_of("mets en pause", ("mets Tilleul lecture en pause",))
    'mets Tilleul lecture en pause'
    >>> passage_of("mets en pause", ("mets Tilleul fin. Elle est en pause",))
    ''
    """
    occurring = quote if occurs(quote, texts) else ""
    parts = [part for each in _ELLIPSIS.split(with_plain_signs(quote)) if (part := each.strip())]
    plain = [with_plain_signs(text) for text in texts]
    if len(parts) > 1:
        return next(filter(None, (_from_first_to_last(parts, text) for text in plain)), occurring)
    patterns = [] if occurring else _with_gap([re.escape(word) for part in parts for word in part.split()])
    searched = (re.search(each, text, re.IGNORECASE) for each in patterns for text in plain)
    return next((match.group() for match in searched if match), occurring)


def _from_first_to_last(parts: Sequence[str], text: str) -> str:
    """The passage of a text from the first part to the last, one after another; else empty."""
    # One pattern with `.*?` between the parts would take exponential time if the parts repeat.
    begin, end = -1, 0
    for part in parts:
        match = re.compile(re.escape(part), re.IGNORECASE).search(text, end)
        if match is None:
            return ""
        begin, end = match.start() if begin < 0 else begin, match.end()
    return text[begin:end]


def _with_gap(words: Sequence[str]) -> Iterator[str]:
    """Yield the patterns of a quotation with one gap in it."""
    for place in range(1, len(words) if len(words) <= _MOST_QUOTED else 0):
        if words[place - 1][-1] not in _END_OF_SENTENCE:
            first, second = (r"\s+".join(half) for half in (words[:place], words[place:]))
            yield rf"(?<!\w){first}\s+(?:\S*[^\s{_END_OF_SENTENCE}]\s+){{1,{_LONGEST_GAP}}}?{second}(?!\w)"


def _in_order(parts: Iterable[str], text: str) -> bool:
    """Whether all parts occur in the text, one after another."""
    end = 0
    for part in parts:
        begin = text.find(part, end)
        if begin < 0:
            return False
        end = begin + len(part)
    return True


def _spaced(text: str) -> str:
    return normalised(text.replace("_", " "))


def support_of(value: Any, sources: Sources) -> Support:
    """The support of one scalar. A number is compared as a number, a text as whole words.

    >>> support_of(450, Sources(said=("make it 450 euros",)))
    'said'
    >>> support_of("T-7", Sources(said=("close his ticket",), existing=frozenset({"T-7"})))
    'exists'
    >>> support_of("urgent", Sources(said=("close his ticket",)))
    'unsupported'
    """
    spellings = _spellings(value, sources)
    if any(_stands_in(each, sources.said) for each in spellings):
        return "said"
    if any(_stands_in(each, sources.shown) for each in spellings):
        return "shown"
    if isinstance(value, str) and value in sources.existing:
        return "exists"
    return "unsupported"


def supports(
    arguments: Mapping[str, Any],
    sources: Sources,
    defaults: Mapping[str, Any] | None = None,
    quotations: Quotations | None = None,
) -> dict[str, Support]:
    """The support of every scalar in the arguments, by its dotted path: `to_key`, `properties.status`, `points.0.site`.

    `defaults` are the values at a path if the user does not name one. A null removes a value, and is left out. With
    `quotations`, a value is also supported by words that mean it, and contradicted by words that name another.

    >>> supports({"key": "T-1", "properties": {"status": "done"}}, Sources(said=("T-1 is done",)))
    {'key': 'said', 'properties.status': 'said'}
    >>> supports({"query": "dumps", "limit": 10}, Sources(said=("all dumps",)), {"limit": 10})
    {'query': 'said', 'limit': 'default'}
    >>> said = Sources(said=("Cancel T-1, and T-2 costs 20 now",))
    >>> supports({"status": "cancelled", "cost": 30}, said, None, Quotations({"status": "Cancel", "cost": "costs 20"}))
    {'status': 'quoted', 'cost': 'contradicted'}
    """
    quotations = quotations or Quotations()
    found = dict[str, Support]()
    for path, value in leaves(arguments):
        support = quoted_support(path, value, sources, quotations)
        is_default = support not in ("said", "quoted", "contradicted") and _is_default(path, value, defaults or {})
        found[path] = "default" if is_default else support
    return found


def quoted_support(path: str, value: Any, sources: Sources, quotations: Quotations) -> Support:
    """The support of one scalar of a call whose model quotes the user. A quotation without a passage is ignored.

    >>> quotations = Quotations(call="close T-1", rivals={"key": ["T-1", "T-2"]})
    >>> quoted_support("key", "T-2", Sources(said=("close T-1",)), quotations)
    'contradicted'
    """
    spellings, before = _spellings(value, sources), quotations.before.get(path)
    others = [each for each in quotations.rivals.get(path, ()) if each not in (*spellings, before)]
    longer = [each for each in others if any(_stands_in(own, [each]) for own in spellings)]
    quoted = (quotations.words_for(path), quotations.call)
    words, call = (quote if passage_of(quote, sources.said) else "" for quote in quoted)
    text = words or call
    # Words that name a thing whose name contains this one do not name this one.
    if any(_stands_in(each, [_without_names(text, longer)]) for each in spellings):
        return "said"
    if words and isinstance(value, bool):
        return "quoted"
    looked_up = isinstance(value, str) and value in sources.existing
    if not looked_up and any(_stands_in(each, [text]) and not _is_part(each, spellings, text) for each in others):
        return "contradicted"
    if words:
        is_id = isinstance(value, str) and (looked_up or value in sources.names)
        return "contradicted" if not is_id and _other_number(value, words, before) else "quoted"
    support = support_of(value, replace(sources, said=tuple(_without_names(each, longer) for each in sources.said)))
    belongs_elsewhere = any(_stands_in(each, quotations.other_calls) for each in spellings)
    return "contradicted" if support == "said" and call and belongs_elsewhere and not looked_up else support


def _without_names(text: str, names: Iterable[str]) -> str:
    """The text without these names, the longest first."""
    for name in sorted(map(normalised, names), key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", " | ", normalised(text))
    return text


def _is_part(other: str, spellings: Iterable[Any], text: str) -> bool:
    """Whether the name of another thing is part of a spelling, and the text has the other words of it, too."""
    rest = words_of(_without_names(text, [other]))
    own = [words_of(_without_names(each, [other])) for each in spellings if _stands_in(other, [each])]
    return any(words and {*words} <= {*rest} for words in own)


def _spellings(value: Any, sources: Sources) -> tuple[Any, ...]:
    return (value, *sources.names.get(value, ())) if isinstance(value, str) else (value,)


def values_with(
    support: Support, arguments: Mapping[str, Any], found: Mapping[str, Support], prefix: str = ""
) -> list[str]:
    """The values of the arguments that have this support in `found` (by path, after `prefix`), each once, for people.

    >>> values_with("default", {"points": [{"weight": 50}, {"weight": 50}]}, {"points.0.weight": "default"})
    ['weight: 50']
    """
    texts = dict[str, None]()
    for path, value in leaves(arguments):
        if found.get(prefix + path) == support:
            name = next(part for part in reversed(path.split(".")) if not part.isdecimal())
            whole = isinstance(value, float) and value.is_integer()
            text = ("no", "yes")[value] if isinstance(value, bool) else int(value) if whole else value
            texts[f"{name.replace('_', ' ')}: {text}"] = None
    return list(texts)


def leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """The scalars in arguments, without nulls, each with its dotted path."""
    parts = enumerate(value) if isinstance(value, Sequence) and not isinstance(value, str) else ()
    if parts or isinstance(value, Mapping):
        for name, item in parts or value.items():
            yield from leaves(item, (*path, str(name)))
    elif value is not None:
        yield ".".join(path), value


def needs_yes(
    policy: Policy,
    *,
    destructive: bool,
    supports: Iterable[Support] = (),
    weak_model: bool = False,
    doubts: bool = False,
) -> bool:
    """Whether a write needs a confirmation.

    `destructive` is a deletion, an overwriting, a raw statement, or a write that cannot be undone: it always needs one,
    and so does every write that a weak model proposes or that a review doubts. An unknown policy means `always`.

    >>> needs_yes("unsupported", destructive=False, supports=["said", "exists"])
    False
    >>> needs_yes("unsupported", destructive=False, supports=["said", "unsupported"])
    True
    """
    if destructive or weak_model or doubts or policy not in ("unsupported", "destructive"):
        return True
    return policy == "unsupported" and any(support in (*MARKED, "quoted") for support in supports)


def _is_default(path: str, value: Any, defaults: Mapping[str, Any]) -> bool:
    return path in defaults and defaults[path] == value and isinstance(value, bool) == isinstance(defaults[path], bool)


def _stands_in(value: Any, texts: Sequence[str]) -> bool:
    if isinstance(value, bool):
        return False
    if isinstance(value, int | float):
        return any(value in numbers_in(text) for text in texts)
    if not isinstance(value, str) or not (wanted := normalised(value)):
        return False
    return any(_as_words(wanted, normalised(text)) for text in texts)


_DIGITS = re.compile(r"\d+")
_RATIO = re.compile(r"\b\d{1,9}(?:\s?[/:]\s?\d{1,9}){1,20}\b")


def with_percentages(text: str) -> str:
    """Return the text with fractions and ratios in digits as percentages.

    >>> with_percentages("control 1/4, the others ¾; or 2:1:1, or 30/70")
    'control 25, the others 75; or 50 25 25, or 30 70'
    """
    return _RATIO.sub(_percentages, unicodedata.normalize("NFKC", text).replace("\N{FRACTION SLASH}", "/"))


def _percentages(match: re.Match[str]) -> str:
    parts = [int(part) for part in _DIGITS.findall(match[0])]
    total = sum(parts)
    if ":" not in match[0] and len(parts) == 2 and parts[0] < parts[1] and total != 100:
        parts, total = parts[:1], parts[1]
    return " ".join(f"{100 * part / total:.6g}" for part in parts) if total else match[0]


def _other_number(value: Any, words: str, before: Any) -> bool:
    """Whether the quoted words name numbers, and the value is neither one of them nor calculated from them.

    A text with digits, such as a date, matches if it has all numbers of the words ("17.4." and 2025-04-17). A number
    may be rounded from a calculated one if it has decimals, or from a fraction or ratio that is written in the words.
    """
    if isinstance(value, str):
        own, named = (set(map(int, _DIGITS.findall(text))) for text in (value, words))
        return bool(own and named) and not named <= own
    named_numbers = numbers_in(words)
    if not named_numbers:
        return False
    known = {*named_numbers, *([float(before)] if isinstance(before, int | float) else [])}
    decimals = len(f"{value:f}".rstrip("0").partition(".")[2])
    last_digit = 10.0**-decimals
    percentages = numbers_in(with_percentages(words)) - named_numbers
    rounded = decimals and not percentages
    sources = (
        (known, 0.0),
        (set().union(*_calculated(known)), last_digit / 2 if rounded else 0.0),
        # One of three thirds is 33.34, so that they add up to 100.
        (percentages | {100 - each for each in percentages}, last_digit),
    )
    return not any(
        math.isclose(value, each, rel_tol=1e-6, abs_tol=tolerance) for found, tolerance in sources for each in found
    )


def _calculated(numbers: Collection[float]) -> Iterator[set[float]]:
    """Yield sum, difference, product, ratio and share in percent of two numbers, and one changed by a percentage."""
    yield {100 - each for each in numbers}
    for one, other in permutations(numbers, 2):
        yield {one + other, one - other, one * other, one * (1 + other / 100), one * (1 - other / 100)}
        if other:
            yield {one / other, 100 * one / other, 100 - 100 * one / other}


def _as_words(wanted: str, text: str) -> bool:
    """Whether the wanted text occurs in `text` and does not begin or end inside a word."""
    found = ((each.start(), each.start() + len(wanted)) for each in re.finditer(f"(?={re.escape(wanted)})", text))
    ends = ((text[max(begin - 1, 0) : begin], text[end : end + 1]) for begin, end in found)
    return any(not (_joins(before, wanted[0]) or _joins(wanted[-1], after)) for before, after in ends)


def _joins(left: str, right: str) -> bool:
    """Whether two neighbouring characters belong to one word. In scripts without spaces they do not."""
    joining = left.isalnum() and right.isalnum()
    return joining and not any(unicodedata.east_asian_width(sign) in "WF" for sign in left + right)
