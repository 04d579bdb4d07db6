"""Coverage: the edges, guards and nodes that conversations reached, and the lines of the others in the flow."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphwright.testing._suite import Suite, find_conversations, run_suite
from testing_support import Folder

FLOW = """\
version: v1
id: flow.tea
nodes:
  - {id: q.drink, type: question, key: drink, prompt: Tea or coffee?, read: choice, schema: {enum: [tea, coffee]}}
  - id: q.milk
    type: question
    key: milk
    prompt: Milk?
    read: confirm
    when: answers.drink == 'coffee'
  - {id: sg.sugar, type: subgraph, ref: subgraph.sugar}
  - {id: done, type: terminal}
  - {id: never, type: terminal}
edges:
  - {from: q.drink, to: q.milk}
  - {from: q.milk, to: sg.sugar, guard: "answers.drink == 'tea' || answers.milk == true"}
  - from: q.milk
    to: done
    guard: else
  - {from: sg.sugar, to: done, guard: "answers.sugar == true"}
  - {from: sg.sugar, to: never, guard: else}
subgraphs:
  subgraph.sugar:
    nodes: [{id: q.sugar, type: question, key: sugar, prompt: Sugar?, read: confirm}]
    edges:
      - {from: q.sugar, to: __exit__}
"""
TEA = "turns:\n  - start: true\n  - user: tea\n  - {user: 'yes', expect: {status: ended}}\n"
COFFEE = "turns:\n  - start: true\n  - user: coffee\n  - {user: 'no', expect: {status: ended}}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    made = Folder(tmp_path)
    made.flow(FLOW)
    return made


def covered(folder: Folder) -> Suite:
    return run_suite(find_conversations([folder.path]))


def gaps(suite: Suite) -> dict[str, list[tuple[str, str, int]]]:
    (coverage,) = suite.coverage.values()
    found: dict[str, list[tuple[str, str, int]]] = {"edge": [], "guard": [], "node": []}
    for gap in coverage.gaps():
        found[gap.kind].append((gap.what, gap.never, gap.line))
    return found


def test_one_conversation_leaves_gaps_with_their_lines(folder: Folder) -> None:
    folder.conversation(TEA)
    suite = covered(folder)
    (coverage,) = suite.coverage.values()
    assert (str(coverage.edges), str(coverage.guards), str(coverage.nodes)) == ("4/6", "0/3", "5/6")
    assert gaps(suite) == {
        "edge": [("q.milk -> done", "taken", 17), ("sg.sugar -> never", "taken", 21)],
        "guard": [
            ("q.milk", "open", 10),
            ("q.milk -> sg.sugar", "closed", 16),
            ("sg.sugar -> done", "closed", 20),
        ],
        "node": [("never", "entered", 13)],
    }


def test_several_conversations_add_up(folder: Folder) -> None:
    folder.conversation(TEA, "tea")
    folder.conversation(COFFEE, "coffee")
    suite = covered(folder)
    (coverage,) = suite.coverage.values()
    assert (coverage.conversations, str(coverage.edges), str(coverage.guards)) == (2, "5/6", "2/3")
    folder.conversation(TEA.replace("'yes'", "'no'"), "bitter")
    (coverage,) = covered(folder).coverage.values()
    assert coverage.gaps() == []
    assert coverage.edges.percent == coverage.guards.percent == coverage.nodes.percent == 100.0


def test_a_flow_with_several_names_is_counted_once_with_failed_conversations(folder: Folder) -> None:
    folder.conversation(TEA.replace("ended", "waiting"), "tea")
    folder.conversation(TEA, "inner/tea", agent="../small.yaml")
    suite = covered(folder)
    assert [(each.conversations, str(each.edges)) for each in suite.coverage.values()] == [(2, "4/6")]
    assert (suite.passed, suite.failed) == (1, 1)
    assert suite.below(66.0) == []
    assert [each.agent.flow.id for each in suite.below(67.0)] == ["flow.tea"]
