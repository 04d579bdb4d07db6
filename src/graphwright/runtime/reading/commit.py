"""From what a reply seems to say to what is committed: grounding, then the schema, then the question's `validate`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graphwright.errors import GraphwrightError, redact, said
from graphwright.flow.compiled import CompiledFlow, Question
from graphwright.kernel import view, without_answer
from graphwright.runtime.answers.options import is_offered, offered
from graphwright.runtime.reading.asides import is_address_of_another, is_asked_about, is_past, is_what_others_have
from graphwright.runtime.reading.candidates import Candidate
from graphwright.runtime.reading.evidence import evidence_in
from graphwright.runtime.reading.grounding import Grounded, Refused, ground
from graphwright.runtime.reading.naming import goes_on, names_in
from graphwright.runtime.reading.numbers import convert, numbers_in
from graphwright.runtime.reading.options import option_for, options_of
from graphwright.runtime.reading.texts import format_of
from graphwright.runtime.reading.units import canonical, is_slip_for
from graphwright.runtime.validation import first_violation

if TYPE_CHECKING:
    from graphwright.runtime.agent import Agent


_OF_WHAT_WAS_SAID = frozenset({"unit", "relative", "negated", "ambiguous", "fraction", "format", "mentioned"})
"""The kinds of refusal that speak of the user's own words, not of a model's inventions."""


_NEXT_WORD = re.compile(r"\s+([^\W\d_]+)")


@dataclass(frozen=True, slots=True)
class Accepted:
    """A value that may be committed, and the words it came from."""

    candidate: Candidate
    value: Any
    quote: str


@dataclass(frozen=True, slots=True)
class Rejected:
    """A value that may not. `stage` is `grounding`, `schema`, `validate` or `when`; `suggestion` might have been meant.

    `tell` says that the reason speaks of something the user said. What a model made up is nobody's business but the
    trace's.
    """

    candidate: Candidate
    value: Any
    quote: str
    stage: str
    reason: str
    suggestion: Any = None
    tell: bool = True


def grounded(message: str, candidate: Candidate, value: Any, quote: str, *, pending: bool) -> Accepted | Rejected:
    """Hold a proposed value against the user's own words."""
    question = candidate.question
    schema = question.schema
    known = _known_value(message, candidate, value)
    if known is not None:
        schema, value = {"enum": list(candidate.known)}, known
    elif value in candidate.known:
        value = quote
    result = ground(message, quote, value, schema, pending=pending, key=question.key)
    if isinstance(result, Refused) and result.kind == "not_said":
        words, meant = _own_words(message, quote, value, schema, pending=pending)
        if words:
            result = ground(message, words, meant, schema, pending=pending, key=question.key)
    if isinstance(result, Grounded) and options_of(schema):
        # "halogen or LED" names two options, whichever of them the model quotes.
        whole = ground(message, message, result.value, schema, pending=pending, key=question.key)
        if isinstance(whole, Refused) and whole.kind == "ambiguous":
            result = whole
    if isinstance(result, Grounded) and not pending and _is_bare(message, result, candidate):
        result = Refused(f"“{result.quote}” does not say that it is the {question.key}.", "no_evidence")
    if isinstance(result, Grounded) and _is_only_mentioned(message, result, question):
        reason = f"You mention {shown(result.quote)}, but I do not take it for your answer."
        result = Refused(reason, "mentioned", result.value if pending else None)
    if isinstance(result, Grounded) and (counted := _counts_something(message, result, question)):
        reason = f"{shown(counted)} may count something else."
        result = Refused(reason, "unit", result.value if pending else None)
    if isinstance(result, Refused):
        tell = pending and result.kind in _OF_WHAT_WAS_SAID
        return Rejected(candidate, value, quote, "grounding", result.reason, result.suggestion, tell)
    return Accepted(candidate, result.value, result.quote)


def _known_value(message: str, candidate: Candidate, value: Any) -> str | None:
    """The value that the flow compares a free text with, if it was proposed and the message speaks for it alone."""
    options = options_of({"enum": list(candidate.known)})
    meant = option_for(value, options)
    spoken = evidence_in(message, options) if meant is not None else []
    return str(spoken[0].option.value) if len(spoken) == 1 and spoken[0].option == meant else None


def _is_bare(message: str, found: Grounded, candidate: Candidate) -> bool:
    """Whether a number that nobody asked for has neither the unit of the answer nor a name of it beside it.

    In "12 spotlights of 250 W each" the 12 is no budget. Only for numbers with a unit: others may need none.
    """
    question = candidate.question
    if not question.schema.get("x-unit") or isinstance(found.value, str):
        return False
    if any(m.unit for m in numbers_in(message) if m.start < found.end and found.start < m.end):
        return False
    return not names_in(message, question)


def _counts_something(message: str, found: Grounded, question: Question) -> str:
    """A bare number and the noun right behind it (`12 lamps`), where an amount with a unit is asked for; else ''."""
    unit = str(question.schema.get("x-unit") or "")
    if not unit or not isinstance(found.value, int | float):
        return ""
    mention = next((m for m in numbers_in(message) if m.start < found.end and found.start < m.end), None)
    if mention is None or mention.unit:
        return ""
    behind = _NEXT_WORD.match(message, mention.end)
    if behind is None or goes_on(behind[1]) or is_slip_for(behind[1], canonical(unit)):
        return ""
    if any(name.start == behind.start(1) for name in names_in(message, question)):
        return ""
    return message[mention.start : behind.end()]


