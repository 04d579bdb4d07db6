"""A thread as it was: its state at any point, folded from the trace alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graphwright.errors import UsageError
from graphwright.kernel import with_answer, without_answer
from graphwright.runtime.state import ThreadState

if TYPE_CHECKING:
    from graphwright.store import EventRow


@dataclass(frozen=True, slots=True)
class Moment:
    """A thread after one event of its trace.

    After the last event of a step `state` is exactly what was checkpointed there, and `saved_at` is the number of the
    `state_saved` that says so. In the midst of a step `saved_at` is None: answers, channels, message and turn are those
    after the event, everything else is as the step found it. `node` is where the conversation stood, empty before it
    came to any; `private` names the channels to be shown to nobody.
    """

    row: EventRow
    state: ThreadState
    saved_at: int | None
    node: str
    private: frozenset[str]

    @property
    def status(self) -> str:
        """`new`, `waiting`, `ended`, or `running` in the midst of a turn."""
        if self.saved_at is None:
            return "running"
        if self.state.waiting is not None:
            return "waiting"
        return "running" if self.state.mode == "performing" else self.state.mode


def fold(rows: Sequence[EventRow], at: int | None = None) -> Moment:
    """The thread after event `at` (its `seq`, or counted from the end where negative); by default after the last one.

    `rows` is a trace from its first event on. Raises UsageError: `no_such_event`.
    """
    index = event_index(rows, at)
    # What was saved at the end of a step is the state after the step's last event, too.
    end = next((i for i in (index, index + 1) if i < len(rows) and _saves(rows[i])), None)
    held = _Held()
    for row in rows[: (index if end is None else end) + 1]:
        held.take(row.event)
    return Moment(rows[index], held.state(), end, held.node, frozenset(held.private))


def _saves(row: EventRow) -> bool:
    return bool(row.event["type"] == "state_saved")


def event_index(rows: Sequence[EventRow], at: int | None) -> int:
    """Where event `at` stands in `rows`. Raises UsageError with the range there is."""
    if not rows:
        raise UsageError("no_events", "The trace has no events yet.", "Send the thread a message first.")
    index = len(rows) - 1 if at is None else at + len(rows) if at < 0 else at
    if not 0 <= index < len(rows):
        raise UsageError(
            "no_such_event",
            f"There is no event {at}: the trace has the events 0 to {len(rows) - 1}.",
            "'graphwright threads trace THREAD' shows them with their numbers; -1 is the last one.",
        )
    return index


class _Held:
    """What the events so far add up to."""

    def __init__(self) -> None:
        self.node = ""
        self.private: set[str] = set()
        self._saved: Mapping[str, Any] = {}
        self._answers: dict[str, Any] = {}
        self._channels: dict[str, Any] = {}
        self._started: dict[str, Any] = {}
        self._prompted: Mapping[str, Any] | None = None
        self._waiting: Any = None

    def take(self, event: Mapping[str, Any]) -> None:
        match event["type"]:
            case "turn_started":
                self._started = {
                    "turn": event["turn"],
                    "message": event["message"] or "",
                    "flow_hash": event["flow_hash"],
                }
            case "node_entered":
                self.node = event["node"]
            case "answer_committed":
                self._answers = with_answer(self._answers, _path(event["key"]), event["value"])
            case "answer_dropped":
                self._answers = without_answer(self._answers, _path(event["key"]))
            case "answers_cleared":
                self._answers = {}
            case "state_adapted":
                for key in event["answers"]:
                    self._answers = without_answer(self._answers, _path(key))
                for name in event["channels"]:
                    self._channels.pop(name, None)
            case "channels_reset" | "channels_written":
                self._channels |= event["values"]
                self.private.update(event["private"])
            case "prompted":
                self._prompted = event
            case "state_saved":
                self._save(event["state"])

    def _save(self, saved: Mapping[str, Any]) -> None:
        self._saved = saved
        # A step that prompted for what the thread waits for now does not say it twice.
        asked = self._prompted
        self._waiting = saved.get("waiting") or (
            asked
            and {
                "node": asked["node"],
                "key": asked["key"],
                "prompt": asked["text"],
                "kind": asked["kind"],
                "options": asked["options"],
            }
        )
        self._prompted = None
        if "position" in saved:
            self.node = saved["position"]["frames"][-1][1]

    def state(self) -> ThreadState:
        return ThreadState.from_json(
            {
                **self._saved,
                **self._started,
                "answers": self._answers,
                "channels": self._channels,
                "waiting": self._waiting,
            }
        )


def _path(key: str) -> tuple[str, ...]:
    return tuple(key.split("."))
