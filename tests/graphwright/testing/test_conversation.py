"""Conversation files: expectations compared with results, and errors of a file with their positions."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphwright.testing._conversation import MAX_PROBLEMS, ConversationError, read_conversation
from testing_support import ROME, Folder


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def test_expected_turns_have_no_differences(folder: Folder) -> None:
    assert not folder.wrong(f"""\
        model:
          - {{says: Rome, times: 1, {ROME}}}
        turns:
          - {{start: true, expect: {{status: waiting, node: q.name, reply: your NAME, model_calls: 0}}}}
          - {{resume: Ann, expect: {{node: q.city, answers: {{name: Ann, city: null}}, path: [q.city]}}}}
          - user: Rome
            expect: {{status: ended, node: done, values: {{mood: fine}}, passes: [done], not_reply: city}}
        end: ended
        """)


MISMATCHES = [
    ("status: ended", "status: expected 'ended', got 'waiting'"),
    ("node: done", "node: expected 'done', got 'q.city'"),
    ("answers: {name: Ben}", "answer name: expected 'Ben', got 'Ann'"),
    ("answers: {name: null}", "answer name: expected None, got 'Ann'"),
    ("values: {mood: bad}", "channel mood: expected 'bad', got 'fine'"),
    ("reply: Paris", "reply: expected 'Paris' in it, got 'Which city, Ann?'"),
    ("not_reply: [x, ann]", "reply: expected no 'ann' in it, got 'Which city, Ann?'"),
    ("path: [q.name]", "path: expected ['q.name'], got ['q.name', 'q.city']"),
    ("passes: [q.city, q.name]", "path: expected ['q.city', 'q.name'] in this order, got ['q.name', 'q.city']"),
    ("error: x", "error: expected 'x', got None"),
    ("model_calls: 2", "model_calls: expected 2, got 0"),
]


@pytest.mark.parametrize(("expect", "line"), MISMATCHES)
def test_a_mismatch_names_the_turn_what_was_expected_and_what_came(folder: Folder, expect: str, line: str) -> None:
    result = folder.run(folder.conversation(f"turns:\n\n  - {{user: Ann, expect: {{{expect}}}}}\n"))
    assert [(str(wrong), wrong.code, wrong.line) for wrong in result.mismatches] == [
        (f"turn 1 ('Ann'): {line}", "expectation", 4)
    ]


def test_an_expected_true_differs_from_one(folder: Folder) -> None:
    folder.flow("""\
        version: v1
        id: flow.small
        nodes:
          - {id: q.n, type: question, key: n, prompt: How many?, schema: {type: integer}}
          - {id: done, type: terminal}
        edges: [{from: q.n, to: done}]
        """)
    turns = "turns: [{start: true}, {resume: 1, expect: {answers: {n: %s}}}]\n"
    assert folder.wrong(turns % "true") == ["turn 2 (1): answer n: expected True, got 1"]
    assert not folder.wrong(turns % "1.0")


ERRORS = [
    ("turn: []\n", "2:1: turn: There is no such field. Did you mean `turns`?"),
    ("turns: []\n", "2:8: turns: List should have at least 1 item"),
    ("model: []\n", "1:1: turns: Field required."),
    ("turns:\n  - {user: a, says: b}\n", "3:15: turn 1: says: There is no such field. Fields there: user,"),
    ("turns:\n  - {user: a, start: true}\n", "3:5: turn 1: A turn has exactly one of user, resume and start."),
    ("turns: [{after: 1h}]\n", "2:9: turn 1: A turn has exactly one of"),
    ("turns:\n  - {user: a, expect: {nodes: x}}\n", "3:24: turn 1: expect.nodes: There is no such field. Did you"),
    ("turns:\n  - {user: ''}\n", "3:12: turn 1: user: String should have at least 1 character."),
    ("turns:\n  - {user: a, expect: {status: done}}\n", "3:32: turn 1: expect.status: Input should be 'waiting',"),
    ("limit: 0\nturns: [{user: a}]\n", "2:8: limit: Input should be greater than 0."),
    ("limit: .inf\nturns: [{user: a}]\n", "2:8: `.inf` is a number that JSON cannot hold."),
    ("settings: [1]\nturns: [{user: a}]\n", "2:11: settings: Input should be a valid dictionary."),
    ("turns: [{user: a, after: soon}]\n", "2:26: turn 1: after: 'soon' is not a duration: write 90s, 15m, 25h or"),
    ("turns: [{user: a, after: -5m}]\n", "2:26: turn 1: after: '-5m' is not a duration"),
    ("turns: [{user: a, after: true}]\n", "2:26: turn 1: after: True is not a duration"),
    ("turns: [{user: a, after: [1h]}]\n", "2:26: turn 1: after: ['1h'] is not a duration"),
    ("turns: [{user: a, after: 36525d}, {user: b, after: 1s}]\n", "1:1: turns: More than a century passes."),
    ("varies: ['(']\nturns: [{user: a}]\n", "2:10: varies.0: Input should be a valid regular expression."),
    ("turns: [\n", "3:1: Not valid YAML:"),
    ("turns: [{user: a}]\nturns: [{user: b}]\n", "3:1:"),
    ("turns:\n\t- user: a\n", "3:1: Not valid YAML:"),
    ("turns: [{user: a}]\n---\nturns: [{user: b}]\n", "3:1: A second document begins here"),
    ("turns: [{user: a}]\nmodel: [{say: x}]\n", "3:9: Rule 1: The field 'say' is unknown; did you mean 'says'?"),
    ("turns: [{user: a, model: [{text: a}, {text: 1}]}]\n", "2:38: Reply 2: `text`: Input should be a valid string"),
    ("turns: [{user: a, expect: {node: q.nam}}]\n", "2:34: The flow has no node 'q.nam'. Did you mean `q.name`?"),
    ("turns: [{user: a, expect: {path: [q.name, dne]}}]\n", "2:43: The flow has no node 'dne'. Did you mean `done`?"),
    ("turns: [{user: a, expect: {passes: [xyz]}}]\n", "2:37: The flow has no node 'xyz'."),
    (
        "turns: [{user: a, expect: {answers: {nme: x}}}]\n",
        "2:38: The flow asks for no answer 'nme'. Did you mean `name`?",
    ),
    ("turns: [{user: a, expect: {values: {mod: x}}}]\n", "2:37: The flow has no channel 'mod'. Did you mean `mood`?"),
    ("turns: [{user: a, expect: {values: {diary: x}}}]\n", "2:37: Channel 'diary' is private"),
    ("agent: intak\nturns: [{user: a}]\n", "1:8: There is no agent 'intak'. Did you mean 'intake'?"),
    ("agent: ../nowhere.yaml\nturns: [{user: a}]\n", "1:8: There is no flow file"),
    ("agent: ''\nturns: [{user: a}]\n", "1:8: agent: String should have at least 1 character."),
]


@pytest.mark.parametrize(("text", "told"), ERRORS)
def test_errors_of_a_file_have_a_place(folder: Folder, text: str, told: str) -> None:
    assert f"one.conversation.yaml:{told}" in folder.refused(text).message


def test_all_errors_of_a_file_are_reported_in_order(folder: Folder) -> None:
    turns = "".join("  - {user: a, expect: {node: x, answers: {y: 1}}}\n" for _ in range(50))
    error = folder.refused(f"turns:\n{turns}model: [{{}}]\n")
    assert [(p.code, p.line) for p in error.problems[:3]] == [
        ("unknown_node", 3),
        ("unknown_answer", 3),
        ("unknown_node", 4),
    ]
    assert (error.code, error.problems[-1].code) == ("unknown_node", "bad_model_script")
    assert f"and {101 - MAX_PROBLEMS} more problems." in error.message


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"# nothing\n", " It is not a mapping of fields. Begin with `agent: ...`"),
        (b"- a\n", " It is not a mapping"),
        (b"\xff\xfe\x00", "1:1: The text is not UTF-8: byte 0xff does not belong here. It looks like UTF-16"),
        (b"agent: a\x00b\n", "1:9: The control character U+0000 does not belong in a text."),
        (b"#" * (9 * 2**20), "1:1: The text has more than 8 MiB, which is the most that is read."),
    ],
)
def test_a_file_without_a_conversation_is_an_error(tmp_path: Path, content: bytes, told: str) -> None:
    file = tmp_path / "x.conversation.yaml"
    file.write_bytes(content)
    with pytest.raises(ConversationError) as error:
        read_conversation(file)
    assert error.value.message.startswith(f"{file}:{told}")
