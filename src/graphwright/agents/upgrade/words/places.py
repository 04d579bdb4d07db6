"""Contexts, condition codes, decision points, users and groups that a message names."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from graphwright.agents.upgrade.words.saying import Saying, covered
from graphwright.agents.upgrade.words.vocabulary import COMMON, NUMBER_WORDS
from graphwright.runtime.reading.words import Stretch, Word, fold, fold_keeping_places, is_typo_of, vocabulary, words_of

Contexts = Mapping[str, Mapping[str, Sequence[str]]]
"""What each context knows: `conditions`, `group_types`, `sites`, `targets`."""

_CONTEXT_WORD = r"(?:context|app|application|kontext|anwendung)"
_BESIDE_BEFORE = re.compile(rf"(?:\b{_CONTEXT_WORD}\s*(?:is|=|:|called|named)?|\b(?:in|for|im|fur|of))\s*(?:the\s+)?$")
_BESIDE_AFTER = re.compile(rf"\s*{_CONTEXT_WORD}\b")
_CONTEXT_BEHIND = re.compile(rf"\b{_CONTEXT_WORD}\s+(?:is\s+|called\s+|named\s+|=\s*|:\s*)?(?P<said>\w[\w.-]*)")
_CONTEXT_BEFORE = re.compile(
    rf"\b(?:(?:in|for|with|im|use|fur)\s+(?:(?:the|den|der|dem)\s+)?(?!(?:the|den|der|dem)\b)(?P<said>\w[\w.-]*)"
    rf"|the\s+(?P<marked>\w+[-_.]\w[\w.-]*))\s+{_CONTEXT_WORD}\b"
)
_ORDINAL_CONTEXT = re.compile(rf"\b(?P<place>{'|'.join(NUMBER_WORDS)})\s+{_CONTEXT_WORD}\b")
_NO_CONTEXT = vocabulary("""
    and or with is are for in to the a an any which what that this conditions condition metadata s of first second
    third last available new same my your its each every und mit ist please called named there exist exists does do
    has have should you we i right correct wrong test
