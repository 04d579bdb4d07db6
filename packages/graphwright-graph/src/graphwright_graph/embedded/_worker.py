"""The worker: a separate process that opens one graph, confines itself, and serves the requests of its owner.

It is started as a `sandbox.child.Child` and communicates through two pipes only. The owner is trusted, queries are not:
the process can access only the folder of its file.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from graphwright.errors import GraphwrightError, exception_text
from graphwright.text.near_names import nearest
from graphwright_confined import Confinement, Limits, confine
from graphwright_confined.child import Channel, Gone
from graphwright_graph._elements import Element, element
from graphwright_graph._errors import GraphError, GraphUnavailable, QueryFailed, error_to_json
from graphwright_graph._port import GraphStore, write_from_json
from graphwright_graph.cypher import keep_parsed
from graphwright_graph.cypher._lexer import Parsed
from graphwright_graph.embedded._engine import EmbeddedEngine
from graphwright_graph.embedded._protocol import OUT_OF_MEMORY, Unsendable, batches, message, read

_SERVED = GraphStore.__abstractmethods__ - {"name", "close"}
"""The methods of the engine that are served."""

_GRACE = 1.0
"""The seconds after its time limit until a request ends the process. The engine's own limit comes first, if it works.
"""

_CLOSING_SECONDS = 4.0


def main() -> NoReturn:
    """Open, confine and serve until the owner closes the pipes. `sys.argv[2]` is `{"path", "memory"}` as JSON."""
    settings = json.loads(sys.argv[2])
    channel = Channel.own()
    os.umask(0o077)
    # A process inherits ignored and blocked signals.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGALRM,))
    try:
        engine = EmbeddedEngine(Path(settings["path"]))
        _warm(engine)
        isolation = _confined(Path(settings["path"]).parent, settings["memory"])
    except GraphError as error:
        channel.send(message("error", error_to_json(error)))
        sys.exit(1)
    busy = threading.Event()
    threading.Thread(target=_watch_owner, args=(channel, busy), daemon=True).start()
    try:
        channel.send(message("done", isolation))
        while True:
            _, request = read(channel.receive())
            busy.set()
            frame, sound = _served(engine, request, channel)
            # From now on the owner may end at any moment.
            busy.clear()
            channel.send(frame)
            if not sound:
                sys.exit(1)
    except Gone:
        signal.setitimer(signal.ITIMER_REAL, _CLOSING_SECONDS)
        engine.close()
        sys.exit()


def _warm(engine: EmbeddedEngine) -> None:
    """Import all modules that serving needs, because a confined process cannot read libraries."""
    engine.version()
    nearest("a", ["b"])
    time.tzset()


def _confined(folder: Path, memory: int) -> str:
    try:
        return confine(Confinement(read=[folder], write=[folder], limits=Limits(memory=memory)))
    except GraphwrightError as error:
        raise GraphUnavailable(error.message, error.hint) from None


def _watch_owner(channel: Channel, busy: threading.Event) -> None:
    """End the process if the owner ends during a request: no one waits for it, and it may hold a lock."""
    channel.wait_for_end()
    while True:
        if busy.is_set():
            os._exit(1)
        # The other thread ends the process itself, unless it has just received a request.
        time.sleep(0.05)


def _served(engine: EmbeddedEngine, request: dict[str, Any], channel: Channel) -> tuple[bytes, bool]:
    """The answer to a request as a frame, and whether the engine can continue.

    The alarm is not handled, so that it also ends the process during native code.
    """
    signal.setitimer(signal.ITIMER_REAL, request["seconds"] + _GRACE)
    sound = True
    try:
        frame = message("done", _answer(engine, request, channel))
    except GraphError as error:
        frame = message("error", error_to_json(error))
    except Unsendable as error:
        failed = QueryFailed("too_much", f"The answer {error}.", "Ask for less at once.")
        frame = message("error", error_to_json(failed))
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    except Gone:
        raise
    except Exception as error:
        fault = GraphError(
            "graph_failed", f"The graph's engine failed: {exception_text(error)}.", "This is a bug in Graphwright."
        )
        frame, sound = message("error", error_to_json(fault)), False
    signal.setitimer(signal.ITIMER_REAL, 0)
    return frame, sound


def _answer(engine: EmbeddedEngine, request: dict[str, Any], channel: Channel) -> Any:
    """Call the engine's method of that name; the elements of an export are sent in batches before the answer."""
    method, given = request["do"], request["with"]
    if method not in _SERVED:
        raise ValueError(method)
    for name in given.keys() & {"writes", "after"}:
        given[name] = [write_from_json(write) for write in given[name]]
    for query, writes, *names in request["parsed"]:
        # This process does not have the parser.
        keep_parsed(query, Parsed(writes, *map(tuple, names)))
    if method == "load":
        given["elements"] = _elements(channel)
    result = getattr(engine, method)(**given)
    if method != "export":
        return result
    for frame in batches(result):
        channel.send(frame)
    return None


def _elements(channel: Channel) -> Iterator[Element]:
    """The elements that the owner sends; requested in batches, until one is empty."""
    while True:
        channel.send(message("more"))
        _, batch = read(channel.receive())
        if not batch:
            return
        yield from map(element, batch)
