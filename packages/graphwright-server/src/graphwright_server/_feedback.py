"""Feedback in the interaction log: with the record of its turn, or, for a turn without one, in a separate record."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from graphwright.errors import exception_text
from graphwright.store import Feedback, Message, ThreadRow
from graphwright.store.interactions import LONGEST_TEXT, Interaction, Query, configured, record
from graphwright_server.service import Service

logger = logging.getLogger("graphwright.server")

TYPE = "feedback"
"""The type of a record for a turn that the log does not have."""

_MOST = 10_000


async def logged(service: Service, row: ThreadRow, turn: int, feedback: Feedback | None) -> None:
    """Store the feedback about a turn in the interaction log, if that is on; None deletes it.

    Does not raise: a failure of the log does not concern the user.
    """
    try:
        agent = service.agents.name(row.agent)
        messages = await _said(service, row.thread, turn) if feedback is not None else []
        await asyncio.to_thread(_write, service, row, agent, turn, feedback, messages)
    except Exception as error:
        logger.warning(
            "the feedback about thread %s is not in the interaction log: %s", row.thread, exception_text(error)
        )


async def _said(service: Service, thread: str, turn: int) -> list[Message]:
    """Return the messages of a turn."""
    began = await service.workspace.store.events.of_type(thread, "turn_started")
    first = next(row.time for row in began if row.event["turn"] == turn)
    later = min((row.time for row in began if row.event["turn"] > turn), default=None)
    messages = await service.workspace.store.messages.read(thread)
    return [each for each in messages if each.time >= first and (later is None or each.time < later)]


def _write(
    service: Service,
    row: ThreadRow,
    agent: str,
    turn: int,
    feedback: Feedback | None,
    messages: list[Message],
) -> None:
    log = configured(service.workspace.store.home)
    if log is None:
        return
    records = log.find(Query(session=row.thread, limit=_MOST))
    found = next((each for each in records if each.number == turn), None)
    if found is None and feedback is None:
        return
    if found is None:
        found = Interaction(
            id=f"{row.thread}:{row.created}:{turn}:{TYPE}",
            session=row.thread,
            agent=agent,
            number=turn,
            type=TYPE,
            question="\n".join(each.text for each in messages if each.role == "user")[:LONGEST_TEXT],
            code="",
            result="",
            reply="\n\n".join(each.text for each in messages if each.role != "user")[:LONGEST_TEXT],
            success=True,
            error="",
            metadata={},
            started=messages[0].time if messages else row.updated,
            seconds=0.0,
            model_calls=0,
            tokens=0,
        )
    metadata: dict[str, Any] = {name: value for name, value in found.metadata.items() if name != TYPE}
    if feedback is not None:
        metadata[TYPE] = {name: getattr(feedback, name) for name in ("rating", "comment", "user", "time")}
    writer = record(service.workspace.store.home, found.model_copy(update={"metadata": metadata}))
    if writer is not None:
        writer.flush()
