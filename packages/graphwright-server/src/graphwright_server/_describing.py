"""Changes of flows that a person describes: a model proposes them, and nothing is stored."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from graphwright.authoring import Progress, Proposal, Round, Subject, new_subject, propose, subject_of
from graphwright.errors import GraphwrightError, UsageError
from graphwright.models import default_model, is_none, load
from graphwright_server.access.principal import AccessError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from graphwright_server._agents import Agents

AT_ONCE = 2
"""The maximum number of descriptions that are worked on at once: each runs conversations in a process."""


class Describing:
    """Lets a model propose changes of flows. `model` is that of the service."""

    def __init__(self, agents: Agents, model: Any) -> None:
        self._agents = agents
        self._model = model
        self._slots = asyncio.Semaphore(AT_ONCE)

    def change(self, agent: str, text: str, description: str) -> AsyncGenerator[tuple[str, Any], None]:
        """Yield the events of a change of an agent's flow: `begun`, `progress`, `round`, and `proposal` or `error`.

        `text` is the document to change. The work ends if the caller stops listening. Raises AccessError
        (`too_many_descriptions`, 429), UsageError (`no_model`, `unknown_agent`).
        """
        source = self._agents.source(agent)

        @asynccontextmanager
        async def subject() -> AsyncIterator[Subject]:
            yield await asyncio.to_thread(subject_of, source, text)

        return self._events(subject, description)

    def create(self, flow_id: str, description: str) -> AsyncGenerator[tuple[str, Any], None]:
        """Yield the events of a new flow with this id, as `change` does."""
        return self._events(lambda: new_subject(flow_id), description)

    async def _events(
        self, subject: Callable[[], AbstractAsyncContextManager[Subject]], description: str
    ) -> AsyncGenerator[tuple[str, Any], None]:
        if self._slots.locked():
            message = f"{AT_ONCE} descriptions are being worked on already."
            raise AccessError(429, "too_many_descriptions", message, "Wait for their end.", {"Retry-After": "10"})
        async with self._slots:
            model = await asyncio.to_thread(self._loaded)
            done: asyncio.Queue[Progress | Round | None] = asyncio.Queue()
            put = done.put_nowait

            async def work() -> Proposal:
                try:
                    async with subject() as opened:
                        return await propose(opened, description, model, on_round=put, on_progress=put)
                finally:
                    put(None)

            task = asyncio.create_task(work())
            try:
                yield "begun", {}
                while (event := await done.get()) is not None:
                    yield "round" if isinstance(event, Round) else "progress", event.to_json()
                try:
                    yield "proposal", (await task).to_json()
                except GraphwrightError as error:
                    yield "error", error.to_json()
            finally:
                task.cancel()
                with suppress(asyncio.CancelledError, GraphwrightError):
                    await task

    def _loaded(self) -> Any:
        chosen = default_model() if self._model is None else self._model
        if not isinstance(chosen, str):
            return chosen
        if is_none(chosen):
            message = "A description is read by a language model, and this service has none."
            raise UsageError("no_model", message, "Start it with --model.")
        return load(chosen)
