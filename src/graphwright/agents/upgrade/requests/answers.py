"""What a bare reply gives for the piece that was asked for: "Foo" is a name there, "42" a user, "a, b" are codes."""

from __future__ import annotations

import re
from typing import Any

from graphwright.agents.upgrade.checks.transitions import state_of
from graphwright.agents.upgrade.requests.reading import Pending, Reading
from graphwright.agents.upgrade.words.people import bare_id
from graphwright.agents.upgrade.words.places import near_values
from graphwright.agents.upgrade.words.vocabulary import STATE_WORDS
from graphwright.runtime.reading.numbers import numbers_in
from graphwright.runtime.reading.words import fold, words_of

_LONGEST_NAME = 12
_LEAD = re.compile(
    r"^\W*(?:(?:please|ok|okay|well|hm+|let s say|i(?: ?')?d like|i would like|make it|use|take|how about|maybe"
    r"|it should be|it is|it's"
    r"|its name is|the name is|call it|name it|the user is|user|user id|bitte|nimm|nenne es|vielleicht)\s*[:,]?\s+)+",
    re.IGNORECASE,
)
_PARTS = re.compile(r"\s*(?:,|;|/|&|\band\b|\bund\b|\bvs\.?|\n)\s*", re.IGNORECASE)
_WORDLESS = re.compile(r"\A[^\w]+\Z")


UNKNOWN_CODES = "unknown_codes"
"""The piece that is missing while condition codes wait to be confirmed which their context does not know."""

_KEEPS = re.compile(
    r"\b(?:keep|use|leave|take|they are|it is|that is|is) (?:it|them|that|those|right|correct|meant|new|fine|as)\b"
    r"|\b(?:anyway|all the same|behalte\w*|trotzdem|no typo)\b"
)


def keeps_codes(text: str) -> bool:
    """Whether a reply keeps condition codes that their context does not know: "keep it", "use them anyway"."""
    return _KEEPS.search(fold(text)) is not None


def _exchanged(pending: Pending, reading: Reading) -> list[dict[str, Any]]:
    """The conditions with the codes that a reply gives instead of those that were asked about; a yes takes the
    nearest."""
    before = list(pending.params.get("conditions", ()))
    known = reading.known_codes
    strange = [each["code"] for each in before if each["code"] not in known]
    said = [code for code in reading.codes if code not in [each["code"] for each in before]]
    if not said and reading.yes_no:
        nearest = [near_values(code, known)[:1] for code in strange]
        said = [near[0] for near in nearest if near]
    if len(said) != len(strange):
        return []
    instead = dict(zip(strange, said, strict=True))
    return [each | {"code": instead.get(each["code"], each["code"])} for each in before]


def answered(pending: Pending, reading: Reading) -> dict[str, Any]:
    """The parameters that a reply gives to what is missing. What it states by itself (`stated`) comes before this.

    A question, a yes or a no, and a message that is about something else give nothing.
    """
    if pending.missing[:1] == [UNKNOWN_CODES] and reading.stance in ("answer", "yes"):
        exchanged = _exchanged(pending, reading)
        return {"conditions": exchanged} if exchanged else {}
    if reading.stance != "answer" or reading.asks:
        return {}
    if not pending.missing or reading.orders:
        return {}
    bare = _bare(reading)
    found: dict[str, Any] = {}
    first = pending.missing[0]
    if first == "name" and not reading.name_given and _is_name(bare):
        found["name"] = bare
    if first == "user_id" and not reading.users and re.fullmatch(r"\S+", bare) and bare_id(bare):
        found["user_id"] = bare_id(bare)
    if first == "context" and not reading.contexts and not reading.unknown_contexts and re.fullmatch(r"[\w.-]+", bare):
        found["context"] = bare
    if first == "conditions" and not reading.codes:
        parts = [part for part in _PARTS.split(bare) if part]
        if len(parts) > 1 and all(re.fullmatch(r"[\w][\w.-]*", part) and not part.isdigit() for part in parts):
            found["conditions"] = [{"code": part} for part in parts]
    if first in ("users", "groups") and reading.user_count is None:
        numbers = [each.value for each in numbers_in(reading.text) if isinstance(each.value, int)]
        if len(numbers) == 1:
            found[first] = numbers[0]
    placed = reading.points or reading.sites or reading.targets
    if first in ("site", "target") and not placed and re.fullmatch(r"[\w.-]+", bare):
        found[first] = bare
    if first == "status":
        found |= _status(reading)
    return found


def _bare(reading: Reading) -> str:
    quoted = [title for title in reading.titles if title.quoted]
    if len(quoted) == 1:
        return quoted[0].text
    return " ".join(_LEAD.sub("", reading.text).split()).strip(" .!'\"“”")


def _is_name(bare: str) -> bool:
    return bool(bare) and (0 < len(words_of(bare)) <= _LONGEST_NAME or _WORDLESS.match(bare) is not None)


def _status(reading: Reading) -> dict[str, Any]:
    for word in reading.text.split():
        state = state_of(word.strip(".!'\""))
        if state is not None:
            return {"status": state.value}
    known = next((STATE_WORDS[word] for word in words_of(reading.text) if word in STATE_WORDS), "")
    return {"status": known} if known else {}
