"""Turns: new, waiting, ended; the opening message; start, resume, streams; and refused requests."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from graphwright import Session, UsageError
from graphwright.engine.events import TurnStarted
from graphwright.engine.replay import fold
from graphwright.host._turn import TurnEnded
from host_support import agent, of_type, open_session, saved_state, trace, unknown
from step_support import conversation, started

TALK = """
nodes:
  - {id: q.name, type: question, key: name, prompt: What is your name?, read: verbatim}
  - {id: q.size, type: question, key: size, prompt: "Which size, {{ answers.name }}?", read: choice,
     schema: {enum: [small, large]}}
  - {id: q.sure, type: question, key: sure, prompt: Sure?, read: confirm}
  - {id: yes, type: terminal, say: "Done, {{ answers.name }}."}
  - {id: no, type: terminal, say: Not then.}
edges:
  - {from: q.name, to: q.size}
  - {from: q.size, to: q.sure}
  - {from: q.sure, to: yes, guard: answers.sure == true}
  - {from: q.sure, to: no, guard: else}
"""


async def test_a_conversation_that_code_can_read_needs_no_model(tmp_path: Path) -> None:
    async with open_session(agent(tmp_path / "a", TALK), tmp_path / "home") as session:
        first = await session.send("Ann")
        assert (first.status, first.reply, first.path) == ("waiting", "Which size, Ann?", ("q.name", "q.size"))
        assert (first.waiting_for.kind, first.waiting_for.options) == (
            "choice",
            ({"value": "small", "title": "small"}, {"value": "large", "title": "large"}),
        )
        second = await session.send("Large.")
        assert second.values["answers"] == {"name": "Ann", "size": "large"}
        assert (second.waiting_for and second.waiting_for.kind) == "confirm"
        last = await session.send("yes")
        assert (last.status, last.reply, last.waiting_for) == ("ended", "Done, Ann.", None)
        assert last.usage.model_calls == 0


async def test_the_state_has_the_schema_of_the_requested_value(tmp_path: Path) -> None:
    made = agent(tmp_path / "a", TALK)

    async def schema(session: Session) -> Any:
        return json.loads(json.dumps((await session.state())["waiting_for"])).get("schema")

    async with open_session(made, tmp_path / "home") as session:
        await session.start()
        assert await schema(session) == {"type": "string"}
        await session.send("Ann")
        assert await schema(session) == {"enum": ["small", "large"]}
    # The thread waits in an earlier version of the flow.
    changed = agent(tmp_path / "b", TALK.replace("[small, large]", "[tiny]"))
    async with open_session(changed, tmp_path / "home") as session:
        assert await schema(session) == {"enum": ["small", "large"]}


ACT_FIRST = """
state: {n: {type: integer, default: 0}}
nodes:
  - {id: act, type: action, run: act}
  - {id: done, type: terminal, say: "{{ message }} {{ n }}"}
edges: [{from: act, to: done}]
"""
ACT = """
@action(reads=["message", "n"], writes=["n"])
def act(state, ctx):
    if state["message"] == "fail":
        raise RuntimeError("no")
    return {"n": state["n"] + 1}
"""


async def test_start_performs_nothing(tmp_path: Path) -> None:
    async with open_session(agent(tmp_path / "a", ACT_FIRST, ACT), tmp_path / "home") as session:
        begun = await session.start()
        assert (begun.status, begun.waiting_for.kind, begun.values["n"]) == ("waiting", "message", 0)
        assert (await session.send("go")).reply == "go 1"
        failed = await session.send("fail")
        assert failed.status == "failed"
        with pytest.raises(UsageError) as refused:
            await session.start()
        assert refused.value.code == "already_waiting"
        assert (await session.send("now")).reply == "now 2"


RESTART = """
{restart}
state:
  turns: {{type: integer, default: 0}}
  visits: {{type: integer, default: 0, scope: conversation}}
