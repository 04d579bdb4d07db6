"""Which calls are made: what the model proposes, held against what the question says, and never the same one twice."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import Any

from graphwright.agents.assistant.changing import asks_for, changes_something
from graphwright.agents.assistant.known import (
    ANY,
    COUNT,
    KNOWLEDGE,
    LOG,
    QUERY,
    SINCE,
    THREAD,
    UNTIL,
)
from graphwright.agents.assistant.people import authors_of, named_in
from graphwright.agents.assistant.question import Question, grounds, names_of
from graphwright.agents.assistant.schemas import MOST_CALLS
from graphwright.agents.assistant.state import SelectedTool, ToolInfo
from graphwright.agents.assistant.words import META_WORDS, STOP_WORDS, TELLING, content_words, shares, stem, words
from graphwright.agents.assistant.zones import zone_of
from graphwright.text.little_words import language_of

LONGEST_QUERY = 12
"""Words."""

MOST_THREADS = 2
"""Threads that are read for a reason or a remedy, of what one search found."""

WIDER = 7
"""Days by which a span that gave nothing is begun earlier."""

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]{1,30}://[^\s\"'<>,]+|\bwww\.[^\s\"'<>,]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Call:
    """A call: `after` is the place of the call that gives the argument `fill`, -1 where it hangs on none."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    reasoning: str = ""
    after: int = -1
    fill: str = ""

    def to_json(self) -> SelectedTool:
        return {
            "tool_name": self.tool,
            "arguments": dict(self.arguments),
            "reasoning": self.reasoning,
            "after": self.after,
            "fill": self.fill,
        }


def signature(tool: str, arguments: Mapping[str, Any]) -> str:
    """What two calls that ask for the same have in common: case, blanks, order and empty arguments apart."""

    def plain(value: Any) -> Any:
        return " ".join(value.casefold().split()) if isinstance(value, str) else value

    kept = {name: plain(value) for name, value in arguments.items() if not _restricts_nothing(value)}
    return json.dumps([tool, kept], sort_keys=True, ensure_ascii=False, default=str)


def _restricts_nothing(value: Any) -> bool:
    return value is None or value == [] or (isinstance(value, str) and value.strip().casefold() in ANY)


def chosen(
    proposed: Iterable[Mapping[str, Any]],
    question: Question,
    tools: Mapping[str, ToolInfo],
    synonyms: Mapping[str, Sequence[str]],
    *,
    done: Sequence[Call] = (),
    refinement: str = "",
    addresses: Collection[str] = (),
    broken: Collection[str] = (),
    planned: bool = False,
) -> tuple[list[Call], dict[str, str]]:
    """The calls of this round, and the tools that were proposed and would have changed something, with the verb.

    `done` are the calls that were made before; none of them is made again. `refinement` is what is to be searched for
    instead, in a round after the first. `addresses` are those of the sources found so far: a call may name them, and
    none else but what stands in the question. `broken` are tools that did not answer in this turn. `planned` says that
    the calls are code's own and complete.
    """
    unasked: dict[str, str] = {}
    calls: list[Call] = []
    for each in list(proposed)[: 2 * MOST_CALLS]:
        name = str(each.get("tool_name", ""))
        if name not in tools or name in broken:
            continue
        verb = changes_something(name, tools[name])
        if verb and (done or not asks_for(question.text, verb)):
            # What results say must never make anything happen, and neither must a guess.
            unasked[name] = verb
            continue
        arguments = each.get("arguments")
        given = arguments if isinstance(arguments, Mapping) else {}
        # An address can carry what was read to whoever wrote it into a text.
        kept = _without_foreign(given, {*addresses, *_addresses_in(question.text)})
        if kept != given and not (kept and _required_of(tools[name]) <= kept.keys()):
            continue
        reasoning = str(each.get("reasoning", ""))[:200]
        first = planned and not done
        calls.append(_mended(name, kept, reasoning, question, tools, synonyms, refinement, as_it_is=first))
    if not done and (not planned or question.entries):
        calls = _as_asked(calls, question, tools, synonyms)
    calls = _in_order(calls, question)
    fresh = _new(calls, done)
    # A search that found something of the time in question does not leave it.
    if not fresh and done and not (planned and addresses):
        fresh = _new(_wider(done, question, tools), done)
        fresh = [call for call in fresh if call.tool not in broken][:2]
    return fresh[:MOST_CALLS], unasked


