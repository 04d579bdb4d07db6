"""Golden traces: the approved trace of a conversation, in a file next to it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import Any

from graphwright.engine.state import blob_key
from graphwright.errors import GraphwrightError
from graphwright.flow.compiled import CompiledFlow
from graphwright.host.event_json import without_private
from graphwright.testing._conversation import SUFFIX
from graphwright.testing._trace_lines import BOOKKEEPING, Event, event_text
from graphwright.text.sentences import many

TRACE_SUFFIX = ".trace.txt"

LONGEST = 400
"""Maximum length of a value in characters; a longer one is cut, with a note on its length."""

CONTEXT = 3
"""Number of context lines around a difference."""

MOST_LINES = 120
"""Maximum number of lines of differences."""

_HEAD = re.compile(r"# flow (?P<flow>.+) version (?P<version>[0-9a-f]{12})")
_SHORT = 12

_SILENT = (*BOOKKEEPING, "turn_resumed")
_VARYING = frozenset(
    {"seconds", "visit", "content", "flow", "flow_hash", "seq", "model", "input_tokens", "output_tokens"}
)
"""The fields of events that differ from run to run."""


class GoldenError(GraphwrightError):
    """A golden trace cannot be read or written."""


@dataclass(frozen=True, slots=True)
class Golden:
    """A golden trace: its flow (id and the beginning of its hash), and its lines."""

    flow: str
    version: str
    lines: tuple[str, ...]

    @classmethod
    def of(cls, flow: CompiledFlow, lines: Sequence[str]) -> Golden:
        """Return the golden trace with these lines."""
        return cls(flow.id, flow.hash[:_SHORT], tuple(line.rstrip() for line in lines))

    def text(self, conversation: Path) -> str:
        """Return the content of its file."""
        head = (
            f"# The golden trace of {conversation.name}, written by: graphwright test --update",
            f"# flow {self.flow} version {self.version}",
        )
        return "\n".join([*head, "", *self.lines, ""])


def golden_path(conversation: Path) -> Path:
    """Return the path of a conversation's golden trace: `x.trace.txt` next to `x.conversation.yaml`."""
    return conversation.with_name(conversation.name.removesuffix(SUFFIX) + TRACE_SUFFIX)


def read_golden(path: Path) -> Golden:
    """Read a golden trace. Raises GoldenError: `bad_trace`."""
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError):
        raise _bad(path, "it cannot be read") from None
    head = next((found for line in lines[:5] if (found := _HEAD.fullmatch(line))), None)
    body = "\n".join(line.rstrip() for line in lines if not line.startswith("#")).strip("\n")
    if head is None or not body:
        raise _bad(path, "its head does not name the flow it was written for" if body else "it is empty")
    return Golden(head["flow"], head["version"], tuple(body.split("\n")))


def _bad(path: Path, why: str) -> GoldenError:
    return GoldenError(
        "bad_trace", f"{path} is not a golden trace: {why}.", "Write it again with --update, or delete it."
    )


def write_golden(path: Path, golden: Golden, conversation: Path) -> None:
    """Write a golden trace. Raises GoldenError: `unwritable`."""
    try:
        path.write_text(golden.text(conversation), "utf-8")
    except OSError as error:
        text = f"The golden trace {path} cannot be written: {error.strerror}."
        raise GoldenError("unwritable", text, "Check the folder, its permissions and the disk.") from None


def difference(golden: Golden, now: Golden, path: Path) -> list[str]:
    """Return the unified diff between a golden trace and a run; empty if they are equal.

    If the golden trace is that of another flow, or of another version of it, the first line says so.
    """
    if golden.lines == now.lines and golden.flow == now.flow:
        return []
    told: list[str] = []
    if golden.flow != now.flow:
        told.append(f"{path.name} was written for flow {golden.flow}, and this conversation is held with {now.flow}")
    elif golden.version != now.version:
        told.append(
            f"{path.name} was written for another version of {now.flow} ({golden.version}; now {now.version}): "
            f"if these differences are right, write it again with --update"
        )
    lines = list(unified_diff(golden.lines, now.lines, path.name, "this run", n=CONTEXT, lineterm=""))
    if len(lines) > MOST_LINES:
        lines[MOST_LINES:] = [f"... and {many(len(lines) - MOST_LINES, 'more line')} of differences"]
    return told + lines


def golden_lines(events: Iterable[Event], *, home: str = "", varies: Sequence[re.Pattern[str]] = ()) -> list[str]:
    """Return the lines of a thread's events, indented below their nodes, without parts that differ from run to run.

    The random part of idempotency keys and the data folder `home` are replaced by BORN and HOME, matches of the regular
    expressions `varies` by `*`. Times, durations, tokens and names of models are left out.
    """
    listed = list(events)
    born = {str(e["born"]) for e in listed if e.get("born")}
    hidden: list[tuple[re.Pattern[str], str]] = [(re.compile(re.escape(text)), "BORN") for text in sorted(born)]
    if home:
        hidden.append((re.compile(re.escape(home)), "HOME"))
    hidden += [(pattern, "*") for pattern in varies]
    lines: list[str] = []
    depth = 1
    for event in (steady for each in listed if each["type"] not in _SILENT for steady in _steady(each)):
        line = event_text(event, format_value)
        for pattern, name in hidden:
            line = pattern.sub(name, line)
        if event["type"] == "turn_started":
            lines += ["", line] if lines else [line]
            depth = 1
        elif event["type"] == "node_entered":
            depth = 1 + event["depth"]
            lines.append("  " * depth + line)
        else:
            depth = max(1, depth - (event["type"] == "subgraph_left"))
            lines.append("  " * (depth + 1) + line)
    return lines


def _steady(event: Event) -> Iterator[Event]:
    """Yield the event without varying fields: channels one by one, and of a model's answer only the called names."""
    kept = {name: value for name, value in without_private(event).items() if name not in _VARYING}
    match event["type"]:
        case "channels_written" | "channels_reset":
            for name, value in kept["values"].items():
                yield {**kept, "values": {name: "<large>" if blob_key(value) else value}}
        case "model_called" if isinstance(kept.get("answer"), dict) and kept["answer"].get("call"):
            calls = kept["answer"]["call"]
            names = [name for call in ([calls] if isinstance(calls, dict) else calls) for name in call]
            yield {**kept, "answer": ", ".join(names)}
        case "artifact_made":
            yield {name: value for name, value in kept.items() if name != "path"}
        case _:
            yield kept


def format_value(value: Any) -> str:
    """Return a value as JSON on one line; a long one is cut, with a note on its length."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    # Other line separators than \n would break the line.
    text = re.sub("[\x7f-\x9f\u2028\u2029]", lambda found: f"\\u{ord(found[0]):04x}", text)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… ({len(text)} characters)"
