"""Questions that lie before the position now, and that what comes reads: they are asked before it."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest

from host_support import agent, open_session

NOT_USED = "The flow was changed meanwhile, so your decision was not used."
DOGS = """
nodes:
  - {id: d.next, type: decision, pick: question}
  - {id: q.home, type: question, key: home, read: choice, schema: {enum: [house, flat]}, priority: 1, prompt: "Home?"}
  - {id: q.garden, type: question, key: garden, schema: {type: integer}, when: "WHEN", priority: 2, prompt: "Garden?"}
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: "Garden '{{ answers.garden }}'?"}
  - {id: done, type: terminal, say: Done.}
edges:
  - {from: d.next, to: q.home}
  - {from: d.next, to: q.garden}
  - {from: d.next, to: q.sure, guard: else}
  - {from: q.home, to: d.next}
  - {from: q.garden, to: d.next}
  - {from: q.sure, to: done}
"""


async def test_a_question_that_a_decision_picks_is_asked_once_an_edit_makes_it_applicable(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with open_session(agent(tmp_path / "a", DOGS.replace("WHEN", "answers.home == 'house'")), home) as session:
        for text in ("hi", "flat"):
            turn = await session.send(text)
        assert turn.reply == "Garden ''?"
    made = agent(tmp_path / "b", DOGS.replace("WHEN", "answers.home in ['house', 'flat']"))
    async with open_session(made, home) as session:
        assert (await session.send("yes")).reply == f"{NOT_USED}\n\nGarden?"
        assert (await session.send("30")).reply == "Garden '30'?"


HOLDS = """
ENTRY
nodes:
  - {id: q.card, type: question, key: card, schema: {type: integer}, prompt: "Card?"}
  - {id: q.title, type: question, key: title, read: verbatim, ask: always, prompt: "Which book?"}
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: "Hold SHOWN?"}
  - {id: done, type: terminal, say: Done.}
edges:
"""
AS_BEFORE = "  - {from: q.card, to: q.title}\n  - {from: q.title, to: q.sure}\n  - {from: q.sure, to: done}\n"
MOVED = "  - {from: q.title, to: q.card}\n  - {from: q.card, to: q.sure}\n  - {from: q.sure, to: done}\n"


@pytest.mark.parametrize(
    ("shown", "asked"), [("{{ answers.title }}", "Which book?"), ("{{ answers.card }}", "Hold 7?")]
)
async def test_a_question_of_each_entry_that_was_moved_forward_is_asked_if_its_answer_is_read(
    tmp_path: Path, shown: str, asked: str
) -> None:
    flow = HOLDS.replace("SHOWN", shown)
    before = agent(tmp_path / "a", flow.replace("ENTRY", "entry: q.card") + AS_BEFORE)
    async with open_session(before, tmp_path / "home") as session:
        assert (await session.send("hi")).reply == "Card?"
    made = agent(tmp_path / "b", flow.replace("ENTRY", "entry: q.title") + MOVED)
    async with open_session(made, tmp_path / "home") as session:
        assert (await session.send("7")).reply == asked


TRIP = """
nodes:
  - {id: q.days, type: question, key: days, read: choice, schema: {enum: [two, five]}, prompt: "Days?"}
  - {id: q.cover, type: question, key: cover, read: choice, schema: {enum: [none, full]}, prompt: "Cover?"}
  - {id: q.who, type: question, key: who, read: verbatim, prompt: "Who?", when: "answers.cover == 'full'"}
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always,
     prompt: "Book {{ answers.cover }} {{ answers.who }}?"}
  - {id: done, type: terminal, say: Done.}
edges:
  - {from: q.days, to: q.cover, guard: "WHERE"}
  - {from: q.days, to: q.sure, guard: else}
  - {from: q.cover, to: q.who}
  - {from: q.who, to: q.sure}
  - {from: q.sure, to: done}
"""
QUESTIONS = TRIP[TRIP.index("  - {id: q.cover") : TRIP.index("  - {id: q.sure")]
IN_A_CALL = (
    TRIP.replace("nodes:", "entry: q.days\nnodes:", 1)
    .replace(QUESTIONS, "  - {id: s.cover, type: subgraph, ref: cover}\n")
    .replace("to: q.cover, guard", "to: s.cover, guard")
    .replace("  - {from: q.cover, to: q.who}\n  - {from: q.who, to: q.sure}", "  - {from: s.cover, to: q.sure}")
    + "subgraphs:\n  cover:\n    edges: [{from: q.cover, to: q.who}, {from: q.who, to: __exit__}]\n    nodes:\n"
    + indent(QUESTIONS, "    ")
)


@pytest.mark.parametrize("flow", [TRIP, IN_A_CALL], ids=["edge", "call"])
@pytest.mark.parametrize(
    ("cover", "replies"), [("full", ["Who?", "Book full Ann?"]), ("none", ["Book none ?", "Done."])]
)
async def test_a_question_that_applies_after_another_one_before_the_position_is_asked_before_the_confirmation(
    tmp_path: Path, flow: str, cover: str, replies: list[str]
) -> None:
    home, never = tmp_path / "home", "size(answers.days) > 9"
    async with open_session(agent(tmp_path / "a", flow.replace("WHERE", never)), home) as session:
        await session.send("hi")
        assert (await session.send("five")).reply == "Book  ?"
    async with open_session(agent(tmp_path / "b", flow.replace("WHERE", "answers.days == 'five'")), home) as session:
        assert (await session.send("yes")).reply == f"{NOT_USED}\n\nCover?"
        assert [(await session.send(text)).reply for text in (cover, "Ann" if cover == "full" else "yes")] == replies
