"""Reading the reply to a question, in the way the question wants to be read."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from graphwright.kernel import lookup, with_answer
from graphwright.models import is_none
from graphwright.runtime.answers.options import chosen, offered
from graphwright.runtime.answers.whole import NOTHING, guided_value
from graphwright.runtime.model_calls import observed
from graphwright.runtime.reading.candidates import Candidate, candidates
from graphwright.runtime.reading.commit import Accepted, Rejected, applies, grounded, not_applicable
from graphwright.runtime.reading.contrast import contrasted, taken_back
from graphwright.runtime.reading.evidence import evidence_in
from graphwright.runtime.reading.extract import Proposal, Proposals, extract
from graphwright.runtime.reading.formats import emails_in
from graphwright.runtime.reading.numbers import numbers_in
from graphwright.runtime.reading.options import options_of, read_choice
from graphwright.runtime.reading.paths import Selection
from graphwright.runtime.reading.refusals import has_no_answer
from graphwright.runtime.reading.relative import relative_amounts
from graphwright.runtime.reading.unmistakable import single_evidence, unmistakable
from graphwright.runtime.reading.yes_no import answers_question, read_yes_no
from graphwright.runtime.walk import seen_values

if TYPE_CHECKING:
    from graphwright.runtime.run import StepLog
    from graphwright.runtime.state import ThreadState


@dataclass(frozen=True, slots=True)
class Reply:
    """What a reply says.

    `unknown` is why the user has no answer to the waiting question, `escalate` why they want a person; both None when
    the reply says nothing of the kind. `found_nothing` says that a reply to a confirmation is neither yes nor no and
    was searched for corrections of answers in vain. `selected` are the paths that the model named for it.
    """

    accepted: tuple[Accepted, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    unknown: str | None = None
    escalate: str | None = None
    found_nothing: bool = False
    selected: tuple[Selection, ...] = ()


async def read_reply(log: StepLog, state: ThreadState, waiting: Candidate, text: str, *, opener: bool) -> Reply:
    """Read `text` as the reply to the waiting question. Raises ModelFailure where the model that reads it fails.

    An `opener` began the conversation without having seen the question: it cannot confirm anything.
    """
    question = waiting.question
    if state.suggestion is not None and state.suggestion.path == waiting.path:
        meant = read_yes_no(text)
        if meant is not None:
            return Reply((Accepted(waiting, state.suggestion.value, text),) if meant else ())
    match question.read:
        case "verbatim":
            corrected = _taken_back(log, state, waiting, text)
            return await _applying(
                log, state, waiting, Reply(corrected or (Accepted(waiting, text.strip(), text.strip()),))
            )
        case "choice":
            return _chosen(waiting, text, await seen_values(log, state), opener=opener)
        case "confirm":
            return await _confirmed(log, state, waiting, text, opener=opener)
        case "extract":
            return await _extracted(log, state, waiting, text)


def _taken_back(log: StepLog, state: ThreadState, waiting: Candidate, text: str) -> tuple[Accepted, ...]:
    """The choices that a reply corrects, although it was to be taken as it stands."""
    offered = tuple(c for c in candidates(log.run.agent.flow, waiting, state.answers) if c.key != waiting.key)
    held = (
        grounded(text, p.candidate, p.value, p.quote, pending=False) for p in taken_back(text, offered, state.answers)
    )
    return tuple(result for result in held if isinstance(result, Accepted))


def _chosen(waiting: Candidate, text: str, values: Mapping[str, Any], *, opener: bool) -> Reply:
    if waiting.question.options:
        choices = offered(waiting.question, values)
        picked = chosen(text, choices)
        if picked is not None:
            return Reply((Accepted(waiting, picked.value, text.strip()),))
        some = ", ".join(o.title for o in choices[:8]) + (", …" if len(choices) > 8 else "")
        return Reply(
            rejected=()
            if opener
            else (
                Rejected(waiting, text.strip(), text.strip(), "options", f"I could not match that to one of: {some}."),
            )
        )
    options = options_of(waiting.question.schema)
    option = read_choice(text, options)
    if option is not None:
        return Reply((Accepted(waiting, option.value, text.strip()),))
    if opener:
        return Reply()
    names = ", ".join(o.title for o in options)
    reason = f"I could not match that to one of: {names}."
    return Reply(rejected=(Rejected(waiting, text.strip(), text.strip(), "grounding", reason),))


async def _confirmed(log: StepLog, state: ThreadState, waiting: Candidate, text: str, *, opener: bool) -> Reply:
    """A plain yes or no is read by code. Any other text is the answer itself, and may hold corrections."""
    asked = str((state.waiting or {}).get("prompt") or waiting.question.prompt)
    plain = None if opener else answers_question(text, asked)
    if plain is not None:
        return Reply((Accepted(waiting, plain, text.strip()),))
    own = () if opener else (Accepted(waiting, text.strip(), text.strip()),)
    others = tuple(c for c in candidates(log.run.agent.flow, waiting, state.answers) if c.key != waiting.key)
    if not others:
        return Reply(own)
    reply = await _read_by_model(log, state, waiting, text, others)
    nothing = bool(own) and not reply.accepted and not any(r.tell for r in reply.rejected)
    return replace(reply, accepted=(*reply.accepted, *own), unknown=None, found_nothing=nothing)


async def _extracted(log: StepLog, state: ThreadState, waiting: Candidate, text: str) -> Reply:
    offered = candidates(log.run.agent.flow, waiting, state.answers)
    return await _read_by_model(log, state, waiting, text, offered)


async def _read_by_model(
    log: StepLog, state: ThreadState, waiting: Candidate, text: str, offered: tuple[Candidate, ...]
) -> Reply:
    run = log.run
    model = run.load_model()
    if is_none(model):
        return _guided(waiting, text, await seen_values(log, state))
    prompt = str((state.waiting or {}).get("prompt", ""))
    # A model may take long: the message must be on the disk before.
    await run.save()
    with observed(log, waiting.question.id):
        proposals = await extract(
            model,
            run.agent.prompts,
            text=text,
            waiting=waiting,
            prompt=prompt,
            offered=offered,
            paths=run.agent.flow.paths,
        )
    sure = (
        *unmistakable(text, waiting, offered, {p.candidate.key for p in proposals.answers}, state.answers),
        *contrasted(text, offered, state.answers),
    )
    taken = {p.quote: p.candidate.key for p in sure if p.candidate.question.schema.get("format")}
    # An address that is an answer of its own is not also the text of another one.
    others = [
        p for p in proposals.answers if not any(q in str(p.value) and k != p.candidate.key for q, k in taken.items())
    ]
    return await _applying(log, state, waiting, _held_against(text, waiting, offered, sure, others, proposals, state))


def _guided(waiting: Candidate, text: str, values: Mapping[str, Any]) -> Reply:
    """The reply where there is no model: the whole of it is the answer to the waiting question, or nothing is."""
    question = waiting.question
    value = guided_value(question.schema, offered(question, values), text)
    return Reply() if value is NOTHING else Reply((Accepted(waiting, value, text.strip()),))


async def _applying(log: StepLog, state: ThreadState, waiting: Candidate, reply: Reply) -> Reply:
    """The reply without the answers to questions that do not apply, as the flow says by their `when`."""
    if not any(a.candidate.question.when for a in reply.accepted if a.candidate.key != waiting.key):
        return reply
    flow, before = log.run.agent.flow, await seen_values(log, state)
    answers = state.answers
    for accepted in reply.accepted:
        answers = with_answer(answers, accepted.candidate.path, accepted.value)
    after = {**before, "answers": answers}
    out = [
        a
        for a in reply.accepted
        if a.candidate.key != waiting.key and not any(applies(flow, a.candidate, seen) for seen in (before, after))
    ]
    kept = tuple(a for a in reply.accepted if a not in out)
    return replace(reply, accepted=kept, rejected=(*reply.rejected, *map(not_applicable, out)))


def _held_against(
    text: str,
    waiting: Candidate,
    offered: Sequence[Candidate],
    sure: Sequence[Proposal],
    others: Sequence[Proposal],
    proposals: Proposals,
    state: ThreadState,
) -> Reply:
    """Ground every proposal in the words of the message. Of several for one key the last one counts."""
    accepted: dict[str, Accepted] = {}
    rejected: dict[str, Rejected] = {}
    for by_model, proposal in (*((False, p) for p in sure), *((True, p) for p in others)):
        key = proposal.candidate.key
        if _known(proposal, state.answers, waiting):
            continue
        result = grounded(text, proposal.candidate, proposal.value, proposal.quote, pending=key == waiting.key)
        if isinstance(result, Accepted):
            accepted[key] = result
        elif by_model:
            rejected[key] = result if _may_suggest(result, text, offered) else replace(result, suggestion=None)
    for computed in relative_amounts(text, offered, state.answers):
        accepted[computed.candidate.key] = computed
    left = tuple(r for key, r in rejected.items() if key not in accepted)
    if waiting.key not in accepted and waiting.key not in rejected and waiting in offered:
        left = (*left, *_overlooked(text, waiting))
    unknown = proposals.unknown.get(waiting.key)
    again = state.invalid.get(waiting.key, 0) > 0
    if unknown is not None and (numbers_in(text) or emails_in(text) or not has_no_answer(text, again=again)):
        unknown = None  # who gives a number or an address, or asks something, is not saying that there is no answer
    return Reply(tuple(accepted.values()), left, unknown, _wish(text, proposals.escalate), selected=proposals.selected)


def _overlooked(text: str, waiting: Candidate) -> tuple[Rejected, ...]:
    """What the author's words speak for although the model read no answer: not committed, asked about."""
    evidence = single_evidence(text, waiting)
    if evidence is None:
        return ()
    quote = text[evidence.place.start : evidence.place.end]
    held = grounded(text, waiting, evidence.option.value, quote, pending=True)
    if isinstance(held, Rejected):
        return ()
    reason = "the model read no answer in it"
    return (Rejected(waiting, held.value, quote, "grounding", reason, suggestion=held.value, tell=False),)


