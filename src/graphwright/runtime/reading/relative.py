"""Amounts relative to an answer that is there: `50 W more`, `twice the power`, `cut the budget by 10 %`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphwright.kernel import lookup
from graphwright.runtime.reading.amounts import is_integer
from graphwright.runtime.reading.candidates import Candidate
from graphwright.runtime.reading.commit import Accepted
from graphwright.runtime.reading.naming import names_in
from graphwright.runtime.reading.numbers import Mention, convert, numbers_in
from graphwright.runtime.reading.options import listed_words
from graphwright.runtime.reading.words import fold, is_form_of, vocabulary, words_of

_LONGEST = 400
# In these patterns `#` stands for a number with its unit.
_UP = (
    r"# (?:more|extra|additional|higher|bigger|stronger|mehr|zusatzlich|hoher|starker)",
    r"(?:add|plus|another|additional|extra|weitere|zusatzlich|zusatzliche)(?: another| an extra)? #",
    r"(?:increas\w*|rais\w*|bump\w*|erhoh\w*|steiger\w*)(?: \w+){0,3} (?:by|um) #",
    r"um # (?:hoher|mehr|erhoh\w*|steiger\w*)",
)
_DOWN = (
    r"# (?:less|fewer|lower|smaller|weaker|weniger|niedriger|geringer|schwacher)",
    r"(?:subtract|deduct|take off) #|take # (?:off|away)",
    r"(?:reduc\w*|lower|cut|decreas\w*|senk\w*|reduzier\w*|verringer\w*)(?: \w+){0,3} (?:by|um) #",
    r"um # (?:niedriger|weniger|senk\w*|reduzier\w*|verringer\w*|kurz\w*)",
)
_TIMES = {
    r"twice(?: as much| as high| as strong)?|doubl\w*|doppelt\w*(?: so (?:viel|hoch|stark))?|verdoppel\w*": 2.0,
    r"tripl\w*|dreifach\w*|verdreifach\w*": 3.0,
    r"half(?: as much| of)?|halv\w*|die halfte(?: von)?|halbier\w*|halb so (?:viel|hoch|stark)": 0.5,
}
_TIMES_NUMBER = r"# times(?: as much)?|# mal(?: so viel)?"
_EACH = r"(?:each|every|per|pro|je|jede|jeden|jedes) \w+"
# What may stand around. Anything else, and the user is asked for the amount itself.
_AROUND = vocabulary("""
    please bitte make set change put it that this those i we you id wed ill well would want need like lets let us
    should shall can must to for from on of the a an at our my your just then now yes ja ok okay also actually each
    apiece every one go with give be is do so und auch dann jetzt doch es das den die der dem ich wir sie machen mach
    mache nehmen nehme brauchen brauche will wollen mochte mochten soll sollte sollten konnen kann ein eine einen bei
    zu zum zur auf von fur
""")
_BREAK = re.compile(r"[,;:!\n]|\.(?!\d)|\b(?:and|but|und|aber)\b", re.IGNORECASE)
_OPEN = re.compile(r"\?|\b(?:or|oder|maybe|perhaps|vielleicht|than|als)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Change:
    """What a clause does to an amount: so many times it, or so much more (less, where `sign` is -1)."""

    rest: str
    factor: float = 1.0
    mention: Mention | None = None
    sign: int = 1


def relative_amounts(text: str, offered: Sequence[Candidate], answers: Mapping[str, Any]) -> list[Accepted]:
    """The answers that a message changes relative to what they are, computed by code: a small model cannot count.

    Only where a clause says nothing else, and names one answer or has an amount in its unit. A question, an
    alternative (`or`) and a comparison with something else (`than`) change nothing.
    """
    if len(text) > _LONGEST or _OPEN.search(text):
        return []
    found: list[Accepted] = []
    for clause, mentions in _clauses(text):
        change = _change(clause, mentions)
        if change is not None:
            meant = [c for c in offered if _is_meant(c, clause, change, answers)]
            value = _changed(meant[0], change, answers) if len(meant) == 1 else None
            if value is not None:
                found.append(Accepted(meant[0], value, clause.strip()))
    return found if len({a.candidate.key for a in found}) == len(found) else []


def _clauses(text: str) -> Iterator[tuple[str, list[Mention]]]:
    """The clauses of a message, and the numbers in each with places in the message; no number is cut."""
    mentions = numbers_in(text)
    cuts = [m.span() for m in _BREAK.finditer(text)]
    cuts = [(start, end) for start, end in cuts if not any(n.start < end and start < n.end for n in mentions)]
    begin = 0
    for start, end in (*cuts, (len(text), len(text))):
        inside = [n for n in mentions if begin <= n.start < start]
        marked = text[begin:start]
        for n in reversed(inside):
            marked = f"{marked[: n.start - begin]}#{marked[n.end - begin :]}"
        yield marked, inside
        begin = end


def _change(clause: str, mentions: Sequence[Mention]) -> _Change | None:
    """What a clause, its number replaced by `#`, does to an amount; None where it does nothing of the kind."""
    line = " ".join(re.findall(r"#|[^\W_]+", fold(clause).replace("'", "")))
    if len(mentions) > 1:
        return None
    if not mentions:
        for pattern, factor in _TIMES.items():
            if (rest := _without(pattern, line)) is not None:
                return _Change(rest, factor)
        return None
    mention = mentions[0]
    if not mention.unit and (rest := _without(_TIMES_NUMBER, line)) is not None:
        return _Change(rest, float(mention.value))
    for sign, patterns in ((1, _UP), (-1, _DOWN)):
        for pattern in patterns:
            if (rest := _without(pattern, line)) is not None:
                if mention.unit == "%":
                    return _Change(rest, 1 + sign * mention.value / 100)
                return _Change(rest, mention=mention, sign=sign)
    return None


def _without(pattern: str, line: str) -> str | None:
    """`line` without the first words that match; None when none do."""
    match = re.search(rf"(?<!\S)(?:{pattern})(?!\S)", line)
    return None if match is None else f"{line[: match.start()]} {line[match.end() :]}"


def _is_meant(candidate: Candidate, clause: str, change: _Change, answers: Mapping[str, Any]) -> bool:
    question = candidate.question
    base = lookup(answers, candidate.path)[1]
    if isinstance(base, bool) or not isinstance(base, int | float):
        return False
    mention = change.mention
    if mention is not None and mention.unit:
        unit = str(question.schema.get("x-unit") or "")
        if not unit or convert(mention, unit) is None:
            return False
    elif not names_in(clause, question):
        return False
    own = [
        *words_of(question.key.replace("_", " ")),
        *(w for text in listed_words(question.schema) for w in words_of(text)),
    ]
    rest = re.sub(rf"(?<!\S)(?:{_EACH})(?!\S)", " ", change.rest).split()
    return all(word in _AROUND or any(is_form_of(word, name) for name in own) for word in rest)


def _changed(candidate: Candidate, change: _Change, answers: Mapping[str, Any]) -> int | float | None:
    """The new amount; None where it is none the answer could be."""
    schema = candidate.question.schema
    base = lookup(answers, candidate.path)[1]
    amount = base * change.factor
    if change.mention is not None:
        more = convert(change.mention, str(schema.get("x-unit") or ""))
        amount += change.sign * (more or 0)
    amount = float(f"{amount:.12g}")
    if is_integer(schema) and not amount.is_integer():
        return None
    return int(amount) if amount.is_integer() else amount
