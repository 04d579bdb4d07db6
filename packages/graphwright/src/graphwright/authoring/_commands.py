"""Edit commands: the closed set of changes that a model may propose, and their application to a document."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from graphwright.flow._source import Source, read_plain
from graphwright.flow._text_edits import NotEditable, edited
from graphwright.text.near_names import Names

Data = dict[str, Any]
"""A flow document as plain data; of a graph, the document or one of its subgraphs."""

_ORDER = (
    *("version", "id", "title", "description", "entry", "restart", "on_change", "max_actions", "state", "nodes"),
    *("edges", "predicates", "constraints", "assurances", "paths", "path_policy", "on_stuck", "on_escalate"),
    *("on_abandon", "status", "language", "deterministic", "subgraphs"),
)
"""The order in which new fields of a document are written."""

_FIRST = ("id", "type", "key", "run", "ref", "as", "prompt", "say", "read", "schema")
"""The fields of a new node that are written first, in this order."""

_FIXED = ("version", "id", "extends", "shadow", "nodes", "edges", "state", "predicates", "paths", "subgraphs", "ui")
"""The fields of a document that `set_document` does not change: other commands do, or nobody may."""

_SET_BY = {
    "nodes": "add_node, update_node and remove_node",
    "edges": "connect, set_guard, redirect and disconnect",
    "state": "set_channel",
    "predicates": "set_predicate",
    "paths": "set_path",
    "subgraphs": "set_subgraph, and add_node with `graph`",
}
_KINDS = ("question", "decision", "action", "subgraph", "terminal")

_NAMES_A_NODE = ("on_error", "on_invalid")
_DOCUMENT_NAMES_A_NODE = ("on_stuck", "on_escalate", "on_abandon")


class Refused(Exception):
    """A command cannot be carried out. Its text is the reason, for the model."""


class Command(BaseModel, ABC):
    """One change of a document."""

    model_config = ConfigDict(extra="forbid")

    @abstractmethod
    def apply(self, document: Data) -> None:
        """Carry out the change on the data of a document, in place. Raises Refused if that is not possible."""


class SetDocument(Command):
    """Set fields of the whole document; null removes one."""

    do: Literal["set_document"]
    set: dict[str, Any] = Field(description="title, description, entry, restart, on_stuck, constraints, ...")

    def apply(self, document: Data) -> None:
        for name, value in self.set.items():
            if name in _FIXED:
                how = f"Use {_SET_BY[name]}." if name in _SET_BY else "It stays as it is."
                raise Refused(f"`{name}` of the document is not set by this command. {how}")
            _set(document, name, value)


class AddNode(Command):
    """Add a node to the root graph, or to a subgraph that exists."""

    do: Literal["add_node"]
    graph: str = Field("", description="The subgraph; empty for the root graph.")
    node: dict[str, Any] = Field(description="All fields of the node; `id` and `type` are needed.")
    after: str = Field("", description="The node after which it is written; empty: at the end.")

    def apply(self, document: Data) -> None:
        graph = _graph(document, self.graph)
        node_id, kind = self.node.get("id"), self.node.get("type")
        if not isinstance(node_id, str) or not node_id or kind not in _KINDS:
            raise Refused(f"A node needs an `id` and a `type`: {', '.join(_KINDS)}.")
        if node_id in all_nodes(document):
            raise Refused(f"There is a node `{node_id}` already: use update_node.")
        nodes = _list(document, graph, "nodes")
        places = [place for place, each in enumerate(nodes) if self.after and each.get("id") == self.after]
        if self.after and not places:
            raise Refused(f"There is no node `{self.after}` in this graph to write it after: leave `after` out.")
        first = {name: self.node[name] for name in _FIRST if name in self.node}
        nodes.insert(places[0] + 1 if places else len(nodes), copy.deepcopy({**first, **self.node}))


class UpdateNode(Command):
    """Set fields of a node; null removes one. A field that is a mapping is replaced as a whole."""

    do: Literal["update_node"]
    id: str
    set: dict[str, Any] = Field(description="The fields and their new values, except `id`.")

    def apply(self, document: Data) -> None:
        node = _node(document, self.id)
        if self.set.get("id", self.id) != self.id:
            raise Refused("An id is changed by rename_node.")
        _merge(node, {name: value for name, value in self.set.items() if name != "id"})


class RemoveNode(Command):
    """Remove a node, its edges, and the fields that lead to it."""

    do: Literal["remove_node"]
    id: str

    def apply(self, document: Data) -> None:
        _node(document, self.id)
        for owner in all_nodes(document).values():
            confirm = owner.get("confirm")
            if owner.get("id") != self.id and isinstance(confirm, dict) and confirm.get("by") == self.id:
                reason = f"`{owner.get('id')}` needs the yes of `{self.id}`"
                raise Refused(f"{reason}: remove that node first, or give it another `confirm`.")
        for graph in _graphs(document).values():
            _drop(graph, "nodes", [each for each in _items(graph, "nodes") if each.get("id") == self.id])
            _drop(graph, "edges", [each for each in _items(graph, "edges") if self.id in _ends(each)])
            if graph.get("entry") == self.id:
                del graph["entry"]
        for owner in all_nodes(document).values():
            _forget(owner, _NAMES_A_NODE, self.id)
        _forget(document, _DOCUMENT_NAMES_A_NODE, self.id)


class RenameNode(Command):
    """Give a node another id, wherever the document names it. Waiting conversations carry over by `was`."""

    do: Literal["rename_node"]
    id: str
    to: str

    def apply(self, document: Data) -> None:
        node = _node(document, self.id)
        if not self.to.strip() or self.to in all_nodes(document):
            raise Refused(f"`{self.to}` cannot be the id: it is empty, or another node has it.")
        for graph in _graphs(document).values():
            _rename(graph, ("entry",), self.id, self.to)
            for edge in _items(graph, "edges"):
                _rename(edge, ("from", "to"), self.id, self.to)
        for each in all_nodes(document).values():
            _rename(each, _NAMES_A_NODE, self.id, self.to)
            if isinstance(each.get("confirm"), dict):
                _rename(each["confirm"], ("by",), self.id, self.to)
        _rename(document, _DOCUMENT_NAMES_A_NODE, self.id, self.to)
        for assurance in _items(document, "assurances"):
            _rename(assurance, ("never", "always_before", "comes", "eventually", "unless"), self.id, self.to)
            if isinstance(assurance.get("unless"), list):
                assurance["unless"] = [self.to if each == self.id else each for each in assurance["unless"]]
        node["id"] = self.to
        was = node.get("was", [])
        earlier = [each for each in ([was] if isinstance(was, str) else was) if each != self.to]
        node["was"] = [*earlier, self.id] if earlier else self.id


class Connect(Command):
    """Add an edge between two nodes of one graph; in a subgraph, `to` may be `__exit__`."""

    do: Literal["connect"]
    from_: str = Field(alias="from")
    to: str
    guard: str | None = Field(None, description="A CEL expression, or `else`; null: always open.")
    label: str = ""
    priority: int = Field(0, description="Among several open edges the highest wins.")

    def apply(self, document: Data) -> None:
        graph = _graph_of(document, self.from_)
        _check_target(document, graph, self.from_, self.to)
        if any(edge.get("guard") == self.guard for edge in _edges(graph, self.from_, self.to)):
            raise Refused("There is such an edge already. Its guard is changed by set_guard, its target by redirect.")
        edge: Data = {"from": self.from_, "to": self.to}
        for name in ("guard", "label", "priority"):
            if getattr(self, name):
                edge[name] = getattr(self, name)
        edges = _list(document, graph, "edges")
        edges.insert(_place_of_edge(graph, edges, self.from_), edge)


class _OfEdge(Command):
    from_: str = Field(alias="from")
    to: str
    which: str | None = Field(None, description="The present guard, if several edges join the two nodes.")

    def edge(self, document: Data) -> tuple[Data, Data]:
        """The graph and the edge. Raises Refused if there is none, or several."""
        graph = _graph_of(document, self.from_)
        found = [each for each in _edges(graph, self.from_, self.to) if self.which in (None, each.get("guard"))]
        if not found:
            has = ", ".join(_shown(each) for each in _items(graph, "edges") if each.get("from") == self.from_)
            raise Refused(f"There is no edge from `{self.from_}` to `{self.to}`. From it lead: {has or 'none'}.")
        if len(found) > 1:
            guards = ", ".join(f"`{each.get('guard') or ''}`" for each in found)
            raise Refused(f"Several edges lead from `{self.from_}` to `{self.to}`: name one in `which`: {guards}.")
        return graph, found[0]


class Disconnect(_OfEdge):
    """Remove an edge."""

    do: Literal["disconnect"]

    def apply(self, document: Data) -> None:
        graph, edge = self.edge(document)
        _drop(graph, "edges", [edge])


class SetGuard(_OfEdge):
    """Give an edge another guard; null: it is always open."""

    do: Literal["set_guard"]
    guard: str | None

    def apply(self, document: Data) -> None:
        _, edge = self.edge(document)
        _merge(edge, {"guard": self.guard})


class Redirect(_OfEdge):
    """Lead an edge to another node of its graph; its guard stays."""

    do: Literal["redirect"]
    new_to: str

    def apply(self, document: Data) -> None:
        graph, edge = self.edge(document)
        _check_target(document, graph, self.from_, self.new_to)
        edge["to"] = self.new_to


class SetEdge(_OfEdge):
    """Set `label` or `priority` of an edge; null removes one."""

    do: Literal["set_edge"]
    set: dict[Literal["label", "priority"], Any]

    def apply(self, document: Data) -> None:
        _, edge = self.edge(document)
        _merge(edge, self.set)


class _Named(Command):
    """A command that sets an entry of a mapping of the document; null removes it."""

    field: ClassVar[str]
    name: str

    def put(self, document: Data, value: Any) -> None:
        entries = document.get(self.field)
        if value is None:
            if not isinstance(entries, dict) or self.name not in entries:
                raise Refused(f"`{self.field}` has no `{self.name}`.")
            del entries[self.name]
            if not entries:
                del document[self.field]
            return
        if not isinstance(entries, dict):
            _set(document, self.field, {})
        document[self.field][self.name] = copy.deepcopy(value)


class SetChannel(_Named):
    """Declare a channel of `state`, or change it; null removes it."""

    field = "state"
    do: Literal["set_channel"]
    channel: dict[str, Any] | None = Field(description="A JSON Schema with `default`, `scope`, `reduce`, ...")

    def apply(self, document: Data) -> None:
        self.put(document, self.channel)


class SetPredicate(_Named):
    """Name a guard, so that others can use the name; null removes it."""

    field = "predicates"
    do: Literal["set_predicate"]
    guard: str | None

    def apply(self, document: Data) -> None:
        self.put(document, self.guard)


class SetPath(_Named):
    """Declare a path among which a model chooses; null removes it."""

    field = "paths"
    do: Literal["set_path"]
    path: dict[str, Any] | None = Field(description="`{ref, description}`")

    def apply(self, document: Data) -> None:
        self.put(document, self.path)


class SetSubgraph(_Named):
    """Add a subgraph without nodes, or set `title`, `entry` or `label` of one; null removes it with its nodes.

    Its nodes and edges are added by add_node with `graph`, and connect.
    """

    field = "subgraphs"
    do: Literal["set_subgraph"]
    set: dict[Literal["title", "entry", "label"], Any] | None

    def apply(self, document: Data) -> None:
        known = document.get("subgraphs")
        if self.set is None:
            self.put(document, None)
        elif isinstance(known, dict) and self.name in known:
            _merge(known[self.name], self.set)
        else:
            given = {name: value for name, value in self.set.items() if value is not None}
            self.put(document, {**given, "nodes": [], "edges": []})


COMMANDS: Mapping[str, type[Command]] = {
    each.model_fields["do"].annotation.__args__[0]: each  # type: ignore[union-attr]
    for each in (
        *(SetDocument, AddNode, UpdateNode, RemoveNode, RenameNode, Connect, Disconnect, SetGuard, Redirect, SetEdge),
        *(SetChannel, SetPredicate, SetPath, SetSubgraph),
    )
}
"""The commands by their names, in the order of the prompt."""


def command_schema() -> dict[str, Any]:
    """The JSON Schema of one command."""
    return {"anyOf": [_schema_of(each) for each in COMMANDS.values()]}


def _schema_of(command: type[Command]) -> dict[str, Any]:
    schema = command.model_json_schema(by_alias=True)
    for part in schema["properties"].values():
        part.pop("title", None)
    schema.pop("title", None)
    name = schema["properties"].pop("do")["const"]
    schema["properties"] = {"do": {"const": name}, **schema["properties"]}
    schema["required"] = ["do", *(each for each in schema.get("required", ()) if each != "do")]
    return schema


def read_command(value: Any) -> Command:
    """The command of a JSON object. Raises Refused."""
    name = value.get("do") if isinstance(value, dict) else None
    known = COMMANDS.get(name) if isinstance(name, str) else None
    if known is None:
        hint = Names(COMMANDS).hint(str(name), f"There are: {', '.join(COMMANDS)}.")
        raise Refused(f"There is no command {name!r}. {hint}")
    try:
        return known.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise Refused(f"{where}: {first['msg']}. {_usage(known)}".lstrip(": ")) from None


def _usage(command: type[Command]) -> str:
    """The fields of a command, as a sentence."""
    fields = [(each.alias or name, each.is_required()) for name, each in command.model_fields.items() if name != "do"]
    needed = ", ".join(name for name, required in fields if required)
    more = ", ".join(name for name, required in fields if not required)
    return f"It needs {needed}{f', and may have {more}' if more else ''}."


def applied(document: Data, command: Command) -> Data:
    """The document after a command; the given one is not changed. Raises Refused."""
    changed = copy.deepcopy(document)
    command.apply(changed)
    return changed


def edit(text: str, commands: Iterable[Command]) -> str:
    """The text of a document after commands; comments and order of everything else stay.

    Raises Refused if a command cannot be carried out, or the text cannot be read or changed in place.
    """
    source, problems = read_plain(text)
    if source is None or problems or not isinstance(source.data, dict):
        raise Refused("The document cannot be read.")
    document = source.data
    for command in commands:
        document = applied(document, command)
    return text_with(source, document)


def text_with(source: Source, document: Data) -> str:
    """The text of a document with other data. Raises Refused if it cannot be changed in place."""
    if document == source.data:
        return source.text
    try:
        return edited(source, document)
    except NotEditable:
        raise Refused("The text has a form in which the change cannot be made, such as an alias.") from None


def _set(document: Data, name: str, value: Any) -> None:
    """Set a field of the document at its usual place; None removes it."""
    if value is None:
        document.pop(name, None)
        return
    is_new = name not in document
    document[name] = copy.deepcopy(value)
    if not is_new or name not in _ORDER:
        return
    before = _ORDER[: _ORDER.index(name)]
    present = list(document)
    last = max((present.index(each) for each in before if each in document), default=-1)
    for each in present[last + 1 : -1]:
        document[each] = document.pop(each)


def _merge(record: Data, fields: Mapping[Any, Any]) -> None:
    for name, value in fields.items():
        if value is None:
            record.pop(name, None)
        else:
            record[name] = copy.deepcopy(value)


def _graphs(document: Data) -> dict[str, Data]:
    subgraphs = document.get("subgraphs")
    inner = subgraphs.items() if isinstance(subgraphs, dict) else ()
    return {"": document, **{name: graph for name, graph in inner if isinstance(graph, dict)}}


def _graph(document: Data, name: str) -> Data:
    graphs = _graphs(document)
    if name not in graphs:
        known = [each for each in graphs if each]
        raise Refused(f"There is no subgraph `{name}`. {Names(known).hint(name, 'Add it with set_subgraph.')}")
    return graphs[name]


def _items(record: Data, name: str) -> list[Data]:
    items = record.get(name)
    return [each for each in items if isinstance(each, dict)] if isinstance(items, list) else []


def _list(document: Data, graph: Data, name: str) -> list[Any]:
    """The list of nodes or edges of a graph, which is made if it is missing."""
    if not isinstance(graph.get(name), list):
        if graph is document:
            _set(graph, name, [])
        else:
            graph[name] = []
    found: list[Any] = graph[name]
    return found


def all_nodes(document: Data) -> dict[str, Data]:
    """The nodes of all graphs, by id."""
    return {str(node.get("id")): node for graph in _graphs(document).values() for node in _items(graph, "nodes")}


def _node(document: Data, node_id: str) -> Data:
    nodes = all_nodes(document)
    if node_id not in nodes:
        raise Refused(f"There is no node `{node_id}`. {Names(nodes).hint(node_id, '')}".rstrip())
    return nodes[node_id]


def _graph_of(document: Data, node_id: str) -> Data:
    _node(document, node_id)
    return next(
        graph
        for graph in _graphs(document).values()
        if any(each.get("id") == node_id for each in _items(graph, "nodes"))
    )


def _place_of_edge(graph: Data, edges: list[Any], node_id: str) -> int:
    """Where a new edge of a node is written: behind its own edges, or those of the nearest node before it."""
    last = {each.get("from"): place for place, each in enumerate(edges) if isinstance(each, dict)}
    before = [str(each.get("id")) for each in _items(graph, "nodes")]
    before = before[: before.index(node_id) + 1]
    return next((last[each] + 1 for each in reversed(before) if each in last), 0 if len(before) == 1 else len(edges))


def _check_target(document: Data, graph: Data, start: str, end: str) -> None:
    """Refuse an edge that leads out of its graph, or to no node."""
    own = [str(each.get("id")) for each in _items(graph, "nodes")]
    if end in own or (end == "__exit__" and graph is not document):
        return
    hint = Names(own).hint(end, "Add it with add_node before this command.")
    if end == "__exit__":
        hint = "Only the nodes of a subgraph have an edge to it; the root graph ends at a terminal."
    elif end in all_nodes(document):
        hint = "It is in another graph: enter a subgraph by a node of the type subgraph, leave it by `__exit__`."
    raise Refused(f"The graph of `{start}` has no node `{end}`. {hint}")


def _ends(edge: Data) -> tuple[Any, Any]:
    return edge.get("from"), edge.get("to")


def _edges(graph: Data, start: str, end: str) -> list[Data]:
    """The edges from one node to another."""
    return [each for each in _items(graph, "edges") if _ends(each) == (start, end)]


def _shown(edge: Data) -> str:
    guard = f" ({edge['guard']})" if edge.get("guard") else ""
    return f"`{edge.get('to')}`{guard}"


def _drop(record: Data, name: str, items: list[Data]) -> None:
    if items:
        record[name] = [each for each in record[name] if not any(each is item for item in items)]


def _forget(record: Data, names: tuple[str, ...], node_id: str) -> None:
    for name in names:
        if record.get(name) == node_id:
            del record[name]


def _rename(record: Data, names: tuple[str, ...], old: str, new: str) -> None:
    for name in names:
        if record.get(name) == old:
            record[name] = new


def action_nodes(document: Data) -> Iterator[Data]:
    """The action nodes of all graphs."""
    return (node for node in all_nodes(document).values() if node.get("type") == "action")
