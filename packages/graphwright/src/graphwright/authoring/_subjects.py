"""The flows that can be changed: the flow of an agent, and a new one in a folder of its own while it is being made."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

from graphwright.authoring._limits import Allowed
from graphwright.authoring._proposal import OnTested, Outcome, Subject
from graphwright.config import current
from graphwright.errors import GraphwrightError
from graphwright.flow import Catalogue, Compilation, compile_text
from graphwright.flow._source import read_plain
from graphwright.host._compiling import catalogue_for
from graphwright.host.agent import compiled_draft
from graphwright.host.discovery import FLOW_FILE, find, read_catalogue
from graphwright.testing.drafts import conversations_of, run_draft

TEST_SECONDS = 180.0
"""The time limit of the conversations in one round, in seconds."""


def subject_of(agent: str, text: str) -> Subject:
    """The flow of an agent with this text of its document, such as a draft. Raises UsageError, AgentError."""
    file = find(agent)
    # A folder without Python has prompt files all the same.
    catalogue = catalogue_for(file) or read_catalogue(file.parent)
    own = {name: path for name, path in conversations_of(agent).items() if _is_of(path, file)}

    def compiled(document: str) -> Compilation:
        return compiled_draft(agent, document)

    async def tested(document: str, added: Mapping[str, str], on_progress: OnTested) -> Sequence[Outcome]:
        return await _tested(agent, document, own.keys(), added, on_progress)

    texts = {name: path.read_text("utf-8", "replace") for name, path in own.items()}
    return Subject(text, compiled, tested, _allowed(catalogue), texts, agent_path=agent_path(file))


@asynccontextmanager
async def new_subject(flow_id: str) -> AsyncIterator[Subject]:
    """A new flow, which has its own folder as long as it is tested."""
    with tempfile.TemporaryDirectory(prefix="graphwright-new-") as folder:
        file = Path(folder) / FLOW_FILE

        async def tested(document: str, added: Mapping[str, str], on_progress: OnTested) -> Sequence[Outcome]:
            await asyncio.to_thread(file.write_text, document, "utf-8")
            return await _tested(folder, document, (), added, on_progress)

        yield Subject("", compile_text, tested, _allowed(Catalogue()), new_id=flow_id)


def agent_path(file: Path) -> str:
    """The `agent` of a conversation in the folder `tests` beside a flow file."""
    return ".." if file.name == FLOW_FILE else f"../{file.name}"


def _is_of(conversation: Path, flow: Path) -> bool:
    """Whether a conversation is one with this flow."""
    source, _ = read_plain(conversation.read_bytes())
    agent = source.data.get("agent") if source is not None and isinstance(source.data, dict) else None
    if not isinstance(agent, str):
        return False
    try:
        return find(str(conversation.parent / agent)).resolve() == flow.resolve()
    except GraphwrightError:
        return False


def _allowed(catalogue: Catalogue) -> Allowed:
    config = current()
    servers = {name: list(server.get("tools", ())) for name, server in config.mcp.items()}
    return Allowed(catalogue, tuple(config.http), servers)


async def _tested(
    agent: str, document: str, own: Iterable[str], added: Mapping[str, str], on_progress: OnTested
) -> Sequence[Outcome]:
    """The results of the conversations of a flow on a document. Raises GraphwrightError if they could not be run."""
    only = {*own, *added}
    if not only:
        return ()
    found: list[Outcome] = []
    on_progress(1, len(only))
    lines = run_draft(agent, document, only=only, added=added, seconds=TEST_SECONDS)
    async with aclosing(lines):
        async for line in lines:
            if "error" in line:
                error = line["error"]
                raise GraphwrightError(error["code"], error["message"], error["hint"])
            if "result" in line:
                found.append(_outcome(line["result"]))
                if len(found) < len(only):
                    on_progress(len(found) + 1, len(only))
    return found


def _outcome(result: Mapping[str, Any]) -> Outcome:
    wrong = result.get("mismatches", ())
    problems = [each["message"] for each in wrong]
    if "error" in result:
        single = [f"{each['message']} {each['hint']}".strip() for each in result.get("problems", ())]
        problems += single or [result["error"]["message"]]
    turn = next((each["turn"] for each in wrong if each.get("turn")), None)
    events = tuple(_of_turn(turn, result.get("trace_lines", ()))) if turn else ()
    return Outcome(result["file"], result["status"] == "passed", tuple(problems), events)


def _of_turn(number: int, lines: Iterable[str]) -> Iterator[str]:
    """The lines of one turn of a trace, as many as help."""
    turn = 0
    for line in lines:
        turn += line.startswith(f"turn {turn + 1} begins")
        if turn == number:
            yield line[:300]
