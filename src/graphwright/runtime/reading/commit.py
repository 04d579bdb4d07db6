"""From what a reply seems to say to what is committed: grounding, then the schema, then the question's `validate`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graphwright.errors import GraphwrightError, redact, said
from graphwright.flow.compiled import Question
from graphwright.kernel import view
from graphwright.runtime.reading.candidates import Candidate
from graphwright.runtime.reading.grounding import Grounded, Refused, ground
from graphwright.runtime.reading.numbers import convert, numbers_in
from graphwright.runtime.reading.options import options_of
from graphwright.runtime.reading.words import is_form_of, words_of
from graphwright.runtime.validation import first_violation

if TYPE_CHECKING:
    from graphwright.runtime.agent import Agent


_OF_WHAT_WAS_SAID = frozenset({"unit", "relative", "negated", "ambiguous", "fraction", "format"})
"""The kinds of refusal that speak of the user's own words, not of a model's inventions."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """A value that may be committed, and the words it came from."""

    candidate: Candidate
    value: Any
    quote: str


@dataclass(frozen=True, slots=True)
class Rejected:
    """A value that may not. `stage` is `grounding`, `schema` or `validate`; `suggestion` might have been meant.

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
    if isinstance(result, Refused):
        tell = pending and result.kind in _OF_WHAT_WAS_SAID
        return Rejected(candidate, value, quote, "grounding", result.reason, result.suggestion, tell)
    return Accepted(candidate, result.value, result.quote)


def _is_bare(message: str, found: Grounded, candidate: Candidate) -> bool:
    """Whether a number that nobody asked for has neither the unit of the answer nor its key beside it.

    In "12 spotlights of 250 W each" the 12 is no budget. Only for numbers with a unit: others may need none.
    """
    question = candidate.question
    if not question.schema.get("x-unit") or isinstance(found.value, str):
        return False
    if any(m.unit for m in numbers_in(message) if m.start < found.end and found.start < m.end):
        return False
    named = words_of(question.key.replace("_", " "))
    return not any(is_form_of(said, meant) for said in words_of(message) for meant in named)


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


def validated(agent: Agent, accepted: Accepted, values: Mapping[str, Any]) -> Accepted | Rejected:
    """Check a value against the question's schema and `validate`, over the answers so far."""
    candidate, value = accepted.candidate, accepted.value
    question = candidate.question

    def reject(stage: str, reason: str) -> Rejected:
        return Rejected(candidate, value, accepted.quote, stage, reason)

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
