"""The tools of a session: MCP servers, and tools that read on in files and sources; and which need confirmation."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphwright import called
from graphwright.errors import GraphwrightError, exception_text
from graphwright.proposals import (
    Sources,
    Support,
    closed,
    default_values,
    exact,
    links_not_in,
    not_found,
    supports,
    values_with,
)
from graphwright.text.folding import words_of
from graphwright.text.full_text import ranked_texts
from graphwright.text.sentences import many
from graphwright.tools import Tool, ToolRegistry, ToolResult
from graphwright.tools.mcp import McpServer, McpServers, configured
from graphwright.tools.sources import Findings
from graphwright_assistant.assistant.attachments import sources_of
from graphwright_assistant.assistant.frames import say
from graphwright_assistant.assistant.prompting import DONE, sources_in, visible
from graphwright_assistant.assistant.settings import setting
from graphwright_assistant.assistant.state import ContextFile, Preview, SelectedTool, ToolInfo, ToolOutcome

if TYPE_CHECKING:
    from graphwright import ActionContext

READ_PAGE, READ_SOURCE = "read_page", "read_source"

_TIMEOUT_SECONDS = 20.0
"""Seconds that a search of documents waits for their first indexing: less than the limit of a call."""

_LONGEST_LINE = 120
"""Maximum length of an argument on one line of a preview, in characters."""

_TEXT = {"type": "string", "minLength": 1}
_PAGE: dict[str, dict[str, Any]] = {
    "file": {**_TEXT, "description": "The name of the file."},
    "page": {"type": ["string", "integer"], "description": "The number of the page, a heading, or a few words of it."},
}
_SOURCE: dict[str, dict[str, Any]] = {
    "id": {**_TEXT, "description": "The id that stands at the end of what is shown."},
    "start": {"type": "integer", "minimum": 0, "description": "The character to begin at."},
}
READING: dict[str, ToolInfo] = {
    READ_PAGE: ToolInfo(
        description="Read one page or section of a file that the user gave, or of a document that was found.",
        input_schema=closed(_PAGE),
        changes=False,
    ),
    READ_SOURCE: ToolInfo(
        description="Read on in a source of which only the beginning is shown.",
        input_schema=closed(_SOURCE, required=["id"]),
        changes=False,
    ),
}
"""The tools that read on in files and sources."""


class Toolbox:
    """The servers of one session. `now` is the clock of the built-in servers: the time of the turn.

    `problems` are errors of built-in servers; `sample` says that there is only the sample data of Graphwright.
    """

    def __init__(self) -> None:
        self.now = datetime.now()
        self.servers = McpServers(())
        self.problems: list[str] = []
        self.sample = False
        self.fresh = False

    def clock(self) -> datetime:
        """Return the time of the current turn, local and without a zone."""
        return self.now

    async def begin_turn(self, now: datetime, files: Sequence[ContextFile]) -> dict[str, ToolInfo]:
        """Return the tools of a turn that began at `now` (local), as the servers declare them now."""
        self.now = now.replace(tzinfo=None)
        await self.servers.refresh()
        self.fresh = True
        registry = self.servers.registry()
        found: dict[str, ToolInfo] = {
            each["name"]: {
                "description": each["description"],
                "input_schema": each["parameters"],
                "changes": registry.changes(each["name"]),
            }
            for each in registry.declarations()
        }
        if any(file["parts"] for file in files):
            found[READ_PAGE] = READING[READ_PAGE]
        return {**found, READ_SOURCE: READING[READ_SOURCE]} if found else {}

    async def call(self, name: str, arguments: Mapping[str, Any], own: ToolRegistry) -> ToolResult:
        """Call a tool. A failure is a result, too; the value of a successful one is `Findings`."""
        return await called(own if name in own else self.servers.registry(), name, arguments)


def searching(tools: Mapping[str, ToolInfo]) -> dict[str, ToolInfo]:
    """Return the tools without the one that reads on in a source."""
    return {name: info for name, info in tools.items() if name != READ_SOURCE}


def without_filters(tools: Mapping[str, ToolInfo]) -> dict[str, ToolInfo]:
    """Return the tools with only those optional parameters that are free text.

    A weak model fills in values of a list and limits without a reason, and then the search finds nothing.
    """
    out = dict[str, ToolInfo]()
    for name, info in tools.items():
        schema = info["input_schema"]
        needed = schema.get("required", ())
        kept = {
            key: part
            for key, part in schema.get("properties", {}).items()
            if key in needed or (part.get("type") == "string" and "enum" not in part and "anyOf" not in part)
        }
        out[name] = {**info, "input_schema": {**schema, "properties": kept}}
    return out


def in_own_words(arguments: Mapping[str, Any], question: str, known: Sequence[str]) -> dict[str, Any]:
    """Return the arguments of a search with the question as `query` if the query has no word of it or of `known` texts.

    A weak model sometimes copies the query of the example in its prompt.
    """
    query = arguments.get("query")
    words = set(words_of(query)) if isinstance(query, str) else set()
    if not words or any(words & set(words_of(text)) for text in (question, *known)):
        return dict(arguments)
    return {**arguments, "query": question}


def _tool(name: str, info: ToolInfo, function: Callable[..., Any] = dict) -> Tool:
    return Tool(name, info["description"], info["input_schema"], function)


def refused(name: str, arguments: Mapping[str, Any], tools: Mapping[str, ToolInfo], known: Sequence[str]) -> str:
    """Return why a call is invalid: it does not match the schema, or contains an address that is not in `known`."""
    if problem := ToolRegistry(map(_tool, tools, tools.values())).check(name, arguments):
        return problem.error
    text = json.dumps(arguments, ensure_ascii=False)
    strange = links_not_in(text, ()) and links_not_in(text, links_not_in("\n".join(known), ()))
    return f"no source and no message of the user holds the address {strange[0]}" if strange else ""


def asks(name: str, info: ToolInfo, settings: Mapping[str, Any]) -> bool:
    """Return whether a call of a tool needs confirmation: by the settings, else by its server; by default it does."""
    names = {name, name.partition("__")[0]}
    if names & set(setting(settings, "changing")):
        return True
    return not names & set(setting(settings, "read_only")) and info["changes"] is not False


def supports_of(calls: Sequence[SelectedTool], tools: Mapping[str, ToolInfo], sources: Sources) -> dict[str, Support]:
    """Return the support of each argument, by its path in the approval."""
    found = dict[str, Support]()
    for place, call in enumerate(calls):
        defaults = default_values(call["arguments"], tools[call["tool_name"]]["input_schema"])
        short = {name: each for name, each in call["arguments"].items() if not _is_long(each)}
        of_call = supports(short, sources, defaults)
        found |= {f"{_path(place)}{name}": support for name, support in of_call.items()}
    return found


def _path(place: int) -> str:
    return f"selected_tools.{place}.arguments."


def preview_of(calls: Sequence[SelectedTool], found: Mapping[str, Support], language: str) -> Preview:
    """Return the preview of calls that may change something: each argument once, with its support."""
    lines = []
    for place, call in enumerate(calls):
        if call["asks"]:
            server, _, tool = call["tool_name"].rpartition("__")
            lines.append(f"- **{tool}** ({server})" if server else f"- **{tool}**")
            lines += [_argument(name, each, found, _path(place), language) for name, each in call["arguments"].items()]
    text = "\n".join([say(language, "would_call"), *lines, "", say(language, "shall_i")])
    return {"needed": bool(lines), "text": text if lines else ""}


def _argument(name: str, value: Any, found: Mapping[str, Support], path: str, language: str) -> str:
    """Return an argument for people: a long text as a quotation, others with marks for values of doubtful origin."""
    if _is_long(value):
        return "\n".join([f"  - {name}:", *(f"    > {visible(line)}".rstrip() for line in value.splitlines())])
    marks = []
    for support in ("unsupported", "default"):
        if values := values_with(support, {name: value}, found, path):
            marks.append(
                say(language, support, values=f": {', '.join(values)}" if isinstance(value, dict | list) else "")
            )
    shown = visible(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    marked = f" ({'; '.join(marks)})" if marks else ""
    return f"  - {name}: {shown}{marked}"


def _is_long(value: Any) -> bool:
    """Return whether a value is a long text, which people approve as a whole: its words need not be theirs."""
    return isinstance(value, str) and (len(value) > _LONGEST_LINE or "\n" in value)


def reading_tools(
    box: Toolbox, files: Sequence[ContextFile], outcomes: Sequence[ToolOutcome], room: int
) -> ToolRegistry:
    """Return `read_page` and `read_source` over a turn's files and sources; each returns at most `room` characters."""
    given, sources = sources_of(files), sources_in(outcomes)

    async def read_page(file: str, page: str | int) -> Findings:
        name = exact(file, [each["name"] for each in files])
        if name is None:
            theirs = box.servers.registry()
            if READ_PAGE in theirs:
                result = await theirs.call(READ_PAGE, {"file": file, "page": page})
                if result.ok and isinstance(result.value, Findings):
                    return result.value
            raise GraphwrightError("no_file", not_found("file", file, [each["name"] for each in files]))
        own = [source for source in given if source.title == name]
        places = [place for source in own for place in source.metadata.values()]
        place = exact(str(page), places)
        found = [source for source in own if place is not None and place in source.metadata.values()]
        note = f"{name} has {many(len(own), 'part')}."
        if not places:
            return Findings(tuple(own), len(own), f"{name} has no pages or sections: this is its text.")
        if not found:
            found = (
                own if len(own) == 1 else [own[at] for at in ranked_texts([each.text for each in own], str(page))[:3]]
            )
            note += f" {not_found('page or heading', str(page), places)} These are the places with these words."
        return Findings(tuple(found), len(found), note)

    async def read_source(id: str, start: int = 0) -> Findings:
        known = {source.id: source for source in [*sources, *given]}
        name = exact(id, known)
        if name is None:
            raise GraphwrightError("no_source", not_found("source", id, known))
        source, end = known[name], start + room
        note = f"Characters {start:,} to {min(end, len(source.text)):,} of {len(source.text):,}."
        part = replace(source, id=f"{source.id}@{start}", text=source.text[start:end])
        return Findings((part,), 1, note)

    functions: dict[str, Callable[..., Any]] = {READ_SOURCE: read_source, **({READ_PAGE: read_page} if given else {})}
    return ToolRegistry(_tool(name, READING[name], function) for name, function in functions.items())


