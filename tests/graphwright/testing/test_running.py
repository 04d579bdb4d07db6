"""Running conversations: replies of a turn, too many and too few turns, misbehaving models, and endless turns."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from graphwright.testing._loop import run
from graphwright.testing._running import Result, run_conversation
from testing_support import FLOW, ROME, Folder


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


# the ids of nodes


def test_a_node_that_got_another_id_is_meant_by_its_earlier_one(folder: Folder) -> None:
    kept = "  - {id: a.keep, was: a.note, type: action, run: record, with: {collection: x, value: {}}}\n"
    text = FLOW.replace("id: q.city", "id: q.town, was: q.city").replace("to: q.city", "to: q.town")
    text = text.replace("from: q.city, to: done", "from: q.town, to: a.keep").replace("edges:\n", f"{kept}edges:\n")
    folder.flow(f"{text}  - {{from: a.keep, to: done}}\n")
    assert not folder.wrong(f"""\
        stubs: {{actions: {{a.note: {{writes: {{}}}}}}}}
        turns:
          - {{user: Ann, expect: {{node: q.city, path: [q.name, q.city]}}}}
          - {{user: Rome, model: [{ROME}], expect: {{node: done, passes: [a.note, done]}}}}
        """)


def test_an_answer_that_is_not_asked_for_is_refused_with_those_that_are(folder: Folder) -> None:
    folder.flow(FLOW.replace("key: city", "key: destination"))
    problem = folder.refused("turns:\n  - {user: Ann, expect: {answers: {city: Rome}}}\n").problems[0]
    assert (problem.message, problem.hint) == (
        "The flow asks for no answer 'city'.",
        "It asks for destination, name.",
    )


# the replies of a turn


def test_the_replies_of_a_turn_answer_in_order_and_the_rules_do_not(folder: Folder) -> None:
    assert not folder.wrong(f"""\
        model: [{{says: Rome, fail: auth}}]
        turns:
          - {{user: Ann, model: []}}
          - user: Rome
            model:
              - {{fail: rate_limit, times: 2}}
              - raw: "{{"
              - {ROME}
            expect: {{status: ended, answers: {{city: Rome}}, model_calls: 4}}
        """)


OTHERWISE = {
    "more often": (
        "[]",
        (
            "failed: unexpected_model_call: turn 2 says that the model is not called",
            "node q.city",
            "offered UpdateAnswers, UnknownAnswer",
            "last user message 'Rome'",
        ),
    ),
    "once more for a repair": (
        "[{text: Well}]",
        (
            "turn 2 has 1 reply, and the model was asked again",
            "it repeats the one before: That answer was not accepted",
        ),
    ),
    "less often": (f"[{{{ROME}}}, {{{ROME}}}]", ("model: reply 2 (calls UpdateAnswers) was not asked for",)),
    "for something else": (
        f"[{{offers: Decision, {ROME}}}]",
        ("reply 1 (offers Decision; calls UpdateAnswers) does not fit the request whose turn it is",),
    ),
}


@pytest.mark.parametrize("how", OTHERWISE)
def test_a_request_that_was_not_recorded_is_reported(folder: Folder, how: str) -> None:
    replies, parts = OTHERWISE[how]
    (line,) = folder.wrong(f"turns:\n  - user: Ann\n  - {{user: Rome, model: {replies}}}\n")
    assert line.startswith("turn 2 ('Rome'): ")
    assert all(part in line for part in parts)


def test_unused_rules_are_reported(folder: Folder) -> None:
    assert folder.wrong(f"model: [{{says: Rome, times: 1, {ROME}}}]\nturns:\n  - user: Ann\n") == [
        "after the last turn: rule 1 (says /Rome/) was expected 1 more time"
    ]


ACTION = """\
version: v1
id: flow.small
state: {number: {type: integer, default: 0}}
nodes:
  - {id: q.name, type: question, key: name, prompt: What is your name?, read: verbatim}
  - {id: work, type: action, run: work, on_error: failed}
  - {id: done, type: terminal}
  - {id: failed, type: terminal}
edges: [{from: q.name, to: work}, {from: work, to: done}]
"""


def test_an_unexpected_request_is_reported_even_if_the_agent_hides_the_failure(folder: Folder) -> None:
    folder.flow(ACTION)
    (folder.path / "nodes.py").write_text(
        "from graphwright import action\n"
        "from graphwright.models import atext\n"
        "@action(writes=['number'])\n"
        "async def work(state, ctx):\n"
        "    await atext(ctx.model, [('user', 'how many?')])\n",
        "utf-8",
    )
    (line,) = folder.wrong("turns:\n  - {user: Ann, expect: {status: ended, node: failed, model_calls: 1}}\n")
    assert line.startswith("turn 1 ('Ann'): No rule of ")
    assert "node work, offered (nothing)" in line


# too few turns, and turns that fail


ENDS = f"model: [{{{ROME}}}]\nturns:\n  - user: Ann\n"


def test_refusals_of_the_session_can_be_expected(folder: Folder) -> None:
    assert not folder.wrong("""\
        turns:
          - user: Ann
          - start: true
            expect: {status: failed, error: already_waiting, node: q.city, answers: {name: Ann}, path: []}
          - {user: " ", expect: {error: empty_message}}
          - {resume: true, expect: {error: not_a_confirmation}}
        """)
    (line,) = folder.wrong(f"{ENDS}  - user: Rome\n  - resume: true\n")
    assert line.startswith("turn 3 (True): failed: nothing_waits: Thread 'conversation' does not wait for an answer")


def test_too_few_turns_do_not_reach_the_end_that_the_file_names(folder: Folder) -> None:
    assert folder.wrong(f"{ENDS}end: ended\n") == [
        "after the last turn: end: expected 'ended', got 'waiting' at q.city: 'Which city, Ann?'; are turns missing?"
    ]
    assert not folder.wrong(f"{ENDS}end: waiting\n")
    assert not folder.wrong(f"{ENDS}  - user: Rome\nend: ended\n")


def test_a_turn_that_fails_unexpectedly_ends_the_run_with_its_reason(folder: Folder) -> None:
    turn = "{user: Rome, model: [{fail: auth}], expect: {status: ended}}"
    first, second = folder.wrong(f"turns:\n  - user: Ann\n  - {turn}\n  - user: never said\n")
    assert first.startswith("turn 2 ('Rome'): failed: model_not_authorised: The provider refused the key")
    assert "status: expected 'ended'" in second


# endless turns


ASLEEP = """\
from time import sleep
from graphwright import action
@action(writes=['number'])
def work(state, ctx):
    sleep(100_000)
