"""Conversations on the pure step: no session, no store, no event loop. The host is a dozen lines here."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from types import SimpleNamespace
from typing import Any

from graphwright import Agent
from graphwright.engine._flow_versions import versions
from graphwright.engine._migration import Plan, carried, migrated
from graphwright.engine._position import view
from graphwright.engine._reply import UNSUPPORTED_QUOTE
from graphwright.engine._thread_past import past
from graphwright.engine.events import (
    ActionFailed,
    ActionFinished,
    ActionStarted,
    AnswerRefused,
    NodeEntered,
    Prompted,
    Said,
    TraceEvent,
)
from graphwright.engine.host_interface import (
    ActionError,
    Command,
    Continue,
    End,
    Extract,
    Facts,
    Fail,
    Inbox,
    Perform,
    Performed,
    Recorder,
    Result,
    TurnMemory,
    UnreadReply,
)
from graphwright.engine.state import ThreadState, WaitingFor, applied
from graphwright.engine.step import step
from graphwright.errors import GraphwrightError
from graphwright.host._actions import ChannelReset, state_view
from graphwright.host._extraction import extract, tools_for
from graphwright.host._run import run_validator
from graphwright.models import ModelFailure
from graphwright.models._scripted import ScriptedModel
from host_support import scripted


@dataclass(frozen=True)
class SteppedTurn:
    """A turn as a session returns it."""

    status: str
    reply: str
    waiting_for: WaitingFor | None
    values: dict[str, Any]
    path: tuple[str, ...]
    refused: tuple[tuple[str, str], ...]
    error: GraphwrightError | None


@dataclass
class Conversation:
    """A thread in memory. At each end of a step its events must fold to its state."""

    agent: Agent
    model: ScriptedModel
    state: ThreadState = field(default_factory=ThreadState)
    events: list[TraceEvent] = field(default_factory=list)
    memory: TurnMemory = field(default_factory=TurnMemory)
    failed: bool = False
    offered: list[list[dict[str, Any]]] = field(default_factory=list)
    """The tools of each reading."""
    plan: Plan | None = None
    """How the thread carries over at its next message."""

    def start(self) -> SteppedTurn:
        return self._turn(Inbox())

    def send(self, text: str) -> SteppedTurn:
        return self._turn(Inbox.of_text(text))

    def resume(self, value: Any) -> SteppedTurn:
        return self._turn(Inbox.of_value(value))

    def carry_over(self, agent: Agent, *, by_operator: bool = False) -> Plan:
        """Go on with another version of the flow, at once or at the next message."""
        check = partial(run_validator, agent)
        log = Recorder(Facts(flow=agent.flow, thread="t", now=datetime.now().astimezone(), token="", check=check))
        pair, done = versions(self.agent.flow, agent.flow), past(self.trace())
        found = migrated(log, pair, self.state, done, "ann") if by_operator else carried(log, pair, self.state, done)
        assert found is not None
        if by_operator:
            assert applied(self.state, found.events).to_json() == found.state.to_json()
            self.state, self.events = found.state, [*self.events, *found.events]
        self.agent, self.plan = agent, None if by_operator else found
        return found

    def trace(self) -> list[dict[str, Any]]:
        """All events as JSON."""
        return [event.to_json() for event in self.events]

    def _turn(self, inbox: Inbox | None) -> SteppedTurn:
        self.memory = TurnMemory()
        since, now, performed = len(self.events), datetime.now().astimezone(), 0
        command: Command = Continue()
        while isinstance(command, Continue):
            facts = Facts(
                flow=self.agent.flow,
                thread="t",
                now=now,
                token=secrets.token_hex(3),
                check=partial(run_validator, self.agent),
                memory=self.memory,
                tries_again=self.failed,
                performed=performed,
                earlier=self.events[since:],
                migration=self.plan.events if self.plan is not None else (),
                asks_again=self.plan is not None and self.plan.asks_again,
            )
            self.plan = None
            command = self._step(facts, inbox)
            inbox, performed = None, performed + 1
        self.failed = isinstance(command, Fail)
        return self._turn_since(since, command)

    def _step(self, facts: Facts, inbox: Inbox | None) -> Command:
        results: list[Result] = []
        while isinstance((done := step(facts, self.state, inbox, results)).command, Extract | Perform):
            results.append(self._executed(done.command))
        assert applied(self.state, done.events).to_json() == done.state.to_json()
        self.state, self.memory = done.state, done.memory
        self.events += done.events
        return done.command

    def _executed(self, command: Command) -> Result:
        if isinstance(command, Extract):
            asked = command.asked
            self.offered.append(tools_for(asked.offered, asked.paths, asked.confirms, asked.abandonable))
            try:
                return Result((), asyncio.run(extract(self.model, self.agent.prompts, asked)))
            except ModelFailure as failure:
                return Result((), error=UnreadReply(failure))
        assert isinstance(command, Perform)
        node, visit = command.node, command.visit
        told: list[TraceEvent] = [ActionStarted(node.id, node.run, visit, 1)]
        said: list[str] = []
        spec = self.agent.action(node.run)
        try:
            values = view(self.agent.flow, self.state.values(), self.state.at.top.scopes)
            context = SimpleNamespace(say=said.append, node=node.id)
            found = spec.function(state_view(spec, values), context)
            found = asyncio.run(found) if spec.is_async else found
        except Exception as error:
            told.append(ActionFailed(node.id, node.run, visit, 1, str(error), final=True))
            return Result(tuple(told), error=ActionError("action_failed", f"action {node.run!r}: {error}"))
        told.append(ActionFinished(node.id, node.run, visit, 1, 0.0))
        return Result(tuple(told), Performed(self._written(found or {}), tuple(said)))

    def _written(self, found: Mapping[str, Any]) -> dict[str, Any]:
        new: dict[str, Any] = {}
        for name, value in found.items():
            channel, old = self.agent.flow.channels[name], self.state.channels.get(name) or []
            if isinstance(value, ChannelReset):
                new[name] = list(value.items or ()) if channel.append else channel.default
            else:
                new[name] = [*old, *(value if isinstance(value, list) else [value])] if channel.append else value
        return new

    def _turn_since(self, since: int, command: Command) -> SteppedTurn:
        events = self.events[since:]
        return SteppedTurn(
            "failed" if isinstance(command, Fail) else "ended" if isinstance(command, End) else "waiting",
            "\n\n".join(e.text for e in events if isinstance(e, Said | Prompted) and e.text),
            self.state.waiting,
            {"answers": dict(self.state.answers), **self.state.channels},
            tuple(e.node for e in events if isinstance(e, NodeEntered)),
            tuple((e.key, e.stage) for e in events if isinstance(e, AnswerRefused) and e.stage != UNSUPPORTED_QUOTE),
            command.error if isinstance(command, Fail) else None,
        )


def conversation(made: Agent, *rules: Mapping[str, Any]) -> Conversation:
    """A new thread of an agent, whose replies are read by a scripted model over these rules."""
    return Conversation(made, scripted(*rules))


def started(made: Agent, *rules: Mapping[str, Any]) -> Conversation:
    """A new thread of an agent that has asked its first question."""
    thread = conversation(made, *rules)
    thread.start()
    return thread
