"""Plan the migration of a thread to another version of its flow: the outcome, the reasons and the events.

A thread carries over at its next message if its position and answers fit (`carried`). An operator can migrate every
thread that waits (`migrated`): values that do not fit are dropped and asked for again, and a removed position is
replaced by that of an earlier question of the conversation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from graphwright.engine._advance import Ask, End, Perform, Stuck
from graphwright.engine._announced import announce, is_held
from graphwright.engine._changed_answers import note_dropped
from graphwright.engine._constraints import find_questions
from graphwright.engine._dependent_answers import Place
from graphwright.engine._flow_versions import FlowVersions
from graphwright.engine._mapped_thread import ONLY_TEXTS, MappedThread, asks_again
from graphwright.engine._perform import in_doubt
from graphwright.engine._position import Frame, Position, entry
from graphwright.engine._thread_past import Past, Reached, still_done
from graphwright.engine._walk import apply_outcome, earlier_question, prompt, waiting_for, walk
from graphwright.engine._wording import say
from graphwright.engine.events import (
    AnswerDropped,
    FlowMigrated,
    Moved,
    Prompted,
    QuestionsReopened,
    TraceEvent,
)
from graphwright.engine.host_interface import Recorder
from graphwright.engine.state import CHANGING, EVERY, Pinned, ThreadState, WaitingFor, applied, changed_fields
from graphwright.flow.compiled import Question
from graphwright.flow.guards._vocabulary import ANSWERS

Outcome = Literal["carry", "move", "pin", "ask", "wait", "action_missing", "version_missing"]
"""The outcome of a migration for one thread.