def joined(calls: Sequence[Call], more: Sequence[Call]) -> list[Call]:
    """The calls with others behind them, each once, at most as many as a round may have."""
    moved = [replace(call, after=call.after + len(calls)) if call.after >= 0 else call for call in more]
    return _new([*calls, *moved], ())[:MOST_CALLS]


def _addresses_in(value: Any) -> set[str]:
    """The web addresses in an argument, a text, or whatever holds them."""
    if isinstance(value, Mapping):
        return set().union(*map(_addresses_in, value.values())) if value else set()
    if isinstance(value, list):
        return set().union(*map(_addresses_in, value)) if value else set()
    return set(_ADDRESS.findall(value)) if isinstance(value, str) else set()


def _required_of(tool: ToolInfo) -> set[str]:
    return set(tool["input_schema"].get("required") or ())


def _without_foreign(value: Any, allowed: Collection[str]) -> Any:
    """Arguments without the addresses that nobody gave; what has nothing else in it is left out."""
    if isinstance(value, str):
        kept = _ADDRESS.sub(lambda m: m[0] if m[0] in allowed else "", value)
        return value if kept == value else kept.strip()
    if isinstance(value, Mapping):
        left = {name: _without_foreign(each, allowed) for name, each in value.items()}
        return {name: each for name, each in left.items() if each or each == value[name]}
    if isinstance(value, list):
        return [found for each in value if (found := _without_foreign(each, allowed)) or found == each]
    return value


def _new(calls: Sequence[Call], done: Sequence[Call]) -> list[Call]:
    """The calls that were not made yet, each once; those that hang on another one keep their place after it."""
    seen = {signature(call.tool, call.arguments) for call in done}
    kept: list[Call] = []
    places: dict[int, int] = {}
    for place, call in enumerate(calls):
        if call.after >= 0:
            if call.after in places:
                kept.append(Call(call.tool, call.arguments, call.reasoning, places[call.after], call.fill))
            continue
        mark = signature(call.tool, call.arguments)
        if mark in seen:
            continue
        seen.add(mark)
        places[place] = len(kept)
        kept.append(call)
    return kept


def _mended(
    name: str,
    given: Mapping[str, Any],
    reasoning: str,
    question: Question,
    tools: Mapping[str, ToolInfo],
    synonyms: Mapping[str, Sequence[str]],
    refinement: str,
    *,
    as_it_is: bool = False,
) -> Call:
    """A proposed call with arguments that the question speaks for; `as_it_is` leaves its words to search for."""
    schema = tools[name]["input_schema"]
    properties: Mapping[str, Any] = schema.get("properties") or {}
    required = schema.get("required") or ()
    arguments: dict[str, Any] = {}
    text = f"{question.text} {question.like} {refinement}"
    for argument, facts in properties.items():
        facts = facts if isinstance(facts, Mapping) else {}
        value = given.get(argument)
        if argument in SINCE | UNTIL and _is_text(facts):
            value = _date(argument, value, question, required=argument in required)
        elif argument in QUERY and _is_text(facts):
            if not as_it_is or (argument in required and not value):
                value = query_for(value, question, refinement, required=argument in required)
        elif zone := zone_of(argument, properties, question.text):
            value = zone
        elif argument in COUNT:
            value = question.count or (value if as_it_is or argument in required else None)
        elif isinstance(facts.get("enum"), list):
            value = _option(value, facts, text, synonyms, required=argument in required)
        elif name == THREAD and argument in required:
            value = value if value in question.entries else None
        elif argument == "author":
            value = _author(value, question, tools[name], refinement)
        if argument in required or not _restricts_nothing(value):
            if value is None and argument in required and name == THREAD:
                continue
            if value is not None:
                arguments[argument] = value
    if name == KNOWLEDGE and not refinement:
        _restrict(arguments, properties, text, synonyms)
    for argument in QUERY & arguments.keys() - set(required):
        chosen_values = [
            value for other, value in arguments.items() if other == "author" or "enum" in (properties[other] or {})
        ]
        arguments[argument] = _beside(str(arguments[argument]), chosen_values, synonyms)
        if not arguments[argument]:
            del arguments[argument]
    return Call(name, arguments, reasoning)


