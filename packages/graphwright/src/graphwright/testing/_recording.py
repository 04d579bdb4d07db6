"""Recording a conversation file from a real thread: messages, model replies and results."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from graphwright.errors import GraphwrightError, UsageError
from graphwright.flow._json_text import Unreadable
from graphwright.flow._source import read_yaml
from graphwright.flow.compiled import Action, Question, Terminal
from graphwright.flow.guards._vocabulary import NOW
from graphwright.testing._conversation import duration_text
from graphwright.testing._running import locked_path

if TYPE_CHECKING:
    from graphwright.flow.guards import Template
    from graphwright.host.agent import Agent
    from graphwright.store import EventRow

Event = Mapping[str, Any]

_FAILURES = {
    "model_timeout": "timeout",
    "model_rate_limited": "rate_limit",
    "model_server_error": "server_error",
    "model_unreachable": "connection",
    "model_not_authorised": "auth",
}

_PAUSE = 60
"""Minimum seconds between the beginnings of two turns that are recorded."""


def record(rows: Sequence[EventRow], agent: Agent) -> Recording:
    """Return a recording of a thread's whole trace.

    Only results of the user, the model and the flow are expected: the node where the conversation waits, its answers,
    its path, and the texts without values of actions. Raises UsageError: `nothing_to_record`.
    """
    recording = Recording(agent)
    for turn in _turns(rows, recording.missing):
        recording.add([row.event for row in turn], datetime.fromisoformat(turn[0].time))
    if not recording.turns:
        raise UsageError("nothing_to_record", "The thread has no finished turn.", "Talk to it first.")
    return recording


def _turns(rows: Sequence[EventRow], notes: list[str]) -> Iterator[list[EventRow]]:
    """Yield the events of each finished turn, up to the first turn that a conversation file cannot repeat."""
    turn: list[EventRow] = []
    for row in rows:
        event = row.event
        if event["type"] == "turn_started":
            if turn:
                yield turn
            turn = []
        elif event["type"] == "branched" and event["answers"]:
            changed = ", ".join(event["answers"])
            notes.append(
                f"the thread is a branch in which answers were changed by hand ({changed}); the file ends before that"
            )
            break
        if turn or event["type"] == "turn_started":
            turn.append(row)
    if turn and _status([row.event for row in turn]):
        yield turn
    elif turn:
        notes.append("the last turn was cut short and is not in the file")


def _status(turn: Sequence[Event]) -> str:
    """Return how the turn ended: `waiting`, `ended` or `failed`; empty if it was interrupted."""
    if any(event["type"] == "turn_failed" for event in turn):
        return "failed"
    moved = next((event for event in reversed(turn) if event["type"] == "moved"), None)
    if moved is not None and moved["mode"] == "ended":
        return "ended"
    return "waiting" if turn[-1]["type"] == "prompted" else ""


class Recording:
    """The content of a conversation file: its `turns`, the status at their `end`, and the `settings` of the agent.

    `missing` lists the parts of the thread that cannot be reproduced.
    """

    def __init__(self, agent: Agent) -> None:
        self.turns: list[dict[str, Any]] = []
        self.end = self.now = ""
        self.settings = _chosen(agent)
        self.missing: list[str] = []
        self._flow = agent.flow
        self._path = ""
        self._began: datetime | None = None
        self._written = {name for spec in agent.actions.values() for name in spec.writes}
        self._actions: dict[str, None] = {}
        self._texts: dict[str, None] = {}

    def to_json(self, agent: str) -> dict[str, Any]:
        """Return the data of the file; `agent` is the agent's name in it."""
        settings = {"settings": self.settings} if self.settings else {}
        now = {"now": self.now} if self.now and NOW in self._flow.guard_reads else {}
        return {"agent": agent, **settings, **now, "turns": self.turns, "end": self.end}

    def add(self, turn: Sequence[Event], began: datetime) -> None:
        """Record one turn, which began at this time."""
        start = turn[0]
        number = len(self.turns) + 1
        if start["flow_hash"] != self._flow.hash:
            self.missing.append(f"turn {number} was held with another version of the flow: it may go another way now")
        made: dict[str, Any] = {}
        if start.get("resumed"):
            made["resume"] = start["value"]
        elif start["message"] is None:
            made["start"] = True
        else:
            made["user"] = start["message"]
        self.now = self.now or start.get("now", "")[:19]
        passed = 0 if self._began is None else int((began - self._began).total_seconds())
        self._began = began
        if passed >= _PAUSE:
            made["after"] = duration_text(passed)
        made["model"] = "none" if start.get("without_model") else list(self._replies(turn, number))
        self.end = _status(turn)
        made["expect"] = self._expected(turn)
        for event in turn:
            if event["type"] == "action_started":
                self._actions[event["run"]] = None
        self.turns.append(made)

    @property
    def notes(self) -> list[str]:
        """Notes on results that cannot be reproduced or are not expected."""
        found = list(dict.fromkeys(self.missing))
        if self._actions:
            found.append(
                f"the file runs the real actions ({', '.join(self._actions)}), in a temporary data folder: their "
                "effects elsewhere happen again, and other results may lead to another path"
            )
        if self._texts:
            nodes = ", ".join(self._texts)
            found.append(f"texts that contain results of actions are not expected: in the replies of {nodes}")
        return found

    def _replies(self, turn: Sequence[Event], number: int) -> Iterator[dict[str, Any]]:
        """Yield the answers of the model in the format of a scripted model's replies."""
        calls = [event for event in turn if event["type"] == "model_called"]
        for call in calls:
            error = call.get("error")
            if error:
                yield {"fail": _FAILURES.get(error, {"code": error})}
            elif call.get("private"):
                self.missing.append(
                    f"turn {number}: what the model answered at {call['node']} may be part of a private channel and is "
                    "not written: put a reply in its place"
                )
                yield {"text": "<private>"}
            elif call.get("answer"):
                yield call["answer"]
            else:
                self.missing.append(
                    f"turn {number}: the trace does not hold what the model answered: put a reply in its place"
                )
                yield {"fail": "empty"}

    def _expected(self, turn: Sequence[Event]) -> dict[str, Any]:
        path = [event["node"] for event in turn if event["type"] == "node_entered"]
        expect: dict[str, Any] = {"status": self.end}
        node = path[-1] if path and self.end == "ended" else _waits_at(turn)
        if node:
            expect["node"] = node
        if answers := self._answers(turn):
            expect["answers"] = answers
        if texts := list(dict.fromkeys(text for event in turn for text in self._expected_text(event))):
            expect["reply"] = texts
        expect["path"] = path
        if self._flow.paths:
            self._path = locked_path(turn, self._path)
            expect["active_path"] = self._path
        failed = next((event for event in turn if event["type"] == "turn_failed"), None)
        if failed is not None:
            expect["error"] = failed["code"]
        return expect

    def _answers(self, turn: Sequence[Event]) -> dict[str, Any]:
        """Return the answers that the turn changed; null for a dropped one."""
        found: dict[str, Any] = {}
        for event in turn:
            if event["type"] == "answer_committed":
                found[event["key"]] = event["value"]
            elif event["type"] == "answer_dropped" and self.end != "failed":
                found[event["key"]] = None
        return found

    def _expected_text(self, event: Event) -> list[str]:
        """Return the text for the user as a list, if it can be expected again: it has no values of actions."""
        if event["type"] not in ("said", "prompted") or not event["text"]:
            return []
        node = self._flow.nodes.get(event["node"])
        templates: list[Template | None] = []
        if isinstance(node, Terminal):
            templates = [node.say]
        elif isinstance(node, Question) and event["type"] == "prompted":
            templates = [node.prompt, node.invalid_prompt]
        if isinstance(node, Action) or any(each is not None and self._of_actions(each) for each in templates):
            if event["type"] == "said" or not isinstance(node, Action):
                self._texts[event["node"]] = None
            return []
        return [str(event["text"])]

    def _of_actions(self, template: Template) -> bool:
        return any(name.partition(".")[0] in self._written for name in template.reads)


