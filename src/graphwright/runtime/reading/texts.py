"""Grounding texts: every word of the value is the user's own, and addresses are taken whole from the message."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from graphwright.runtime.reading.clauses import is_negated
from graphwright.runtime.reading.formats import Found, digits, emails_in, phone, phones_in
from graphwright.runtime.reading.verdicts import Grounded, Refused, grounded, shown
from graphwright.runtime.reading.words import (
    Folded,
    Stretch,
    fold,
    fold_keeping_places,
    is_spaced,
    phrases,
    places_of,
    words_of,
)

_NOTHING = phrases("""
    unknown, none, null, nil, n a, na, nan, undefined, not specified, not provided, not given, not mentioned,
    not stated, unspecified, no value, empty, missing, tbd, tba, not available, not applicable, unbekannt,
    keine angabe, keine angaben, nicht angegeben, i dont know, i don t know, dont know, don t know, no idea,
    weiss nicht, ich weiss nicht, keine ahnung
""")
_VERBATIM = frozenset({"date", "time", "date-time", "datetime", "duration", "uri", "url", "iri"})
_EMAIL_KEY = re.compile(r"(?:^|_)e_?mail(?:_?address)?$", re.IGNORECASE)
_PHONE_KEY = re.compile(r"(?:^|_)(?:tele)?(?:phone|fon|tel|mobile|handy|fax)(?:_?(?:number|nr|no))?$", re.IGNORECASE)


def format_of(schema: Mapping[str, Any], key: str) -> str:
    """The format of a text: the schema's own, else `email` or `phone` by the name of its key, else ''."""
    given = schema.get("format")
    if isinstance(given, str) and given:
        return {"idn-email": "email", "tel": "phone"}.get(given, given)
    name = key.rpartition(".")[2]
    if _EMAIL_KEY.search(name):
        return "email"
    return "phone" if _PHONE_KEY.search(name) else ""


def says_nothing(value: Any) -> bool:
    """Whether a text stands for the lack of one: blank, `unknown`, `n/a`, `I don't know`."""
    text = str(value).strip()
    return not text or (len(text) < 40 and tuple(words_of(text)) in _NOTHING)


def ground_text(message: str, place: Stretch, value: Any, kind: str) -> Grounded | Refused:
    """The text `value` if its words are in `message`; `kind` is its format as `format_of` names it."""
    text = str(value).strip()
    tokens = words_of(text)
    if kind == "email":
        return _ground_email(message, place, text)
    if kind == "phone":
        return _ground_phone(message, place, text)
    folded = fold_keeping_places(message)
    if kind in _VERBATIM or not tokens:
        found = places_of(text, folded, most=1)
        return grounded(message, found[0], text) if found else _not_said(text)
    said = {*words_of(message)}
    missing = [token for token in tokens if not _is_said(token, said, folded.text)]
    if missing:
        return _not_said(text, missing[0])
    if (whole := places_of(text, folded)) and all(is_negated(message, w.start, w.end, closely=True) for w in whole):
        return Refused(f"You wrote that it is not {shown(text)}.", "negated")
    stretch = whole[0] if whole else _together(tokens, folded)
    if stretch is None:
        return _not_said(text)
    return grounded(message, stretch, text)


def _together(tokens: list[str], message: Folded) -> Stretch | None:
    """Where the words of a value stand in its order, at most one other word between two of them; None for nowhere.

    Words picked from here and there make a value that nobody said: a first name and somebody else's surname.
    """
    words = list(message.words())
    for first, word in enumerate(words):
        at = first
        if not _is_said(tokens[0], {word.text}, word.text):
            continue
        for token in tokens[1:]:
            near = (n for n in (at + 1, at + 2) if n < len(words) and _is_said(token, {words[n].text}, words[n].text))
            at = next(near, -1)
            if at < 0:
                break
        else:
            return Stretch(word.start, words[at].end)
    return None


def _is_said(token: str, said: set[str], message: str) -> bool:
    """Whether a word was said, a plural `s` more or less; in a script without spaces, whether it is in the text."""
    if token in said or (not is_spaced(token[0]) and token in message):
        return True
    if token.isdecimal() or len(token) < 4:
        return False
    return f"{token}s" in said or (token.endswith("s") and token[:-1] in said)


def _not_said(text: str, word: str = "") -> Refused:
    if word and fold(text) != word:
        return Refused(f"{shown(text)} is not in your message: {shown(word)} is missing there.", "not_said")
    return Refused(f"{shown(text)} is not in your message.", "not_said")


def _ground_email(message: str, place: Stretch, text: str) -> Grounded | Refused:
    found = emails_in(message)
    meant = {fold(text), *(fold(each.value) for each in emails_in(text))}
    same = [each for each in found if fold(each.value) in meant]
    chosen = same[0] if same else _only_one([each for each in found if not each.spelled], place)
    if chosen is None:
        if "@" not in message:
            return Refused(f"{shown(text)} is not an e-mail address from your message.", "format")
        return Refused(f"{shown(text)} is not a complete e-mail address from your message.", "format")
    return grounded(message, Stretch(chosen.start, chosen.end), chosen.value)


def _ground_phone(message: str, place: Stretch, text: str) -> Grounded | Refused:
    found = phones_in(message)
    number = digits(text)
    same = [each for each in found if number and digits(each.value) == number]
    chosen = same[0] if same else _only_one(found, place)
    if chosen is None:
        reason = "is not a phone number from your message" if phone(text) else "is not a complete phone number"
        return Refused(f"{shown(text)} {reason}.", "format")
    return grounded(message, Stretch(chosen.start, chosen.end), chosen.value)


def _only_one(found: list[Found], place: Stretch) -> Found | None:
    """The one that overlaps the quote, else the only one there is."""
    quoted = [each for each in found if each.start < place.end and each.end > place.start]
    if len(quoted) == 1:
        return quoted[0]
    return found[0] if len(found) == 1 else None
