"""Durability: effects happen once, an interrupted turn is finished, and a thread stays small."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from graphwright import Session, UsageError
from graphwright.engine.events import TurnResumed
from graphwright.store import StoreError
from graphwright.store.sql._database import Database
from graphwright.store.sql._store import SqlTurnWork as TurnWork
from host_support import TWO_ACTIONS, agent, of_type, open_session, trace
from waiting_support import interrupted

NODES = """
HERE = Path(__file__).parent

@action(reads=["n"], writes=["n"])
def first(state, ctx):
    ctx.say("First.")
    return {"n": state["n"] + 1}

@action(reads=["answers"], writes=["sent"])
async def send(state, ctx):
    with (HERE / "effects").open("a") as file:
        file.write(ctx.key + "\\n")
    return {"sent": state["answers"]["name"]}
"""


def effects(folder: Path) -> list[str]:
    file = folder / "effects"
    return file.read_text().split() if file.exists() else []


def fails_once(monkeypatch: pytest.MonkeyPatch, kind: str, *, after: bool) -> None:
    """Make the first transaction with an event of this type fail, before or after it is stored."""
    note_step, flush = TurnWork.note_step, TurnWork.flush
    left, noted = [1], list[str]()

    def noting(self: TurnWork, **given: Any) -> None:
        note_step(self, **given)
        noted.extend(event["type"] for event in given["events"])

    async def failing(self: TurnWork) -> None:
        hit = left and kind in noted
        noted.clear()
        if hit and not after:
            left.clear()
            raise StoreError("full", "the disk is full", "Make room.")
        await flush(self)
        if hit:
            left.clear()
            raise StoreError("full", "the disk is full", "Make room.")

    monkeypatch.setattr(TurnWork, "note_step", noting)
    monkeypatch.setattr(TurnWork, "flush", failing)


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("kind", ["turn_started", "answer_committed", "action_finished"])
async def test_a_turn_cut_short_is_finished_by_the_same_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, after: bool
) -> None:
    async with open_session(agent(tmp_path / "a", TWO_ACTIONS, NODES), tmp_path / "home") as session:
        fails_once(monkeypatch, kind, after=after)
        with pytest.raises(StoreError):
            await session.send("Ann")
        turn = await session.send("Ann")
        assert (turn.status, turn.reply) == ("ended", "First.\n\nSent 1.")
        assert turn.path == ("q", "first", "send", "done")
        assert (turn.values["n"], turn.values["sent"]) == (1, ["Ann"])
        assert [re.sub(":.*:", ":", key) for key in effects(tmp_path / "a")] == ["t:2"]
        events = await trace(session)
        assert len(of_type(events, "turn_started")) == 1
        assert len(of_type(events, "node_entered")) == 4
        messages = await session._store.messages.read("t")
        assert [(m.role, m.text) for m in messages] == [
            *(("user", "Ann"), ("assistant", "First."), ("assistant", "Sent 1."))
        ]


async def test_a_message_after_a_crash_finishes_the_old_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_session(agent(tmp_path / "a", TWO_ACTIONS, NODES), tmp_path / "home") as session:
        fails_once(monkeypatch, "action_finished", after=True)
        with pytest.raises(StoreError):
            await session.send("Ann")
        events = [event async for event in session.stream("Ben")]
        assert isinstance(events[0], TurnResumed)
        turn = events[-1].turn  # type: ignore[union-attr]
        assert (turn.values["sent"], turn.reply, turn.unread) == (["Ann"], "First.\n\nSent 1.", "Ben")
        assert turn.to_json()["unread"] == "Ben"
        turn = await session.send("Ben")
        assert (turn.values["sent"], turn.unread) == (["Ann", "Ben"], "")
        assert "unread" not in turn.to_json()


READS = """
nodes:
  - {id: q, type: question, key: name, prompt: Name?}
  - {id: done, type: terminal}
edges:
  - {from: q, to: done}
"""


async def test_a_first_turn_cut_short_in_its_model_call_can_be_found(tmp_path: Path) -> None:
    made = agent(tmp_path / "a", READS)
    async with open_session(made, tmp_path / "home", {"delay": 60, "text": "hm"}) as session:
        threads = session._store.threads

        async def named() -> object:
            return (row := await threads.get("t")) and row.title

        await interrupted(session.send("I am Ann"), named)
        row = await threads.get("t")
        assert (row.status, row.title, row.flow_id) == ("running", "I am Ann", made.flow.id)
    other = agent(tmp_path / "b", READS, id="flow.other")
    async with open_session(other, tmp_path / "home") as session:
        with pytest.raises(UsageError) as refused:
            await session.send("I am Ann")
        assert refused.value.code == "other_agent"


async def test_a_late_cancellation_does_not_hide_the_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = agent(tmp_path / "a", TWO_ACTIONS, NODES)
    run = Database.run

    async with open_session(made, tmp_path / "home") as session:

        async def slow(self: Database, work: Any, **options: Any) -> Any:
            result = await run(self, work, **options)
            if task is not None and effects(tmp_path / "a"):
                task.cancel()
                await asyncio.sleep(0)
            return result

        task: asyncio.Task[Any] | None = None
        monkeypatch.setattr(Database, "run", slow)
        task = asyncio.create_task(session.send("Ann"))
        turn = await task
        assert turn.reply == "First.\n\nSent 1."


async def cut_short(session: Session, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Send a message, and interrupt the turn before the message was read."""

    begun = asyncio.Event()

    async def hangs(*_: Any, **__: Any) -> None:
        begun.set()
        await asyncio.Event().wait()

    with monkeypatch.context() as patch:
        patch.setattr("graphwright.host._serve_turn.preload", hangs)
        await interrupted(session.send(text), begun.is_set)


