"""What happened in the present conversation of a thread, read from its trace: questions, actions, changed values."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from graphwright.engine._dependent_answers import Place, absolute
from graphwright.engine._flow_versions import FlowVersions
from graphwright.engine._position import Position
from graphwright.engine.events import (
    ActionFinished,
    AnswerCommitted,
    AnswerDropped,
    AnswerUnknown,
    ChannelsWritten,
    FlowMigrated,
    Moved,
    NodeEntered,
    OutcomeDecided,
    QuestionPassed,
    TurnStarted,
)
from graphwright.flow._dependencies import is_answer, signature_of
from graphwright.flow.compiled import Action
from graphwright.flow.guards._vocabulary import ANSWERS, MESSAGE, NOW


class Reached(NamedTuple):
    """A question that was reached: its node, its position if the conversation stopped there, and when."""

    node: str
    position: Position | None = None
    at: int = 0


@dataclass(frozen=True, slots=True)
class Past:
    """The questions and actions of a thread's present conversation. Times are numbers of events.

    `questions` are those that it reached, the latest first. `performed` are the action nodes that were performed;
    `finished` has for each of them, with its answer scopes, when that was done last. `changed` has when each channel,
    or answer by `answers.` and its dotted key, got its value, and the action that wrote it.
    """

    questions: tuple[Reached, ...] = ()
    performed: frozenset[str] = frozenset()
    finished: Mapping[Place, int] = field(default_factory=dict)
    changed: Mapping[str, tuple[int, str]] = field(default_factory=dict)


def past(events: Iterable[Mapping[str, Any]]) -> Past:
    """The past of a thread from the JSON of its events, without migrations that were undone."""
    found = _Reading()
    for number, event in enumerate(events, 1):
        found.read(number, event)
    return Past(tuple(reversed(found.questions)), frozenset(found.performed), found.finished, found.changed)


@dataclass(slots=True)
class _Reading:
    questions: list[Reached] = field(default_factory=list)
    before: list[Reached] = field(default_factory=list)
    performed: set[str] = field(default_factory=set)
    finished: dict[Place, int] = field(default_factory=dict)
    changed: dict[str, tuple[int, str]] = field(default_factory=dict)
    position: Position | None = None

    def read(self, number: int, event: Mapping[str, Any]) -> None:
        match event["type"]:
            case TurnStarted.type if event.get("afresh"):
                self.questions, self.performed, self.finished = [], set(), {}
            case NodeEntered.type if event["kind"] == "question":
                self.questions.append(Reached(event["node"], None, number))
            case QuestionPassed.type if event["reason"] == "not_applicable" and self.questions:
                self.questions.pop()
            case Moved.type:
                self.position = Position.from_json(event["position"])
                if self.questions and self.questions[-1].node == self.position.node:
                    self.questions[-1] = Reached(self.position.node, self.position, number)
            case ActionFinished.type:
                self._performed(number, event["node"])
            case OutcomeDecided.type if event["decision"] == "done":
                self._performed(number, event["node"])
            case AnswerCommitted.type | AnswerUnknown.type | AnswerDropped.type:
                self.changed[f"{ANSWERS}.{event['key']}"] = number, ""
            case ChannelsWritten.type:
                self.changed |= dict.fromkeys(event["values"], (number, event["node"]))
            case FlowMigrated.type:
                self._migrated(event)

    def _performed(self, number: int, node: str) -> None:
        self.performed.add(node)
        if self.position is not None and self.position.node == node:
            self.finished[node, self.position.top.scopes] = number

    def _migrated(self, event: Mapping[str, Any]) -> None:
        if event.get("gone") or event.get("values") or "answers" in event.get("state", ()):
            # What was computed before may have been computed from other values.
            self.finished = {}
        if event.get("undoes"):
            self.questions = self.before
        else:
            # A migration performs nothing, but it may reach further questions.
            self.before = list(self.questions)


def still_done(pair: FlowVersions, done: Past, since: int, reset: Collection[str]) -> Iterator[Place]:
    """The present places of actions without effects that were done after an event and would do the same again.

    They run the same, what they read has not changed since, and what they wrote is there. `reset` are the names of
    answers and channels that a migration changes.
    """
    for (name, scopes), at in done.finished.items():
        was, node, now = pair.old.nodes.get(name), pair.node(name), pair.scopes(scopes)
        if at < since or not (isinstance(was, Action) and isinstance(node, Action)) or now is None:
            continue
        before, after = pair.earlier_signature(name), signature_of(pair.new, node)
        if after.effects or (was.run, was.parameters, was.map) != (node.run, node.parameters, node.map):
            continue
        reads = {absolute(pair.old, scopes, each) for each in before.reads}
        same = {_present(pair, each) for each in reads} == {absolute(pair.new, now, each) for each in after.reads}
        if not same or reads & {MESSAGE, NOW} or not set(after.writes) <= set(before.writes):
            continue
        changed = {each for each, (number, by) in done.changed.items() if number > at and by != name} | {*reset}
        if not any(_overlap(each, other) for each in changed for other in (*reads, *before.writes)):
            yield node.id, now


def _present(pair: FlowVersions, name: str) -> str:
    """The present name of an answer or channel; empty if it is gone."""
    if not is_answer(name):
        return name
    path = pair.path(tuple(name.split(".")[1:]))
    return ".".join((ANSWERS, *path)) if path is not None else ""


def _overlap(one: str, other: str) -> bool:
    return f"{one}.".startswith(f"{other}.") or f"{other}.".startswith(f"{one}.")
