"""Running one scripted conversation on the real engine, in a data folder of its own."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from graphwright.config import without_file
from graphwright.errors import GraphwrightError
from graphwright.flow.compiled import CompiledFlow, Terminal
from graphwright.models.rules import make_rules
from graphwright.models.scripted import ScriptedModel
from graphwright.runtime.agent import load
from graphwright.runtime.discovery import built_in
from graphwright.runtime.events import AnswerRefused, TurnStarted
from graphwright.store.facade import utc_now
from graphwright.testing.conversation import (
    ConversationError,
    ConversationFile,
    Expect,
    ScriptedTurn,
    read_conversation,
)
from graphwright.testing.expectations import check_conversation, mismatches
from graphwright.testing.golden import Golden, difference, golden_lines, golden_path, read_golden, write_golden

if TYPE_CHECKING:
    from graphwright.runtime.agent import Agent
    from graphwright.runtime.session import Session

THREAD = "conversation"
"""The id of the thread on which every scripted conversation is held, each in its own data folder."""

TraceState = Literal["none", "same", "differs", "written", "kept"]


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One thing that was not as expected: in which turn (0: after the last), at which line of the file.

    `code` is `expectation`, `trace_differs` or what else went wrong; `diff` are the lines of a golden trace that
    differ.
    """

    code: str
    message: str
    turn: int = 0
    said: Any = None
    line: int = 0
    diff: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.code in _OF_TRACE:
            return self.message
        where = f"turn {self.turn} ({self.said!r})" if self.turn else "after the last turn"
        return f"{where}: {self.message}"

    def to_json(self) -> dict[str, Any]:
        return {
            "turn": self.turn or None,
            "line": self.line or None,
            "code": self.code,
            "message": str(self),
            "diff": list(self.diff),
        }


