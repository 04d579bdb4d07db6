"""The two MCP servers: their current tools and schemas, results and refusals, and a logbook that hangs."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client
from fastmcp.client.transports import StdioTransport

from cli_support import environment
from graphwright.errors import GraphwrightError
from graphwright.tools.mcp import McpServer, McpServers
from graphwright.tools.sources import Findings
from graphwright_assistant.retrieval import (
    BuiltinLogbook,
    KnowledgeIndex,
    knowledge_server,
    logbook_server,
)
from graphwright_assistant.retrieval import (
    _elog as elog,
)
from graphwright_assistant.retrieval import (
    _servers as servers,
)
from graphwright_assistant.retrieval._elog import ElogClient, ElogServer
from graphwright_assistant.retrieval._servers import LOG_IS_SAMPLE
from logbook_support import clock, entry, own
from retrieval_support import PUMP, PUMPE, folder_of

SEARCH = "search_accelerator_knowledge"


@pytest.fixture
def index(tmp_path: Path) -> KnowledgeIndex:
    index = KnowledgeIndex(tmp_path / "index.sqlite3")
    index.update(folder_of(tmp_path / "docs", {"pump.md": PUMP, "pumpe.md": PUMPE}))
    return index


async def schema_of(client: Client[Any], tool: str) -> dict[str, Any]:
    return next(each.input_schema for each in await client.list_tools() if each.name == tool)


async def described(client: Client[Any], tool: str) -> str:
    return next(each.description or "" for each in await client.list_tools() if each.name == tool)


async def call(server: Any, tool: str, **arguments: Any) -> Any:
    async with Client(server) as client:
        return await client.call_tool(tool, arguments, raise_on_error=False)


async def test_documents_are_searched_and_read_on(index: KnowledgeIndex, tmp_path: Path) -> None:
    async with Client(knowledge_server(index, ["linac"])) as client:
        tools = {tool.name: tool for tool in await client.list_tools()}
        assert set(tools) == {SEARCH, "read_page"}
        assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools.values())
        arguments = tools[SEARCH].input_schema
        assert list(arguments["properties"]) == ["query", "accelerator", "limit"]
        # Those that pages name, not those in the configuration.
        assert arguments["properties"]["accelerator"]["enum"] == ["aurora", "booster", "all"]
        assert arguments["required"] == ["query"]
        result = await client.call_tool(SEARCH, {"query": "unscrewed", "limit": 1, "accelerator": "aurora"})
        (source,) = Findings.from_json(result.structured_content).sources
        assert source == index.search("unscrewed", limit=1).sources[0]
        assert "Close the valve" in result.content[0].text
        assert "https://docs.example/vacuum" in result.content[0].text
        where = {"file": source.metadata["file"], "page": int(source.metadata["section"]) + 1}
        assert f"file: {where['file']}" in result.content[0].text
        for page in (where["page"], "spare", "gaskets room"):
            result = await client.call_tool("read_page", where | {"page": page})
            assert Findings.from_json(result.structured_content).sources[0].text == "Gaskets lie in room 12."
        assert "Such as: Vacuum pumps; Vakuumpumpen" in await described(client, SEARCH)
        # If pages name no accelerator, the parameter is missing.
        index.update(folder_of(tmp_path / "docs", {"pump.md": "# A\n\nThe pump.", "pumpe.md": "# B\n\nEine Pumpe."}))
        assert list((await schema_of(client, SEARCH))["properties"]) == ["query", "accelerator", "limit"]
    async with Client(knowledge_server(index)) as client:
        assert list((await schema_of(client, SEARCH))["properties"]) == ["query", "limit"]


async def test_the_logbook_and_the_values_of_the_moment(tmp_path: Path) -> None:
    logbook = BuiltinLogbook(tmp_path, clock)
    async with Client(logbook_server(logbook, clock)) as client:
        assert LOG_IS_SAMPLE in (await described(client, "search_elog"))
        properties = (await schema_of(client, "search_elog"))["properties"]
        assert [role for role in properties if "part of the name" in properties[role]["description"]] == ["author"]
        names = ["query", "since", "until", "category", "system", "author", "max_results"]
        assert list(properties) == names
        assert "Problem" in properties["category"]["enum"][:5]
        # The default may be given explicitly.
        assert "" in properties["category"]["enum"]
        result = await client.call_tool("search_elog", {"query": "dump", "category": "", "until": "2026-12-31"})
        assert "sample" not in Findings.from_json(result.structured_content).note
        own(tmp_path, [entry(1, "2026-03-01T10:00", "x", category="New", domain="Ring", author="Jana")]).close()
        properties = (await schema_of(client, "search_elog"))["properties"]
        assert properties["category"]["enum"] == ["New", ""]
        assert properties["domain"]["enum"] == ["Ring", ""]
        assert properties["author"]["anyOf"][0]["enum"] == ["Jana"]
        assert "system" not in properties
        assert LOG_IS_SAMPLE not in (await described(client, "search_elog"))
        many = [entry(n, "2026-03-01T10:00", "x", category=f"C{n}") for n in range(2, 130)]
        own(tmp_path, many).close()
        properties = (await schema_of(client, "search_elog"))["properties"]
        assert {"type": "string"} in properties["category"]["anyOf"]


@pytest.mark.slow
@pytest.mark.parametrize(("command", "tool"), [("knowledge", SEARCH), ("elog", "search_elog")])
async def test_over_stdio_with_the_sample(tmp_path: Path, command: str, tool: str) -> None:
    transport = StdioTransport(
        sys.executable,
        ["-m", "graphwright.cli", command, "serve"],
        env=environment(tmp_path / "home"),
        cwd=str(tmp_path),
        log_file=tmp_path / "log.txt",
    )
    async with Client(transport, timeout=60) as client:
        assert "This is the sample" in await described(client, tool)
        found = Findings.from_json((await client.call_tool(tool, {"query": "orbit interlock"})).structured_content)
    assert found.sources
    assert "sample" not in found.note
    assert "until stdin ends" in (tmp_path / "log.txt").read_text()


class Mute:
    """A server that counts connections, and never responds."""

    def __init__(self) -> None:
        self.visits = 0
        self.address = ""

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.visits += 1
        await reader.read()
        writer.close()


@asynccontextmanager
async def mute() -> AsyncIterator[Mute]:
    made = Mute()
    server = await asyncio.start_server(made.handle, "127.0.0.1", 0)
    made.address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/Operation"
    async with server:
        yield made


async def test_a_server_that_hangs_is_waited_for_once_and_its_tools_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elog, "_READ", 0.3)
    async with mute() as server:
        here = logbook_server(ElogServer(ElogClient(server.address), clock), clock)
        async with McpServers([McpServer("elog", here=here)]) as servers:
            first = await servers.registry().call("search_elog", {"query": "dump"})
            again = await servers.registry().call("get_elog_thread", {"message_id": 3})
            await servers.refresh()
            assert {each["name"] for each in servers.registry().declarations()} == {"search_elog", "get_elog_thread"}
            assert (first.code, again.code, server.visits) == ("no_answer", "no_answer", 1)
            assert "asked again in" in again.error
            monkeypatch.setattr(elog, "_PAUSE", 0.0)
            assert (await servers.registry().call("search_elog", {"query": "dump"})).code == "no_answer"
            assert server.visits == 2


async def test_the_list_of_tools_does_not_wait_for_a_slow_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servers, "_TIMEOUT_SECONDS", 0.05)
    async with mute() as server, Client(logbook_server(ElogServer(ElogClient(server.address), clock), clock)) as client:
        async with asyncio.timeout(5):
            assert "enum" not in (await schema_of(client, "search_elog"))["properties"]["category"]


def test_missing_mcp_packages_are_an_error(index: KnowledgeIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastmcp", None)
    with pytest.raises(GraphwrightError) as refused:
        knowledge_server(index)
    assert (refused.value.code, refused.value.hint) == (
        "mcp_missing",
        "Install graphwright[mcp]: pip install 'graphwright[mcp]'",
    )


INVALID: list[tuple[str, dict[str, Any], str]] = [
    (SEARCH, {"query": "pump", "accelerator": "cyclotron"}, "There are: aurora, booster"),
    (SEARCH, {}, "query"),
    (SEARCH, {"query": ["pump"]}, "query"),
    (SEARCH, {"query": "pump", "retriever": "dense"}, "retriever"),
    ("read_page", {"file": "docs/pmp.md", "page": 1}, "docs/pump.md"),
    ("read_page", {"file": "docs/pump.md", "page": "Sparse"}, "Spare parts"),
    ("read_page", {"file": "docs/pump.md", "page": "9" * 5_000}, "text from 1 to 3"),
    ("read_page", {"file": "docs/pump.md", "page": 10**30}, "text from 1 to 3"),
    ("search_elog", {"since": "2026-13-01"}, "Write YYYY-MM-DD: today is 2026-03-20"),
    ("search_elog", {"since": "yesterday"}, "is not a day"),
    ("search_elog", {"since": "2026-03-02", "until": "2026-03-01"}, "lies after until"),
    ("search_elog", {"since": "2026-03-31"}, "in the future"),
    ("search_elog", {"category": "Problm"}, "There are: Problem"),
    ("search_elog", {"domain": "Ring"}, "no entry of the logbook has a domain"),
    ("search_elog", {"limit": 5}, "limit"),
    ("search_elog", {"max_results": "many"}, "max_results"),
    ("get_elog_thread", {}, "message_id"),
    ("get_elog_thread", {"message_id": 0}, "message_id"),
    ("get_elog_thread", {"message_id": 999_999}, "no entry 999999"),
]


async def test_invalid_arguments_are_refused_with_valid_ones(index: KnowledgeIndex, tmp_path: Path) -> None:
    of_log, of_pages = logbook_server(BuiltinLogbook(tmp_path, clock), clock), knowledge_server(index)
    for tool, arguments, reason in INVALID:
        result = await call(of_log if "elog" in tool else of_pages, tool, **arguments)
        assert result.is_error, arguments
        assert reason.lower() in result.content[0].text.lower(), arguments


async def test_an_unexpected_failure_does_not_show_the_exception(tmp_path: Path) -> None:
    class Broken(KnowledgeIndex):
        def search(self, query: str, accelerator: str = "all", limit: int = 5) -> Findings:
            raise ValueError(f"1 validation error for Model, input_value={query!r}")

    result = await call(knowledge_server(Broken(tmp_path / "index.sqlite3")), SEARCH, query="pump")
    assert result.is_error
    text = result.content[0].text
    assert text.startswith(f"The tool {SEARCH} failed because of a fault in the program (ValueError). ")
    assert "validation" not in text
