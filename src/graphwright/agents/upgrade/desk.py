"""What a node of the UpGrade agent works on: the server, what it holds, and what this turn has gathered."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphwright.agents.upgrade.checks.facts import Facts, facts_of

if TYPE_CHECKING:
    from graphwright.agents.upgrade.client.calls import UpgradeClient
    from graphwright.agents.upgrade.client.people import ContextMetadata


PATIENCE = 2.0
"""Seconds for a call after one that the server did not answer in time: nobody waits long for it twice in a turn."""


@dataclass
class Proposal:
    """What the gatherer, or the model in it, has set: nothing of it counts before it was held against the words."""

    action: str | None = None
    params: dict[str, Any] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    errors: dict[str, str] = field(default_factory=dict)


@dataclass
class Desk:
    """`contexts` and `names` are what the server holds; `static` and `gathered` are the channels that tools fill."""

    client: UpgradeClient
    contexts: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    names: tuple[tuple[str, str], ...] = ()
    static: dict[str, Any] = field(default_factory=dict)
    gathered: dict[str, Any] = field(default_factory=dict)
    log: Sequence[Mapping[str, Any]] = ()
    errors: Mapping[str, str] = field(default_factory=dict)
    proposal: Proposal = field(default_factory=Proposal)

    async def look(self) -> None:
        """Read what contexts and experiments there are, once. Raises UpgradeError where the server cannot be asked."""
        if "context_metadata" not in self.static:
            self.keep_contexts(await self.client.contexts())
        if "experiment_names" not in self.static:
            self.names = tuple((each.id, each.name) for each in await self.client.names())
            self.static["experiment_names"] = [{"id": id, "name": name} for id, name in self.names]

    def keep_contexts(self, found: Mapping[str, ContextMetadata]) -> None:
        """Keep what the contexts are, in the form that the words of a message are held against."""
        self.contexts = {
            name: {
                "conditions": list(each.conditions),
                "group_types": list(each.group_types),
                "sites": list(each.sites),
                "targets": list(each.targets),
            }
            for name, each in found.items()
        }
        self.static["context_metadata"] = self.contexts

    async def facts(self, id: str) -> Facts:
        """What is known of an experiment. Raises NotFound."""
        return facts_of(await self.client.experiment(id))


@asynccontextmanager
async def opened(home: Path, settings: Mapping[str, Any]) -> AsyncIterator[Desk]:
    """A desk on the server that the agent's settings and the environment name, else on the local service.

    Raises UsageError, StoreError.
    """
    from graphwright.agents.upgrade.client.connecting import connect
    from graphwright.agents.upgrade.client.settings import UpgradeSettings

    local = settings.get("server") == "local"
    found = UpgradeSettings() if local else UpgradeSettings.from_environment()
    async with connect(found, home, patience=PATIENCE) as client:
        yield Desk(client)


_desk: ContextVar[Desk] = ContextVar("upgrade_desk")


@contextmanager
def working(desk: Desk) -> Iterator[None]:
    """Inside, tools work on this desk."""
    token = _desk.set(desk)
    try:
        yield
    finally:
        _desk.reset(token)


def at_hand() -> Desk:
    """The desk of the running node."""
    return _desk.get()
