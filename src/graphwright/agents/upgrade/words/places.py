"""Contexts, condition codes, decision points, users and groups that a message names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TypeVar

from graphwright.agents.upgrade.words.saying import Saying, covered
from graphwright.agents.upgrade.words.vocabulary import COMMON, GROUP, NUMBER_WORDS, USER
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
_NO_POINT = frozenset(
    {("and", "or"), ("a", "b"), ("yes", "no"), ("on", "off"), ("he", "she"), ("und", "oder"), ("n", "a")}
)
_SITE = r"(?:site|decision point|ort)"
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
_USERS = re.compile(
    r"\b(?:user|users|student|students|pupil|learner|participant|nutzer|benutzer|schuler|schulerin|student(?:en|in))"
    r"(?:\s+(?:ids?|called|named|with (?:the )?id|mit der id|id is))?\s*[:=]?\s*"
    r"(?P<ids>[\"'“‘]?[\w][\w.@+-]*[\"'”’]?(?:\s*(?:,|and|und|&)\s*[\"'“‘]?[\w][\w.@+-]*[\"'”’]?)*)"
)
_ID_LIKE = re.compile(r"(?=\S*\d)[^\W_][\w.@+-]{0,80}\Z")
# Numbers, per cents, ordinals, and ids of experiments.
_NO_ID = re.compile(r"[\d._:+@-]+\Z|\d+(?:%|k|st|nd|rd|th)\Z|[0-9a-f]{8}(?:-[0-9a-f]{4}|\Z)")
_NO_USER = vocabulary("""
    is are was were will would should can could do does did has have in into at on for to from of and or the a an
    get gets see sees who that which with as by not be been when if initialized assigned simulation id ids list
    group groups exclusion inclusion segment condition conditions testing data s he she they per count number named
    him his them their someone somebody anyone anybody noone nobody teacher teachers girls boys those these now then
    always still ever first
    called visited reached ist sind bekommt im am auf fur von mit und receive receives enrolled there exist exists
    evenly each equally only through via using over across please
""")
_ID = re.compile(r"\w[\w.-]*\d[\w-]*|\d[\w-]*")
_SPEAKS_OF_LISTS = re.compile(r"\b(?:exclu\w*|inclu\w*|leave out|keep|ausschl\w*|einschl\w*|schliess\w*)\b")
_ONE_USER = r"[\"'“‘]?[^\W_][\w.@+-]*[\"'”’]?"
_SOME_USERS = rf"{_ONE_USER}(?:\s*(?:,\s*and|,|and|und|&)\s*{_ONE_USER})*"
# Where only the id of a user can stand, also one that looks like any other word.
_USER_SLOTS = (
    re.compile(
        rf"\b(?:put|add|place|set|setze?|fuge)\s+(?P<ids>{_SOME_USERS})\s+(?:on|onto|to|in|into|auf|zu)\b"
        r"[^.!?\n]{0,40}\b(?:exclusion|inclusion|exclude|include|ausschluss\w*|einschluss\w*)"
    ),
    re.compile(
        rf"\b(?:remove|take|drop|delete|entferne)\s+(?P<ids>{_SOME_USERS})\s+(?:from|off|out of|aus|von)\b"
        r"[^.!?\n]{0,40}\b(?:exclusion|inclusion|exclude|include|ausschluss\w*|einschluss\w*)"
    ),
    re.compile(
        rf"\b(?:exclude|include|leave out|schliesse)\s+(?:only\s+|just\s+|nur\s+)?(?P<ids>{_SOME_USERS})"
        r"\s+(?:from|in|aus|von)\b"
    ),
    re.compile(
        rf"\b(?:does|will|would|did|is|wird)\s+(?P<ids>{_ONE_USER})\s+(?:get|see|receive|assigned|be assigned)\b"
    ),
    re.compile(rf"\b(?:bekommt|erhalt|kriegt)\s+(?P<ids>{_ONE_USER})\s+(?:in|im|bei|an|am)\b"),
    re.compile(
        rf"\b(?:mark|log|record|note|markiere|vermerke)\s+(?:that\s+|dass\s+)?(?P<ids>{_ONE_USER})\s+"
        r"(?:was|as|at|has|visited|reached|saw|war|bei|als)\b"
    ),
)
_MORE_IDS = re.compile(r"(?:\s*(?:,|and|und|&)\s*(?=[\w.-]*\d)\w[\w.-]*)+")
_ENDS_ID = re.compile(r"\s*(?:$|[,.;!?]|(?:from|in|of|on|to|and|aus|von|und)\b)")
_LISTED_CODES = re.compile(
    r"\b(?:conditions?|condition codes?|codes?|variants?|arms?|bedingung(?:en)?)\s*(?:called|named|are|is|:|="
    r"|codes?|sind)?\s*"
    r"(?P<codes>[\"'“‘]?[\w][\w.-]*[\"'”’]?(?:\s*(?:\([^)]*\)|=?\s*\d{1,3}(?:\.\d+)?\s*%?)?\s*(?:,\s*and"
    r"|,\s*und|,|and|und|&|vs\.?|versus)\s*[\"'“‘]?[\w][\w.-]*[\"'”’]?)+)"
)
_ONE_CODE = re.compile(
    r"(?:\b(?:condition|code|bedingung)\s+(?:called\s+|named\s+|code\s+)?[\"'“‘]?(?P<behind>[\w][\w.-]*)[\"'”’]?|"
    r"\b(?:the|a|die|new)\s+[\"'“‘]?(?P<before>[\w][\w.-]*)[\"'”’]?\s+(?:condition|bedingung)\b)"
)
_NO_CODE = vocabulary("""
    for in to with of is are does do did has have and or the a an at on weights weight which what that s from new
    code codes assignment assignments available user users student it if get gets called named evenly equal equally
    split each every first second third last other same right wrong one two three bekommt erhalt bekommen kriegt
    receives receive will mit und fur please 50 list name more another default_ applied not no metadata default my
    your between after before there exist be should would can ist sind site sites target targets point points
    he she they we you i who was were has had this that these those her his their whatever er sie es wurde
    decision context tags tag description group school class
