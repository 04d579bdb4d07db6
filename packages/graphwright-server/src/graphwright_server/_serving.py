"""Running the service: uvicorn on an address of this machine, or on a network address if a login is configured."""

from __future__ import annotations

import asyncio
import gc
import socket
from collections.abc import Callable

import uvicorn

from graphwright.errors import GraphwrightError, UsageError
from graphwright_server._app import create_app
from graphwright_server._settings import ServiceSettings

_CLOSING = 10


def serve(settings: ServiceSettings, listening: Callable[[str], None]) -> None:
    """Serve until stopped. `listening` is called with the address when the service accepts requests.

    Raises UsageError (`no_login`, `bad_address`), GraphwrightError (`not_started`), and StoreError if the data cannot
    be opened.
    """
    # The store is opened here first, because uvicorn prints a traceback for errors at startup.
    has_key = asyncio.run(_has_key(settings))
    if settings.needs_login and settings.oidc is None and not has_key:
        raise UsageError(
            "no_login",
            f"On {settings.host} everyone who reaches this machine could use the service, and no login is configured.",
            "Make a key: graphwright keys create --user NAME. Or set up [service.oidc], or leave --host out.",
        )
    bound = _bound(settings)
    host, port = settings.host, bound.getsockname()[1]
    address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    app = create_app(settings)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        # Longer than clients keep an idle connection: otherwise they may send on a connection that is closing.
        timeout_keep_alive=75,
        timeout_graceful_shutdown=_CLOSING,
    )
    server = _Server(config, lambda: listening(address))
    server.run([bound])
    if server.failed:
        raise GraphwrightError("not_started", "The service could not start.", "Its log above says why.")


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, listening: Callable[[], None]) -> None:
        super().__init__(config)
        self._listening = listening
        self.failed = False

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.failed = self.should_exit
        if self.started:
            _spare_what_stays()
            self._listening()


def _spare_what_stays() -> None:
    """Exclude imported objects from garbage collection: traversing them delayed all turns by 0.1 s each time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def _bound(settings: ServiceSettings) -> socket.socket:
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        bound = socket.socket(family, kind, protocol)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(place)
    except OSError as error:
        raise UsageError(
            "bad_address",
            f"{settings.host} port {settings.port} cannot be listened on: {error.strerror or error}.",
            "Choose another port: graphwright serve --port 0 takes a free one.",
        ) from error
    return bound


async def _has_key(settings: ServiceSettings) -> bool:
    from graphwright.store import open_store

    async with open_store(settings.home) as store:
        return bool(await store.access.keys.list())
