"""Receiving a message: beginning afresh, or reading the reply to the waiting question and committing what it says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from graphwright.engine import (
    Ask,
    Changes,
    PathState,
    Perform,
    Stuck,
    entry,
    escape,
    lookup,
    reenter,
    settled,
    view,
    with_answer,
    without_answer,
)
from graphwright.engine.answer_wording import expected_format, name_of, value_text
from graphwright.engine.approvals import over_all
from graphwright.engine.changed_answers import Reconsideration, note_dropped, reconsidered
from graphwright.engine.channels import adapted, seen_values
from graphwright.engine.commands import UnreadReply
from graphwright.engine.early_answers import WORDS, judged
from graphwright.engine.events import (
    AnswerCommitted,
    AnswerRefused,
    AnswersCleared,
    AnswerUnknown,
    ChannelsReset,
    ConfirmationGiven,
    Escalated,
    FileGiven,
    NotUnderstood,
    Said,
    TurnStarted,
)
from graphwright.engine.inbox import Inbox, WaitingFor, with_files
from graphwright.engine.perform import DONE, confirmed_content, decide, go_on, in_doubt, spent, visit_of
from graphwright.engine.proposals import Voted, count_votes
from graphwright.engine.questions import Candidate, pending
from graphwright.engine.recorder import Recorder
from graphwright.engine.reply import CHECKED, EARLY, Accepted, Rejected, Reply, read_correction, read_reply
from graphwright.engine.sentences import say
from graphwright.engine.state import Early, ThreadState, content_hash
from graphwright.engine.validation import writable
from graphwright.engine.walk import (
    FlowStuck,
    Goto,
    fail,
    go,
    question_at,
    settle,
    wait_for,
    waiting_for,
    walk,
)
from graphwright.engine.walk_events import AnswerDropped, Jumped
from graphwright.errors import GraphwrightError
from graphwright.flow.compiled import Action, CompiledFlow, Question
from graphwright.flow.dependencies import answer_reads, signature_of, unscoped
from graphwright.flow.guards.vocabulary import ACTIVE_PATH, ANSWERS


def receive(log: Recorder, state: ThreadState, inbox: Inbox) -> tuple[ThreadState, Goto]:
    """Take in a message and walk on to the next stop."""
    flow = log.flow
    afresh = state.mode in ("new", "ended")
    changed = state.flow_hash not in ("", flow.hash)
    state = replace(
        state,
        born=state.born or log.facts.token,
        turn=state.turn + 1,
        message=inbox.message or "",
        files=with_files(state.files, inbox.files),
        flow_hash=flow.hash,
    )
    given = inbox.has_value, inbox.value, log.facts.without_model
    log.emit(TurnStarted(state.turn, inbox.message, afresh, flow.id, flow.hash, *given))
    log.emit(*(FileGiven(**file) for file in inbox.files))
    if afresh:
        if changed:
            before, state = state, adapted(log, state)
            state, events = reconsidered(log, state, _gone(before, state))
            log.emit(*events)
        if not flow.keep_answers and state.answers:
            log.emit(AnswersCleared())
        fresh = state.begun_afresh(flow)
        log.emit(*_reset(flow, state.channels, fresh.channels))
        state = fresh
    since = len(log.events)
    try:
        if afresh:
            return _begin(log, state, inbox)
        if _tries_again(log, state) and inbox.text:
            state, person = _corrected(log, state, inbox.text)
            since = len(log.events)
            if person is not None and flow.on_escalate:
                return _escalate(log, state, state.at.node, person)
        if state.mode == "performing":
            return _perform_again(log, state, inbox)
        if state.waiting is not None and state.waiting["kind"] != "message":
            return _answer(log, state, question_at(flow, state), inbox, opener=False)
        return go(log, state, state.at)
    except Exception as error:
        log.take_back(since)
        return fail(log, state, state.at.node if state.position else flow.root.entry, error)


def _gone(before: ThreadState, after: ThreadState) -> Changes:
    """The names of the answers and channels that an adapted state lost."""
    answers = (key for key, value in before.answers.items() if after.answers.get(key) != value)
    channels = before.channels.keys() - after.channels.keys()
    return Changes(replaced=[*(f"{ANSWERS}.{key}" for key in answers), *channels])


def _reset(flow: CompiledFlow, before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[ChannelsReset, ...]:
    """Which channels went to their defaults when the conversation began afresh."""
    values = {name: value for name, value in after.items() if name not in before or before[name] != value}
    private = tuple(name for name in values if flow.channels[name].private)
    return (ChannelsReset(values, private),) if values else ()


def _tries_again(log: Recorder, state: ThreadState) -> bool:
    """Whether the last turn failed, and any message tries again."""
    return log.facts.tries_again and state.waiting is not None and state.waiting["kind"] == "message"


def _corrected(log: Recorder, state: ThreadState, text: str) -> tuple[ThreadState, str | None]:
    """Commit what a message that tries again corrects: with the same answers it may fail in the same way.

    Also returns why the user wants a person, or None.
    """
    flow, node = log.flow, state.at.node
    reply = read_correction(log, state, text)
    state = replace(state, language=reply.language or state.language)
    changed = [each.candidate for each in reply.accepted] + [each.candidate for each in reply.withdrawn]
    rejected = list(reply.rejected)
    if changed:
        committed, rejected = _commit(log, state, state.paths, changed[0], reply, None)
        log.emit(*committed.events)
        _note(log, committed.state, node, reply, committed, all_of_them=True)
        if committed.events:
            # What the failed action read may have changed: the walk looks at it again.
            state = replace(committed.state, mode="waiting", waiting=None)
            stale = any(each.node == node and each.changed for each in state.sources.values())
            action = flow.nodes[node]
            if stale and isinstance(action, Action) and not signature_of(flow, action).effects:
                state = replace(state, position=state.at._replace(done=False))
    _refuse(log, node, rejected)
    _explain(log, state, node, rejected)
    return state, reply.escalate


def _refuse(log: Recorder, node: str, rejected: Sequence[Rejected]) -> None:
    for refusal in rejected:
        value = writable(refusal.value)
        log.emit(AnswerRefused(node, refusal.candidate.key, value, refusal.quote, refusal.stage, refusal.reason))


def _perform_again(log: Recorder, state: ThreadState, inbox: Inbox) -> tuple[ThreadState, Goto]:
    """Any message tries a failed action again; of one in doubt the user says first what became of it."""
    node = log.flow.nodes[state.at.node]
    assert isinstance(node, Action)
    if in_doubt(state):
        visit = visit_of(state, node)
        decision = decide(log, state, visit, inbox)
        if not decision:
            return state, "ask"
        if decision == DONE:
            done = replace(state, waiting=None, position=state.at.completed(), sources=settled(state.sources, node.id))
            return go_on(log, spent(done, node), node)
        log.facts.memory.repeated = visit
    return replace(state, waiting=None), "perform"


def _begin(log: Recorder, state: ThreadState, inbox: Inbox) -> tuple[ThreadState, Goto]:
    fresh, step = walk(log, state, entry(log.flow))
    log.emit(*step.events)
    match step.outcome:
        case Ask(node=question) if inbox.text:
            if step.outcome.message:
                log.emit(Said(question.id, step.outcome.message))
            return _answer(log, fresh, question, inbox, opener=True)
        case Perform(node=node) if inbox.message is None:
            waiting = WaitingFor(node.id, "", say(fresh.language, "what_to_do"), "message")
            return replace(fresh, mode="waiting", waiting=waiting.to_json()), "ask"
        case outcome:
            return settle(log, fresh, outcome)


def _answer(
    log: Recorder, state: ThreadState, question: Question, inbox: Inbox, *, opener: bool
) -> tuple[ThreadState, Goto]:
    """Read the reply to a question. `opener` says that the message began the conversation: it owes no answer."""
    waiting = pending(question, state.at)
    if opener:
        # Where reading fails, the thread must wait at this question.
        state = replace(state, mode="waiting", waiting=(waiting_for(log, state, question)).to_json())
    try:
        if inbox.has_value:
            reply = Reply((Accepted(waiting, inbox.value, ""),))
        else:
            reply = read_reply(log, state, waiting, inbox.text or "", opener=opener)
    except UnreadReply as unread:
        return fail(log, state, question.id, unread.error)
    except GraphwrightError as error:
        return fail(log, state, question.id, error)
    if opener:
        # Who has not seen the question cannot have declined to answer it.
        reply = replace(reply, unknown=None)
    state = replace(state, language=reply.language or state.language)
    voted = count_votes(log.flow, state.paths, reply.selected)
    committed, rejected = _commit(log, state, voted.paths, waiting, reply, inbox.approves)
    _refuse(log, question.id, rejected)
    if reply.escalate is not None and log.flow.on_escalate:
        log.emit(*committed.events, *voted.events)
        return _escalate(log, committed.state, question.id, reply.escalate)
    if reply.note:
        log.emit(Said(question.id, reply.note))
    if committed.events or voted.counted:
        return _go_on(log, state, committed, voted, waiting, reply, rejected, inbox.approves)
    log.emit(*voted.events)
    # A question, a yes or an early value that was not taken does not count as a failed attempt.
    owed = not (opener or reply.asks) and all(each.stage not in ("approval", "consent", EARLY) for each in rejected)
    state = replace(state, early=committed.state.early)
    return _not_understood(log, state, waiting, reply, rejected, owed=owed)


@dataclass(frozen=True, slots=True)
class _Committed:
    """The state after a reply was committed, and the events that say so, those of reconsidered answers included."""

    state: ThreadState
    events: tuple[AnswerUnknown | Reconsideration, ...] = ()

    def settles(self, waiting: Candidate) -> bool:
        """Whether the waiting question needs no other reply."""
        told = any(isinstance(e, AnswerCommitted | AnswerUnknown) and e.key == waiting.key for e in self.events)
        return told and (waiting.key in self.state.declined or lookup(self.state.answers, waiting.path)[0])


def _commit(
    log: Recorder, state: ThreadState, paths: PathState, waiting: Candidate, reply: Reply, approves: str | None
) -> tuple[_Committed, list[Rejected]]:
    """Validate what was read, each value over the answers as they are with all others that are taken.

    A yes that has to say what it approves, and does not, is not taken. A value that cannot be checked yet is kept, and
    an earlier answer to its question is dropped. Then all other answers that depend on what changed are reconsidered.
    """
    switched = {ACTIVE_PATH} if paths.locked != state.paths.locked else set()
    state = replace(state, paths=paths)
    left = _withdrawn(state, reply)
    taken, early, refused = _taken(log, left, waiting, reply, approves)
    answers, declined, reopened = left.answers, left.declined, left.reopened
    events: list[AnswerCommitted | AnswerUnknown | AnswerDropped] = []
    for each in taken:
        key, replaced = each.candidate.key, lookup(state.answers, each.candidate.path)[1]
        answers = with_answer(answers, each.candidate.path, each.value)
        declined = tuple(other for other in declined if other != key)
        events.append(AnswerCommitted(each.candidate.question.id, key, each.value, each.quote, replaced))
    for gone in reply.withdrawn:
        key, question = gone.candidate.key, gone.candidate.question
        given, replaced = lookup(state.answers, gone.candidate.path)
        if key in state.early:
            replaced = state.early[key].value
        if question.required and given:
            reopened = {**reopened, key: replaced}
        events.append(AnswerUnknown(question.id, key, gone.quote, not question.required, replaced))
    for refusal in refused:
        path, key = refusal.candidate.path, refusal.candidate.key
        given, old = lookup(answers, path)
        if refusal.stage == EARLY and (given or key in declined):
            # It has to be asked again, so that the kept value is checked.
            answers, reopened = without_answer(answers, path), {**reopened, key: old}
            declined = tuple(other for other in declined if other != key)
            events.append(AnswerDropped(refusal.candidate.question.id, path))
    settled = any(not isinstance(e, AnswerDropped) and e.key == waiting.key for e in events)
    if reply.unknown is not None and not settled and not waiting.question.required:
        declined = (*(d for d in declined if d != waiting.key), waiting.key)
        reopened = {key: old for key, old in reopened.items() if key != waiting.key}
        events.append(AnswerUnknown(waiting.question.id, waiting.key, reply.unknown, True))
    after = replace(state, answers=answers, declined=declined, reopened=reopened, early=early)
    rejected = [*reply.rejected, *refused]
    if not (events or switched):
        return _Committed(after), rejected
    after, follow_up = reconsidered(log, after, _changes(state, events, waiting.key, switched))
    return _Committed(after, (*events, *follow_up)), rejected


def _withdrawn(state: ThreadState, reply: Reply) -> ThreadState:
    """Return the state without what a reply takes back; optional questions count as declined."""
    for each in reply.withdrawn:
        key, declined = each.candidate.key, state.declined
        if not each.candidate.question.required:
            declined = (*(other for other in declined if other != key), key)
        early = {name: kept for name, kept in state.early.items() if name != key}
        answers = without_answer(state.answers, each.candidate.path)
        state = replace(state, answers=answers, declined=declined, early=early)
    return state


def _taken(
    log: Recorder, state: ThreadState, waiting: Candidate, reply: Reply, approves: str | None
) -> tuple[list[Accepted], dict[str, Early], list[Rejected]]:
    """Return the values of a reply that hold together, the values that are kept now, and the refusals.

    A value comes after those that its guards read, so that of two that do not fit the one that depends is refused.
    """
    unapproved = [each for each in reply.accepted if approves == "" and _approves_something(log.flow, each)]
    missing = say(state.language, "approval_missing")
    refused = [Rejected(each.candidate, True, each.quote, "approval", missing) for each in unapproved]
    taken = [each for each in _by_dependency(reply.accepted) if each not in unapproved]
    early = dict(state.early)
    candidates = [each.candidate for each in taken] + [each.candidate for each in reply.withdrawn]
    names = {f"{ANSWERS}.{candidate.key}" for candidate in candidates}
    while taken:
        answers = state.answers
        for each in taken:
            answers = with_answer(answers, each.candidate.path, each.value)
        values = {**seen_values(log, state), "answers": answers}
        kept = early.keys() - {each.candidate.key for each in taken}
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
            early[each.candidate.key] = Early(
                each.value, each.quote, state.message if len(state.message) <= WORDS else each.quote
            )
    keys = {each.candidate.key for each in taken}
    taken = [each for each in reply.accepted if each in taken]
    return taken, {key: kept for key, kept in early.items() if key not in keys}, refused


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


def _go_on(
    log: Recorder,
    state: ThreadState,
    committed: _Committed,
    voted: Voted,
    waiting: Candidate,
    reply: Reply,
    rejected: list[Rejected],
    approves: str | None,
) -> tuple[ThreadState, Goto]:
    """Commit, and walk on: from the question when it is settled, else to it again; out of a path that was corrected."""
    question = waiting.question
    settled = committed.settles(waiting)
    new = replace(committed.state, invalid={} if committed.events else state.invalid, waiting=None)
    given: tuple[ConfirmationGiven, ...] = ()
    if settled:
        # A new reply takes back what an earlier one confirmed.
        new = new.without_confirmations(log.flow, {question.id})
        value = lookup(new.answers, waiting.path)[1]
        given = _confirmations(log, new, question, value, approves)
        changed = any(event.key != waiting.key for event in committed.events if isinstance(event, AnswerCommitted))
        if question.read == "confirm" and isinstance(value, str) and not (changed or log.facts.without_model):
            new = replace(new, replied_to=content_hash((state.waiting or {}).get("prompt", "")))
        new = replace(new, confirmed={**new.confirmed, **{event.action: event.content for event in given}})
    position = state.at.completed() if settled else state.at
    other = reenter(log.flow, position, new.paths.locked) if voted.corrected else None
    new, step = walk(log, new, other or position)
    if (
        not settled
        and not other
        and isinstance(step.outcome, Ask)
        and step.outcome.node is question
        and waiting.key not in new.early
    ):
        # The reply gave other answers; the question is still the one to ask, and its prompt still stands.
        log.emit(*committed.events, *voted.events)
        if not committed.events:
            return _not_understood(log, new, waiting, reply, rejected, owed=False)
        _note(log, new, question.id, reply, committed, all_of_them=True)
        _explain(log, new, question.id, rejected, waiting.key)
        return wait_for(log, new, question), "ask"
    if isinstance(step.outcome, Stuck):
        # The reply leads nowhere: nothing of it is committed, so that another reply can lead somewhere. A vote counts
        # all the same: without it no reply would ever choose the path that the way on may need.
        if new.paths.locked == state.paths.locked:
            log.emit(*voted.events)
            state = replace(state, paths=voted.paths)
        log.emit(*step.events)
        return fail(log, state, question.id, FlowStuck(step.outcome))
    log.emit(*committed.events, *voted.events, *given)
    again = isinstance(step.outcome, Ask) and step.outcome.node is question and question.read == "confirm"
    unseen = again and waiting_for(log, new, question).prompt == (state.waiting or {}).get("prompt")
    all_of_them = unseen or (not settled and new.at.top.detour)
    _note(log, new, question.id, reply, committed, all_of_them=all_of_them)
    if other:
        log.emit(Jumped(question.id, other.node, "path_corrected"))
    log.emit(*step.events)
    asked = pending(step.outcome.node, new.at).key if isinstance(step.outcome, Ask) else ""
    _explain(log, new, question.id, rejected, asked)
    return settle(log, new, step.outcome)


def _note(
    log: Recorder, state: ThreadState, node: str, reply: Reply, committed: _Committed, *, all_of_them: bool
) -> None:
    """Say which values were committed and which were withdrawn.

    Of the committed ones: all, or those that replace an answer or that the message does not hold as such. After a
    reply to a confirmation the next text shows what was replaced, so that is noted only next to the others.
    """
    taken = {e.key: e.replaced for e in committed.events if isinstance(e, AnswerCommitted)}
    values = [a for a in reply.accepted if a.candidate.key in taken and a.candidate.question.read != "confirm"]
    corrections = any(a.inferred for a in values) or getattr(log.flow.nodes[node], "read", "") != "confirm"
    replaced = {a.candidate.key for a in values if corrections and taken[a.candidate.key] is not None}
    shown = [a for a in values if all_of_them or a.inferred or a.candidate.key in replaced]
    noted = [_named_value(a.candidate, a.value, state.language) for a in shown]
    if noted:
        log.emit(Said(node, say(state.language, "noted", noted="; ".join(noted))))
    given = {e.key for e in committed.events if isinstance(e, AnswerUnknown) and e.replaced is not None}
    for sentence, before in (("withdrawn", True), ("declined", False)):
        gone = [each.candidate for each in reply.withdrawn if (each.candidate.key in given) is before]
        if gone:
            names = ", ".join(name_of(candidate.question) for candidate in gone)
            log.emit(Said(node, say(state.language, sentence, names=names)))
    note_dropped(log, state, committed.events)


def _named_value(candidate: Candidate, value: Any, language: str) -> str:
    text = value_text(candidate.question, candidate.options, value, language)
    return f"{name_of(candidate.question)}: {text}"


def _confirmations(
    log: Recorder, state: ThreadState, question: Question, value: Any, approves: str | None
) -> tuple[ConfirmationGiven, ...]:
    """What a yes to this question confirms, by the content that is there now; nothing where it is for other content."""
    if question.read != "confirm" or value is not True:
        return ()
    actions = log.flow.confirmed_by(question.id)
    if approves is not None and approves != confirmed_content(log, state, over_all(actions)):
        return ()
    found = []
    for node in actions:
        assert node.confirm is not None
        content = confirmed_content(log, state, node.confirm.over)
        found.append(ConfirmationGiven(question.id, node.id, content))
    return tuple(found)


def _not_understood(
    log: Recorder,
    state: ThreadState,
    waiting: Candidate,
    reply: Reply,
    rejected: list[Rejected],
    *,
    owed: bool,
) -> tuple[ThreadState, Goto]:
    """Nothing could be committed: say why, ask again, and after `max_invalid` times escalate.

    A message that `owed` no answer is no failed attempt: it began the conversation, or it spoke for a path.
    """
    question = waiting.question
    if reply.escalate is not None:
        log.emit(Said(question.id, say(state.language, "no_person")))
    if reply.unknown is not None:
        log.emit(AnswerUnknown(question.id, waiting.key, reply.unknown, False))
    if not owed:
        _explain(log, state, question.id, rejected, waiting.key)
        return wait_for(log, state, question), "ask"
    count = state.invalid.get(waiting.key, 0) + 1
    log.emit(NotUnderstood(question.id, waiting.key, count, question.max_invalid))
    if count >= question.max_invalid:
        return _give_up(log, state, waiting, count)
    state = replace(state, invalid={**state.invalid, waiting.key: count})
    if any(r.tell for r in rejected):
        _explain(log, state, question.id, rejected, waiting.key)
    elif question.invalid_prompt is None:
        log.emit(Said(question.id, say(state.language, "not_found")))
    if log.facts.without_model and all(each.candidate.key == waiting.key for each in rejected):
        expected = expected_format(question, log.facts.now.date(), state.language)
        if expected:
            log.emit(Said(question.id, expected))
    return wait_for(log, state, question), "ask"


def _give_up(log: Recorder, state: ThreadState, waiting: Candidate, count: int) -> tuple[ThreadState, Goto]:
    """Too many replies without an answer: on to `on_invalid`, else `on_escalate`, else the turn fails."""
    question = waiting.question
    reason = f"{count} replies in a row gave no answer for {waiting.key}"
    state = replace(state, invalid={k: n for k, n in state.invalid.items() if k != waiting.key})
    if question.on_invalid:
        log.emit(Escalated(question.id, question.on_invalid, reason))
        return go(log, replace(state, waiting=None), state.at.jump(question.on_invalid))
    if log.flow.on_escalate:
        return _escalate(log, state, question.id, reason)
    hint = "Answer the question, or give the flow an on_escalate node for such cases."
    return fail(log, state, question.id, GraphwrightError("not_understood", f"I gave up on this: {reason}.", hint))


def _escalate(log: Recorder, state: ThreadState, node: str, reason: str) -> tuple[ThreadState, Goto]:
    target = log.flow.on_escalate
    log.emit(Escalated(node, target, reason))
    new, step = walk(log, replace(state, waiting=None), escape(target))
    log.emit(*step.events)
    if isinstance(step.outcome, Stuck):
        # What the same reply answered is committed and stays; the question waits on.
        return fail(log, state, node, FlowStuck(step.outcome))
    return settle(log, new, step.outcome)


def _explain(log: Recorder, state: ThreadState, node: str, rejected: Sequence[Rejected], asked: str = "") -> None:
    """Tell the user what was not taken, and why; each reason once.

    What another answer than `asked` accepts is said with it; the question for `asked` follows. What is kept until its
    options exist is said with the next question.
    """
    texts = dict[str, None]()
    for each in rejected:
        if each.tell and each.stage != EARLY:
            reason, question = each.reason, each.candidate.question
            if each.stage in CHECKED and each.candidate.key != asked:
                reason = say(state.language, "refused", name=name_of(question), reason=reason)
                if question.invalid_prompt is not None:
                    values = view(log.flow, seen_values(log, state), each.candidate.scopes)
                    reason += " " + question.invalid_prompt.render(values)
            texts[reason] = None
    log.emit(*(Said(node, text) for text in texts))
