"""From what a reply seems to say to what is committed: the quotation, the schema, `when` and `validate`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graphwright.errors import GraphwrightError, redact, said
from graphwright.kernel import lookup, view
from graphwright.proposals.provenance import Sources, occurs, support_of
from graphwright.runtime.answers.extract import Proposal
from graphwright.runtime.answers.options import chosen, is_offered, offered
from graphwright.runtime.questions import Candidate
from graphwright.runtime.sentences import say, shown
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
    violation = first_violation(question.schema, value, language)
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
