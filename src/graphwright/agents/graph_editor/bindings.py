"""What a request says of what: whether a value is said of just this property, and of just this node or edge."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

from graphwright.agents.graph_editor.evidence import Evidence, like, numbers_in, spelled
from graphwright.agents.graph_editor.places import (
    Place,
    around,
    clauses_of,
    names_of,
    quotes,
    sentences_of,
    things,
    value_at,
    within,
    words_at,
)
from graphwright.agents.graph_editor.words import SMALL, STATE_WORDS, forms, plain, squeezed, tokens, writes_asked

_SO = re.compile(
    r"(?:(?<!\w)(?:to|is|are|as|be|into|auf|ist|sind|zu|est|es|son|à|a|en)(?!\w)|[:=]|から|を)\s*", re.IGNORECASE
)
"""What stands between a property and its value: "the status of T-1 to closed"."""

_BACK = re.compile(
    r"(?<!\w)(?:it|its|they|them|their|this|that|these|those|he|she|his|her|him|each|both|all|er|sie|es|ihm|ihr|ihre\w*"
    r"|sein\w*|dies\w*|il|elle|ils|elles|son|sa|ses|leur\w*|su|sus|lo|la|le)(?!\w)",
    re.IGNORECASE,
)
"""Words by which a sentence speaks of what the ones before it named."""


def said_as(proper: str, value: Any, names: Collection[str], evidence: Evidence) -> bool:
    """Whether the value may be one of this property: the request does not give it to another, nor this one another.

    `names` are the properties that the graph and the call know.
    """
    text = evidence.text
    places = value_at(value, text)
    if not places:
        # Only implied, as "close" implies `closed`, or true and false.
        return True
    called = {name: found for name in {*names, proper} if (found := _called(name, text))}
    owners = [_owner(place, called, text) for place in places]
    if any(owner is not None and squeezed(owner) == squeezed(proper) for owner in owners):
        return True
    parts = sentences_of(text)
    own = {around(place, parts) for place in called.get(proper, ()) if _has_own(place, called, text)}
    return any(o is None and around(place, parts) not in own for place, o in zip(places, owners, strict=True))


def _called(name: str, text: str) -> tuple[Place, ...]:
    """Where the request calls a property by its name; in quotes only where its value stands there with it."""
    inside = quotes(text)
    return tuple(
        place
        for place in words_at(name, text)
        if not any(q.start < place.start < q.end and not re.match(r"\s*[:=]", text[place.end : q.end]) for q in inside)
    )


def _region(place: Place, called: dict[str, tuple[Place, ...]], text: str) -> Place:
    """What stands behind the name of a property, up to the end of the clause or the next property."""
    parts = clauses_of(text)
    end = parts[around(place, parts)].end
    behind = [other.start for found in called.values() for other in found if place.end <= other.start < end]
    return Place(place.end, min(behind, default=end))


def _owner(place: Place, called: dict[str, tuple[Place, ...]], text: str) -> str | None:
    """The property that the request gives a value to; "" where it stands between a property and its value."""
    parts = clauses_of(text)
    here = parts[around(place, parts)]
    before = [
        (found.end, found, len(name), name)
        for name, all_found in called.items()
        for found in all_found
        if here.start <= found.start and found.end <= place.start
    ]
    if before:
        _, nearest, _, name = max(before)
        so = _connector(Place(nearest.end, here.end), text)
        return "" if so is not None and place.start < so.start else name
    behind = [
        (found.start, -len(name), name)
        for name, all_found in called.items()
        for found in all_found
        if place.end <= found.start < here.end and len(tokens(text[place.end : found.start])) < 2
    ]
    # Of "bed" and "beds" the longer one is meant, where both stand there.
    return min(behind)[2] if behind else None


def _connector(region: Place, text: str) -> Place | None:
    for found in _SO.finditer(text, region.start, region.end):
        if not any(q.start < found.start() < q.end for q in quotes(text)):
            return Place(*found.span())
    return None


def _has_own(place: Place, called: dict[str, tuple[Place, ...]], text: str) -> bool:
    """Whether the request gives a value to a property where it calls it by name."""
    region = _region(place, called, text)
    return any(word not in SMALL for word in tokens(text[region.start : region.end])) or bool(
        # "2 beds"
        numbers_in(" ".join(tokens(text[: place.start])[-1:]))
    )


def stands_for_a_value(key: str, evidence: Evidence) -> bool:
    """Whether the request has a key only as the value of a property: the 1200 of "capacity 1200"."""
    text = evidence.text
    names = [found for name in evidence.property_names() for found in _called(name, text)]
    places = words_at(key, text)
    return bool(places) and all(any(_directly(name, place, SMALL, text) for name in names) for place in places)


def is_name(name: str, value: Any, kept: Collection[Any], identity: Sequence[str], evidence: Evidence) -> bool:
    """Whether a name that nothing in the graph has can be the name of a property: the request gives it this value.

    It is no verb or small word, no part of a value, and no name of anything else.
    """
    if not spelled(name, evidence.text):
        # In another word, or another language: what is guessed is shown first.
        return True
    parts = tokens(name.replace("_", " "))
    if not parts or any(part in SMALL for part in parts) or writes_asked(name):
        return False
    schema = evidence.schema
    taken = [one.label for one in schema.labels] + [one.type for one in schema.types]
    if any(squeezed(each) in {squeezed(form) for form in forms(plain(name))} for each in taken):
        return False
    values = [str(v) for v in (*kept, *identity, *_names(evidence))]
    if any(set(parts) & set(tokens(each)) for each in values):
        return False
    places = value_at(value, evidence.text)
    called = _called(name, evidence.text)
    between = {token for each in (*identity, *taken) for token in tokens(each)} | SMALL
    return bool(called) and (
        not places or any(_directly(found, place, between, evidence.text) for found in called for place in places)
    )


def _directly(name: Place, value: Place, between: Collection[str], text: str) -> bool:
    """Whether a value follows a name in its clause, with nothing but such words between them."""
    parts = clauses_of(text)
    if name.end > value.start or around(name, parts) != around(value, parts):
        return False
    return set(tokens(text[name.end : value.start])) <= set(between)


def is_state(name: str, value: Any, evidence: Evidence) -> bool:
    """Whether a status is what the request means by "it is closed" or "done", though it has no word for it."""
    if squeezed(name) not in ("status", "state") or not isinstance(value, str):
        return False
    return plain(value) in STATE_WORDS or value in evidence.mentions.quoted


def _names(evidence: Evidence) -> list[str]:
    nodes = (*evidence.mentions.nodes, *evidence.mentions.partly)
    return [str(node.properties[name]) for node in nodes for name in ("name", "title") if name in node.properties]


def is_value(value: Any, name: str, stored: Sequence[Any], evidence: Evidence) -> bool:
    """Whether a text can be a value at all: not where it is a word that every sentence has, or the name of a kind."""
    if not isinstance(value, str) or value in evidence.mentions.quoted or any(like(each, value) for each in stored):
        return True
    words = tokens(value)
    schema = evidence.schema
    kinds = {squeezed(one.label) for one in schema.labels} | {squeezed(one.type) for one in schema.types}
    if {squeezed(form) for form in forms(plain(value))} & kinds:
        return False
    if squeezed(value) in {squeezed(each) for each in evidence.property_names()}:
        return False
    if all(word in SMALL for word in words) or _part_of_a_name(value, name, evidence):
        return False
    longer = [each for each in stored if isinstance(each, str) and set(words) < set(tokens(each))]
    if any(spelled(each, evidence.text) for each in longer) and not given_to(name, value, evidence):
        # "progress", where the request says "in progress".
        return False
    keys = {node.key for node in evidence.mentions.nodes} | set(evidence.mentions.keys)
    if any(like(value, key) for key in keys) and not given_to(name, value, evidence):
        return False
    return not (len(words) == 1 and writes_asked(value) and not spelled(name, evidence.text))


def _part_of_a_name(value: str, name: str, evidence: Evidence) -> bool:
    """Whether the request says a word only as a part of what a node is called: "login" in "the login page"."""
    places = value_at(value, evidence.text)
    wider = [place for found in things(evidence).values() for place in found]
    inside = all(any(w.start <= p.start and p.end <= w.end for w in wider) for p in places)
    nodes = (*evidence.mentions.nodes, *evidence.mentions.partly)
    whole = any(like(value, each) for node in nodes for each in names_of(node))
    return bool(places) and inside and not whole and not given_to(name, value, evidence)


def looks_given(value: Any, evidence: Evidence) -> bool:
    """Whether a value stands out in the text as one: a number, in quotes, or written with a capital or digits."""
    if not isinstance(value, str) or value in evidence.mentions.quoted or not value.isascii():
        return True
    begins = {part.start for part in sentences_of(evidence.text)}
    for place in words_at(value, evidence.text):
        said = evidence.text[place.start : place.end]
        if any(c.isdigit() for c in said) or said[1:] != said[1:].lower():
            return True
        if said[:1].isupper() and place.start not in begins:
            return True
    return False


def of_these(value: Any, keys: Sequence[str], evidence: Evidence) -> bool:
    """Whether the sentence of a value speaks of one of these: it names it, or points back to what was named before."""
    named = things(evidence, *keys)
    own = {key for key in keys if key in named}
    places = value_at(value, evidence.text)
    if not own or not places:
        return True
    parts = sentences_of(evidence.text)
    for place in places:
        number = around(place, parts)
        there = within(parts[number], named)
        back = not there or _BACK.search(evidence.text[parts[number].start : parts[number].end])
        # Where nothing was named before, it is what comes next.
        earlier = {key for part in parts[:number] for key in within(part, named)} if back else set()
        if not there and not earlier:
            earlier = {key for part in parts[number:] for key in within(part, named)}
        if own & (there | earlier):
            return True
    return False


def given_to(proper: str, value: Any, evidence: Evidence) -> bool:
    """Whether the request calls a property by its name and then gives it just this value."""
    text, found = evidence.text, _called(proper, evidence.text)
    parts = clauses_of(text)
    behind = (
        place
        for place in value_at(value, text)
        if any(each.end <= place.start and around(each, parts) == around(place, parts) for each in found)
    )
    return any(_owner(place, {proper: found}, text) == proper for place in behind)


def as_spelled(proper: str, value: Any, evidence: Evidence) -> Any:
    """A text as the user spelled it where the request gives it to this property: "Reading light", no reading-light."""
    if not isinstance(value, str) or value in evidence.mentions.quoted:
        return value
    text, called = evidence.text, {proper: _called(proper, evidence.text)}
    owned = [place for place in words_at(value, text) if _owner(place, called, text) == proper]
    if any(text.startswith(value, place.start) for place in owned):
        return value
    spellings = (text[place.start : place.end] for place in owned)
    return next((said for said in spellings if squeezed(said) == squeezed(value)), value)


def plainly_of(proper: str, value: Any, keys: Sequence[str], evidence: Evidence) -> bool:
    """Whether one clause names the property and one of these, and nothing else: "set the stock of T-1 to 5"."""
    named = things(evidence, *keys)
    parts = clauses_of(evidence.text)
    for place in _called(proper, evidence.text):
        there = within(parts[around(place, parts)], named)
        if there and there <= set(keys):
            return isinstance(value, bool) or not value_at(value, evidence.text) or given_to(proper, value, evidence)
    return False