nodes:
  - {{id: q, type: question, key: name, prompt: Name?, read: verbatim}}
  - {{id: act, type: action, run: act}}
  - {{id: done, type: terminal, say: "{{{{ answers.name }}}} {{{{ turns }}}} {{{{ visits }}}}"}}
edges:
  - {{from: q, to: act}}
  - {{from: act, to: done}}
"""
COUNT = """
@action(reads=["turns", "visits"], writes=["turns", "visits"])
def act(state, ctx):
    return {"turns": state["turns"] + 1, "visits": state["visits"] + 1}
"""


@pytest.mark.parametrize(
    ("restart", "second"), [("restart: keep", "Ann 2 1"), ("restart: clear", "Ben 2 1"), ("", "Ben 2 1")]
)
def test_a_new_conversation_keeps_channels_and_maybe_answers(tmp_path: Path, restart: str, second: str) -> None:
    session = conversation(agent(tmp_path / "a", RESTART.format(restart=restart), COUNT))
    assert session.send("Ann").reply == "Ann 1 1"
    assert session.send("Ben").reply == second
    assert [e["afresh"] for e in of_type(session.trace(), "turn_started")] == [True, True]


EXTRACT = """
nodes:
  - {{id: q.city, type: question, key: city, prompt: Which city?, {more} schema: {{type: string, description: city}}}}
  - {{id: q.name, type: question, key: name, prompt: Your name?, read: verbatim}}
  - {{id: done, type: terminal, say: Thanks}}
edges:
  - {{from: q.city, to: q.name}}
  - {{from: q.name, to: done}}