_PERSON = re.compile(
    r"\b(?:human|person|people|some(?:one|body)|any(?:one|body)|agent|operator|colleague|staff|employee|representative"
    r"|manager|supervisor|advis[oe]r|support|talk|speak|call|mensch\w*|mitarbeiter\w*|jemand\w*|berater\w*|kolleg\w*"
    r"|chef\w*|sprechen|reden|anruf\w*|telefonier\w*)\b",
    re.IGNORECASE,
)


def _wish(text: str, reason: str | None) -> str | None:
    """The wish for a person, if the message speaks of one: a small model sees it where nobody wished for it."""
    return reason if reason is not None and _PERSON.search(text) else None


def _may_suggest(rejected: Rejected, text: str, offered: Sequence[Candidate]) -> bool:
    """Whether to ask "did you mean": not after a question or a yes or no, nor for words that mean another answer."""
    if "?" in text or read_yes_no(text) is not None:
        return False
    others = (c for c in offered if c != rejected.candidate)
    return not any(evidence_in(rejected.quote, options_of(c.question.schema)) for c in others)


def _known(proposal: Proposal, answers: Mapping[str, Any], waiting: Candidate) -> bool:
    """Whether the proposal only repeats an answer that is there already."""
    candidate = proposal.candidate
    return candidate.key != waiting.key and lookup(answers, candidate.path) == (True, proposal.value)