def outcome_of(
    name: str, arguments: Mapping[str, Any], iteration: int, result: ToolResult | str, *, changes: bool = False
) -> ToolOutcome:
    """Return the outcome of a call, or the reason why it was not made. A changing call's answer is a note."""
    outcome = ToolOutcome(
        tool_name=name, arguments={**arguments}, iteration=iteration, made=True, ok=False, error="", note="", sources=[]
    )
    if isinstance(result, str):
        outcome["made"], outcome["error"] = False, result
        return outcome
    outcome["ok"], outcome["error"] = result.ok, " ".join(result.error.split())[:500]
    if isinstance(result.value, Findings):
        outcome["note"] = " ".join(result.value.note.split())[:500]
        server, apart, _ = name.partition("__")
        if changes and result.ok:
            said_by_tool = " ".join(" ".join(each.text for each in result.value.sources).split())
            outcome["note"] = f"{DONE} {said_by_tool} {outcome['note']}".strip()[:500]
            return outcome
        for source in result.value.sources:
            given = {"server": server, **source.metadata} if apart else source.metadata
            outcome["sources"].append(replace(source, metadata=given).to_json())
    return outcome


async def search_in_words(box: Toolbox, tools: Mapping[str, ToolInfo], query: str) -> list[ToolOutcome]:
    """Search for the question's own words with all tools that change nothing and only require a `query`."""
    schemas = {name: info["input_schema"] for name, info in tools.items() if info["changes"] is False}
    names = [n for n, s in schemas.items() if "query" in s["properties"] and {*s.get("required", ())} <= {"query"}]
    results = await asyncio.gather(*(box.call(name, {"query": query}, ToolRegistry()) for name in names))
    return [outcome_of(name, {"query": query}, 0, result) for name, result in zip(names, results, strict=True)]