""")
_POINT = re.compile(r"(?<![\w/.@:-])(?P<site>[^\W\d_][\w.-]{0,60})\s?/\s?(?P<target>[\w][\w.-]{0,60})(?![\w/@])")
_POINT_BEFORE = re.compile(
    r"\b(?:points?|at|site|on|also|plus|add|too|remove|drop|without|entscheidungspunkte?|bei|an|auch|ohne|entferne"
    r"|streiche)\s*:?\s*[\"'“]?$"
)
# "Conditions control and no-hint/default" lists codes.
_IN_CODES = re.compile(
    r"\b(?:conditions?|condition codes?|codes?|variants?|arms?|bedingung(?:en)?)\b"
    r"(?:(?!\b(?:at|on|points?|sites?|targets?|bei|an|with|mit)\b)[^.;!?\n])*$"
)
_NO_POINT = frozenset(
    {("and", "or"), ("a", "b"), ("yes", "no"), ("on", "off"), ("he", "she"), ("und", "oder"), ("n", "a")}
)
_VALUE = r"[\"'“‘]?(?P<{}>[\w][\w.-]*)[\"'”’]?"
_SITE_TARGET = re.compile(
    rf"\bsite\b\s*(?:is|=|:|named|called)?\s*{_VALUE.format('site')}\s*(?:,|and|with|/|und|mit)*\s*(?:and\s+"
    rf"|with\s+|und\s+|mit\s+|the\s+|on\s+)*target\b\s*(?:is|=|:|named|called)?\s*{_VALUE.format('target')}"
)
_TARGET_SITE = re.compile(
    rf"\btarget\b\s*(?:is|=|:)?\s*{_VALUE.format('target')}\s*(?:,|and|at|on|of|und"
    rf"|bei)*\s*(?:the\s+)?site\b\s*(?:is|=|:)?\s*{_VALUE.format('site')}"
)
_AT_ON = re.compile(rf"\bat\s+{_VALUE.format('site')}\s+(?:on|for|with|in)\s+{_VALUE.format('target')}(?![\w/])")


@dataclass(frozen=True, slots=True)
class Point:
    """A decision point: where in an app a condition is asked for, and where the message names it."""

    site: str
    target: str
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Value:
    """A value that the server knows, and where the message names it."""

    text: str
    start: int
    end: int


def contexts_named(saying: Saying, contexts: Contexts) -> list[Value]:
    """The contexts that a message names, whatever the case, and "the first context"; in order."""
    found = [
        value
        for value in known_values(saying, list(contexts))
        if not is_common(value.text) or _beside(saying.text, value.start, value.end) or in_quotes(saying, value)
    ]
    # "Chemlab" is chem-lab.
    squeezed = {"".join(words_of(name)): name for name in contexts if len(words_of(name)) > 1}
    found += [
        Value(squeezed[fold(raw.text)], raw.start, raw.end) for raw in saying.raw if squeezed.get(fold(raw.text), "")
    ]
    folded = fold_keeping_places(saying.text)
    names = list(contexts)
    for match in _ORDINAL_CONTEXT.finditer(folded.text):
        place = NUMBER_WORDS[match["place"]]
        if place < len(names):
            found.append(Value(names[place], folded.places[match.start()], folded.end(match.end())))
    return sorted(found, key=lambda value: value.start)


def unknown_contexts(saying: Saying, contexts: Contexts, kept: Sequence[Stretch]) -> list[str]:
    """What a message calls a context although the server has none of that name."""
    folded = fold_keeping_places(saying.text)
    known = {tuple(words_of(name)) for name in contexts}
    found = []
    for match in (*_CONTEXT_BEHIND.finditer(folded.text), *_CONTEXT_BEFORE.finditer(folded.text)):
        which = "said" if match["said"] else "marked"
        start, end = folded.places[match.start(which)], folded.end(match.end(which))
        said = saying.text[start:end].strip(".")
        words = tuple(words_of(said))
        if words and words not in known and words[0] not in _NO_CONTEXT and not covered(Stretch(start, end), kept):
            found.append(said)
    if not found:
        # "create an experiment with invalid-context": the word itself says that it should be one.
        found = [
            raw.text
            for raw in saying.raw
            if re.search(r"[-_.](?:context|app)$", fold(raw.text))
            and tuple(words_of(raw.text)) not in known
            and not covered(raw, kept)
        ]
    return list(dict.fromkeys(found))


def near_values(said: str, known: Sequence[str]) -> list[str]:
    """The known values that `said` may be a slip for, the nearest first."""
    squeezed = "".join(words_of(said))
    scored = []
    for value in known:
        other = "".join(words_of(value))
        ratio = SequenceMatcher(None, squeezed, other).ratio()
        if ratio >= 0.72 or is_typo_of(squeezed, other) or (len(squeezed) > 3 and squeezed in other):
            scored.append((-ratio, value))
    return [value for _, value in sorted(scored)]


def contexts_near(saying: Saying, contexts: Contexts, unknown: Sequence[str], kept: Sequence[Stretch]) -> list[str]:
    """The contexts that come near to words of a message which names none exactly."""
    said = [*unknown, *(raw.text for raw in saying.raw if not covered(raw, kept) and len(raw.text) > 4)]
    found: list[str] = []
    for each in said:
        if each in unknown or re.search(r"[-_]", each):
            found += near_values(each, list(contexts))
    return list(dict.fromkeys(found))


def points_named(
    saying: Saying, sites: Sequence[str], targets: Sequence[str], codes: Sequence[str], kept: Sequence[Stretch]
) -> list[Point]:
    """The decision points that a message names, in order. `codes` are condition codes: "control/variant" is none.

    "site/target", "site X, target Y", "at X on Y", and known sites and targets that stand in pairs. What is known
    decides which of the two is the site.
    """
    folded = fold_keeping_places(saying.text)
    found: dict[tuple[int, Point], None] = {}
    taken: list[Stretch] = []
    known_sites, known_targets, known_codes = _by_words(sites), _by_words(targets), _by_words(codes)

    def add(first: str, second: str, start: int, end: int, *, sure: bool, paired: bool = False) -> None:
        first, second = first.strip("."), second.strip(".")
        if not words_of(first) or not words_of(second):
            return
        one, other = tuple(words_of(first)), tuple(words_of(second))
        if one in known_targets and other in known_sites and not (one in known_sites and other in known_targets):
            first, second, one, other = second, first, other, one
        if not sure and one not in known_sites and other not in known_targets:
            return
        point = Point(known_sites.get(one, first), known_targets.get(other, second), start, end)
        if paired or not covered(Stretch(start, end), taken):
            found[(start, point)] = None
            taken.append(Stretch(start, end))

    def original(match: re.Match[str], group: str) -> str:
        return saying.text[folded.places[match.start(group)] : folded.end(match.end(group))]

    for pattern, sure in ((_SITE_TARGET, True), (_TARGET_SITE, True), (_POINT, True), (_AT_ON, False)):
        for match in pattern.finditer(folded.text):
            start, end = folded.places[match.start("site")], folded.end(match.end())
            if pattern is _POINT and not _is_point(match, {*known_sites, *known_targets}, known_codes):
                continue
            if not any(one.start <= start and end <= one.end for one in kept):
                site, target = original(match, "site"), original(match, "target")
                add(site, target, min(start, folded.places[match.start("target")]), end, sure=sure)
    for one, other in _pairs(saying, sites, targets, [*kept, *taken]):
        add(one.text, other.text, min(one.start, other.start), max(one.end, other.end), sure=True, paired=True)
    return list(dict.fromkeys(point for _, point in sorted(found, key=lambda item: item[0])))


def _is_point(match: re.Match[str], places: Collection[tuple[str, ...]], codes: Collection[tuple[str, ...]]) -> bool:
    one, other = match["site"], match["target"]
    if (one, other) in _NO_POINT or (other.isdigit() and one.isdigit()):
        return False
    words = {tuple(words_of(one)), tuple(words_of(other))}
    if words & {*places}:
        return True
    before = match.string[: match.start()]
    if words <= {*codes} or _IN_CODES.search(before):
        return False
    joined = re.search(r"(?:/\S+\s*(?:,|and|und)\s*)$", before)
    return bool(_POINT_BEFORE.search(before) or re.search(r"[-_.\d]", one + other) or joined)


def values_named(saying: Saying, known: Sequence[str], kept: Sequence[Stretch]) -> list[str]:
    """The known values that a message names, in order."""
    found = [value for value in known_values(saying, known) if not covered(Stretch(value.start, value.end), kept)]
    return list(dict.fromkeys(value.text for value in found if not is_common(value.text)))


def _pairs(
    saying: Saying, sites: Sequence[str], targets: Sequence[str], kept: Sequence[Stretch]
) -> list[tuple[Value, Value]]:
    """Sites and targets that stand one after the other."""
    ones = [
        v for v in known_values(saying, sites) if not covered(Stretch(v.start, v.end), kept) and not is_common(v.text)
    ]
    others = [
        v for v in known_values(saying, targets) if not covered(Stretch(v.start, v.end), kept) and not is_common(v.text)
    ]
    if len(ones) == len(others):
        return list(zip(ones, others, strict=True))
    return [(ones[0], other) for other in others] if len(ones) == 1 else []


def known_values(saying: Saying, values: Sequence[str]) -> list[Value]:
    """Where known values stand as whole words, the longest first where they overlap; in order."""
    starting: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for value in values:
        tokens = tuple(words_of(value))
        if tokens:
            starting.setdefault(tokens[0], []).append((tokens, value))
    for named in starting.values():
        named.sort(key=lambda item: -len(item[0]))
    found: list[Value] = []
    at = 0
    words = saying.words
    while at < len(words):
        match = _match(saying, words, at, starting.get(words[at].text, ()))
        if match is None:
            at += 1
            continue
        found.append(match[0])
        at += match[1]
    return found


def _match(
    saying: Saying, words: Sequence[Word], at: int, values: Sequence[tuple[tuple[str, ...], str]]
) -> tuple[Value, int] | None:
    fits = [(t, v) for t, v in values if tuple(word.text for word in words[at : at + len(t)]) == t]
    if not fits:
        return None
    size = len(fits[0][0])
    start, end = words[at].start, words[at + size - 1].end
    # `hint-first-2` is not `hint-first`.
    if (start and saying.text[start - 1] in "-_") or (
        saying.text[end : end + 2].strip()[:1] in ("-", "_") and saying.text[end + 1 : end + 2].isalnum()
    ):
        return None
    literal = saying.text[start:end]
    same = [value for tokens, value in fits if len(tokens) == size]
    return Value(literal if literal in same else same[0], start, end), size


def _by_words(values: Sequence[str]) -> dict[tuple[str, ...], str]:
    return {tuple(words_of(value)): value for value in values}


def is_common(value: str) -> bool:
    words = words_of(value)
    return len(words) == 1 and (words[0] in COMMON or len(words[0]) < 3)


def _beside(text: str, start: int, end: int) -> bool:
    folded_before, folded_after = fold(text[max(0, start - 30) : start]), fold(text[end : end + 30])
    return bool(_BESIDE_BEFORE.search(folded_before) or _BESIDE_AFTER.match(folded_after))


def in_quotes(saying: Saying, value: Value) -> bool:
    return any(quote.start < value.start and value.end < quote.end for quote in saying.quotes)