"""
ENDLESS = {
    "a model": (
        f"model: [{{delay: 100000, {ROME}}}]\nturns: [{{user: Ann}}, {{user: Rome}}, {{user: x}}]\n",
        FLOW,
        "",
        "turn 2 ('Rome')",
        "the model had not answered: ",
    ),
    "an async action": (
        "turns: [{user: Ann}, {user: x}]\n",
        ACTION,
        ASLEEP.replace("from time", "from asyncio").replace("def", "async def").replace(" sleep(", " await sleep("),
        "turn 1 ('Ann')",
        "it was at work",
    ),
    "a sync action": ("turns: [{user: Ann}, {user: x}]\n", ACTION, ASLEEP, "turn 1 ('Ann')", "it was at work"),
}


def test_an_endless_turn_ends_at_the_limit_of_the_file(tmp_path: Path) -> None:
    files = []
    for what, (turns, flow, nodes, _, _) in ENDLESS.items():
        folder = Folder(tmp_path / what)
        folder.flow(flow)
        folder.flow(nodes, "nodes.py")
        files.append(folder.conversation(f"limit: 2\n{turns}"))

    async def at_once() -> list[Result]:
        return await asyncio.gather(*(run_conversation(file, file.parent / "home") for file in files))

    for (_, _, _, where, busy), result in zip(ENDLESS.values(), run(at_once()), strict=True):
        (line,) = map(str, result.mismatches)
        assert line.startswith(f"{where}: it did not end within 2 s (`limit` of the file); {busy}")


def test_no_configuration_file_of_the_caller_holds(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    file = folder.conversation("turns: [{user: Ann}]\n")
    monkeypatch.chdir(folder.path)
    for text in ('[agents.small]\nqueue = "it"\n', "broken"):
        (folder.path / "graphwright.toml").write_text(text, "utf-8")
        result = folder.run(file)
        assert (result.mismatches, result.agent.settings) == ((), {})


CLOCK = """\
version: v1
id: flow.small
state:
  log: {type: array, items: {type: string}, reduce: append}
nodes:
  - {id: q.go, type: question, key: go, prompt: Go?, read: verbatim, ask: always}
  - {id: look, type: action, run: look}
edges:
  - {from: q.go, to: look}
  - {from: look, to: q.go}
"""
LOOK = """\
import json
from datetime import datetime, timedelta
from graphwright import action

@action(writes=["log"])
async def look(state, ctx):
    first, _ = await ctx.store.put_once("first", ctx.now.isoformat(), key="k")
    passed = ctx.now - datetime.fromisoformat(first)
    said = datetime.fromisoformat((await ctx.messages(1))[-1].time)
    assert abs(said - ctx.now) < timedelta(minutes=5), "messages are written with the same clock"
    return {"log": [f"{passed / timedelta(hours=1):.1f} h, {json.dumps(dict(ctx.settings))}"]}
"""


def test_time_passes_before_the_turns_that_say_so_and_the_agent_has_the_settings_of_the_file(folder: Folder) -> None:
    folder.flow(CLOCK)
    (folder.path / "nodes.py").write_text(LOOK)
    assert not folder.wrong("""\
        settings: {words: [no]}
        turns:
          - {start: true, after: 2d}
          - {user: a, expect: {values: {log: ['0.0 h, {"words": ["no"]}']}}}
          - {user: b, after: 25h}
          - {resume: c, after: 7200, expect: {passes: [look]}}
          - user: d
            after: 1.5h
            expect: {values: {log: [\
                '0.0 h, {"words": ["no"]}', '25.0 h, {"words": ["no"]}', '27.0 h, {"words": ["no"]}', \
                '28.5 h, {"words": ["no"]}']}}
        """)


def test_a_difference_lists_refused_answers(folder: Folder) -> None:
    made_up = "{call: {UpdateAnswers: {answers: [{key: city, value: Rome, quote: the eternal city}]}}}"
    lines = folder.wrong(
        f"turns:\n  - user: Ann\n  - {{user: no idea, model: [{made_up}], expect: {{answers: {{city: Rome}}}}}}\n"
    )
    assert (
        "refused city = 'Rome' (quotation): the message does not contain the words that the model quotes" in lines[-1]
    )