def _author(value: Any, question: Question, tool: ToolInfo, refinement: str) -> str | None:
    """An author that is spoken of: the model's, or one that the tool offers and that the question itself names."""
    spoken = {stem(word) for word in words(f"{question.text} {refinement} {' '.join(question.terms)}")}
    if isinstance(value, str) and any(shares(part, spoken) for part in words(value)):
        return value
    named = [] if refinement else named_in(question.text, authors_of(tool))
    return named[0].name if named else None


def _restrict(
    arguments: dict[str, Any], properties: Mapping[str, Any], text: str, synonyms: Mapping[str, Sequence[str]]
) -> None:
    """Turn the name of the one accelerator that a question names from words to look for into the restriction it is."""
    options = (properties.get("accelerator") or {}).get("enum") or ()
    named = [each for each in options if each.casefold() not in ANY and grounds(each, text, synonyms)]
    rest = _beside(str(arguments.get("query", "")), named, synonyms)
    if len(named) == 1 and rest:
        arguments |= {"accelerator": named[0], "query": rest}


def _beside(query: str, values: Sequence[Any], synonyms: Mapping[str, Sequence[str]]) -> str:
    """A query without the words that only say again what an option says: entries of that kind need not have them."""
    said = {stem(word) for value in values for name in names_of(str(value), synonyms) for word in words(name)}
    return " ".join(word for word in query.split() if stem(word) not in said)


def _is_text(facts: Mapping[str, Any]) -> bool:
    kind = facts.get("type", "string")
    return kind == "string" or (isinstance(kind, list) and "string" in kind) or "anyOf" in facts


def _date(argument: str, value: Any, question: Question, *, required: bool) -> str | None:
    """A date as code computed it from the question; one of the model's own only where the argument is needed."""
    if question.period is not None:
        return question.period.since if argument in SINCE else question.period.until
    return str(value) if required and value else None


def query_for(value: Any, question: Question, refinement: str, *, required: bool) -> str:
    """The words to search for: those of the model where they carry anything, and those of the question beside them."""
    dated = {w.casefold() for said in (question.period.words if question.period else ()) for w in words(said)}
    own = content_words(value, without=dated) if isinstance(value, str) else []
    if question.period is not None:
        own = [word for word in own if not _is_date(word)]
    terms = list(question.terms)
    if refinement:
        # A refinement says what to look for instead; words it does not have from anywhere are the model's to choose.
        wanted = own or content_words(refinement)[:6] or terms
        return " ".join(wanted[:LONGEST_QUERY])
    there = {stem(word) for word in terms}
    foreign = language_of(question.text, TELLING) == "de"
    if terms and not foreign and not any(shares(word, there) for word in own):
        # Words that have nothing to do with the question are a guess; in another language they may translate it.
        found = terms
    else:
        known = {stem(word) for word in own}
        found = own + [term for term in terms if not shares(term, known)]
    if not found and required:
        plain = [w for w in words(question.text) if w.casefold() not in STOP_WORDS] or words(question.text)
        found = [w for w in plain if w.casefold() not in META_WORDS] or plain
    return " ".join(found[:LONGEST_QUERY])


def _is_date(word: str) -> bool:
    return bool(word) and word.replace("-", "").replace(".", "").isdigit()


def _option(
    value: Any, facts: Mapping[str, Any], text: str, synonyms: Mapping[str, Sequence[str]], *, required: bool
) -> Any:
    """A value of an enum that the text speaks for; else nothing, or where one is needed the widest."""
    options = facts["enum"]
    named = [option for option in options if isinstance(option, str) and grounds(option, text, synonyms)]
    if not all(isinstance(option, str) for option in options):
        return value if value in options else None
    if value in named:
        return value
    if len(named) == 1 and isinstance(value, str) and value and value.casefold() not in ANY:
        # The model chose to restrict, only to the wrong one.
        return named[0]
    if not required:
        return None
    widest = next((option for option in options if option.casefold() in ANY), None)
    return named[0] if named else widest or facts.get("default") or (value if value in options else options[0])


