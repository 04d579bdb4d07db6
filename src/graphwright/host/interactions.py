"""The interaction log as a turn sees it: handing over what actions noted of it, when it has ended."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from graphwright.engine.events import InteractionNoted, TurnStarted
from graphwright.errors import said
from graphwright.store.interactions import Interaction, Writer, record
from graphwright.store.interactions.interaction import bounded, bounded_object

if TYPE_CHECKING:
    from graphwright.engine.state import ThreadState
    from graphwright.host.run import TurnRun
    from graphwright.host.turn import Turn

TYPE = "question"
"""The type of an interaction whose action gave it none."""


def log_turn(run: TurnRun, thread: ThreadState, turn: Turn) -> Writer | None:
    """Pass a turn with noted interactions to the interaction log. Returns the log's writer, or None if the log is off.

    Does not raise, and does not wait for the log.
    """
    try:
        return record(run.store.home, _interaction(run, thread, turn))
    # The turn is done and answered, so a failure of the log does not concern the user.
    except Exception as error:
        logging.getLogger("graphwright").warning("The interaction log is not kept: %s", said(error))
        return None


def _interaction(run: TurnRun, thread: ThreadState, turn: Turn) -> Interaction:
    notes = [event for event in run.events if isinstance(event, InteractionNoted)]

    def last(name: str, otherwise: Any) -> Any:
        given = (getattr(note, name) for note in reversed(notes))
        return next((value for value in given if value not in ("", None)), otherwise)

    metadata: dict[str, Any] = {}
    for note in notes:
        metadata |= note.metadata
    question = next((event.message for event in run.events if isinstance(event, TurnStarted)), thread.message)
    failure = f"{turn.error.message} [{turn.error.code}]" if turn.error is not None else ""
    error = last("error", "")
    return Interaction(
        id=f"{turn.thread}:{thread.born}:{thread.turn}",
        session=turn.thread,
        agent=turn.agent,
        number=thread.turn,
        type=last("kind", TYPE),
        question=bounded(question or ""),
        code=last("code", ""),
        result=last("result", ""),
        reply=bounded(turn.reply),
        success=not failure and last("success", True),
        error=bounded("\n".join(filter(None, (failure, error)))),
        metadata=bounded_object(metadata),
        started=run.began,
        seconds=round(turn.usage.seconds, 3),
        model_calls=turn.usage.model_calls,
        tokens=turn.usage.input_tokens + turn.usage.output_tokens,
    )
