"""Golden traces: what a conversation did when somebody looked at it and found it right, kept in a file beside it."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

from graphwright.errors import GraphwrightError
from graphwright.flow.compiled import CompiledFlow
from graphwright.testing.conversation import SUFFIX

TRACE_SUFFIX = ".trace.txt"

CONTEXT = 3
"""How many lines around a difference are shown."""

MOST_LINES = 120
"""How many lines of differences are shown."""

_COMPARED = 2000
"""How many lines from the first difference on are compared in earnest: the time grows with their square."""

_HEAD = re.compile(r"# flow (?P<flow>.+) version (?P<version>[0-9a-f]{12})")
_SHORT = 12


class GoldenError(GraphwrightError):
    """A golden trace that cannot be read or written."""


@dataclass(frozen=True, slots=True)
class Golden:
    """A golden trace: the flow it was written for (id and the beginning of its hash), and its lines."""

    flow: str
    version: str
    lines: tuple[str, ...]

    @classmethod
    def of(cls, flow: CompiledFlow, lines: Sequence[str]) -> Golden:
        """The golden trace that these lines make."""
        return cls(flow.id, flow.hash[:_SHORT], tuple(line.rstrip() for line in lines))

    def text(self, conversation: Path) -> str:
        """The content of its file."""
        head = (
            f"# The golden trace of {conversation.name}, written by: graphwright test --update",
            f"# flow {self.flow} version {self.version}",
        )
        return "\n".join([*head, "", *self.lines, ""])


def golden_path(conversation: Path) -> Path:
    """Where the golden trace of a conversation file is, or would be: `x.trace.txt` beside `x.conversation.yaml`."""
    return conversation.with_name(conversation.name.removesuffix(SUFFIX) + TRACE_SUFFIX)


def read_golden(path: Path) -> Golden:
    """Read a golden trace. Raises GoldenError: `empty_trace`, `bad_trace`, `unreadable`."""
    again = "Write it anew with --update, or delete it."
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise GoldenError("unreadable", f"The golden trace {path} cannot be read: {why}.", again) from None
    lines = text.splitlines()
    found = [(at, head) for at, line in enumerate(lines[:5]) if (head := _HEAD.fullmatch(line))]
    body = [line.rstrip() for line in lines if not line.startswith("#")]
    while body and not body[0]:
        del body[0]
    while body and not body[-1]:
        del body[-1]
    if not body:
        raise GoldenError("empty_trace", f"The golden trace {path} is empty.", again)
    if not found:
        text = f"{path} is no golden trace: its head does not name the flow it was written for."
        raise GoldenError("bad_trace", text, again)
    return Golden(found[0][1]["flow"], found[0][1]["version"], tuple(body))


def write_golden(path: Path, golden: Golden, conversation: Path) -> None:
    """Write a golden trace, whole or not at all. Raises GoldenError: `unwritable`."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        try:
            beside.write_text(golden.text(conversation), "utf-8")
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as error:
        text = f"The golden trace {path} cannot be written: {error.strerror}."
        raise GoldenError("unwritable", text, "Check the folder, its permissions and the disk.") from None


def difference(golden: Golden, now: Golden, path: Path) -> list[str]:
    """How a run differs from its golden trace, as a unified diff; empty where it does not.

    Where the golden trace was written for another flow, or another version of it, the first line says so.
    """
    if golden.lines == now.lines and golden.flow == now.flow:
        return []
    told: list[str] = []
    if golden.flow != now.flow:
        told.append(f"{path.name} was written for flow {golden.flow}, and this conversation is held with {now.flow}")
    elif golden.version != now.version:
        told.append(
            f"{path.name} was written for another version of {now.flow} ({golden.version}; now {now.version}): "
            f"if these differences are right, write it anew with --update"
        )
    return told + _diff(golden.lines, now.lines, path.name)


def _diff(old: Sequence[str], new: Sequence[str], name: str) -> list[str]:
    first = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    start = max(0, first - CONTEXT)
    cut_old, cut_new = old[start : start + _COMPARED], new[start : start + _COMPARED]
    lines = list(unified_diff(cut_old, cut_new, name, "this run", n=CONTEXT, lineterm=""))
    lines = [_moved(line, start) if line.startswith("@@") else line for line in lines]
    left = max(len(lines) - MOST_LINES, 0)
    if left or max(len(old), len(new)) > start + _COMPARED:
        lines = [*lines[:MOST_LINES], f"... {f'and {left} more lines of differences' if left else 'and what follows'}"]
    return lines


def _moved(header: str, by: int) -> str:
    """The line numbers of a hunk that was found `by` lines further down."""
    return re.sub(r"([-+])(\d+)", lambda found: f"{found[1]}{int(found[2]) + by}", header)
