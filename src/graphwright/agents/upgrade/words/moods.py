"""How a deed is spoken of: as an order, asked about, denied, only thought of, or told."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from graphwright.agents.upgrade.words.saying import has_phrase, phrase_at
from graphwright.agents.upgrade.words.verbs import POLITE, Piece, Verb, is_soft, lead_of
from graphwright.agents.upgrade.words.vocabulary import (
    ASKING,
    BASE,
    DONE,
    EXPERIMENT,
    NOT,
    NOT_YET_DENIED,
    PASSIVE,
    SOFT,
    SUPPOSING,
    TELLING,
)
from graphwright.runtime.reading.words import Word, phrases, vocabulary

_DOING_IT = phrases("do it, do that, do this, do so, do a")
_MAY = vocabulary("can may should could must shall kann darf soll sollte muss")
_TO = frozenset({"needs", "need", "has", "have", "ought", "ready", "allowed", "is", "supposed", "got", "free"})
_WISHING = vocabulary("want like need time ready wish prefer expect let")
_SUBJECTS = EXPERIMENT | vocabulary("it this that they both one which es das")
_HAPPENS = frozenset({"start", "stop", "pause", "resume", "cancel", "complete", "archive"})
_HAS = vocabulary("include exclude use switch change split")
_GLAD = vocabulary("glad great nice lovely good kind grateful appreciate happy helpful schon nett super wonderful")
_ONLY_IF = vocabulary("if when once whether unless until before after wenn ob falls sobald bevor")

Mood = Literal["order", "question", "denied", "supposed", "told"]
"""To be done, asked about, not to be done, only thought of, or told of."""


def mood_of(piece: Piece, verb: Verb) -> Mood:
    """How the piece speaks of what its verb means."""
    before = piece.words[: verb.at]
    wished = _wished_politely(piece)
    if wished and verb.form != "doing" and not has_phrase(before, NOT):
        return "order"
    if has_phrase(before, SUPPOSING) or _sentence_supposes(piece):
        return "supposed"
    if _denied(piece, verb, before):
        return "order" if _no_longer(piece, verb) else "denied"
    if permitted(piece, verb):
        return "order"
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


def _wished_politely(piece: Piece) -> bool:
    """ "It would be great if you could stop Foo", "I'd be glad if Foo could start"."""
    said = {word.text for word in piece.saying.between(piece.fragment.sentence_start, piece.fragment.end)}
    polite = said & _GLAD and {"if", "wenn"} & said and {"would", "d", "ware", "wurde"} & said
    return bool(polite and {"could", "can", "would", "konntest", "konnte", "konnten"} & said)


def permitted(piece: Piece, verb: Verb) -> bool:
    """ "Foo can start now", "it may stop", "I'd like Foo to begin": an experiment, and what it is to do from now on."""
    happens = verb.verb in _HAPPENS or piece.words[verb.at].text in _HAS
    if verb.form != "base" or not happens or asks(piece):
        return False
    words = piece.all
    at = words.index(piece.words[verb.at])
    if _ONLY_IF & {word.text for word in words[:at]} and not _wished_politely(piece):
        return False
    while at > 0 and is_soft(words[at - 1].text):
        at -= 1
    said = words[at - 1].text if at else ""
    at -= 1
    if said == "to" and at > 0 and words[at - 1].text in _TO:
        at -= 1
        at -= 1 if words[at].text in ("ready", "allowed", "supposed", "free", "got") and at else 0
    elif said == "to":
        if not _WISHING & {word.text for word in words[:at]}:
            return False
    elif at > 0 and said in _SUBJECTS and words[at - 1].text == "let":
        return True
    elif said not in _MAY:
        return False
    while at > 0 and is_soft(words[at - 1].text):
        at -= 1
    subject = words[at - 1] if at > 0 else None
    return subject is not None and (
        subject.text in _SUBJECTS or any(name.start <= subject.start < name.end for name in piece.names)
    )


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
    listed = piece.words[verb.at].text in (
        "exclude",
        "include",
        "excluding",
        "including",
        "excluded",
        "included",
        "schliesse",
    )
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
