"""Answers: validated before they are committed, grounded, volunteered, corrected, declined, given up."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from host_support import agent, of_type, open_session, reads, scripted, trace, unknown
from step_support import conversation, started

WATTS = """
{head}
nodes:
  - id: q.watts
    type: question
    key: watts
    prompt: How many watts?
    schema: {{type: integer, minimum: 5, maximum: 2000, x-unit: W}}
    {more}
  - {{id: q.name, type: question, key: name, prompt: Your name?, schema: {{type: string, description: name}}}}
  - {{id: done, type: terminal, say: "{{{{ answers.watts }}}} W for {{{{ answers.name }}}}"}}
  - {{id: person, type: terminal, say: A person takes over.}}
edges:
  - {{from: q.watts, to: q.name}}
  - {{from: q.name, to: done}}
"""
RULES = (
    reads("9000", ("watts", 9000, "9000 watts")),
    reads("twelve", ("watts", 12, "12")),
    reads("200 watts for Ann", ("watts", 200, "200 watts"), ("name", "Ann", "Ann")),
    reads("100 watts", ("watts", 100, "100 watts")),
    reads("I am Ann, make it 50", ("name", "Ann", "Ann"), ("watts", 50, "50 watts"), correction=True),
    reads("I am Ben", ("name", "Ben", "Ben")),
    {"says": "person", "call": {"EscalateToHuman": {"reason": "wants a person"}}},
    unknown(".", "watts"),
)


def test_a_value_outside_the_schema_is_rejected_and_asked_again(tmp_path: Path) -> None:
    made = agent(tmp_path / "a", WATTS.format(head="", more="invalid_prompt: From 5 to 2000 watts, please."))
    session = started(made, *RULES)
    turn = session.send("9000 watts")
    assert (turn.status, turn.values["answers"], turn.path) == ("waiting", {}, ())
    assert "at most 2,000" in turn.reply
    assert turn.reply.endswith("From 5 to 2000 watts, please.")
    assert (turn.waiting_for and turn.waiting_for.node) == "q.watts"
    refused = of_type(session.trace(), "answer_refused")
    assert [(e["key"], e["value"], e["stage"]) for e in refused] == [("watts", 9000, "schema")]
    assert session.send("100 watts").values["answers"] == {"watts": 100}


@pytest.mark.parametrize(
    ("more", "nodes"),
    [
        ("validate: value != 100", ""),
        ("validate: not_hundred", "@validator\ndef not_hundred(value):\n    return value != 100\n"),
    ],
)
def test_validate_refuses_before_anything_is_committed(tmp_path: Path, more: str, nodes: str) -> None:
    session = started(agent(tmp_path / "a", WATTS.format(head="", more=more), nodes), *RULES)
    turn = session.send("100 watts")
    assert (turn.values["answers"], turn.path) == ({}, ())
    assert "100" in turn.reply
    assert [e["stage"] for e in of_type(session.trace(), "answer_refused")] == ["validate"]
    assert session.send("200 watts for Ann").reply == "200 W for Ann"


@pytest.mark.parametrize(
    ("body", "error"), [("return value['x'] % 12 == 0", "TypeError: "), ("raise SystemExit(3)", "SystemExit: 3")]
)
async def test_a_validator_that_raises_is_reported_with_file_and_line(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, body: str, error: str
) -> None:
    nodes = f"@validator\ndef dozen(value):\n    {body}\n"
    made = agent(tmp_path / "a", WATTS.format(head="", more="validate: dozen"), nodes)
    async with open_session(made, tmp_path / "home", *RULES) as session:
        await session.start()
        assert (await session.send("100 watts")).status == "waiting"
    (message,) = caplog.messages
    assert message.startswith(f"Validator 'dozen' of question 'q.watts' failed: {error}")
    assert message.endswith("(nodes.py:6)")


@pytest.mark.parametrize(
    ("head", "more", "path"),
    [
        ("", "on_invalid: person", ("person",)),
        ("on_escalate: person", "", ("person",)),
        ("on_escalate: q.name", "on_invalid: person", ("person",)),
    ],
)
def test_max_invalid_replies_let_the_flow_escalate(tmp_path: Path, head: str, more: str, path: tuple[str, ...]) -> None:
    made = agent(tmp_path / "a", WATTS.format(head=head, more=f"max_invalid: 2\n    {more}"))
    session = started(made, *RULES)
    assert session.send("hm").status == "waiting"
    turn = session.send("hmm")
    assert (turn.status, turn.path, turn.reply) == ("ended", path, "A person takes over.")
    assert len(of_type(session.trace(), "escalated")) == 1


def test_without_a_way_out_the_turn_fails_and_the_question_stays(tmp_path: Path) -> None:
    session = started(agent(tmp_path / "a", WATTS.format(head="", more="max_invalid: 1")), *RULES)
    for _ in range(2):
        turn = session.send("hm")
        assert (turn.status, turn.error and turn.error.code) == ("failed", "not_understood")
        assert (turn.waiting_for and turn.waiting_for.node) == "q.watts"
    assert session.send("100 watts").values["answers"] == {"watts": 100}


def test_a_model_that_says_infinity_does_not_break_the_thread(tmp_path: Path) -> None:
    made = agent(tmp_path / "a", WATTS.format(head="", more=""))
    session = started(made, reads("many", ("watts", math.inf, "many")), *RULES)
    session.send("many")
    assert session.send("100 watts").values["answers"] == {"watts": 100}


def test_another_answer_is_not_a_failed_attempt(tmp_path: Path) -> None:
    session = started(agent(tmp_path / "a", WATTS.format(head="", more="max_invalid: 1")), *RULES)
    turn = session.send("I am Ben")
    assert (turn.status, turn.values["answers"]) == ("waiting", {"name": "Ben"})
    assert turn.reply.endswith("How many watts?")
    assert not of_type(session.trace(), "not_understood")


def test_an_earlier_answer_is_corrected_on_the_way(tmp_path: Path) -> None:
    session = conversation(agent(tmp_path / "a", WATTS.format(head="", more="")), *RULES)
    session.send("100 watts")
    turn = session.send("I am Ann, make it 50 watts")
    assert turn.reply == "Noted: watts: 50 W.\n\n50 W for Ann"
    corrected = [e for e in of_type(session.trace(), "answer_committed") if e["key"] == "watts"]
    assert [(e["value"], e["replaced"]) for e in corrected] == [(100, None), (50, 100)]


def test_a_declined_optional_question_is_asked_again_only_in_a_new_conversation(tmp_path: Path) -> None:
    session = started(agent(tmp_path / "a", WATTS.format(head="", more="required: false")), *RULES)
    turn = session.send("no idea")
    assert turn.path == ("q.name",)
    assert session.send("I am Ben").reply == " W for Ben"
    declined = of_type(session.trace(), "answer_unknown")
    assert [e["declined"] for e in declined] == [True]
    again = session.send("hello")
    assert (again.status, again.path) == ("waiting", ("q.watts",))


def test_an_answer_that_is_taken_back_is_gone_and_asked_for_where_the_flow_needs_it(tmp_path: Path) -> None:
    flow = WATTS.format(head="", more="").replace("to: done}", 'to: done, guard: "has(answers.watts)"}')
    made = agent(tmp_path / "a", flow + "  - {from: q.name, to: q.watts, guard: else}\n")
    rules = (
        unknown("not 100", "watts", "not 100", correction=True),
        unknown("made up", "watts", "forget the watts", correction=True),
        unknown("no idea", "watts", "no idea"),
        *RULES,
    )
    session = started(made, *rules)
    session.send("100 watts")
    for kept in ("made up", "no idea"):
        assert session.send(kept).values["answers"] == {"watts": 100}
    turn = session.send("well, not 100")
    assert turn.values["answers"] == {}
    assert turn.reply.startswith("Taken back: watts.")
    turn = session.send("I am Ben")
    assert (turn.waiting_for and turn.waiting_for.node) == "q.watts"
    assert session.send("100 watts").reply == "100 W for Ben"
    taken_back = [e for e in of_type(session.trace(), "answer_unknown") if e["replaced"]]
    assert [(e["key"], e["reason"], e["declined"], e["replaced"]) for e in taken_back] == [
        ("watts", "not 100", False, 100)
    ]


async def test_a_wish_for_a_person_is_granted_where_the_flow_can(tmp_path: Path) -> None:
    able = agent(tmp_path / "a", WATTS.format(head="on_escalate: person", more=""))
    async with open_session(able, tmp_path / "home", *RULES) as session:
        turn = await session.send("A person, please")
        assert (turn.status, turn.reply) == ("ended", "A person takes over.")
    unable = agent(tmp_path / "b", WATTS.format(head="", more=""))
    async with open_session(unable, tmp_path / "home", *RULES, thread="u") as session:
        await session.start()
        turn = await session.send("A person, please")
        assert turn.status == "waiting"
        assert "cannot pass you on" in turn.reply
        assert turn.reply.endswith("How many watts?")


FAILURES = [
    ({"fail": "timeout"}, "model_"),
    ({"fail": "rate_limit"}, "model_"),
    ({"fail": "server_error"}, "model_"),
    ({"fail": "connection"}, "model_"),
    ({"fail": "auth"}, "model_"),
    ({"fail": "empty"}, "model_"),
    ({"fail": "boom"}, "model_"),
    ({"raw": "{not json"}, "model_"),
    ({"text": "I am sorry, I cannot help with that."}, "model_"),
]


@pytest.mark.parametrize(("rule", "code"), FAILURES, ids=[str(next(iter(r.values())))[:12] for r, _ in FAILURES])
@pytest.mark.parametrize("opener", [True, False])
async def test_a_failing_model_fails_the_turn_and_the_next_one_works(
    tmp_path: Path, rule: dict[str, str], code: str, opener: bool
) -> None:
    made = agent(tmp_path / "a", WATTS.format(head="", more=""))
    home = tmp_path / "home"
    async with made.session("t", model=scripted({"says": "no luck", **rule}, *RULES), home=home) as session:
        if not opener:
            await session.start()
        turn = await session.send("no luck")
        assert turn.status == "failed"
        assert turn.error.message
        assert turn.reply
        assert "Traceback" not in turn.error.message
        assert (turn.waiting_for and turn.waiting_for.node) == "q.watts"
        assert turn.values["answers"] == {}
        assert of_type(await trace(session), "turn_failed")
        assert (await session.send("200 watts for Ann")).reply == "200 W for Ann"
