"""Turns in the interaction log: what actions note of them, once a turn, and never at the cost of an answer."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest
from crash_support import die, forked
from interactions_support import NOTES_NOTHING, noting, sink
from runtime_support import open_session, scripted

from graphwright import Agent, Session
from graphwright.store import open_store
from graphwright.store.interactions import LONGEST_TEXT, Interaction, Query
from graphwright.store.interactions import writer as writer_module
from graphwright.store.interactions.writer import read_counts
from graphwright.testing.running import run_conversation


@pytest.fixture(autouse=True)
def log_in_the_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GRAPHWRIGHT_INTERACTIONS", "GRAPHWRIGHT_CONFIG"):
        monkeypatch.delenv(name, raising=False)


def kept(home: Path) -> list[Interaction]:
    """What the log in a data folder has, the earliest first. The end of a session has waited for it."""
    with closing(sink(f"sqlite:///{home}/interactions.db", home)) as log:
        return log.find(Query(limit=1_000))[::-1]


async def test_a_turn_that_was_noted_is_kept_with_all_that_belongs_to_it(tmp_path: Path) -> None:
    async with open_session(noting(tmp_path / "agent"), tmp_path) as session:
        first = await session.send("How many?")
        second = await session.send("And now?")
    one, two = kept(tmp_path)
    assert (one.session, one.agent, one.number, two.number) == ("t", "agent", 1, 2)
    assert (one.question, two.question) == ("How many?", "And now?")
    assert (
        (one.reply, two.reply)
        == (first.reply, second.reply)
        == (
            "Looked at it.\n\nDone How many?.",
            "Looked at it.\n\nDone And now?.",
        )
    )
    # What was noted last holds, field by field.
    assert (one.type, one.code, one.result) == ("analysis", "a = 2", '{"n": 4}')
    assert one.metadata == {"rows": 5, "columns": ["x"]}
    assert (one.success, one.error) == (True, "")
    assert one.started.endswith("Z")
    assert one.started < two.started
    assert one.id != two.id
    assert read_counts(tmp_path, f"{tmp_path}/interactions.db").written == 2


async def test_turns_of_which_nothing_is_noted_are_not_kept(tmp_path: Path) -> None:
    async with open_session(noting(tmp_path / "agent", NOTES_NOTHING), tmp_path) as session:
        await session.send("How many?")
    assert not (tmp_path / "interactions.db").exists()


async def test_what_a_model_took_is_counted(tmp_path: Path) -> None:
    nodes = """
    @action()
    async def first(state, ctx):
        from graphwright.models import atext
        ctx.interaction()
        ctx.say(await atext(ctx.model, [("user", "Say it")]))

    @action()
    def second(state, ctx):
        pass
    """
    made = noting(tmp_path / "agent", nodes)
    async with made.session("t", model=scripted({"text": "It."}), home=tmp_path) as session:
        turn = await session.send("How many?")
    (one,) = kept(tmp_path)
    assert (one.type, one.model_calls) == ("question", 1)
    assert one.tokens == turn.usage.input_tokens + turn.usage.output_tokens > 0
    assert one.seconds == round(turn.usage.seconds, 3)


FAILS = """
@action()
def first(state, ctx):
    if ctx.attempt == 1:
        ctx.interaction(code="1/0", tried="once", attempts=1)
        raise ValueError("it broke")
    ctx.interaction(attempts=2)
    raise ValueError("again, with password=hunter2222")

@action()
def second(state, ctx):
    pass
