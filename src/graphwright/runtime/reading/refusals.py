"""Whether a reply speaks of having no answer: a refusal, ignorance, or a wish to leave the question out."""

from __future__ import annotations

import re

from graphwright.runtime.reading.clauses import NEGATIONS
from graphwright.runtime.reading.words import fold, vocabulary, words_of

_LACKING = vocabulary("""
    nope nah nothing nobody nix nichts unknown unsure undecided open flexible dunno depends whatever anything secret
    private rather prefer refuse decline pass later yet idea clue unbekannt offen unklar egal geheim privat lieber
    spater noch weiss ungern
""")
_LEAVING_OUT = vocabulary("skip omit later without leave optional uberspringen weglassen auslassen spater ohne")
_LONGEST = 2000
_SENTENCE = re.compile(r"[^.!?\n]*[.!?\n]?")


def words_without_apostrophes(text: str) -> list[str]:
    """The folded words of `text`, `don't` being one word: `dont`."""
    return words_of(fold(text).replace("'", ""))


def denies(text: str) -> bool:
    """Whether `text` has a word of denial: `not`, `none`, `don't`, `kein`."""
    return not NEGATIONS.isdisjoint(words_without_apostrophes(text))


def has_no_answer(text: str, *, again: bool) -> bool:
    """Whether a reply in which a model saw no answer to give may be taken for a refusal.

    Not where it only asks something, unless it asks to leave the question out. Words that speak for a refusal are
    wanted at first, since a small model calls nonsense a refusal as well; when asked `again`, its word is enough.
    """
    sentences = [match[0] for match in _SENTENCE.finditer(text[:_LONGEST]) if words_of(match[0])]
    asked = [sentence for sentence in sentences if sentence.rstrip().endswith("?")]
    if any(not _LEAVING_OUT.isdisjoint(words_without_apostrophes(sentence)) for sentence in asked):
        return True
    stated = " ".join(sentence for sentence in sentences if sentence not in asked)
    if not stated:
        return False
    return again or denies(stated) or not _LACKING.isdisjoint(words_without_apostrophes(stated))
