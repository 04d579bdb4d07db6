"""Run one scripted conversation on the real engine, in a separate data folder."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from graphwright.config import without_file
from graphwright.engine.events import (
    ActionFailed,
    AnswerRefused,
    ShadowCompared,
    ToolCalled,
    TurnStarted,
    events_from_json,
)
from graphwright.errors import GraphwrightError
from graphwright.host.agent import load
from graphwright.host.discovery import built_in
from graphwright.host.event_json import without_private
from graphwright.store.rows import utc_now
from graphwright.testing._conversation import (
    ConversationError,
    ConversationFile,
    ScriptedTurn,
    read_conversation,
    with_present_ids,
    with_present_keys,
)
from graphwright.testing._expectations import Difference, answer_names, check_conversation, mismatches
from graphwright.testing._golden import Golden, difference, golden_lines, golden_path, read_golden, write_golden
from graphwright.testing._stubs import NO_STUB, Used, stubbed
from graphwright.testing._trace_lines import trace_lines

if TYPE_CHECKING:
    from graphwright.host._session import Session
    from graphwright.host.agent import Agent
    from graphwright.models._scripted import ScriptedModel

THREAD = "conversation"
"""The thread id of every scripted conversation; each has its own data folder."""

TraceState = Literal["none", "same", "differs", "written", "kept"]


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A difference from the expectations, with its turn (0: after the last one) and its line in the file.

    `code` is `expectation`, `trace_differs` or that of another failure; `diff` are the differing lines of a golden
    trace, `difference` is the part of the turn that differs.
    """

    code: str
    message: str
    turn: int = 0
    said: Any = None
    line: int = 0
    diff: tuple[str, ...] = ()
    difference: Difference | None = None

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
            "said": _written(self.said) if self.turn else "",
            "part": self.difference.part if self.difference else "",
            "expected": _written(self.difference.expected) if self.difference else "",
            "got": _written(self.difference.got) if self.difference else "",
        }


