"""The marks of a difference: values and nodes that the user's words do not support, or that they contradict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from graphwright.proposals import Quotations, Sources, Support, passage_of, quoted_support, support_of
from graphwright.text.folding import normalised, words_of
from graphwright_graph import Change, Edge, GraphStore, Node
from graphwright_graph._naming import known_schema, names_of, nodes_in
from graphwright_graph._wording import TextLimits, changed_names, name_text, value_text
from graphwright_graph.graph_editor.state import State
from graphwright_graph.graph_editor.wording import say

MOST_POINTS = 12  # that the mark of a line names
MOST_RIVALS = 60  # nodes that a text search finds for the request, which a wrong node may have been taken for
MOST_VALUES = 20  # of a property, which a wrong value may have been taken for
_LONGEST_QUOTE = TextLimits(80)

_KEY_FIELDS = ("key", "from_key", "to_key")


class _ExistingNode(NamedTuple):
    """A node that exists, with its name."""

    label: str
    key: str
    name: str


class _Point(NamedTuple):
    """A value or node of a change: its path in the call, the quotations for it, and its support."""

    path: str
    value: Any
    quotations: Quotations
    support: Support

    @property
    def name(self) -> str:
        return self.path.rpartition(".")[2]


def sources_of(state: State) -> Sources:
    """Return the texts that the user wrote and was shown, without differences that were corrected."""
    goal, recent = state["goal"], state["recent"]
    notes = [*goal["notes"], *(note for each in recent for note in each["notes"])]
    chosen = [str(value) for value in state.get("draft", {}).get("said", ())]
    said = (goal["text"], *(each["request"] for each in recent), *(note["said"] for note in notes), *chosen)
    asked = (note["asked"] for note in notes if not note.get("difference"))
    return Sources(said=said, shown=(*(each["did"] for each in recent), *asked))


def invented_quotes(calls: Iterable[Mapping[str, Any]], sources: Sources, language: str) -> list[str]:
    """Doubts about writes whose `because` is not a quotation of the user."""
    quotes = dict.fromkeys(str(call["because"]) for call in calls if call["because"])
    invented = [quote for quote in quotes if not passage_of(quote, sources.said)]
    return [say(language, "doubt_unsaid", words=value_text(quote, TextLimits(200))) for quote in invented]


class Marker:
    """Finds the support of each value and node in the changes of a goal.

    `names` are the names of the nodes that the changes are about, `nodes` these nodes as they are, `schema` that of the
    graph.
    """

    def __init__(self, state: State, store: GraphStore, changes: Sequence[Change]) -> None:
        self._store, self._sources = store, sources_of(state)
        self._writes, self._language = state["staged"], state["language"]
        self._undoes = any("undo" in each for each in self._writes)
        self._quotes = state["quotes"]
        self._corrections = tuple(note["said"] for note in state["goal"]["notes"] if note.get("difference"))
        self._request = state["goal"]["text"]
        rows = [row for each in state["results"] for row in each["table"]["rows"]]
        self._looked_up = frozenset(_texts_in(rows))
        self._found_labels = {
            cell["label"] for row in rows for cell in row if isinstance(cell, dict) and "label" in cell
        }
        self._said = " ".join(self._sources.said)
        self.schema = known_schema(store)
        self.nodes = nodes_in(store, changes)
        self.names = names_of(store, self.nodes)
        request = " ".join([state["goal"]["text"], *(note["said"] for note in state["goal"]["notes"])])
        self._known = self._nodes_like([request, *self.names.values()])
        words = Sources(said=(request,))
        self._named = [each for each in self._known if any(support_of(text, words) == "said" for text in each[1:])]
        self._values: dict[tuple[str, str], tuple[str, ...]] = {}
        self._found: dict[tuple[str, ...], list[_Point]] = {}

    def __call__(self, changes: Sequence[Change]) -> str:
        """The mark at the end of a line of equal changes; empty where everything is supported."""
        points = [point for change in changes for point in self._points(change)]
        unsupported = [f"{p.name} {value_text(p.value)}" for p in points if p.support == "unsupported"]
        against = dict[str, list[str]]()
        for p in points:
            if p.support == "contradicted" and (quote := p.quotations.words_for(p.path) or p.quotations.call):
                against.setdefault(value_text(quote, _LONGEST_QUOTE), []).append(f"{p.name} {value_text(p.value)}")
        contradicted = [
            f"{', '.join(values)} ({say(self._language, 'words', words=words)})" for words, values in against.items()
        ]
        created = [each.after for each in changes if each.before is None and isinstance(each.after, Node)]
        same = [f"{o.label} {o.key}" for node in created for o in self._namesakes(node.label, node.key)]
        parts = [
            ("unsupported", unsupported),
            ("contradicted", contradicted),
            ("namesakes", same),
            ("other_joins", [join for change in changes for join in self._other_joins(change)]),
        ]
        text = "; ".join(
            f"{say(self._language, what)}: {_listed(found, self._language)}" for what, found in parts if found
        )
        return f"   <- {text}" if text else ""

    def _other_joins(self, change: Change) -> Iterator[str]:
        """The labels that the edges of a type join, where a new one joins others."""
        edge = change.after if change.before is None else None
        known = next((each for each in self.schema.types if isinstance(edge, Edge) and each.type == edge.type), None)
        if isinstance(edge, Edge) and known is not None and (edge.from_label, edge.to_label) not in known.joins:
            yield from (say(self._language, "from_to", begin=begin, end=end) for begin, end in known.joins)

    def directions(self, changes: Iterable[Change]) -> list[str]:
        """The words quoted for new edges between nodes of one label, whose direction a mark cannot show."""
        joined = list[tuple[str, str]]()
        for change in changes:
            edge = change.element
            if change.before is not None or not isinstance(edge, Edge) or edge.from_label != edge.to_label:
                continue
            places = [at for at, write in enumerate(self._writes) if _is_about(write, edge)]
            if quote := self._quotations(places).call:
                joined.append((quote, name_text(edge, names=self.names)))
        found = dict[str, list[str]]()
        for quote, edge_name in joined:
            # Words that stand within those of another edge are not repeated.
            longest = max((other for other, _ in joined if passage_of(quote, (other,))), key=len, default=quote)
            found.setdefault(value_text(longest, _LONGEST_QUOTE), []).append(edge_name)
        lines = ((words, _listed(edges, self._language)) for words, edges in list(found.items())[:MOST_POINTS])
        return [say(self._language, "you_said", words=words, line=line) for words, line in lines]

    def supports(self, changes: Iterable[Change]) -> list[Support]:
        """The supports of all values and nodes in the changes."""
        return [point.support for change in changes for point in self._points(change)]

    def _points(self, change: Change) -> list[_Point]:
        return [
            self._point(change, path, value, quotations)
            for path, value, quotations in self._stated(change)
            if value != ""
        ]

    def _point(self, change: Change, path: str, value: Any, quotations: Quotations) -> _Point:
        element, name = change.element, path.rpartition(".")[2]
        if path in _KEY_FIELDS:
            support = self._support_of_key(change, path, value, quotations)
        else:
            rivals = self._values_of(element, name) if isinstance(value, str) else ()
            support = quoted_support(path, value, self._sources, replace(quotations, rivals={path: rivals}))
        return _Point(path, value, quotations, support)

    def _support_of_key(self, change: Change, path: str, key: str, quotations: Quotations) -> Support:
        """The support of a node. A name that several nodes of the label have supports none of them.

        The words quoted for the call support a node, too, unless the user named another one that no change is about, or
        nodes of the label were looked up, and it is not among them.
        """
        label, name = _label_at(change.element, path), ""
        if (label, key) in self.names and not self._namesakes(label, key):
            name = self.names[label, key]
        sources = replace(self._sources, existing=self._looked_up, names={key: (name,) if name else ()})
        unused = [each for each in self._named if each.label == label and (label, each.key) not in self.nodes]
        rivals = [text for each in unused for text in each[1:] if text]
        # A pronoun in the words for this call may mean a node that the words for another call name.
        quotations = replace(quotations, rivals={path: rivals}, other_calls=())
        support = quoted_support(path, key, sources, quotations)
        if support != "unsupported":
            return support
        if path == "key" and change.before is None:
            return "said" if self._made_of_words(change.element) else support
        other_found = label in self._found_labels and key not in self._looked_up
        return "quoted" if passage_of(quotations.call, sources.said) and not unused and not other_found else support

    def _namesakes(self, label: str, key: str) -> list[_ExistingNode]:
        """Other nodes of the label that have the name of this one."""
        name = normalised(self.names.get((label, key), ""))
        others = (each for each in self._known if each.label == label and each.key != key)
        return [each for each in others if name and normalised(each.name) == name]

    def _made_of_words(self, element: Any) -> bool:
        """Whether the key of a new node is made of words of the user and of its label, as `maya-lindt` is."""
        return set(words_of(element.key)) <= {*words_of(self._said), *words_of(element.label)}

    def _stated(self, change: Change) -> Iterator[tuple[str, Any, Quotations]]:
        """Yield the nodes that a change is about and the values that it sets, with the quotations for them."""
        element, after, before = change.element, change.after, change.before
        if self._undoes:
            # The user does not name the values that an undo restores.
            return
        mine = [place for place, write in enumerate(self._writes) if _is_about(write, element)]
        statements = [place for place, write in enumerate(self._writes) if write["write"] == "Statement"]
        if mine:
            ends = ("key",) if isinstance(element, Node) else ("from_key", "to_key")
            for path in ends:
                yield path, getattr(element, path), self._quotations(mine)
        elif isinstance(element, Node) and before is None:
            yield "key", element.key, self._quotations(statements)
        old = before.properties if before is not None else {}
        for name in changed_names(change) if after is not None else ():
            if after is None or name not in after.properties:
                continue
            setting = [place for place in mine if name in self._writes[place].get("properties", {})]
            quotations = replace(
                self._quotations(setting[-1:] or statements), before={f"properties.{name}": old.get(name)}
            )
            value = after.properties[name]
            for each in value if isinstance(value, list) else [value]:
                yield f"properties.{name}", each, quotations

    def _quotations(self, places: Sequence[int]) -> Quotations:
        """Return the quotations of the model for the writes at these places."""
        own = [self._quotes[place] for place in places]
        words = {name: text for each in own for name, text in each["words"].items()}
        calls = list(dict.fromkeys(each["because"] for each in own))
        call = calls[0] if len(calls) == 1 else ""
        others = dict.fromkeys(each["because"] for each in self._quotes if each["because"] not in calls)
        if passage_of(call, self._corrections) and not passage_of(call, (self._request,)):
            # A correction says what is different: the rest is in the request, which other calls quote, too.
            others = {}
        return Quotations(words, call, tuple(others))

    def _values_of(self, element: Any, name: str) -> tuple[str, ...]:
        """The few values that a property has on the nodes of a label."""
        if not isinstance(element, Node):
            return ()
        if (element.label, name) not in self._values:
            found = self._store.values(element.label, name, most=MOST_VALUES)
            self._values[element.label, name] = tuple(value for value, _ in found if isinstance(value, str))
        return self._values[element.label, name]

    def _nodes_like(self, texts: Iterable[str]) -> list[_ExistingNode]:
        """The nodes that resemble the texts."""
        found = self._store.search(" ".join(texts), most=MOST_RIVALS)
        nodes = {(node.label, node.key): node for node in found}
        names = names_of(self._store, nodes)
        return [_ExistingNode(*each, names.get(each, "")) for each in nodes]


def _listed(points: Iterable[str], language: str) -> str:
    found = list(dict.fromkeys(points))
    more = [say(language, "more", n=len(found) - MOST_POINTS)] if len(found) > MOST_POINTS else []
    return ", ".join([*found[:MOST_POINTS], *more])


def _label_at(element: Any, path: str) -> str:
    return str(element.label if path == "key" else element.from_label if path == "from_key" else element.to_label)


_NODE_WRITES = ("AddNode", "UpdateNode", "DeleteNode")
_EDGE_WRITES = ("AddEdge", "UpdateEdge", "DeleteEdge")


def _is_about(write: Mapping[str, Any], element: Node | Edge) -> bool:
    """Whether a typed write is about an element."""
    if isinstance(element, Node):
        same_key = write["write"] in _NODE_WRITES and write["key"] == element.key
        return same_key and write["label"] in (None, element.label)
    fields = ("from_key", "type", "to_key")
    same_ends = write["write"] in _EDGE_WRITES and all(write[name] == getattr(element, name) for name in fields)
    return same_ends and all(write[name] in (None, getattr(element, name)) for name in ("from_label", "to_label"))


def _texts_in(rows: Iterable[Any]) -> Iterator[str]:
    """The texts in the rows of results besides properties: keys are among them."""
    waiting = list(rows)
    while waiting:
        cell = waiting.pop()
        if isinstance(cell, str):
            yield cell
        elif isinstance(cell, list):
            waiting += cell
        elif isinstance(cell, dict):
            waiting += [each for name, each in cell.items() if name != "properties"]
