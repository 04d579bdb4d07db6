"""Replay: the trace alone reproduces the state at any point exactly."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphwright import GraphwrightError, UsageError, load
from graphwright.engine.events import events_from_json
from graphwright.engine.replay import fold
from graphwright.engine.state import ThreadState
from graphwright.host._run import StepRecord
from graphwright.store import EventRow, StoreError, open_store
from graphwright.store.sql._store import SqlTurnWork as TurnWork
from graphwright.testing._running import run_conversation
from host_support import agent, open_session, saved_state, scripted
from replay_support import FLOW, NODES, RULES, TEXTS

ROOT = Path(__file__).parents[3]

Checkpoints = dict[int, dict[str, Any]]


@pytest.fixture
def saved(monkeypatch: pytest.MonkeyPatch) -> Checkpoints:
    """The state after each step, by the number of its last event."""
    found: Checkpoints = {}
    finish = StepRecord.finish

    def noted(self: StepRecord, *args: Any, **kwargs: Any) -> ThreadState:
        state = finish(self, *args, **kwargs)
        found[state.seq - 1] = state.to_json()
        return state

    monkeypatch.setattr(StepRecord, "finish", noted)
    return found


def assert_folds_everywhere(rows: list[EventRow], saved: Checkpoints) -> None:
    """At the end of each step the trace up to it folds to the state written then; elsewhere it can be read."""
    assert len(rows) - 1 == max(saved, default=-1)
    for row in rows:
        moment = fold(rows, row.seq)
        if row.seq in saved:
            assert moment.state.to_json() == saved[row.seq]
        following = rows[row.seq + 1].event["type"] if row.seq + 1 < len(rows) else "turn_started"
        assert moment.turn_over == (following in ("turn_started", "branched"))


NAMES, SIZES = st.sampled_from(["Ann", "Xaver"]), st.sampled_from(["small", "large"])


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.booleans(), NAMES, SIZES, st.sampled_from([0, 1, 2, 3, 3, 3, 3]), TEXTS)
def test_any_conversation_folds_at_every_step(
    tmp_path: Path, saved: Checkpoints, clear: bool, name: str, size: str, straight: int, texts: list[str]
) -> None:
    saved.clear()
    folder = tmp_path / ("clear" if clear else "keep")
    flow = FLOW.replace("restart: keep", "restart: clear") if clear else FLOW
    made = load(folder) if folder.exists() else agent(folder, flow, NODES)
    (folder / "open").unlink(missing_ok=True)

    async def talk() -> None:
        async with made.session(model=scripted(*RULES), home=tmp_path) as session:
            for text in (*(name, size, "100 W")[:straight], *texts):
                await session.send(text)
            rows = await session.history()
            assert_folds_everywhere(rows, saved)
            if rows:
                assert fold(rows).state.to_json() == await saved_state(session)

    asyncio.run(talk())


# One per built-in agent.
WITH_GOLDEN_TRACE = sorted((ROOT / "packages/graphwright/src/graphwright/agents").rglob("*.trace.txt"))


@pytest.mark.slow
@pytest.mark.parametrize("trace", WITH_GOLDEN_TRACE, ids=lambda path: path.name.split(".")[0])
async def test_conversations_of_each_agent_fold_at_every_step(tmp_path: Path, saved: Checkpoints, trace: Path) -> None:
    path = trace.with_name(trace.name.replace(".trace.txt", ".conversation.yaml"))
    assert (await run_conversation(path, tmp_path)).passed
    async with open_store(tmp_path) as store:
        (thread,) = await store.threads.page()
        rows = await store.events.read(thread.thread)
    assert_folds_everywhere(rows, saved)


async def test_a_turn_that_was_cut_short_folds_as_it_was_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, saved: Checkpoints
) -> None:
    made = agent(tmp_path / "a", FLOW, NODES)
    flush = TurnWork.flush
    left = [0]

    async def failing(self: TurnWork) -> None:
        left[0] -= 1
        if left[0] == 0:
            raise StoreError("disk_full", "The disk is full.", "Make room.")
        await flush(self)

    monkeypatch.setattr(TurnWork, "flush", failing)
    for cut in range(1, 8):
        saved.clear()
        (tmp_path / "a" / "open").unlink(missing_ok=True)
        async with open_session(made, tmp_path / "home", *RULES, thread=f"t{cut}") as session:
            for text in ("Ann", "large"):
                await session.send(text)
            left[0] = cut
            for text in ("100 W", "yes", "once more", "yes"):
                try:
                    await session.send(text)
                except StoreError:
                    await session.send(text)
            rows = await session.history()
            assert_folds_everywhere(rows, {len(rows) - 1: await saved_state(session)})
    assert left[0] < 0


async def test_an_event_that_is_not_there_is_named_with_the_range(tmp_path: Path) -> None:
    async with open_session(agent(tmp_path / "a", FLOW, NODES), tmp_path / "home") as session:
        with pytest.raises(UsageError, match="no events"):
            fold(await session.history())
        await session.start()
        rows = await session.history()
        last = len(rows) - 1
        assert fold(rows, -1) == fold(rows, last) == fold(rows)
        assert fold(rows, -last - 1) == fold(rows, 0)
        for at in (last + 1, -last - 2):
            with pytest.raises(UsageError, match=f"no event {at}: the trace has the events 0 to {last}"):
                fold(rows, at)


@pytest.mark.parametrize(
    "changed",
    [
        {"type": "from_another_version"},
        {"type": None},
        {"type": "moved", "position": {"frames": []}},
        {"type": "moved", "position": [], "mode": "waiting", "visit": 1},
        {"type": "answer_committed", "key": "led.size"},
        {"type": "channels_stale", "node": "act", "channels": ["gone"], "because": []},
        {"type": "prompted", "node": "q", "key": "q", "text": "?", "kind": "question", "options": [7]},
    ],
)
async def test_an_unreadable_event_is_named_and_the_thread_continues(tmp_path: Path, changed: dict[str, Any]) -> None:
    async with open_session(agent(tmp_path / "a", FLOW, NODES), tmp_path / "home") as session:
        await session.start()
        rows = await session.history()
        broken = [*rows[:2], replace(rows[2], event=changed), *rows[3:]]
        with pytest.raises(UsageError, match=r"Event 2 of the trace .* cannot be read"):
            fold(broken)
        assert fold(broken, 1) == fold(rows, 1)
        assert len(events_from_json(row.event for row in broken)) >= len(rows) - 2


@pytest.mark.parametrize(
    "changed", [{"replied_to": "x"}, {"confirmed": {"act": "hash"}}, {"position": {}}, {"early": 7}]
)
def test_a_state_that_cannot_be_read_says_so(changed: dict[str, Any]) -> None:
    with pytest.raises(GraphwrightError, match="state of this thread cannot be read"):
        ThreadState.from_json({"born": "a1", **changed})
