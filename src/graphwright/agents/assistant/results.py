"""What tools gave, as numbered sources: whether it can be enough, and how prompts show it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date

from graphwright.agents.assistant.citing import described, is_address
from graphwright.agents.assistant.dates import Period
from graphwright.agents.assistant.extracting import quotes
from graphwright.agents.assistant.known import KNOWLEDGE, LOG, OWN, QUERY, THREAD
from graphwright.agents.assistant.passages import picked
from graphwright.agents.assistant.question import Question
from graphwright.agents.assistant.relevance import COVERED, UNCOVERED, Relevance
from graphwright.agents.assistant.state import ToolOutcome
from graphwright.agents.assistant.words import TELLING
from graphwright.context import fenced
from graphwright.knowledge import IS_SAMPLE as DOCUMENTS_ARE_SAMPLE
from graphwright.logbook.serving import IS_SAMPLE as LOG_IS_SAMPLE
from graphwright.text.little_words import language_of
from graphwright.tools.sources import Source

MOST_SOURCES = 8
"""Sources that an answer sees."""

BUDGET = 1_500
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

_NOTED = re.compile(r"(?<=[.!?])\s+")
_INCOMPLETE = re.compile(r"\bnot complete\b|\bcould not be read\b|\bwas not looked at\b|^Only words were\b")
_REACHED = re.compile(r"^Entries since \S+ were searched\b")
_TAKEN_FOR = re.compile(r"Searched for .+ instead of ")
_MORE = re.compile(r"\bentries fit; \d+ are given\b")

MOST_JUDGED = 5
LONGEST_JUDGED = 160
"""Characters of a source when results are judged."""


def sources_in(outcomes: Sequence[ToolOutcome]) -> list[Source]:
    """The sources of all calls, each once: the best of each call first, in the order of the rounds."""
    rows: list[tuple[str, list[Source]]] = []
    for outcome in outcomes:
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


def by_part(parts: Sequence[Question], sources: Sequence[Source]) -> list[tuple[Question, list[Source]]]:
    """For each part of a question what was found for it: of its kind, where it asks for one and there is any."""
    if len(parts) == 1:
        return [(parts[0], list(sources))]
    rows = []
    for part in parts:
        own = [source for source in sources if not part.wants or source.kind == part.wants]
        rows.append((part, own or list(sources)))
    return rows


def brought_something(outcomes: Sequence[ToolOutcome], iteration: int) -> bool:
    """Whether the last round found what the rounds before had not."""
    before = {each["id"] for outcome in outcomes if outcome["iteration"] < iteration for each in outcome["sources"]}
    return any(
        each["id"] not in before
        for outcome in outcomes
        if outcome["iteration"] == iteration
        for each in outcome["sources"]
    )


def authors_in(outcomes: Sequence[ToolOutcome]) -> list[str]:
    """The authors of the log entries that were found, each once."""
    names = (source["metadata"].get("author", "") for outcome in outcomes for source in outcome["sources"])
    return list(dict.fromkeys(name for name in names if name))


def lies_ahead(question: Question, today: date) -> bool:
    """Whether a question is for log entries of days to come: no other words and no other place know of them."""
    return question.wants == "elog" and question.period is not None and question.period.since > today.isoformat()


def of_no_day(question: Question) -> tuple[str, ...]:
    """The days that a question names where no calendar has any of them; what is found for it is of other days."""
    period = question.period
    return period.impossible if period is not None and not (period.since or period.until) else ()


def shortfall(
    question: Question,
    parts: Sequence[Question],
    outcomes: Sequence[ToolOutcome],
    iteration: int,
    synonyms: Mapping[str, Sequence[str]],
) -> tuple[bool | None, str]:
    """Whether results are enough as far as code can tell (None: it cannot), and what to search for instead."""
    fresh = [outcome for outcome in outcomes if outcome["iteration"] == iteration]
    sources = sources_in(outcomes)
    asked = " ".join(question.terms[:6])
    if not sources:
        if fresh and all(not outcome["ok"] for outcome in fresh):
            return False, f"Every call failed: {fresh[0]['error'][:200]}"
        if any(outcome["ok"] and not QUERY & outcome["arguments"].keys() for outcome in fresh):
            # That there are no entries of a kind in a time is the answer.
            return True, ""
        return (
            False,
            f"Nothing was found. Search with other or fewer words, or elsewhere{f': {asked}' if asked else ''}.",
        )
    if question.entries and any(outcome["ok"] and outcome["tool_name"] == THREAD for outcome in outcomes):
        return True, ""
    if not question.terms or any(
        each["ok"] and each["sources"] and each["tool_name"] != THREAD and not QUERY & each["arguments"].keys()
        for each in fresh
    ):
        return True, ""
    covered = [Relevance(part, found, synonyms).best for part, found in by_part(parts, sources)]
    if min(covered) >= COVERED:
        return True, ""
    if question.period is not None and min(covered) >= UNCOVERED and question.wants == "elog":
        # What happened in a time is what was written down of it.
        return True, ""
    texts = [f"{source.title} {source.text}" for source in sources]
    language = language_of(question.text, TELLING)
    foreign = bool(language) and any((found := language_of(text, TELLING)) and found != language for text in texts)
    if (foreign or min(covered) >= UNCOVERED) and iteration > 1:
        # The other place and other words were tried.
        return True, ""
    if min(covered) < UNCOVERED and not foreign:
        return False, f"None of the results speaks of {asked}. Search for other words that mean it."
    if len({outcome["tool_name"] for outcome in outcomes}) == 1:
        return False, f"Little was found about {asked}."
    return None, ""


def notable(outcomes: Sequence[ToolOutcome], *, listing: bool) -> list[str]:
    """What tools noted that bears on the answer: what our own searches did not reach, and one sentence besides.

    How our own searches went is not told, but for words that were taken for others.
    """
    told, lacking = [], []
    for outcome in outcomes:
        note = outcome["note"]
        if outcome["tool_name"] in OWN:
            parts = _NOTED.split(note)
            found = bool(outcome["sources"])
            lacking += [each for each in parts if _INCOMPLETE.search(each) or (not found and _REACHED.search(each))]
            lacking += [each for each in parts if found and _TAKEN_FOR.match(each)]
            note = next((each for each in parts if listing and _MORE.search(each)), "")
        if outcome["sources"] and note:
            told.append(note)
    return [*list(dict.fromkeys(lacking))[:2], *list(dict.fromkeys(told))[:1]]


def samples(outcomes: Sequence[ToolOutcome]) -> list[str]:
    """What of that which was searched is a sample, `knowledge` before `elog`; of what found anything, if any did."""
    told = {
        KNOWLEDGE: ("knowledge", DOCUMENTS_ARE_SAMPLE),
        LOG: ("elog", LOG_IS_SAMPLE),
        THREAD: ("elog", LOG_IS_SAMPLE),
    }
    given = [each for each in outcomes if each["sources"]] or outcomes
    kinds = {
        told[each["tool_name"]][0]
        for each in given
        if each["tool_name"] in told and told[each["tool_name"]][1] in each["note"]
    }
    return sorted(kinds, reverse=True)


def unsearched(outcomes: Sequence[ToolOutcome]) -> bool:
    """Whether one of our own tools was called and never answered: what is not found may be where it looks."""
    answered = {each["tool_name"] for each in outcomes if each["ok"]}
    return any(each["broken"] and each["tool_name"] in OWN - answered for each in outcomes)


def none_logged(outcomes: Sequence[ToolOutcome], sources: Sequence[Source]) -> bool:
    """Whether the logbook was searched and has nothing."""
    return any(each["ok"] and each["tool_name"] == LOG for each in outcomes) and not any(
        source.kind == "elog" for source in sources
    )


def all_outside(sources: Sequence[Source], period: Period) -> bool:
    """Whether all log entries are of another time than was asked for, and there are any."""
    days = [source.metadata["date"] for source in sources if source.kind == "elog" and source.metadata.get("date")]
    return bool(days) and not any(period.since <= day and (not period.until or day <= period.until) for day in days)


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


def context(sources: Sequence[Source], terms: Sequence[str], found: int) -> tuple[str, str, list[Source]]:
    """The sources for an answer, numbered from 1 with their passages; what is not shown; and those shown.

    `found` is how many there were to choose from.
    """
    shown = list(sources[:MOST_SOURCES])
    chosen = picked(shown, terms, BUDGET)
    # A number in brackets is ours: one in a text could pass for another source.
    texts = {excerpt.place: _NUMBERED.sub(r"(\1)", excerpt.text) for excerpt in chosen.excerpts}
    lines = [f"[{place + 1}] {described(source)}\n{texts.get(place, '')}".strip() for place, source in enumerate(shown)]
    told = []
    if found > len(shown):
        told.append(f"{found - len(shown)} of {found} results")
    if chosen.cut:
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
