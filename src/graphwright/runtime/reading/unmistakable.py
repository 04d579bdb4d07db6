"""What code reads for sure, so that no model can overlook it: addresses, an amount with its unit, an option's words."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from graphwright.kernel import lookup
from graphwright.runtime.reading.candidates import Candidate
from graphwright.runtime.reading.choices import UNSURE
from graphwright.runtime.reading.evidence import Evidence, evidence_in
from graphwright.runtime.reading.extract import Proposal
from graphwright.runtime.reading.formats import Found, emails_in, phones_in, without_emails
from graphwright.runtime.reading.measures import measured
from graphwright.runtime.reading.naming import named_amounts
from graphwright.runtime.reading.numbers import convert, numbers_in
from graphwright.runtime.reading.options import has_words, options_of, read_choice
from graphwright.runtime.reading.refusals import denies, words_without_apostrophes
from graphwright.runtime.reading.words import fold, vocabulary, words_of

_CUE = re.compile(
    r"\b(?:e-?mails?|mail|write|reach|contact|address|call|phone|tel|telephone|mobile|number|me (?:at|on|under)"
    r"|(?:it|that|mine|this) is|its|schreib\w*|erreich\w*|unter|anruf\w*|rufen|telefon|nummer|adresse|handy)"
    r"\W*(?:\w+\W+){0,3}$"
)
"""Words right before an address that say that it is the user's."""

_FOR = re.compile(
    r"\b(?:for|fur)\s+(?:a|an|the|our|my|this|that|ein\w*|unser\w*|mein\w*|das|den|die)\s+(?:\w+\s+)?$|\bfurs\s+(?:\w+\s+)?$"
)
"""Words right before an option that say that the whole enquiry is for it."""

_HEDGED = vocabulary("""
    too much more less than not old former instead was were had zu viel mehr weniger hatte war waren
""")
_FEW = 3
_AROUND_A_NUMBER = vocabulary("""
    about around roughly approximately approx circa ca say lets it s its is thats just only i d we ll would id make take
    the a please ok okay well hm um max maximum up to at most no more than each apiece per one so um die das es etwa
    ungefahr rund hochstens maximal bis zu nicht mehr als sagen wir nehmen ja also bitte pro stuck je
""")
"""What may stand around a bare number that is the whole answer."""


def unmistakable(
    text: str,
    waiting: Candidate,
    offered: Sequence[Candidate],
    proposed: Collection[str],
    answers: Mapping[str, Any],
) -> tuple[Proposal, ...]:
    """Proposals that stand beside the model's, whose keys are `proposed`, and are grounded like them.

    - An e-mail address or a phone number (with its leading 0 or +), where one answer of the flow is one, and the model
      saw it too, or it is asked for, or the words before it say whose it is.
    - The amount asked for, where the message is hardly more than one number with the unit of the question, or nothing
      else but a number.
    - A size (`18 x 36 m`), where one answer of the flow is one.
    - An amount right beside the name of its answer (`the budget is 500`).
    - An option, where there is no answer yet and a reply of a few words names it, or the message says what it is for
      (`for our new office`) beside something the model saw; or where the model saw that the message speaks of this
      answer and the message has words that the author listed for one option and for no other.
    """
    found = _addresses(text, waiting, offered, proposed) + _amount(text, waiting, offered, proposed)
    if not UNSURE.search(fold(text)) and (size := measured(text, offered)) and not lookup(answers, size[0].path)[0]:
        quote = text[size[1].start : size[1].end]
        found.append(Proposal(size[0], quote, quote))
    if "?" not in text and not UNSURE.search(fold(text)):
        found += [Proposal(candidate, m.value, m.text) for candidate, m in named_amounts(text, offered)]
    short = len(words_of(text)) <= _FEW and "?" not in text and not denies(text) and not emails_in(text)
    for candidate in offered:
        schema = candidate.question.schema
        if not has_words(schema):
            continue
        if candidate.key in proposed:
            evidence = single_evidence(text, candidate)
            if evidence is not None:
                quote = text[evidence.place.start : evidence.place.end]
                found.append(Proposal(candidate, evidence.option.value, quote))
        elif candidate == waiting or not lookup(answers, candidate.path)[0]:
            option = read_choice(text, options_of(schema)) if short else None
            if option is not None:
                found.append(Proposal(candidate, option.value, text.strip()))
            elif proposed and (evidence := single_evidence(text, candidate)) and _says_what_for(text, evidence):
                quote = text[evidence.place.start : evidence.place.end]
                found.append(Proposal(candidate, evidence.option.value, quote))
    return tuple(found)


def _says_what_for(text: str, evidence: Evidence) -> bool:
    return _FOR.search(fold(text[max(0, evidence.place.start - 60) : evidence.place.start])) is not None


def single_evidence(text: str, candidate: Candidate) -> Evidence | None:
    """The one option that the author's words in the message speak for; none in a question or a doubt."""
    options = options_of(candidate.question.schema)
    if not has_words(candidate.question.schema) or "?" in text or UNSURE.search(fold(text)):
        return None
    spoken = evidence_in(without_emails(text), options)
    return spoken[0] if len(spoken) == 1 else None


def _addresses(
    text: str, waiting: Candidate, offered: Sequence[Candidate], proposed: Collection[str]
) -> list[Proposal]:
    emails = [f for f in emails_in(text) if not f.spelled]
    phones = [f for f in phones_in(text) if text[f.start] in "+0("]
    reachable = waiting.question.schema.get("format") in ("email", "phone")
    found: list[Proposal] = []
    for kind, seen in (("email", emails), ("phone", phones)):
        wanted = [c for c in offered if c.question.schema.get("format") == kind]
        if len(seen) != 1 or len(wanted) != 1:
            continue
        known = wanted[0].key in proposed
        if known or ((reachable or _is_own(text, seen[0])) and not denies(text)):
            found.append(Proposal(wanted[0], seen[0].value, text[seen[0].start : seen[0].end]))
    return found


def _is_own(text: str, found: Found) -> bool:
    return _CUE.search(fold(text[max(0, found.start - 60) : found.start])) is not None


def _amount(text: str, waiting: Candidate, offered: Sequence[Candidate], proposed: Collection[str]) -> list[Proposal]:
    schema = waiting.question.schema
    unit = str(schema.get("x-unit") or "")
    numeric = waiting in offered and schema.get("type") in ("integer", "number") and not options_of(schema)
    mentions = numbers_in(text) if numeric else []
    if len(mentions) != 1:
        return []
    value: Any = convert(mentions[0], unit)
    around = words_without_apostrophes(f"{text[: mentions[0].start]} {text[mentions[0].end :]}")
    if mentions[0].unit:
        plain = len(around) <= _FEW and not denies(text) and not _HEDGED.intersection(around)
    else:
        plain = _AROUND_A_NUMBER.issuperset(around)
    plain = plain and "?" not in text
    if value is None or not (plain or (mentions[0].unit and waiting.key in proposed)):
        return []
    return [Proposal(waiting, value, mentions[0].text)]
