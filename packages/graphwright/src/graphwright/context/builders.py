"""Builders of the parts of an assistant's prompts: identity and time, conversation, files and tools.

All are pure functions. A text that is cut says so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from graphwright.text._dates import MONTHS

__all__ = ["MOST_MESSAGES", "WEEKDAYS"]

MOST_MESSAGES = 6
"""Maximum number of messages of a conversation in a prompt."""

LONGEST_MESSAGE = 200
"""Default maximum length of a message, in characters."""

LONGEST_PREVIEW = 100
"""Maximum length of a file preview in a summary, in characters."""

LONGEST_SUMMARY = 100
"""Maximum length of a tool's description in a summary, in characters."""

LONGEST_DESCRIPTION = 800
"""Maximum length of a tool's description in a detailed listing, in characters."""

MOST_OPTIONS = 5
"""Maximum number of listed values of an enum."""

_DATE_REMARK = re.compile(r"\s*[(\[]?\buse \d{4}-\d\d-\d\d for date calculations\b[)\]]?", re.IGNORECASE)

FENCE = '"""'
"""The delimiter before and after data in a prompt."""

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def fenced(text: str) -> str:
    """Return external data without the fence, so that it cannot close the fence around it."""
    return text.replace(FENCE, "'''")


def shortened(value: Any, longest: int = 1200, most: int = 60) -> Any:
    """Return a JSON value whose texts have at most `longest` characters, and whose lists and objects at most `most`
    items.

    The arguments of a tool call that a model made up may be a megabyte.
    """
    if isinstance(value, str):
        return value if len(value) <= longest else f"{value[: longest - 1]}…"
    if isinstance(value, Mapping):
        shown = list(value.items())[:most]
        return {shortened(name, longest, most): shortened(part, longest, most) for name, part in shown}
    if isinstance(value, list):
        return [shortened(part, longest, most) for part in value[:most]]
    return value


def build_system_context(now: datetime, identity: str) -> str:
    """Return the identity of the assistant, then the time: the same text in every prompt of a turn."""
    # strftime would use the locale of the machine for the names of days and months.
    day = f"{WEEKDAYS[now.weekday()]}, {MONTHS['en'][now.month - 1]} {now.day:02}, {now.year}"
    clock = f"{now:%H:%M:%S}"
    return f"{identity.strip()}\nCurrent date and time: {day} at {clock} (use {now:%Y-%m-%d} for date calculations)"


def without_date_remark(text: str) -> str:
    """Return a model's text without the date remark of `build_system_context`, which small models repeat."""
    return _DATE_REMARK.sub("", text)


def build_conversation_context(
    messages: Sequence[Mapping[str, Any]], max_messages: int = MOST_MESSAGES, longest: int = LONGEST_MESSAGE
) -> str:
    """Return the last messages (`{role, content}`), one per line of at most `longest` characters; may be empty."""
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
    """Return the names of the files, and the first `longest` characters of each document; empty without files."""
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
    """Return the documents with their content (`preview`) and the names of the images; empty without files.

    The `cut` of a file is a sentence on the part that is not shown.
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
    """Return the tools, one per line, with the first 100 characters of their descriptions."""
    if not available_tools:
        return "No tools available"
    lines = []
    for name, info in available_tools.items():
        description, _ = _cut(str(info.get("description") or ""), LONGEST_SUMMARY)
        lines.append(f"- {name}: {description}")
    return "\n".join(lines)


def build_tools_context_detailed(available_tools: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the tools with their parameters: type, the first five options, and whether they are required."""
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
    """Return the text as one line of at most `longest` characters, and whether it was cut, marked by a final "…"."""
    line = " ".join(text.split())
    return (line, False) if len(line) <= longest else (line[:longest].rstrip() + "…", True)


def _noted(notes: Sequence[str]) -> str:
    return f" ({'; '.join(notes)})" if notes else ""
