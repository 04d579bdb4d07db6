"""Nodes that a request describes by their label and values: "the open order of Hotel Adler", "the Madrid warehouse"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from graphwright.agents.graph_editor.words import SMALL, plain, tokens
from graphwright.graphstore import GraphStore, Node, Schema
from graphwright.graphstore.elements import LabelSchema
from graphwright.graphstore.names import checked_name

MOST_VALUES = 500
"""Values of a property among which those that a request says are looked for."""

_DEFINITE = r"(?<!\w)(?:the|that|this|our|der|die|das|den|dem)\s+"
_OF = r"(?P<joint>of|for|from|by|in|at|to|with|von|vom|für|aus|in)\s+(?:the\s+|der\s+|dem\s+)?"
_JOINTS = r"(?:the|that|this|our|of|for|from|to|and|or|der|die|das|von|und|oder)\b"
_OF_ALL_KINDS = {"name", "title", "key"}
"""Properties by which a node is called, not described."""


class Described(NamedTuple):
    """A node, and from where to where the text describes it."""

    node: Node
    start: int
    end: int


class _Phrase(NamedTuple):
    """What a text says between "the" and a label, and behind the label, where `joint` is what joins the two."""

    start: int
    end: int
    before: str
    joint: str
    behind: str
    behind_at: int


def described(text: str, schema: Schema, store: GraphStore) -> list[Described]:
    """The nodes of which the text says, behind "the", their label and a proper noun that they have as a value.

    Whatever else it says of them there has to be a value of them as well, and there must be no second such node.
    """
    found = []
    for one in schema.labels:
        values = None
        for said in _phrases(one.label, text):
            values = _values_in(one, text, store) if values is None else values
            only = _only(one, said, values, store)
            found += [] if only is None else [only]
    return found


def _phrases(label: str, text: str) -> Iterator[_Phrase]:
    """The phrases of a text that have a label with an article."""
    spoken = re.escape(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", label)).replace(r"\ ", r"\s+")
    before = rf"(?:(?!{_JOINTS})[\w'&.-]+\s+){{0,6}}?"
    phrase = rf"{_DEFINITE}(?P<before>{before}){spoken}(?![\w-])"
    phrase += rf"(?P<rest>\s+{_OF}(?P<behind>[^,;:!?\n]*))?"
    for found in re.finditer(phrase, text, re.IGNORECASE):
        end = found.start("rest") if found["rest"] else found.end()
        behind_at = found.start("behind") if found["rest"] else end
        joint, behind = plain(found["joint"] or ""), found["behind"] or ""
        yield _Phrase(found.start(), end, found["before"].strip(), joint, behind, behind_at)


def _values_in(one: LabelSchema, text: str, store: GraphStore) -> list[tuple[str, str]]:
    """The texts of nodes of a label that a request says, with the names of their properties."""
    found = []
    for name, kinds in one.properties.items():
        if tuple(kinds) != ("text",) or name in _OF_ALL_KINDS:
            continue
        values = store.values(one.label, name, most=MOST_VALUES + 1)
        for value, _ in values if len(values) <= MOST_VALUES else ():
            if tokens(str(value)) and plain(str(value)) in plain(text):
                found.append((name, str(value)))
    return found


def _only(one: LabelSchema, said: _Phrase, values: list[tuple[str, str]], store: GraphStore) -> Described | None:
    before, end = tokens(said.before), said.end
    chosen: dict[str, str] = {}
    for name, value in sorted(values, key=lambda pair: -len(pair[1])):
        words = tokens(value)
        place = _run(words, before)
        behind = re.match(rf"\s*['\"]?{re.escape(value)}(?!\w)['\"]?", said.behind, re.IGNORECASE)
        if place is not None:
            before = before[:place] + before[place + len(words) :]
        elif behind is not None and end == said.end:
            end = said.behind_at + behind.end()
        else:
            continue
        if name in chosen:
            return None
        chosen[name] = value
    if not any(value[:1].isupper() for value in chosen.values()) or set(before) - SMALL:
        return None
    if end == said.end and said.joint in ("of", "von", "vom"):
        # "the Madrid warehouse of acme" may be another one.
        return None
    parameters = {f"p{number}": value for number, value in enumerate(chosen.values())}
    conditions = [f"n.`{checked_name(name, 'property name')}` = $p{number}" for number, name in enumerate(chosen)]
    query = f"MATCH (n:`{checked_name(one.label, 'label')}`) WHERE {' AND '.join(conditions)} RETURN n.key LIMIT 2"
    rows = store.read(query, parameters).rows
    return Described(store.node(rows[0][0], one.label), said.start, end) if len(rows) == 1 else None


def _run(words: list[str], inside: list[str]) -> int | None:
    starts = range(len(inside) - len(words) + 1)
    return next((start for start in starts if inside[start : start + len(words)] == words), None)
