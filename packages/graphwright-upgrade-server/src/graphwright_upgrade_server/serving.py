"""Running the service: uvicorn on an address of this machine, by a separate command or as a child process."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import secrets
import socket
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from graphwright_upgrade_server.failures import ServiceError

if TYPE_CHECKING:
    import uvicorn
    from starlette.applications import Starlette

__all__ = ["Options", "main", "announcement", "serve"]

HOST = "127.0.0.1"
PORT = 3030
LOOPBACK = ("127.0.0.1", "::1", "localhost")


@dataclass(frozen=True, slots=True)
class Options:
    """The options of the service.

    `database` None: everything is in memory. `port` 0: a free port. `contexts` None: those of the package. `strict`
    restores the flaws of the original. `private` adds an unguessable part to the address.
    """

    database: Path | None
    contexts: Path | None = None
    host: str = HOST
    port: int = PORT
    strict: bool = False
    private: bool = False


def main(arguments: Sequence[str] | None = None) -> int:
    """The command `graphwright-upgrade-server`. Returns its exit code."""
    parser = argparse.ArgumentParser(
        prog="graphwright-upgrade-server",
        description="An UpGrade server for trials: the REST contract of version 6.4 on a SQLite database. "
        "It requires no login.",
    )
    parser.add_argument("--host", default=HOST, help="the address to listen on (default: %(default)s, this machine)")
    parser.add_argument("--port", type=int, default=PORT, help="0 takes a free one (default: %(default)s)")
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--database", type=Path, metavar="FILE", default=Path("upgrade.db"), help="(default: %(default)s)"
    )
    where.add_argument("--memory", action="store_true", help="keep nothing: the database is in memory")
    parser.add_argument("--contexts", type=Path, metavar="FILE", help="the contexts, as YAML or JSON")
    parser.add_argument("--strict", action="store_true", help="with the flaws of the real server, too")
    # For a program that starts the service for its own use: one line of JSON names the address, and the service ends
    # with its standard input.
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    options = Options(
        database=None if given.memory else given.database.absolute(),
        contexts=given.contexts,
        host=given.host,
        port=given.port,
        strict=given.strict,
        private=given.child,
    )
    try:
        if given.child:
            serve(options, lambda address: _print_event({"address": address}), ends_with_input=True)
        else:
            serve(options, lambda address: print(announcement(options, address), file=sys.stderr, flush=True))
    except ServiceError as error:
        if given.child:
            _print_event({"error": {"code": error.code, "message": error.message, "hint": error.hint}})
        else:
            print(f"Error: {error}", file=sys.stderr)
        return 1
    return 0


def announcement(options: Options, address: str) -> str:
    """The line for people when the service answers at `address`."""
    kept = "its data is kept in memory only" if options.database is None else f"its data is in {options.database}"
    open_to = "" if options.host in LOOPBACK else " Everybody who reaches this machine can use and change it."
    return f"The local UpGrade service answers at {address}; {kept}.{open_to}"


def serve(options: Options, ready: Callable[[str], None], *, ends_with_input: bool = False) -> None:
    """Serve until the process is asked to end, or with `ends_with_input` until its standard input ends.

    `ready` is called with the address as soon as the service answers there. Clients with tokens are checked with
    UPGRADE_CLIENT_API_KEY and UPGRADE_CLIENT_API_SECRET. Raises ServiceError if the port is in use, the contexts file
    is wrong, or the database cannot be used.
    """
    listener = _listener(options.host, options.port)
    try:
        # Imported late, so that an error does not wait for the server to load.
        from starlette.middleware.trustedhost import TrustedHostMiddleware

        from graphwright_upgrade_server import _contexts as contexts
        from graphwright_upgrade_server._app import BASE, create_app
        from graphwright_upgrade_server._routing import Access

        base = f"/{secrets.token_urlsafe(24)}{BASE}" if options.private else BASE
        access = Access(
            client_key=os.environ.get("UPGRADE_CLIENT_API_KEY") or None,
            client_secret=os.environ.get("UPGRADE_CLIENT_API_SECRET") or None,
        )
        known = contexts.read(options.contexts) if options.contexts is not None else None
        app = create_app(options.database, known=known, access=access, strict=options.strict, base=base)
        if options.host in LOOPBACK:
            # A web page must not reach the service by a host name that resolves to this machine.
            app.add_middleware(TrustedHostMiddleware, allowed_hosts=[HOST, "localhost", "[::1]"])
        host = f"[{options.host}]" if ":" in options.host else options.host
        address = f"http://{host}:{listener.getsockname()[1]}{base}"
        _run(app, listener, lambda: ready(address), ends_with_input)
    finally:
        listener.close()


def _print_event(what: dict[str, object]) -> None:
    print(json.dumps(what), flush=True)


def _listener(host: str, port: int) -> socket.socket:
    # Explicitly TCP: asyncio disables the delay of small packets (40 ms an answer) only for it.
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    # A service that has just ended leaves its port in a state that would block the next one.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(128)
    except (OSError, OverflowError) as error:
        listener.close()
        why = getattr(error, "strerror", None) or "ports go from 0 to 65535"
        raise ServiceError(
            "port",
            f"The service cannot listen on port {port} of {host}: {why}.",
            "Name another port, or 0 for a free one.",
        ) from None
    return listener


def _run(app: Starlette, listener: socket.socket, ready: Callable[[], None], ends_with_input: bool) -> None:
    import uvicorn

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if self.started:
                ready()

    config = uvicorn.Config(app, log_level="warning", access_log=False, lifespan="on", timeout_graceful_shutdown=5)
    server = Server(config)
    if ends_with_input:
        threading.Thread(target=_wait_for_end, args=(server,), daemon=True).start()
    # The server has already ended in order before it passes the interrupt on.
    with contextlib.suppress(KeyboardInterrupt):
        server.run(sockets=[listener])


def _wait_for_end(server: uvicorn.Server) -> None:
    # Not through sys.stdin: its lock would keep the process from ending while this thread waits.
    with contextlib.suppress(OSError):
        while os.read(0, 1024):
            pass
    server.should_exit = True
