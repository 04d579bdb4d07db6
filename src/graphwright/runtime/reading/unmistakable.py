"""What code reads for sure in any message, so that no model can overlook it: addresses, and amounts with their unit."""

from __future__ import annotations

from collections.abc import Sequence

from graphwright.runtime.reading.candidates import Candidate
from graphwright.runtime.reading.extract import Proposal
from graphwright.runtime.reading.formats import emails_in
from graphwright.runtime.reading.numbers import convert, numbers_in


def unmistakable(text: str, waiting: Candidate, offered: Sequence[Candidate]) -> tuple[Proposal, ...]:
    """Proposals that stand beside the model's and are grounded like them.

    An e-mail address, where one answer of the flow is an e-mail address; the amount asked for, where the message has
    one number and that number carries the unit of the question.
    """
    found: list[Proposal] = []
    addresses = [f for f in emails_in(text) if not f.spelled]
    wanted = [c for c in offered if c.question.schema.get("format") == "email"]
    if len(addresses) == 1 and len(wanted) == 1:
        address = addresses[0]
        found.append(Proposal(wanted[0], address.value, text[address.start : address.end]))
    unit = str(waiting.question.schema.get("x-unit") or "")
    mentions = numbers_in(text) if unit and waiting in offered else []
    if len(mentions) == 1 and mentions[0].unit:
        value = convert(mentions[0], unit)
        if value is not None:
            found.append(Proposal(waiting, value, mentions[0].text))
    return tuple(found)
