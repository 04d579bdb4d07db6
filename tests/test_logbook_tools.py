"""The logbook over MCP: the two tools in this process and as a program, their schemas, and how they refuse."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from cli_support import Runner, environment, program
from fake_elogd import FakeElogd
from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from logbook_support import clock, elog, entry, own

from graphwright.errors import GraphwrightError
from graphwright.logbook import make_server
from graphwright.logbook.builtin import BuiltinLogbook
from graphwright.tools.mcp import McpServer, McpServers
from graphwright.tools.sources import Findings


async def test_the_two_tools_and_their_schemas(tmp_path: Path) -> None:
    async with Client(make_server(BuiltinLogbook(tmp_path, clock), clock)) as client:
        tools = {tool.name: tool for tool in await client.list_tools()}
    assert set(tools) == {"search_elog", "get_elog_thread"}
    arguments = tools["search_elog"].input_schema["properties"]
    assert list(arguments) == ["query", "since", "until", "category", "system", "author", "max_results"]
    assert "required" not in tools["search_elog"].input_schema
    assert "Problem" in arguments["category"]["enum"][:5]
    # Who writes out the default must not be refused for it.
    assert "" in arguments["category"]["enum"]
    assert "RF" in arguments["system"]["enum"]
    assert tools["get_elog_thread"].input_schema["required"] == ["id"]
    for tool in tools.values():
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint


async def test_the_values_are_those_of_the_moment(tmp_path: Path) -> None:
    logbook = BuiltinLogbook(tmp_path, clock)
    async with Client(make_server(logbook, clock)) as client:
        own(tmp_path, [entry(1, "2026-03-01T10:00", "x", category="Brand new", system="Cryo")]).close()
        tools = {tool.name: tool for tool in await client.list_tools()}
    assert tools["search_elog"].input_schema["properties"]["category"]["enum"] == ["Brand new", ""]


async def test_authors_are_suggested_the_most_frequent_first_and_not_without_end(tmp_path: Path) -> None:
    entries = [entry(n, "2026-03-01T10:00", "x", author=f"Author {n % 150:03}") for n in range(1, 291)]
    entries += [entry(300, "2026-03-01T10:00", "x", author="Somebody " * 10)]
    logbook = own(tmp_path, [*entries, entry(301, "2026-03-01T10:00", "Klystron arc", author="Jana Weber")])
    async with McpServers([McpServer("elog", here=make_server(logbook, clock))]) as servers:
        (search,) = (each for each in servers.registry().declarations() if each["name"] == "search_elog")
        found = await servers.registry().call("search_elog", {"author": "Weber"})
    author = search["parameters"]["properties"]["author"]
    names = author["anyOf"][0]["enum"]
    assert (len(names), names[0]) == (120, "Author 001")
    # They restrict nothing: one that is not among them, or a part of a name, is taken as well.
    assert "Jana Weber" not in names
    assert found.ok
    assert [source.metadata["id"] for source in found.value.sources] == ["301"]


async def test_a_server_that_is_away_takes_no_tool_away() -> None:
    logbook = elog(FakeElogd(address="http://127.0.0.1:9/Operation"))
    async with Client(make_server(logbook, clock)) as client:
        tools = {tool.name: tool for tool in await client.list_tools()}
        assert "enum" not in tools["search_elog"].input_schema["properties"]["category"]
        failed = await client.call_tool("search_elog", {}, raise_on_error=False)
    assert failed.is_error
    assert "cannot be reached" in failed.content[0].text


async def test_results_are_findings(tmp_path: Path) -> None:
    logbook = own(tmp_path, [entry(1, "2026-03-01T10:00", "Klystron arc", author="Jana Weber")])
    async with Client(make_server(logbook, clock)) as client:
        result = await client.call_tool(
            "search_elog", {"query": "klystron", "since": "2026-03-31", "until": None}, raise_on_error=False
        )
        assert result.is_error
        result = await client.call_tool("search_elog", {"query": "klystron", "until": "2026-03-31"})
        thread = await client.call_tool("get_elog_thread", {"id": 1})
    found = Findings.from_json(result.structured_content)
    assert (found.total, found.sources[0].id, found.sources[0].kind) == (1, "elog-1", "elog")
    assert "future" in found.note
    assert Findings.from_json(thread.structured_content).sources[0] == found.sources[0]


@pytest.mark.parametrize(
    ("tool", "arguments", "reason"),
    [
        ("search_elog", {"since": "2026-13-01"}, "no month has the number 13"),
        ("search_elog", {"category": "weather"}, "There are: Shift handover"),
        ("search_elog", {"limit": 5}, "no argument 'limit'"),
        ("search_elog", {"query": ["a"]}, "query is no text"),
        ("search_elog", {"max_results": "many"}, "no whole number"),
        ("get_elog_thread", {}, "id is missing"),
        ("get_elog_thread", {"id": 0}, "no entry 0"),
        ("get_elog_thread", {"id": 999_999}, "no entry 999999"),
        ("get_elog_thread", {"id": 1.5}, "no whole number"),
        ("get_elog_thread", {"id": 10**30}, "no entry 1000"),
    ],
)
async def test_what_does_not_fit_is_told_to_people(
    tmp_path: Path, tool: str, arguments: dict[str, Any], reason: str
) -> None:
    async with Client(make_server(BuiltinLogbook(tmp_path, clock), clock)) as client:
        result = await client.call_tool(tool, arguments, raise_on_error=False)
    assert result.is_error
    text = result.content[0].text
    assert reason.lower() in text.lower()
    assert "Traceback" not in text
    assert "pydantic" not in text


@pytest.mark.parametrize("id", [7, "7", 7.0, "#7", "ELOG-7", "elog-7"])
async def test_an_id_as_models_write_it(tmp_path: Path, id: Any) -> None:
    async with Client(make_server(own(tmp_path, [entry(7, "2026-03-01T10:00", "x")]), clock)) as client:
        result = await client.call_tool("get_elog_thread", {"id": id})
    assert result.structured_content is not None
    assert result.structured_content["sources"][0]["metadata"]["id"] == "7"


async def test_as_tools_of_an_agent(tmp_path: Path) -> None:
    server = McpServer("elog", here=make_server(BuiltinLogbook(tmp_path, clock), clock))
    async with McpServers([server]) as servers:
        result = await servers.registry().call("search_elog", {"since": "2026-03-19", "until": "2026-03-19"})
    assert result.ok, result.error
    assert isinstance(result.value, Findings)
    assert {source.kind for source in result.value.sources} == {"elog"}
    assert {source.metadata["date"] for source in result.value.sources} == {"2026-03-19"}


async def test_served_as_a_program(tmp_path: Path) -> None:
    settings = environment(tmp_path, GRAPHWRIGHT_TODAY="2026-03-20")
    transport = StdioTransport(
        sys.executable, ["-m", "graphwright.cli", "elog", "serve"], env=settings, cwd=str(tmp_path)
    )
    async with Client(transport) as client:
        result = await client.call_tool("search_elog", {"since": "yesterday", "until": "yesterday", "max_results": 3})
    assert result.structured_content is not None
    assert {each["metadata"]["date"] for each in result.structured_content["sources"]} == {"2026-03-19"}


def test_the_command_line(run: Runner, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GRAPHWRIGHT_TODAY", "2026-03-20")
    found = run(
        "elog", "search", "interlock", "--since", "2026-01-01", "--category", "Störung", "--limit", "2", "--json"
    )
    assert found.code == 0
    findings = Findings.from_json(found.json)
    assert 1 <= len(findings.sources) <= 2
    assert "'Störung' was taken for 'Problem'" in findings.note
    shown = run("elog", "show", findings.sources[0].metadata["id"])
    assert findings.sources[0].title in shown.out
    assert "sample logbook" in shown.err
    wrong = run("elog", "search", "--since", "2026-13-01", "--json")
    assert wrong.code == 2
    assert wrong.json["error"]["code"] == "bad_date"
    assert run("elog", "show", "5").code == 2
    nothing = run("elog", "search", "unicorn")
    assert (nothing.code, nothing.out) == (0, "")
    assert "No entry has any of the words" in nothing.err


def test_the_server_of_the_configuration_is_asked(run: Runner, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "graphwright.toml").write_text('[agents.assistant]\nelog = "http://127.0.0.1:9/Operation"\n', "utf-8")
    failed = run("elog", "search", "--json")
    assert failed.code == 1
    assert failed.json["error"]["code"] == "no_answer"
    (tmp_path / "graphwright.toml").write_text("[agents.assistant]\nelog = 5\n", "utf-8")
    assert "[bad_address]" in run("elog", "search").err


def test_a_terminal_is_not_driven_by_entries(tmp_path: Path) -> None:
    line = json.dumps({"id": 1, "date": "2026-03-01", "subject": "a\x1b[2Jb", "text": "c\x07d"})
    (tmp_path / "entries.jsonl").write_text(line, "utf-8")
    assert program("elog", "import", tmp_path / "entries.jsonl", home=tmp_path).code == 0
    out = program("elog", "search", home=tmp_path).out
    assert "\x1b" not in out
    assert "\x07" not in out
    assert "ab" in out


def test_what_is_missing_for_mcp_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logbook = BuiltinLogbook(tmp_path, clock)
    monkeypatch.setitem(sys.modules, "fastmcp", None)
    with pytest.raises(GraphwrightError) as refused:
        make_server(logbook, clock)
    assert (refused.value.code, refused.value.hint) == ("mcp_missing", "pip install 'graphwright[assistant]'")