_OF_TRACE = ("trace_differs", "no_trace", "empty_trace", "bad_trace", "unreadable", "unwritable")


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a conversation. `events` is the whole trace; `turns` counts those that were run.

    `trace` says what became of its golden trace: there is `none`, it is the `same`, `differs`, was `written`, or was
    `kept` although an update was asked for, because the conversation did not go as expected.
    """

    path: Path
    agent: Agent
    turns: int
    seconds: float
    mismatches: tuple[Mismatch, ...]
    trace: TraceState = "none"
    events: Sequence[Mapping[str, Any]] = field(default=(), repr=False)

    @property
    def passed(self) -> bool:
        return not self.mismatches


async def run_conversation(
    path: Path, home: Path, *, update: bool = False, load_agent: Callable[[str | Path], Agent] = load
) -> Result:
    """Run a conversation with its data in `home`. With `update` its golden trace is written instead of compared.

    No `graphwright.toml` holds meanwhile, and the agent has the settings that the file gives it: the outcome is the
    same in every folder.

    Raises ConversationError for a file that cannot be run: it is not well-formed, names an unknown agent, expects what
    the flow does not have.
    """
    with without_file():
        return await _run_conversation(path, home, update, load_agent)


async def _run_conversation(path: Path, home: Path, update: bool, load_agent: Callable[[str | Path], Agent]) -> Result:
    file = read_conversation(path)
    agent = _agent(file, load_agent)
    check_conversation(file, agent)
    began = time.perf_counter()
    model = ScriptedModel.from_rules(file.conversation.model, f"{path}: model")
    clock = _Clock()
    async with (
        agent.session(THREAD, model=model, home=home, clock=clock) as session,
        agent.session(THREAD, model="none", home=home, clock=clock) as without,
    ):
        run = _Run(file, agent.flow, session, without, model, clock)
        await run.turns()
        events = [row.event for row in await session.history()]
    wrong = run.wrong
    trace: TraceState = "none"
    if not run.broken:
        lines = golden_lines(events, home=str(home), varies=file.conversation.varies)
        trace, about = _against_golden(file, Golden.of(agent.flow, lines), update=update, passed=not wrong)
        wrong += about
    seconds = time.perf_counter() - began
    return Result(path, agent, run.number, seconds, tuple(wrong), trace, events)


def _agent(file: ConversationFile, load_agent: Callable[[str | Path], Agent]) -> Agent:
    name = file.conversation.agent
    folder = file.path.parent / name
    # A bare name that is no folder here was meant for a built-in agent: `load` knows which ones there are.
    named = name in built_in() or not (folder.exists() or "/" in name)
    try:
        return replace(load_agent(name if named else folder), settings=file.conversation.settings)
    except GraphwrightError as error:
        problem = file.problem(error.code, ("agent",), error.message, error.hint)
        raise ConversationError(file.path, [problem]) from error


class _Clock:
    """The time of day, moved forward by what passes before the turns."""

    def __init__(self) -> None:
        self._passed = timedelta()

    def __call__(self) -> datetime:
        return utc_now() + self._passed

    def forward(self, seconds: float) -> None:
        self._passed += timedelta(seconds=seconds)


class _Overdue(Exception):
    """A turn took longer than the file allows."""


class _Run:
    """The turns of a conversation, one after the other, and what was not as expected so far.

    It is `broken` when the turns after one could not be run any more.
    """

    def __init__(
        self,
        file: ConversationFile,
        flow: CompiledFlow,
        session: Session,
        without_model: Session,
        model: ScriptedModel,
        clock: _Clock,
    ) -> None:
        self.conversation = file.conversation
        self.wrong: list[Mismatch] = []
        self.broken = False
        self.number = 0
        self._file = file
        self._flow = flow
        self._session = session
        self._without_model = without_model
        self._model = model
        self._clock = clock

    async def turns(self) -> None:
        """Run all turns, and look at what is left afterwards."""
        before: tuple[ScriptedTurn, Mapping[str, Any]] | None = None
        last: Mapping[str, Any] = {}
        for scripted in self.conversation.turns:
            if before is not None and self._begins_again(*before, scripted):
                return
            self.number += 1
            result = await self._turn(scripted)
            if result is None:
                self.broken = True
                return
            before, last = (scripted, result), result
        self.number, done = 0, self.number
        wanted = self.conversation.end
        if wanted is not None and wanted != last["status"]:
            waiting = last["waiting_for"]
            asks = f" at {waiting['node']}: {waiting['prompt']!r}" if waiting else ""
            self._note("not_ended", f"end: expected {wanted!r}, got {last['status']!r}{asks}; are turns missing?")
        for left in self._model.verify():
            self._note("rule_left_over", left)
        self.number = done

    def _note(self, code: str, message: str) -> None:
        line = self._file.line(self.number) if self.number else 0
        said = self.conversation.turns[self.number - 1].said if self.number else None
        self.wrong.append(Mismatch(code, message, self.number, said, line))

    def _begins_again(self, before: ScriptedTurn, result: Mapping[str, Any], scripted: ScriptedTurn) -> bool:
        """Whether a turn begins a new conversation without the turn before it being expected to end the old one."""
        value = "resume" in scripted.model_fields_set
        if result["status"] != "ended" or value or _ends(before.expect, self._flow):
            return False
        ended = self.number
        self.number += 1
        text = (
            f"the conversation had ended with turn {ended} at {(result['path'] or ['its end'])[-1]}, so this turn "
            f"begins another one. If that is meant, write `expect: {{status: ended}}` at turn {ended}"
        )
        self._note("turn_too_many", text)
        self.number -= 1
        self.broken = True
        return True

    async def _turn(self, scripted: ScriptedTurn) -> Mapping[str, Any] | None:
        """Run one turn and compare it; None when the turns after it cannot be run."""
        replies = make_rules(scripted.model)[0] if isinstance(scripted.model, list) else None
        self._model.reply_by(replies, f"turn {self.number}")
        known = len(self._model.unexpected)
        self._clock.forward(scripted.after)
        try:
            result = await self._served(scripted)
        except _Overdue as overdue:
            self._note("time_limit", str(overdue))
            return None
        expect = scripted.expect
        if expect.active_path is not None:
            result = {**result, "active_path": await self._active_path()}
        error = result["error"]
        code = error["code"] if error else ""
        failed = error is not None and expect.error is None
        if failed:
            # First: what follows mostly comes of it.
            self._note(code, f"failed: {code}: {error['message']} {error['hint']}".rstrip())
        differing = mismatches(expect, result)
        for line in differing:
            self._note("expectation", line)
        for line in await self._refused() if differing else ():
            self._note("expectation", line)
        unexpected = self._model.unexpected[known:]
        if unexpected and UNEXPECTED not in (code, expect.error):
            self._note(UNEXPECTED, f"{unexpected[0].message} {unexpected[0].hint}")
        if failed:
            return None
        for left in self._model.replies_left():
            self._note("reply_left_over", f"model: {left}")
        return result

    async def _refused(self) -> list[str]:
        """The answers that were refused in the last turn, with the check that refused each and why."""
        refused: list[Mapping[str, Any]] = []
        for row in await self._session.history():
            if row.event["type"] == TurnStarted.type:
                refused = []
            elif row.event["type"] == AnswerRefused.type:
                refused.append(row.event)
        return [f"refused {e['key']} = {e['value']!r} ({e['stage']}): {e['reason']}" for e in refused]

    async def _served(self, scripted: ScriptedTurn) -> Mapping[str, Any]:
        """The turn as JSON. What the session refuses is a failed turn that changed nothing."""
        limit = self.conversation.limit
        session = self._without_model if scripted.model == "none" else self._session
        try:
            async with asyncio.timeout(limit) as scope:
                if scripted.user is not None:
                    turn = await session.send(scripted.user, [self._file.path.parent / name for name in scripted.files])
                elif scripted.start:
                    turn = await session.start()
                else:
                    turn = await session.resume(scripted.resume)
            return turn.to_json()
        except TimeoutError:
            if not scope.expired():
                raise
            raise _Overdue(f"it did not end within {limit:g} s (`limit` of the file){await self._where()}") from None
        except GraphwrightError as error:
            stands = await self._session.state()
            return {
                "status": "failed",
                "reply": "",
                "waiting_for": stands["waiting_for"],
                "path": [],
                "values": stands["values"],
                "usage": {"model_calls": 0},
                "error": error.to_json(),
            }

    async def _active_path(self) -> str:
        """The path that is locked after the turn."""
        return active_path(last_state([row.event for row in await self._session.history()]))

    async def _where(self) -> str:
        """What a turn was busy with when its time was over."""
        if self._model.unanswered:
            return f"; the model had not answered: {self._model.unanswered}"
        entered = [row.event["node"] for row in await self._session.history() if row.event["type"] == "node_entered"]
        return f"; it was at {entered[-1]}" if entered else ""


UNEXPECTED = "unexpected_model_call"


def last_state(events: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The state that the last of these events' steps saved; empty where none did."""
    found: Iterator[Mapping[str, Any]] = (e["state"] for e in reversed(events) if e["type"] == "state_saved")
    return next(found, {})


