"""The parts of prompts: sources, files and conversation, as much as fits into the model's context; and dates."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from graphwright.context import (
    build_conversation_context,
    build_files_context_full,
    build_files_context_summary,
    build_tools_context_detailed,
    build_tools_context_summary,
    fenced,
)
from graphwright.context.builders import MOST_MESSAGES, WEEKDAYS
from graphwright.models import context_size
from graphwright.text.full_text import ranked_texts
from graphwright.tools.sources import Source
from graphwright_assistant.assistant.citations import described
from graphwright_assistant.assistant.state import ContextFile, ToolInfo, ToolOutcome

if TYPE_CHECKING:
    from graphwright import ActionContext

CHARACTERS = 3
"""Characters per token, a cautious estimate."""

LEAST_SHOWN = 200
"""Minimum number of shown characters of a source; it is left out below that."""

MOST_QUESTIONS, LONGEST_QUESTION, LONGEST_ANSWER = 2, 300, 1_200
"""Earlier questions in the prompt of the evaluation, and maximum characters of each, and of the last answer."""

LONGEST_BEGINNING = 2_000
"""Maximum characters of a file in the prompt that chooses tools."""

DONE = "Done."
"""The beginning of the note of a call that changed something."""

_NUMBERED = re.compile(r"\[(\d{1,3})\]")


def room_of(ctx: ActionContext, share: float) -> int:
    """Return the characters for a part of a prompt, by the context of the model. Raises ModelUnavailable."""
    return int(context_size(ctx.model) * CHARACTERS * share)


def sources_in(outcomes: Sequence[ToolOutcome]) -> list[Source]:
    """Return the sources of all calls in the order of their first occurrence, each once."""
    found: dict[tuple[str, ...], Source] = {}
    for outcome in outcomes:
        for each in outcome["sources"]:
            source = Source.from_json(each)
            # Different tools may use the same id.
            maker = outcome["tool_name"] if source.kind == "tool" else ""
            found.setdefault((source.kind, source.id, maker), source)
    return list(found.values())


def shares(lengths: Sequence[int], room: int) -> list[int]:
    """Return the shown length of each text if all share the room: short ones whole, long ones equally."""
    given = [0] * len(lengths)
    for left, place in enumerate(sorted(range(len(lengths)), key=lambda at: lengths[at]), 1 - len(lengths)):
        given[place] = min(lengths[place], max(0, room) // (1 - left))
        room -= given[place]
    return given


def sources_part(sources: Sequence[Source], outcomes: Sequence[ToolOutcome], room: int) -> tuple[str, list[Source]]:
    """Return the sources numbered from 1 with their texts, as far as there is room; and the shown sources.

    Results of the last round have priority. A cut text says with which call the rest can be read, and a part of a
    document in which file `read_page` finds it.
    """
    last = max((each["iteration"] for each in outcomes), default=0)
    newest = {source.id for source in sources_in([each for each in outcomes if each["iteration"] == last])}
    ranked = sorted(sources, key=lambda source: source.id not in newest)[: max(1, room // LEAST_SHOWN)]
    shown = [source for source in sources if source in ranked]
    new = [len(source.text) if source.id in newest else 0 for source in shown]
    old = [0 if source.id in newest else len(source.text) for source in shown]
    first = shares(new, room * 2 // 3 if any(old) else room)
    second = shares(old, room - sum(first))
    lines = []
    for number, (source, most) in enumerate(zip(shown, map(sum, zip(first, second, strict=True)), strict=True), 1):
        # Numbers in brackets are ours: one in a text could look like another source.
        text = _NUMBERED.sub(r"(\1)", source.text[:most])
        left = len(source.text) - most
        rest = f"\n[{left:,} more characters: read_source, id {json.dumps(source.id)}, start {most}]" if left else ""
        name, file = described(source), source.metadata.get("file", "")
        place = f" (file {json.dumps(file, ensure_ascii=False)})" if file and file not in name else ""
        lines.append(f"[{number}] {name}{place}\n{text}{rest}".strip())
    if more := len(sources) - len(shown):
        lines.append(f"({more} more results are not shown)")
    return fenced("\n".join(lines)), shown


def searched_part(outcomes: Sequence[ToolOutcome]) -> str:
    """Return the calls of the turn with their results, one per line."""
    lines = []
    for each in outcomes:
        count = len(each["sources"])
        found = f"{count} result{'' if count == 1 else 's'}. "
        came = (
            f"{'' if each['note'].startswith(DONE) else found}{each['note']}"
            if each["ok"]
            else f"failed: {each['error']}"
        )
        came = came if each["made"] else f"not made: {each['error']}"
        lines.append(f"- {call_text(each['tool_name'], each['arguments'])}: {came}".rstrip())
    return fenced("\n".join(lines))


def call_text(name: str, arguments: Mapping[str, Any]) -> str:
    """Return a call in a readable form."""
    return f"{name} {visible(json.dumps(arguments, ensure_ascii=False, sort_keys=True))}"


def visible(text: str) -> str:
    """Return the text with codes for non-printing characters, such as those that change the writing direction."""
    return "".join(sign if sign.isprintable() else f"<U+{ord(sign):04X}>" for sign in text)


def conversation_part(messages: Sequence[Mapping[str, Any]], room: int) -> str:
    """Return the last messages before this one, with the number of all."""
    # Older messages were not fetched, but are counted.
    older: list[dict[str, Any]] = [{}] * (messages[-1]["number"] - len(messages) if messages else 0)
    return fenced(build_conversation_context([*older, *messages], longest=room // MOST_MESSAGES))


def questions_part(messages: Sequence[Mapping[str, Any]]) -> str:
    """Return the last questions before this one, and the last answer: the context of "And the other one?"."""
    said = [(each["role"], " ".join(str(each["content"]).split())) for each in messages]
    asked = [f"- {text[:LONGEST_QUESTION]}" for role, text in said if role == "user"][-MOST_QUESTIONS:]
    answers = [f"Answer to the last: {text[:LONGEST_ANSWER]}" for role, text in said if role != "user"][-1:]
    return fenced("\n".join([*asked, *answers]))


def tools_part(tools: Mapping[str, ToolInfo], room: int) -> tuple[str, bool]:
    """Return the tools with their parameters, and one line for each without room; whether there are such tools."""
    detailed = [build_tools_context_detailed({name: info}) for name, info in tools.items()]
    kept = [text for place, text in enumerate(detailed) if sum(map(len, detailed[: place + 1])) <= room]
    others = dict(list(tools.items())[len(kept) :])
    return fenced("\n".join([*kept, *([build_tools_context_summary(others)] if others else [])])), bool(others)


def files_summary_part(files: Sequence[ContextFile], room: int) -> str:
    """Return the files with the beginnings of their texts; for long ones also the number of places that can be read."""
    long = sum(len(part["text"]) for file in files for part in file["parts"]) > room
    listed = []
    for file in files:
        count = f"({len(file['parts'])} pages or sections, too long to be shown whole: read_page reads one) "
        listed.append({**file, "preview": f"{count if long and len(file['parts']) > 1 else ''}{file['preview']}"})
    return fenced(build_files_context_summary(listed, min(LONGEST_BEGINNING, room // max(1, len(files)))))


def files_part(files: Sequence[ContextFile], query: str, room: int) -> str:
    """Return the text of the files: whole if there is room, else the places whose words are nearest to the question."""
    parts = [(file["sha256"], part) for file in files for part in file["parts"]]
    chosen = range(len(parts))
    if sum(len(part["text"]) for _, part in parts) > room:
        nearest = ranked_texts([part["text"] for _, part in parts], query)
        kept, used = [], 0
        for place in [*nearest, *(place for place in chosen if place not in nearest)]:
            kept += [place] if used < room else []
            used += len(parts[place][1]["text"])
        chosen = sorted(kept)  # type: ignore[assignment]
    cuts = dict(zip(chosen, shares([len(parts[place][1]["text"]) for place in chosen], room), strict=True))
    listed: list[dict[str, Any]] = []
    for file in files:
        own = [place for place, (name, _) in enumerate(parts) if name == file["sha256"]]
        texts = [f"[{_place(parts[at][1])}] {parts[at][1]['text'][: cuts[at]]}" for at in own if at in cuts]
        told = [file["cut"], *file["notes"], file["problem"]]
        if len(texts) < len(own):
            told.insert(0, f"{len(texts)} of {len(own)} pages or sections are shown")
        elif any(cuts[at] < len(parts[at][1]["text"]) for at in own):
            told.insert(0, "texts are shown in part")
        cut = "; ".join(filter(None, told))
        listed.append({"name": file["name"], "type": file["type"], "preview": "\n".join(texts), "cut": cut})
    return fenced(build_files_context_full(listed))


def _place(part: Mapping[str, str]) -> str:
    return f"p. {part['page']}" if part["page"] else part["heading"] or "text"


def dates_part(now: datetime) -> list[str]:
    """Return today, the days before, and common periods, as ISO dates, one per line."""
    today = now.date()

    def ago(days: int) -> str:
        return (today - timedelta(days=days)).isoformat()

    monday, first = today - timedelta(days=today.weekday()), today.replace(day=1)
    before = first - timedelta(days=1)
    days = [f"{WEEKDAYS[(today - timedelta(days=n)).weekday()]} {ago(n)}" for n in range(7)]
    return [
        f"today: {ago(0)}; yesterday: {ago(1)}; the day before yesterday: {ago(2)}; tomorrow: {ago(-1)}",
        f"days, today first: {', '.join(days)}",
        f"last week: since {ago(7)}; last month: since {ago(30)}; last three months: since {ago(91)}",
        f"this calendar week: since {monday}; the one before: {monday - timedelta(7)} to {monday - timedelta(1)}",
        f"this calendar month: since {first}; the one before: {before.replace(day=1)} to {before}",
        f"this year: since {today.year}-01-01; the year before: {today.year - 1}-01-01 to {today.year - 1}-12-31",
    ]
