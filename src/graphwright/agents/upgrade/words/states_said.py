"""The states of experiments that a message speaks of: "which are running", "the inactive one", "not started yet"."""

from __future__ import annotations

import re

from graphwright.agents.upgrade.client.experiment import State
from graphwright.agents.upgrade.words.vocabulary import STATE_WORDS
from graphwright.runtime.reading.words import fold

STATES = tuple(state.value for state in State)
"""The states that an experiment can be in, by internal name."""

_PHRASES: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(
            r"\b(?:not|never|n t|nicht|noch nicht|yet to be|wait\w* to be|isn t|aren t|hasn t|haven t)\s+"
            r"(?:yet\s+)?(?:been\s+)?(?:started|launched|begun|gestartet)\b|\b(?:unstarted|drafts?)\b"
        ),
        "inactive",
    ),
    (re.compile(r"\b(?:enrol?lment (?:is )?complete[d]?|on hold|angehalten)\b"), "enrollmentComplete"),
    (re.compile(r"\b(?:started|enrolls?|enrols?|taking in|going on|ongoing|in progress|lauf(?:t|en))\b"), "enrolling"),
    (re.compile(r"\b(?:over|finished|ended|done|closed|beendet)\b"), "cancelled"),
)
_DENIED = re.compile(r"\b(?:not|isn t|aren t|n t|nicht|non|no longer)\s+(?:currently\s+|yet\s+|even\s+)*$")


def states_said(text: str) -> frozenset[str]:
    """The states that a text speaks of, by internal name; empty where it speaks of none.

    "Not running" is every other state.
    """
    folded = " ".join(re.sub(r"[^\w\s]", " ", fold(text)).split())
    found: set[str] = set()
    for pattern, state in _PHRASES:
        if pattern.search(folded):
            found |= _others(state) if _denied(folded, pattern) else {state}
            folded = pattern.sub(" ", folded)
    for match in re.finditer(r"\w+", folded):
        # "Das laufende" has an ending.
        state = STATE_WORDS.get(match[0]) or STATE_WORDS.get(re.sub(r"e[nmrs]?$", "", match[0]), "")
        if state:
            found |= _others(state) if _DENIED.search(folded[: match.start()]) else {state}
    return frozenset(found)


def _denied(folded: str, pattern: re.Pattern[str]) -> bool:
    match = pattern.search(folded)
    return match is not None and _DENIED.search(folded[: match.start()]) is not None


def _others(state: str) -> set[str]:
    return set(STATES) - {state}


def kind_of(states: frozenset[str]) -> str:
    """What experiments of these states are called before the word "experiments"; empty for no states."""
    left = [state for state in STATES if state not in states]
    if len(left) == 1:
        return f"non-{_KINDS.get(left[0], left[0])}"
    return " or ".join(_KINDS.get(state, state) for state in STATES if state in states)


_KINDS = {
    "inactive": "inactive",
    "enrolling": "running",
    "enrollmentComplete": "stopped",
    "cancelled": "cancelled",
    "archived": "archived",
}
