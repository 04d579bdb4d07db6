"""Shared by the tests of the kernel: flows from a few lines of YAML, and walks over them."""

from typing import Any

from graphwright.engine._advance import Ask, Step, advance
from graphwright.engine._position import Position, entry, with_answer
from graphwright.flow import CompiledFlow, compile_text


def flow(body: str) -> CompiledFlow:
    """The compiled flow of a document that is given without its first two lines; it must not have errors."""
    compilation = compile_text(f"version: v1\nid: demo\n{body}")
    assert compilation.flow is not None, [f"{d.code} {d.pointer} {d.message}" for d in compilation.errors]
    return compilation.flow


def values(**given: Any) -> dict[str, Any]:
    """Values with these answers (`answers=`) and channels."""
    return {"answers": {}, **given}


def begin(compiled: CompiledFlow, **given: Any) -> Step:
    return advance(compiled, entry(compiled), values(**given))


def reply(compiled: CompiledFlow, step: Step, given: dict[str, Any], answer: Any) -> tuple[Step, dict[str, Any]]:
    """Answer the question at which a walk stopped; return the next step and the values it used."""
    outcome = step.outcome
    assert isinstance(outcome, Ask), outcome
    path = outcome.position.answer_path(outcome.node.key)
    given = {**given, "answers": with_answer(given["answers"], path, answer)}
    return advance(compiled, outcome.position.completed(), given), given


def visited(step: Step) -> list[str]:
    return [event.node for event in step.events if event.type == "node_entered"]


def stands(position: Position) -> list[tuple[str, str]]:
    """The (graph, node) pairs of a call stack."""
    return [(frame.graph, frame.node) for frame in position.frames]