"""


async def test_an_opening_message_without_an_answer_is_not_a_failed_attempt(tmp_path: Path) -> None:
    made = agent(tmp_path / "a", EXTRACT.format(more="invalid_prompt: No city in that., max_invalid: 1,"))
    async with open_session(made, tmp_path / "home", unknown(".", "city")) as session:
        turn = await session.send("Hello!")
        assert (turn.status, turn.reply) == ("waiting", "Which city?")
        assert not of_type(await trace(session), "not_understood")
        assert (await session.send("Hello!")).error is not None
    # It does not decline anything, either.
    made = agent(tmp_path / "b", EXTRACT.format(more="required: false,"))
    async with open_session(made, tmp_path / "home", unknown(".", "city"), thread="b") as session:
        turn = await session.send("Hello!")
        assert (turn.waiting_for and turn.waiting_for.node) == "q.city"
        later = await session.send("I would rather not say")
        assert (later.waiting_for and later.waiting_for.node) == "q.name"


def test_resume_answers_with_a_value(tmp_path: Path) -> None:
    session = started(agent(tmp_path / "a", TALK))
    assert session.resume("Ann").values["answers"] == {"name": "Ann"}
    wrong = session.resume("huge")
    assert wrong.status == "waiting"
    assert "huge" in wrong.reply
    assert wrong.values["answers"] == {"name": "Ann"}
    session.resume("small")
    assert session.resume(False).reply == "Not then."


@pytest.mark.parametrize("approve", [True, False])
async def test_yes_and_no_answer_only_confirmations(tmp_path: Path, approve: bool) -> None:
    async with open_session(agent(tmp_path / "a", TALK), tmp_path / "home") as session:
        with pytest.raises(UsageError) as nothing:
            await session.resume(approve)
        assert nothing.value.code == "nothing_waits"
        await session.start()
        with pytest.raises(UsageError) as text:
            await session.resume(approve)
        assert text.value.code == "not_a_confirmation"
        with pytest.raises(UsageError) as hashed:
            await session.resume("Ann", approves="0" * 64)
        assert hashed.value.code == "not_a_confirmation"
        assert (await session.state())["values"]["answers"] == {}
        await session.send("Ann")
        with pytest.raises(UsageError):
            await session.resume(approve)


@pytest.mark.parametrize("value", [object(), {1, 2}, float("nan"), b"x", "\ud800", 2**63])
async def test_a_value_that_is_not_json_is_refused(tmp_path: Path, value: Any) -> None:
    async with open_session(agent(tmp_path / "a", TALK), tmp_path / "home") as session:
        await session.start()
        with pytest.raises(UsageError):
            await session.resume(value)
        assert (await session.send("Ann")).status == "waiting"


@pytest.mark.parametrize(
    ("text", "code"), [("", "empty_message"), (" \n\t", "empty_message"), ("x" * 100_001, "long_message")]
)
async def test_empty_and_too_long_messages_are_refused(tmp_path: Path, text: str, code: str) -> None:
    async with open_session(agent(tmp_path / "a", TALK), tmp_path / "home") as session:
        with pytest.raises(UsageError) as refused:
            await session.send(text)
        assert refused.value.code == code
        assert await session.history() == []


@pytest.mark.parametrize("text", ["x" * 100_000, "a\x00b", "half of a pair: \ud83d", "שלום 🙂", "{{ answers.name }}"])
async def test_unusual_messages_are_accepted(tmp_path: Path, text: str) -> None:
    async with open_session(agent(tmp_path / "a", TALK), tmp_path / "home") as session:
        turn = await session.send(text)
        assert turn.status == "waiting"
        kept = turn.values["answers"]["name"]
        assert len(kept) == len(text)
        assert kept == text.replace("\0", "\ufffd") or "\ud83d" in text
        json.dumps(turn.to_json()).encode()
        assert (await session.state())["values"]["answers"]["name"] == kept


@pytest.mark.parametrize(
    "thread", ["../../etc/passwd", "a b", "ünï", "'; DROP TABLE threads; --", "%00", "x" * 200, "a:1"]
)
async def test_unusual_thread_ids_are_accepted(tmp_path: Path, thread: str) -> None:
    async with open_session(agent(tmp_path / "a", TALK), tmp_path / "home", thread=thread) as session:
        assert (await session.send("Ann")).thread == thread
        assert (await session.send("small")).path == ("q.sure",)


@pytest.mark.parametrize("thread", [" ", "x" * 201, "a\nb", "\x00", "\ud800"])
async def test_thread_ids_that_cannot_be_shown_are_refused(tmp_path: Path, thread: str) -> None:
    made = agent(tmp_path / "a", TALK)
    with pytest.raises(UsageError):
        made.session(thread)


async def test_a_stream_gives_typed_events_and_ends_with_the_turn(tmp_path: Path) -> None:
    async with open_session(agent(tmp_path / "a", TALK), tmp_path / "home") as session:
        events = [event async for event in session.stream("Ann")]
        assert isinstance(events[0], TurnStarted)
        assert isinstance(events[-1], TurnEnded)
        assert events[-1].turn.reply == "Which size, Ann?"
        written = [json.loads(json.dumps(event.to_json())) for event in events]
        assert written[:-1] == await trace(session)
        with pytest.raises(UsageError):
            _ = [event async for event in session.stream("")]


async def test_a_stream_that_is_left_early_does_not_spoil_the_thread(tmp_path: Path) -> None:
    made = agent(
        tmp_path / "a",
        "nodes:\n  - {id: act, type: action, run: act}\n  - {id: done, type: terminal, say: '{{ message }}.'}\n"
        "edges: [{from: act, to: done}]\n",
        """
        @action()
        async def act(state, ctx):
            left = Path(__file__).parent / "left"
            if not left.exists():
                left.touch()
                ctx.stream("at it")
                await asyncio.sleep(60)
        """,
    )
    async with open_session(made, tmp_path / "home") as session:
        stream = session.stream("Ann")
        while (await anext(stream)).type != "saying":
            pass
        await stream.aclose()
        turn = await session.send("Ann")
        assert (turn.status, turn.reply) == ("ended", "Ann.")


async def test_two_messages_at_once_are_served_one_after_the_other(tmp_path: Path) -> None:
    made = agent(
        tmp_path / "a",
        "state: {n: {type: integer, default: 0}}\n"
        "nodes:\n  - {id: act, type: action, run: act}\n  - {id: done, type: terminal, say: '{{ n }}'}\n"
        "edges: [{from: act, to: done}]\n",
        """
        @action(reads=["n"], writes=["n"])
        async def act(state, ctx):
            await asyncio.sleep(0.05)
            return {"n": state["n"] + 1}
        """,
    )
    home = tmp_path / "home"
    async with open_session(made, home) as one, open_session(made, home) as two:
        turns = await asyncio.gather(*(s.send(f"m{i}") for i, s in enumerate((one, two, one, two))))
        assert sorted(turn.reply for turn in turns) == ["1", "2", "3", "4"]
        assert len(of_type(await trace(one), "turn_started")) == 4


async def test_a_thread_of_another_agent_is_refused(tmp_path: Path) -> None:
    mine = agent(tmp_path / "a", TALK)
    other = agent(tmp_path / "b", TALK, id="flow.other")
    async with open_session(mine, tmp_path / "home") as session:
        await session.send("Ann")
    async with open_session(other, tmp_path / "home") as session:
        with pytest.raises(UsageError) as refused:
            await session.send("small")
        assert refused.value.code == "other_agent"
        assert "'a'" in refused.value.message


async def test_layout_does_not_make_another_version(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with open_session(agent(tmp_path / "a", TALK), home) as session:
        await session.send("Ann")
        flow = session.agent.flow
        assert await session._store.flows.get(flow.hash) == flow.canonical_text
    laid_out = agent(
        tmp_path / "a", f"# moved\n{TALK}ui: {{positions: {{q.name: [1, 2]}}}}\ndescription: Other words for it.\n"
    )
    async with open_session(laid_out, home) as session:
        assert (await session.send("small")).path == ("q.sure",)
        assert (await session.send("no")).status == "ended"
        assert of_type(await trace(session), "flow_migrated") == []


def test_a_reply_that_leads_nowhere_commits_nothing(tmp_path: Path) -> None:
    made = agent(
        tmp_path / "a",
        """
        nodes:
          - {id: q, type: question, key: a, prompt: A?, read: verbatim}
          - {id: done, type: terminal, say: Fine.}
        edges:
          - {from: q, to: done, guard: answers.a == 'open'}
        """,
    )
    session = conversation(made)
    failed = session.send("closed")
    assert (failed.status, failed.values["answers"]) == ("failed", {})
    assert (failed.waiting_for and failed.waiting_for.node) == "q"
    assert session.send("open").reply == "Fine."


@pytest.mark.parametrize(("bound", "most"), [("max_actions: 20", 20), ("", 500)])
def test_an_endless_loop_fails_the_turn_and_the_thread_continues(tmp_path: Path, bound: str, most: int) -> None:
    made = agent(
        tmp_path / "a",
        f"""
        {bound}
        nodes:
          - {{id: act, type: action, run: act}}
          - {{id: again, type: decision}}
          - {{id: done, type: terminal}}
        edges:
          - {{from: act, to: again}}
          - {{from: again, to: done, guard: message == 'stop'}}
          - {{from: again, to: act, guard: else}}
        """,
        "@action()\ndef act(state, ctx):\n    return None\n",
    )
    session = conversation(made)
    turn = session.send("go")
    assert turn.status == "failed"
    assert (turn.error and turn.error.code) == "endless_turn"
    assert f"more than {most} actions" in turn.error.message
    assert turn.error.message.endswith("it went act -> again -> act.")
    assert len(of_type(session.trace(), "action_finished")) == most
    assert session.send("stop").status == "ended"


GROWING = """
restart: keep
state:
  n: {type: integer, default: 1}
  plan: {type: string, default: none yet, large: true}
  gone: {type: integer, default: 5}
