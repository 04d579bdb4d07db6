"""Golden traces: written, compared, different, of another version, empty, and without varying parts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from graphwright.testing._golden import MOST_LINES, Golden, difference
from testing_support import FLOW, ROME, Folder

TALK = f"""\
trace: true
model: [{{{ROME}}}]
turns:
  - user: Ann
  - {{user: Rome, expect: {{status: ended}}}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def golden(folder: Folder) -> Path:
    return folder.path / "one.trace.txt"


def written(folder: Folder, text: str = TALK) -> str:
    """Write the golden trace of a conversation."""
    assert folder.run(folder.conversation(text), update=True).trace == "written"
    return golden(folder).read_text("utf-8")


def test_an_update_writes_the_trace_and_the_next_run_is_the_same(folder: Folder) -> None:
    head, _, body = written(folder).partition("\n\n")
    assert re.fullmatch(
        r"# The golden trace of one\.conversation\.yaml, written by: graphwright test --update\n"
        r"# flow flow\.small version [0-9a-f]{12}",
        head,
    )
    assert (
        body
        == """\
turn 1 begins afresh: "Ann"
    begins with mood = "fine"
    begins with diary = "<private>"
  q.name (question)
    answer name = "Ann"
    q.name -> q.city
  q.city (question)
    waits at q.city: "Which city, Ann?"

turn 2 begins: "Rome"
    model at q.city for UpdateAnswers, UnknownAnswer, EscalateToHuman: UpdateAnswers
    answer city = "Rome"
    q.city -> done
  done (terminal)
    says "Thanks."
"""
    )
    again = folder.run(folder.conversation(TALK))
    assert (again.passed, again.trace) == (True, "same")


def test_existing_traces_are_compared_and_new_ones_need_a_request(folder: Folder) -> None:
    plain = TALK.removeprefix("trace: true\n")
    assert folder.run(folder.conversation(plain), update=True).trace == "none"
    assert not golden(folder).exists()
    assert folder.wrong(TALK) == ["There is no golden trace one.trace.txt: write it with --update."]
    written(folder)
    assert folder.run(folder.conversation(plain)).trace == "same"


def test_a_difference_is_a_unified_diff_and_says_first_whether_the_flow_is_another_version(folder: Folder) -> None:
    written(folder)
    (wrong,) = folder.run(folder.conversation(TALK.replace("Ann", "Ben"))).mismatches
    assert (wrong.code, wrong.message) == ("trace_differs", "The run differs from one.trace.txt.")
    assert list(wrong.diff[:6]) == [
        "--- one.trace.txt",
        "+++ this run",
        "@@ -1,11 +1,11 @@",
        '-turn 1 begins afresh: "Ann"',
        '+turn 1 begins afresh: "Ben"',
        '     begins with mood = "fine"',
    ]
    folder.flow(FLOW.replace("Thanks.", "Many thanks."))
    (wrong,) = folder.run(folder.conversation(TALK)).mismatches
    assert str(wrong).startswith("one.trace.txt was written for another version of flow.small (")
    assert {'-    says "Thanks."', '+    says "Many thanks."'} <= {*wrong.diff}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n\n",
        b"# The golden trace of x\n# flow flow.small version 0123456789ab\n\n",
        b"turn 1: start\n",
        b"\xff\xfe",
    ],
)
def test_an_invalid_golden_trace_is_reported_and_replaced(folder: Folder, content: bytes) -> None:
    golden(folder).write_bytes(content)
    (wrong,) = folder.run(folder.conversation(TALK)).mismatches
    assert (wrong.code, "one.trace.txt is not a golden trace" in str(wrong)) == ("bad_trace", True)
    written(folder)


def test_a_conversation_that_fails_leaves_its_golden_trace_alone(folder: Folder) -> None:
    before = written(folder)
    result = folder.run(folder.conversation(TALK.replace("status: ended", "status: waiting")), update=True)
    assert (result.trace, len(result.mismatches)) == ("kept", 1)
    assert golden(folder).read_text("utf-8") == before
    broken = folder.run(folder.conversation(TALK.replace("Rome, expect: {", "Rome, model: [], expect: {")), update=True)
    assert not broken.passed
    assert golden(folder).read_text("utf-8") == before


def test_an_unwritable_trace_is_an_error(folder: Folder) -> None:
    golden(folder).mkdir()
    (wrong,) = folder.run(folder.conversation(TALK), update=True).mismatches
    assert wrong.code == "unwritable"


VARYING = """\
version: v1
id: flow.small
state: {number: {type: string, default: ""}, page: {type: string, default: "", large: true}}
nodes:
  - {id: q.name, type: question, key: name, prompt: What is your name?, read: verbatim}
  - {id: work, type: action, run: work, retry: {attempts: 2}}
  - {id: done, type: terminal, say: "Your number is {{ number }}."}
edges: [{from: q.name, to: work}, {from: work, to: done}]
"""
NODES = """\
import random
from graphwright import action
@action(writes=['number', 'page'])
def work(state, ctx):
    if ctx.attempt == 1:
        raise ValueError('not yet')
    ctx.say(f'It is {ctx.now.isoformat()}.')
    ctx.artifact(f'/tmp/{random.random()}/a.csv', kind='table')
    return {'number': f'N-{ctx.key}', 'page': f'{random.random()}'}
"""


def test_values_that_vary_between_runs_are_left_out(folder: Folder) -> None:
    folder.flow(VARYING)
    folder.flow(NODES, "nodes.py")
    text = "trace: true\nvaries: ['\\d{4}-\\d\\d-\\d\\dT[\\d:.]+\\+00:00']\nturns:\n  - user: Ann\n"
    body = written(folder, text).partition("work (action)")[2]
    assert (
        body
        == """
    work starts (attempt 1)
    work failed (attempt 1): ValueError: not yet
    work starts (attempt 2)
    work is done (attempt 2)
    says "It is *."
    made a.csv (table)
    writes number = "N-conversation:BORN:1"
    writes page = "<large>"
    work -> done
  done (terminal)
    says "Your number is N-conversation:BORN:1."
"""
    )
    for _ in range(2):
        assert folder.run(folder.conversation(text)).trace == "same"


def test_a_very_long_difference_is_cut() -> None:
    old = Golden("f", "0" * 12, tuple(f"line {i}" for i in range(10_000)))
    new = Golden("f", "0" * 12, (*old.lines[:5_000], "new", *(f"other {i}" for i in range(5_000))))
    lines = difference(old, new, Path("x.trace.txt"))
    assert lines[2].startswith("@@ -4998,")
    assert (len(lines), lines[-1].startswith("... and ")) == (MOST_LINES + 1, True)
