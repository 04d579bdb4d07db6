"""How a deed is spoken of: as an order, asked about, denied, only thought of, or told."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from graphwright.agents.upgrade.words.saying import has_phrase, phrase_at
from graphwright.agents.upgrade.words.verbs import POLITE, Piece, Verb, lead_of
from graphwright.agents.upgrade.words.vocabulary import (
    ASKING,
    BASE,
    DONE,
    NOT,
    NOT_YET_DENIED,
    PASSIVE,
    SOFT,
    SUPPOSING,
    TELLING,
)
from graphwright.runtime.reading.words import Word, phrases

_DOING_IT = phrases("do it, do that, do this, do so, do a")

Mood = Literal["order", "question", "denied", "supposed", "told"]
"""To be done, asked about, not to be done, only thought of, or told of."""


def mood_of(piece: Piece, verb: Verb) -> Mood:
    """How the piece speaks of what its verb means."""
    before = piece.words[: verb.at]
    if has_phrase(before, SUPPOSING) or _sentence_supposes(piece):
        return "supposed"
    if _denied(piece, verb, before):
        return "order" if _no_longer(piece, verb) else "denied"
    if verb.form == "doing":
        return "told"
    if verb.form == "done":
        return _passive(piece, verb, before)
    if has_phrase(before, TELLING):
        return "told"
    lead = lead_of(piece, verb.at)
    if lead in ("first", "polite") or (_at_end(piece, verb) and _begins_politely(piece)):
        return "order"
    if asks(piece):
        return "question"
    return "order" if lead or _at_end(piece, verb) else "told"


def _sentence_supposes(piece: Piece) -> bool:
    """Whether the sentence up to here only thinks of something, and this fragment does not begin anew with an order."""
    early = piece.saying.between(piece.fragment.sentence_start, piece.fragment.start)
    if not early or not has_phrase(early, SUPPOSING):
        return False
    # "If it is running, stop it" is an order; "what if I stopped it and then deleted Foo" is none.
    conditional = early[0].text in ("if", "wenn", "falls") and not has_phrase(early, BASE.keys() | DONE.keys())
    return not conditional


def _denied(piece: Piece, verb: Verb, before: Sequence[Word]) -> bool:
    if has_phrase(before, NOT_YET_DENIED):
        return False
    if has_phrase(before, NOT):
        return True
    after = {word.text for word in piece.words[verb.at + verb.size :]}
    return bool(after & {"nicht", "kein", "keine", "keinen", "niemals", "nothing", "none", "nichts", "keins"})


def _no_longer(piece: Piece, verb: Verb) -> bool:
    """ "Don't exclude ann any more": what is undone is asked for."""
    listed = piece.words[verb.at].text in ("exclude", "include", "excluding", "including", "schliesse")
    texts = [word.text for word in piece.all]
    ends = {"anymore"} & set(texts) or any(
        pair in (("any", "more"), ("no", "longer"), ("nicht", "mehr"), ("any", "longer")) for pair in pairwise(texts)
    )
    return listed and bool(ends) and not ({"i", "we", "they"} & set(texts[:2]))


def _passive(piece: Piece, verb: Verb, before: Sequence[Word]) -> Mood:
    if asks(piece):
        return "question"
    tail = piece.words[verb.at + verb.size :]
    german = bool(tail) and tail[0].text == "werden" and {"muss", "soll", "sollte"} & piece.texts
    return "order" if (has_phrase(before, PASSIVE) and _wanted(before)) or german else "told"


def _wanted(before: Sequence[Word]) -> bool:
    """ "Foo should be stopped", "I want Foo stopped", "get Foo started"."""
    texts = {word.text for word in before}
    if {"should", "must", "needs", "need", "be"} & texts:
        return "be" in texts
    wish = {"i", "we", "please"} & texts and {"want", "like", "get", "need"} & texts
    return bool(wish) or before[0].text == "get"


def _begins_politely(piece: Piece) -> bool:
    """ "Kannst du bitte Foo starten": the verb stands at the end."""
    own = [word.text for word in piece.all if word.text not in SOFT]
    return len(own) > 1 and own[0] in POLITE and own[1] in ("du", "sie", "wir", "ihr")


def asks(piece: Piece) -> bool:
    """Whether the sentence that the piece belongs to asks, or wants to be told something."""
    whole = piece.saying.between(piece.fragment.sentence_start, piece.fragment.end)
    return begins_asking(whole) or begins_asking(piece.all) or piece.saying.sentence_end(piece.fragment) == "?"


def begins_asking(words: Sequence[Word]) -> bool:
    """Whether words begin like a question, or like the wish to be told something; "do it" does not."""
    while words and words[0].text in SOFT and not phrase_at(words, 0, ASKING, 5):
        words = words[1:]
    return bool(phrase_at(words, 0, ASKING, 5)) and not phrase_at(words, 0, NOT | _DOING_IT, 3)


def _at_end(piece: Piece, verb: Verb) -> bool:
    """ "Foo bitte löschen": the infinitive at the end, which is an order in German."""
    last = verb.at + verb.size >= len(piece.words) or all(w.text in SOFT for w in piece.words[verb.at + verb.size :])
    german = piece.words[verb.at].text.endswith("en") and piece.words[verb.at].text != "broken"
    return last and german and not ({"i", "ich", "wir", "they"} & piece.texts)
