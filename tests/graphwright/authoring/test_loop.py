"""A described change: what is wrong with a proposal goes back to the model, and what is hostile is refused."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from graphwright.authoring import Proposal, Round, new_subject, propose, subject_of
from graphwright.context import PromptLibrary
from graphwright.errors import GraphwrightError, UsageError
from graphwright.models._scripted import ScriptedModel

CUPS = """version: v1
id: flow.cups
nodes:
  # how many
  - {id: q.cups, type: question, key: cups, prompt: "How many cups?", schema: {type: integer, minimum: 1}}
  - {id: t.done, type: terminal, say: "{{ answers.cups }} cups are ordered."}
edges:
  - {from: q.cups, to: t.done}
"""
ORDER = 'agent: ..\nturns:\n  - {start: true}\n  - {user: "3", expect: {node: t.done, reply: 3 cups}}\n'
SIZE = {"id": "q.size", "type": "question", "key": "size", "prompt": "Which size?"}
ASKS_SIZE = [
    {"do": "add_node", "node": SIZE, "after": "q.cups"},
    {"do": "redirect", "from": "q.cups", "to": "t.done", "new_to": "q.size"},
    {"do": "connect", "from": "q.size", "to": "t.done"},
]
NEW_ORDER = {
    "name": "order",
    "turns": [
        {"user": "3 please", "understood": {"cups": 3}, "expect": {"node": "q.size"}},
        {"user": "large", "understood": {"size": "large"}, "expect": {"status": "ended", "reply": ["3 cups"]}},
    ],
}


def commands(*each: Any, **more: Any) -> dict[str, Any]:
    return {"commands": list(each), **more}


def described(folder: Path, *replies: dict[str, Any], request: str = "Ask for a size.") -> tuple[Proposal, list[Round]]:
    """The proposal for the cups when a model gives these replies, and its rounds."""
    (folder / "tests").mkdir(parents=True, exist_ok=True)
    (folder / "flow.yaml").write_text(CUPS, "utf-8")
    (folder / "tests" / "order.conversation.yaml").write_text(ORDER, "utf-8")
    return proposed(subject_of(str(folder), CUPS), request, *replies)


def proposed(subject: Any, request: str, *replies: dict[str, Any]) -> tuple[Proposal, list[Round]]:
    rules = [{"call": {"FlowChange": each}, **({"times": 1} if each is not replies[-1] else {})} for each in replies]
    model = ScriptedModel.from_rules(rules, "model")
    rounds: list[Round] = []
    made = asyncio.run(propose(subject, request, model, on_round=rounds.append))
    return made, rounds


@pytest.mark.slow
def test_a_conversation_that_the_change_breaks_goes_back_and_is_rewritten_with_a_caution(tmp_path: Path) -> None:
    made, rounds = described(tmp_path, commands(*ASKS_SIZE), commands(conversations=[NEW_ORDER], summary="Asks."))
    assert [each.to_json()["failed"] for each in rounds] == [1, 0]
    assert (made.status, made.summary, made.rounds) == ("proposed", "Asks.", 2)
    assert list(made.files) == ["tests/order.conversation.yaml"]
    assert made.cautions == (
        "The conversation tests/order.conversation.yaml does not expect any more: after “3”: node t.done.",
    )
    assert "  # how many\n" in made.text
    assert (tmp_path / "flow.yaml").read_text("utf-8") == CUPS


def test_errors_of_the_compiler_and_refused_commands_go_back(tmp_path: Path) -> None:
    wrong = {"do": "set_guard", "from": "q.cups", "to": "t.done", "guard": "answers.cusp >"}
    made, rounds = described(
        tmp_path,
        commands(wrong, {"do": "remove_node", "id": "q.gone"}),
        commands(
            {**wrong, "guard": "answers.cups > 0"}, {"do": "connect", "from": "q.cups", "to": "t.done", "guard": "else"}
        ),
        commands(),
        request="Check it.",
    )
    assert [(each.errors, len(each.refused)) for each in rounds] == [(1, 1), (0, 0), (0, 0)][: len(rounds)]
    assert made.status == "proposed"


@pytest.mark.slow
def test_after_three_rounds_the_best_state_is_told_as_what_it_is(tmp_path: Path) -> None:
    wrong = {"do": "set_guard", "from": "q.cups", "to": "t.done", "guard": "answers.gone == 1"}
    made, rounds = described(tmp_path, commands(wrong), commands(), commands())
    assert (made.status, len(rounds)) == ("invalid", 3)
    made, _ = described(tmp_path, commands(*ASKS_SIZE), commands(), commands())
    assert made.status == "unproven"
    assert [each.file for each in made.outcomes if not each.passed] == ["tests/order.conversation.yaml"]


@pytest.mark.slow
def test_a_conversation_that_failed_before_does_not_count(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "old.conversation.yaml").write_text(ORDER.replace("3 cups", "4 cups"), "utf-8")
    made, _ = described(tmp_path, commands(*ASKS_SIZE, conversations=[NEW_ORDER]))
    assert made.status == "proposed"


def test_a_message_that_is_understood_in_two_ways_is_refused(tmp_path: Path) -> None:
    turns = [{"user": "3", "understood": {key: "3"}} for key in ("cups", "size")]
    _, rounds = described(tmp_path, commands(conversations=[{"name": "twice", "turns": turns}]), commands())
    assert "'3' stands twice in the conversation and is understood in two ways" in rounds[0].refused[0]


def test_prompt_files_of_a_folder_without_python_are_known(tmp_path: Path) -> None:
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "judge.j2").write_text("Judge it.", "utf-8")
    (tmp_path / "flow.yaml").write_text(CUPS, "utf-8")
    assert subject_of(str(tmp_path), CUPS).allowed.prompts == ["judge"]


def test_the_model_may_ask_or_say_that_it_cannot(tmp_path: Path) -> None:
    asked, _ = described(tmp_path, {"question": "Which size?"})
    cannot, _ = described(tmp_path, {"cannot": "There is no action that sends e-mails."})
    assert (asked.status, asked.question, asked.text) == ("question", "Which size?", CUPS)
    assert (cannot.status, cannot.cannot) == ("cannot", "There is no action that sends e-mails.")


@pytest.mark.parametrize(
    ("later", "status"),
    [
        ({"cannot": "There is no such answer."}, "cannot"),
        ({"question": "Which answer?", "cannot": "It is unclear."}, "question"),
    ],
)
def test_a_model_that_gives_up_in_a_later_round_is_not_asked_again(
    tmp_path: Path, later: dict[str, Any], status: str
) -> None:
    wrong = {"do": "set_guard", "from": "q.cups", "to": "t.done", "guard": "answers.gone == 1"}
    made, rounds = described(tmp_path, commands(wrong, demands=["a size"]), later, commands(wrong))
    assert (made.status, made.rounds, len(rounds)) == (status, 2, 1)
    assert (made.text, made.demands, made.question) == (CUPS, ("a size",), later.get("question", ""))
    assert made.cannot == later["cannot"]


def test_what_cannot_be_done_in_a_later_round_is_told_with_what_can(tmp_path: Path) -> None:
    title = {"do": "set_document", "set": {"title": "Cups"}}
    unknown = {"do": "remove_node", "id": "q.gone"}
    (tmp_path / "flow.yaml").write_text(CUPS, "utf-8")
    replies = (commands(title, unknown), {"cannot": "No q.gone."}, commands(title))
    made, rounds = proposed(subject_of(str(tmp_path), CUPS), "Name it.", *replies)
    assert (made.status, made.cannot, len(rounds)) == ("unproven", "No q.gone.", 1)
    assert "title: Cups" in made.text


def test_a_conversation_with_an_unknown_answer_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    turns = [{"user": "3 of them", "understood": {"number": 3}}]
    made, rounds = described(tmp_path, commands(conversations=[{"name": "more", "turns": turns}]), commands())
    assert rounds[0].refused == ("conversation more: The flow asks for no answer `number`. There are: cups.",)
    assert (made.files, rounds[0].outcomes) == ({}, ())


async def test_the_time_limit_ends_the_work_and_says_where_it_was() -> None:
    model = ScriptedModel.from_rules([{"call": {"FlowChange": commands()}, "delay": 5}], "model")
    steps: list[str] = []
    async with new_subject("flow.new") as subject:
        with pytest.raises(GraphwrightError, match=r"after 0\.05 s, .* Round 1 of 3: asking the model\.") as raised:
            await propose(subject, "Ask.", model, on_progress=lambda each: steps.append(str(each)), seconds=0.05)
    assert (raised.value.code, steps) == ("time_limit", ["Round 1 of 3: asking the model"])


def action(**fields: Any) -> dict[str, Any]:
    return {"do": "add_node", "node": {"id": "a.x", "type": "action", **fields}}


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (action(run="os.system"), "runs `os.system`, which is not declared"),
        (action(run="record"), "needs its parameters"),
        (
            action(run="http_request", **{"with": {"url": "https://evil.example/x"}}),
            "host `evil.example` are not allowed",
        ),
        (action(run="http_request", **{"with": {"url": "https://ok.example@evil.example/"}}), "are not allowed"),
        (action(run="http_request", **{"with": {"url": "http://[::1/"}}), "are not allowed"),
        (
            action(run="call_tool", **{"with": {"server": "gone", "tool": "x"}}),
            "server `gone` is not in the configuration",
        ),
        (action(run="call_tool", **{"with": {"server": "desk", "tool": "drop"}}), "offers only open"),
        ({"do": "update_node", "id": "t.done", "set": {"say": "x" * 20_001}}, "20,001 characters"),
        ({"do": "update_node", "id": "t.done", "set": {"say": "The key is sk-abcdefgh12345678"}}, "a secret"),
        ({"do": "update_node", "id": "t.done", "set": {"ui": {"password": "hunter2hunter2"}}}, "a secret"),
    ],
)
def test_hostile_commands_are_refused_with_a_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: dict[str, Any], reason: str
) -> None:
    config = '[http."ok.example"]\n[mcp.desk]\ncommand = "desk"\ntools = ["open"]\n'
    (tmp_path / "graphwright.toml").write_text(config, "utf-8")
    monkeypatch.setenv("GRAPHWRIGHT_CONFIG", str(tmp_path / "graphwright.toml"))
    (tmp_path / "flow.yaml").write_text(CUPS, "utf-8")
    made, rounds = proposed(subject_of(str(tmp_path), CUPS), "Do it.", commands(command), commands())
    assert reason in rounds[0].refused[0]
    assert made.text == CUPS


def test_more_than_the_allowed_commands_are_left_out(tmp_path: Path) -> None:
    many = [{"do": "set_document", "set": {"title": str(number)}} for number in range(301)]
    (tmp_path / "flow.yaml").write_text(CUPS, "utf-8")
    _, rounds = proposed(subject_of(str(tmp_path), CUPS), "Name it.", commands(*many), commands())
    assert rounds[0].refused == ("Only the first 300 commands of a reply are carried out.",)


@pytest.mark.parametrize(
    ("text", "request_text", "code"),
    [
        (CUPS, "  ", "no_request"),
        (CUPS, "x" * 20_001, "no_request"),
        (CUPS, "Use the key sk-abcdefgh12345678.", "secret_in_request"),
        ("nodes: [", "x", "not_readable"),
        ("- a\n", "x", "not_readable"),
        ("extends: [base.yaml]\n", "x", "is_layer"),
        (CUPS + "#" * 200_000, "x", "flow_too_large"),
    ],
)
def test_invalid_documents_are_not_sent_to_a_model(tmp_path: Path, text: str, request_text: str, code: str) -> None:
    (tmp_path / "flow.yaml").write_text(CUPS, "utf-8")
    with pytest.raises(UsageError) as raised:
        proposed(subject_of(str(tmp_path), text), request_text)
    assert raised.value.code == code


def test_the_example_in_the_prompt_is_right(tmp_path: Path) -> None:
    names = ("findings", "actions", "validators", "prompts", "hosts", "conversations")
    empty: dict[str, Any] = {name: [] for name in names}
    messages = PromptLibrary().render("author", {**empty, "document": "", "new_id": "x", "servers": {}, "request": "x"})
    before, reply = messages[1][1].split('"""')[1].lstrip(), json.loads(messages[2][1])
    (tmp_path / "flow.yaml").write_text(before, "utf-8")
    made, rounds = proposed(subject_of(str(tmp_path), before), "As in the example.", reply)
    assert (made.status, len(rounds), made.refused, len(made.outcomes)) == ("proposed", 1, (), 2)


@pytest.mark.slow
async def test_a_new_flow_gets_its_id_and_finds_answers_in_scopes_by_their_last_names() -> None:
    reply = commands(
        {"do": "set_subgraph", "name": "size", "set": {}},
        {"do": "add_node", "graph": "size", "node": SIZE},
        {"do": "connect", "from": "q.size", "to": "__exit__"},
        {"do": "add_node", "node": {"id": "s.cup", "type": "subgraph", "ref": "size", "as": "cup"}},
        {"do": "add_node", "node": {"id": "t.done", "type": "terminal", "say": "{{ answers.cup.size }}"}},
        {"do": "connect", "from": "s.cup", "to": "t.done"},
        conversations=[
            {
                "name": "one",
                "turns": [{"user": "a large one", "understood": {"size": "large"}, "expect": {"reply": ["large"]}}],
            }
        ],
    )
    model = ScriptedModel.from_rules([{"call": {"FlowChange": reply}}], "model")
    async with new_subject("flow.new") as subject:
        made = await propose(subject, "Ask for a size.", model)
    assert (made.status, made.text.splitlines()[1]) == ("proposed", "id: flow.new")
    assert "cup.size" in made.files["tests/one.conversation.yaml"]
