"""What the tests of reading share: a flow to reply to, what a model proposes, and the turn that comes of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import graphwright
from graphwright.models.scripted import ScriptedModel

FLOW = """
version: v1
id: flow.reading
on_escalate: person
nodes:
  - id: q.kind
    type: question
    key: kind
    prompt: Which kind?
    schema: {enum: [LED, halogen], x-words: {LED: [LED, diode], halogen: [halogen]}}
  - id: q.place
    type: question
    key: place
    prompt: Which place?
    schema: {enum: [sports_court, office], x-words: {sports_court: [court, gym], office: [office]}}
  - {id: q.power, type: question, key: power, prompt: Watts?, schema: {type: integer, x-unit: W, maximum: 2000}}
  - {id: q.size, type: question, key: size, prompt: How large?, schema: {type: string, maxLength: 40}}
  - id: q.budget
    type: question
    key: budget
    required: false
    prompt: Which budget?
    schema: {type: number, x-unit: EUR}
  - {id: q.email, type: question, key: email, prompt: Your e-mail?, schema: {type: string, format: email}}
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: "Shall I, at {{ answers.power }} W?"}
  - {id: done, type: terminal, say: Done.}
  - {id: person, type: terminal, say: A person will call.}
edges:
  - {from: q.kind, to: q.place}
  - {from: q.place, to: q.power}
  - {from: q.power, to: q.size}
  - {from: q.size, to: q.budget}
  - {from: q.budget, to: q.email}
  - {from: q.email, to: q.sure}
  - {from: q.sure, to: done, guard: "answers.sure == true"}
  - {from: q.sure, to: q.kind, guard: else}
"""

READY: dict[str, Any] = {"kind": "LED", "place": "office", "power": 90, "size": "5 x 5 m", "budget": 100.0}


def update(*items: tuple[str, Any, str]) -> dict[str, Any]:
    answers = [{"key": key, "quote": quote, "value": value} for key, value, quote in items]
    return {"offers": "UpdateAnswers", "call": {"UpdateAnswers": {"answers": answers}}}


def unknown(key: str) -> dict[str, Any]:
    return {"offers": "UpdateAnswers", "call": {"UnknownAnswer": {"key": key, "reason": "does not know"}}}


ESCALATE = {"offers": "UpdateAnswers", "call": {"EscalateToHuman": {"reason": "wants a person"}}}


async def reply_to(
    tmp_path: Path,
    waiting: str,
    text: str,
    rule: dict[str, Any],
    given: dict[str, Any] | None = None,
    flow: str = FLOW,
) -> graphwright.Turn:
    """The turn in which `text` answers question `waiting`, all questions before it being answered already."""
    tmp_path.mkdir(exist_ok=True)
    file = tmp_path / "flow.yaml"
    file.write_text(flow, "utf-8")
    agent = graphwright.load(file)
    model = ScriptedModel.from_rules([rule])
    async with agent.session("t", model=model, home=tmp_path / "home") as session:
        turn = await session.start()
        values = {**READY, "email": "a@b.example", **(given or {})}
        while turn.waiting_for is not None and turn.waiting_for.node != waiting:
            turn = await session.resume(values[turn.waiting_for.key])
            assert turn.error is None, turn.error
        return await session.send(text)


async def assert_not_committed(tmp_path: Path, waiting: str, text: str, proposed: tuple[str, Any, str]) -> None:
    """What a model makes of the reply to a question must become no answer, and the question must be asked again."""
    turn = await reply_to(tmp_path, waiting, text, update(proposed))
    assert proposed[0] not in turn.values["answers"]
    assert turn.waiting_for is not None
    assert turn.waiting_for.node == waiting
