"""The served agents: installed and configured ones, each loaded on first use."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from graphwright import Agent, UsageError, load
from graphwright.errors import GraphwrightError
from graphwright.host.cards import Card, card, unusable
from graphwright.host.discovery import address_of, find, name_of, names


class Agents:
    """The agents that a request may name. A request cannot name a path, so HTTP clients cannot load code."""

    def __init__(self, folders: Sequence[str] = (), model: str | None = None) -> None:
        self._model = model
        self._sources = {name: name for name in names()} | {name_of(find(each)): each for each in folders}
        self._addresses = {name: name for name in names()} | {
            name_of(find(each)): address_of(find(each), each) for each in folders
        }
        self._names = {address: name for name, address in self._addresses.items()}
        self._loaded: dict[str, Agent] = {}
        self._loading: dict[str, asyncio.Lock] = {name: asyncio.Lock() for name in self._sources}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all served agents."""
        return tuple(self._sources)

    def address(self, name: str) -> str:
        """Return the address by which threads store an agent. Raises UsageError (`unknown_agent`)."""
        self._require(name)
        return self._addresses[name]

    def name(self, address: str) -> str:
        """Return the name of the agent with this address; the address itself if the agent is not served."""
        return self._names.get(address, address)

    async def get(self, name: str) -> Agent:
        """Return an agent, loaded with its Python. Raises UsageError (`unknown_agent`), and as `graphwright.load`."""
        self._require(name)
        async with self._loading[name]:
            if name not in self._loaded:
                self._loaded[name] = await asyncio.to_thread(load, self._sources[name])
            return self._loaded[name]

    async def of(self, address: str) -> Agent:
        """Return the agent with this address. Raises UsageError (`agent_not_served`)."""
        name = self._names.get(address)
        if name is None:
            message = "the agent of this thread is not served here"
            raise UsageError("agent_not_served", message, "Add its folder to `agents` of [service].")
        return await self.get(name)

    async def card(self, name: str) -> dict[str, Any]:
        """Return the card of an agent, without file paths. Raises UsageError (`unknown_agent`)."""
        self._require(name)
        return (await asyncio.to_thread(self._shown, (name,)))[0]

    async def cards(self) -> list[dict[str, Any]]:
        """Return the cards of all agents, without file paths."""
        return await asyncio.to_thread(self._shown, self.names)

    def _shown(self, names: Sequence[str]) -> list[dict[str, Any]]:
        left_out = {"file", "graph"}
        found = [(name, asdict(self._card(name))) for name in names]
        return [{**{k: v for k, v in card.items() if k not in left_out}, "name": name} for name, card in found]

    def _card(self, name: str) -> Card:
        try:
            return card(self._sources[name], self._model)
        except GraphwrightError as error:
            return unusable(name, error)

    def _require(self, name: str) -> None:
        if name not in self._sources:
            raise UsageError(
                "unknown_agent", f"there is no agent {name[:60]!r} here", f"Known: {', '.join(self.names)}."
            )
