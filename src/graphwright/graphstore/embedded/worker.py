"""The worker: a process of its own that opens one graph, confines itself, and then serves its owner's requests.

It is started by `process.Worker` and knows no other door than the two pipes that it was given. Its owner is trusted;
what a query does to the engine is not: nothing is within its reach but the folder of its own file.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from graphwright.errors import GraphwrightError, said
from graphwright.graphstore.accepted import Accepted, remember
from graphwright.graphstore.elements import Element, Node, element
from graphwright.graphstore.embedded import wire
from graphwright.graphstore.embedded.engine import EmbeddedEngine
from graphwright.graphstore.embedded.frames import OUT_OF_MEMORY, Channel, Gone, Unsendable, batched, encoded
from graphwright.graphstore.errors import GraphError, GraphUnavailable, QueryFailed, packed
from graphwright.graphstore.writes import write_from_json
from graphwright.sandbox import Confinement, Limits, confine

_GRACE = 1.0
"""Seconds after its limit at which a request ends the process. The engine's own limit comes first, where it can."""

_CLOSING_SECONDS = 4.0


def main() -> NoReturn:
    """Open, confine, serve, until the owner lets go. `sys.argv[1]` is `{"path", "memory"}` as JSON."""
    settings = json.loads(sys.argv[1])
    channel = _own_pipes()
    os.umask(0o077)
    # What was ignored or blocked where this process comes from is so here, too.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGALRM,))
    try:
        engine = EmbeddedEngine(Path(settings["path"]))
        _warm(engine)
        isolation = _confined(Path(settings["path"]).parent, settings["memory"])
    except GraphError as error:
        channel.send(encoded({"error": packed(error)}))
        sys.exit(1)
    busy = threading.Event()
    threading.Thread(target=_watch_owner, args=(channel, busy), daemon=True).start()
    try:
        channel.send(encoded({"done": isolation}))
        while True:
            request = channel.receive()
            busy.set()
            frame, sound = _served(engine, request, channel)
            # From here on the owner may let go at any moment.
            busy.clear()
            channel.send(frame)
            if not sound:
                sys.exit(1)
    except Gone:
        signal.setitimer(signal.ITIMER_REAL, _CLOSING_SECONDS)
        engine.close()
        sys.exit()


def _own_pipes() -> Channel:
    """The two pipes, out of the way of whatever reads from stdin or prints to stdout."""
    channel = Channel(os.dup(0), os.dup(1))
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    os.close(nothing)
    return channel


def _warm(engine: EmbeddedEngine) -> None:
    """Import all that serving needs: afterwards no library can be read any more."""
    engine.version()
    time.tzset()


def _confined(folder: Path, memory: int) -> str:
    try:
        return confine(Confinement(read=[folder], write=[folder], limits=Limits(memory=memory)))
    except GraphwrightError as error:
        raise GraphUnavailable("graph_unavailable", error.message, error.hint) from None


def _watch_owner(channel: Channel, busy: threading.Event) -> None:
    """End the process when the owner ends in the middle of a request: it is for nobody, and may lock others out."""
    channel.wait_for_end()
    while True:
        if busy.is_set():
            os._exit(1)
        # The other thread notices by itself, unless it had taken a request just before.
        time.sleep(0.05)


def _served(engine: EmbeddedEngine, request: dict[str, Any], channel: Channel) -> tuple[bytes, bool]:
    """The answer to a request as a frame, and whether the engine can go on.

    The alarm is not handled: it ends the process, in the midst of native code, too.
    """
    signal.setitimer(signal.ITIMER_REAL, request["seconds"] + _GRACE)
    told: GraphError
    sound = True
    try:
        frame = encoded({"done": _answer(engine, request, channel)})
    except GraphError as error:
        frame = encoded({"error": packed(error)})
    except Unsendable as error:
        told = QueryFailed("too_much", f"what came of it {error}", "Ask for less at once.")
        frame = encoded({"error": packed(told)})
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    except Gone:
        raise
    except Exception as error:
        told = GraphError("graph_failed", f"the graph's engine failed: {said(error)}", "This is a fault of ours.")
        frame, sound = encoded({"error": packed(told)}), False
    signal.setitimer(signal.ITIMER_REAL, 0)
    return frame, sound


def _answer(engine: EmbeddedEngine, request: dict[str, Any], channel: Channel) -> Any:
    """What the engine's method of that name comes to, as JSON; streams go ahead of it in batches."""
    method, given = request["do"], request["with"]
    shaped = _SHAPED[method]
    for name in given.keys() & {"writes", "after"}:
        given[name] = [write_from_json(write) for write in given[name]]
    for query, writes, columns, parameters in request["accepted"]:
        # This process has no parser.
        remember(query, Accepted(writes, tuple(columns), tuple(parameters)))
    if method == "load":
        given["elements"] = _elements(channel)
    result = getattr(engine, method)(**given)
    if shaped is _BATCHES:
        for frame in batched(each.to_json() if method == "export" else each for each in result):
            with _owners_turn():
                channel.send(frame)
        return None
    return shaped(result)


def _elements(channel: Channel) -> Iterator[Element]:
    """What the owner sends, asked for batch by batch, until one is empty."""
    while True:
        with _owners_turn():
            channel.send(encoded({"more": True}))
            batch = channel.receive()["batch"]
        if not batch:
            return
        yield from map(element, batch)


@contextmanager
def _owners_turn() -> Iterator[None]:
    """The clock stands still: how long the owner takes is its own affair."""
    left, _ = signal.setitimer(signal.ITIMER_REAL, 0)
    yield
    signal.setitimer(signal.ITIMER_REAL, left)


def _same(result: Any) -> Any:
    return result


def _each_to_json(found: Iterable[Element]) -> list[dict[str, Any]]:
    return [each.to_json() for each in found]


_BATCHES = object()

_SHAPED: dict[str, Any] = {
    "version": _same,
    "schema": wire.schema_to_json,
    "node": Node.to_json,
    "find": _each_to_json,
    "edges": _each_to_json,
    "search": _each_to_json,
    "values": _same,
    "subgraph": wire.subgraph_to_json,
    "stream": _BATCHES,
    "read": wire.result_to_json,
    "preview": wire.preview_to_json,
    "apply": wire.applied_to_json,
    "begin_goal": wire.goal_to_json,
    "finish_goal": _same,
    "goal": wire.goal_to_json,
    "goals": lambda goals: [wire.goal_to_json(goal) for goal in goals],
    "preview_undo": wire.changes_to_json,
    "undo": wire.goal_to_json,
    "load": _same,
    "export": _BATCHES,
}
"""The methods that are served, and how their results become JSON."""