"""


async def test_a_failed_turn_says_why_and_what_was_tried(tmp_path: Path) -> None:
    made = noting(tmp_path / "agent", FAILS)
    flow = (tmp_path / "agent" / "flow.yaml").read_text("utf-8")
    retried = flow.replace("run: first", "run: first, retry: {attempts: 2, backoff: 0}")
    (tmp_path / "agent" / "flow.yaml").write_text(retried, "utf-8")
    from graphwright import load

    made = load(tmp_path / "agent")
    async with open_session(made, tmp_path) as session:
        turn = await session.send("How many?")
        assert turn.status == "failed"
        await session.send("Again")
    one, two = kept(tmp_path)
    assert (one.success, one.code) == (False, "1/0")
    assert one.metadata == {"tried": "once", "attempts": 2}
    assert "again, with password=[hidden]" in one.error
    assert one.error.endswith("[action_failed]")
    # A turn that goes on with the same action is one of its own.
    assert (two.number, two.question, two.success) == (2, "Again", False)


async def test_an_agent_may_call_a_turn_a_failure_that_is_none(tmp_path: Path) -> None:
    nodes = NOTES_NOTHING.replace("    pass", '    ctx.interaction(success=False, error="no such column")')
    async with open_session(noting(tmp_path / "agent", nodes), tmp_path) as session:
        turn = await session.send("How many?")
    assert turn.status == "ended"
    (one,) = kept(tmp_path)
    assert (one.success, one.error) == (False, "no such column")


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


@pytest.mark.parametrize("where", ["write", "count"])
def test_a_kill_while_it_is_written_costs_no_answer(tmp_path: Path, where: str) -> None:
    made = noting(tmp_path / "agent")

    async def killed(tell: object) -> None:
        from graphwright.store.interactions.sinks import SqliteSink

        if where == "write":
            SqliteSink.write = lambda *_: die()  # type: ignore[method-assign]
        else:
            writer_module.add_counts = lambda *_: die()
        async with open_session(made, tmp_path) as session:
            await session.send("How many?")

    async def look(tell: object) -> list[str]:
        async with open_session(made, tmp_path) as session:
            messages = await session._store.messages.read("t")
            await session.send("And now?")
            return [message.text for message in messages]

    assert forked(killed).end()
    after = forked(look)
    assert not after.end()
    assert after.returned == ["How many?", "Looked at it.", "Done How many?."]
    assert [each.number for each in kept(tmp_path)] == ([2] if where == "write" else [1, 2])


async def test_a_thread_that_is_deleted_and_made_again_leaves_the_log_alone(tmp_path: Path) -> None:
    made = noting(tmp_path / "agent")
    async with open_session(made, tmp_path) as session:
        await session.send("Before")
    async with open_store(tmp_path) as store:
        await store.threads.delete("t")
    async with open_session(made, tmp_path) as session:
        await session.send("After")
    assert [(each.number, each.question) for each in kept(tmp_path)] == [(1, "Before"), (1, "After")]


async def test_a_branch_keeps_turns_of_its_own(tmp_path: Path) -> None:
    made = noting(tmp_path / "agent")
    async with open_session(made, tmp_path) as session:
        await session.send("Here")
        branch = await session.branch(-1, thread="u")
    async with open_session(made, tmp_path, thread=branch.thread) as session:
        await session.send("There")
    assert [(each.session, each.question) for each in kept(tmp_path)] == [("t", "Here"), ("u", "There")]


async def test_long_texts_are_cut_in_the_trace_and_in_the_log(tmp_path: Path) -> None:
    nodes = NOTES_NOTHING.replace("    pass", '    ctx.interaction(code="x " * 500_000, result=["y"] * 100_000)')
    async with open_session(noting(tmp_path / "agent", nodes), tmp_path) as session:
        await session.send("How many?")
        trace = [row.event for row in await session.history()]
    (one,) = kept(tmp_path)
    assert LONGEST_TEXT - 10 < len(one.code) < LONGEST_TEXT + 50
    assert one.code.endswith("more characters]")
    assert len(one.result) < LONGEST_TEXT + 50
    assert len(json.dumps(trace)) < 3 * LONGEST_TEXT


async def test_secrets_are_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_SERVICE_KEY_2", "not-for-anybody")
    nodes = NOTES_NOTHING.replace(
        "    pass", '    ctx.interaction(code=repr(dict(os.environ)), env=dict(os.environ), note="not-for-anybody")'
    )
    async with open_session(noting(tmp_path / "agent", nodes), tmp_path) as session:
        await session.send("Is it not-for-anybody?")
    (one,) = kept(tmp_path)
    assert one.question == "Is it [hidden]?"
    assert "not-for-anybody" not in json.dumps(one.to_json())
    assert b"not-for-anybody" not in (tmp_path / "interactions.db").read_bytes()


# a log that fails


class Broken:
    def __init__(self, made: Agent, home: Path) -> None:
        self.made = made
        self.home = home

    async def answers(self) -> Session:
        async with open_session(self.made, self.home) as session:
            turn = await session.send("How many?")
            assert (turn.status, turn.reply) == ("ended", "Looked at it.\n\nDone How many?.")
        return session


@pytest.fixture
def broken(tmp_path: Path) -> Broken:
    return Broken(noting(tmp_path / "agent"), tmp_path / "home")


async def test_an_answer_comes_whatever_the_address_is(broken: Broken, monkeypatch: pytest.MonkeyPatch) -> None:
    for address in ("nonsense", "sqlite:////nowhere/at/all/log.db", "/nowhere/log.jsonl", "mysql://a:b@c/d"):
        monkeypatch.setenv("GRAPHWRIGHT_INTERACTIONS", address)
        await broken.answers()
    content = json.loads((broken.home / "interactions.json").read_text("utf-8"))
    assert {label: counts["failed"] for label, counts in content.items()} == {
        writer_module.UNUSABLE: 2,
        "/nowhere/at/all/log.db": 1,
        "/nowhere/log.jsonl": 1,
    }


async def test_an_answer_comes_when_the_log_is_damaged(broken: Broken) -> None:
    broken.home.mkdir()
    (broken.home / "interactions.db").write_bytes(b"no database\n" * 1_000)
    await broken.answers()
    counts = read_counts(broken.home, f"{broken.home}/interactions.db")
    assert counts.failed == 1
    assert "is not a SQLite database" in counts.error


async def test_an_answer_comes_when_the_configuration_broke_meanwhile(
    broken: Broken, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with open_session(broken.made, broken.home) as session:
        (tmp_path / "graphwright.toml").write_text("interactions = ", "utf-8")
        monkeypatch.setenv("GRAPHWRIGHT_CONFIG", str(tmp_path / "graphwright.toml"))
        turn = await session.send("How many?")
    assert turn.status == "ended"
    assert "not valid TOML" in caplog.text


async def test_off_keeps_nothing(broken: Broken, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHWRIGHT_INTERACTIONS", "off")
    session = await broken.answers()
    assert session._log is None
    assert not [*broken.home.glob("interactions*")]


async def test_what_conversation_tests_do_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    noting(tmp_path / "agent")
    monkeypatch.setenv("GRAPHWRIGHT_INTERACTIONS", str(tmp_path / "log.jsonl"))
    file = tmp_path / "agent" / "tests" / "one.conversation.yaml"
    file.parent.mkdir()
    file.write_text("agent: ..\nturns:\n  - user: How many?\n    expect: {status: ended}\n", "utf-8")
    result = await run_conversation(file, tmp_path / "home")
    assert result.mismatches == ()
    assert "interaction_noted" in {event["type"] for event in result.events}
    assert not [*tmp_path.rglob("log.jsonl"), *tmp_path.rglob("interactions*")]