def _written(value: Any) -> str:
    """Return a value as a text: texts as they are, others as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


_OF_TRACE = ("trace_differs", "no_trace", "bad_trace", "unwritable")


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a conversation. `events` is the whole trace; `turns` is the number of turns that ran.

    `trace` is the state of its golden trace: `none`, the `same`, `differs`, `written`, or `kept` although an update was
    requested, because the conversation did not go as expected.
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

    @property
    def compared(self) -> list[tuple[int, ShadowCompared]]:
        """The comparisons with the flow in the shadow, if there is one, with the number of each turn."""
        found: list[tuple[int, ShadowCompared]] = []
        turn = 0
        for event in self.events:
            turn += event["type"] == TurnStarted.type
            if event["type"] == ShadowCompared.type:
                found += ((turn, each) for each in events_from_json([event]) if isinstance(each, ShadowCompared))
        return found

    def trace_lines(self) -> list[str]:
        """Return the trace as `graphwright threads trace` shows it, without private values."""
        return list(trace_lines(without_private(event) for event in self.events))


async def run_conversation(
    path: Path,
    home: Path,
    *,
    update: bool = False,
    load_agent: Callable[[str | Path], Agent] = load,
    renamed_keys: Mapping[str, str] | None = None,
) -> Result:
    """Run a conversation with its data in `home`. With `update` its golden trace is written instead of compared.

    With a flow in the shadow no golden trace is compared, because another flow answers. No `graphwright.toml` is read,
    and the agent has the settings of the file, so the outcome is the same in every folder. `renamed_keys` maps earlier
    keys of answers to present ones.

    Raises ConversationError for a file that cannot be run: it is not well-formed, names an unknown agent, or expects
    something that the flow does not have.
    """
    file = read_conversation(path)
    used = Used(file.conversation.stubs, home / "stubs")
    with without_file(used.config()):
        return await _run_conversation(file, home, update, load_agent, used, renamed_keys or {})


async def _run_conversation(
    file: ConversationFile,
    home: Path,
    update: bool,
    load_agent: Callable[[str | Path], Agent],
    used: Used,
    renamed_keys: Mapping[str, str],
) -> Result:
    path = file.path
    agent = _agent(file, load_agent)
    # A node that got another id is still the node that the conversation means.
    conversation = with_present_ids(file.conversation, agent.flow.renamed)
    conversation = with_present_keys(conversation, renamed_keys, set(answer_names(agent.flow)))
    file = replace(file, conversation=conversation)
    used = replace(used, stubs=file.conversation.stubs)
    check_conversation(file, agent)
    agent = stubbed(agent, used)
    # Imported here, because LangChain is slow to import and a service needs it only when a conversation runs.
    from graphwright.models._scripted import ScriptedModel

    began = time.perf_counter()
    model = ScriptedModel.from_rules(file.conversation.model, f"{path}: model")
    clock = _Clock(file.conversation.now)
    async with (
        agent.session(THREAD, model=model, home=home, clock=clock) as session,
        agent.session(THREAD, model="none", home=home, clock=clock) as without,
    ):
        run = _Run(file, session, without, model, clock, used)
        await run.turns()
        events = [row.event for row in await session.history()]
    wrong = run.wrong
    trace: TraceState = "none"
    if not run.broken and agent.beside is None:
        lines = golden_lines(events, home=str(home), varies=file.conversation.varies)
        trace, about = _against_golden(file, Golden.of(agent.flow, lines), update=update, passed=not wrong)
        wrong += about
    seconds = time.perf_counter() - began
    return Result(path, agent, run.number, seconds, tuple(wrong), trace, events)


def _agent(file: ConversationFile, load_agent: Callable[[str | Path], Agent]) -> Agent:
    name = file.conversation.agent
    folder = file.path.parent / name
    # A bare name that is not a folder here is meant as that of a built-in agent; `load` reports unknown ones.
    named = name in built_in() or not (folder.exists() or "/" in name)
    try:
        return replace(load_agent(name if named else folder), settings=file.conversation.settings)
    except GraphwrightError as error:
        problem = file.problem(error.code, ("agent",), error.message, error.hint)
        raise ConversationError(file.path, [problem]) from error


class _Clock:
    """The current time or a fixed one, advanced by the time before the turns."""

    def __init__(self, fixed: datetime | None) -> None:
        self._fixed = fixed
        self._passed = timedelta()

    def __call__(self) -> datetime:
        return (self._fixed or utc_now()) + self._passed

    def forward(self, seconds: float) -> None:
        self._passed += timedelta(seconds=seconds)


@dataclass
class _Run:
    """Runs the turns of a conversation one after the other, and collects the mismatches.

    It is `broken` if the remaining turns could not be run.
    """

    file: ConversationFile
    session: Session
    without_model: Session
    model: ScriptedModel
    clock: _Clock
    used: Used
    number: int = 0
    broken: bool = False
    wrong: list[Mismatch] = field(default_factory=list)

    async def turns(self) -> None:
        """Run all turns, and check for unused rules and stubs afterwards."""
        last: Mapping[str, Any] = {}
        for scripted in self.file.conversation.turns:
            self.number += 1
            result = await self._turn(scripted)
            if result is None:
                self.broken = True
                return
            last = result
        wanted = self.file.conversation.end
        if wanted is not None and wanted != last["status"]:
            waiting = last["waiting_for"]
            asks = f" at {waiting['node']}: {waiting['prompt']!r}" if waiting else ""
            self._note("not_ended", f"end: expected {wanted!r}, got {last['status']!r}{asks}; are turns missing?", 0)
        for left in self.model.verify():
            self._note("rule_left_over", left, 0)
        for left in self.used.left_over():
            self._note("stub_left_over", left, 0)

    def _note(self, code: str, message: str, number: int | None = None, difference: Difference | None = None) -> None:
        """Add a mismatch of a turn, by default the current one; 0 is after the last."""
        number = self.number if number is None else number
        line = self.file.line(number) if number else 0
        said = self.file.conversation.turns[number - 1].label if number else None
        self.wrong.append(Mismatch(code, message, number, said, line, difference=difference))

    async def _turn(self, scripted: ScriptedTurn) -> Mapping[str, Any] | None:
        """Run one turn and compare it. Return its JSON, or None if the next turns cannot be run."""
        from graphwright.models._scripted import make_rules

        replies = make_rules(scripted.model)[0] if isinstance(scripted.model, list) else None
        self.model.reply_by(replies, f"turn {self.number}")
        known, unanswered = len(self.model.unexpected), len(self.used.unanswered())
        self.clock.forward(scripted.after)
        result = await self._served(scripted)
        if result is None:
            return None
        expect = scripted.expect
        if expect.active_path is not None:
            result = {**result, "active_path": locked_path(await self._events())}
        error = result["error"]
        code = error["code"] if error else ""
        failed = error is not None and expect.error is None
        if failed:
            # Reported first, since it probably caused the other mismatches.
            self._note(code, f"failed: {code}: {error['message']} {error['hint']}".rstrip())
        differing = mismatches(expect, result)
        for each in differing:
            self._note("expectation", str(each), difference=each)
        for line in await self._reasons() if differing else ():
            self._note("expectation", line)
        for line in self.used.unanswered()[unanswered:]:
            self._note(NO_STUB, line)
        unexpected = self.model.unexpected[known:]
        if unexpected and UNEXPECTED not in (code, expect.error):
            self._note(UNEXPECTED, f"{unexpected[0].message} {unexpected[0].hint}")
        if failed:
            return None
        for left in self.model.replies_left():
            self._note("reply_left_over", f"model: {left}")
        return result

    async def _reasons(self) -> list[str]:
        """Return possible causes of a mismatch in the last turn: refused answers, failed actions and failed tools."""
        found: list[str] = []
        for event in await self._events():
            match event["type"]:
                case TurnStarted.type:
                    found = []
                case AnswerRefused.type:
                    found.append(f"refused {event['key']} = {event['value']!r} ({event['stage']}): {event['reason']}")
                case ActionFailed.type:
                    place = f" ({event['place']})" if event["place"] else ""
                    found.append(f"action {event['run']} failed (attempt {event['attempt']}): {event['error']}{place}")
                case ToolCalled.type if not event["ok"]:
                    found.append(f"tool {event['tool']} failed: {event['error']}")
        return found

    async def _events(self) -> list[dict[str, Any]]:
        return [row.event for row in await self.session.history()]

    async def _served(self, scripted: ScriptedTurn) -> Mapping[str, Any] | None:
        """Return the turn as JSON, or None after the time limit. An error of the session becomes a failed turn."""
        limit = self.file.conversation.limit
        session = self.without_model if scripted.model == "none" else self.session
        try:
            async with asyncio.timeout(limit) as scope:
                if scripted.user is not None:
                    turn = await session.send(scripted.user, [self.file.path.parent / name for name in scripted.files])
                elif scripted.start:
                    turn = await session.start()
                else:
                    turn = await session.resume(scripted.resume)
            return turn.to_json()
        except TimeoutError:
            if not scope.expired():
                raise
            self._note("time_limit", f"it did not end within {limit:g} s (`limit` of the file){await self._where()}")
            return None
        except GraphwrightError as error:
            stands = await self.session.state()
            return {
                "status": "failed",
                "reply": "",
                "waiting_for": stands["waiting_for"],
                "path": [],
                "values": stands["values"],
                "usage": {"model_calls": 0},
                "error": error.to_json(),
            }

    async def _where(self) -> str:
        """Return what a turn was doing at its time limit, for a message."""
        if self.model.unanswered:
            return f"; the model had not answered: {self.model.unanswered}"
        entered = [event["node"] for event in await self._events() if event["type"] == "node_entered"]
        return f"; it was at {entered[-1]}" if entered else ""


UNEXPECTED = "unexpected_model_call"


def locked_path(events: Iterable[Mapping[str, Any]], before: str = "") -> str:
    """Return the locked path after these events, or an empty text. `before` is the one before them."""
    for event in events:
        if event["type"] in ("path_locked", "path_corrected"):
            before = event["path"]
        elif event["type"] == "turn_started" and event["afresh"]:
            before = ""
    return before


def _against_golden(
    file: ConversationFile, now: Golden, *, update: bool, passed: bool
) -> tuple[TraceState, list[Mismatch]]:
    """Compare a run with its golden trace, or write it. Return the state of the trace, and the mismatches."""
    path = golden_path(file.path)
    if not (path.exists() or file.conversation.trace):
        return "none", []
    try:
        if update and not passed:
            return "kept", []
        if update:
            write_golden(path, now, file.path)
            return "written", []
        if not path.exists():
            text = f"There is no golden trace {path.name}: write it with --update."
            return "differs", [Mismatch("no_trace", text)]
        diff = difference(read_golden(path), now, path)
    except GraphwrightError as error:
        return "differs", [Mismatch(error.code, error.full_text)]
    if not diff:
        return "same", []
    head = diff.pop(0) if not diff[0].startswith("---") else f"The run differs from {path.name}."
    return "differs", [Mismatch("trace_differs", head, diff=tuple(diff))]
