"""The server of a case: a local service over a file, which the agent reaches over HTTP like any other."""

from __future__ import annotations

import shutil
import socket
import sqlite3
import threading
from collections.abc import AsyncIterator, Iterator, Sequence, Set
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from eval.conversing import ExpectedStates, Informed
from eval.environment import environment
from eval.stateful import Stateful
from eval.states import State
from eval.upgrade.cases import Request, read_requests
from eval.upgrade.doing import build, fulfil
from eval.upgrade.states import BLANK, client, state_of, without_made_up
from eval.upgrade.steps import Steps
from eval.upgrade.worlds import World
from graphwright.config import without_file
from graphwright.errors import UsageError
from graphwright_upgrade.client._failures import UpgradeError
from graphwright_upgrade_server._app import create_app

_HOST = "127.0.0.1"
_DATABASE = "server.db"
_SETTINGS = (
    *("UPGRADE_API_URL", "UPGRADE_SERVICE_ACCOUNT", "UPGRADE_AUTH_TOKEN"),
    *("UPGRADE_CLIENT_API_KEY", "UPGRADE_CLIENT_API_SECRET"),
)


class Door:
    """The listening app. A copy uses the same address, because agents ask again if the server's address changes."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self.app(scope, receive, send)


class Server:
    """A service over a file in a folder, which also has the conversation. `named` are the users that a case names."""

    def __init__(self, folder: Path, door: Door, world: World, named: Set[str]) -> None:
        self.folder = folder
        self.door = door
        self._world = world
        self._named = {*world.users, *named}

    async def state(self) -> State:
        with closing(sqlite3.connect(self.folder / _DATABASE)) as database:
            users = [str(id) for (id,) in database.execute('SELECT id FROM "user"')]
        groups = {id for person in self._world.users.values() for ids in (person.groups or {}).values() for id in ids}
        return without_made_up(await state_of(self.door.app, self._world.handles(), users), self._named, groups)

    @asynccontextmanager
    async def copied(self, folder: Path) -> AsyncIterator[Server]:
        shutil.copytree(self.folder, folder)
        before = self.door.app
        with _service(folder, self._world) as app:
            self.door.app = app
            try:
                yield Server(folder, self.door, self._world, self._named)
            finally:
                self.door.app = before


class Requests(Stateful[Request]):
    """Cases of the UpGrade agent, and their worlds."""

    agent = "upgrade"

    def __init__(self, cases: Sequence[tuple[Request, World]]) -> None:
        super().__init__(request for request, _ in cases)
        self._worlds = {request.id: world for request, world in cases}

    @classmethod
    def read(cls, folder: Path) -> Requests:
        """The cases in a folder. Raises UsageError for unreadable or invalid ones."""
        return cls(read_requests(folder))

    async def expected_states(self, case: Request) -> ExpectedStates:
        """The state after a client makes the changes of the case, on separate servers."""
        try:
            async with self._built(case) as server:
                begin = await server.state()
            if not case.expect.writes:
                return ExpectedStates(begin, (begin,), BLANK)
            async with self._built(case) as server:
                async with client(server.door.app) as asked:
                    await fulfil(asked, self._worlds[case.id], case.expect)
                return ExpectedStates(begin, (await server.state(),), BLANK)
        except UpgradeError as error:
            raise UsageError("bad_case", f"{case.id}: {error.message}", "Mend the case or its world.") from error

    def informed(self, case: Request, wanted: ExpectedStates) -> Informed:
        """The user who answers the questions of the steps with the wanted values of the case."""
        return Steps(case, self._worlds[case.id], wanted.ends[0])

    @asynccontextmanager
    async def world(self, case: Request, folder: Path) -> AsyncIterator[Server]:
        """The server of a case, newly created, in an empty folder."""
        async with self._built(case, folder) as server:
            with _listening(server.door):
                yield server

    @asynccontextmanager
    async def _built(self, case: Request, folder: Path | None = None) -> AsyncIterator[Server]:
        world = self._worlds[case.id]
        with TemporaryDirectory(ignore_cleanup_errors=True) as spare:
            place = folder or Path(spare)
            (place / _DATABASE).write_bytes(await _database(world))
            with _service(place, world) as app:
                yield Server(place, Door(app), world, case.expect.people())


async def _database(world: World) -> bytes:
    """A database with the world; cached, because many cases begin with the same one."""
    key = world.model_dump_json()
    if key not in _databases:
        with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            with _service(Path(folder), world) as app:
                async with client(app) as asked:
                    await build(asked, world)
            _databases[key] = (Path(folder) / _DATABASE).read_bytes()
    return _databases[key]


_databases: dict[str, bytes] = {}


@contextmanager
def _service(folder: Path, world: World) -> Iterator[Any]:
    app = create_app(folder / _DATABASE, known=world.contexts)
    try:
        yield app
    finally:
        app.state.database.close()


@contextmanager
def _listening(app: Any) -> Iterator[None]:
    """Inside, the service listens on this machine, and the environment names it as the server."""
    import uvicorn

    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.bind((_HOST, 0))
        listener.listen(128)
        server = uvicorn.Server(
            uvicorn.Config(app, interface="asgi3", log_level="critical", access_log=False, lifespan="off", ws="none")
        )
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        url = f"http://{_HOST}:{listener.getsockname()[1]}/api"
        try:
            with without_file(), environment({**dict.fromkeys(_SETTINGS), "UPGRADE_API_URL": url}):
                yield
        finally:
            server.should_exit = True
            thread.join(30)
