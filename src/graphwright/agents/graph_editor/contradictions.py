"""Demands that exclude each other, found before anything is written."""

from __future__ import annotations

import re

from graphwright.agents.graph_editor.evidence import Evidence, numbers_in
from graphwright.agents.graph_editor.held import excluded
from graphwright.agents.graph_editor.mentions import quoted
from graphwright.agents.graph_editor.places import around, clauses_of, things, within
from graphwright.agents.graph_editor.problems import Option, Problem
from graphwright.agents.graph_editor.schemas import GoalSpec
from graphwright.agents.graph_editor.told import Told, told_numbers
from graphwright.agents.graph_editor.words import has, is_question, listed, opposites_in, plain

REACH = 60
"""How many characters behind a property its value is looked for."""

_CHANGING = listed("""
    instead, was, were, currently, no longer, until, then, now, mark, set, change, make, update,
    statt, jetzt
""")
"""Words that stand between two states where one follows the other."""

_FROM_TO = listed("from, to, von, auf, zu, not, から")
"""The same, in one sentence only: "it has to be closed" changes nothing."""

_CHOOSING = listed("all, every, any, which, alle")
"""Words that stand between them, in one sentence, where nodes are chosen by the first."""


_TOGETHER = listed("""
    stay, stays, remain, remains, keep, keeps, leave, at the same time, simultaneously, both,
    bleibt, bleiben, behält, behalten, gleichzeitig, zugleich, 同時に
""")
"""Words that hold one state beside the other: neither follows the other then."""


_CORRECTING = listed("""
    instead, actually, rather, correction, sorry, wait, then, later, afterwards, now, until, first, finally,
    stattdessen, später, danach, jetzt, zuerst
""")
"""Words by which the second value takes the place of the first even where nothing was there before."""


def check(spec: GoalSpec, evidence: Evidence) -> None:
    """Raises Problem `contradiction`, with the values to choose from, when the request contradicts itself."""
    twice = excluded(evidence)
    if twice is not None:
        raise _problem(*twice)
    if is_question(evidence.text):
        return
    _by_model(spec, evidence)
    _numbers_twice(evidence)
    subjects = set(evidence.mentions.keys) | {node.key for node in evidence.mentions.nodes}
    if len(subjects) > 1:
        return
    for pair in (opposites_in(evidence.text), _same_property_twice(evidence)):
        # Where no key is named many nodes may be meant, some in the one and some in the other state.
        if pair is not None and (_together(*pair, evidence) if not subjects else not _follows(*pair, evidence)):
            raise _problem(*pair)


def _numbers_twice(evidence: Evidence) -> None:
    """Two numbers for one property of one node: "room 303 with 3 beds ... beds has to be 1", "price 5 ... costs 7"."""
    named, new = things(evidence), _newcomers(evidence)
    parts = clauses_of(evidence.text)
    single = len({plain(key) for key in (*named, *new)}) == 1
    given: dict[tuple[str, str], list[Told]] = {}
    for told in told_numbers(evidence):
        there = within(parts[around(told.place, parts)], named)
        # Where several nodes are named, only what a clause says of one of them is surely said of it.
        of = "" if single else there.pop() if len(there) == 1 else None
        if of is not None:
            given.setdefault((of, told.name), []).append(told)
    known = {node.key for node in evidence.mentions.nodes}
    for (of, _), all_told in given.items():
        first, last = all_told[0], next((each for each in all_told if each.value != all_told[0].value), None)
        if last is None:
            continue
        between = plain(evidence.text[first.place.start : last.place.end])
        existed = of in known or (single and bool(known))
        excused = any(has(between, word) for word in (_CHANGING if existed else _CORRECTING))
        if not excused or any(has(between, word) for word in _TOGETHER):
            raise _problem(f"{first.value:g}", f"{last.value:g}", last.name)


