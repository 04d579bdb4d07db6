"""The served agents: those of folders are loaded at the start, installed ones on first use; and open sessions."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass, replace
from time import monotonic
from typing import TYPE_CHECKING, Any

from graphwright import Agent, FlowInvalid, UsageError, load
from graphwright.errors import GraphwrightError
from graphwright.host.agent import outline
from graphwright.host.cards import Card, card, unusable
from graphwright.host.discovery import address_of, find, name_of, names
from graphwright.store import DRAFT
from graphwright_server._created import CreatedAgents
from graphwright_server._flow_files import FlowFiles
from graphwright_server._trials import Trials

if TYPE_CHECKING:
    from pathlib import Path

    from graphwright import Session, Workspace
    from graphwright.authoring.templates import Language
    from graphwright.flow import CompiledFlow
    from graphwright.store import FlowDocuments, FlowVersion


logger = logging.getLogger("graphwright.server")

LOOK_AGAIN = 1.0
"""Seconds between checks of the store and the flow files for a newer version of a flow."""


@dataclass(frozen=True, slots=True)
class _Active:
    """An agent with the active version of its flow; number 0 is the file of its folder."""

    agent: Agent
    number: int
    asked: float = 0.0


class Agents:
    """The agents that a request may name. A request cannot name a path, so HTTP clients cannot load code."""

    def __init__(
        self,
        folders: Sequence[str] = (),
        model: str | None = None,
        flows: FlowDocuments | None = None,
        files: FlowFiles | None = None,
        drafts: FlowDocuments | None = None,
        created: CreatedAgents | None = None,
    ) -> None:
        """`folders` are served with the installed agents; with `files`, which watch them, they are served alone.

        `flows` has the published versions, `drafts` the drafts that authors try. `created` are agents that authors make
        from templates; they are served, too.
        """
        installed = names() if files is None else ()
        self._model = model
        self._flows = flows
        self._trials = None if drafts is None else Trials(drafts, self.get)
        self._active: dict[str, _Active] = {}
        self._folders = {name_of(find(each)): each for each in folders}
        self._sources = {name: name for name in installed} | self._folders
        self._addresses = {name: name for name in installed} | {
            name_of(find(each)): address_of(find(each), each) for each in folders
        }
        self._names = {address: name for name, address in self._addresses.items()}
        self._loaded: dict[str, Agent] = {}
        self._files = files or FlowFiles()
        self._cards: dict[str, Card] = {}
        self._loading: dict[str, asyncio.Lock] = {name: asyncio.Lock() for name in self._sources}
        self._describing = asyncio.Lock()
        self._created = created
        self._serve_created()

    def _serve_created(self) -> None:
        """Serve the agents that were created since, also by other workers. One with the name of another is left out."""
        for name, folder in self._created.folders().items() if self._created else ():
            if name not in self._sources:
                self._folders[name] = self._sources[name] = str(folder)
                self._addresses[name] = address_of(find(str(folder)), str(folder))
                self._names[self._addresses[name]] = name
                self._loading[name] = asyncio.Lock()

    async def create(self, name: str, template: str, title: str = "", language: Language = "en") -> None:
        """Make an agent from a template; it is served at once.

        Raises UsageError (`bad_name`, `agent_exists`, `no_template`, `no_new_agents`).
        """
        if self._created is None:
            raise UsageError("no_new_agents", "This service makes no agents.", "Use 'graphwright init'.")
        if name in self._sources:
            raise UsageError("agent_exists", f"There is an agent {name!r} already.", "Choose another name.")
        await asyncio.to_thread(self._created.create, name, template, title, language)
        self._serve_created()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all served agents."""
        return tuple(self._sources)

    async def called(self, text: str) -> list[str]:
        """Return the names of the agents with a text in their name or title, ignoring case."""
        wanted = text.strip().lower()
        cards = await self.cards() if wanted else []
        return [card["name"] for card in cards if wanted in card["name"].lower() or wanted in card["title"].lower()]

    def address(self, name: str) -> str:
        """Return the address by which threads store an agent. Raises UsageError (`unknown_agent`)."""
        self.require(name)
        return self._addresses[name]

    def name(self, address: str) -> str:
        """Return the name of the agent with this address; the address itself if the agent is not served."""
        return self._names.get(address, address)

    def source(self, name: str) -> str:
        """Return the argument of `graphwright.load` for an agent: its name, or its folder. Raises UsageError."""
        self.require(name)
        return self._sources[name]

    async def get(self, name: str) -> Agent:
        """Return an agent, loaded with its Python. Raises UsageError (`unknown_agent`), and as `graphwright.load`."""
        self.require(name)
        async with self._loading[name]:
            return await self._published(name, await self._first(name))

    async def load_folders(self) -> None:
        """Load the agents of folders: their versions stay in use if a file breaks before the first request.

        An agent that cannot be loaded is logged, and loaded at a request once it can.
        """
        for name, source in self._folders.items():
            try:
                async with self._loading[name]:
                    await self._first(name)
                await asyncio.to_thread(self._card, name)
            # The Python of an agent may fail in any way, and must not stop the service.
            except Exception as error:
                logger.warning("the agent %s cannot be loaded: %s", name, self._files.told(error, source))

    async def _first(self, name: str) -> Agent:
        if name not in self._loaded:
            self._loaded[name] = await asyncio.to_thread(self._files.first, name, self._sources[name])
        return self._loaded[name]

    async def watch(self) -> None:
        """Load new versions of the flow files of loaded agents until cancelled."""
        while True:
            await asyncio.sleep(LOOK_AGAIN)
            self._serve_created()
            for name in list(self._loaded):
                await self._reload(name)

    async def _reload(self, name: str) -> None:
        async with self._loading[name]:
            newer = await asyncio.to_thread(self._files.newer, name, self._sources[name], self._loaded[name])
            if newer is None:
                return
            self._loaded[name] = newer
            self._active.pop(name, None)
            version = await self._flows.latest(newer.flow.id) if self._flows is not None else None
            if version is None:
                logger.warning("the agent %s is now served with its new flow file", name)
            else:
                logger.warning(
                    "the flow file of %s has changed; the published version %s stays its flow", name, version.number
                )

    async def _published(self, name: str, agent: Agent) -> Agent:
        """Return the agent with the latest published version of its flow, or with the flow of its folder.

        Other workers may publish, so the store is checked again after `LOOK_AGAIN` seconds.
        """
        known = self._active.get(name)
        if self._flows is None or (known is not None and monotonic() - known.asked < LOOK_AGAIN):
            return known.agent if known else agent
        version = await self._flows.latest(agent.flow.id)
        number = version.number if version else 0
        if known is None or known.number != number:
            if version is not None:
                stored = await self._flows.get(version.hash)
                agent = await asyncio.to_thread(_version, self._sources[name], version, stored or version.text)
            known = _Active(agent, number)
        self._active[name] = replace(known, asked=monotonic())
        return known.agent

    def look_again(self, name: str) -> None:
        """Read the active version of an agent's flow at the next request."""
        if name in self._active:
            self._active[name] = replace(self._active[name], asked=-LOOK_AGAIN)

    async def of(self, address: str) -> Agent:
        """Return the agent with this address; for `draft:NAME` with the newest draft of its flow.

        Raises UsageError (`agent_not_served`, `draft_invalid`).
        """
        drafted = address.removeprefix(DRAFT)
        if self._trials is not None and drafted != address and drafted in self._sources:
            return await self._trials.get(drafted, self._sources[drafted])
        name = self._names.get(address)
        if name is None:
            message = "The agent of this thread is not served here."
            raise UsageError("agent_not_served", message, "Add its folder to `agents` of [service].")
        return await self.get(name)

    async def card(self, name: str) -> dict[str, Any]:
        """Return the card of an agent, without file paths. Raises UsageError (`unknown_agent`)."""
        self.require(name)
        return (await asyncio.to_thread(self._public_cards, {name: await self._served_version(name)}))[0]

    async def cards(self) -> list[dict[str, Any]]:
        """Return the cards of all agents, without file paths."""
        # The first cards take the longest, because they compile the agents.
        async with self._describing:
            published = {name: await self._served_version(name) for name in self.names}
            return await asyncio.to_thread(self._public_cards, published)

    async def _served_version(self, name: str) -> CompiledFlow | None:
        """Return the published version of an agent's flow; None if its file is served, or it cannot be loaded."""
        try:
            flow = (await asyncio.to_thread(outline, self._sources[name])).flow
            if self._flows is None or await self._flows.latest(flow.id) is None:
                return None
            return (await self.get(name)).flow
        except GraphwrightError:
            return None

    def _public_cards(self, published: Mapping[str, CompiledFlow | None]) -> list[dict[str, Any]]:
        left_out = {"file", "addresses"}
        found = [(name, asdict(self._card(name, flow))) for name, flow in published.items()]
        return [{**{k: v for k, v in card.items() if k not in left_out}, "name": name} for name, card in found]

    def _card(self, name: str, published: CompiledFlow | None = None) -> Card:
        try:
            self._cards[name] = card(self._sources[name], self._model, published)
        except GraphwrightError as error:
            if name not in self._loaded or name not in self._cards:
                return unusable(name, error)
            # The version that was loaded is still served.
        return self._cards[name]

    def require(self, name: str) -> str:
        """Return the name of a served agent. Raises UsageError (`unknown_agent`)."""
        if name not in self._sources:
            raise UsageError(
                "unknown_agent", f"There is no agent {name[:60]!r} here.", f"Known: {', '.join(self.names)}."
            )
        return name


