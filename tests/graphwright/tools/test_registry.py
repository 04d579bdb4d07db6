"""Tools: every request of a model and every behaviour of a tool leads to a result."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from graphwright import GraphwrightError
from graphwright.tools import Tool, ToolRegistry
from host_support import agent, of_type, open_session, trace

NUMBER = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": False}


def lone(function: Any = lambda **_: 1, parameters: Any = None) -> ToolRegistry:
    return ToolRegistry([Tool("t", "", {} if parameters is None else parameters, function)])


@pytest.mark.parametrize(
    ("name", "arguments", "kind"),
    [
        *((name, {"n": 1}, "unknown_tool") for name in ("duoble", "", None, 3, ["double"], {"a": 1})),
        *(("double", arguments, "bad_arguments") for arguments in (None, [], ["n"], "n", 3, {1: 2}, {None: 1})),
        *(("double", arguments, "bad_arguments") for arguments in ({}, {"n": "x"}, {"n": 1, "m": 2})),
    ],
)
async def test_check_and_call_refuse_the_same_arguments(name: Any, arguments: Any, kind: str) -> None:
    called: list[int] = []
    registry = ToolRegistry([Tool("double", "", NUMBER, lambda n: called.append(n))])
    result = await registry.call(name, arguments)
    assert (result, result.ok, result.kind) == (registry.check(name, arguments), False, kind)
    assert ("double" if kind == "unknown_tool" else "n") in result.error
    assert called == []
    assert (await registry.call("double", {"n": 4})).ok


@pytest.mark.parametrize(
    "parameters",
    [
        {"type": "objekt"},
        {"type": "object", "properties": {"n": {"type": "objekt"}}},
        {"properties": {"n": {"$ref": "#/$defs/none"}}},
        {"properties": {"n": {"pattern": "("}}},
        {"properties": {"n": {"default": {1, 2}}}},
        7,
    ],
)
async def test_invalid_schemas_of_parameters(parameters: Any) -> None:
    result = await lone(parameters=parameters).call("t", {"n": "x"})
    assert (result.ok, result.kind) == (False, "bad_parameters")
    assert "'t'" in result.error
    assert "parameters" in result.error


@pytest.mark.parametrize(
    ("error", "said", "code"),
    [
        (KeyError(), "KeyError", ""),
        (StopIteration(), "StopIteration", ""),
        (SystemExit("bye"), "SystemExit: bye", ""),
        (
            GraphwrightError("no_node", "No `b`, password=hunter2.", "Try `a`."),
            "No `b`, password=[hidden]. Try `a`.",
            "no_node",
        ),
    ],
)
async def test_a_tool_that_fails(error: BaseException, said: str, code: str) -> None:
    def fails(**_: Any) -> None:
        raise error

    async def fails_later(**_: Any) -> None:
        raise error

    for function in (fails, fails_later):
        result = await lone(function).call("t", {})
        assert (result.ok, result.kind, result.code) == (False, "failed", code)
        assert said in result.error


async def test_no_error_shows_a_secret() -> None:
    def fails(**_: Any) -> None:
        raise RuntimeError("no route to postgresql://bob:hunter2@host, password=hunter2")

    words = {"properties": {"password": {"maxLength": 3}}}
    for result in (
        await lone(fails).call("t", {}),
        await lone(parameters=words).call("t", {"password": "hunter2"}),
        await lone().call("password=hunter2", {}),
        await lone(parameters={"type": "password=hunter2"}).call("t", {}),
    ):
        assert not result.ok
        assert "hunter2" not in result.error


COLOURS = {
    "type": "object",
    "properties": {
        "colour": {"enum": ["red", "green", 3]},
        "where": {"type": "object"},
    },
    "patternProperties": {"^x-": {}},
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"colour": "rde"}, 'colour: "rde" is not one of "red", "green" or 3; did you mean \'red\'?'),
        ({"color": "red"}, "color: there is no such argument; did you mean 'colour'?"),
        ({"zzz": 1, "x-note": 2}, "zzz: there is no such argument; there are colour, where"),
    ],
)
def test_a_refusal_names_the_nearest_that_is_allowed(arguments: dict[str, Any], error: str) -> None:
    refused = lone(parameters=COLOURS).check("t", arguments)
    assert (refused.kind, refused.error) == ("bad_arguments", error)


# in a turn

SHELF = """
from graphwright import UsageError, tool

@tool(nodes=["act"], parameters={"type": "object", "properties": {"part": {"type": "string"}}})
def stock(part):
    if part == "bell":
        raise UsageError("not_kept", "Bells are not kept, password=hunter2.", "Ask for lights.")
    return 4

@tool(nodes=["act"], parameters={"type": "object"})
async def order():
    return (await HERE.tools.call("stock", {"part": "bell"})).code

@action()
async def act(state, ctx):
    global HERE
    HERE = ctx
    for part in ("lamp", "bell", 3):
        await ctx.tools.call("stock", {"part": part})
    ctx.say((await ctx.tools.call("order", {})).value)
    # In a thread of its own.
    await asyncio.to_thread(lambda: asyncio.run(ctx.tools.call("stock", {"part": "lamp"})))

"""
ACTS = """
nodes: [{id: act, type: action, run: act}, {id: t, type: terminal}]
edges: [{from: act, to: t}]
"""


async def test_the_trace_tells_each_call_and_the_code_of_its_failure(tmp_path: Path) -> None:
    async with open_session(agent(tmp_path / "a", ACTS, SHELF), tmp_path / "home") as session:
        turn = await session.send("go")
        called = of_type(await trace(session), "tool_called")
    assert (turn.status, turn.reply) == ("ended", "not_kept")
    assert [(e["node"], e["tool"], e["arguments"], e["ok"], e["kind"], e["code"]) for e in called] == [
        ("act", "stock", ["part"], True, "", ""),
        ("act", "stock", ["part"], False, "failed", "not_kept"),
        ("act", "stock", ["part"], False, "bad_arguments", ""),
        ("act", "stock", ["part"], False, "failed", "not_kept"),
        ("act", "order", [], True, "", ""),
        ("act", "stock", ["part"], True, "", ""),
    ]
    assert called[1]["error"] == "Bells are not kept, password=[hidden]. Ask for lights."


async def test_a_programming_error_is_logged_with_its_line(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    python = SHELF.replace("    return 4", "    return 4 / {'lamp': 0}[part]")
    async with open_session(agent(tmp_path / "a", ACTS, python), tmp_path / "home") as session:
        await session.send("go")
    line = (tmp_path / "a" / "nodes.py").read_text().splitlines().index("    return 4 / {'lamp': 0}[part]") + 1
    text = f"Tool 'stock' at 'act' failed: ZeroDivisionError: division by zero (nodes.py:{line})"
    # A GraphwrightError, such as that about bells, is not a programming error.
    assert caplog.messages == [text, text]
