"""Actions: reads, writes, messages and records; retries, time limits, errors; channels of every kind."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from graphwright import GraphwrightError, load
from host_support import TWO_ACTIONS, agent, of_type, open_session, saved_state, scripted, trace
from step_support import conversation
from waiting_support import interrupted, until

ONE = """
state:
  n: {{type: integer, default: 0}}
  log: {{type: array, items: {{type: string}}, default: [], reduce: append}}
  other: {{type: string, default: unread}}
  any: {{type: object, default: {{}}}}
nodes:
  - {{id: act, type: action, run: act{more}}}
  - {{id: sorry, type: terminal, say: Sorry.}}
  - {{id: done, type: terminal, say: "n = {{{{ n }}}}"}}
edges:
  - {{from: act, to: done}}
"""


TWO = """
state:
  n: {type: integer, default: 0}
  m: {type: integer, default: 0}
  any: {type: object, default: {}}
nodes:
  - {id: one, type: action, run: first}
  - {id: two, type: action, run: second}
  - {id: done, type: terminal}
edges:
  - {from: one, to: two}
  - {from: two, to: done}
"""


def one(more: str = "") -> str:
    return ONE.format(more=more)


@pytest.mark.parametrize("form", ["def", "async def"])
async def test_an_action_reads_and_writes_what_it_declares(tmp_path: Path, form: str) -> None:
    made = agent(
        tmp_path / "a",
        one(),
        f"""
        @action(reads=["n", "message"], writes=["n", "log"])
        {form} act(state, ctx):
            assert set(state) == {{"n", "message"}}
            ctx.say("Working.")
            return {{"n": state["n"] + len(state["message"]), "log": [state["message"]]}}
        """,
    )
    async with open_session(made, tmp_path / "home") as session:
        turn = await session.send("four")
        assert turn.reply == "Working.\n\nn = 4"
        assert turn.values == {"answers": {}, "n": 4, "log": ["four"], "other": "unread", "any": {}}
        await session.send("more")
        assert (await session.state())["values"]["log"] == ["four", "more"]


@pytest.mark.parametrize("name", ["language", "files", "paths", "turn", "visit", "waiting"])
def test_a_channel_may_have_the_name_of_what_the_engine_keeps(tmp_path: Path, name: str) -> None:
    made = agent(
        tmp_path / "a",
        f"""
        state: {{{name}: {{type: string, default: ""}}, seen: {{type: string, default: ""}}}}
        nodes:
          - {{id: act, type: action, run: act}}
          - {{id: look, type: action, run: look}}
          - {{id: done, type: terminal}}
        edges: [{{from: act, to: look}}, {{from: look, to: done, guard: "{name} == 'mine'"}}]
        """,
        f"""
        @action(writes=["{name}"])
        def act(state, ctx):
            return {{"{name}": "mine"}}

        @action(reads=["{name}"], writes=["seen"])
        def look(state, ctx):
            return {{"seen": state["{name}"]}}
        """,
    )
    session = conversation(made)
    turn = session.send("go")
    assert turn.error is None
    assert turn.values["seen"] == "mine"


BROKEN = [
    ('return {"other": "x"}', "undeclared_write", "writes"),
    ('return {"nowhere": 1}', "undeclared_write", "nowhere"),
    ('return {"n": "text"}', "bad_channel_value", "whole number"),
    ('return {"n": float("nan")}', "bad_channel_value", "JSON"),
    ("return {'n': object()}", "bad_channel_value", "JSON"),
    ("return {'n': 2**63}", "bad_channel_value", "64 bits"),
    ("return {'any': {'$blob': 'x'}}", "bad_channel_value", "$blob"),
    ("return {'any': __import__('graphwright').Reset([1])}", "reset_with_items", "Return the items themselves"),
    ("return {'any': {'half': '\\ud83d'}}", "bad_channel_value", "not JSON"),
    ("return {'any': {'\\ud83d': 1}}", "bad_channel_value", "not JSON"),
    ("return {'any': {'deep': __import__('json').loads('[' * 250 + ']' * 250)}}", "bad_channel_value", "not JSON"),
    ("return 5", "bad_action_result", "int"),
    ('return {"n": state["other"]}', "undeclared_read", "other"),
    ('return {"n": state.get("other")}', "undeclared_read", "other"),
    ('return {"n": state["answers"]["x"]}', "undeclared_read", "answers"),
]


@pytest.mark.parametrize(("body", "code", "words"), BROKEN)
async def test_undeclared_channels_fail_without_a_retry(tmp_path: Path, body: str, code: str, words: str) -> None:
    made = agent(
        tmp_path / "a",
        one(", retry: {attempts: 3}"),
        f"@action(reads=['n'], writes=['n', 'any'])\ndef act(state, ctx):\n    {body}\n",
    )
    async with open_session(made, tmp_path / "home") as session:
        turn = await session.send("go")
        assert turn.status == "failed"
        assert (turn.error and turn.error.code) == code
        assert words in f"{turn.error.message} {turn.error.hint}"
        assert turn.values["n"] == 0
        again = await session.send("stop")
        assert again.status == "failed"
        assert again.error == turn.error
        assert "new thread" in turn.error.hint
        assert len(of_type(await trace(session), "action_started")) == 1


async def test_changes_of_an_action_to_its_inputs_are_discarded(tmp_path: Path) -> None:
    made = agent(
        tmp_path / "a",
        one(", retry: {attempts: 2}"),
        """
        @action(reads=["log"], writes=["n"])
        def act(state, ctx):
            state["log"].append("smuggled")
            if ctx.attempt == 1:
                raise RuntimeError("again")
            return {"n": len(state["log"])}
        """,
    )
    async with open_session(made, tmp_path / "home") as session:
        turn = await session.send("go")
        assert (turn.values["log"], turn.values["n"]) == ([], 1)


async def test_a_value_is_kept_as_json_has_it_when_the_action_is_done(tmp_path: Path) -> None:
    made = agent(
        tmp_path / "a",
        TWO,
        """
        import enum

        class Colour(str, enum.Enum):
            RED = "red"

        KEPT = {1: "a", None: Colour.RED, "f": type("F", (float,), {})(2.5), "list": []}

        @action(writes=["any"])
        def first(state, ctx):
            return {"any": KEPT}

        @action(writes=["n"])
        def second(state, ctx):
            KEPT["list"].append(1)
            return {"n": len(KEPT["list"])}
        """,
    )
    async with open_session(made, tmp_path / "home") as session:
        turn = await session.send("go")
        assert turn.values["any"] == {"1": "a", "null": "red", "f": 2.5, "list": []}


async def test_attempts_are_repeated_with_one_key_and_only_the_last_one_is_heard(tmp_path: Path) -> None:
    made = agent(
        tmp_path / "a",
        one(", retry: {attempts: 3, backoff: 0.01}"),
        """
        KEYS = Path(__file__).with_name("keys")

        @action(writes=["n"])
        def act(state, ctx):
            KEYS.write_text((KEYS.read_text() if KEYS.exists() else "") + ctx.key + "\\n")
            ctx.say(f"attempt {ctx.attempt}")
            if ctx.attempt < 3:
                raise ConnectionError("down")
            return {"n": ctx.attempt}
        """,
    )
    async with open_session(made, tmp_path / "home") as session:
        turn = await session.send("go")
        assert turn.reply == "attempt 3\n\nn = 3"
        keys = (tmp_path / "a" / "keys").read_text().split()
        assert len(set(keys)) == 1
        assert len(keys) == 3
        assert re.fullmatch("t:[0-9a-f]{6}:1", keys[0])
        failed = of_type(await trace(session), "action_failed")
        assert [(e["attempt"], e["final"]) for e in failed] == [(1, False), (2, False)]


@pytest.mark.parametrize(
    ("body", "error", "line"),
    [
        ("return {'n': state['n'] / 0}", "ZeroDivisionError: division by zero", 8),
        ("return helper({})", "KeyError: 'x'", 11),
        ("return json.loads('{')", "JSONDecodeError: Expecting", 8),
        # An undeclared name is reported at the declaration.
        ("return {'m': 1}", "returned channel 'm'", 6),
        ("return {'n': state['m']}", "reads 'm'", 6),
    ],
)
async def test_a_programming_error_is_reported_with_file_and_line_also_under_on_error(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, body: str, error: str, line: int
) -> None:
    nodes = f"""
        import json
        @action(reads=["n"], writes=["n"])
        def act(state, ctx):
            {body}

        def helper(names):
            return names["x"]
    """
    flow = """
        state: {{n: {{type: number, default: 0}}, m: {{type: number, default: 0}}}}
        nodes:
          - {{id: act, type: action, run: act{}}}
          - {{id: t, type: terminal, say: Over.}}
        edges: [{{from: act, to: t}}]
    """
    async with open_session(agent(tmp_path / "a", flow.format(", on_error: t"), nodes), tmp_path / "home") as session:
        assert (await session.send("go")).reply == "Over."
        assert of_type(await trace(session), "action_failed")[0]["place"] == f"nodes.py:{line}"
    assert caplog.messages[0].startswith("Action 'act' ")
    assert error in caplog.messages[0]
    assert caplog.messages[0].endswith(f"(nodes.py:{line}).")
    if line != 6:
        async with open_session(agent(tmp_path / "b", flow.format(""), nodes), tmp_path / "home2") as session:
            turn = await session.send("go")
        assert error in turn.error.message
        assert f"(nodes.py:{line})" in turn.error.message
    assert len(caplog.messages) == 1


async def test_events_as_json_hold_plain_values_alone(tmp_path: Path) -> None:
    made = agent(tmp_path / "a", TWO_ACTIONS, "@action(writes=['n'])\ndef first(state, ctx): return {'n': 1}\n"
                 "@action()\ndef send(state, ctx): raise ValueError('no')")  # fmt: skip
    plain = {str, int, float, bool, type(None), list, dict}

    def types(value: Any) -> set[type]:
        inner = value if isinstance(value, list) else value.values() if isinstance(value, dict) else []
        return {type(value)}.union(*map(types, inner))

    async with made.session("t", model="none", home=str(tmp_path / "home")) as session:
        for text in ("go", "Ann"):
            seen = [event async for event in session.stream(text)]
            assert all(types(event.to_json()) <= plain for event in seen), [event.to_json() for event in seen]


async def test_a_failing_action_fails_the_turn_and_is_tried_again_under_its_key(tmp_path: Path) -> None:
    made = agent(
        tmp_path / "a",
        one(),
        """
        SEEN = []

        @action(writes=["n"])
        def act(state, ctx):
            SEEN.append(ctx.key)
            if len(SEEN) < 3:
                raise RuntimeError("password=hunter2 refused")
            return {"n": len(set(SEEN))}
        """,
    )
    async with open_session(made, tmp_path / "home") as session:
        for _ in range(2):
            turn = await session.send("go")
            assert (turn.status, turn.values["n"]) == ("failed", 0)
            assert (turn.error and turn.error.code) == "action_failed"
            assert "hunter2" not in json.dumps([turn.to_json(), await trace(session)])
        assert (await session.send("go")).reply == "n = 1"
        assert (await session.send("go")).reply == "n = 2"


@pytest.mark.parametrize(
    "body",
    [
        "await asyncio.sleep(5)",
        "raise ValueError('x')",
        "return {'n': 'text'}",
        "raise TimeoutError()",
        "raise SystemExit(3)",
        "raise asyncio.CancelledError()",
    ],
)
async def test_on_error_is_entered_when_the_last_attempt_failed(tmp_path: Path, body: str) -> None:
    made = agent(
        tmp_path / "a",
        one(", on_error: sorry, timeout: 0.05, retry: {attempts: 2}"),
        f"@action(writes=['n'])\nasync def act(state, ctx):\n    {body}\n",
    )
    async with open_session(made, tmp_path / "home") as session:
        turn = await session.send("go")
        assert (turn.status, turn.reply, turn.path) == ("ended", "Sorry.", ("act", "sorry"))


SLOW = """
@action(writes=["n"])
def act(state, ctx):
    file = Path(__file__).with_name("effects")
    with file.open("a") as out:
        out.write("in ")
    end = time.monotonic() + 60
    while time.monotonic() < end and not file.with_name("go on").exists():
        time.sleep(0.01)
    with file.open("a") as out:
        out.write("out ")
    return {"n": 1}