IDLE = 120.0
"""Seconds that a session stays open after a turn. An agent may have started MCP servers for it."""

MOST = 50
"""Maximum number of open sessions; beyond it the session that was idle the longest is closed."""


@dataclass(frozen=True, slots=True)
class _Idle:
    session: Session
    model: str
    since: float


class OpenSessions:
    """Provides sessions for one turn each. Use it as an async context manager."""

    def __init__(
        self, workspace: Workspace, *, models: Sequence[str] = (), idle: float = IDLE, most: int = MOST
    ) -> None:
        """`models` are those that a thread may have in place of the workspace's model."""
        self._workspace = workspace
        self._models = frozenset(models)
        self._idle = idle
        self._most = most
        self._held: OrderedDict[str, _Idle] = OrderedDict()
        self._closer: asyncio.Task[None] | None = None

    async def __aenter__(self) -> OpenSessions:
        self._closer = asyncio.create_task(self._close_what_idles())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._closer is not None:
            self._closer.cancel()
            with suppress(asyncio.CancelledError):
                await self._closer
        while self._held:
            await _close(self._held.popitem()[1].session)

    @asynccontextmanager
    async def session_for(self, agent: Agent, thread: str, model: str = "") -> AsyncIterator[Session]:
        """Return the session of a thread: that of its last turn if it is still open.

        `model` is the one chosen for the thread, if it may still be chosen. The session is closed after a turn that
        raised: its connections may be the cause.
        """
        model = model if model in self._models else ""
        found = self._held.pop(thread, None)
        if found is not None and (found.session.agent is not agent or found.model != model):
            await _close(found.session)
            found = None
        if found is None:
            session = await self._workspace.session(agent, thread, model=model or None).__aenter__()
        else:
            session = found.session
        try:
            yield session
        except BaseException:
            await asyncio.shield(asyncio.ensure_future(_close(session)))
            raise
        other = self._held.pop(thread, None)
        self._held[thread] = _Idle(session, model, monotonic())
        if other is not None:
            await _close(other.session)
        while len(self._held) > self._most:
            await _close(self._held.popitem(last=False)[1].session)

    async def forget(self, thread: str) -> None:
        """Close the session of a deleted thread."""
        found = self._held.pop(thread, None)
        if found is not None:
            await _close(found.session)

    async def _close_what_idles(self) -> None:
        while True:
            await asyncio.sleep(self._idle / 4)
            old = monotonic() - self._idle
            for thread in [each for each, idle in self._held.items() if idle.since < old]:
                # It may have been used or closed while another one was closed.
                found = self._held.get(thread)
                if found is not None and found.since < old:
                    await self.forget(thread)


async def _close(session: Session) -> None:
    await session.__aexit__(None, None, None)


def _version(source: str | Path, version: FlowVersion, stored: str) -> Agent:
    """The agent with a published version: its text, with layout and description, or else the document as stored.

    The layers that the text extends may have changed since it was published.
    """
    try:
        agent = load(source, document=version.text or stored)
    except FlowInvalid:
        return load(source, document=stored)
    return agent if agent.flow.hash == version.hash else load(source, document=stored)