async def of_session(ctx: ActionContext) -> Toolbox:
    """Return the toolbox of the session of an action; its servers are started by the first call."""
    settings, home = dict(ctx.settings), ctx.home
    return await ctx.shared("assistant tools", lambda: _open_toolbox(settings, home))


@asynccontextmanager
async def _open_toolbox(settings: Mapping[str, Any], home: Path) -> AsyncIterator[Toolbox]:
    box, theirs = Toolbox(), configured()
    async with AsyncExitStack() as stack:
        own = await own_servers(box, settings, home, stack, alone=not theirs)
        box.servers = await stack.enter_async_context(McpServers((*own, *theirs)))
        yield box


async def own_servers(
    box: Toolbox, settings: Mapping[str, Any], home: Path, stack: AsyncExitStack, *, alone: bool
) -> list[McpServer]:
    """Return the two built-in servers, in this process. If one cannot be created, only its own tools are missing.

    Sample data is left out if there is any data of the user, which it could be mistaken for. `alone` says that no other
    server is configured.
    """
    from graphwright.tools.mcp.servers import load

    made: dict[str, tuple[Any, bool]] = {}
    for name, make in (("knowledge", _knowledge), ("elog", _logbook)):
        try:
            await asyncio.to_thread(load)
            made[name] = await asyncio.to_thread(make, box, settings, home, stack)
        except Exception as error:
            why = f"{error.message} {error.hint}" if isinstance(error, GraphwrightError) else exception_text(error)
            box.problems.append(f"The tools of {name} are missing: {why}".strip())
    named = any(setting(settings, name) for name in ("knowledge", "elog"))
    box.sample = alone and not named and all(sample for _, sample in made.values())
    return [McpServer(name, here=server) for name, (server, sample) in made.items() if box.sample or not sample]


def _knowledge(_: Toolbox, settings: Mapping[str, Any], home: Path, stack: AsyncExitStack) -> tuple[Any, bool]:
    """Return the server for the documents, and whether there is only the sample."""
    from graphwright_assistant.retrieval import ChosenKnowledge, knowledge_server

    knowledge = ChosenKnowledge(home, timeout=_TIMEOUT_SECONDS)
    stack.callback(knowledge.close)
    return knowledge_server(knowledge, tuple(setting(settings, "accelerators"))), knowledge.sample


def _logbook(box: Toolbox, settings: Mapping[str, Any], home: Path, stack: AsyncExitStack) -> tuple[Any, bool]:
    """Return the server for the logbook, and whether that is the sample."""
    from graphwright_assistant.retrieval import logbook_server, open_logbook

    logbook = open_logbook(str(setting(settings, "elog")), home, box.clock)
    stack.callback(logbook.close)
    return logbook_server(logbook, box.clock), logbook.sample