SURE = """
state: {n: {type: integer, default: 0}}
nodes:
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: Sure?}
  - {id: pay, type: action, run: pay, confirm: {by: q.sure, over: [n]}}
  - {id: q.next, type: question, key: next, prompt: Next?, MORE}
  - {id: done, type: terminal, say: Done.}
  - {id: left, type: terminal, say: Left.}
edges:
  - {from: q.sure, to: pay, guard: answers.sure == true}
  - {from: q.sure, to: left, guard: else}
  - {from: pay, to: q.next}
  - {from: q.next, to: done}
"""
PAY = """
GATE = Path(__file__).with_name("gate")

@action(writes=["n"])
async def pay(state, ctx):
    if not GATE.exists():
        GATE.touch()
        await asyncio.sleep(60)
    return {"n": 1}
"""


@pytest.mark.parametrize("refusal", [False, "no", "No, thanks."])
async def test_a_no_takes_the_place_of_a_yes_that_was_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refusal: Any
) -> None:
    made = agent(tmp_path / "a", SURE.replace("MORE", "read: verbatim"), PAY)
    (tmp_path / "a" / "gate").touch()
    async with open_session(made, tmp_path / "home") as session:
        await session.start()
        await cut_short(session, monkeypatch, "yes")
    async with open_session(made, tmp_path / "home") as session:
        turn = await (session.resume(refusal) if refusal is False else session.send(refusal))
        assert (turn.status, turn.reply, turn.values["n"]) == ("ended", "Left.", 0)
        assert len(of_type(await trace(session), "turn_started")) == 2


READ = ["read: verbatim", "read: confirm", "read: choice, schema: {enum: [hello, true]}"]


@pytest.mark.parametrize("more", READ)
@pytest.mark.parametrize("reply", ["hello", True])
async def test_a_message_after_a_crash_answers_no_unseen_question(tmp_path: Path, more: str, reply: Any) -> None:
    made = agent(tmp_path / "a", SURE.replace("MORE", more), PAY)
    async with open_session(made, tmp_path / "home") as session:
        await session.start()
        await interrupted(session.send("yes"), (tmp_path / "a" / "gate").exists)
    async with open_session(made, tmp_path / "home") as session:
        turn = await (session.resume(reply) if reply is True else session.send(reply))
        assert (turn.status, turn.reply) == ("waiting", "Next?")
        assert turn.values == {"answers": {"sure": True}, "n": 1}
        assert (await session.send("hello")).status == "ended"


@pytest.mark.parametrize("said", [[{}], [{}, {"text": "Ann"}], [{}, {"value": "Ann", "has_value": True}]])
async def test_a_message_that_is_delivered_again_has_one_turn(tmp_path: Path, said: list[dict[str, Any]]) -> None:
    """The beginning, a text and a value: delivered by a process, and again by others that take it for dead."""

    async def claimed() -> bool:
        return True

    async def taken() -> bool:
        return False

    async with open_session(agent(tmp_path / "a", TWO_ACTIONS, NODES), tmp_path / "home") as session:
        for number, message in enumerate((Session.accepted(**each) for each in said), 1):
            place = {"turn": number, "interrupted": False}
            assert await session.deliver(message, claim=taken) is None
            assert await session.deliver_again(message, **place, claim=taken) == "taken"
            before = len(await trace(session))
            assert await session.deliver_again(message, **place, claim=claimed, finish=False) == "unread"
            assert len(await trace(session)) == before
            # Whether the first process delivered it, or died before.
            turn = await session.deliver_again(message, **place, claim=claimed)
            again = await session.deliver_again(message, **place, claim=claimed)
            assert not isinstance(turn, str)
            assert not isinstance(again, str)
            assert (again.status, again.reply, again.path) == (turn.status, turn.reply, turn.path)
        assert len(of_type(await trace(session), "turn_started")) == len(said)
        assert len(effects(tmp_path / "a")) == len(said) - 1
        # A message of an earlier turn cannot be received after it.
        late = Session.accepted(text="Ben")
        assert await session.deliver_again(late, turn=1, interrupted=False, claim=claimed) == "unread"
