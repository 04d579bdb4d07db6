"""What actions and models give is kept as plain JSON: the trace and the state always say the same."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from runtime_support import agent, of_type, open_session, trace

from graphwright.runtime.validation import plain_json

FLOW = """
state:
  a: {type: [array, object, string, number, "null"]}
  b: {type: integer, default: 0}
nodes:
  - {id: one, type: action, run: one}
  - {id: two, type: action, run: two}
  - {id: done, type: terminal, say: Done.}
edges:
  - {from: one, to: two}
  - {from: two, to: done}
"""
NODES = """
import enum

class Colour(str, enum.Enum):
    RED = "red"

KEPT = []
VALUE = None

@action(writes=["a"])
def one(state, ctx):
    KEPT.clear()
    return {"a": VALUE if VALUE is not None else KEPT}

@action(writes=["b"])
def two(state, ctx):
    KEPT.append(1)
    return {"b": len(KEPT)}
"""


async def kept(tmp_path: Path, value: str) -> tuple[Any, Any]:
    made = agent(tmp_path / "a", FLOW, NODES.replace("VALUE = None", f"VALUE = {value}"))
    async with open_session(made, tmp_path / "home") as session:
        turn = await session.send("go")
        failed = of_type(await trace(session), "action_failed")
        again = await session.send("and again")
        assert again.status in ("ended", "failed")
        return turn.values["a"], failed[0]["error"] if failed else ""


async def test_what_an_action_keeps_and_changes_afterwards_changes_nothing(tmp_path: Path) -> None:
    assert await kept(tmp_path, "None") == ([], "")


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ("{1: 'a', None: 'b'}", {"1": "a", "null": "b"}),
        ("Colour.RED", "red"),
        ("type('F', (float,), {})(2.5)", 2.5),
    ],
)
async def test_a_value_is_kept_as_json_has_it(tmp_path: Path, value: str, plain: Any) -> None:
    assert await kept(tmp_path, value) == (plain, "")


@pytest.mark.parametrize(
    "value",
    [
        "'half \\ud83d'",
        "{'\\ud83d': 1}",
        "__import__('json').loads('[' * 250 + ']' * 250)",
    ],
)
async def test_what_cannot_be_kept_is_refused_and_breaks_nothing(tmp_path: Path, value: str) -> None:
    a, why = await kept(tmp_path, value)
    assert a is None
    assert "not JSON" in why


def test_two_hundred_levels_are_kept() -> None:
    value: Any = 1
    for _ in range(200):
        value = [value]
    plain_json(value)
    with pytest.raises(ValueError, match="levels"):
        plain_json([value])


async def test_a_model_that_says_infinity_does_not_break_the_thread(tmp_path: Path) -> None:
    flow = """
    nodes:
      - {id: q, type: question, key: n, prompt: How many?, schema: {type: number}}
      - {id: done, type: terminal, say: Done.}
    edges:
      - {from: q, to: done}
    """
    made = agent(tmp_path / "a", flow)
    rules = [
        {"says": "many", "call": {"UpdateAnswers": {"answers": [{"key": "n", "value": math.inf, "quote": "many"}]}}},
        {"says": "3", "call": {"UpdateAnswers": {"answers": [{"key": "n", "value": 3, "quote": "3"}]}}},
    ]
    async with open_session(made, tmp_path / "home", *rules) as session:
        await session.start()
        await session.send("many")
        turn = await session.send("3")
        assert turn.values["answers"] == {"n": 3}
