"""Turns in the interaction log: the notes of actions, one per turn, which never delay an answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from crash_support import forked
from graphwright import load
from graphwright.store import open_store
from graphwright.store.interactions import LONGEST_TEXT, Interaction, Query
from graphwright.testing._running import run_conversation
from host_support import agent, open_session, scripted
from interactions_support import NOTES_NOTHING, noting, sink


@pytest.fixture(autouse=True)
def log_in_the_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GRAPHWRIGHT_INTERACTIONS", "GRAPHWRIGHT_CONFIG"):
        monkeypatch.delenv(name, raising=False)


def kept(home: Path) -> list[Interaction]:
    """The log in a data folder, the earliest first. The end of the session has waited for the writes."""
    return sink("", home).find(Query(limit=1_000))[::-1]


def notes(folder: Path, call: str) -> None:
    """An agent whose first action notes this."""
    noting(folder, f"\n@action()\ndef first(state, ctx):\n    ctx.interaction({call})\n")


async def test_a_turn_that_was_noted_is_kept_with_all_that_belongs_to_it(tmp_path: Path) -> None:
    async with open_session(noting(tmp_path / "agent"), tmp_path) as session:
        await session.send("How many?")
        await session.send("And now?")
    one, two = kept(tmp_path)
    assert (one.session, one.agent, one.number, two.number) == ("t", "agent", 1, 2)
    assert (one.question, two.question) == ("How many?", "And now?")
    assert (one.reply, two.reply) == ("Looked at it.\n\nDone How many?.", "Looked at it.\n\nDone And now?.")
    # The last note counts, field by field.
    assert (one.type, one.code, one.result) == ("analysis", "a = 2", '{"n": 4}')
    assert (one.metadata, one.success, one.error) == ({"rows": 5, "columns": ["x"]}, True, "")
    assert one.started.endswith("Z")
    assert one.started < two.started
    assert one.id != two.id


PAYS = """
state: {price: {type: integer, default: 4}}
nodes:
  - {id: q, type: question, key: sure, read: confirm, ask: always, prompt: "I pay {{ price }}. Shall I?"}
  - {id: pay, type: action, run: pay, confirm: {by: q, over: [price]}}
  - {id: done, type: terminal, say: Done.}
edges:
  - {from: q, to: pay, guard: answers.sure == true}
  - {from: q, to: done, guard: answers.sure == false}
  - {from: pay, to: done}
"""


@pytest.mark.parametrize(("value", "decision"), [(True, "approved"), (False, "rejected")])
async def test_a_button_of_an_approval_is_kept_as_its_decision(tmp_path: Path, value: bool, decision: str) -> None:
    made = agent(tmp_path / "agent", PAYS, "@action(reads=['price'], effects=True)\ndef pay(state, ctx):\n    pass\n")
    async with open_session(made, tmp_path) as session:
        await session.send("Hello")
        await session.resume(value)
    asked, decided = kept(tmp_path)
    assert (asked.metadata, decided.metadata) == ({}, {"decision": decision})


ASKS_A_MODEL = """
@action()
async def first(state, ctx):
    from graphwright.models import atext
    ctx.interaction(success=False, error="no such column")
    ctx.say(await atext(ctx.model, [("user", "Say it")]))
"""


async def test_model_usage_is_counted_and_an_agent_may_mark_a_failure(tmp_path: Path) -> None:
    made = noting(tmp_path / "agent", ASKS_A_MODEL)
    async with made.session("t", model=scripted({"text": "It."}), home=tmp_path) as session:
        turn = await session.send("How many?")
    (one,) = kept(tmp_path)
    assert (turn.status, one.success, one.error) == ("ended", False, "no such column")
    assert (one.type, one.model_calls, one.seconds) == ("question", 1, round(turn.usage.seconds, 3))
    assert one.tokens == turn.usage.input_tokens + turn.usage.output_tokens > 0


FAILS = """
@action()
def first(state, ctx):
    if ctx.attempt == 1:
        ctx.interaction(code="1/0", tried="once", attempts=1)
        raise ValueError("it broke")
    ctx.interaction(attempts=2)
    raise ValueError("again, with password=hunter2222")
"""


async def test_a_failed_turn_says_why_and_what_was_tried(tmp_path: Path) -> None:
    noting(tmp_path / "agent", FAILS)
    file = tmp_path / "agent" / "flow.yaml"
    file.write_text(file.read_text("utf-8").replace("run: first", "run: first, retry: {attempts: 2, backoff: 0}"))
    async with open_session(load(tmp_path / "agent"), tmp_path) as session:
        assert (await session.send("How many?")).status == "failed"
        await session.send("Again")
    one, two = kept(tmp_path)
    assert (one.success, one.code, one.metadata) == (False, "1/0", {"tried": "once", "attempts": 2})
    assert "again, with password=[hidden]" in one.error
    assert one.error.endswith("[action_failed]")
    # A turn that continues with the same action has a separate interaction.
    assert (two.number, two.question, two.success) == (2, "Again", False)


CRASHES = """
@action()
def first(state, ctx):
    ctx.interaction(code="first")

@action()
def second(state, ctx):
    ctx.interaction(result="second")
    if not Path(__file__).with_name("survived").exists():
        Path(__file__).with_name("survived").touch()
        os.kill(os.getpid(), 9)
