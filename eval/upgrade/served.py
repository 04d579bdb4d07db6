"""The server that a case is about: a local service with two doors, one for the agent, where every call is noted."""

from __future__ import annotations

import json
import os
import re
import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import httpx
from pydantic import BaseModel, ConfigDict

from eval.upgrade.wishes import CHANGED, CREATED, DELETED, LIST_CHANGED, LIST_DELETED, MADE_KNOWN, MARKED, set_to
from graphwright.agents.upgrade.client.calls import UpgradeClient
from graphwright.agents.upgrade.client.experiment import internal
from graphwright.config import without_file
from graphwright_upgrade_server.app import create_app

if TYPE_CHECKING:
    from starlette.types import Message, Receive, Scope, Send

_HOST = "127.0.0.1"
_INSIDE = "http://upgrade.local/api"
_READS = ("/experiments/paginated", "/v6/assign", "/stats/", "/batch-assign")
_DESTROYS = ("cancelled", "archived")
_SETTINGS = (
    *("UPGRADE_API_URL", "UPGRADE_SERVICE_ACCOUNT", "UPGRADE_AUTH_TOKEN"),
    *("UPGRADE_CLIENT_API_KEY", "UPGRADE_CLIENT_API_SECRET"),
)


class Refusal(BaseModel):
    """Which calls the server refuses: those in whose `METHOD /path` the pattern `call` is found."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    call: str
    status: int
    message: str


@dataclass(frozen=True, slots=True)
class Write:
    """A call that writes: what was `done` to `what`, whether it `destroys`, whether a yes went before, what came of it.

    `what` is the id of a user, the handle of an experiment, or the name of a new one.
    """

    done: str
    what: str
    destroys: bool
    confirmed: bool
    status: int


@dataclass
class Served:
    """A service with its notes: all writes, and the users who were ever made known.

    `confirmed` is noted with each write from now on, and `refusals` are what is refused. `handles` are those of
    experiments by id, `names` those of new ones; `lists` says by the id of a list whose it is.
    """

    app: Any
    refusals: Sequence[Refusal] = ()
    confirmed: bool = False
    writes: list[Write] = field(default_factory=list)
    made_known: set[str] = field(default_factory=set)
    handles: dict[str, str] = field(default_factory=dict)
    lists: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)

    def client(self) -> UpgradeClient:
        """A client in this process, whose calls are noted."""
        return UpgradeClient(_INSIDE, transport=httpx.ASGITransport(app=self.answer))

    def unseen(self) -> UpgradeClient:
        """A client whose calls are neither noted nor refused."""
        return UpgradeClient(_INSIDE, transport=httpx.ASGITransport(app=self.app))

    async def raw(self, path: str) -> Any:
        """What a route answers that the client has no call for; not noted."""
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=self.app)) as http:
            return (await http.get(_INSIDE + path)).json()

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """The service as an ASGI application, with notes and refusals."""
        body = await _body(receive)
        method, path = scope["method"], scope["path"].removeprefix("/api")
        answer: list[Message] = []

        async def kept(message: Message) -> None:
            answer.append(message)

        refusal = next((r for r in self.refusals if re.search(r.call, f"{method} {path}")), None)
        if refusal is not None:
            await _refuse(refusal, path, kept)
        else:
            await self.app(scope, _once(body), kept)
        if method != "GET" and not path.startswith(_READS):
            status = next(message["status"] for message in answer if "status" in message)
            content = b"".join(message.get("body", b"") for message in answer)
            self._note(method, path, _user(scope), _json(body), status, _json(content))
        # Only now: whoever has the answer may look at the notes.
        for message in answer:
            await send(message)

    def _note(self, method: str, path: str, user: str, body: Any, status: int, answer: Any) -> None:
        sent = body if isinstance(body, dict) else {}
        got = answer if isinstance(answer, dict) and status < 400 else {}
        (done, what), destroys = self._told(method, path, user, sent, got)
        self.writes.append(Write(done, what, destroys, self.confirmed, status))

    def _told(
        self, method: str, path: str, user: str, sent: Mapping[str, Any], got: Mapping[str, Any]
    ) -> tuple[tuple[str, str], bool]:
        """What is done to what, and whether that destroys anything."""
        gone = method == "DELETE"
        if path in ("/v6/init", "/v6/groupmembership", "/v6/workinggroup"):
            if got:
                self.made_known.add(user)
            return (MADE_KNOWN, user), False
        if path == "/v6/mark":
            return (MARKED, user), False
        if path == "/experiments":
            name = str(sent.get("name"))
            if "id" in got:
                self.names[str(got["id"])] = name
            return (CREATED, name), False
        if path == "/experiments/state":
            state = str(internal(sent.get("state")))
            return (set_to(state), self._title(sent.get("experimentId"))), state in _DESTROYS
        if found := re.match(r"/experiments/(?:in|ex)clusionList(?:/(?P<id>[^/]+))?\Z", path):
            title = self.lists.get(found["id"] or "", "") or self._title(sent.get("experimentId"))
            if "segmentId" in got:
                self.lists[str(got["segmentId"])] = title
            return (LIST_DELETED if gone else LIST_CHANGED, title), gone
        if found := re.match(r"/experiments/(?P<id>[^/]+)\Z", path):
            return (DELETED if gone else CHANGED, self._title(found["id"])), gone
        return (method, path), gone

    def _title(self, id: Any) -> str:
        key = str(id).lower()
        return self.handles.get(key) or self.names.get(key) or f"the unknown experiment {id}"


@contextmanager
def serving(contexts: Mapping[str, Any]) -> Iterator[Served]:
    """A fresh service in memory, reached in this process alone."""
    app = create_app(None, known=contexts)
    try:
        yield Served(app)
    finally:
        app.state.database.close()


@contextmanager
def listening(served: Served) -> Iterator[None]:
    """Inside, the service listens on this machine, and the environment names it as the server to talk to."""
    import uvicorn

    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.bind((_HOST, 0))
        listener.listen(128)
        config = uvicorn.Config(
            served.answer, interface="asgi3", log_level="critical", access_log=False, lifespan="off", ws="none"
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        try:
            with without_file(), _environment(f"http://{_HOST}:{listener.getsockname()[1]}/api"):
                yield
        finally:
            server.should_exit = True
            thread.join(30)


@contextmanager
def _environment(url: str) -> Iterator[None]:
    before = {name: os.environ.pop(name, None) for name in _SETTINGS}
    os.environ["UPGRADE_API_URL"] = url
    try:
        yield
    finally:
        del os.environ["UPGRADE_API_URL"]
        os.environ.update({name: value for name, value in before.items() if value is not None})


async def _body(receive: Receive) -> bytes:
    body, more = b"", True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return body


def _once(body: bytes) -> Receive:
    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    return receive


async def _refuse(refusal: Refusal, path: str, send: Send) -> None:
    told = {"name": "Error", "message": refusal.message, "endPoint": f"/api{path}", "errorCode": refusal.status}
    headers = [(b"content-type", b"application/json; charset=utf-8")]
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps(told).encode()})


def _user(scope: Scope) -> str:
    return next((value.decode("latin-1") for name, value in scope["headers"] if name == b"user-id"), "")


def _json(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return None