"""


async def test_an_attempt_is_not_started_while_an_earlier_one_runs_in_its_thread(tmp_path: Path) -> None:
    made = agent(tmp_path / "a", one(", timeout: 0.2, retry: {attempts: 2}"), SLOW)
    async with open_session(made, tmp_path / "home") as session:
        turn = await session.send("go")
        assert (turn.error and turn.error.code) == "still_running"
        assert (await session.send("go")).error == turn.error
        (tmp_path / "a" / "go on").touch()
        await until(lambda: (tmp_path / "a" / "effects").read_text() == "in out ")


async def test_a_turn_waits_for_the_thread_that_an_interrupted_one_left_behind(tmp_path: Path) -> None:
    made = agent(tmp_path / "a", one(), SLOW)
    effects = tmp_path / "a" / "effects"
    async with open_session(made, tmp_path / "home") as session:
        await interrupted(session.send("go"), effects.exists)
        waiting = asyncio.create_task(session.send("go"))
        await asyncio.sleep(0.05)
        (tmp_path / "a" / "go on").touch()
        assert (await waiting).reply == "n = 1"
        assert effects.read_text() == "in out in out "


def test_reset_empties_a_channel_that_appends(tmp_path: Path) -> None:
    made = agent(
        tmp_path / "a",
        one(),
        """
        @action(reads=["message"], writes=["log"])
        def act(state, ctx):
            if state["message"] == "reset":
                return {"log": Reset()}
            if state["message"] == "fresh":
                return {"log": Reset(["new"])}
            return {"log": state["message"]}
        """,
    )
    session = conversation(made)
    seen = [session.send(text).values["log"] for text in ("a", "b", "fresh", "c", "reset")]
    assert seen == [["a"], ["a", "b"], ["new"], ["new", "c"], []]


LARGE = """
state:
  rows: {type: array, items: {type: string}, default: [], large: true, reduce: append}
  secret: {type: string, default: "", private: true}
