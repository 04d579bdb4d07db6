"""Logs: the events of a turn as lines of structlog, without what was said and without values."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from graphwright.engine.events import ActionFailed, ModelCalled, TurnResumed, TurnStarted
from graphwright.errors import UsageError, redact
from graphwright.host.telemetry import Listener

if TYPE_CHECKING:
    from graphwright.host._turn import Event, Turn

LEVELS = ("debug", "info", "warning", "error")
FORMATS = ("json", "text")

_ACTION = ("node", "run", "visit", "attempt")

# The level and the logged fields of each event type. Texts, values and error messages are not logged, because they may
# contain what the user said. Other event types log only their type and node.
LOGGED_FIELDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "turn_started": ("info", ("afresh", "flow", "flow_hash")),
    "file_given": ("info", ("bytes",)),
    "turn_resumed": ("warning", ()),
    "turn_failed": ("error", ("node", "code")),
    "model_called": ("info", ("node", "model", "offered", "input_tokens", "output_tokens", "seconds", "error")),
    "tool_called": ("info", ("node", "tool", "ok", "kind", "code", "seconds")),
    "action_started": ("debug", _ACTION),
    "action_finished": ("info", (*_ACTION, "seconds")),
    "action_failed": ("warning", (*_ACTION, "final")),
    "outcome_unknown": ("warning", _ACTION),
    "outcome_decided": ("warning", ("node", "visit", "decision")),
    "artifact_made": ("info", ("node", "kind")),
    "answer_committed": ("info", ("node", "key")),
    "answer_refused": ("info", ("node", "key", "stage")),
    "answer_unknown": ("info", ("node", "key", "declined")),
    "answer_dropped": ("debug", ("node", "key", "reason")),
    "channels_stale": ("info", ("node", "channels", "because")),
    "state_adapted": ("warning", ("answers", "channels")),
    "flow_migrated": ("info", ("before", "after", "by", "undoes")),
    "not_understood": ("info", ("node", "key", "count", "limit")),
    "escalated": ("warning", ("node", "target")),
    "confirmation_given": ("info", ("node", "action")),
    "confirmation_missing": ("info", ("action", "by", "reason")),
    "path_voted": ("info", ("path", "confidence", "counted", "reason")),
    "handed_over": ("info", ("node", "to")),
    "path_switched": ("info", ("before", "path")),
    "path_locked": ("info", ("path",)),
    "path_corrected": ("info", ("before", "path")),
    "path_refused": ("warning", ("reason",)),
    "prompted": ("info", ("node", "key", "kind")),
    "node_entered": ("debug", ("node", "kind", "graph", "depth")),
    "question_passed": ("debug", ("node", "key", "reason")),
    "guard_checked": ("debug", ("of", "opened", "missing")),
    "edge_taken": ("debug", ("edge", "source", "target", "also_open")),
    "subgraph_entered": ("debug", ("node", "ref", "scope")),
    "subgraph_left": ("debug", ("node", "ref")),
    "constraint_unmet": ("info", ("node", "keys", "asks")),
    "jumped": ("warning", ("source", "target", "reason")),
    "shadow_compared": ("info", ("flow", "verdict", "reason")),
    "branched": ("info", ("thread", "at", "answers")),
}


class TurnLog(Listener):
    """Logs one turn; every line has its thread, agent and, once that is known, its turn."""

    def __init__(self, logger: Any, agent: str, thread: str) -> None:
        self._logger = logger.bind(thread=redact(thread), agent=redact(agent))

    def hear(self, event: Event) -> None:
        if isinstance(event, TurnStarted | TurnResumed):
            self._logger = self._logger.bind(turn=event.turn)
        level, names = LOGGED_FIELDS.get(event.type, ("debug", ("node",)))
        if (isinstance(event, ActionFailed) and event.final) or (isinstance(event, ModelCalled) and event.error):
            level = "error"
        e = event.to_json()
        self._write(level, event.type, {name: e[name] for name in names if e.get(name) not in (None, "", [], ())})

    def ended(self, turn: Turn | None, error: str) -> None:
        if turn is None:
            self._write("error", "turn_broken", {"code": error})
            return
        usage = turn.usage.to_json()
        waiting = {"node": turn.waiting_for.node} if turn.waiting_for is not None else {}
        code = {"code": error} if error else {}
        self._write("error" if error else "info", "turn_ended", {"status": turn.status, **waiting, **code, **usage})

    def _write(self, level: str, kind: str, fields: Mapping[str, Any]) -> None:
        getattr(self._logger, level)(kind, **{name: _redacted(value) for name, value in fields.items()})


def turn_log(agent: str, thread: str) -> TurnLog | None:
    """The log of a turn; None unless the program, or `configure`, has configured structlog."""
    structlog = sys.modules.get("structlog")
    if structlog is None or not structlog.is_configured():
        return None
    return TurnLog(structlog.get_logger("graphwright"), agent, thread)


def configure() -> None:
    """Log to stderr as `GRAPHWRIGHT_LOG` (`json` or `text`) and `GRAPHWRIGHT_LOG_LEVEL` say.

    For the programs of this package; a program that uses the library configures structlog itself. Raises UsageError.
    """
    form = os.environ["GRAPHWRIGHT_LOG"].strip().lower()
    level = os.environ.get("GRAPHWRIGHT_LOG_LEVEL", "").strip().lower() or "info"
    for name, value, known in (("GRAPHWRIGHT_LOG", form, FORMATS), ("GRAPHWRIGHT_LOG_LEVEL", level, LEVELS)):
        if value not in known:
            hint = f"Set it to one of {', '.join(known)}, or unset it."
            raise UsageError("bad_setting", f"{name} is {value!r}.", hint)
    import structlog

    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(ensure_ascii=False)
            if form == "json"
            else structlog.dev.ConsoleRenderer(colors=False, pad_event_to=20),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
        cache_logger_on_first_use=False,
    )


def _redacted(value: Any) -> Any:
    if isinstance(value, str):
        return redact(value)
    return [_redacted(part) for part in value] if isinstance(value, list | tuple) else value
