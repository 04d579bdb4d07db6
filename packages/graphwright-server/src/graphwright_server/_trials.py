"""The agents whose flow is the newest draft, for the conversations in which authors try it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphwright import FlowInvalid, UsageError, load
from graphwright.flow import Severity
from graphwright.host.agent import trying
from graphwright.store import DRAFT

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from graphwright import Agent
    from graphwright.store import FlowDocuments


@dataclass(frozen=True, slots=True)
class _Known:
    """The agent of a draft, and what it was made of."""

    active: Agent
    text: str | None
    agent: Agent


class Trials:
    """The agents of drafts, by the addresses of their threads: `draft:NAME`."""

    def __init__(self, flows: FlowDocuments, active: Callable[[str], Awaitable[Agent]]) -> None:
        """`active` returns the served agent with a name."""
        self._flows = flows
        self._active = active
        self._known: dict[str, _Known] = {}

    @staticmethod
    def address(name: str) -> str:
        """Return the agent of the threads that try the draft of an agent."""
        return f"{DRAFT}{name}"

    async def get(self, name: str, source: str) -> Agent:
        """Return an agent with the newest draft of its flow, or the active flow without one. `source` is as in `load`.

        Raises UsageError (`draft_invalid`), and the errors of loading the agent.
        """
        active = await self._active(name)
        draft = await self._flows.draft(active.flow.id)
        text = draft.text if draft is not None else None
        known = self._known.get(name)
        if known is None or known.active is not active or known.text != text:
            drafted = active if text is None else await asyncio.to_thread(_drafted, source, text)
            known = self._known[name] = _Known(active, text, trying(drafted, name, active.flow))
        return known.agent


def _drafted(source: str, text: str) -> Agent:
    try:
        return load(source, document=text)
    except FlowInvalid as error:
        first = next(each for each in error.diagnostics if each.severity is Severity.ERROR)
        message = f"The draft has errors: line {first.span.line}, {first.code} {first.message}"
        hint = "Correct it; the conversation goes on with the next message."
        raise UsageError("draft_invalid", message, hint) from error
