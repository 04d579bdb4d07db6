"""The authors of a logbook: those that a tool offers, and those by whom a question wants entries."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphwright.agents.assistant.state import ToolInfo
from graphwright.agents.assistant.words import folded, listed

SHORTEST = 3
"""Letters of a part of a name that stands for it."""

_TITLES = listed("dr prof mr mrs ms herr frau")
_TOKEN = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*['’]?|\d+|[^\w\s]")
_POSSESSIVE = re.compile(r"['’]s?$")
_ENTRY = re.compile(
    r"\b(?:entry|entries|eintrag\w*|eintr[aä]g\w*|reports?|notes?|posts?|messages?|handovers?|logs?|shifts?)\b",
    re.IGNORECASE,
)
_SAYS = re.compile(
    r"\b(?:say|said|says|write|writes|wrote|written|report(?:s|ed)?|note[sd]?|log(?:s|ged)?|enter(?:s|ed)?|sagt\w*|"
    r"schreib\w*|schrieb\w*|geschrieben|gemeldet|meldet\w*|berichtet\w*|eingetragen|notiert\w*)\b",
    re.IGNORECASE,
)
_ASKS_OF_THEM = re.compile(
    r"\b(?:phone|telephone|extension|e-?mails?|office|reach|reached|telefon\w*|durchwahl|rufnummer|erreich\w*|büro)\b",
    re.IGNORECASE,
)
"""Who asks how somebody is to be had does not look for what he wrote."""

_ENGLISH_ARTICLES = listed("the a an this that these those")
_GERMAN_ARTICLES = listed("der die das dem den des ein eine einem einen einer am im vom zum zur beim")
_COUNTING = listed("which what any some no every each all new old our another welche welcher welches welchen alle jede")
_SPOKEN_TO = listed("""
    about to for with tell told ask asked inform informed call called mention mentions mentioned über mit für an
    wurde wurden wird erwähnt informiert gefragt
    """)
"""What stands before the name of one that something was done to or said of."""

_WHOSE = listed("by from of von vom did has had have hat hatte haben does")
"""What stands before the name of one who did something."""

_SUFFERED = re.compile(r"^(?:\w+ed|told|called)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Person:
    """An author that a text names: `name` is what a search takes, `said` are the words of it as they stand."""

    name: str
    said: tuple[str, ...]


def authors_of(tool: ToolInfo) -> tuple[str, ...]:
    """The authors that a tool offers for its argument `author`; none where it does not say."""
    properties: Mapping[str, Any] = tool["input_schema"].get("properties") or {}
    facts = properties.get("author")
    if not isinstance(facts, Mapping):
        return ()
    parts = [facts, *(each for each in facts.get("anyOf") or () if isinstance(each, Mapping))]
    return tuple(
        str(name) for part in parts for name in (part.get("enum") or ()) if isinstance(name, str) and name.strip()
    )


def says_something(text: str) -> bool:
    """Whether a question is for what was written: for entries, or for what somebody says."""
    return bool(_ENTRY.search(text) or _SAYS.search(text))


def named_in(text: str, authors: Collection[str]) -> list[Person]:
    """The authors whose entries a question is for, in order.

    A part of a name will do. What stands where a thing does ("the Weber pump") or somebody who was spoken to ("who told
    Weber?") is a word like others.
    """
    if not authors or _ASKS_OF_THEM.search(text):
        return []
    known = {part for name in authors for part in _parts(name)}
    tokens = _TOKEN.findall(text)
    whole = [_parts(name) for name in authors]
    small = text == text.lower()
    found: list[Person] = []
    place = 0
    while place < len(tokens):
        end = place
        parts: list[str] = []
        while end < len(tokens) and (part := _part(tokens[end], known)):
            parts.append(part)
            end += 1
            following = (
                _part(tokens[end + 1], known) if tokens[end : end + 1] == [","] and end + 1 < len(tokens) else ""
            )
            # "Weber, Jana" is one.
            if following and any({folded(part), folded(following)} <= set(name) for name in whole):
                end += 1
        if parts and _wrote(tokens, place, end, sure=_is_whole(parts, whole), small=small):
            found.append(Person(" ".join(parts), tuple(token for token in tokens[place:end] if token != ",")))
        place = max(end, place + 1)
    return list({person.name: person for person in found}.values())


def _parts(name: str) -> tuple[str, ...]:
    words = (folded(word) for word in re.findall(r"[^\W\d_]+", name))
    return tuple(word for word in words if len(word) >= SHORTEST and word not in _TITLES)


def _is_whole(parts: Sequence[str], names: Sequence[tuple[str, ...]]) -> bool:
    said = sorted(map(folded, parts))
    return any(sorted(name) == said for name in names)


def _part(token: str, known: Collection[str]) -> str:
    """The part of a name that a word is, without what makes it a possessive; empty where it is none."""
    plain = _POSSESSIVE.sub("", token)
    if folded(plain) in known:
        return plain
    # German has no apostrophe: "Kerems Einträge".
    if plain == token and token.endswith("s") and token[:1].isupper() and folded(token[:-1]) in known:
        return token[:-1]
    return ""


def _wrote(tokens: Sequence[str], start: int, end: int, *, sure: bool, small: bool) -> bool:
    """Whether a name stands where somebody does who wrote or did something; `sure` says that it is a whole name."""
    before = tokens[start - 1].casefold() if start else ""
    after = tokens[end] if end < len(tokens) else ""
    possessive = any("'" in token or "’" in token for token in tokens[start:end])
    if not (tokens[start][:1].isupper() or (small and (sure or possessive or before in _WHOSE))):
        return False
    if _ENTRY.match(after):
        return True
    if before in _SPOKEN_TO or (before in ("was", "were", "is", "are", "been") and _SUFFERED.match(after)):
        return False
    if possessive or before in _WHOSE:
        return True
    if before in _ENGLISH_ARTICLES or before in _COUNTING:
        return False
    # "Der Kerem" is a man, "die Weber Pumpe" a thing.
    return before not in _GERMAN_ARTICLES or not after[:1].isupper()
