"""Words by which users turn away from what was said before: `I meant`, `actually`, `doch lieber`."""

from __future__ import annotations

from graphwright.runtime.reading.words import fold, phrases, words_of

# Folded, without apostrophes. The first take back something said before; the second may be a way of speaking.
_TAKING_BACK = phrases("""
    i meant, we meant, id rather, i would rather, we would rather, wed rather, or rather, thats not it, that is not it,
    not what i, not what we, you misunderstood, a misunderstanding, i was wrong, thats wrong, that is wrong, my mistake,
    a mistake, by mistake, correction, changed my mind, changed our minds, change my mind, on second thought,
    on second thoughts, scratch that, forget that, no wait, wait no, ich meinte, wir meinten, doch lieber, lieber doch,
    doch nicht, vielmehr, das ist falsch, falsch verstanden, missverstanden, missverstandnis, ein irrtum, verwechselt,
    clicked wrong, wrong button, verklickt,
    aus versehen, ein versehen, korrektur, umentschieden, anders uberlegt, vergiss das, vergessen sie das
""")
_TURNING = phrases("""
    actually, in fact, i mean, instead, rather than, rather, wrong, never mind, hold on, eigentlich, ich meine, gemeint,
    stattdessen, anstatt, statt, lieber, sondern, nicht mehr, falsch, moment mal, doch
""")
_TURNING_FIRST = frozenset({"no", "nope", "nah", "nein", "nee", "ne", "stop", "halt", "stopp", "wait", "sorry"})
_LONGEST_PHRASE = max(map(len, _TAKING_BACK | _TURNING))
_LONGEST = 2000
"""Characters of a message that are searched: who corrects says so at once."""


def takes_back(message: str) -> bool:
    """Whether a message takes back something said before, and can hardly mean anything else."""
    return not _runs(_words(message)).isdisjoint(_TAKING_BACK)


def turns_away(message: str) -> bool:
    """Whether a message turns away from something, if only in its way of speaking."""
    said = _words(message)
    return not (_runs(said).isdisjoint(_TAKING_BACK | _TURNING) and _TURNING_FIRST.isdisjoint(said[:1]))


def without_turning_words(message: str) -> list[str]:
    """The words of a message, folded, without those by which it turns away."""
    said = _words(message)
    for phrase in sorted(_TAKING_BACK | _TURNING, key=len, reverse=True):
        for at in range(len(said) - len(phrase), -1, -1):
            if tuple(said[at : at + len(phrase)]) == phrase:
                del said[at : at + len(phrase)]
    return said[1:] if said and said[0] in _TURNING_FIRST else said


def _words(message: str) -> list[str]:
    return words_of(fold(message[:_LONGEST]).replace("'", ""))


def _runs(said: list[str]) -> set[tuple[str, ...]]:
    return {tuple(said[at : at + size]) for at in range(len(said)) for size in range(1, _LONGEST_PHRASE + 1)}
