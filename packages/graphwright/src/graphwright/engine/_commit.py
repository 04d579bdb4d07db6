"""The values of a reply that become answers: checked together, with what depends on them reconsidered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from graphwright.engine._changed_answers import Reconsideration, judged, reconsidered
from graphwright.engine._dependent_answers import Changes, opened_questions
from graphwright.engine._paths import PathState
from graphwright.engine._position import lookup, with_answer
from graphwright.engine._questions import Candidate
from graphwright.engine._reply import EARLY, Accepted, Rejected, Reply, Withdrawn, copied
from graphwright.engine._wording import say
from graphwright.engine.events import AnswerCommitted, AnswerDropped, AnswerUnknown, QuestionsReopened
from graphwright.engine.host_interface import Recorder, seen_values
from graphwright.engine.state import ThreadState, applied, apply
from graphwright.flow._dependencies import answer_reads, unscoped
from graphwright.flow.compiled import CompiledFlow
from graphwright.flow.guards._vocabulary import ACTIVE_PATH, ANSWERS
from graphwright.text.yes_no import bare


@dataclass(frozen=True, slots=True)
class Committed:
    """The state after a reply was committed, and the events that say so, those of reconsidered answers included."""

    state: ThreadState
    events: tuple[AnswerUnknown | Reconsideration, ...] = ()

    def settles(self, waiting: Candidate) -> bool:
        """Whether the waiting question needs no other reply."""
        told = any(isinstance(e, AnswerCommitted | AnswerUnknown) and e.key == waiting.key for e in self.events)
        return told and (waiting.key in self.state.declined or lookup(self.state.answers, waiting.path)[0])


def commit(
    log: Recorder, state: ThreadState, before: PathState, waiting: Candidate, reply: Reply, approves: str | None
) -> tuple[Committed, list[Rejected]]:
    """Validate what was read, each value over the answers as they are with all others that are taken.

    A yes that has to say what it approves, and does not, is not taken. A value that cannot be checked yet is kept, and
    an earlier answer to its question is dropped. Then all other answers that depend on what changed are reconsidered.
    `before` is the choice of a path before the reply.
    """
    switched = {ACTIVE_PATH} if before.locked != state.paths.locked else set()
    withdrawn = [_withdrawn(state, each) for each in reply.withdrawn]
    taken, refused = _taken(log, applied(state, withdrawn), waiting, reply, approves)
    events: list[AnswerCommitted | AnswerUnknown | AnswerDropped] = []
    for each in taken:
        if _refers_to_kept(state, waiting, each):
            continue
        key, replaced = each.candidate.key, lookup(state.answers, each.candidate.path)[1]
        events.append(AnswerCommitted(each.candidate.question.id, key, each.value, each.quote, replaced))
    events += withdrawn
    after = applied(state, events)
    for refusal in refused:
        path, key = refusal.candidate.path, refusal.candidate.key
        given, old = lookup(after.answers, path)
        if refusal.stage == EARLY and (given or key in after.declined):
            # It has to be asked again, so that the kept value is checked.
            events.append(AnswerDropped(refusal.candidate.question.id, path, EARLY, old))
            after = apply(after, events[-1])
    settled = any(not isinstance(e, AnswerDropped) and e.key == waiting.key for e in events)
    if reply.unknown is not None and not settled and not waiting.question.required:
        events.append(AnswerUnknown(waiting.question.id, waiting.key, reply.unknown, True))
        after = apply(after, events[-1])
    rejected = [*reply.rejected, *refused]
    if not (events or switched):
        return Committed(after), rejected
    changes = _changes(state, events, waiting.key, switched)
    after, follow_up = reconsidered(log, after, changes)
    opened = opened_questions(log.flow, state.values(), after.values()) if changes.replaced else []
    again = tuple(key for key in opened if key not in after.reopened and key not in after.declined)
    if again:
        follow_up = (*follow_up, QuestionsReopened(again))
        after = apply(after, follow_up[-1])
    return Committed(after, (*events, *follow_up)), rejected


def _refers_to_kept(state: ThreadState, waiting: Candidate, given: Accepted) -> bool:
    """Whether a text that was not asked for says only what the answer that was put aside says, too.

    It refers to that answer, which is restored completely.
    """
    key, value = given.candidate.key, given.value
    kept = state.aside[key].value if key in state.aside else None
    if (
        lookup(state.answers, given.candidate.path)[0]
        or key in (waiting.key, *state.declined)
        or not (isinstance(kept, str) and isinstance(value, str))
    ):
        return False
    whole, part = bare(kept), bare(value)
    return part in whole or set(part.split()) <= set(whole.split())


def _withdrawn(state: ThreadState, withdrawn: Withdrawn) -> AnswerUnknown:
    """The event of an answer that a reply takes back; an optional question counts as declined."""
    key, question = withdrawn.candidate.key, withdrawn.candidate.question
    replaced = state.early[key].value if key in state.early else lookup(state.answers, withdrawn.candidate.path)[1]
    return AnswerUnknown(question.id, key, withdrawn.quote, not question.required, replaced)


def _taken(
    log: Recorder, state: ThreadState, waiting: Candidate, reply: Reply, approves: str | None
) -> tuple[list[Accepted], list[Rejected]]:
    """Return the values of a reply that hold together, and the refusals.

    A value comes after those that its guards read, so that of two that do not fit the one that depends is refused.
    """
    unapproved = [each for each in reply.accepted if approves == "" and _approves_something(log.flow, each)]
    missing = say(state.language, "approval_missing")
    refused = [Rejected(each.candidate, True, each.quote, "approval", missing) for each in unapproved]
    taken = [each for each in _by_dependency(reply.accepted) if each not in unapproved]
    early = set(state.early)
    candidates = [each.candidate for each in taken] + [each.candidate for each in reply.withdrawn]
    names = {f"{ANSWERS}.{candidate.key}" for candidate in candidates}
    while taken:
        answers = state.answers
        for each in taken:
            answers = with_answer(answers, each.candidate.path, each.value)
        values = {**seen_values(log, state), "answers": answers}
        kept = early - {each.candidate.key for each in taken}
        for each in taken:
            result = judged(
                *(log, each, values), waiting=waiting.key, kept=kept, changed=names, language=state.language
            )
            if isinstance(result, Rejected):
                break
        else:
            break
        taken.remove(each)
        refused.append(result)
        names.discard(f"{ANSWERS}.{each.candidate.key}")
        if result.stage == EARLY:
            early.add(each.candidate.key)
    return [each for each in reply.accepted if each in taken], [copied(each, taken) for each in refused]


def _by_dependency(accepted: Sequence[Accepted]) -> Iterator[Accepted]:
    """The values of a reply, each after those that the check of its question reads; otherwise in their order."""
    left = list(accepted)
    while left:
        keys = {f"{ANSWERS}.{each.candidate.question.key}" for each in left}
        following = next((each for each in left if not _checked_by(each) & keys), left[0])
        left.remove(following)
        yield following


def _checked_by(accepted: Accepted) -> set[str]:
    """The other answers that the check of a value reads."""
    question = accepted.candidate.question
    return {unscoped(name) for name in answer_reads(question)} - {f"{ANSWERS}.{question.key}"}


def _changes(
    state: ThreadState,
    events: Sequence[AnswerCommitted | AnswerUnknown | AnswerDropped],
    waiting: str,
    switched: set[str],
) -> Changes:
    """The names that a reply changed; `state` is that before it."""
    replaced, added, answered = {*switched}, set[str](), set[str]()
    for event in events:
        key = ".".join(event.path) if isinstance(event, AnswerDropped) else event.key
        name = f"{ANSWERS}.{key}"
        before, value = lookup(state.answers, tuple(key.split(".")))
        if not before:
            first = key == waiting and key not in state.reopened
            (answered if first else added).add(name)
        elif not isinstance(event, AnswerCommitted) or event.value != value:
            replaced.add(name)
    return Changes(replaced, added, answered)


def _approves_something(flow: CompiledFlow, accepted: Accepted) -> bool:
    """Whether a value is the yes that lets actions run."""
    question = accepted.candidate.question
    return question.read == "confirm" and accepted.value is True and bool(flow.confirmed_by(question.id))