def _newcomers(evidence: Evidence) -> set[str]:
    """What stands directly behind a label and has a digit: the 303 of "room 303"."""
    labels = "|".join(re.escape(one.label) for one in evidence.schema.labels) or "(?!)"
    found = re.findall(rf"(?<!\w)(?:{labels})\s+['\"]?(\w*\d[\w-]*)", evidence.text, re.IGNORECASE)
    return {each for each in found if not evidence.store.find([each])}


def _follows(one: str, other: str, evidence: Evidence) -> bool:
    """Whether the request puts one state behind the other: "from open to closed"."""
    between = _between(one, other, evidence)
    if _together(one, other, evidence):
        return False
    words = _CHANGING if re.search(r"[.;!?](?:\s|$)", between) else (*_CHANGING, *_CHOOSING, *_FROM_TO)
    return any(has(between, word) for word in words)


def _between(one: str, other: str, evidence: Evidence) -> str:
    text = plain(evidence.text)
    return text[text.find(plain(one)) : text.rfind(plain(other))]


def _together(one: str, other: str, evidence: Evidence) -> bool:
    """Whether the request wants both: "to 750, but it has to stay 724"."""
    between = _between(one, other, evidence)
    return any(has(between, word) for word in _TOGETHER)


def _by_model(spec: GoalSpec, evidence: Evidence) -> None:
    """What the model found counts where it names two values that the request sets."""
    for found in spec.contradictions:
        values = _values_in(found, evidence)
        if len(values) >= 2 and not _follows(values[0], values[1], evidence):
            raise _problem(values[0], values[1])


def _values_in(found: str, evidence: Evidence) -> list[str]:
    """The values named in the model's words: its quoted texts, opposites, else known values of the graph."""
    pair = opposites_in(found)
    if pair is not None and all(has(evidence.text, word) for word in pair):
        return list(pair)
    quoted = [each for each in re.findall(r"['\"`]([^'\"`]{1,60})['\"`]", found) if evidence.says(each)]
    distinct = list(dict.fromkeys(plain(each) for each in quoted))
    named = {plain(node.key) for node in evidence.mentions.nodes}
    return [each for each in distinct if each not in named and each not in map(plain, evidence.mentions.keys)]


def _same_property_twice(evidence: Evidence) -> tuple[str, str] | None:
    """Two values that the request gives to one property: "its quantity is 7 ... leave the quantity at 5"."""
    text = plain(evidence.text)
    for name in sorted({*evidence.property_names(), "status", "priority", "name", "state"}):
        word = re.compile(rf"(?<!\w){re.escape(plain(name.replace('_', ' ')))}(?!\w)")
        places = [found.end() for found in word.finditer(text)]
        ends = [*(found.start() for found in word.finditer(text)), len(text)][1:]
        given = (_first_value(text[place:end][:REACH], name, evidence) for place, end in zip(places, ends, strict=True))
        values = list(dict.fromkeys(value for value in given if value))
        if len(values) == 2:
            return values[0], values[1]
    return None


def _first_value(text: str, name: str, evidence: Evidence) -> str:
    """The value that stands first in what follows the name of a property: quoted, known to the graph, or a number."""
    inside = quoted(text)
    if inside:
        return inside[0]
    stored = {
        plain(str(value))
        for one in evidence.schema.labels
        if name in one.properties
        for value, _ in evidence.store.values(one.label, name)
        if not isinstance(value, int | float)
    }
    named = [(text.find(value), value) for value in stored if has(text, value)]
    if named:
        return min(named)[1]
    kinds = {kind for one in evidence.schema.labels for kind in one.properties.get(name, ())}
    numbers = () if kinds == {"text"} else numbers_in(text)
    return f"{numbers[0]:g}" if numbers else ""


def _problem(one: str, other: str, name: str = "") -> Problem:
    what = f" for {name}" if name else ""
    return Problem(
        "contradiction",
        f"I see a contradiction in your request: it asks for both '{one}' and '{other}'{what}.",
        options=(Option(one, settles={other: one}), Option(other, settles={one: other})),
        about=f"{one}/{other}",
    )
