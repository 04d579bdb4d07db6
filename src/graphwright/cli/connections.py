"""What `graphwright doctor` finds of that which is configured for the assistant: servers, a logbook, documents."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Literal

from graphwright.errors import GraphwrightError, said, sentence

Level = Literal["ok", "warning", "problem"]

SOON = 5.0
"""Seconds in which a server must be ready, and a logbook or a model of embeddings must answer."""


def told(error: GraphwrightError) -> tuple[str, str]:
    """An error as the message and the hint of a finding."""
    return sentence(error.message), error.hint


def mcp_servers() -> Iterator[tuple[Level, str, str]]:
    """Start each server for a moment. What needs none of its tools does without it, so none is a problem."""
    import asyncio

    from graphwright.config import current
    from graphwright.tools.mcp import McpServers, ServerState, configured

    servers = configured(current())
    if not servers:
        return

    async def states() -> tuple[ServerState, ...]:
        async with McpServers(servers, at_once=SOON) as connected:
            return connected.states()

    for server in asyncio.run(states()):
        many = "" if server.tools == 1 else "s"
        match server.state:
            case "ready":
                yield "ok", f"{server.name}: {server.tools} tool{many} (protocol {server.protocol})", ""
                for note in server.notes:
                    yield "warning", f"{server.name} {note}.", f"See [mcp.{server.name}] and the server."
            case "starting":
                hint = "Some are downloaded at their first start: try again. Until then its tools are missing."
                yield "warning", f"{server.name} has not started within {SOON:g} s.", hint
            case "failed":
                hint = server.hint or f"Correct [mcp.{server.name}], or the server."
                yield "warning", f"{server.name} {server.why}.", hint


def logbook() -> Iterator[tuple[Level, str, str]]:
    """Ask the ELOG server for its newest entry. Without it the assistant still answers, and says what is missing."""
    import asyncio

    from graphwright.retrieval import LogbookError, configured_address

    address = configured_address()
    if not address:
        return
    from graphwright.retrieval.elog import PASSWORD, USER, ElogClient

    async def newest() -> int:
        client = ElogClient(address, os.environ.get(USER, ""), os.environ.get(PASSWORD, ""))
        async with asyncio.timeout(SOON):
            return len((await client.export({}, "last1")).entries)

    try:
        found = asyncio.run(newest())
    except LogbookError as error:
        yield "warning", *told(error)
    except TimeoutError:
        yield "warning", f"{address} has not answered within {SOON:g} s.", "Look at the server. Searches wait longer."
    else:
        yield "ok", f"{address}: {'can be read' if found else 'has no entries yet'}", ""


def documents() -> Iterator[tuple[Level, str, str]]:
    """Look at the folder of documents, and at what is indexed of it. Without it the assistant says what is missing."""
    from contextlib import closing

    from graphwright.retrieval import RetrievalError, configured_folder, own_index
    from graphwright.retrieval.folder_indexing import real_folder

    folder = configured_folder()
    if folder is None:
        return
    try:
        place = real_folder(folder)
        with closing(own_index()) as index:
            known = next((each for each in index.folders() if each.path == place), None)
    except RetrievalError as error:
        message, hint = told(error)
        yield "warning", message, f"{hint} It is `knowledge` of [agents.assistant]."
        return
    if known is None or not known.indexed:
        hint = f"It is at the first search, which may take a while. To do it now: graphwright knowledge index {place}"
        yield "ok", f"{place}: not indexed yet", hint
        return
    many = "" if known.pages == 1 else "s"
    yield "ok", f"{place}: {known.pages:,} page{many}, indexed {known.indexed[:10]}", ""
    if known.unread:
        hint = "Which, and why: graphwright knowledge status"
        yield "warning", f"{place}: files that could not be read: {len(known.unread):,}.", hint


def embeddings() -> Iterator[tuple[Level, str, str]]:
    """Ask the model of embeddings for one vector. Without it searches go by words alone."""
    from threading import Thread

    from graphwright.retrieval import EmbedderUnavailable, chosen_embedder

    try:
        embedder = chosen_embedder()
    except EmbedderUnavailable as error:
        yield "warning", *told(error)
        return
    if embedder is None:
        return
    found: list[int | Exception] = []

    def ask() -> None:
        try:
            found.append(len(embedder.query("beam")))
        # Every provider has errors of its own.
        except Exception as error:
            found.append(error)

    # A model that never answers must not keep the command.
    asking = Thread(target=ask, daemon=True)
    asking.start()
    asking.join(SOON)
    match found:
        case [int() as length]:
            yield "ok", f"{embedder.name}: vectors of {length:,} numbers", ""
        case [Exception() as failure]:
            hint = "Look at its name, its package, its key and its server. The search by words works without it."
            yield "warning", f"{embedder.name} did not answer: {said(failure)}.", hint
        case _:
            hint = "Some are loaded at their first use: try again. The search by words works without it."
            yield "warning", f"{embedder.name} has not answered within {SOON:g} s.", hint
