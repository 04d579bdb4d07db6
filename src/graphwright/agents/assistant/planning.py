"""The calls that code plans by itself: those of the first round, from the question, and those of a refined one."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from graphwright.agents.assistant.compounds import SHORTEST_PART
from graphwright.agents.assistant.known import ANY, KNOWLEDGE, LOG, OWN, THREAD
from graphwright.agents.assistant.listing import MOST_NAMED, other_words
from graphwright.agents.assistant.people import Person, authors_of, named_in, says_something
from graphwright.agents.assistant.question import Question, names_of
from graphwright.agents.assistant.selecting import Call
from graphwright.agents.assistant.state import ToolInfo
from graphwright.agents.assistant.words import (
    EVERYDAY,
    RELATIONS,
    content_words,
    folded,
    stem,
    stems,
    words,
)

MOST_PEOPLE = 2
"""Authors whose entries are searched for."""

MOST_OTHERS = 4
"""Words of the same meaning that a refined search takes."""

_JOINED = re.compile(r"(?:ion|ung|heit|keit|tat|schaft|ling|tum)$")
"""First parts of compounds that are joined to the next by an `s`, without umlauts."""

_NAME = r"[A-ZÄÖÜ][\w'-]+(?:\s+[A-ZÄÖÜ][\w'-]+)?"
_WHO = re.compile(
    r"\b(?:written|logged|entered|reported|entries|entry|wrote|geschrieben|eingetragen|einträge|eintrag)\s+"
    rf"(?:by|from|von)\s+({_NAME})"
    rf"|\b(?i:did|has|hat|hatte)\s+({_NAME})\s+(?:\w+\s+){{0,4}}?"
    r"(?:write|written|log|logged|enter|entered|report|reported|geschrieben|eingetragen|gemeldet)\b"
)


def plannable(question: Question, tools: Mapping[str, ToolInfo]) -> bool:
    """Whether code can tell what to call: it knows all of the tools, and the question says what to look for."""
    says_what = question.terms or question.period or question.entries or (question.log and question.recounts)
    return bool(tools) and tools.keys() <= OWN and bool(says_what)


def planned(
    parts: Sequence[Question],
    tools: Mapping[str, ToolInfo],
    synonyms: Mapping[str, Sequence[str]],
    vocabulary: Sequence[Sequence[str]],
) -> list[tuple[Question, list[dict[str, Any]]]]:
    """The calls for each part of a question, as `{tool_name, arguments}`; where to look is either, both are asked.

    The logbook is searched for a list by each of the names in the `vocabulary` as well.
    """
    return [(part, _calls(part, tools, synonyms, vocabulary)) for part in parts]


def _calls(
    question: Question,
    tools: Mapping[str, ToolInfo],
    synonyms: Mapping[str, Sequence[str]],
    vocabulary: Sequence[Sequence[str]],
) -> list[dict[str, Any]]:
    if question.entries and THREAD in tools:
        # The entries that are named are called for in any case.
        places = [KNOWLEDGE] if question.documents else [LOG] if question.goes_on and question.terms else []
    else:
        places = {"elog": [LOG], "knowledge": [KNOWLEDGE]}.get(question.wants, [KNOWLEDGE, LOG])
        # Where that place cannot be searched the other one may know.
        places = places if tools.keys() & set(places) else [KNOWLEDGE, LOG]
    people = _people(question, tools[LOG]) if LOG in tools else []
    if people and says_something(question.text) and not (question.documents or question.entries):
        places = [LOG]
    calls: list[dict[str, Any]] = []
    for name in places:
        if name == LOG and LOG in tools:
            ways = [_of_log(question, tools[LOG], synonyms, people, place) for place in range(max(1, len(people)))]
            arguments = ways[0]
            if question.lists and "query" in arguments:
                others = other_words(str(arguments["query"]).split(), vocabulary)
                ways += [{**arguments, "query": " ".join(each)} for each in others]
            calls += [{"tool_name": LOG, "arguments": each} for each in ways]
        elif name in tools:
            calls.append({"tool_name": name, "arguments": {"query": " ".join(question.terms)}})
    return calls


def by_other_names(calls: Sequence[Call], question: Question, vocabulary: Sequence[Sequence[str]]) -> list[Call]:
    """For a list the searches of the logbook once more, by other names of what they look for."""
    return [
        Call(LOG, {**call.arguments, "query": " ".join(each)})
        for call in calls
        if question.lists and call.tool == LOG and "query" in call.arguments
        for each in other_words(str(call.arguments["query"]).split(), vocabulary)
    ]


def _of_log(
    question: Question,
    tool: ToolInfo,
    synonyms: Mapping[str, Sequence[str]],
    people: Sequence[Person],
    place: int,
) -> dict[str, Any]:
    """The query for the logbook, and the restrictions that the question itself speaks of: of `people` that one."""
    properties: Mapping[str, Any] = tool["input_schema"].get("properties") or {}
    arguments: dict[str, Any] = {}
    left = list(question.terms)
    known = authors_of(tool)
    people = people or _said_to_write(question.text, known)
    if people and "author" in properties:
        arguments["author"] = people[place].name
        own = {stem(word) for person in people for word in (*person.said, *words(person.name))}
        # Authors of whom the question before spoke are others.
        others = {stem(word) for name in known for word in words(name)} - set(stems(question.text))
        left = [term for term in left if stem(term) not in own | others]
    if question.lists:
        for argument in ("category", "system"):
            options = [
                each for each in (properties.get(argument) or {}).get("enum") or () if each.casefold() not in ANY
            ]
            named = {option: said for option in options if (said := _saying(option, left, synonyms))}
            # Of two that may be meant none is; a word for a thing of a system does not mean all of the system.
            if len(named) == 1:
                value, said = next(iter(named.items()))
                if argument == "category" or len(said) == len(left) or stem(value) in map(stem, said):
                    arguments[argument] = value
                    left = [term for term in left if term not in said]
    if "author" in arguments:
        # Whoever asks what somebody did, or found, wants his entries, and not those that say so in these words.
        left = [term for term in left if folded(term) not in EVERYDAY | RELATIONS]
    if left:
        arguments["query"] = " ".join(left)
    if question.lists and "max_results" in properties:
        arguments["max_results"] = question.count or MOST_NAMED
    return arguments


def _said_to_write(text: str, known: Collection[str]) -> list[Person]:
    """Who a question says has written, whether it is known or not; where authors are, one word may be a thing."""
    who = _WHO.search(text)
    name = (who[1] or who[2]) if who else ""
    if who is None or (known and not who[1] and (" " not in name or name.isupper())):
        return []
    return [Person(name, tuple(words(name)))]


def _people(question: Question, tool: ToolInfo) -> list[Person]:
    """The authors whose entries a question is for, be it by what it takes over from the one before it."""
    known = authors_of(tool)
    carried = [term for term in question.terms if term not in question.text]
    found = named_in(question.text, known) or named_in(" ".join(f"by {term}" for term in carried), known)
    return found[:MOST_PEOPLE]


def _saying(option: str, terms: Sequence[str], synonyms: Mapping[str, Sequence[str]]) -> list[str]:
    """Those of the terms that say the value of an option, by its name or a word for it."""
    said: list[str] = []
    own = [stem(term) for term in terms]
    for name in names_of(option, synonyms):
        parts = [stem(part) for part in words(name)]
        for start in range(len(own) - len(parts) + 1):
            if parts and own[start : start + len(parts)] == parts:
                said += terms[start : start + len(parts)]
    return list(dict.fromkeys(said))


def refined(
    question: Question,
    tools: Mapping[str, ToolInfo],
    synonyms: Mapping[str, Sequence[str]],
    instead: str,
    done: Sequence[Call],
    *,
    found: bool,
    authors: Collection[str] = (),
) -> list[dict[str, Any]]:
    """Searches for what a judgement of the results proposed, for words of the same meaning, and elsewhere.

    `done` are the calls that were made, `found` says whether they gave anything. `authors` are those of the entries
    found: one that the tool does not offer, and that the question names, is searched for as an author now.
    """
    vocabulary = {folded(word) for name, rest in synonyms.items() for each in (name, *rest) for word in words(each)}
    others: list[str] = []
    for term in question.terms:
        others += _parts(term, vocabulary) or _same(term, synonyms)
    own = {stem(term) for term in question.terms}
    new = [word for word in dict.fromkeys(others) if stem(word) not in own][:MOST_OTHERS]
    whole = [term for term in question.terms if not _parts(term, vocabulary)]
    made = [name for name in (LOG, KNOWLEDGE) if name in tools and any(call.tool == name for call in done)]
    proposed = content_words(instead)
    queries = [proposed, [*whole, *new] if new else []]
    calls = [(name, query) for query in queries for name in made if query]
    # What was found of a time is not to be had from pages.
    stays = found and question.period is not None and question.wants == "elog"
    calls += [
        (name, list(question.terms)) for name in (LOG, KNOWLEDGE) if name in tools and name not in made and not stays
    ]
    people = [] if any("author" in call.arguments for call in done) else named_in(question.text, authors)
    own_words = [
        {
            "author": person.name,
            "query": " ".join(term for term in question.terms if not {stem(term)} & set(map(stem, person.said))),
        }
        for person in people[:MOST_PEOPLE]
        if LOG in made
    ]
    return [
        {"tool_name": name, "arguments": arguments}
        for name, arguments in [
            *((LOG, each) for each in own_words),
            *((name, {"query": " ".join(query)}) for name, query in calls if query),
        ]
        if not question.entries
    ]


def _same(term: str, synonyms: Mapping[str, Sequence[str]]) -> list[str]:
    """Other single words for a term."""
    own = stem(term)
    groups = [[word for word in (name, *rest) if " " not in word] for name, rest in synonyms.items()]
    return [word for group in groups if own in map(stem, group) for word in group][:MOST_OTHERS]


def _parts(term: str, vocabulary: Collection[str]) -> list[str]:
    """The two parts of a compound of which one is a known word, the longest: `Boostertunnel`; none where it is none."""
    low = folded(term)
    found = [
        (len(word), [word, _behind(word, low)] if low.startswith(word) else [low[: -len(word)], word])
        for word in vocabulary
        if SHORTEST_PART <= len(word) <= len(low) - SHORTEST_PART and (low.startswith(word) or low.endswith(word))
    ]
    return max(found)[1] if found and low.isalpha() else []


def _behind(head: str, whole: str) -> str:
    """What of a compound stands behind its first part, without the `s` that joins them."""
    rest = whole[len(head) :]
    return rest[1:] if rest.startswith("s") and len(rest) > SHORTEST_PART and _JOINED.search(head) else rest
