"""What code reads for sure in any message, so that no model can overlook it: addresses, amounts, an option's words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphwright.kernel import lookup
from graphwright.runtime.reading.candidates import Candidate
from graphwright.runtime.reading.choices import UNSURE
from graphwright.runtime.reading.evidence import evidence_in
from graphwright.runtime.reading.extract import Proposal
from graphwright.runtime.reading.formats import emails_in, phones_in
from graphwright.runtime.reading.numbers import convert, numbers_in
from graphwright.runtime.reading.options import has_words, options_of
from graphwright.runtime.reading.words import fold


def unmistakable(
    text: str, waiting: Candidate, offered: Sequence[Candidate], answers: Mapping[str, Any]
) -> tuple[Proposal, ...]:
    """Proposals that stand beside the model's and are grounded like them.

    An e-mail address or a phone number (with its leading 0 or +), where one answer of the flow is one. The amount
    asked for, where the message has one number and that number carries the unit of the question. An option, of the
    question asked or of one without an answer, where the message is no question and has words that the author listed
    for this option and for no other.
    """
    found: list[Proposal] = []
    addresses = [f for f in emails_in(text) if not f.spelled]
    phones = [f for f in phones_in(text) if text[f.start] in "+0("]
    for kind, seen in (("email", addresses), ("phone", phones)):
        wanted = [c for c in offered if c.question.schema.get("format") == kind]
        if len(seen) == 1 and len(wanted) == 1:
            found.append(Proposal(wanted[0], seen[0].value, text[seen[0].start : seen[0].end]))
    unit = str(waiting.question.schema.get("x-unit") or "")
    mentions = numbers_in(text) if unit and waiting in offered else []
    if len(mentions) == 1 and mentions[0].unit:
        value = convert(mentions[0], unit)
        if value is not None:
            found.append(Proposal(waiting, value, mentions[0].text))
    if "?" in text or UNSURE.search(fold(text)):
        return tuple(found)
    words = text
    for address in addresses:
        # "jobs@shop.example" speaks of no job.
        words = words[: address.start] + " " * (address.end - address.start) + words[address.end :]
    for candidate in offered:
        schema = candidate.question.schema
        if not has_words(schema) or (candidate is not waiting and lookup(answers, candidate.path)[0]):
            continue
        spoken = evidence_in(words, options_of(schema))
        if len(spoken) == 1:
            place = spoken[0].place
            found.append(Proposal(candidate, spoken[0].option.value, text[place.start : place.end]))
    return tuple(found)
