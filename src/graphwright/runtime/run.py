"""One turn while it runs: what the host's nodes share, and how a step writes down what it did."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from graphwright.kernel.events import Event as WalkEvent
from graphwright.runtime.events import Event, Prompted, Said, TurnEvent, TurnStarted
from graphwright.runtime.state import ThreadState
from graphwright.runtime.turn import TurnError, TurnUsage

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from graphwright.models import ModelCall
    from graphwright.runtime.agent import Agent
    from graphwright.store import Role, Store, ThreadChanges, ThreadStatus


@dataclass(slots=True)
class TurnRun:
    """What lives as long as a turn and is never checkpointed.

    `events` are the events of the turn so far, as JSON, those before a crash included. `load_model` gives the chat
    model and loads it at the first call, so that a turn that needs none never waits for one. `steps` counts the
    actions that the turn came to.
    """

    agent: Agent
    store: Store
    thread: str
    now: datetime
    load_model: Callable[[], BaseChatModel]
    on_event: Callable[[Event], None] | None = None
    events: list[dict[str, Any]] = field(default_factory=list)
    usage: TurnUsage = field(default_factory=TurnUsage)
    error: TurnError | None = None
    exception: BaseException | None = None
    blobs: dict[str, Any] = field(default_factory=dict)
    steps: int = 0

    def model_called(self, call: ModelCall) -> None:
        """Count one model call."""
        self.usage = replace(
            self.usage,
            model_calls=self.usage.model_calls + 1,
            input_tokens=self.usage.input_tokens + call.input_tokens,
            output_tokens=self.usage.output_tokens + call.output_tokens,
        )


@dataclass(slots=True)
class StepLog:
    """The events and messages of one step of the host graph, written to the store in one transaction at its end."""

    run: TurnRun
    first_event: int
    first_message: int
    events: list[dict[str, Any]] = field(default_factory=list)
    messages: list[tuple[Role, str]] = field(default_factory=list)

    def emit(self, *events: WalkEvent | TurnEvent) -> None:
        """Record events, and hand them to whoever listens."""
        for event in events:
            if isinstance(event, TurnStarted) and event.message is not None:
                self.messages.append(("user", event.message))
            elif isinstance(event, Said | Prompted) and event.text:
                self.messages.append(("assistant", event.text))
            self.events.append(event.to_json())
            if self.run.on_event is not None:
                self.run.on_event(event)

    async def commit(self, state: ThreadState, *, status: ThreadStatus) -> ThreadState:
        """Write the step down, and give the state that the next step begins with."""
        run = self.run
        changes: ThreadChanges = {
            "agent": run.agent.address,
            "flow_id": run.agent.flow.id,
            "flow_hash": state.flow_hash,
            "status": status,
            "waiting_for": dict(state.waiting) if state.waiting else None,
            "position": state.position.to_json() if state.position else None,
            "turns": state.turn,
        }
        if self.first_message == 0 and self.messages:
            changes["title"] = self.messages[0][1][:80]
        await run.store.commit_step(
            run.thread,
            visit=state.visit,
            first_event=self.first_event,
            events=self.events,
            first_message=self.first_message,
            messages=self.messages,
            changes=changes,
        )
        run.events += self.events
        return replace(state, seq=self.first_event + len(self.events), messages=self.first_message + len(self.messages))