def _chosen(agent: Agent) -> dict[str, Any]:
    """Return the settings that differ from the agent's declared defaults."""
    declared = agent.known_settings or {}
    return {
        name: value
        for name, value in agent.settings.items()
        if "default" not in declared.get(name, {}) or declared[name]["default"] != value
    }


def _waits_at(turn: Sequence[Event]) -> str:
    """Return the node at which the thread waits after a turn, or an empty text."""
    for event in reversed(turn):
        if event["type"] == "prompted":
            return str(event["node"])
    return ""


_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")


def conversation_text(data: Mapping[str, Any], head: str) -> str:
    """Return the content of a conversation file; `head` is its first line, a comment.

    Raises GraphwrightError (`not_recordable`) for characters that YAML cannot represent.
    """
    text = "\n".join([f"# {head}", *_lines(data), ""])
    try:
        same = read_yaml(text)[::2] == (data, [])
    except Unreadable:
        same = False
    if not same:
        raise GraphwrightError(
            "not_recordable",
            "The conversation holds characters that no YAML file can hold.",
            "Write the file by hand; 'graphwright threads show' has what was said.",
        )
    return text


def _lines(data: Mapping[str, Any]) -> Iterator[str]:
    for key, value in data.items():
        if key != "turns":
            yield f"{key}: {_json(value)}"
            continue
        yield "turns:"
        for turn in value:
            begin = "  - "
            for name, content in turn.items():
                yield from (f"{begin if at == 0 else '    '}{line}" for at, line in enumerate(_field(name, content)))
                begin = "    "


def _field(name: str, content: Any) -> list[str]:
    """Return the lines of a field of a turn: expectations line by line, replies and texts one per line."""
    if name == "expect":
        inner = [line for key, value in content.items() for line in _field(key, value)]
        return ["expect:", *(f"  {line}" for line in inner)]
    if isinstance(content, list) and content and name in ("model", "reply"):
        return [f"{name}:", *(f"  - {_json(item)}" for item in content)]
    return [f"{name}: {_json(content)}"]


def _json(value: Any) -> str:
    """Return a value on one line: JSON is valid YAML."""
    text = json.dumps(value, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
