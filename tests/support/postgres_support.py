"""Shared by tests of Postgres: a separate server on this machine, if Postgres is installed."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

import pytest

from unprivileged_support import NOBODY

PASSWORD = "a pass/word@home"


class PostgresServer:
    """A Postgres server on a free port of this machine. `url` has a superuser, with its password."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self._programs = programs
        self._data = folder / "data"
        self._folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self._databases = 0

    def initialise(self) -> None:
        word = self._folder / "password"
        word.write_text(PASSWORD)
        self._run("initdb", "-D", self._data, "-U", "gw", "-A", "scram-sha-256", f"--pwfile={word}", *_UTF8)

    def start(self) -> None:
        settings = ("listen_addresses=127.0.0.1", f"unix_socket_directories={self._folder}", "fsync=off")
        options = " ".join([f"-p {self.port}", *(f"-c {setting}" for setting in settings)])
        self._run("pg_ctl", "start", "-w", "-D", self._data, "-l", self._folder / "log", "-o", options)

    def stop(self) -> None:
        """Stop it, without waiting for connected clients."""
        self._run("pg_ctl", "stop", "-D", self._data, "-m", "fast")

    def restart(self) -> None:
        """Stop it as a power failure does, and start it again."""
        self._run("pg_ctl", "stop", "-D", self._data, "-m", "immediate")
        self.start()

    def cut(self, database: str) -> int:
        """End the sessions of a database; return their number."""
        ended = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = '{}'"
        ((count,),) = self.execute(ended.format(database))
        return int(str(count))

    def database(self) -> str:
        """The address of a new, empty database."""
        self._databases += 1
        name = f"test{self._databases}"
        self.execute(f"CREATE DATABASE {name}")
        return self.url(name)

    def url(self, database: str = "postgres", *, user: str = "gw", password: str = PASSWORD) -> str:
        return f"postgresql://{user}:{quote(password, safe='')}@127.0.0.1:{self.port}/{database}"

    def execute(self, statement: str, database: str = "postgres") -> list[tuple[object, ...]]:
        import psycopg

        with psycopg.connect(self.url(database), autocommit=True) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def _run(self, program: str, *args: str | Path) -> None:
        done = subprocess.run(
            [self._programs / program, *args], capture_output=True, text=True, check=False, **_UNPRIVILEGED
        )
        assert done.returncode == 0, done.stderr


class Cutting:
    """A port that leads to a server, and loses a connection at one of its commits, or at another `statement`."""

    def __init__(self, postgres: PostgresServer, listening: socket.socket, statement: bytes) -> None:
        self._server = postgres.port
        self._statement = statement
        self._listening = listening
        self._left = 0
        self._forward = False
        self.done = True
        """Whether the connection was lost."""

    def url(self, address: str) -> str:
        """The address of a database through this port."""
        return address.replace(f":{self._server}/", f":{self._listening.getsockname()[1]}/")

    def arm(self, number: int, *, forward: bool) -> None:
        """Lose the connection at this statement from now on: after the server has got it if `forward`, else before."""
        self._left, self._forward, self.done = number, forward, False

    def accept(self) -> None:
        while True:
            try:
                client, _ = self._listening.accept()
            except OSError:
                return
            server, lost = socket.create_connection(("127.0.0.1", self._server)), threading.Event()
            for work in (partial(self._ask, client, server, lost), partial(self._answer, server, client, lost)):
                threading.Thread(target=work, daemon=True).start()

    def _ask(self, client: socket.socket, server: socket.socket, lost: threading.Event) -> None:
        # The driver prepares a statement that it often sends, and then sends its name only.
        names = [self._statement]
        prepared = re.compile(rb"(_pg3_\d+)\0[^\0]*" + self._statement)
        with client, server, suppress(OSError):
            while data := client.recv(65536):
                names += [name + b"\0" for name in prepared.findall(data)]
                there = any(name in data for name in names)
                self._left -= there
                if there and self._left == 0 and not self.done:
                    self.done = True
                    lost.set()
                    if self._forward:
                        server.sendall(data)
                        # Long enough for the server to read it.
                        time.sleep(0.1)
                    for end in (client, server):
                        end.shutdown(socket.SHUT_RDWR)
                    return
                server.sendall(data)

    def _answer(self, server: socket.socket, client: socket.socket, lost: threading.Event) -> None:
        with client, server, suppress(OSError):
            while (data := server.recv(65536)) and not lost.is_set():
                client.sendall(data)


@contextmanager
def cutting(postgres: PostgresServer, statement: bytes = b"COMMIT") -> Iterator[Cutting]:
    """A port that leads to the server, until the end of the block."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        cut = Cutting(postgres, listening, statement)
        threading.Thread(target=cut.accept, daemon=True).start()
        yield cut


@contextmanager
def kept_in(kind: str, request: pytest.FixtureRequest) -> Iterator[None]:
    """Inside, stores are opened in a new database of this kind: `sqlite` or `postgres`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("GRAPHWRIGHT_STORE", raising=False)
        if kind == "postgres":
            patch.setenv("GRAPHWRIGHT_STORE", request.getfixturevalue("postgres").database())
        yield


_UTF8 = ("--encoding=UTF8", "--locale=C.UTF-8")
# Postgres refuses to run as root.
_UNPRIVILEGED: dict[str, object] = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}


@contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    """A running server; the test is skipped with the reason if it is not available."""
    if find_spec("psycopg") is None:
        pytest.skip("psycopg is not installed: pip install 'graphwright[postgres]'")
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda file: int(file.parts[-3]))
    if not found:
        pytest.skip("there is no Postgres in /usr/lib/postgresql: apt-get install postgresql")
    with tempfile.TemporaryDirectory() as folder:
        if os.geteuid() == 0:
            os.chown(folder, NOBODY, NOBODY)
        server = PostgresServer(found[-1].parent, Path(folder))
        server.initialise()
        server.start()
        try:
            yield server
        finally:
            server.stop()