"""


@pytest.mark.parametrize("again", ["How many?", "Something else"])
def test_a_turn_that_a_kill_cut_short_is_kept_once_and_whole(tmp_path: Path, again: str) -> None:
    made = noting(tmp_path / "agent", CRASHES)

    async def send(text: str) -> None:
        async with open_session(made, tmp_path) as session:
            await session.send(text)

    assert forked(lambda tell: send("How many?")).end()
    assert not (tmp_path / "interactions.db").exists()
    assert not forked(lambda tell: send(again)).end()
    (one,) = kept(tmp_path)
    assert (one.question, one.code, one.result, one.number) == ("How many?", "first", "second", 1)


async def test_deleted_threads_and_branches_have_separate_interactions(tmp_path: Path) -> None:
    made = noting(tmp_path / "agent")
    async with open_session(made, tmp_path) as session:
        await session.send("Before")
    async with open_store(tmp_path) as store:
        await store.threads.delete("t")
    async with open_session(made, tmp_path) as session:
        await session.send("After")
        branch = await session.branch(-1, thread="u")
    async with open_session(made, tmp_path, thread=branch.thread) as session:
        await session.send("There")
    found = [(each.session, each.number, each.question) for each in kept(tmp_path)]
    assert found == [("t", 1, "Before"), ("t", 1, "After"), ("u", 2, "There")]


async def test_long_texts_are_cut_in_the_trace_and_in_the_log(tmp_path: Path) -> None:
    notes(tmp_path / "agent", 'code="x " * 500_000, result=["y"] * 100_000')
    async with open_session(load(tmp_path / "agent"), tmp_path) as session:
        await session.send("How many?")
        trace = [row.event for row in await session.history()]
    (one,) = kept(tmp_path)
    assert one.code == f"{'x ' * (LONGEST_TEXT // 2)}\n[cut: it had 1,000,000 characters]"
    assert len(one.result) < LONGEST_TEXT + 50
    assert len(json.dumps(trace)) < 3 * LONGEST_TEXT


async def test_secrets_are_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_SERVICE_KEY_2", "not-for-anybody")
    notes(tmp_path / "agent", 'code=repr(dict(os.environ)), env=dict(os.environ), note="not-for-anybody"')
    async with open_session(load(tmp_path / "agent"), tmp_path) as session:
        await session.send("Is it not-for-anybody?")
    assert [one.question for one in kept(tmp_path)] == ["Is it [hidden]?"]
    assert b"not-for-anybody" not in (tmp_path / "interactions.db").read_bytes()


RUDE = """
class Rude:
    def __str__(self):
        raise RuntimeError("no")

    __bool__ = __str__

@action()
def first(state, ctx):
    ctx.interaction(type=Rude(), code=b"x", result=Rude(), success=Rude(), a=Rude())
"""


async def test_a_note_of_an_action_never_fails_the_turn(tmp_path: Path) -> None:
    async with open_session(noting(tmp_path / "agent", RUDE), tmp_path) as session:
        assert (await session.send("How many?")).status == "ended"
    (one,) = kept(tmp_path)
    assert (one.type, one.code, one.result, one.success, one.metadata) == (
        *("(Rude)", "b'x'", "(Rude)", True, {"a": "(Rude)"}),
    )


ADDRESSES = {
    "nonsense": "cannot be read",
    "log.txt": "cannot be read",
    "://": "cannot be read",
    "ann:hidden-word@db": "cannot be read",
    "postgresql://ann:hidden-word@db:port/log": "cannot be read",
    "mysql://ann:hidden-word@db/log": "cannot be kept by mysql",
    "sqlite://": "names no file",
    "sqlite:///:memory:": "names no file",
    "sqlite:////tmp/x.db?mode=memory": "names no file",
    "sqlite:////nowhere/at/all/log.db": "does not exist",
    "/nowhere/log.jsonl": "does not exist",
    "sqlite:///damaged.db": "is not a SQLite database",
}


async def test_an_answer_comes_whatever_the_address_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("damaged.db").write_bytes(b"no database\n" * 1_000)
    async with open_session(noting(tmp_path / "agent"), tmp_path) as session:
        for address, why in ADDRESSES.items():
            monkeypatch.setenv("GRAPHWRIGHT_INTERACTIONS", address)
            caplog.clear()
            assert (await session.send("How many?")).reply == "Looked at it.\n\nDone How many?."
            assert session._log.flush(30)
            assert why in caplog.text, address
            assert "hidden-word" not in caplog.text


async def test_an_answer_comes_when_the_configuration_broke_meanwhile(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_session(noting(tmp_path / "agent"), tmp_path) as session:
        (tmp_path / "graphwright.toml").write_text("interactions = ", "utf-8")
        monkeypatch.setenv("GRAPHWRIGHT_CONFIG", str(tmp_path / "graphwright.toml"))
        assert (await session.send("How many?")).status == "ended"
    assert "not valid TOML" in caplog.text


async def test_conversation_tests_are_not_logged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    noting(tmp_path / "agent")
    monkeypatch.setenv("GRAPHWRIGHT_INTERACTIONS", str(tmp_path / "log.jsonl"))
    file = tmp_path / "agent" / "tests" / "one.conversation.yaml"
    file.parent.mkdir()
    file.write_text("agent: ..\nturns:\n  - user: How many?\n    expect: {status: ended}\n", "utf-8")
    result = await run_conversation(file, tmp_path / "home")
    assert result.mismatches == ()
    assert "interaction_noted" in {event["type"] for event in result.events}
    assert not [*tmp_path.rglob("log.jsonl"), *tmp_path.rglob("interactions*")]


async def test_a_turn_whose_actions_record_nothing_is_logged(tmp_path: Path) -> None:
    async with open_session(noting(tmp_path / "silent", NOTES_NOTHING), tmp_path) as session:
        turn = await session.send("How many?")
    (one,) = kept(tmp_path)
    assert (one.type, one.question, one.reply, one.success) == ("question", "How many?", turn.reply, True)