nodes:
  - {id: q.name, type: question, key: name, prompt: Name?, read: verbatim}
  - {id: led, type: subgraph, ref: g, as: led}
  - {id: t, type: terminal}
edges:
  - {from: q.name, to: led}
  - {from: led, to: t}
subgraphs:
  g:
    nodes:
      - {id: q.size, type: question, key: size, prompt: Size?, read: choice, schema: {enum: [small, large]}}
      - {id: q.base, type: question, key: base, prompt: Base?, read: verbatim}
    edges: [{from: q.size, to: q.base}, {from: q.base, to: __exit__}]
"""
GROWN = (
    GROWING.replace("gone: {type: integer, default: 5}", "new: {type: string, default: x}")
    .replace("{type: string, default: none yet, large: true}", "{type: integer, default: 0, large: true}")
    .replace("[small, large]", "[tiny, huge]")
)


async def test_a_new_conversation_drops_values_that_do_not_fit_the_changed_flow(tmp_path: Path) -> None:
    async with open_session(agent(tmp_path / "a", GROWING), tmp_path / "home") as session:
        for text in ("Ann", "small", "E27"):
            turn = await session.send(text)
        assert turn.status == "ended"
        then = await saved_state(session)
    async with open_session(agent(tmp_path / "b", GROWN), tmp_path / "home") as session:
        turn = await session.send("Ann again")
        assert (turn.waiting_for and turn.waiting_for.node) == "q.size"
        assert turn.values == {"answers": {"name": "Ann", "led": {"base": "E27"}}, "n": 1, "plan": 0, "new": "x"}
        adapted = of_type(await trace(session), "state_adapted")
        assert [(e["answers"], e["channels"]) for e in adapted] == [(["led.size"], ["plan", "gone"])]
        await session.send("tiny")
        await session.send("Ann again")
        assert len(of_type(await trace(session), "state_adapted")) == 1
        # The events of the earlier version are folded without that version.
        assert fold(await session.history(), then["seq"] - 1).state.to_json() == then


async def test_a_thread_created_again_under_an_id_has_new_keys(tmp_path: Path) -> None:
    made = agent(
        tmp_path / "a",
        """
        nodes:
          - {id: q, type: question, key: name, prompt: Name?, read: verbatim}
          - {id: act, type: action, run: lead}
          - {id: done, type: terminal, say: Done.}
        edges:
          - {from: q, to: act}
          - {from: act, to: done}
        """,
        """
        @action(reads=["answers"])
        async def lead(state, ctx):
            kept, new = await ctx.store.put_once("leads", state["answers"]["name"])
            ctx.say(f"{kept} {new}")
        """,
    )
    for name in ("Anna", "Bob"):
        async with open_session(made, tmp_path / "home") as session:
            await session.start()
            assert (await session.send(name)).reply == f"{name} True\n\nDone."
            await session._store.threads.delete("t")


OPEN_TOGETHER = """
deterministic: true
state: {{n: {{type: integer, default: {n}}}}}
nodes:
  - {{id: q, type: question, key: k, prompt: K?, read: verbatim}}
  - {{id: d, type: decision}}
  - {{id: a, type: terminal}}
  - {{id: b, type: terminal}}
edges:
  - {{from: q, to: d}}
  - {{from: d, to: a, guard: "n > 1"}}
  - {{from: d, to: b, guard: "n > 2"}}
  - {{from: d, to: b, guard: "n > 9"}}
  - {{from: d, to: a, guard: else}}
"""


def test_the_error_of_two_open_edges_says_which_guards_are_true(tmp_path: Path) -> None:
    session = started(agent(tmp_path / "a", OPEN_TOGETHER.format(n=3)))
    turn = session.send("x")
    assert turn.error is not None
    assert (
        "d->a: 'n > 1' is true (n = 3); d->b: 'n > 2' is true (n = 3); d->b#2: 'n > 9' is false" in turn.error.message
    )
