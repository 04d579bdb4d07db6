"""Additions of the assistant to Graphwright: doctor checks of its sources, its approval card and its demo."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from graphwright.errors import GraphwrightError
from graphwright.hooks import ApprovalCard, Demo, Finding
from graphwright.text.sentences import bounded, many


def approval(over: Mapping[str, Any]) -> ApprovalCard:
    """Return the card of the calls of tools that a yes lets run."""
    return ApprovalCard("tools" if "selected_tools" in over else "other")


def _left_out() -> str:
    """Return why the demo is skipped; empty if the sample logbook is in use."""
    from graphwright.config import current
    from graphwright.extras import extra_problem
    from graphwright.tools.mcp import configured

    config = current()
    settings = config.agents.get("assistant", {})
    if settings.get("elog") or settings.get("knowledge") or configured(config):
        return "the configuration names a logbook, documents or MCP servers of yours"
    missing = extra_problem("assistant")
    return missing.message if missing else ""


demo = Demo(Path(__file__).with_name("demo.json"), _left_out, place=5)


def logbook() -> Iterator[Finding]:
    """Request the newest entry of the ELOG server."""
    import asyncio

    from graphwright.cli.doctor import unanswered, within_time_limit
    from graphwright_assistant.retrieval import configured_address

    if not (address := configured_address()):
        return
    from graphwright_assistant.retrieval._elog import PASSWORD, USER, ElogClient

    async def newest() -> int:
        client = ElogClient(address, os.environ.get(USER, ""), os.environ.get(PASSWORD, ""))
        return len((await client.export({}, "last1")).entries)

    try:
        found = within_time_limit(lambda: asyncio.run(newest()))
    except (GraphwrightError, TimeoutError) as error:
        yield unanswered(address, error)
    else:
        yield "ok", f"{address}: {'can be read' if found else 'has no entries yet'}", ""


def documents() -> Iterator[Finding]:
    """Check the folder of documents and its index. Without it the assistant reports what is missing."""
    from contextlib import closing

    from graphwright_assistant.retrieval import RetrievalError, configured_folder, searched_index
    from graphwright_assistant.retrieval._folder_indexing import real_folder

    folder = configured_folder()
    if folder is None:
        return
    try:
        place = real_folder(folder)
        with closing(searched_index()) as index:
            known = next((each for each in index.folders() if each.path == place and each.indexed), None)
    except RetrievalError as error:
        yield "warning", error.message, f"{error.hint} It is `knowledge` of [agents.assistant]."
        return
    if known is None:
        yield "ok", f"{place}: not indexed yet", f"The first search does, or: graphwright knowledge index {place}"
        return
    yield "ok", f"{place}: {many(known.pages, 'page')}, indexed {known.indexed[:10]}", ""
    if known.unread:
        hint = "Which, and why: graphwright knowledge status"
        yield "warning", f"{place}: files that could not be read: {len(known.unread):,}.", hint
    if known.passed:
        kinds = bounded([f"{count:,} {kind}" for kind, count in known.passed.items()])
        yield "ok", f"{place}: other files, not read: {kinds}", ""


def embeddings() -> Iterator[Finding]:
    """Request one vector from the embedding model."""
    from graphwright.cli.doctor import texts, unanswered, within_time_limit
    from graphwright_assistant.retrieval import EmbedderUnavailable, chosen_embedder

    try:
        embedder = chosen_embedder()
    except EmbedderUnavailable as error:
        yield "warning", *texts(error)
        return
    if embedder is None:
        return
    try:
        length = len(within_time_limit(lambda: embedder.query("beam")))
    # Every provider has its own errors.
    except Exception as error:
        yield unanswered(embedder.name, error)
    else:
        yield "ok", f"{embedder.name}: vectors of {length:,} numbers", ""
