"""Tools: whatever a model asks for and whatever a tool does, the call gives a result."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from graphwright.tools import Tool, ToolRegistry, tool

NUMBER = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": False}


@tool(nodes=["d"], parameters=NUMBER)
def double(n: int) -> int:
    """Twice a number."""
    return 2 * n


@tool(nodes=["d"], parameters=NUMBER, name="half")
async def halve(n: int) -> float:
    """Half of a number."""
    return n / 2


def lone(function: Any = lambda **_: 1, parameters: Any = None) -> ToolRegistry:
    return ToolRegistry([Tool("t", "", {} if parameters is None else parameters, function)])


async def test_a_call_gives_the_value() -> None:
    registry = ToolRegistry([double, halve])
    assert (await registry.call("double", {"n": 4})).value == 8
    result = await registry.call("half", {"n": 4})
    assert (result.ok, result.value, result.error, result.kind) == (True, 2, "", "")
    assert registry.declarations()[0] == {"name": "double", "description": "Twice a number.", "parameters": NUMBER}


@pytest.mark.parametrize("name", ["duoble", "", None, 3, ["double"], {"a": 1}])
async def test_a_tool_that_is_not_there(name: Any) -> None:
    result = await ToolRegistry([double]).call(name, {"n": 1})
    assert (result.ok, result.kind) == (False, "unknown_tool")
    assert "double" in result.error
    assert (await ToolRegistry().call(name, {})).kind == "unknown_tool"


@pytest.mark.parametrize(
    "arguments", [None, [], [1], ["n"], "n", 3, {1: 2}, {None: 1}, {}, {"n": "x"}, {"n": 1, "m": 2}]
)
async def test_arguments_that_do_not_fit(arguments: Any) -> None:
    for registry in (ToolRegistry([double]), ToolRegistry([Tool("double", "", NUMBER, halve.function)])):
        result = await registry.call("double", arguments)
        assert (result.ok, result.kind) == (False, "bad_arguments")
        assert "argument" in result.error or "n:" in result.error


@pytest.mark.parametrize(
    "parameters",
    [
        {"type": "objekt"},
        {"type": "object", "properties": {"n": {"type": "objekt"}}},
        {"type": "object", "properties": []},
        {"required": "n"},
        {"properties": {"n": {"$ref": "#/$defs/none"}}},
        {"properties": {"n": {"pattern": "("}}},
        {"$ref": "#"},
        7,
        "object",
        ["n"],
    ],
)
async def test_parameters_that_are_no_schema(parameters: Any) -> None:
    result = await lone(parameters=parameters).call("t", {"n": "x"})
    assert (result.ok, result.kind) == (False, "bad_parameters")
    assert "'t'" in result.error
    assert "parameters" in result.error


@pytest.mark.parametrize(
    "error", [ValueError("no"), KeyError(), StopIteration(), SystemExit(2), RecursionError("deep")]
)
async def test_a_tool_that_fails(error: BaseException) -> None:
    def fails(**_: Any) -> None:
        raise error

    async def fails_later(**_: Any) -> None:
        raise error

    for function in (fails, fails_later):
        result = await lone(function).call("t", {})
        assert (result.ok, result.kind) == (False, "failed")
        assert result.error


async def test_a_tool_that_leaves_the_program() -> None:
    result = await lone(lambda: sys.exit("bye")).call("t", {})
    assert (result.kind, result.error) == ("failed", "SystemExit: bye")


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