def active_path(state: Mapping[str, Any]) -> str:
    """The path that is locked in a saved state; empty where none is."""
    return str((state.get("paths") or {}).get("locked") or "")


def _ends(expect: Expect, flow: CompiledFlow) -> bool:
    """Whether a turn is expected to end the conversation."""
    return expect.status == "ended" or isinstance(flow.nodes.get(expect.node or ""), Terminal)


def _against_golden(
    file: ConversationFile, now: Golden, *, update: bool, passed: bool
) -> tuple[TraceState, list[Mismatch]]:
    """Compare a run with its golden trace, or write it; what became of the trace, and what is wrong."""
    path = golden_path(file.path)
    there = path.exists()
    if not (there or file.conversation.trace):
        return "none", []
    try:
        if update:
            return _updated(path, now, file.path, there=there, passed=passed), []
        if not there:
            text = f"there is no golden trace {path.name}: write it with --update"
            return "differs", [Mismatch("no_trace", text)]
        diff = difference(read_golden(path), now, path)
    except GraphwrightError as error:
        return "differs", [Mismatch(error.code, f"{error.message} {error.hint}".rstrip())]
    if not diff:
        return "same", []
    head = diff.pop(0) if not diff[0].startswith("---") else f"it went another way than {path.name}"
    return "differs", [Mismatch("trace_differs", head, diff=tuple(diff))]


def _updated(path: Path, now: Golden, conversation: Path, *, there: bool, passed: bool) -> TraceState:
    if not passed:
        return "kept"
    if there:
        try:
            if read_golden(path) == now:
                return "same"
        except GraphwrightError:
            pass  # It is written anew.
    write_golden(path, now, conversation)
    return "written"
