"""From what a reply seems to say to what is committed: the quotation, the schema, `when` and `validate`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graphwright.errors import GraphwrightError, redact, said
from graphwright.flow.compiled import CompiledFlow
from graphwright.kernel import lookup, view, without_answer
from graphwright.proposals.provenance import Sources, occurs, support_of
from graphwright.runtime.answers.candidates import Candidate
from graphwright.runtime.answers.extract import Proposal
from graphwright.runtime.answers.options import Option, chosen, is_offered, offered, options_of
from graphwright.runtime.answers.whole import is_email, is_moment, is_phone
from graphwright.runtime.sentences import say
from graphwright.runtime.validation import first_violation

if TYPE_CHECKING:
    from graphwright.runtime.agent import Agent


@dataclass(frozen=True, slots=True)
class Accepted:
    """A value that may be committed, and the words it came from. `inferred` says that it does not stand in them."""

    candidate: Candidate
    value: Any
    quote: str
    inferred: bool = False


@dataclass(frozen=True, slots=True)
class Rejected:
    """A value that may not. `stage` is `quotation`, `correction`, `options`, `schema`, `when` or `validate`.

    `tell` says that the reason speaks of something the user said. What a model made up is nobody's business but the
    trace's.
    """

    candidate: Candidate
    value: Any
    quote: str
    stage: str
    reason: str
    tell: bool = True


def quoted(message: str, proposal: Proposal, answers: Mapping[str, Any], *, pending: bool) -> Accepted | Rejected:
    """A proposal whose quotation stands in the message, and which replaces an answer only where it says so."""
    candidate, value = proposal.candidate, _of_its_type(proposal.candidate, proposal.value)
    if not occurs(proposal.quote, (message,)):
        reason = "the message does not hold the words that the model quotes"
        return Rejected(candidate, value, proposal.quote, "quotation", reason, tell=False)
    if not pending and lookup(answers, candidate.path)[0] and not proposal.correction:
        reason = "there is an answer already, and the model does not call this a correction"
        return Rejected(candidate, value, proposal.quote, "correction", reason, tell=False)
    written = candidate.options or not isinstance(value, str | int | float)
    inferred = not written and support_of(value, Sources(said=(message,))) != "said"
    return Accepted(candidate, value, proposal.quote, inferred)


def _of_its_type(candidate: Candidate, value: Any) -> Any:
    """The value of an option that was given by its title, and whole numbers as such: JSON makes no difference."""
    if candidate.options and not is_offered(value, candidate.options) and isinstance(value, str):
        option = chosen(value, candidate.options)
        return value if option is None else option.value
    if isinstance(value, float) and value.is_integer() and candidate.question.schema.get("type") == "integer":
        return int(value)
    return value


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


def not_applicable(accepted: Accepted, language: str) -> Rejected:
    """The refusal of an answer to a question that does not apply."""
    name = accepted.candidate.question.key.replace("_", " ")
    reason = say(language, "not_applicable", name=name, value=shown(accepted.value))
    return Rejected(accepted.candidate, accepted.value, accepted.quote, "when", reason)


def validated(agent: Agent, accepted: Accepted, values: Mapping[str, Any], language: str = "") -> Accepted | Rejected:
    """Check a value against the question's options, schema and `validate`, over the answers so far."""
    candidate, value = accepted.candidate, accepted.value
    question = candidate.question

    def reject(stage: str, sentence: str, **parts: Any) -> Rejected:
        reason = say(language, sentence, value=shown(value), **parts)
        return Rejected(candidate, value, accepted.quote, stage, reason)

    if question.options and not is_offered(value, offered(question, values)):
        return reject("options", "no_option")
    violation = first_violation(question.schema, value, language) or _misformed(question.schema, value, language)
    if violation:
        return reject("schema", "cannot_be_taken", why=violation)
    if question.validate is not None:
        seen = {**view(agent.flow, values, candidate.scopes), "value": value}
        verdict = question.validate.evaluate(seen)
        if verdict.error and not verdict.missing:
            return reject("validate", "not_checked", why=redact(verdict.error))
        if not verdict.opens:
            return reject("validate", "not_acceptable")
    if question.validator:
        name = question.validator.replace("_", " ")
        try:
            fits = agent.validator(question.validator)(value)
        except GraphwrightError:
            raise
        except Exception as error:
            return reject("validate", "not_checked", why=f"{name}: {said(error)}")
        if not fits:
            return reject("validate", "not_valid", name=name)
    return accepted


def _misformed(schema: Mapping[str, Any], value: Any, language: str) -> str:
    """What is wrong with a value by the formats that a library checks; empty for nothing."""
    name = str(schema.get("format") or "")
    fits = {"email": is_email, "phone": is_phone}.get(name)
    if fits is None and name in ("date", "time", "date-time"):
        return "" if is_moment(value, name) else say(language, "format", limit=name)
    return "" if fits is None or fits(value) else say(language, "format", limit=name)


def spoken(accepted_by: Candidate, options: tuple[Option, ...], value: Any) -> str:
    """A value of a question in a sentence for the user: an option by its title, a number with its unit."""
    schema = accepted_by.question.schema
    unit = schema.get("x-unit")
    if unit and isinstance(value, int | float) and not isinstance(value, bool):
        return shown(f"{value} {unit}")
    return shown(next((o.title for o in options or options_of(schema) if o.value == value), value))


def shown(value: Any) -> str:
    """A value in a sentence for the user."""
    text = str(value) if not isinstance(value, bool) else ("yes" if value else "no")
    return f"“{text if len(text) <= 80 else text[:79] + '…'}”"
