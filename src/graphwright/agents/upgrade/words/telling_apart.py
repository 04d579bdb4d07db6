"""What tells experiments apart that no name does: their states, contexts, places, conditions and descriptions."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from graphwright.agents.upgrade.words.states_said import states_said
from graphwright.agents.upgrade.words.vocabulary import COMMON, STATE_WORDS
from graphwright.runtime.reading.words import fold, stem, words_of

_THING = r"(?:one|experiment|test|study|thing|project|versuch|studie)"
_BEFORE = re.compile(rf"\b(?:the|that|my|our|das|die|den|der)\s+(?P<how>[\w-]+(?:\s+[\w-]+)?)\s+{_THING}\b")
_BEHIND = re.compile(
    rf"\b(?:the|that|das|die|den)\s+{_THING}\s+(?P<how>(?:(?:that|which|who|das|die)\s+|(?:is|was|has|whose|with|at|in|on"
    r"|about|from|for|called|ist|mit|bei|im|uber)\b)[^.,;!?\n]+)"
)
_APPENDED = re.compile(r"\b(?:that|which|whose|who|das|die)\s+(?:is|are|has|runs|deals|ist|hat)?\s*[^.,;!?\n]+")
_FILLER = frozenset({"has", "is", "was", "runs", "still", "currently", "about", "text", "texts", "deals"})


def described(text: str) -> str:
    """How a message describes an experiment without its name: "the inactive one", "the one with the poems".

    Empty where it does not.
    """
    folded = fold(text)
    match = _BEHIND.search(folded) or _BEFORE.search(folded)
    if match is None:
        return ""
    behind = folded[match.end() :]
    place = re.match(r"\s+(?:in|at|of|from|im|bei|von)\s+[^.,;!?\n]+", behind)
    return match["how"] + (place[0] if place is not None else "")


def marked(text: str) -> str:
    """The part of a message that says which of several experiments is meant: "..., the one with the poems"."""
    folded = fold(text)
    found = described(text)
    appended = _APPENDED.search(folded)
    return " ".join([found, appended[0] if appended is not None else ""]).strip()


def told_apart(text: str, about: Mapping[str, str]) -> list[str]:
    """Which of some experiments a text means by words that only one has; `about` has the words of each by id."""
    said = telling_words(text)
    own = {id: telling_words(words) for id, words in about.items()}
    found = []
    for id, words in own.items():
        others: set[str] = set().union(*(each for other, each in own.items() if other != id))
        if said & (words - others):
            found.append(id)
    return found


def fits(text: str, words: str, state: str) -> bool:
    """Whether an experiment, given by what is known of it, is what a text describes, in every word of it."""
    states = states_said(text)
    said = telling_words(text)
    return bool(states or said) and (not states or state in states) and said <= telling_words(words)


def telling_words(text: str) -> set[str]:
    """The stems of the words that say something, without those of states."""
    words: Collection[str] = words_of(text)
    return {stem(word) for word in words if word not in COMMON and word not in STATE_WORDS and word not in _FILLER}
