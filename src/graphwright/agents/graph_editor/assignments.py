"""The values that a request orders for nodes, read by code: "set the rating of acme to 5 and that of lumen to 3"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from graphwright.agents.graph_editor.evidence import DIGITS, NUMBERS, Evidence, like, number_of
from graphwright.agents.graph_editor.mentions import names_label
from graphwright.agents.graph_editor.over_edges import answered
from graphwright.agents.graph_editor.places import Place, named_at, quotes, sentences_of, words_at
from graphwright.agents.graph_editor.values import STATES_MADE, few_values, values_said
from graphwright.agents.graph_editor.words import (
    STATE_WORDS,
    denies,
    forms,
    is_question,
    leaves_open,
    listed,
    plain,
    supposes,
    tokens,
    writes_asked,
)
from graphwright.graphstore import Node

MOST_VALUES = 50
"""Values of a property that are looked for in a request."""

_ORDERING = listed("""
    set, change, update, raise, increase, lower, reduce, decrease, correct, adjust, put, bump, make, mark, move, switch,
    turn, setze, setz, ändere, erhöhe, senke, korrigiere, stelle, markiere
""")
_LOOKING = listed("""
    list, show, find, search, tell, get, look, give, print, display, check, zeige, zeig, liste, finde, suche, nenne