def _as_asked(
    calls: list[Call], question: Question, tools: Mapping[str, ToolInfo], synonyms: Mapping[str, Sequence[str]]
) -> list[Call]:
    """The first round of calls with those that the question itself asks for, and without those it speaks against."""

    def ensure(name: str) -> None:
        if name in tools and not any(call.tool == name for call in calls):
            calls.append(_mended(name, {}, "", question, tools, synonyms, ""))

    def drop(name: str) -> None:
        calls[:] = [call for call in calls if call.tool != name]

    if question.entries and THREAD in tools:
        drop(THREAD)
        argument = _number_of(tools[THREAD])
        calls[:0] = [Call(THREAD, {argument: number}, "") for number in question.entries[: MOST_CALLS - 1]]
        if not question.terms:
            drop(LOG)
        if not question.documents:
            drop(KNOWLEDGE)
            if not (question.period or question.goes_on):
                drop(LOG)
        return calls
    in_log = question.log or question.period is not None
    if in_log:
        ensure(LOG)
        if question.documents:
            ensure(KNOWLEDGE)
        elif LOG in tools and (question.log or question.happened or not question.explains):
            drop(KNOWLEDGE)
    elif question.documents:
        ensure(KNOWLEDGE)
        if not question.happened:
            drop(LOG)
    elif question.explains and not question.happened:
        ensure(KNOWLEDGE)
        if KNOWLEDGE in tools:
            drop(LOG)
            drop(THREAD)
    elif question.happened and not question.explains:
        ensure(LOG)
    if not calls:
        ensure(KNOWLEDGE)
        ensure(LOG)
    if not calls and tools and len(tools) <= 2:
        name = next(iter(tools))
        if not changes_something(name, tools[name]):
            calls.append(_mended(name, {}, "", question, tools, synonyms, ""))
    return calls


def _number_of(thread: ToolInfo) -> str:
    """The argument that takes the number of an entry."""
    properties = thread["input_schema"].get("properties") or {"id": {}}
    return "id" if "id" in properties else str(next(iter(properties)))


def _in_order(calls: Sequence[Call], question: Question) -> list[Call]:
    """Each call that needs the number of an entry, and has none, after the search that finds one; else left out."""
    searches = [call for call in calls if call.tool != THREAD or call.arguments]
    place = next((i for i, call in enumerate(searches) if call.tool == LOG), -1)
    wanting = [call for call in calls if call.tool == THREAD and not call.arguments]
    explained = question.explained and not (question.goes_on or question.entries)
    if place >= 0 and "author" in searches[place].arguments:
        # What somebody repaired is what he wrote of it.
        explained = explained and (question.wants_reason or question.wants_thread)
    if place >= 0 and (wanting or explained):
        reasoning = wanting[0].reasoning if wanting else ""
        return [*searches, *[Call(THREAD, {}, reasoning, place, "id")] * (MOST_THREADS if explained else 1)]
    return searches


def _wider(done: Sequence[Call], question: Question, tools: Mapping[str, ToolInfo]) -> list[Call]:
    """Calls that may find more than those made: unrestricted, over a longer time, with fewer words, elsewhere."""
    found: list[Call] = []
    for call in reversed(done):
        if call.tool == THREAD or call.tool not in tools or changes_something(call.tool, tools[call.tool]):
            continue
        properties = tools[call.tool]["input_schema"].get("properties") or {}
        query = next((name for name in properties if name in QUERY), "")
        dates = {name: value for name, value in call.arguments.items() if name in SINCE | UNTIL}
        kept = {name: value for name, value in call.arguments.items() if name in ({query} | SINCE | UNTIL | COUNT)}
        if len(kept) < len(call.arguments) and kept.keys() & {query, *SINCE, *UNTIL}:
            found.append(Call(call.tool, kept))
        own = list(question.terms) or content_words(str(kept.get(query, "")))
        if query and len(own) > 1:
            longest = sorted(own, key=lambda word: (not any(c.isdigit() for c in word), -len(word)))[
                : max(1, len(own) // 2)
            ]
            found.append(Call(call.tool, {**kept, query: " ".join(longest)}))
        if dates and question.period is not None:
            open_ended = {name: value for name, value in kept.items() if name not in UNTIL}
            found.append(Call(call.tool, {**open_ended, **_earlier(dates, question.period.since)}))
        other = {LOG: KNOWLEDGE, KNOWLEDGE: LOG}.get(call.tool, "")
        if other in tools and own:
            there = tools[other]["input_schema"].get("properties") or {}
            argument = next((name for name in there if name in QUERY), "query")
            found.append(Call(other, {argument: " ".join(own)}))
    return found


def _earlier(names: Iterable[str], since: str) -> dict[str, str]:
    """The arguments for the first day, with one some days before `since`."""
    if not since:
        return {}
    first = date.fromisoformat(since)
    earlier = first - timedelta(days=WIDER) if first.toordinal() > WIDER else first
    return {name: earlier.isoformat() for name in names if name in SINCE}
