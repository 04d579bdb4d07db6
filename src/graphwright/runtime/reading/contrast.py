"""Corrections of a choice that the user's own words make plain: `not a warehouse, an office`, `I meant a repair`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphwright.kernel import lookup
from graphwright.runtime.reading.candidates import Candidate
from graphwright.runtime.reading.choices import UNSURE, is_denied
from graphwright.runtime.reading.evidence import Evidence, evidence_in
from graphwright.runtime.reading.extract import Proposal
from graphwright.runtime.reading.formats import without_emails
from graphwright.runtime.reading.options import has_words, options_of, spelled
from graphwright.runtime.reading.turning import takes_back, turns_away, without_turning_words
from graphwright.runtime.reading.words import Stretch, fold, is_form_of, vocabulary, words_of

_LONGEST = 2000
_FEW = 10
_WANTING = ([], *([word] for word in vocabulary("a an to need want ein eine einen zu zum zur will")))
_AROUND = vocabulary("""
    make that it its this thats is are be change to into should please i we want wanted need take use go with for in
    the a an our my one ones on of das es ist sind bitte nehmen nehme wollen will brauchen fur im in der die den ein
    eine einen unser mein auf
""")
"""What may stand around an option that takes the place of another one."""


def contrasted(text: str, offered: Sequence[Candidate], answers: Mapping[str, Any]) -> list[Proposal]:
    """Choices that the message puts another one in the place of, whatever a model sees in it.

    It denies the choice and speaks for one other option, or turns away (`wait`, `actually`) and says nothing but one
    other option. Only for options with words that the author listed.
    """
    return [
        _proposed(text, candidate, others[0])
        for candidate, denied, others in _spoken_of(text, offered, answers)
        if len(others) == 1 and (denied or (denied is None and _says_nothing_else(text, others[0])))
    ]


def _proposed(text: str, candidate: Candidate, evidence: Evidence) -> Proposal:
    return Proposal(candidate, evidence.option.value, text[evidence.place.start : evidence.place.end])


def _says_nothing_else(text: str, evidence: Evidence) -> bool:
    rest = without_turning_words(f"{text[: evidence.place.start]} {text[evidence.place.end :]}")
    return turns_away(text) and _AROUND.issuperset(rest)


def taken_back(text: str, offered: Sequence[Candidate], answers: Mapping[str, Any]) -> list[Proposal]:
    """Choices that a message corrects although it was to be taken as it stands, as a description is.

    It must speak for one other option only, and take something back (`I meant ...`), or turn away from something (`no`,
    `actually`) and deny the choice, or name in a few words what it shall be instead (`so a repair`).
    """
    if takes_back(text):
        return [
            _proposed(text, candidate, others[0])
            for candidate, denied, others in _spoken_of(text, offered, answers)
            if len(others) == 1 and denied is not False
        ]
    if not turns_away(text):
        return []
    return contrasted(text, offered, answers) + [
        _proposed(text, candidate, others[0])
        for candidate, denied, others in _spoken_of(text, offered, answers)
        if len(others) == 1 and denied is None and _is_wanted(text, others[0])
    ]


def _is_wanted(text: str, evidence: Evidence) -> bool:
    """Whether a short message ends by naming an option as what is wanted: `so a repair`, `I want to buy`."""
    before = words_of(text[: evidence.place.start])
    return len(words_of(text)) <= _FEW and before[-1:] in _WANTING and not words_of(text[evidence.place.end :])


def _spoken_of(
    text: str, offered: Sequence[Candidate], answers: Mapping[str, Any]
) -> list[tuple[Candidate, bool | None, list[Evidence]]]:
    """For each choice made: whether the message denies it (None: does not name it), and the other options it names."""
    if len(text) > _LONGEST or "?" in text or UNSURE.search(fold(text)):
        return []
    found: list[tuple[Candidate, bool | None, list[Evidence]]] = []
    words = without_emails(text)
    for candidate in offered:
        schema = candidate.question.schema
        known, value = lookup(answers, candidate.path)
        if not known or not has_words(schema):
            continue
        evidence = evidence_in(words, options_of(schema))
        chosen = [_denies(words, e) for e in evidence if e.option.value == value]
        others = [e for e in evidence if e.option.value != value and not is_denied(words, _whole(words), e)]
        found.append((candidate, chosen[0] if chosen else None, others))
    return found


def _denies(text: str, evidence: Evidence) -> bool:
    """Whether a choice is denied: by its own name, or in a message that turns away from something.

    In "it is not out but dim" the word that would speak for a repair denies none.
    """
    if not is_denied(text, _whole(text), evidence):
        return False
    said = words_of(text[evidence.place.start : evidence.place.end])
    named = words_of(f"{spelled(evidence.option.value)} {evidence.option.title}")
    return turns_away(text) or any(is_form_of(word, name) for word in said for name in named)


def _whole(text: str) -> Stretch:
    return Stretch(0, len(text))