nodes:
  - {id: act, type: action, run: act}
  - {id: d, type: decision}
  - {id: many, type: terminal, say: Many.}
  - {id: few, type: terminal, say: Few.}
edges:
  - {from: act, to: d}
  - {from: d, to: many, guard: size(rows) > 1500}
  - {from: d, to: few, guard: else}
"""
FILL = """
@action(reads=["rows"], writes=["rows", "secret"])
def act(state, ctx):
    return {"rows": [f"row {len(state['rows']) + i} {'x' * 80}" for i in range(1000)], "secret": "hunter2"}
"""


async def test_a_large_channel_stays_out_of_state_and_trace_and_private_ones_out_of_json(tmp_path: Path) -> None:
    async with open_session(agent(tmp_path / "a", LARGE, FILL), tmp_path / "home") as session:
        assert (await session.send("go")).reply == "Few."
        turn = await session.send("go")
        assert turn.reply == "Many."
        assert len(turn.values["rows"]) == 2000
        assert turn.values["rows"][-1].startswith("row 1999")
        assert len(json.dumps(await saved_state(session))) < 2000
        assert len(json.dumps(await trace(session))) < 10_000
        assert "hunter2" not in json.dumps(turn.to_json())
        assert "hunter2" not in json.dumps(await session.state())


async def test_an_action_keeps_records_once_and_hands_out_artifacts(tmp_path: Path) -> None:
    made = agent(
        tmp_path / "a",
        one(", retry: {attempts: 2}"),
        """
        @action(writes=["log"])
        async def act(state, ctx):
            kept, new = await ctx.store.put_once("orders", {"attempt": ctx.attempt})
            ctx.artifact("/tmp/plot.png", kind="plot", name="hall")
            if ctx.attempt == 1:
                raise RuntimeError("after the effect")
            assert await ctx.store.get("orders", ctx.key) == kept
            assert [r.value for r in await ctx.store.list("orders")] == [kept]
            said = [m.text for m in await ctx.messages()]
            return {"log": [str(kept["attempt"]), str(new), ctx.thread, ctx.node, *said]}
        """,
    )
    async with open_session(made, tmp_path / "home") as session:
        turn = await session.send("go")
        assert turn.values["log"] == ["1", "False", "t", "act", "go"]
        assert [a.to_json() for a in turn.artifacts] == [{"kind": "plot", "name": "hall.png", "path": "/tmp/plot.png"}]


async def test_an_action_that_the_agent_does_not_have_does_not_load(tmp_path: Path) -> None:
    with pytest.raises(GraphwrightError) as invalid:
        agent(tmp_path / "a", one(), "@action()\ndef other(state, ctx):\n    return None\n")
    assert "act" in invalid.value.message
    (tmp_path / "a" / "nodes.py").unlink()
    alone = load(tmp_path / "a")
    async with open_session(alone, tmp_path / "home") as session:
        turn = await session.send("go")
        assert (turn.status, turn.error and turn.error.code) == ("failed", "no_action")


@pytest.mark.parametrize("names", ["'answers'", "['n', 7]", "{'n': 1}", "[None]"])
@pytest.mark.parametrize("of", ["reads", "writes"])
async def test_names_that_are_not_lists_of_texts_do_not_load(tmp_path: Path, of: str, names: str) -> None:
    with pytest.raises(GraphwrightError) as refused:
        agent(tmp_path / "a", one(), f"@action({of}={names})\ndef act(state, ctx):\n    return None\n")
    assert refused.value.code == "agent_import"
    assert f"{of} of action 'act' must be a list of names" in refused.value.message
    assert "nodes.py:" in refused.value.message


async def test_an_action_knows_its_settings_and_the_data_folder(tmp_path: Path) -> None:
    made = agent(
        tmp_path / "a",
        one(),
        """
        @action(writes=["any"])
        def act(state, ctx):
            try:
                ctx.settings["queue"] = "other"
            except TypeError:
                return {"any": {"settings": dict(ctx.settings), "home": str(ctx.home), "is": ctx.home.is_absolute()}}
        """,
    )
    home = tmp_path / "home"
    async with open_session(replace(made, settings={"queue": "it"}), home) as session:
        assert (await session.send("go")).values["any"] == {"settings": {"queue": "it"}, "home": str(home), "is": True}
    async with open_session(made, home, thread="without") as session:
        assert (await session.send("go")).values["any"]["settings"] == {}


async def test_a_session_takes_the_time_from_its_clock(tmp_path: Path) -> None:
    code = "@action(writes=['log'])\ndef act(state, ctx):\n    return {'log': [ctx.now.isoformat()]}\n"
    made = agent(tmp_path / "a", one(), code)
    now = datetime(2031, 5, 6, 7, 8, tzinfo=UTC)
    async with made.session("t", model=scripted(), home=tmp_path / "home", clock=lambda: now) as session:
        assert (await session.send("go")).values["log"] == ["2031-05-06T07:08:00+00:00"]
        now += timedelta(hours=30)
        assert (await session.send("go")).values["log"][1] == "2031-05-07T13:08:00+00:00"
        assert {row.time[:10] for row in await session.history()} == {"2031-05-06", "2031-05-07"}


LOOKING = """
import sqlite3
from graphwright import action


def on_the_disk(ctx):
    with sqlite3.connect(ctx.home / "graphwright.db") as connection:
        return connection.execute("SELECT count(*) FROM gw_events WHERE thread = ?", (ctx.thread,)).fetchone()[0]


@action(writes=["n"], effects={first})
def first(state, ctx):
    return {{"n": on_the_disk(ctx)}}


@action(reads=["n"], writes=["m"], effects={second})
def second(state, ctx):
    return {{"m": on_the_disk(ctx)}}
"""


@pytest.mark.parametrize("effects", [True, False])
async def test_only_what_may_change_the_world_waits_for_the_disk(tmp_path: Path, effects: bool) -> None:
    made = agent(tmp_path / "a", TWO, LOOKING.format(first=True, second=effects))
    async with open_session(made, tmp_path / "home") as session:
        turn = await session.send("go")
        assert turn.status == "ended"
        seen = turn.values
        assert (seen["m"] > seen["n"]) is effects
