"""What tools gave, as numbered sources: whether it can be enough, and how prompts show it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from graphwright.agents.assistant.citing import described, is_address
from graphwright.agents.assistant.extracting import quotes
from graphwright.agents.assistant.known import THREAD
from graphwright.agents.assistant.passages import picked
from graphwright.agents.assistant.question import Question
from graphwright.agents.assistant.state import ToolOutcome
from graphwright.agents.assistant.words import TELLING, shares, stems
from graphwright.context import fenced
from graphwright.text.little_words import language_of
from graphwright.tools.sources import Source

MOST_SOURCES = 8
"""Sources that an answer sees."""

BUDGET = 2_400
"""Characters of all their passages together."""

_NUMBERED = re.compile(r"\[(\d{1,3})\]")

_MISREAD = (
    (
        re.compile(r"\b(?:steht|stehen|stand|standen)(?=\s*[.,;:!?)\n]|\s*\Z|\s+still\b)"),
        "steht",
        "has stopped, does not run",
    ),
    (re.compile(r"\bhängt(?=\s*[.,;:!?)\n]|\s*\Z)"), "hängt", "is stuck or does not respond"),
    (re.compile(r"\büberbrückt\w*"), "überbrückt", "bypassed, out of function"),
    (re.compile(r"\bquittiert\w*"), "quittiert", "acknowledged or reset, not signed off"),
)
"""Words of German logs that small models read as something else: how each is found, called, and meant."""

MOST_JUDGED = 5
LONGEST_JUDGED = 160
"""Characters of a source when results are judged."""


def sources_in(outcomes: Sequence[ToolOutcome]) -> list[Source]:
    """The sources of all calls, each once: the best of each call first, those of the last round before earlier ones."""
    rows: list[tuple[str, list[Source]]] = []
    for outcome in sorted(outcomes, key=lambda each: -each["iteration"]):
        found = [Source.from_json(each) for each in outcome["sources"]]
        if outcome["tool_name"] == THREAD:
            # The entry that was asked for before those that it answers.
            asked = {str(value) for value in outcome["arguments"].values()}
            found.sort(key=lambda source: source.metadata.get("id", "") not in asked)
        if found:
            rows.append((outcome["tool_name"], found))
    listed: dict[tuple[str, str], Source] = {}
    for place in range(max((len(row) for _, row in rows), default=0)):
        for tool, row in rows:
            if place < len(row):
                source = row[place]
                # Several passages of a page have one address; tools know nothing of each other's names.
                mark = (tool if source.kind == "tool" else source.kind, source.id)
                listed.setdefault(mark, source)
    return list(listed.values())


def shortfall(question: Question, outcomes: Sequence[ToolOutcome], iteration: int) -> tuple[bool | None, str]:
    """Whether results are enough as far as code can tell (None: it cannot), and what to search for instead."""
    fresh = [outcome for outcome in outcomes if outcome["iteration"] == iteration]
    sources = sources_in(outcomes)
    asked = " ".join(question.terms[:6])
    if not sources:
        if fresh and all(not outcome["ok"] for outcome in fresh):
            return False, f"Every call failed: {fresh[0]['error'][:200]}"
        return (
            False,
            f"Nothing was found. Search with other or fewer words, or elsewhere{f': {asked}' if asked else ''}.",
        )
    if question.entries and any(outcome["ok"] and outcome["tool_name"] == THREAD for outcome in outcomes):
        return True, ""
    if not question.terms:
        return True, ""
    texts = [f"{source.title} {' '.join(source.metadata.values())} {source.text}" for source in sources]
    if question.period is not None and any(_speaks_of_all(question, text) for text in texts):
        # What happened in a time is what was written down of it.
        return True, ""
    there = stems("\n".join(texts))
    if any(shares(term, there) for term in question.terms):
        return None, ""
    language = language_of(question.text, TELLING)
    if language and any((found := language_of(text, TELLING)) and found != language for text in texts):
        # Of the words of one language none needs to stand in a text of another.
        return None, ""
    return False, f"None of the results speaks of {asked}. Search for other words that mean it."


def _speaks_of_all(question: Question, text: str) -> bool:
    there = stems(text)
    return all(shares(term, there) for term in question.terms)


def summary(sources: Sequence[Source], terms: Sequence[str], outcomes: Sequence[ToolOutcome]) -> str:
    """The results for judging them: of the first five what each is, and its sentence nearest to the question."""
    lines = []
    for source in sources[:MOST_JUDGED]:
        best = quotes([source], terms)[:1] or quotes([source], ())[:1]
        said = best[0][1][:LONGEST_JUDGED] if best else ""
        lines.append(f"- {described(source)}: {said}")
    if len(sources) > MOST_JUDGED:
        lines.append(f"({len(sources) - MOST_JUDGED} more results)")
    lines += [f"- {each['tool_name']} failed: {each['error'][:LONGEST_JUDGED]}" for each in outcomes if not each["ok"]]
    return fenced("\n".join(lines))


def context(sources: Sequence[Source], terms: Sequence[str]) -> tuple[str, str, list[Source]]:
    """The sources for an answer, numbered from 1 with their passages; what of them is not shown; and those shown."""
    shown = list(sources[:MOST_SOURCES])
    found = picked(shown, terms, BUDGET)
    # A number in brackets is ours: one in a text could pass for another source.
    texts = {excerpt.place: _NUMBERED.sub(r"(\1)", excerpt.text) for excerpt in found.excerpts}
    lines = [f"[{place + 1}] {described(source)}\n{texts.get(place, '')}".strip() for place, source in enumerate(shown)]
    told = []
    if len(sources) > len(shown):
        told.append(f"{len(sources) - len(shown)} of {len(sources)} results")
    if found.cut:
        told.append("parts of texts, where […] stands or nothing follows a title")
    return fenced("\n".join(lines)), "; ".join(told), shown


def meanings(shown: str) -> list[str]:
    """What words in German sources say of a device, a line each; for models that read them literally."""
    return [f'"{word}" of a device: {meant}' for found, word, meant in _MISREAD if found.search(shown)]


def images(sources: Sequence[Source]) -> str:
    """The images of the sources as Markdown, one a line."""
    lines = [
        f"![{' '.join(image.caption.split())[:100]}]({image.url})"
        for source in sources
        for image in source.images
        if is_address(image.url)
    ]
    return fenced("\n".join(dict.fromkeys(lines[:6])))
