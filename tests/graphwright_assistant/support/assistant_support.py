"""Shared by the tests of the assistant: a small logbook, a few pages behind real MCP servers, scripted turns."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from graphwright import Turn, load
from graphwright.models import ModelCall, observe_calls
from graphwright.tools.mcp import McpServer
from graphwright.tools.mcp.servers import load as load_mcp
from graphwright.tools.sources import Findings, Source, SourceImage
from graphwright_assistant.assistant import toolbox
from host_support import scripted

NOW = datetime(2026, 11, 22, 16, 0, tzinfo=UTC)
"""A Sunday."""

CATEGORIES = ["Problem", "Fix", "Info", "Shift handover", "Measurement", "Access", "Bypass"]
SYSTEMS = ["Operation", "RF", "Injector", "Magnets", "Vacuum"]


def page(name: str, title: str, text: str, **more: Any) -> Source:
    return Source(name, title, f"https://docs.nordlicht.example/{name}", "knowledge", {"heading": title}, text, **more)


def entry(
    number: int,
    day: str,
    text: str,
    *,
    category: str = "Problem",
    system: str = "RF",
    title: str = "",
    reply_to: int | None = None,
    replies: Sequence[int] = (),
) -> Source:
    facts = {
        **{"id": str(number), "date": day, "time": "03:14", "author": "Mirko Brandt"},
        **{"category": category, "system": system, "reply_to": "" if reply_to is None else str(reply_to)},
        **({"replies": ", ".join(map(str, replies))} if replies else {}),
    }
    url = f"https://elog.nordlicht.example/Operation/{number}"
    return Source(f"elog-{number}", title or text[:30], url, "elog", facts, text)


PAGES = [
    page(
        "aurora/interlock", "Orbit interlock", "The orbit interlock dumps the beam at 0.8 mm. It is armed above 20 mA."
    ),
    page(
        "aurora/rf",
        "RF system",
        "Four cavities give 450 kV each.\n\nThe frequency is 499.654 MHz.",
        images=(SourceImage("https://docs.nordlicht.example/rf.png", "Cavity"),),
    ),
    page("linac/gun", "Gun", "Die Kanone liefert 90 keV Elektronen für den Linac."),
]
ENTRIES = [
    entry(212, "2026-11-21", "Klystron trip at 399 mA, beam lost."),
    entry(211, "2026-11-21", "Vacuum gauge in S07 exchanged.", category="Fix", system="Vacuum"),
    entry(180, "2026-11-14", "Undulator gap drive stuck at 12 mm.", system="Operation"),
]


@dataclass
class World:
    """The data of the tools, and the calls they received. `before` runs at the beginning of each call."""

    pages: Sequence[Source] = tuple(PAGES)
    entries: Sequence[Source] = tuple(ENTRIES)
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    before: Callable[[str, Mapping[str, Any]], Any] = lambda name, arguments: None
    note: str = ""

    def names(self) -> list[str]:
        return [name for name, _ in self.calls]


def _having(sources: Sequence[Source], query: str) -> list[Source]:
    wanted = [word.strip("?.,") for word in query.casefold().split() if len(word) > 5]
    return [s for s in sources if not wanted or any(w in f"{s.title} {s.text}".casefold() for w in wanted)]


def servers(world: World) -> list[McpServer]:
    """Two servers with the assistant's own tools, over a world."""
    load_mcp()
    from fastmcp import FastMCP
    from fastmcp.tools import Tool
    from fastmcp.tools.base import ToolResult
    from mcp_types import ToolAnnotations

    class Fixed(Tool):
        act: Callable[[Mapping[str, Any]], Findings]

        async def run(self, arguments: dict[str, Any]) -> ToolResult:
            world.calls.append((self.name, dict(arguments)))
            waiting = world.before(self.name, arguments)
            if asyncio.iscoroutine(waiting):
                await waiting
            return ToolResult(structured_content=self.act(arguments).to_json())

    def search_pages(arguments: Mapping[str, Any]) -> Findings:
        found = _having(world.pages, str(arguments["query"]))
        return Findings(tuple(found), len(found), world.note)

    def search_log(arguments: Mapping[str, Any]) -> Findings:
        found = [
            each
            for each in _having(world.entries, str(arguments.get("query", "")))
            if arguments.get("since", "") <= each.metadata["date"] <= (arguments.get("until") or "9999")
            and arguments.get("category", "") in ("", each.metadata["category"])
            and arguments.get("system", "") in ("", each.metadata["system"])
        ]
        return Findings(tuple(found), len(found), world.note)

    def thread(arguments: Mapping[str, Any]) -> Findings:
        numbers = {str(arguments["id"])}
        for _ in world.entries:
            facts = [each.metadata for each in world.entries]
            numbers |= {each["reply_to"] for each in facts if each["id"] in numbers and each["reply_to"]}
            numbers |= {each["id"] for each in facts if each["reply_to"] in numbers}
        found = [each for each in world.entries if each.metadata["id"] in numbers]
        return Findings(tuple(found), len(found), "" if found else f"There is no entry {arguments['id']}.")

    def server(name: str, **tools: tuple[str, Callable[[Mapping[str, Any]], Findings], dict[str, Any]]) -> McpServer:
        made: FastMCP = FastMCP(name)
        for tool, (described, act, properties) in tools.items():
            required = [each for each, schema in properties.items() if "default" not in schema]
            schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
            hints = ToolAnnotations(read_only_hint=True)
            made.add_tool(Fixed(name=tool, description=described, parameters=schema, act=act, annotations=hints))
        return McpServer(name, here=made)

    text = {"type": "string", "default": ""}
    accelerators = {"type": "string", "enum": ["aurora", "booster", "linac", "all"], "default": "all"}
    limit = {"type": "integer", "default": 5}
    page_properties = {"query": {"type": "string"}, "accelerator": accelerators, "limit": limit}
    log_properties = {
        **{"query": text, "since": text, "until": text, "author": text},
        "category": {"type": "string", "enum": [*CATEGORIES, ""], "default": ""},
        "system": {"type": "string", "enum": [*SYSTEMS, ""], "default": ""},
        "max_results": {"type": "integer", "default": 10},
    }
    about_pages = "Search the documentation of the accelerators."
    about_log = "Search the electronic logbook: what happened, when, who wrote it."
    about_thread = "The conversation that a logbook entry belongs to."
    return [
        server("knowledge", search_accelerator_knowledge=(about_pages, search_pages, page_properties)),
        server(
            "elog",
            search_elog=(about_log, search_log, log_properties),
            get_elog_thread=(about_thread, thread, {"id": {"type": "integer", "minimum": 1}}),
        ),
    ]


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    """The assistant's own servers use this world."""
    made = World()

    async def own(*_: Any, **__: Any) -> list[McpServer]:
        return servers(made)

    monkeypatch.setattr(toolbox, "own_servers", own)
    return made


