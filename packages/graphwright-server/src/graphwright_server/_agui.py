"""AG-UI: the events of a run in the types of that protocol, and pending questions as its interrupts."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

from ag_ui.core import (
    AssistantMessage,
    BaseEvent,
    CustomEvent,
    Interrupt,
    MessagesSnapshotEvent,
    ResumeEntry,
    RunAgentInput,
    RunErrorEvent,
    RunFinishedEvent,
    RunFinishedInterruptOutcome,
    RunFinishedSuccessOutcome,
    RunStartedEvent,
    StateSnapshotEvent,
    StepFinishedEvent,
    StepStartedEvent,
    TextMessageContentEvent,
    TextMessageEndEvent,
    TextMessageStartEvent,
    ToolCallArgsEvent,
    ToolCallEndEvent,
    ToolCallResultEvent,
    ToolCallStartEvent,
    UserMessage,
)
from fastapi import APIRouter, Response
from fastapi.responses import StreamingResponse

from graphwright.errors import UsageError
from graphwright.store import RunRow
from graphwright_server._runs import Order
from graphwright_server._shown import HEARTBEAT
from graphwright_server._talking import begun, run_events, waits_for
from graphwright_server.access.gate import User
from graphwright_server.access.principal import Principal
from graphwright_server.service import Service, ServiceState
from graphwright_server.shapes import Described, raises, stream

router = APIRouter(prefix="/agui", tags=["agui"])

_EVENTS: Described = {
    200: {"description": "The events of the protocol.", "content": stream("AguiEvent")},
    **raises(409),
}


@router.post("/{agent}", response_class=Response, responses=_EVENTS)
async def run_agent(principal: User, service: ServiceState, agent: str, given: RunAgentInput) -> Response:
    """Run one turn: the last message of the user, or `resume` with the answer to the pending interrupt.

    A confirmation can only be approved through `resume`: the id of the interrupt identifies what was shown.
    """
    await _thread(service, principal, agent, given.thread_id)
    order = await _resumed(service, agent, given) if given.resume else _order_of(given)
    run = await begun(service, principal, order)
    headers = {"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"}
    return StreamingResponse(_frames(service, agent, given, run), media_type="text/event-stream", headers=headers)


async def _thread(service: Service, principal: Principal, agent: str, id: str) -> None:
    """Check the owner and the agent of the thread; create it if its id is new, since clients choose ids."""
    row = await service.workspace.store.threads.get(id)
    if row is None:
        await service.begin(agent, principal, id)
        return
    await service.thread(id, principal)
    if service.agents.name(row.agent) != agent:
        raise UsageError("other_agent", "This thread belongs to another agent.", "Use that agent, or another thread.")


def _order_of(given: RunAgentInput) -> Order:
    last = given.messages[-1] if given.messages else None
    if last is None:
        return Order(thread=given.thread_id, door="agui")
    if not isinstance(last, UserMessage):
        raise UsageError("no_message", "The last message is none of the user's.", "Send what the user says.")
    if not isinstance(last.content, str):
        raise UsageError("only_text", "Messages may contain text only.", "Give files through the API or the web app.")
    return Order(thread=given.thread_id, message=last.content, door="agui")


async def _resumed(service: Service, agent: str, given: RunAgentInput) -> Order:
    entries: list[ResumeEntry] = given.resume or []
    waits = await waits_for(service, agent, given.thread_id)
    if waits is None or len(entries) != 1 or entries[0].interrupt_id != _interrupt_id(waits):
        # The id identifies what was shown: a yes to something else is not an answer to the pending interrupt.
        raise UsageError("approval_changed", "This interrupt does not wait any more.", "Answer the one that waits now.")
    entry, content = entries[0], (waits.get("approval") or {}).get("hash", "")
    if entry.status == "cancelled":
        if waits["kind"] != "confirm":
            raise UsageError("not_cancelled", "This question needs an answer.", "Say in words that you want to stop.")
        return Order(thread=given.thread_id, value=False, has_value=True, door="agui")
    if waits["kind"] == "message" or (waits["kind"] == "confirm" and isinstance(entry.payload, str)):
        return Order(thread=given.thread_id, message=str(entry.payload), approves=content, door="agui")
    return Order(thread=given.thread_id, value=entry.payload, has_value=True, approves=content, door="agui")


def _interrupt_id(waits: dict[str, Any]) -> str:
    """Return the id of an interrupt: the waiting node, and the hash of what a yes approves."""
    approval = waits.get("approval")
    return f"{waits['node']}:{approval['hash']}" if approval else str(waits["node"])


async def _frames(service: Service, agent: str, given: RunAgentInput, run: RunRow) -> AsyncIterator[bytes]:
    shown = Translation(given, run.id)
    yield _frame(RunStartedEvent(thread_id=given.thread_id, run_id=given.run_id))
    async for event in run_events(service, run):
        if event is None:
            yield HEARTBEAT
            continue
        kind, data = event
        for each in shown.of(kind, data):
            yield _frame(each)
        if kind == "turn_ended":
            waits = await waits_for(service, agent, given.thread_id) if data["status"] == "waiting" else None
            for each in shown.ended(data, waits):
                yield _frame(each)


def _frame(event: BaseEvent) -> bytes:
    return f"data: {event.model_dump_json(by_alias=True, exclude_none=True)}\n\n".encode()


class Translation:
    """Translates the events of one run. An open step or text is closed before the run ends."""

    def __init__(self, given: RunAgentInput, run: str) -> None:
        self._given = given
        self._run = run
        self._step = ""
        self._message = ""
        self._draft = ""
        self._texts: list[tuple[str, str]] = []
        self._corrected = False
        self._calls: dict[str, list[Any]] = {}
        self._count = 0

    def of(self, kind: str, event: dict[str, Any]) -> Iterator[BaseEvent]:
        """Translate an event to events of the protocol."""
        match kind:
            case "node_entered":
                yield from self._leave()
                self._step = event["node"]
                yield StepStartedEvent(step_name=self._step)
            case "saying":
                yield from self._saying(event)
            case "said" | "prompted" if event["text"]:
                yield from self._text_message(event["text"])
            case "model_called":
                answer = event.get("answer")
                found = answer.get("call") if isinstance(answer, dict) else None
                self._calls = {name: [value] for name, value in found.items()} if isinstance(found, dict) else {}
            case "tool_called":
                yield from self._tool(event)
            case "artifact_made":
                yield CustomEvent(name="artifact", value={**event, "thread": self._given.thread_id})
            case "run_failed":
                yield from self._close()
                yield RunErrorEvent(message=f"{event['detail']} {event['hint']}".strip(), code=event["code"])
            case "run_cancelled":
                yield from self._close()
                yield RunErrorEvent(message="The run was cancelled.", code="cancelled")

    def ended(self, turn: dict[str, Any], waits: dict[str, Any] | None) -> Iterator[BaseEvent]:
        """Return the events at the end of a turn: the state without private values, and the pending interrupt."""
        yield from self._close()
        if self._corrected:
            made = [AssistantMessage(id=id, role="assistant", content=text) for id, text in self._texts]
            yield MessagesSnapshotEvent(messages=[*self._given.messages, *made])
        for each in turn.get("refused", ()):
            yield CustomEvent(name="refused", value=each)
        if turn.get("unread"):
            yield CustomEvent(name="unread", value=turn["unread"])
        yield StateSnapshotEvent(snapshot=turn["values"])
        if turn["status"] == "failed":
            error = turn["error"]
            yield RunErrorEvent(message=f"{error['message']} {error['hint']}".strip(), code=error["code"])
            return
        outcome: Any = RunFinishedSuccessOutcome(type="success")
        if waits is not None:
            outcome = RunFinishedInterruptOutcome(type="interrupt", interrupts=[_interrupt(waits)])
        yield RunFinishedEvent(
            thread_id=self._given.thread_id, run_id=self._given.run_id, outcome=outcome, result=turn["reply"]
        )

    def _new_id(self) -> str:
        self._count += 1
        return f"{self._run}-{self._count}"

    def _in_message(self, *, afresh: bool) -> Iterator[BaseEvent]:
        """Open a message if none is open, or if the open one is no longer valid."""
        if afresh and self._message:
            # A text cannot be taken back: the messages snapshot at the end of the run lists the valid ones.
            self._corrected = True
            yield TextMessageEndEvent(message_id=self._message)
            self._message = ""
        if not self._message:
            self._message, self._draft = self._new_id(), ""
            yield TextMessageStartEvent(message_id=self._message, role="assistant")

    def _saying(self, event: dict[str, Any]) -> Iterator[BaseEvent]:
        yield from self._in_message(afresh=bool(event.get("afresh")))
        if event["text"]:
            self._draft += event["text"]
            yield TextMessageContentEvent(message_id=self._message, delta=event["text"])

    def _text_message(self, text: str) -> Iterator[BaseEvent]:
        yield from self._in_message(afresh=not text.startswith(self._draft))
        if rest := text[len(self._draft) :]:
            yield TextMessageContentEvent(message_id=self._message, delta=rest)
        yield TextMessageEndEvent(message_id=self._message)
        self._texts.append((self._message, text))
        self._message = ""

    def _tool(self, event: dict[str, Any]) -> Iterator[BaseEvent]:
        id, name = self._new_id(), event["tool"]
        known = self._calls.pop(name, None)
        # The model's answer that requested the call has its arguments; otherwise only their names are known.
        arguments = known[0] if known else dict.fromkeys(event["arguments"])
        yield ToolCallStartEvent(tool_call_id=id, tool_call_name=name)
        yield ToolCallArgsEvent(tool_call_id=id, delta=json.dumps(arguments, ensure_ascii=False))
        yield ToolCallEndEvent(tool_call_id=id)
        content = "done" if event["ok"] else str(event.get("error") or event.get("kind"))
        yield ToolCallResultEvent(message_id=self._new_id(), tool_call_id=id, content=content)

    def _leave(self) -> Iterator[BaseEvent]:
        if self._step:
            yield StepFinishedEvent(step_name=self._step)
        self._step = ""

    def _close(self) -> Iterator[BaseEvent]:
        if self._message:
            yield TextMessageEndEvent(message_id=self._message)
            self._message, self._corrected = "", True
        yield from self._leave()


def _interrupt(waits: dict[str, Any]) -> Interrupt:
    metadata = {name: waits[name] for name in ("node", "key", "options", "approval") if waits.get(name)}
    # The flow's schema of a confirmation also allows words; an interrupt asks for yes or no.
    schema = {"type": "boolean"} if waits["kind"] == "confirm" else waits.get("schema")
    return Interrupt(
        id=_interrupt_id(waits),
        reason=waits["kind"],
        message=waits["prompt"],
        response_schema=schema,
        metadata=metadata,
    )
