"""Builders of the parts of an assistant's prompts: who it is and when, what was said, which files and tools there are.

All are pure functions. Where one cuts, its text says so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from graphwright.text.dates import MONTHS

MOST_MESSAGES = 6
"""Messages of a conversation that a prompt shows."""

LONGEST_MESSAGE = 200
"""Characters of each of them, where its caller gives no other bound."""

LONGEST_PREVIEW = 100
"""Characters of a file in a summary."""

LONGEST_SUMMARY = 100
"""Characters of a tool's description in a summary."""

LONGEST_DESCRIPTION = 800
"""Characters of a tool's description beside its parameters."""

MOST_OPTIONS = 5
"""Values of an enum that are shown."""

_DATE_REMARK = re.compile(r"\s*[(\[]?\buse \d{4}-\d\d-\d\d for date calculations\b[)\]]?", re.IGNORECASE)

FENCE = '"""'
"""What stands before and after data in a prompt."""

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def fenced(text: str) -> str:
    """Data from outside as it may stand between two fences: it cannot close them."""
    return text.replace(FENCE, "'''")


def shortened(value: Any, longest: int = 1200, most: int = 60) -> Any:
    """JSON with texts of at most `longest` characters and `most` items: what a model makes up may be a megabyte."""
    if isinstance(value, str):
        return value if len(value) <= longest else f"{value[: longest - 1]}…"
    if isinstance(value, Mapping):
        shown = list(value.items())[:most]
        return {shortened(name, longest, most): shortened(part, longest, most) for name, part in shown}
    if isinstance(value, list):
        return [shortened(part, longest, most) for part in value[:most]]
    return value


def build_system_context(now: datetime, identity: str) -> str:
    """Who the assistant is, and the time, which comes last: the same text in every prompt of a turn."""
    # Names of days and months as strftime writes them hang on the locale of the machine.
    day = f"{WEEKDAYS[now.weekday()]}, {MONTHS['en'][now.month - 1]} {now.day:02}, {now.year}"
    clock = f"{now:%H:%M:%S}"
    return f"{identity.strip()}\nCurrent date and time: {day} at {clock} (use {now:%Y-%m-%d} for date calculations)"


def without_date_remark(text: str) -> str:
    """A model's text without what `build_system_context` tells it about calculating: small models repeat it."""
    return _DATE_REMARK.sub("", text)


def build_conversation_context(
    messages: Sequence[Mapping[str, Any]], max_messages: int = MOST_MESSAGES, longest: int = LONGEST_MESSAGE
) -> str:
    """The last messages, `{role, content}` each, one a line of so many characters; empty where there are none."""
    recent = list(messages)[-max_messages:] if max_messages > 0 else []
    if not recent:
        return ""
    lines, long = [], False
    for message in recent:
        text, cut = _cut(str(message.get("content") or ""), longest)
        long |= cut
        lines.append(f"{str(message.get('role') or 'user').capitalize()}: {text}")
    notes = []
    if len(messages) > len(recent):
        notes.append(f"the last {len(recent)} of {len(messages)} messages")
    if long:
        notes.append(f"messages that end with … are cut at {longest} characters")
    return "\n".join([f"**Recent Conversation:**{_noted(notes)}", *lines])


def build_files_context_summary(context_files: Sequence[Mapping[str, Any]], longest: int = LONGEST_PREVIEW) -> str:
    """The names of the files, and the first `longest` characters of each document; empty where there are none."""
    if not context_files:
        return ""
    lines = []
    for file in context_files:
        name = _name(file)
        if file.get("type") == "image":
            lines.append(f"- Image: {name}")
            continue
        preview, _ = _cut(str(file.get("preview") or ""), longest)
        lines.append(f"- Document: {name} - {preview}" if preview else f"- Document: {name}")
    return "\n".join(["**Uploaded Files:**", *lines])


def build_files_context_full(context_files: Sequence[Mapping[str, Any]]) -> str:
    """The files with their content (`preview`), of an image that there is one; empty where there are no files.

    `cut` of a file says in words what of it is not shown.
    """
    if not context_files:
        return ""
    parts = []
    for file in context_files:
        name = _name(file)
        if file.get("type") == "image":
            parts.append(f"**Image: {name}**\n[Image {'data available' if file.get('base64') else 'uploaded'}]")
            continue
        content = str(file.get("preview") or "").strip() or "[No preview]"
        cut = f"\n[{file['cut']}]" if file.get("cut") else ""
        parts.append(f"**Document: {name}**\n{content}{cut}")
    return "\n".join(["**Uploaded Files:**", *parts])


def build_tools_context_summary(available_tools: Mapping[str, Mapping[str, Any]]) -> str:
    """The tools, one a line, with the first 100 characters of what they do."""
    if not available_tools:
        return "No tools available"
    lines = []
    for name, info in available_tools.items():
        description, _ = _cut(str(info.get("description") or ""), LONGEST_SUMMARY)
        lines.append(f"- {name}: {description}")
    return "\n".join(lines)


def build_tools_context_detailed(available_tools: Mapping[str, Mapping[str, Any]]) -> str:
    """The tools with their parameters: type, the first five options, and which are required."""
    parts = []
    for name, info in available_tools.items():
        description, _ = _cut(str(info.get("description") or ""), LONGEST_DESCRIPTION)
        lines = [f"**{name}**", f"  Description: {description}"]
        schema = info.get("input_schema") or {}
        required = schema.get("required") or ()
        properties = schema.get("properties")
        if isinstance(properties, Mapping):
            lines.append("  Parameters:")
            lines += [_parameter(each, facts, each in required) for each, facts in properties.items()]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _parameter(name: str, facts: Any, required: bool) -> str:
    facts = facts if isinstance(facts, Mapping) else {}
    kind = facts.get("type", "any")
    line = f"    - {name} ({'|'.join(map(str, kind)) if isinstance(kind, list) else kind})"
    options = facts.get("enum")
    if isinstance(options, list) and options:
        shown = ", ".join(map(str, options[:MOST_OPTIONS]))
        left = len(options) - MOST_OPTIONS
        more = f", … {left} more, all of which are listed when another value is refused" if left > 0 else ""
        line += f" [options: {shown}{more}]"
    description, _ = _cut(str(facts.get("description") or ""), LONGEST_SUMMARY)
    return f"{line}{f' {description}' if description else ''}{' [REQUIRED]' if required else ''}"


def _name(file: Mapping[str, Any]) -> str:
    return " ".join(str(file.get("name") or "unknown").split())


def _cut(text: str, longest: int) -> tuple[str, bool]:
    """The text as one line, of so many characters at most; whether some of it is gone, which "…" at its end says."""
    line = " ".join(text.split())
    return (line, False) if len(line) <= longest else (line[:longest].rstrip() + "…", True)


def _noted(notes: Sequence[str]) -> str:
    return f" ({'; '.join(notes)})" if notes else ""
