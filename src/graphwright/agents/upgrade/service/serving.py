"""Running the service on this machine: uvicorn on a loopback address, on the database of the data folder."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from graphwright.agents.upgrade.service.access import Access
from graphwright.errors import UsageError

if TYPE_CHECKING:
    from starlette.applications import Starlette

HOST = "127.0.0.1"
PORT = 3030


def database_file(home: Path) -> Path:
    """Where the service keeps its data in the data folder `home`."""
    return home / "upgrade" / "upgrade.db"


def own_contexts(home: Path) -> Path | None:
    """The file of contexts in the data folder, None where there is none."""
    file = home / "upgrade" / "contexts.yaml"
    return file if file.is_file() else None


def access_from_environment() -> Access:
    """Who may call, as the environment says: UPGRADE_CLIENT_API_KEY and UPGRADE_CLIENT_API_SECRET."""
    return Access(
        client_key=os.environ.get("UPGRADE_CLIENT_API_KEY") or None,
        client_secret=os.environ.get("UPGRADE_CLIENT_API_SECRET") or None,
    )


def serve(
    path: Path | None,
    *,
    contexts_file: Path | None = None,
    port: int = PORT,
    strict: bool = False,
    ready: Callable[[str], None] = print,
) -> None:
    """Serve the database file `path` (None: memory) until the process is told to end.

    `port` 0 takes a free one; `ready` is called with a sentence that names the address, once it answers there. Nobody
    but this machine reaches it. Raises UsageError (the port is taken, the contexts file is wrong) and StoreError.
    """
    listener = _listener(port)
    try:
        # Not at the top: whoever asks where the database is should not pay for a server.
        from starlette.middleware.trustedhost import TrustedHostMiddleware

        from graphwright.agents.upgrade.service import contexts
        from graphwright.agents.upgrade.service.app import BASE, create_app

        known = contexts.read(contexts_file) if contexts_file is not None else None
        app = create_app(path, known=known, access=access_from_environment(), strict=strict)
        # A page in somebody's browser must not reach the service under a name of its own that leads here.
        app.add_middleware(TrustedHostMiddleware, allowed_hosts=[HOST, "localhost"])
        address = f"http://{HOST}:{listener.getsockname()[1]}{BASE}"
        place = f"its data is in {path}" if path is not None else "its data is kept in memory only"
        _run(app, listener, lambda: ready(f"The local UpGrade service answers at {address}; {place}."))
    finally:
        listener.close()


def _listener(port: int) -> socket.socket:
    # Named as TCP: asyncio switches the delaying of small packets off for nothing else, 40 ms an answer.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    # A service that ended a moment ago leaves its port in a state that would keep the next one off it.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        listener.listen(128)
    except (OSError, OverflowError) as error:
        listener.close()
        raise UsageError(
            "port",
            f"The service cannot listen on port {port}: {_why(error)}.",
            "Name another port, or 0 for a free one.",
        ) from None
    return listener


def _why(error: OSError | OverflowError) -> str:
    if isinstance(error, OverflowError):
        return "ports go from 0 to 65535"
    if error.errno == errno.EADDRINUSE:
        return "another program has it"
    return error.strerror or type(error).__name__


def _run(app: Starlette, listener: socket.socket, ready: Callable[[], None]) -> None:
    import uvicorn

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            if self.started:
                ready()

    config = uvicorn.Config(app, log_level="warning", access_log=False, lifespan="on", timeout_graceful_shutdown=5)
    # The server has come to its end in good order before it passes the interrupt on.
    with contextlib.suppress(KeyboardInterrupt):
        Server(config).run(sockets=[listener])