""")
_CLASSES = {
    "S": _ORDERING,
    "O": listed("of, for, on, von, vom, für, bei"),
    "T": listed("to, is, are, be, being, as, at, auf, zu, ist"),
    "M": listed("should, must, shall, has, have, soll, sollen"),
    "F": ("from",),
    "A": listed("and, then, und, dann, sowie"),
    "H": listed("that, this, those, these, one, dessen"),
    "I": listed("its, his, her, their, sein, seine, seinen, ihr, ihre, ihren"),
    "J": listed("it, him, them"),
    "Y": listed("can, could, would, will, kannst, könntest, würdest"),
    "U": listed("you, du"),
    "D": listed("""
        the, a, an, please, also, now, too, just, new, value, property, node,
        bitte, auch, der, die, das, den, dem, jetzt
    """),
}
_CLASS_OF = {word: sign for sign, words in _CLASSES.items() for word in words}
_PIECE = re.compile(r"[^\W_]+(?:['’][^\W_]+)?|[,;:=]|[^\s\w]")

# P a property, N a node, L a label, V a value; the others as above.
_NODE = r"(?P<node>L?N|NL?)"
_MEANT = r"(?P<node>L?N|NL?|H?L|J|I)"
_TO = r"(?:F(?P<old>V))?M*T+"
_HEADS = tuple(
    re.compile(form)
    for form in (
        rf"(?P<name>P)O{_MEANT}{_TO}(?P<value>V)",
        rf"{_NODE}(?P<name>P){_TO}(?P<value>V)",
        rf"(?P<node>I)(?P<name>P){_TO}(?P<value>V)",
        rf"(?P<name>P)T+(?P<value>V)O{_MEANT}",
        rf"H?(?P<name>P)T+{_NODE}T*(?P<value>V)",
    )
)
_MORE = tuple(
    re.compile(form)
    for form in (
        rf"H?O{_NODE}{_TO}(?P<value>V)",
        rf"{_NODE}{_TO}(?P<value>V)",
        rf"{_NODE}(?P<value>V)",
        rf"T*(?P<value>V)O{_NODE}",
    )
)
_BARE = tuple(re.compile(form) for form in (r"(?P<node>L?N|NL?|H?L|J)T*(?P<value>V)",))
"""The same without the property, where the value tells it: "make sprint 9 active"."""

_ORDERED = re.compile(r"(?:^|A)(?:YU)?$")


@dataclass(frozen=True, slots=True)
class _Piece:
    """A word of a sentence, or what stands there as one: a node, a property, a value."""

    sign: str
    text: str
    place: Place
    nodes: tuple[Node, ...] = ()
    value: Any = None


@dataclass(frozen=True, slots=True)
class Assignment:
    """A value that the request orders for a property of a node."""

    node: Node
    name: str
    value: Any

    def arguments(self) -> dict[str, Any]:
        """Those of `update_props`."""
        return {"key": self.node.key, "label": self.node.label, "properties": {self.name: self.value}}


def assignments(evidence: Evidence) -> list[Assignment]:
    """The values that the request plainly orders and that are not so yet, in its order.

    Nothing of what it says with a "not", an "if" or a "soon", and nothing for a property that it gives two values.
    """
    text = evidence.text
    if evidence.only_asks or evidence.settled or supposes(text) or leaves_open(text):
        return []
    found = [each for part in sentences_of(text) for each in _of_sentence(part, evidence)]
    given: dict[tuple[Any, ...], list[Any]] = {}
    for each in found:
        given.setdefault((*each.node.identity, each.name), []).append(each.value)
    twice = {which for which, values in given.items() if any(not like(value, values[0]) for value in values)}
    return [
        each
        for each in found
        if (*each.node.identity, each.name) not in twice and each.node.properties.get(each.name) != each.value
    ]


def _of_sentence(part: Place, evidence: Evidence) -> Iterator[Assignment]:
    words = evidence.text[part.start : part.end]
    asks = words.rstrip(" \"'").endswith(("?", "？")) and is_question(words)
    begins = next(iter(tokens(words)), "")
    if asks or denies(words) or (is_question(begins) and begins not in _LOOKING):
        return
    pieces = [piece for piece in _pieces(part, evidence) if piece.sign != "D"]
    signs = "".join(piece.sign for piece in pieces)
    at = 0
    while (at := signs.find("S", at)) >= 0:
        if not _ORDERED.search(signs[:at]):
            at += 1
            continue
        read, end = _order(signs, at + 1, pieces, evidence)
        at = max(end, at + 1)
        rest = signs[end:].lstrip("A")
        behind = pieces[len(signs) - len(rest)].text if rest else ""
        if not rest or (signs[end] == "A" and (writes_asked(behind) or is_question(behind))):
            yield from read


def _order(signs: str, start: int, pieces: list[_Piece], evidence: Evidence) -> tuple[list[Assignment], int]:
    """What stands behind an ordering verb, up to where it is no value of a property any more."""
    found: list[Assignment] = []
    name, end = "", start
    while True:
        follows = re.compile("A+S?" if found else "").match(signs, end)
        if follows is None:
            return found, end
        begins = not found or follows.group().endswith("S")
        said, bare = _head(signs, follows.end(), name, begins, pieces, evidence)
        if said is None:
            return found, end
        parts = said.groupdict()
        name = "" if bare else pieces[said.start("name")].text if parts.get("name") else name
        each = _assignment(said, name, pieces, evidence)
        if each is None:
            # One that is not clear leaves the others of the same order open, too.
            return [], len(signs)
        found.append(each)
        end = said.end()


def _head(
    signs: str, at: int, name: str, begins: bool, pieces: list[_Piece], evidence: Evidence
) -> tuple[re.Match[str] | None, bool]:
    """What is ordered here, and whether only its value tells the property: behind a verb, where no name fits."""
    said = next((m for form in ((*_HEADS, *_MORE) if name else _HEADS) if (m := form.match(signs, at))), None)
    if not begins or (said is not None and "name" in said.groupdict()):
        return said, False
    if said is not None and _assignment(said, name, pieces, evidence) is not None:
        return said, False
    bare = next((m for form in _BARE if (m := form.match(signs, at))), None)
    return (said, False) if bare is None else (bare, True)


def _assignment(said: re.Match[str], name: str, pieces: list[_Piece], evidence: Evidence) -> Assignment | None:
    value = pieces[said.start("value")]
    place = said.group("node").find("N")
    if place >= 0:
        nodes: Iterable[Node] = pieces[said.start("node") + place].nodes
        called = said.group("node").find("L")
        if called >= 0:
            label = pieces[said.start("node") + called].text
            nodes = [node for node in nodes if node.label == label]
    else:
        called = said.group("node").find("L")
        label = pieces[said.start("node") + called].text if called >= 0 else ""
        nodes = _referred(label, pieces[said.start("node")].place.start, evidence)
    if not name:
        return _by_value(list(nodes), value, evidence)
    having = [(node, own) for node in nodes if (own := _own(node, name, evidence)) is not None]
    if len(having) != 1:
        return None
    node, (proper, kinds) = having[0]
    given = _as_kind(value, proper, kinds, node, evidence)
    old = said.groupdict().get("old")
    if old is not None and not like(node.properties.get(proper), given):
        before = _as_kind(pieces[said.start("old")], proper, kinds, node, evidence)
        if before is None or not like(node.properties.get(proper), before):
            return None
    return None if given is None else Assignment(node, proper, given)


def _by_value(nodes: list[Node], value: _Piece, evidence: Evidence) -> Assignment | None:
    """A value that only one property of the node has among its few."""
    if len(nodes) != 1 or not isinstance(value.value, str) or value.value in evidence.mentions.quoted:
        return None
    node, schema = nodes[0], evidence.label_schema(nodes[0].label)
    fitting = [
        (name, stored)
        for name in (() if schema is None else schema.properties)
        for stored in few_values(node.label, name, evidence)
        if like(stored, value.value)
    ]
    if not fitting and plain(value.value) in STATES_MADE:
        having = [name for name in ("status", "state") if schema is not None and name in schema.properties]
        fitting = [(name, value.value) for name in having]
    return Assignment(node, *fitting[0]) if len(fitting) == 1 else None


def _referred(label: str, at: int, evidence: Evidence) -> list[Node]:
    """The nodes that "it" or "that supplier" may mean: what the request names before, else all that it names.

    And what its question finds.
    """
    found, everything = list(answered(evidence)), named_at(evidence)
    before = [node for place, node in everything if place.end <= at and (not label or node.label == label)]
    named = (before or [node for _, node in everything]) + found
    distinct = {node.identity: node for node in named if not label or node.label == label}
    keys = {node.key for node in distinct.values()}
    if len(distinct) > 1 and len(keys) == 1:
        # The user was asked which of them, and said the label.
        told = {form for word in tokens(evidence.text[len(evidence.request) :]) for form in forms(word)}
        return [node for node in distinct.values() if names_label(node.label, told, "")]
    return list(distinct.values())


def _own(node: Node, name: str, evidence: Evidence) -> tuple[str, tuple[str, ...]] | None:
    schema = evidence.label_schema(node.label)
    if schema is None:
        return None
    return next(((n, tuple(kinds)) for n, kinds in schema.properties.items() if plain(n) == plain(name)), None)


def _as_kind(piece: _Piece, name: str, kinds: tuple[str, ...], node: Node, evidence: Evidence) -> Any:
    """The value as the graph has such values; None where they are of another kind."""
    value = piece.value
    if isinstance(value, bool):
        return value if "boolean" in kinds else None
    if isinstance(value, int | float):
        return value if "number" in kinds else None
    if kinds != ("text",):
        return None
    stored = [each for each, _ in evidence.store.values(node.label, name, most=MOST_VALUES)]
    if value in evidence.mentions.quoted:
        return value
    known = next((each for each in stored if like(each, value)), None)
    if known is not None:
        return known
    return value if plain(name) in ("status", "state") and plain(value) in STATE_WORDS else None


def _pieces(part: Place, evidence: Evidence) -> list[_Piece]:
    """The words of a sentence, with what stands for more than one word as one piece."""
    whole = sorted(_known(part, evidence), key=lambda piece: (piece.place.start, -piece.place.end))
    found: list[_Piece] = []
    at = part.start
    for piece in whole:
        if piece.place.start < at:
            continue
        found += _words(Place(at, piece.place.start), evidence)
        found.append(piece)
        at = piece.place.end
    found += _words(Place(at, part.end), evidence)
    while found and found[-1].text in (".", "!", "?"):
        found.pop()
    return found


def _known(part: Place, evidence: Evidence) -> Iterator[_Piece]:
    text = evidence.text
    for place in quotes(text):
        if place.meets(part):
            inside = text[place.start + 1 : place.end - 1].strip()
            if not any(place.start + 1 == at.start and at.end == place.end - 1 for at, _ in named_at(evidence)):
                yield _Piece("V", inside, place, value=inside)
    at: dict[Place, list[Node]] = {}
    for place, node in named_at(evidence):
        if place.meets(part):
            around = next((q for q in quotes(text) if q.start + 1 == place.start and place.end == q.end - 1), place)
            at.setdefault(around, []).append(node)
    for place, nodes in at.items():
        yield _Piece("N", text[place.start : place.end], place, tuple(nodes))
    labels = {one.label for one in evidence.schema.labels}
    names = [name for name in evidence.property_names(labels) if words_at(name, text)]
    for name in names:
        for place in words_at(name, text):
            if place.meets(part):
                yield _Piece("P", name, place)
        for label in labels:
            schema = evidence.label_schema(label)
            if schema is None or name not in schema.properties:
                continue
            for value, _ in evidence.store.values(label, name, most=MOST_VALUES):
                if isinstance(value, str) and value.strip():
                    yield from (_Piece("V", value, p, value=value) for p in words_at(value, text) if p.meets(part))
    yield from (
        _Piece("V", text[at.start : at.end], at, value=v) for _, v, at in values_said(evidence) if at.meets(part)
    )
    for number in DIGITS.finditer(text, part.start, part.end):
        said = number.group().rstrip(".,")
        value = number_of(said)
        if isinstance(value, int | float):
            yield _Piece("V", said, Place(number.start(), number.start() + len(said)), value=value)


def _words(part: Place, evidence: Evidence) -> Iterator[_Piece]:
    by_form = {form: one.label for one in evidence.schema.labels for form in (plain(one.label),)}
    for found in _PIECE.finditer(evidence.text, part.start, part.end):
        word, place = plain(found.group()), Place(*found.span())
        label = next((by_form[form] for form in forms(word) if form in by_form), None)
        if label is not None:
            yield _Piece("L", label, place)
        elif word in ("true", "false"):
            yield _Piece("V", word, place, value=word == "true")
        elif word in NUMBERS and word != "one":
            yield _Piece("V", word, place, value=NUMBERS[word])
        elif word in (",", ";"):
            yield _Piece("A", word, place)
        elif word in (":", "="):
            yield _Piece("T", word, place)
        elif word in _CLASS_OF:
            yield _Piece(_CLASS_OF[word], word, place)
        elif word in STATE_WORDS:
            yield _Piece("V", word, place, value=word)
        else:
            yield _Piece("X", word, place)