""")

_Any = TypeVar("_Any")


@dataclass(frozen=True, slots=True)
class Point:
    """A decision point: where in an app a condition is asked for."""

    site: str
    target: str


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
        for value in _known(saying, list(contexts))
        if not _common(value.text) or _beside(saying.text, value.start, value.end) or _in_quotes(saying, value)
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


def codes_named(saying: Saying, known: Sequence[str], kept: Sequence[Stretch]) -> list[str]:
    """The condition codes that a message names, in order: known ones, and others behind the word "condition"."""
    found: list[Value] = []
    folded = fold_keeping_places(saying.text)
    by_words = {tuple(words_of(code)): code for code in known}

    def add(said: str, at: int) -> None:
        words = tuple(words_of(said))
        if words and words[0] not in _NO_CODE and not words[0].isdigit() and words[0] not in USER:
            code = by_words.get(words, said)
            if code not in (value.text for value in found):
                found.append(Value(code, at, at + len(said)))

    for match in _LISTED_CODES.finditer(folded.text):
        start, end = folded.places[match.start("codes")], folded.end(match.end("codes"))
        listed = re.sub(r"\([^)]*\)", lambda m: " " * len(m[0]), saying.text[start:end])
        for part in re.finditer(
            r"[^\W_][\w.-]*", re.sub(r"(?i)\b(?:and|und|vs|versus)\b|[=%]", lambda m: " " * len(m[0]), listed)
        ):
            if not part[0][0].isdigit():
                add(part[0].strip("."), start + part.start())
    for match in _ONE_CODE.finditer(folded.text):
        which = "behind" if match["behind"] else "before"
        start, end = folded.places[match.start(which)], folded.end(match.end(which))
        said = saying.text[start:end].strip(".")
        if not covered(Stretch(start, end), kept) or tuple(words_of(said)) in by_words:
            add(said, start)
    for each in _known(saying, known):
        if each.text in (value.text for value in found) or covered(Stretch(each.start, each.end), kept):
            continue
        short = len(each.text) < 3 or (_common(each.text) and each.text not in ("control", "variant"))
        if not short or _in_quotes(saying, each) or re.search(r"%|\d", saying.text[each.end : each.end + 5]):
            found.append(each)
    return list(dict.fromkeys(value.text for value in sorted(found, key=lambda value: value.start)))


def points_named(saying: Saying, sites: Sequence[str], targets: Sequence[str], kept: Sequence[Stretch]) -> list[Point]:
    """The decision points that a message names, in order.

    "site/target", "site X, target Y", "at X on Y", and known sites and targets that stand in pairs. What is known
    decides which of the two is the site.
    """
    folded = fold_keeping_places(saying.text)
    found: dict[tuple[int, Point], None] = {}
    taken: list[Stretch] = []
    known_sites, known_targets = _by_words(sites), _by_words(targets)

    def add(first: str, second: str, start: int, end: int, *, sure: bool, paired: bool = False) -> None:
        first, second = first.strip("."), second.strip(".")
        if not words_of(first) or not words_of(second):
            return
        one, other = tuple(words_of(first)), tuple(words_of(second))
        if one in known_targets and other in known_sites and not (one in known_sites and other in known_targets):
            first, second, one, other = second, first, other, one
        if not sure and one not in known_sites and other not in known_targets:
            return
        point = Point(known_sites.get(one, first), known_targets.get(other, second))
        if paired or not covered(Stretch(start, end), taken):
            found[(start, point)] = None
            taken.append(Stretch(start, end))

    def original(match: re.Match[str], group: str) -> str:
        return saying.text[folded.places[match.start(group)] : folded.end(match.end(group))]

    for pattern, sure in ((_SITE_TARGET, True), (_TARGET_SITE, True), (_POINT, True), (_AT_ON, False)):
        for match in pattern.finditer(folded.text):
            start, end = folded.places[match.start("site")], folded.end(match.end())
            if pattern is _POINT and not _is_point(match, known_sites, known_targets):
                continue
            if not any(one.start <= start and end <= one.end for one in kept):
                site, target = original(match, "site"), original(match, "target")
                add(site, target, min(start, folded.places[match.start("target")]), end, sure=sure)
    for one, other in _pairs(saying, sites, targets, [*kept, *taken]):
        add(one.text, other.text, min(one.start, other.start), max(one.end, other.end), sure=True, paired=True)
    return list(dict.fromkeys(point for _, point in sorted(found, key=lambda item: item[0])))


def _is_point(
    match: re.Match[str], sites: Mapping[tuple[str, ...], str], targets: Mapping[tuple[str, ...], str]
) -> bool:
    one, other = match["site"], match["target"]
    if (one, other) in _NO_POINT or (other.isdigit() and one.isdigit()):
        return False
    known = {tuple(words_of(one)), tuple(words_of(other))} & {*sites, *targets}
    before = match.string[max(0, match.start() - 24) : match.start()]
    named = re.search(r"(?:point|points|at|site|on|entscheidungspunkte?|bei|an)\s*:?\s*[\"'“]?$", before)
    return bool(
        known or named or re.search(r"[-_.\d]", one + other) or re.search(r"(?:/\S+\s*(?:,|and|und)\s*)$", before)
    )


def values_named(saying: Saying, known: Sequence[str], kept: Sequence[Stretch]) -> list[str]:
    """The known values that a message names, in order."""
    found = [value for value in _known(saying, known) if not covered(Stretch(value.start, value.end), kept)]
    return list(dict.fromkeys(value.text for value in found if not _common(value.text)))


def _pairs(
    saying: Saying, sites: Sequence[str], targets: Sequence[str], kept: Sequence[Stretch]
) -> list[tuple[Value, Value]]:
    """Sites and targets that stand one after the other."""
    ones = [v for v in _known(saying, sites) if not covered(Stretch(v.start, v.end), kept) and not _common(v.text)]
    others = [v for v in _known(saying, targets) if not covered(Stretch(v.start, v.end), kept) and not _common(v.text)]
    if len(ones) == len(others):
        return list(zip(ones, others, strict=True))
    return [(ones[0], other) for other in others] if len(ones) == 1 else []


def users_named(saying: Saying, kept: Sequence[Stretch], *, loose: bool) -> list[str]:
    """The ids of users that a message names; with `loose` also words that only look like ids: `stu-12`."""
    folded = fold_keeping_places(saying.text)
    found: dict[str, None] = {}
    for match in _USERS.finditer(folded.text):
        start, end = folded.places[match.start("ids")], folded.end(match.end("ids"))
        parts = re.finditer(r"[\w][\w.@+-]*", saying.text[start:end])
        for place, part in enumerate(parts):
            said = part[0].strip(".")
            word = fold(said)
            if word in ("and", "und"):
                continue
            plain = (
                word in _NO_USER or word in GROUP or covered(Stretch(start + part.start(), start + part.end()), kept)
            )
            if plain or (place and not _ID_LIKE.match(said)):
                break
            found[said] = None
    for each in bare_users(saying, kept):
        found |= dict.fromkeys(each.ids)
    if loose and not found:
        for raw in saying.raw:
            said = raw.text.strip(".")
            if _ID_LIKE.match(said) and not _NO_ID.match(said) and not covered(raw, kept):
                found[said] = None
    return list(found)


@dataclass(frozen=True, slots=True)
class UsersNamed:
    """Ids of users that stand in a row, and where."""

    ids: tuple[str, ...]
    start: int
    end: int


def bare_users(saying: Saying, kept: Sequence[Stretch]) -> list[UsersNamed]:
    """Users whom only their place in the sentence marks as such: "put ann and ben on the exclusion list"."""
    folded = fold_keeping_places(saying.text)
    found = []
    for pattern in _USER_SLOTS:
        for match in pattern.finditer(folded.text):
            start, end = folded.places[match.start("ids")], folded.end(match.end("ids"))
            if covered(Stretch(start, end), kept):
                continue
            ids = [part[0].strip(".") for part in re.finditer(r"[^\W_][\w.@+-]*", saying.text[start:end])]
            ids = [id for id in ids if fold(id) not in ("and", "und")]
            if ids and all(_may_be_user(id) for id in ids):
                found.append(UsersNamed(tuple(ids), start, end))
    return found


def _may_be_user(id: str) -> bool:
    words = words_of(id)
    if any(word.isdigit() or not word.isalpha() for word in words):
        return _ID_LIKE.match(id) is not None and not _NO_ID.match(id)
    return not any(word in COMMON or word in _NO_USER for word in words)


def groups_named(
    saying: Saying, types: Sequence[str], kept: Sequence[Stretch]
) -> tuple[list[tuple[str, str]], list[str]]:
    """The groups that a message names, as (type, id), and the types of groups that it speaks of.

    "school s1", "schoolId: s1", "in class 7b" name groups; "by school", "per schoolId" only a type.
    """
    folded = fold_keeping_places(saying.text)
    groups: dict[tuple[str, str], None] = {}
    spoken: dict[str, None] = {}
    # "The whole school south" names a group where somebody is left out, and else only says how to assign.
    types_only = {"by", "per", "each", "every", "nach", "pro"}
    types_only |= set() if _SPEAKS_OF_LISTS.search(folded.text) else {"whole", "entire", "ganze"}
    for type in types:
        for form in _forms(type):
            for match in re.finditer(
                rf"(?<![\w-]){re.escape(form)}(?:\s+id)?\b(?P<rest>\s*(?:[=:]|is|called"
                rf"|named)?\s*[\"'“‘]?(?P<id>[\w][\w.-]*))?",
                folded.text,
            ):
                start = folded.places[match.start()]
                if covered(
                    Stretch(start, folded.end(match.end())), [one for one in kept if one.start <= start < one.end]
                ):
                    continue
                spoken[type] = None
                if match["id"]:
                    end = folded.end(match.end("id"))
                    id = saying.text[folded.places[match.start("id")] : end].strip(".")
                    before = folded.text[: match.start()].split()[-1:]
                    beside = bool(before) and before[0] in types_only
                    if not beside and _is_group_id(id, form, saying.text[end:]):
                        more = _MORE_IDS.match(saying.text, end)
                        for each in (id, *(_ID.findall(more[0]) if more else ())):
                            groups[(type, each)] = None
    return list(groups), list(spoken)


def _forms(type: str) -> list[str]:
    """How users say a type of groups: `schoolId` is "schoolid" and "school"."""
    low = fold(type)
    bare = re.sub(r"[\s_-]*ids?$", "", low)
    german = {"school": "schule", "class": "klasse", "teacher": "lehrer"}
    plural = f"{bare}es" if bare.endswith("s") else f"{bare}s"
    return list(dict.fromkeys(form for form in (low, bare, plural, german.get(bare, "")) if form))


def _is_group_id(id: str, form: str, behind: str) -> bool:
    low = fold(id)
    if low in _NO_USER or low in COMMON or low in ("id", "level", "unit", "wide", "consistency", "type", "types"):
        return False
    marked = any(c.isdigit() for c in id) or form.endswith("id") or id[:1].isupper() or "-" in id or len(id) < 3
    return marked or _ENDS_ID.match(behind) is not None


def _known(saying: Saying, values: Sequence[str]) -> list[Value]:
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


def _common(value: str) -> bool:
    words = words_of(value)
    return len(words) == 1 and (words[0] in COMMON or len(words[0]) < 3)


def _beside(text: str, start: int, end: int) -> bool:
    folded_before, folded_after = fold(text[max(0, start - 30) : start]), fold(text[end : end + 30])
    return bool(_BESIDE_BEFORE.search(folded_before) or _BESIDE_AFTER.match(folded_after))


def _in_quotes(saying: Saying, value: Value) -> bool:
    return any(quote.start < value.start and value.end < quote.end for quote in saying.quotes)
