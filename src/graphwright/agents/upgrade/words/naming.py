"""Which experiments a message names: by their whole names, by ids, and names that only come near."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Literal

from graphwright.agents.upgrade.words.saying import Saying, covered, phrase_at
from graphwright.agents.upgrade.words.vocabulary import (
    BASE,
    COMMON,
    DETERMINERS,
    EXPERIMENT,
    LEADS,
    LONGEST_VERB,
    SOFT,
    STOP_WORDS,
)
from graphwright.runtime.reading.words import (
    Stretch,
    Word,
    fold,
    fold_keeping_places,
    is_spaced,
    is_typo_of,
    stem,
    words_of,
)

Experiments = tuple[tuple[str, str], ...]
"""Ids and names, as the server lists them; names are not unique."""

_ID = re.compile(r"(?<![\w-])[0-9a-f]{8}(?:-[0-9a-f]{4}){0,3}(?:-[0-9a-f]{1,12})?(?![\w-])", re.IGNORECASE)
_DENIERS = frozenset({"not", "nicht", "except", "ausser", "than", "of", "statt"})
_ALWAYS_COMMON = DETERMINERS | {"all", "both", "new", "alle", "beide", "neue", "neues"}
_MOST_COMPARED = 200
_NEAR, _REMOTE = 0.78, 0.45
_MOST_NEAREST = 3


@dataclass(frozen=True, slots=True)
class Named:
    """An experiment that a message names. `ids` are several where several have the name.

    `exact`: the whole name, whatever its case, or an id. `denied`: "not Foo but Bar" denies Foo.
    """

    ids: tuple[str, ...]
    name: str
    said: str
    start: int
    end: int
    quoted: bool = False
    denied: bool = False


@dataclass(frozen=True, slots=True)
class Near:
    """An experiment whose name comes near to words of the message; `how` says in what way they differ."""

    id: str
    name: str
    how: Literal["spelled", "part"]


class _Index:
    """Names by their words."""

    def __init__(self, experiments: Experiments) -> None:
        self.experiments = experiments
        self.tokens = [tuple(words_of(name)) for _, name in experiments]
        starting: dict[str, dict[tuple[str, ...], list[int]]] = defaultdict(lambda: defaultdict(list))
        self.having: dict[str, set[int]] = defaultdict(set)
        self.literal: list[tuple[str, int]] = []
        for at, tokens in enumerate(self.tokens):
            for token in tokens:
                self.having[token].add(at)
            if tokens and all(is_spaced(token[0]) for token in tokens):
                starting[tokens[0]][tokens].append(at)
            elif bare := fold(experiments[at][1]).strip():
                self.literal.append((bare, at))
        self.starting = {
            first: sorted(names.items(), key=lambda item: -len(item[0])) for first, names in starting.items()
        }
        self.letters: dict[str, list[str]] = defaultdict(list)
        for token in self.having:
            self.letters[token[0]].append(token)

    def like(self, token: str) -> set[int]:
        """The names that have a word, or one that it may be a slip or another form of."""
        if token in self.having:
            return self.having[token]
        near = self.letters.get(token[0], []) + (self.letters.get(token[1], []) if len(token) > 1 else [])
        found = (self.having[each] for each in near if is_typo_of(token, each) or stem(token) == stem(each))
        return set().union(*found)


@lru_cache(maxsize=4)
def _index(experiments: Experiments) -> _Index:
    return _Index(experiments)


def named(saying: Saying, experiments: Experiments) -> list[Named]:
    """The experiments that a message names, in order."""
    index = _index(experiments)
    words = saying.words
    found = _by_id(saying, experiments) + _literally(saying, index)
    taken = [Stretch(each.start, each.end) for each in found]
    at = 0
    while at < len(words):
        match = _match(saying, index, at, taken)
        if match is None:
            at += 1
            continue
        found.append(match[0])
        at += match[1]
    return sorted(found, key=lambda each: each.start)


def _match(saying: Saying, index: _Index, at: int, taken: Sequence[Stretch]) -> tuple[Named, int] | None:
    words = saying.words
    for tokens, places in index.starting.get(words[at].text, ()):
        size = len(tokens)
        if at + size > len(words) or tuple(word.text for word in words[at : at + size]) != tokens:
            continue
        start, end = words[at].start, words[at + size - 1].end
        if covered(Stretch(start, end), taken):
            continue
        quoted = any(quote.start < start and end < quote.end for quote in saying.quotes)
        if quoted and not any(tuple(words_of(quote.text)) == tokens for quote in saying.quotes):
            # Part of another quoted name.
            continue
        names = [index.experiments[place][1] for place in places]
        literal = saying.text[start:end]
        if not quoted and not _is_meant(words, at, size, literal in names and not literal.islower(), saying.text[end:]):
            continue
        said = {place for place in places if index.experiments[place][1] in (literal, *_quotes(saying, start, end))}
        said = said or {p for p in places if index.experiments[p][1].casefold() == literal.casefold()} or set(places)
        first = min(said)
        ids = tuple(index.experiments[place][0] for place in sorted(said))
        denied = at > 0 and _is_denied(words, at)
        return Named(ids, index.experiments[first][1], literal, start, end, quoted, denied), size
    return None


def _quotes(saying: Saying, start: int, end: int) -> list[str]:
    return [quote.text for quote in saying.quotes if quote.start < start and end < quote.end]


def _is_meant(words: Sequence[Word], at: int, size: int, literal: bool, behind: str) -> bool:
    """Whether words that are those of a name are meant as one: "test" is only beside "experiment"."""
    before = words[at - 1].text if at else ""
    after = words[at + size].text if at + size < len(words) else ""
    marked = before in EXPERIMENT or before in ("called", "named", "namens")
    beside = marked or (after in EXPERIMENT and literal)
    own = tuple(word.text for word in words[at : at + size])
    if phrase_at(words, at, BASE, LONGEST_VERB) and not beside and (before in SOFT or not before or _leads(words, at)):
        # "Delete Foo" is an order, even where an experiment has this name.
        return False
    if all(word in COMMON or (len(word) < 3 and size == 1) for word in own):
        if size > 1 and own[0] not in _ALWAYS_COMMON and _stands_as_name(words, at, size, behind):
            return True
        return beside or (literal and at > 0 and any(len(word) < 3 or size > 1 for word in own))
    return True


def _stands_as_name(words: Sequence[Word], at: int, size: int, behind: str) -> bool:
    """Whether common words stand where a name does: "get rid of running test for good", "running test: pause it"."""
    after = words[at + size].text if at + size < len(words) else ""
    if at == 0:
        return re.match(r"\s*[:,]", behind) is not None
    phrases = (tuple(word.text for word in words[at - n : at]) for n in range(min(LONGEST_VERB, at), 0, -1))
    verb = next((BASE[phrase] for phrase in phrases if phrase in BASE), "")
    ends = not after or after in STOP_WORDS or re.match(r"\s*(?:[.,:;!?]|'s\b|$)", behind) is not None
    return ends and (verb not in ("", "create") or words[at - 1].text in ("of", "von"))


def _leads(words: Sequence[Word], at: int) -> bool:
    lead = tuple(word.text for word in words[max(0, at - 3) : at])
    return any(lead[-length:] in LEADS for length in range(1, len(lead) + 1))


def _is_denied(words: Sequence[Word], at: int) -> bool:
    before = at - 1
    while before > 0 and (words[before].text in ("the", "das", "die", "den") or words[before].text in EXPERIMENT):
        before -= 1
    said = words[before].text
    if said == "of":
        return before > 0 and words[before - 1].text == "instead"
    if said == "than":
        return before > 0 and words[before - 1].text == "rather"
    return said in _DENIERS


def _by_id(saying: Saying, experiments: Experiments) -> list[Named]:
    found = []
    for match in _ID.finditer(saying.text):
        said = match[0].casefold()
        fits = [(id, name) for id, name in experiments if id.casefold().startswith(said)]
        if fits:
            ids = tuple(id for id, _ in fits)
            found.append(Named(ids, fits[0][1], match[0], match.start(), match.end()))
    return found


def _literally(saying: Saying, index: _Index) -> list[Named]:
    """Names without words, such as a lone picture, and those of scripts that put no spaces between words."""
    found: list[Named] = []
    folded = fold_keeping_places(saying.text)
    for bare, place in sorted(index.literal, key=lambda item: -len(item[0])):
        at = folded.text.find(bare)
        if at < 0:
            continue
        start, end = folded.places[at], folded.end(at + len(bare))
        if not any(start < each.end and each.start < end for each in found):
            id, name = index.experiments[place]
            found.append(Named((id,), name, saying.text[start:end], start, end))
    return found


def near(said: str, experiments: Experiments) -> list[Near]:
    """The experiments whose names come near to `said`, the nearest first: by spelling, else it is a part of theirs.

    A number is never taken for another one: "Pilot 3" is not near "Pilot 2".
    """
    index = _index(experiments)
    tokens = [token for token in words_of(said) if token not in EXPERIMENT and token not in DETERMINERS]
    if not tokens:
        return []
    digits = _digits(tokens)
    sets = [index.like(token) for token in tokens]
    candidates = _candidates(index, sets, tokens)
    squeezed = "".join(tokens)
    spelled = []
    for at in candidates:
        own = [token for token in index.tokens[at] if token not in EXPERIMENT and token not in DETERMINERS]
        if _digits(own) != digits:
            continue
        ratio = SequenceMatcher(None, squeezed, "".join(own)).ratio()
        if ratio >= _NEAR:
            spelled.append((-ratio, at))
    if spelled:
        return [Near(*experiments[at], "spelled") for _, at in sorted(spelled)]
    telling = any(len(token) > 2 and token not in COMMON for token in tokens)
    whole = set.intersection(*sets) if telling else set()
    return [Near(*experiments[at], "part") for at in sorted(whole) if digits <= _digits(index.tokens[at])]


def nearest(said: str, experiments: Experiments) -> list[str]:
    """Names that look most like `said`, for "there is no such experiment", however far off they are."""
    index = _index(experiments)
    tokens = words_of(said)
    squeezed = "".join(tokens)
    scored = []
    for at in _candidates(index, [index.like(token) for token in tokens if token not in COMMON], tokens):
        ratio = SequenceMatcher(None, squeezed, "".join(index.tokens[at])).ratio()
        if ratio >= _REMOTE:
            scored.append((-ratio, experiments[at][1]))
    return list(dict.fromkeys(name for _, name in sorted(scored)))[:_MOST_NEAREST]


def _candidates(index: _Index, sets: Iterable[set[int]], tokens: Sequence[str]) -> list[int]:
    """Names that may be near, at most some hundred of them: those that share words, then those that begin alike."""
    counts: dict[int, int] = defaultdict(int)
    for found in sets:
        for at in found:
            counts[at] += 1
    sharing = sorted(counts, key=lambda at: (-counts[at], at))[:_MOST_COMPARED]
    start = "".join(tokens)[:2]
    alike = (at for at, own in enumerate(index.tokens) if at not in counts and start and "".join(own)[:2] == start)
    return [*sharing, *(at for at, _ in zip(alike, range(_MOST_COMPARED - len(sharing)), strict=False))]


def _digits(tokens: Iterable[str]) -> set[str]:
    return {token for token in tokens if any(character.isdigit() for character in token)}