def _is_only_mentioned(message: str, found: Grounded, question: Question) -> bool:
    """Whether a value was asked about, or is told of the past or of somebody else."""
    schema, start, end = question.schema, found.start, found.end
    if format_of(schema, question.key) == "email":
        return is_address_of_another(message, start, end) or is_asked_about(message, start, end)
    if isinstance(found.value, bool):
        return False
    if options_of(schema) and is_what_others_have(message, start):
        return True
    past = (options_of(schema) or isinstance(found.value, int | float)) and is_past(message, start, end)
    return bool(past) or is_asked_about(message, start, end)


def _own_words(message: str, quote: str, value: Any, schema: Mapping[str, Any], *, pending: bool) -> tuple[str, Any]:
    """The user's words behind a quote, and the value they give, where the model put them into its own words.

    A small model quotes "120 watts" as "120 W" and writes "18 x 36 m" for "18 mal 36 Meter": the numbers decide. Where
    it words the text asked for differently, the quote is the value.
    """
    if isinstance(value, int | float) and not isinstance(value, bool) and not options_of(schema):
        unit = str(schema.get("x-unit") or "")
        same = [m.text for m in numbers_in(message) if value in (m.value, convert(m, unit), *m.alternatives)]
        return (same[0], value) if len(same) == 1 else ("", None)
    free = schema.get("type", "string") == "string" and "format" not in schema and not options_of(schema)
    if not free or not isinstance(value, str):
        return "", None
    measured = _same_numbers(message, value)
    return (measured, measured) if measured else (quote, quote) if pending else ("", None)


def _same_numbers(message: str, value: str) -> str:
    """The stretch of the message that has the numbers of `value`, two or more, in its order; empty when none has."""
    wanted = [m.value for m in numbers_in(value)]
    said = numbers_in(message)
    if len(wanted) < 2:
        return ""
    for at in range(len(said) - len(wanted) + 1):
        if [m.value for m in said[at : at + len(wanted)]] == wanted:
            return message[said[at].start : said[at + len(wanted) - 1].end]
    return ""


def applies(flow: CompiledFlow, candidate: Candidate, values: Mapping[str, Any]) -> bool:
    """Whether a question may apply: its `when` holds, or needs an answer that is not there yet.

    A question that other answers only make needless (`!has(answers.phone)`) applies as well.
    """
    when = candidate.question.when
    if when is None:
        return True
    seen = view(flow, values, candidate.scopes)
    answers = seen["answers"]
    for name in when.reads - when.needs:
        answers = without_answer(answers, tuple(name.split(".")[1:]))
    verdicts = (when.evaluate(each) for each in (seen, {**seen, "answers": answers}))
    return any(verdict.opens or verdict.missing or verdict.error for verdict in verdicts)


def not_applicable(accepted: Accepted) -> Rejected:
    """The refusal of an answer to a question that does not apply."""
    name = accepted.candidate.question.key.replace("_", " ")
    reason = f"I did not note the {name} {shown(accepted.value)}: it does not apply here."
    return Rejected(accepted.candidate, accepted.value, accepted.quote, "when", reason)


def validated(agent: Agent, accepted: Accepted, values: Mapping[str, Any]) -> Accepted | Rejected:
    """Check a value against the question's schema and `validate`, over the answers so far."""
    candidate, value = accepted.candidate, accepted.value
    question = candidate.question

    def reject(stage: str, reason: str) -> Rejected:
        return Rejected(candidate, value, accepted.quote, stage, reason)

    if question.options and not is_offered(value, offered(question, values)):
        return reject("options", f"{shown(value)} is none of the options.")
    violation = first_violation(question.schema, value)
    if violation:
        return reject("schema", f"{shown(value)} cannot be taken: {violation}.")
    if question.validate is not None:
        seen = {**view(agent.flow, values, candidate.scopes), "value": value}
        verdict = question.validate.evaluate(seen)
        if verdict.error and not verdict.missing:
            return reject("validate", f"{shown(value)} could not be checked: {redact(verdict.error)}.")
        if not verdict.opens:
            return reject("validate", f"{shown(value)} is not acceptable here.")
    if question.validator:
        name = question.validator.replace("_", " ")
        try:
            fits = agent.validator(question.validator)(value)
        except GraphwrightError:
            raise
        except Exception as error:
            return reject("validate", f"{shown(value)} could not be checked as a {name} ({said(error)}).")
        if not fits:
            return reject("validate", f"{shown(value)} is not a valid {name}.")
    return accepted


def spoken(question: Question, value: Any) -> str:
    """A value of a question in a sentence for the user: an option by its title, a number with its unit."""
    unit = question.schema.get("x-unit")
    if unit and isinstance(value, int | float) and not isinstance(value, bool):
        return shown(f"{value} {unit}")
    return shown(next((o.title for o in options_of(question.schema) if o.value == value), value))


def shown(value: Any) -> str:
    """A value in a sentence for the user."""
    text = str(value) if not isinstance(value, bool) else ("yes" if value else "no")
    return f"“{text if len(text) <= 80 else text[:79] + '…'}”"