@pytest.fixture
def foreign(world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """A world with an external server: `lab__ask` declares to read, `lab__set` to change, `lab__stop` neither."""
    load_mcp()
    from fastmcp import FastMCP
    from mcp_types import ToolAnnotations

    lab: FastMCP = FastMCP("lab")

    def tool(name: str, arguments: dict[str, Any]) -> str:
        world.calls.append((name, arguments))
        return f"{name} was called."

    @lab.tool(annotations=ToolAnnotations(read_only_hint=True))
    def lab__ask(query: str, max_count: int = 10) -> str:
        """Asks the database of the lab, in SQL."""
        return tool("lab__ask", {"query": query, "max_count": max_count} if max_count != 10 else {"query": query})

    @lab.tool(annotations=ToolAnnotations(read_only_hint=False, destructive_hint=False))
    def lab__set(what: str, rate: int = 5) -> str:
        """Sets a device."""
        return tool("lab__set", {"what": what} | ({"rate": rate} if rate != 5 else {}))

    @lab.tool
    def lab__stop(what: str) -> str:
        """Looks after a device."""
        return tool("lab__stop", {"what": what})

    async def own(*_: Any, **__: Any) -> list[McpServer]:
        return [*servers(world), McpServer("lab", here=lab)]

    monkeypatch.setattr(toolbox, "own_servers", own)
    return world


@pytest.fixture
def configure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Write `[agents.assistant]` of the active configuration."""

    def write(text: str) -> None:
        file = tmp_path / "graphwright.toml"
        file.write_text(f"[agents.assistant]\n{text}\n", "utf-8")
        monkeypatch.setenv("GRAPHWRIGHT_CONFIG", str(file))

    return write


# Rules of the scripted model


def decides(needed: bool = True, **more: Any) -> dict[str, Any]:
    return {"offers": "ToolDecision", "call": {"ToolDecision": {"reasoning": "r", "needs_tools": needed}}, **more}


def selects(*calls: tuple[str, Mapping[str, Any]], **more: Any) -> dict[str, Any]:
    tools = [{"tool_name": name, "arguments": dict(arguments), "reasoning": "r"} for name, arguments in calls]
    return {"offers": "ToolSelection", "call": {"ToolSelection": {"tools": tools}}, **more}


def judges(adequate: bool = True, refinement: str = "", **more: Any) -> dict[str, Any]:
    verdict = {"reasoning": "r", "adequate": adequate, "refinement": refinement}
    return {"offers": "ResultEvaluation", "call": {"ResultEvaluation": verdict}, **more}


def says(text: str, **more: Any) -> dict[str, Any]:
    return {"text": text, **more}


def links_in(markdown: str) -> set[str]:
    """All addresses that a browser would open or load from a text, found by an independent parser."""
    found: set[str] = set()
    for token in MarkdownIt("commonmark").enable("table").parse(markdown):
        for each in [token, *(token.children or ())]:
            found |= {str(each.attrs[name]) for name in ("href", "src") if name in each.attrs}
            if each.type in ("html_inline", "html_block") or (each.type == "text" and "://" in each.content):
                found.add(each.content)
    return found


def prompts(calls: Sequence[ModelCall]) -> dict[str, list[str]]:
    """The texts of all prompts, by node."""
    found: dict[str, list[str]] = {}
    for call in calls:
        found.setdefault(call.node, []).append("\n".join(message.text for message in call.prompt))
    return found


async def ask_all(
    home: Path,
    *questions: str,
    rules: Sequence[Mapping[str, Any]],
    files: Sequence[Path] = (),
    calls: list[ModelCall] | None = None,
    thread: str = "t",
) -> Turn:
    """The last of several turns of a thread; files are sent with the first one, model calls are added to `calls`."""
    turn: Turn | None = None
    async with load("assistant").session(thread, model=scripted(*rules), home=home, clock=lambda: NOW) as session:
        for number, question in enumerate(questions):
            with observe_calls((calls if calls is not None else []).append):
                turn = await session.send(question, [] if number else list(files))
            assert turn.error is None, turn.error
            assert turn.status == "ended"
    assert turn is not None
    return turn
