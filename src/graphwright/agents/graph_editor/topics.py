"""Nodes that a request describes by what they are about: "the ticket about the password reset mail"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphwright.agents.graph_editor.described import MOST_VALUES, Described
from graphwright.agents.graph_editor.words import SMALL, listed, same_stem, tokens
from graphwright.graphstore import GraphStore, Schema
from graphwright.graphstore.elements import LabelSchema
from graphwright.graphstore.names import checked_name

_ABOUT = (
    r"(?:about|on|regarding|concerning|saying|where|that says|called|titled|for|with|über|wegen|zu|zum|zur|mit"
    r"|sur|concernant|à propos d[eu]|sobre|acerca de)"
)
_ARTICLE = r"(?:the|that|this|our|my|der|die|das|den|dem|unser|unsere|le|la|l'|el)"
_ENDING = re.compile(
    r"\s(?:to|as|is|has|was|should|must|can|may|will|now|please|auf|ist|soll|bitte|à|est|a|está)(?=\s|$)"
)
"""Words that end the description: what follows them is said of the node."""

_NOTHING = frozenset(
    listed("""
        gets, got, get, getting, goes, going, being, been, being, one, thing, about, that's, where, wird, werden
    """)
)


def about(text: str, schema: Schema, store: GraphStore) -> list[Described]:
    """The nodes of which the text says, behind their label, words that only their own texts have, all of them.

    A description that fits several nodes is none, and neither is one with a word that the node's texts do not have.
    """
    found = []
    for one in schema.labels:
        for start, end in _phrases(one.label, text):
            for stop in _stretches(text, end):
                keys = _fitting(one, text[end:stop], store)
                if keys is None:
                    continue
                if len(keys) == 1:
                    found.append(Described(store.node(keys.pop(), one.label), start, stop))
                break
    return found


def _phrases(label: str, text: str) -> Iterator[tuple[int, int]]:
    """From where to where "the ticket about" stands in a text."""
    spoken = re.escape(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", label)).replace(r"\ ", r"\s+")
    for found in re.finditer(rf"(?<!\w){_ARTICLE}\s+{spoken}\s+{_ABOUT}(?=\s)", text, re.IGNORECASE):
        yield found.span()


def _stretches(text: str, start: int) -> Iterator[int]:
    """Where a description that begins here may end: at the end of its clause, or before a word that ends it."""
    clause = re.match(r"[^,;:.!?\n\"“”()]*", text[start:])
    assert clause is not None
    ends = [start + clause.end(), *(start + each.start() for each in _ENDING.finditer(clause.group()))]
    yield from sorted(set(ends), reverse=True)


def _fitting(one: LabelSchema, words: str, store: GraphStore) -> set[str] | None:
    """The keys of the nodes whose texts have all these words; None where no node has."""
    sought = set(tokens(words)) - SMALL - _NOTHING
    if not sought:
        return None
    having: dict[str, set[str]] = {}
    for name, kinds in one.properties.items():
        values = store.values(one.label, name, most=MOST_VALUES + 1) if tuple(kinds) == ("text",) else []
        for value, _ in values if len(values) <= MOST_VALUES else ():
            own = tokens(str(value))
            met = {word for word in sought if any(same_stem(word, each) for each in own)}
            for key in _having(one.label, name, value, store) if met else ():
                having.setdefault(key, set()).update(met)
    return {key for key, met in having.items() if met == sought} or None


def _having(label: str, name: str, value: object, store: GraphStore) -> list[str]:
    proper = checked_name(name, "property name")
    query = f"MATCH (n:`{checked_name(label, 'label')}`) WHERE n.`{proper}` = $value RETURN n.key"
    return [str(key) for (key,) in store.read(query, {"value": value}).rows]
