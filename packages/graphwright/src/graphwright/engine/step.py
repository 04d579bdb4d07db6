"""The engine as one function: `step` receives a message or performs an action, and returns the next command.

A host needs a loop around it: store the events and the state of each step, call models and actions for the commands
`Extract` and `Perform` and call `step` again with their results, and stop at `Wait`, `End` or `Fail`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from graphwright.engine._advance import Ask, Outcome, Perform, Stuck
from graphwright.engine._announced import agreed, announce, announced, refuse
from graphwright.engine._asked_anew import asked_anew, decision_in, lacking_answers
from graphwright.engine._changed_answers import adapted, note_dropped, reconsidered
from graphwright.engine._commit import Committed, commit
from graphwright.engine._dependent_answers import Changes, applies
from graphwright.engine._flow_questions import example_day, rule_of
from graphwright.engine._paths import Voted, count_votes, reenter
from graphwright.engine._perform import DONE, confirmations, continue_after, decide, in_doubt, perform
from graphwright.engine._position import Position, entry, escape, lookup, view, with_answer
from graphwright.engine._questions import Candidate, every_candidate, pending
from graphwright.engine._repeated_effects import LEAVE, left_as_done, repeated_by, too_late
from graphwright.engine._replaced import replaced
from graphwright.engine._reply import (
    CHECKED,
    EARLY,
    LANGUAGE_TAG,
    Accepted,
    Rejected,
    Reply,
    read_correction,
    read_reply,
    shared_reply,
    value_reply,
)
from graphwright.engine._shown_values import rendered, waiting_options
from graphwright.engine._walk import (
    FlowStuck,
    Goto,
    apply_outcome,
    fail,
    prompt,
    wait_for,
    waiting_for,
    walk,
    walk_to_stop,
)
from graphwright.engine._wording import expected_format, name_of, say, value_text
from graphwright.engine.events import (
    AnswerCommitted,
    AnswerDropped,
    AnswerRefused,
    AnswersCleared,
    AnswerUnknown,
    ChannelsReset,
    Escalated,
    FileGiven,
    Jumped,
    LanguageRead,
    Moved,
    NotUnderstood,
    OutcomeDecided,
    Said,
    TraceEvent,
    TurnStarted,
)
from graphwright.engine.host_interface import (
    Command,
    Continue,
    End,
    Facts,
    Fail,
    Inbox,
    Needs,
    Recorder,
    Result,
    TurnMemory,
    UnreadReply,
    Wait,
    seen_values,
)
from graphwright.engine.state import CHANGING, ThreadState, WaitingFor, applied, content_hash
from graphwright.errors import GraphwrightError
from graphwright.flow._dependencies import signature_of
from graphwright.flow._schema_validation import first_violation, writable
from graphwright.flow.compiled import Action, CompiledFlow, Question
from graphwright.flow.guards._vocabulary import ANSWERS
from graphwright.text.sentences import without_questions

__all__ = ["StepResult", "step", "receive"]


@dataclass(frozen=True, slots=True)
class StepResult:
    """The events of a step, the state after them, and what the host does next.

    Where `command` is Extract or Perform, the step is not over: its `events` are those so far, `state` is the one that
    it began with, and both are final only after it was run again with the result. Pass `memory` in the
    facts of the next step of the turn.
    """

    events: tuple[TraceEvent, ...]
    state: ThreadState
    command: Command
    memory: TurnMemory


def step(facts: Facts, state: ThreadState, inbox: Inbox | None, results: Sequence[Result] = ()) -> StepResult:
    """Decide one step of a turn: receive the inbox or, without one, perform the pending action.

    `results` are those of the commands that earlier runs of this step returned, in their order. Equal arguments give
    equal results on every machine. Errors of flows, models and actions become events and the command Fail; an
    exception is a bug in the engine or the host.
    """
    memory = facts.memory.copy()
    log = Recorder(replaced(facts, memory=memory), list(results))
    try:
        left, goto = perform(log, state) if inbox is None else receive(log, state, inbox)
    except Needs as needs:
        return StepResult(tuple(log.events), state, needs.command, memory)
    if log.error is not None:
        return StepResult(tuple(log.events), left, Fail(log.error, log.exception), memory)
    command: Command = Continue() if goto == "perform" else End() if goto == "__end__" else Wait()
    return StepResult(tuple(log.events), left, command, memory)


def receive(log: Recorder, state: ThreadState, inbox: Inbox) -> tuple[ThreadState, Goto]:
    """Take in a message and walk on to the next stop."""
    flow = log.flow
    afresh = state.mode in ("new", "ended")
    changed = state.flow_hash not in ("", flow.hash)
    born = "" if state.born else log.facts.token
    now = log.facts.now.isoformat(timespec="seconds")
    given = inbox.has_value, inbox.value, log.facts.without_model, born, now
    message = inbox.message_in(state.language or _own_language(flow), waiting_options(flow, state))
    started = TurnStarted(state.turn + 1, message, afresh, flow.id, flow.hash, *given)
    state = log.record(state, started, *(FileGiven(**file) for file in inbox.files))
    if afresh:
        if changed:
            before, state = state, adapted(log, state)
            state, events = reconsidered(log, state, _gone(before, state))
            log.emit(*events)
        forgets = not flow.keep_answers and (state.answers or state.declined or state.aside)
        cleared = (AnswersCleared(),) if forgets else ()
        state = log.record(state, *cleared, *_reset(flow, state.channels))
        state = _in_language(log, state, state.language or _own_language(flow))
    was_asked = state.waits_for("confirm")
    if log.facts.migration and not afresh:
        state = log.record(state, *log.facts.migration)
    since = len(log.events)
    try:
        if afresh:
            return _begin(log, state, inbox)
        if (anew := asked_anew(log, state, inbox, was_asked=was_asked)) is not None:
            return anew
        if yes := agreed(flow, state, inbox):
            return log.record(state, yes, Moved(state.at.to_json(), "performing", state.visit)), "perform"
        if (waits := announced(flow, state)) is not None and decision_in(inbox) is False:
            return refuse(log, state, waits), "ask"
        if _tries_again(log, state) and inbox.text:
            state, reply = _corrected(log, state, state.at.node, inbox.text)
            since = len(log.events)
            if leaves := _leaves(flow, state.at.node, reply):
                return _escape(log, state, leaves)
            if missing := lacking_answers(log, state):
                return apply_outcome(log, *missing)
        if (waits := announced(flow, state)) is not None:
            return announce(log, state, waits), "ask"
        if state.mode == "performing":
            return _perform_again(log, state, inbox)
        if state.waits_for("question", "confirm", "choice"):
            return _answer(log, state, flow.question(state.at.node), inbox, opener=False)
        return walk_to_stop(log, state, state.at)
    except Exception as error:
        log.take_back(since)
        return fail(log, state, state.at.node if state.position else flow.root.entry, error)


def _gone(before: ThreadState, after: ThreadState) -> Changes:
    """The names of the answers and channels that an adapted state lost."""
    answers = (key for key, value in before.answers.items() if after.answers.get(key) != value)
    channels = before.channels.keys() - after.channels.keys()
    return Changes(replaced=[*(f"{ANSWERS}.{key}" for key in answers), *channels])


def _reset(flow: CompiledFlow, before: Mapping[str, Any]) -> tuple[ChannelsReset, ...]:
    """Which channels go to their defaults when a conversation begins."""
    values = {
        name: channel.default
        for name, channel in flow.channels.items()
        if name not in before or (channel.per_conversation and before[name] != channel.default)
    }
    private = tuple(name for name in values if flow.channels[name].private)
    return (ChannelsReset(values, private),) if values else ()


def _tries_again(log: Recorder, state: ThreadState) -> bool:
    """Whether any message tries again: the last turn failed, or an announced action waits for a yes."""
    return state.waits_for("message") and (log.facts.tries_again or announced(log.flow, state) is not None)


def _corrected(log: Recorder, state: ThreadState, node: str, text: str) -> tuple[ThreadState, Reply]:
    """Commit the corrections of a message that answers no question: it retries after a failure, or begins again.

    With the same answers a failed action may fail in the same way. Also returns what the message says.
    """
    flow = log.flow
    shared = log.facts.shared
    reply = read_correction(log, state, text) if shared is None else shared_reply(log, state, shared, None)
    state = _in_language(log, state, reply.language)
    if reply.note:
        log.emit(Said(node, reply.note))
    changed = [each.candidate for each in reply.accepted] + [each.candidate for each in reply.withdrawn]
    rejected = list(reply.rejected)
    if changed:
        keys = {each.key for each in changed}
        unasked = next((each for each in every_candidate(flow) if each.key not in keys), changed[0])
        committed, rejected = commit(log, state, state.paths, unasked, replace(reply, unknown=None), None)
        log.emit(*committed.events)
        _note(log, committed.state, node, reply, committed, all_of_them=True)
        state = committed.state
        if committed.events and state.mode not in ("new", "ended"):
            # The values that the failed action read may have changed: the walk checks them again.
            position = state.at
            stale = any(each.node == node and each.changed for each in state.sources.values())
            action = flow.nodes[node]
            if stale and isinstance(action, Action) and not signature_of(flow, action).effects:
                position = position._replace(done=False)
            state = log.record(state, Moved(position.to_json(), "waiting", state.visit))
    state = log.record(state, *_refusals(node, rejected))
    _explain(log, state, node, rejected)
    return state, reply


def _in_language(log: Recorder, state: ThreadState, language: str) -> ThreadState:
    return log.record(state, LanguageRead(language)) if language not in ("", state.language) else state


def _own_language(flow: CompiledFlow) -> str:
    """The language in which a flow begins: the default of its channel `language`. Empty if it has none."""
    channel = flow.channels.get(flow.language)
    begins = channel.default if channel is not None else ""
    return begins if isinstance(begins, str) and LANGUAGE_TAG.fullmatch(begins) else ""


def _refusals(node: str, rejected: Sequence[Rejected]) -> Iterator[AnswerRefused]:
    for refusal in rejected:
        value = writable(refusal.value)
        yield AnswerRefused(node, refusal.candidate.key, value, refusal.quote, refusal.stage, refusal.reason)


def _perform_again(log: Recorder, state: ThreadState, inbox: Inbox) -> tuple[ThreadState, Goto]:
    """Any message tries a failed action again; of one in doubt the user says first what became of it."""
    node = log.flow.action(state.at.node)
    if in_doubt(state):
        visit = state.visit_of(node.id)
        decision, state = decide(log, state, visit, inbox)
        if not decision:
            return state, "ask"
        if decision == LEAVE or (decision == DONE and node.map is None):
            return continue_after(log, state, node, state.at.completed())
        log.facts.memory.repeated = visit
        if decision == DONE:
            # The other items of the list were done, and their results are stored.
            log.facts.memory.settled = visit
    return log.record(state, Moved(state.at.to_json(), "performing", state.visit)), "perform"


def _begin(log: Recorder, state: ThreadState, inbox: Inbox) -> tuple[ThreadState, Goto]:
    fresh, walked = walk(log, state, entry(log.flow), performs=inbox.message is not None)
    if inbox.text and state.answers and not isinstance(walked.outcome, Ask):
        # No question would read the message, and it may correct the answers that were kept.
        state, reply = _corrected(log, state, log.flow.root.entry, inbox.text)
        if leaves := _leaves(log.flow, log.flow.root.entry, reply):
            return _escape(log, state, leaves)
        fresh, walked = walk(log, state, entry(log.flow))
    log.emit(*walked.events)
    match walked.outcome:
        case Ask(node=question, message=message) if inbox.text:
            if message:
                log.emit(Said(question.id, message))
            return _answer(log, fresh, question, inbox, opener=True)
        case Perform(node=node) if inbox.message is None:
            return prompt(log, fresh, WaitingFor(node.id, "", say(fresh.language, "what_to_do"), "message")), "ask"
        case outcome:
            return apply_outcome(log, fresh, outcome)


def _answer(
    log: Recorder, state: ThreadState, question: Question, inbox: Inbox, *, opener: bool
) -> tuple[ThreadState, Goto]:
    """Read the reply to a question. `opener` says that the message began the conversation: it owes no answer."""
    waiting = pending(question, state.at)
    # The model reads the first message as a reply to the question, which the user has not seen.
    reading = replace(state, waiting=waiting_for(log, state, question)) if opener else state
    try:
        if log.facts.shared is not None:
            reply = shared_reply(log, state, log.facts.shared, waiting)
        elif inbox.has_value:
            reply = value_reply(waiting, inbox.value)
        else:
            reply = read_reply(log, reading, waiting, inbox.text or "", opener=opener)
    except UnreadReply as unread:
        return fail(log, state, question.id, unread.error)
    except GraphwrightError as error:
        return fail(log, state, question.id, error)
    if opener:
        # The opening message cannot decline a question that was not asked yet.
        reply = replace(reply, unknown=None)
    state = _in_language(log, state, reply.language)
    voted = count_votes(log.flow, state.paths, reply.selected)
    committed, rejected = commit(log, applied(state, voted.events), state.paths, waiting, reply, inbox.approves)
    if other := _other_request(log, state, waiting, reply, committed, rejected):
        reply = _one_request(waiting, reply, other, state.language)
        committed, rejected = commit(log, applied(state, voted.events), state.paths, waiting, reply, inbox.approves)
    if opener:
        reply, rejected = _two_requests(log, reply, committed, rejected)
    refusals = tuple(_refusals(question.id, rejected))
    log.emit(*refusals)
    state, after = applied(state, refusals), (*voted.events, *committed.events)
    committed = replace(committed, state=applied(state, after))
    if leaves := _leaves(log.flow, question.id, reply):
        log.emit(*committed.events, *voted.events)
        return _escape(log, committed.state, leaves)
    if opener and reply.corrects and state.turn > 1 and not reading.answers:
        # Nothing of this conversation was answered before: the correction is one of the conversation that has ended.
        log.emit(Said(question.id, say(state.language, "begins_anew")))
    if reply.note:
        log.emit(Said(question.id, reply.note))
    log.facts.memory.asked += reply.asks
    log.facts.memory.further = reply.further
    if committed.events or voted.counted:
        return _continue_turn(log, state, committed, voted, waiting, reply, rejected, inbox.approves)
    log.emit(*voted.events)
    # A question, a yes or an early value that was not taken does not count as a failed attempt, nor what is unfit.
    owed = not (opener or reply.asks or reply.note) and not any(
        each.stage in ("approval", "consent", EARLY) or (each.stage in CHECKED and each.candidate.key != waiting.key)
        for each in rejected
    )
    return _not_understood(log, applied(state, voted.events), waiting, reply, rejected, owed=owed)


def _other_request(
    log: Recorder, state: ThreadState, waiting: Candidate, reply: Reply, committed: Committed, refused: list[Rejected]
) -> str:
    """Return the sentence about answers next to a yes that belong to another request; empty if they change this one.

    Those are for questions that do not apply to this request, and drop answers of it or are all that the reply states.
    """
    if reply.yes is None or not log.flow.confirmed_by(waiting.question.id):
        return ""
    values = seen_values(log, state)
    stated: list[Accepted | Rejected] = [*reply.accepted, *refused]
    stated = [each for each in stated if each.candidate.key != waiting.key]
    foreign = [each for each in stated if not _applies_with(log, each, values)]
    drops = any(isinstance(event, AnswerDropped) and event.reason == "when" for event in committed.events)
    if not (drops or len(foreign) == len(stated)):
        return ""
    return "; ".join(_named_value(each.candidate, each.value, state.language) for each in foreign)


def _applies_with(log: Recorder, stated: Accepted | Rejected, values: Mapping[str, Any]) -> bool:
    """Whether a question applies once it has the stated value: its `when` may ask for the value itself."""
    asked = stated.candidate
    answered = {**values, "answers": with_answer(values.get("answers") or {}, asked.path, stated.value)}
    return applies(log.flow, asked.question, asked.scopes, answered)


def _one_request(waiting: Candidate, reply: Reply, other: str, language: str) -> Reply:
    """Return the part of a reply about the pending request: yes; neither yes nor no if the model reads a change."""
    own = next(each for each in reply.accepted if each.candidate.key == waiting.key)
    if reply.yes:
        note = say(language, "next_request", noted=other)
        return Reply((replace(own, value=True),), note=note, language=language)
    refused = Rejected(waiting, own.value, own.quote, "consent", say(language, "one_request", noted=other))
    return Reply(rejected=(refused,), language=language)


def _two_requests(
    log: Recorder, reply: Reply, committed: Committed, rejected: list[Rejected]
) -> tuple[Reply, list[Rejected]]:
    """Add to what a first message says in vain that it can be sent again if it belongs to another request.

    That may be so if other answers of the message rule it out, or if it belongs to no question of the flow.
    """
    values = seen_values(log, committed.state)
    taken = {event.key.rpartition(".")[2] for event in committed.events if isinstance(event, AnswerCommitted)}
    hint = say(committed.state.language, "own_request")
    for number, each in reversed(list(enumerate(rejected))):
        when = each.candidate.question.when if each.stage == "when" else None
        seen = view(log.flow, values, each.candidate.scopes)
        if when is not None and any(name.rpartition(".")[2] in taken for name in when.deciding_reads(seen)):
            told = replace(each, reason=f"{each.reason} {hint}")
            return reply, [*rejected[:number], told, *rejected[number + 1 :]]
    return (replace(reply, note=f"{reply.note} {hint}") if reply.note else reply), rejected


def _continue_turn(
    log: Recorder,
    state: ThreadState,
    committed: Committed,
    voted: Voted,
    waiting: Candidate,
    reply: Reply,
    rejected: list[Rejected],
    approves: str | None,
) -> tuple[ThreadState, Goto]:
    """Commit, and walk on: from the question when it is settled, else to it again; out of a path that was corrected."""
    question = waiting.question
    settled = committed.settles(waiting)
    new = committed.state
    given: tuple[TraceEvent, ...] = ()
    position = state.at
    if settled:
        value = lookup(new.answers, waiting.path)[1]
        given, position = _consequences(log, new, question, value, approves)
        changed = any(event.key != waiting.key for event in committed.events if isinstance(event, AnswerCommitted))
        if question.read == "confirm" and isinstance(value, str) and not (changed or log.facts.without_model):
            log.facts.memory.replied_to = content_hash(state.waiting.prompt if state.waiting else "")
        new = applied(new, given)
    other = reenter(log.flow, position, new.paths.locked) if voted.corrected else None
    if other:
        given = (*given, Jumped(question.id, other.node, "path_corrected"))
        new = applied(new, given[-1:])
    new, walked = walk(log, new, other or position)
    same = not settled and not other and isinstance(walked.outcome, Ask) and walked.outcome.node is question
    if same and waiting.key not in new.early:
        # The reply gave other answers; the same question is still pending, with the same prompt.
        passed = any(isinstance(event, OutcomeDecided | Jumped) for event in walked.events)
        log.emit(*committed.events, *voted.events, *walked.events[0 if passed else -1 :])
        if not committed.events:
            return _not_understood(log, new, waiting, reply, rejected, owed=False)
        _note(log, new, question.id, reply, committed, all_of_them=True)
        log.emit(*too_late(log.flow, state, new, committed.events))
        _explain(log, new, question.id, rejected, waiting.key)
        return wait_for(log, new, question), "ask"
    if isinstance(walked.outcome, Stuck):
        # The reply leads nowhere: nothing of it is committed, so that another reply can lead somewhere. A vote counts
        # all the same: without it no reply would ever choose the path that the way on may need.
        if new.paths.locked == state.paths.locked:
            state = log.record(state, *voted.events)
        return _stuck(log, state, question.id, walked.outcome, walked.events)
    log.emit(*committed.events, *voted.events, *given)
    again = isinstance(walked.outcome, Ask) and walked.outcome.node is question and question.read == "confirm"
    unseen = again and state.waiting is not None and waiting_for(log, new, question).prompt == state.waiting.prompt
    all_of_them = unseen or not settled
    later = not rejected and _may_be_shown(log, walked.outcome)
    _note(log, new, question.id, reply, committed, all_of_them=all_of_them, later=later, waiting=waiting)
    log.emit(*too_late(log.flow, state, new, committed.events))
    log.emit(*walked.events)
    asked = pending(walked.outcome.node, new.at).key if isinstance(walked.outcome, Ask) else ""
    _explain(log, new, question.id, rejected, asked)
    return apply_outcome(log, new, walked.outcome)


def _stuck(
    log: Recorder, state: ThreadState, node: str, stuck: Stuck, way: Sequence[TraceEvent]
) -> tuple[ThreadState, Goto]:
    """Fail where the flow is stuck. Of the events of the way those stay that explain it and change nothing."""
    log.emit(*(event for event in way if not isinstance(event, CHANGING)))
    return fail(log, state, node, FlowStuck(stuck))


def _note(
    log: Recorder,
    state: ThreadState,
    node: str,
    reply: Reply,
    committed: Committed,
    *,
    all_of_them: bool,
    later: bool = False,
    waiting: Candidate | None = None,
) -> None:
    """Say which values were committed, which were withdrawn, and which questions the user declined.

    Of the committed ones: all, or those that replace an answer or that the message does not hold as such. After a
    reply to a confirmation the next text shows what was replaced, so that is noted only next to the others. With
    `later` the committed values are noted at the next prompt, unless it shows them.
    """
    taken = {e.key: e.replaced for e in committed.events if isinstance(e, AnswerCommitted)}
    values = [a for a in reply.accepted if a.candidate.key in taken and a.candidate.question.read != "confirm"]
    corrections = any(a.inferred for a in values) or getattr(log.flow.nodes[node], "read", "") != "confirm"
    replaced = {a.candidate.key for a in values if corrections and taken[a.candidate.key] is not None}
    shown = [a for a in values if all_of_them or a.inferred or a.candidate.key in replaced]
    noted = {a.candidate.key: _named_value(a.candidate, a.value, state.language) for a in shown}
    if state.early or later:
        # A value that is kept may be accepted later in the turn: one message reports all of them.
        log.facts.memory.noted.update(noted)
    elif noted:
        log.emit(Said(node, say(state.language, "noted", noted="; ".join(noted.values()))))
    unknown = {e.key: e for e in committed.events if isinstance(e, AnswerUnknown)}
    given = {key for key, event in unknown.items() if event.replaced is not None}
    left = [each.candidate for each in reply.withdrawn]
    if waiting is not None and waiting.key in unknown:
        left.append(waiting)
    for sentence, before in (("withdrawn", True), ("declined", False)):
        gone = [each for each in left if (each.key in given) is before]
        names = ", ".join(name_of(each.question) for each in gone if before or not _needless(log, state, each))
        if names:
            log.emit(Said(node, say(state.language, sentence, names=names)))
    note_dropped(log, state, committed.events)


def _may_be_shown(log: Recorder, outcome: Outcome) -> bool:
    """Whether the next text may be a confirmation, which often shows the answers."""
    if isinstance(outcome, Perform):
        return not signature_of(log.flow, outcome.node).effects
    return isinstance(outcome, Ask) and outcome.node.read == "confirm"


def _needless(log: Recorder, state: ThreadState, candidate: Candidate) -> bool:
    """Whether the answers so far make an answer needless."""
    when = candidate.question.when
    verdict = when.evaluate(view(log.flow, seen_values(log, state), candidate.scopes)) if when is not None else None
    return verdict is not None and not (verdict.opens or verdict.missing)


def _named_value(candidate: Candidate, value: Any, language: str) -> str:
    text = value_text(candidate.question, candidate.options, value, language)
    return f"{name_of(candidate.question)}: {text}"


def _consequences(
    log: Recorder, state: ThreadState, question: Question, value: Any, approves: str | None
) -> tuple[tuple[TraceEvent, ...], Position]:
    """Return the events that follow from an answer, and the position at which the conversation continues."""
    at, flow = state.at, log.flow
    if question.read != "confirm":
        return (), at.completed()
    if isinstance(value, str) and at.top.detour and at.frames[-2].detour and repeated_by(flow, state, question):
        # The flow leads on from this reply, and not back to where it was.
        left = at._replace(frames=at.frames[:-1]).jump(question.id)
        return (Jumped(question.id, question.id, "went_back"),), left.completed()
    if value is False:
        return left_as_done(flow, state, question), at.completed()
    return confirmations(log, state, question, value, approves), at.completed()


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

    A message that `owed` no answer is not a failed attempt: it began the conversation, or it voted for a path.
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
    state = log.record(state, NotUnderstood(question.id, waiting.key, count, question.max_invalid))
    if count >= question.max_invalid:
        return _give_up(log, state, waiting, count)
    if any(r.is_reported for r in rejected):
        _explain(log, state, question.id, rejected, waiting.key)
    elif question.invalid_prompt is None:
        log.emit(Said(question.id, say(state.language, "not_found")))
    ruled_out = any(each.stage == "validate" and each.candidate.key == waiting.key for each in rejected)
    text = ""
    if ruled_out and question.invalid_prompt is None:
        text = rule_of(log.flow, waiting, seen_values(log, state), state.language)
    elif log.facts.without_model and not any(_has_form(each) or each.candidate.key != waiting.key for each in rejected):
        day = example_day(log.flow, waiting, seen_values(log, state), log.facts.now.date())
        text = expected_format(question, day, state.language)
    if text:
        log.emit(Said(question.id, text))
    return wait_for(log, state, question), "ask"


def _has_form(refused: Rejected) -> bool:
    """Whether a refused value has the type and format of its question, so that a limit or a rule refuses it."""
    schema = refused.candidate.question.schema
    form = {name: schema[name] for name in ("type", "format") if name in schema}
    return refused.stage in ("schema", "validate") and not first_violation(form, refused.value)


def _give_up(log: Recorder, state: ThreadState, waiting: Candidate, count: int) -> tuple[ThreadState, Goto]:
    """Too many replies without an answer: on to `on_invalid`, else `on_escalate`, else the turn fails."""
    question = waiting.question
    reason = f"{count} replies in a row gave no answer for {waiting.key}"
    if question.on_invalid:
        log.emit(Escalated(question.id, question.on_invalid, reason))
        return walk_to_stop(log, state, state.at.jump(question.on_invalid))
    if log.flow.on_escalate:
        return _escape(log, state, Escalated(question.id, log.flow.on_escalate, reason))
    text = say(state.language, "gave_up", name=name_of(question), n=count)
    return fail(log, state, question.id, GraphwrightError("not_understood", text, say(state.language, "try_again")))


def _leaves(flow: CompiledFlow, node: str, reply: Reply) -> Escalated | Jumped | None:
    """Return the event with which a reply leaves the normal course of the flow, or None."""
    if flow.on_escalate and reply.escalate is not None:
        return Escalated(node, flow.on_escalate, reply.escalate)
    return Jumped(node, flow.on_abandon, "abandoned") if flow.on_abandon and reply.abandon is not None else None


def _escape(log: Recorder, state: ThreadState, leaves: Escalated | Jumped) -> tuple[ThreadState, Goto]:
    """Go on at a node outside the normal way of the flow."""
    log.emit(leaves)
    new, walked = walk(log, state, escape(leaves.target))
    if isinstance(walked.outcome, Stuck):
        # The other answers of the reply stay committed; the question is still pending.
        node = leaves.node if isinstance(leaves, Escalated) else leaves.source
        return _stuck(log, state, node, walked.outcome, walked.events)
    log.emit(*walked.events)
    return apply_outcome(log, new, walked.outcome)


def _what_stays(state: ThreadState, candidate: Candidate) -> str:
    """The sentence that an earlier answer stays, or that there is none."""
    given, value = lookup(state.answers, candidate.path)
    if not given:
        return say(state.language, "refused", names=name_of(candidate.question))
    return say(state.language, "as_before", noted=_named_value(candidate, value, state.language))


def _explain(log: Recorder, state: ThreadState, node: str, rejected: Sequence[Rejected], asked: str = "") -> None:
    """Report which values were not accepted, and why; each reason once.

    A refused answer other than `asked` is reported with the statements of its `invalid_prompt`; options and schema
    explain themselves. The question for `asked` follows, so no other question is asked, and its `invalid_prompt` is
    enough where there is no reason. A value that is kept until its options exist is reported with the next question.
    """
    texts = dict[str, None]()
    for each in rejected:
        reason, question = each.reason, each.candidate.question
        replaced = each.candidate.key == asked and not each.is_explained and question.invalid_prompt is not None
        if each.is_reported and each.stage != EARLY and not replaced:
            if each.stage in CHECKED and each.candidate.key != asked:
                reason = f"{_what_stays(state, each.candidate)} {reason}"
                if each.stage == "validate" and question.invalid_prompt is not None:
                    seen, scopes = seen_values(log, state), each.candidate.scopes
                    rule = rendered(question.invalid_prompt, log.flow, seen, scopes, state.language)
                    reason = f"{reason} {without_questions(rule)}".rstrip()
            texts[reason] = None
    log.emit(*(Said(node, text) for text in texts))
