"""The engine as one function: `step` decides what happens next, and its host executes the command that it returns.

A host needs a loop around it: store the events and the state of each step, call models and actions for the commands
`Extract` and `Perform` and call `step` again with their results, and stop at `Wait`, `End` or `Fail`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from graphwright.engine.events import TraceEvent
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
    Wait,
)
from graphwright.engine.perform import perform
from graphwright.engine.receive import receive
from graphwright.engine.state import ThreadState


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
    log = Recorder(replace(facts, memory=memory), list(results))
    try:
        left, goto = perform(log, state) if inbox is None else receive(log, state, inbox)
    except Needs as needs:
        return StepResult(tuple(log.events), state, needs.command, memory)
    if log.error is not None:
        return StepResult(tuple(log.events), left, Fail(log.error, log.exception), memory)
    command: Command = Continue() if goto == "perform" else End() if goto == "__end__" else Wait()
    return StepResult(tuple(log.events), left, command, memory)
