"""What a message mentions without stating it: something asked about, something past, something of somebody else."""

from __future__ import annotations

import re

from graphwright.runtime.reading.words import fold, words_of

_REACH = 80
_SENTENCE_END = re.compile(r"[.!?\n](?:\s|$)")
_CLAUSE_END = re.compile(r"[,;:!?\n()]|\.(?:\s|$)|\s-\s|\b(?:and|but|und|aber)\b")
# `Is 200 W enough?` asks about an amount; `do you have LED lights for a gym?` says what is wanted.
_ASKING = re.compile(
    r"\W*(?:(?:and|but|so|hm+|ok|well|und|aber|also)\W+)*"
    r"(?:(?:is|are|was|were|does|did|would|will|should|isnt|arent|wouldnt|ist|sind|reicht|reichen|taugt|taugen|ware)\b"
    r"|(?:do|don'?t)\s+(?!you\s+(?:have|sell|offer|carry|stock|do)\b))"
)
_PAST_BEFORE = re.compile(
    r"\b(?:had|used to|last (?:time|year|month|week)|hatten?|fruher|letzte[sn]? \w+)(?:\s+\w+){0,3}\W*$"
)
_PAST_BEHIND = re.compile(r"\W*(?:last (?:time|year|month|week)|ago|back then|letzte[sn]? \w+|damals)\b")
_OTHERS_HAVE = re.compile(r"\b(?:has|uses|owns|bought|hat|nutzt|benutzt|besitzt)(?:\s+\w+){0,2}\W*$")
_OTHERS = re.compile(r"\b(?:my|our|his|her|their|the|a|mein\w*|unser\w*|sein\w*|ihr\w*)\s+(\w+)\W*$")
_OF_MINE = re.compile(
    r"(?:e?mail|address|adress|account|konto|number|nummer|contact|kontakt|office|work|buro|privat|business)"
)


def is_asked_about(message: str, start: int, end: int) -> bool:
    """Whether `message[start:end]` stands in a question about it: `is 200 W enough?`."""
    behind = fold(message[end : end + _REACH])
    stop = _SENTENCE_END.search(behind)
    if stop is None or behind[stop.start()] != "?":
        return False
    before = fold(message[max(0, start - _REACH) : start])
    begin = [match.end() for match in _SENTENCE_END.finditer(before)]
    sentence = before[begin[-1] if begin else 0 :]
    return any(_ASKING.match(part) for part in (sentence, _CLAUSE_END.split(sentence)[-1]))


def is_past(message: str, start: int, end: int) -> bool:
    """Whether `message[start:end]` tells how things were: `we had 3000 last time`."""
    before = _CLAUSE_END.split(fold(message[max(0, start - _REACH) : start]))[-1]
    behind = _CLAUSE_END.split(fold(message[end : end + _REACH]))[0]
    return _PAST_BEFORE.search(before) is not None or _PAST_BEHIND.match(behind) is not None


def is_what_others_have(message: str, start: int) -> bool:
    """Whether what begins at `start` is something that somebody or something has: `my neighbour has halogen`."""
    before = _CLAUSE_END.split(fold(message[max(0, start - _REACH) : start]))[-1]
    return _OTHERS_HAVE.search(before) is not None


def is_address_of_another(message: str, start: int, end: int) -> bool:
    """Whether an address is named as somebody's of whom more is said: `my colleague bob@shop.example told me`."""
    owner = _OTHERS.search(fold(message[max(0, start - _REACH) : start]))
    if owner is None or _OF_MINE.search(owner[1]):
        return False
    return bool(words_of(_CLAUSE_END.split(message[end : end + _REACH])[0]))