`carry`: the thread continues at its position, in the new version. `move`: it continues at another question, or some
answers are asked again. With the others it stays in its version: `pin` and `ask` by the flow's `on_change`, or because
it does not fit; `wait` until an action or a message is finished; `action_missing` and `version_missing`: neither
version can serve it.
"""


PINNED: Mapping[Pinned, str] = {
    "undone": "its migration was undone",
    "chosen": "an operator migrated it to that version",
}
"""Why a pinned thread stays in its version."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The outcome of a migration for a thread, the reasons, and the events; `state` is the state after the events.

    `asks_again`: a reply to the shown question must not count as an answer to the question of the new version.
    """

    outcome: Outcome
    reasons: tuple[str, ...]
    state: ThreadState
    events: tuple[TraceEvent, ...] = ()
    asks_again: bool = False


def is_unfinished(state: ThreadState) -> bool:
    """Whether an action was begun and its outcome is not decided: only the version that began it can finish it."""
    return state.mode == "performing" and (state.waiting is None or in_doubt(state))


def carried(log: Recorder, pair: FlowVersions, state: ThreadState, done: Past | None) -> Plan | None:
    """Return the plan of a thread at its next message, or None if it depends on `done` and `done` is missing.

    The flow of the facts is the present version.
    """
    if is_unfinished(state):
        return Plan("wait", ("an action is not finished",), state)
    if state.pinned:
        return Plan("pin", (PINNED[state.pinned],), state)
    if pair.new.on_change != "carry":
        return Plan(pair.new.on_change, (f"the flow says on_change: {pair.new.on_change}",), state)
    if pair.only_text and not state.confirmed:
        event = FlowMigrated(state.flow_hash, pair.new.hash, (ONLY_TEXTS,))
        after = replace(state, flow_hash=pair.new.hash)
        return Plan("carry", event.reasons, after, (event,), asks_again(log, pair, state, after))
    position = pair.place(state.at) or _moved_along(pair, state)
    if position is None:
        return Plan("pin", (f"node {state.at.node!r} is gone, or another part of the flow calls it",), state)
    repeated = pair.repeated(state.at, position)
    if repeated and done is None:
        return None
    performed = None if done is None else _performed(pair, done)
    mapped = MappedThread(log, pair, state, position, performed, state.at)
    if mapped.needs_past:
        return None
    again = sorted(repeated & _performed(pair, done))
    unfit = [*mapped.unfit, *(f"action {name!r} was performed already, and comes again" for name in again)]
    unfit += mapped.skipped
    if unfit or not (mapped.elsewhere or mapped.applies()):
        return Plan("pin", tuple(unfit or (f"question {position.node!r} no longer applies",)), state)
    return _staying(log, mapped)


def migrated(
    log: Recorder, pair: FlowVersions, state: ThreadState, done: Past | None, by: str, pinned: Pinned = ""
) -> Plan | None:
    """Return the plan of a thread that an operator migrates, or None if it depends on `done` and `done` is missing.

    `log` is only for this thread; it has no events yet. `pinned`: the thread stays in the version.
    """
    if is_unfinished(state):
        return Plan("wait", ("an action is not finished, or its outcome is not known",), state)
    if pair.new.on_change == "pin":
        return Plan("pin", ("the flow says on_change: pin",), state)
    position = pair.place(state.at)
    goes_on = _GoesOn(position) if position is not None else None
    if done is None and (position is None or pair.repeated(state.at, position)):
        return None
    goes_on = goes_on or _other_place(pair, state, done or Past())
    position, since = goes_on.position, goes_on.since
    warning = _may_repeat(pair, position, done) if since is not None else ""
    performed = None if done is None else _performed(pair, done)
    mapped = MappedThread(log, pair, state, position, performed, since.position if since is not None else state.at)
    if mapped.needs_past:
        return None
    if since is not None:
        mapped.leave_answered()
    # From an earlier question the flow reaches all actions that were performed since then.
    repeated = pair.effects_ahead(position) if since is not None else pair.repeated(state.at, position)
    again = tuple(sorted(repeated & _performed(pair, done)))
    reset = (*mapped.values, *(f"{ANSWERS}.{each.key}" for each in mapped.dropped))
    kept = frozenset(still_done(pair, done, since.at, reset)) if since is not None and done is not None else frozenset()
    return _Migration(log, pair, mapped, goes_on.why, warning, again, kept, by, pinned).plan()


def _may_repeat(pair: FlowVersions, position: Position, done: Past | None) -> str:
    """The warning about performed actions that this version does not know, where other ones may do the same again."""
    gone, ahead = pair.replaced(done.performed if done is not None else (), position)
    if not (gone and ahead):
        return ""
    return f"{', '.join(gone)} was performed and is gone: {', '.join(ahead)} may do it again (`was` prevents it)"


def _staying(log: Recorder, mapped: MappedThread) -> Plan:
    """Return the plan of a thread that keeps its position, and whose answers all fit."""
    event = mapped.event("", (mapped.changes_text(), *mapped.notes))
    changed = (
        mapped.dropped
        or mapped.told
        or mapped.lost
        or mapped.opened
        or mapped.computed
        or mapped.before.aside
        or event.gone
        or event.values
        or mapped.after.changes
    )
    if not changed:
        asks_again = mapped.asks_again()
        event, state = _holding(mapped, event, mapped.after, every=asks_again or not _is_read(mapped))
        return Plan("carry", event.reasons, state, (event,), asks_again)
    events: list[TraceEvent] = [event, *mapped.lost_answers(), *mapped.dropped]
    if mapped.opened:
        events.append(QuestionsReopened(mapped.opened))
    state, following = mapped.reconsidered(applied(mapped.before, events))
    if mapped.elsewhere and isinstance(stuck := walk(log, state, state.at)[1].outcome, Stuck):
        return Plan("pin", (f"it would be stuck in the new version: {stuck.message}",), mapped.before)
    asks_again = mapped.asks_again() or _comes_too_early(log, state)
    event, state = _holding(mapped, event, state, every=asks_again or not _is_read(mapped))
    return Plan("carry", event.reasons, state, (event, *events[1:], *following), asks_again)


def _is_read(mapped: MappedThread) -> bool:
    """Whether the next message is read as an answer, or tries again what the user knows that it failed."""
    before = mapped.before
    if before.waits_for("message"):
        return before.mode == "performing" and not (mapped.other_action or mapped.elsewhere)
    return mapped.applies()


def _holding(
    mapped: MappedThread, event: FlowMigrated, state: ThreadState, *, every: bool
) -> tuple[FlowMigrated, ThreadState]:
    """The event and the state with the actions to announce; `every` one if the next message is no answer."""
    held = tuple(dict.fromkeys((*mapped.after.held, EVERY))) if every else mapped.after.held
    fields = {name: value for name, value in event.state.items() if name != "held"}
    if held != mapped.before.held:
        fields["held"] = list(held) or None
    return replace(event, state=fields), replace(state, held=held)


def _comes_too_early(log: Recorder, state: ThreadState) -> bool:
    """Whether a thread waits for a confirmation that reads what must be asked or computed first."""
    confirms = state.waits_for("confirm") and isinstance(log.flow.nodes[state.at.node], Question)
    return confirms and earlier_question(log, state) is not None


def _performed(pair: FlowVersions, done: Past | None) -> set[str]:
    """The present ids of the action nodes that were performed."""
    found = (pair.node(name) for name in (done.performed if done is not None else ()))
    return {node.id for node in found if node is not None}


def _moved_along(pair: FlowVersions, state: ThreadState) -> Position | None:
    """Return the place of a node that was moved to another graph, if it has only one place there."""
    node = pair.node(state.at.node)
    if node is None or node.kind is not pair.old.nodes[state.at.node].kind or state.at.top.detour:
        return None
    found = pair.free_places(node, state.at, state.paths.locked)
    return found[0]._replace(done=state.at.done, escaped=state.at.escaped) if len(found) == 1 else None


class _GoesOn(NamedTuple):
    """The place at which a thread continues, why, and the question of its past that this is, if it goes back."""

    position: Position
    why: str = ""
    since: Reached | None = None


def _other_place(pair: FlowVersions, state: ThreadState, done: Past) -> _GoesOn:
    """Return where a thread continues whose node was removed.

    It is the latest question of its trace that still exists, else the entry. A node that was moved to another part of
    the flow was not removed.
    """
    node = pair.node(state.at.node)
    if node is not None and (found := _placed(pair, state, node, state.at)):
        return _GoesOn(found._replace(done=state.at.done), f"{node.id} is in another part of the flow")
    gone = f"{state.at.node} is gone: "
    for reached in done.questions:
        question, stopped = pair.node(reached.node), reached.position
        if not isinstance(question, Question):
            continue
        if found := (stopped and pair.place(stopped)) or _placed(pair, state, question, stopped or state.at):
            return _GoesOn(found._replace(done=False), f"{gone}it goes on from {question.id}", reached)
    return _GoesOn(entry(pair.new), f"{gone}it goes on from the entry", Reached("", entry(pair.old)))


def _placed(pair: FlowVersions, state: ThreadState, node: Any, earlier: Position) -> Position | None:
    """The place of a node nearest to an earlier position: with its answer scopes, else the first one."""
    found = pair.free_places(node, earlier, state.paths.locked)
    scopes = pair.scopes(earlier.top.scopes)
    return next((each for each in found if each.top.scopes == scopes), found[0] if found else None)


@dataclass(slots=True)
class _Migration:
    """An operator's migration of one thread, whose names are already replaced.

    `moved` is the new place if the old one was removed. `again` are performed actions that may be due again,
    `warning` says that others may be done again unrecognised. `kept` are the places of actions without effects that
    were done, and would do the same again.
    """

    log: Recorder
    pair: FlowVersions
    mapped: MappedThread
    moved: str
    warning: str
    again: tuple[str, ...]
    kept: frozenset[Place]
    by: str
    pinned: Pinned

    def plan(self) -> Plan:
        mapped = self.mapped
        reasons = [mapped.changes_text(), self.moved, self.warning, *mapped.notes]
        reasons += [f"{name} was performed already: it is not done again without asking" for name in self.again]
        reasons += mapped.skipped
        freed = self.pair.effects_ahead(mapped.after.at).intersection(self.pair.freed) if self.pair.freed else ()
        reasons += [f"{name} needs no yes any more: the user is told of it first" for name in sorted(freed)]
        dropped = [each for each in mapped.dropped if each.reason != "when"]
        reasons += [f"{each.key} is asked again: its answer is no longer valid" for each in dropped]
        event = mapped.event(self.by, (), self.again)
        base = mapped.before
        state = replace(applied(base, [event]), pinned=self.pinned)
        event = replace(event, state=changed_fields(base, state))
        event, state = _holding(mapped, event, state, every=True)
        held = state.held
        state = self._recorded(base, event, *mapped.dropped)
        self.log.emit(*mapped.lost_answers())
        note_dropped(self.log, state, mapped.dropped)
        if mapped.opened:
            state = self._recorded(state, QuestionsReopened(mapped.opened))
        state, following = mapped.reconsidered(state)
        self.log.emit(*following)
        after, moved = self._at_its_place(state, dropped)
        if after is None:
            return Plan("pin", (moved,), mapped.before)
        asks_again = any(isinstance(each, Prompted) for each in self.log.events)
        if asks_again and not moved and not self.moved:
            reasons.append("the question is asked again")
        if self._answered_first(dropped):
            reasons.append("the pending question is answered first")
        outcome: Outcome = "move" if self.moved or moved or dropped else "carry"
        told = tuple(dict.fromkeys(filter(None, [*reasons, moved])))
        first, *rest = self.log.events
        assert isinstance(first, FlowMigrated)
        if asks_again and (base.unseen or _prompted(after) != _prompted(base)):
            after = replace(after, unseen=True, held=held)
            rest = [replace(each, unseen=True) if isinstance(each, Prompted) else each for each in rest]
        if not asks_again and not self.moved and _is_read(mapped):
            first, after = _holding(mapped, first, after, every=False)
        return Plan(outcome, told, after, (replace(first, reasons=told), *rest))

    def _recorded(self, state: ThreadState, *events: TraceEvent) -> ThreadState:
        return self.log.record(state, *events)

    def _at_its_place(self, state: ThreadState, dropped: Sequence[AnswerDropped]) -> tuple[ThreadState | None, str]:
        """The state at the stop that follows in the present version, and what moved; None if there is none."""
        log, before = self.log, self.mapped.before
        if state.mode == "performing":
            # The action failed. The next message tries it again, or goes on from where the thread was moved.
            if not (self.moved or self.mapped.other_action):
                return state, ""
            state = log.record(state, Moved(state.at.to_json(), "waiting", state.visit))
        elif not self.moved and state.at.done:
            return state, ""
        position = self._asking_again(state.at, dropped)
        stale = {each.node for each in state.sources.values() if each.changed}
        kept = {place for place in self.kept if place[0] not in stale}
        new, walked = walk(log, state, position, performs=False, done=kept)
        outcome = walked.outcome
        if isinstance(outcome, Stuck):
            return None, f"it would be stuck in the new version: {outcome.message}"
        same = not isinstance(outcome, End) and outcome.position == state.at and not dropped
        if same and before.waits_for("message") and not self.moved:
            return state, ""
        if same and isinstance(outcome, Ask) and not self._asks(before, outcome.node):
            return self._reworded(state, outcome.node), ""
        if (question := self._answered_first(dropped)) is not None:
            return self._reworded(state, question), ""
        log.emit(*(each for each in walked.events if not same or isinstance(each, CHANGING)))
        moved = "" if same else f"it waits at {outcome.node.id}"
        if isinstance(outcome, Perform):
            if is_held(log.flow, new, outcome.node):
                return announce(log, new, outcome.node), moved
            waiting = WaitingFor(outcome.node.id, "", say(new.language, "go_on"), "message")
            return prompt(log, new, waiting), moved
        new, goto = apply_outcome(log, new, outcome)
        return new, "it ends" if goto == "__end__" else moved

    def _answered_first(self, dropped: Sequence[AnswerDropped]) -> Question | None:
        """The pending question if only a changed decision behind it leads elsewhere: its answer is taken first."""
        mapped, node = self.mapped, self.log.flow.nodes[self.mapped.after.at.node]
        if not isinstance(node, Question) or not mapped.before.waits_for("question", "choice"):
            return None
        stays = mapped.elsewhere is not None and not (self.moved or dropped or mapped.opened)
        return node if stays and mapped.applies() and not mapped.asks_again() else None

    def _asks(self, before: ThreadState, node: Question) -> bool:
        waiting = before.waiting
        return waiting is not None and (waiting.kind == "confirm" or self.mapped.asks_again())

    def _reworded(self, state: ThreadState, question: Question) -> ThreadState:
        """The state that shows the pending question in its new words."""
        waiting = waiting_for(self.log, state, question)
        if waiting == state.waiting or state.waiting is None:
            return state
        event = self.log.events[0]
        assert isinstance(event, FlowMigrated)
        self.log.events[0] = replace(event, state={**event.state, "waiting": waiting.to_json()})
        return replace(state, waiting=waiting)

    def _asking_again(self, position: Position, dropped: Sequence[AnswerDropped]) -> Position:
        """The position with a detour to each question whose answer is no longer valid."""
        if position.escaped or not dropped:
            return position
        asked: list[Frame] = []
        for each in reversed(dropped):
            for question, scopes in find_questions(self.pair.new, each.path):
                if question.id == each.node and (question.id, scopes) != (position.node, position.top.scopes):
                    asked.append(Frame(question.graph, question.id, scopes, detour=True))
        if not asked:
            return position
        top = position.top._replace(done=position.done)
        return Position((*position.frames[:-1], top, *asked), escaped=position.escaped)


def _prompted(state: ThreadState) -> tuple[object, ...]:
    """What a user sees of the pending question, and its key."""
    waiting = state.waiting
    return (waiting.key, waiting.prompt, waiting.kind, waiting.options, state.shown) if waiting is not None else ()


def undone(state: ThreadState, before: ThreadState, by: str) -> FlowMigrated:
    """Return the event that undoes a migration; `before` is the state before the migration. The thread stays pinned."""
    restored = replace(before, pinned="undone")
    values = {name: value for name, value in before.channels.items() if state.channels.get(name, _ABSENT) != value}
    return FlowMigrated(
        state.flow_hash,
        before.flow_hash,
        ("its migration is undone",),
        by,
        True,
        changed_fields(state, restored),
        tuple(name for name in state.channels if name not in before.channels),
        values,
        tuple(values),
    )


_ABSENT = object()
