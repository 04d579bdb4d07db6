"""Keeps the store's own nodes out of queries: they stand in the same database, and `MATCH (n)` would find them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from graphwright.graphstore.accepted import Accepted, remember
from graphwright.graphstore.cypher import parse
from graphwright.graphstore.cypher.scanning import Token, scan
from graphwright.graphstore.errors import BadElement
from graphwright.graphstore.names import RESERVED, shown

GRAPH = f"{RESERVED}Graph"
GOAL = f"{RESERVED}Goal"
STEP = f"{RESERVED}Step"
"""The labels of the store's own nodes. These have neither edges nor the property `key`."""

NOT_OURS = f":!({GRAPH}|{GOAL}|{STEP})"
"""What stands behind a node of a pattern that may be any but one of these."""

_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|.)", re.DOTALL)

_OPENING = ("(", "[", "{")
_CLOSING = (")", "]", "}")
_OF_PATHS = ("-", "<", ">", "[", "(")


@dataclass(frozen=True, slots=True)
class Apart:
    """A query that was accepted, and its text so that it never meets the store's own nodes."""

    text: str
    labels: tuple[str, ...]
    columns: tuple[str, ...]


@lru_cache(maxsize=100)
def apart(query: str) -> Apart:
    """The query, kept apart from the store's own nodes. Raises QueryRefused, and BadElement where it names them."""
    parsed = parse(query)
    remember(query, Accepted(parsed.writes, parsed.columns, parsed.parameters))
    for name in parsed.labels:
        if name.startswith(RESERVED):
            raise BadElement("bad_label", f"the label {shown(name)} is reserved", "The journal is not queried.")
    return Apart(_hiding(_unescaped(query)), parsed.labels, parsed.columns)


def _unescaped(query: str) -> str:
    """The query with its \\u escapes written out: Neo4j reads them before anything else, so that one may end a comment
    for it, or the text around it, where the parser saw none. Raises QueryRefused where that could be.
    """
    if "\\u" not in query:
        return query
    parts = []
    for token in scan(query):
        text = _ESCAPE.sub(_character, token.text) if token.kind == "string" else token.text
        if "\\u" in text:
            raise token.refused("a \\u escape may not stand here", "Write the character, or give it as a parameter.")
        parts.append(text)
    return "".join(parts)


def _character(escape: re.Match[str]) -> str:
    if escape[1] is None:
        return escape[0]
    character = chr(int(escape[1], 16))
    return character if character.isprintable() and character not in "'\"`\\" else escape[0]


def _hiding(query: str) -> str:
    """The store's nodes have no edges: only a node that stands alone in its pattern, or begins a path that may have no
    length, can be one. Where it has no label, it is told not to be.
    """
    tokens = [token for token in scan(query) if token.kind != "space"]
    places: list[int] = []
    for at, token in enumerate(tokens):
        if token.word in ("MATCH", "MERGE") and not (at and tokens[at - 1].text in (".", ":")):
            for place in _bare_nodes(tokens, at + 1):
                if token.word == "MERGE":
                    raise token.refused("a node that is merged needs a label", "Write MERGE (n:Label {key: $key}).")
                places.append(place)
    for place in reversed(places):
        query = query[:place] + NOT_OURS + query[place:]
    return query


def _bare_nodes(tokens: Sequence[Token], at: int) -> Iterator[int]:
    """Where in the text a label can be put to nodes that have none, in the pattern that begins at a token."""
    while True:
        if _text(tokens, at + 1) == "=":
            at += 2
        if _text(tokens, at) != "(":
            return
        first, at = at, _closing(tokens, at) + 1
        path = at
        while _text(tokens, at) in _OF_PATHS:
            at = _closing(tokens, at) + 1 if tokens[at].text in _OPENING else at + 1
        alone = at == path or any(token.text == "*" for token in tokens[path:at])
        inner = first + 1
        if tokens[inner].kind in ("name", "quoted"):
            inner += 1
        place = tokens[inner - 1].start + len(tokens[inner - 1].text)
        if alone and tokens[inner].text != ":":
            yield place
        if _text(tokens, at) != ",":
            return
        at += 1


def _text(tokens: Sequence[Token], at: int) -> str:
    return tokens[at].text if at < len(tokens) else ""


def _closing(tokens: Sequence[Token], at: int) -> int:
    """The token that closes the bracket which a token opens."""
    depth = 0
    for place in range(at, len(tokens)):
        depth += (tokens[place].text in _OPENING) - (tokens[place].text in _CLOSING)
        if not depth:
            return place
    return len(tokens) - 1
