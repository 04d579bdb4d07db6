"""The compiler: text or data in, a flow or diagnostics out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from graphwright.flow._allocation import all_kept
from graphwright.flow._answer_scopes import Scopes, find_scopes
from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._draft import Draft, DraftNode, earlier_names, make_draft
from graphwright.flow._expressions import Expressions, channel_schema, compile_expressions, unless_items
from graphwright.flow._json_schemas import check_schemas
from graphwright.flow._ready_made import compiled_parameters, signature_from
from graphwright.flow._schema_validation import missing_packages
from graphwright.flow._source import Reporter, Source, read_data
from graphwright.flow.checks import check_draft, check_flow
from graphwright.flow.checks._truth_tables import FlowContext
from graphwright.flow.compiled import (
    MAX_ACTIONS,
    Action,
    Assurance,
    Call,
    Catalogue,
    Channel,
    CompiledFlow,
    Confirm,
    Constraint,
    Decision,
    Edge,
    Graph,
    Kind,
    Map,
    Node,
    Path,
    PathPolicy,
    Question,
    Terminal,
)
from graphwright.flow.diagnostics import Diagnostic, Severity
from graphwright.flow.guards import Guard
from graphwright.flow.layers import Layers, Merged, Read, at_fault, merge, read_layers


@dataclass(frozen=True, slots=True)
class Compilation:
    """The result of a compilation. `flow` is None if there is an error; `diagnostics` are in order of the text.

    `unproven` are the assurances that are not shown to hold, each with the message that says so.
    `layers` are the documents that were read, and `merged` what they make, if the document extends others.
    """

    flow: CompiledFlow | None
    diagnostics: tuple[Diagnostic, ...]
    name: str = ""
    unproven: tuple[tuple[Assurance, str], ...] = ()
    layers: Layers | None = field(default=None, repr=False)
    merged: Merged | None = field(default=None, repr=False)

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        return tuple(found for found in self.diagnostics if found.severity is Severity.ERROR)


def compile_text(
    text: str | bytes,
    *,
    name: str = "",
    catalogue: Catalogue | None = None,
    read: Read | None = None,
    assure: bool = False,
) -> Compilation:
    """Compile a flow document in YAML or JSON (bytes are UTF-8).

    Every error in the text becomes a diagnostic with its place; nothing is raised. `name` is the file name for
    messages. Without a catalogue, names of actions and validators are not checked. `read` returns the content of the
    documents that this one extends, by path, and raises OSError; without it, a document cannot extend another one. With
    `assure`, the assurances are decided, which may take seconds.
    """
    with all_kept():
        return compile_layers(read_layers(text, name=name, read=read), name=name, catalogue=catalogue, assure=assure)


def compile_layers(
    layers: Layers, *, name: str = "", catalogue: Catalogue | None = None, assure: bool = False
) -> Compilation:
    """Compile the document that the layers make, as `compile_text` does."""
    with all_kept():
        if not layers.is_merged or not layers.readable:
            source = layers.sources[0] if layers.readable else None
            found = [*layers.found, *(source.remarks() if source is not None else ())]
            return replace(_compile(source, found, name, catalogue, assure), layers=layers)
        merged = merge(layers)
        compilation = _compile(merged.source, [*layers.found, *merged.diagnostics], name, catalogue, assure)

        def compiled(highest: int) -> tuple[Iterable[Diagnostic], bool]:
            below = _compile(merge(layers.up_to(highest)).source, [], name, catalogue, assure=assure)
            return below.diagnostics, below.flow is not None

        at_its_layer = at_fault(compilation.diagnostics, merged, layers, compiled)
        return replace(compilation, diagnostics=at_its_layer, layers=layers, merged=merged)


def compile_document(data: Mapping[str, Any], *, name: str = "", catalogue: Catalogue | None = None) -> Compilation:
    """Compile a parsed document. All diagnostics have line 1, column 1, and a JSON pointer."""
    with all_kept():
        source, found = read_data(data)
        return _compile(source, [*found, *(source.remarks() if source is not None else ())], name, catalogue)


def _compile(
    source: Source | None, found: list[Diagnostic], name: str, catalogue: Catalogue | None, assure: bool = False
) -> Compilation:
    if source is None:
        return Compilation(None, tuple(found), name)
    out = Reporter(source, found)
    # Imported late: pydantic takes longer to load than the language itself.
    from graphwright.flow._document import Document, other_version
    from graphwright.flow._parameters import read_parameters

    if fault := other_version(source.data.get("version")):
        # The rules of this version say nothing about a document of another one.
        out.add(Code.VERSION, ("version",), *fault)
        return Compilation(None, out.sorted(), name)
    data = Document.checked(source.data, out)
    draft = make_draft(data)
    read_parameters(draft, catalogue, out)
    known = None if catalogue is None else catalogue.missing
    missing = missing_packages() if known is None else known
    check_schemas(draft, missing, out)
    scopes = find_scopes(draft)
    expressions = compile_expressions(draft, scopes, catalogue, out)
    control = check_draft(draft, scopes, expressions, catalogue, out)
    flow = None if out.has_errors else build_flow(draft, scopes, expressions, catalogue)
    if flow is not None:
        check_flow(flow, control, scopes, catalogue, out)
    unproven: tuple[tuple[Assurance, str], ...] = ()
    if flow is not None and assure and flow.assurances:
        # Imported late: a flow that runs does not need it.
        from graphwright.flow.assurances._proofs import report_unproven

        unproven = report_unproven(FlowContext(flow, control, scopes, catalogue), out)
    return Compilation(flow, out.sorted(), name, unproven=unproven)


def build_flow(
    draft: Draft, scopes: Scopes, expressions: Expressions, catalogue: Catalogue | None = None
) -> CompiledFlow:
    """Build the runnable flow. The draft must have passed all checks without an error."""
    data = draft.data
    edges = _edges(draft, expressions)
    nodes: dict[str, Node] = {}
    graphs: dict[str, Graph] = {}
    for graph in draft.graphs.values():
        own = {node.id: _node(node, edges.get(node.id, ()), expressions) for node in graph.nodes.values()}
        nodes.update(own)
        names = scopes.own[graph.id]
        graphs[graph.id] = Graph(
            id=graph.id, entry=graph.entry, nodes=own, keys=frozenset(names.keys), scopes=frozenset(names.names)
        )
    reads = expressions.reads() | {node.data["options"] for node in draft.nodes.values() if "options" in node.data}
    return CompiledFlow(
        id=data["id"],
        graphs=graphs,
        nodes=nodes,
        channels={name: _channel(name, channel) for name, channel in draft.state.items()},
        title=data.get("title", ""),
        description=data.get("description", ""),
        examples=tuple(data.get("examples", ())),
        keep_answers=data.get("restart") == "keep",
        max_actions=data.get("max_actions", MAX_ACTIONS),
        constraints=tuple(_constraint(item, draft, expressions) for item in data.get("constraints", ())),
        assurances=tuple(_assurance(item, place, expressions) for place, item in enumerate(data.get("assurances", ()))),
        paths={name: Path(name, item["ref"], item.get("description", "")) for name, item in draft.paths.items()},
        path_policy=_path_policy(data.get("path_policy", {})),
        on_stuck=data.get("on_stuck", ""),
        on_escalate=data.get("on_escalate", ""),
        on_abandon=data.get("on_abandon", ""),
        status=data.get("status", ""),
        language=data.get("language", ""),
        deterministic=data.get("deterministic", False),
        guard_reads=frozenset(name for name in reads if name != "answers" and not name.startswith("answers.")),
        on_change=data.get("on_change", "carry"),
        renamed={earlier: node.id for node in draft.nodes.values() for earlier in node.was},
        document=data,
        signatures={
            **(catalogue.actions if catalogue else {}),
            **{n.id: signature_from(n, expressions.templates) for n in draft.nodes.values() if n.is_ready_made},
        },
    )


def _edges(draft: Draft, expressions: Expressions) -> dict[str, list[Edge]]:
    """The edges by their source node, with ids: their own, or `from->to` made unique."""
    taken = {edge.data["id"] for graph in draft.graphs.values() for edge in graph.edges if "id" in edge.data}
    found: dict[str, list[Edge]] = {}
    for graph in draft.graphs.values():
        for edge in graph.edges:
            name = edge.data.get("id") or _free_name(f"{edge.source}->{edge.target}", taken)
            taken.add(name)
            data = edge.data
            made = Edge(
                id=name,
                source=edge.source,
                target=edge.target,
                guard=expressions.guards[(*edge.path, "guard")] if edge.opens is not None else None,
                is_else=edge.is_else,
                priority=data.get("priority", 0),
                index=edge.index,
                label=data.get("label", ""),
                tags=tuple(data["tags"]) if "tags" in data else (),
            )
            found.setdefault(edge.source, []).append(made)
    return found


def _free_name(name: str, taken: set[str]) -> str:
    names = (f"{name}#{number}" for number in count(2))
    return name if name not in taken else next(each for each in names if each not in taken)


_AS_WRITTEN = ("key", "options", "required", "max_invalid", "on_invalid", "priority")
"""The fields of a question that are copied without change; omitted fields have their defaults."""


def _node(node: DraftNode, edges: list[Edge] | tuple[()], expressions: Expressions) -> Node:
    data = node.data
    guarded = [edge for edge in edges if not edge.is_else]
    if len(guarded) > 1:
        guarded.sort(key=lambda edge: (-edge.priority, edge.index))
    common: dict[str, Any] = {
        "id": node.id,
        "graph": node.graph,
        "label": data.get("label", ""),
        "tags": tuple(data.get("tags", ())),
        "edges": tuple(guarded),
        "otherwise": next((edge for edge in edges if edge.is_else), None),
    }
    templates, guards = expressions.templates, expressions.guards
    if node.kind is Kind.QUESTION:
        for name in _AS_WRITTEN:
            if name in data:
                common[name] = data[name]
        if "when" in data:
            common["when"] = guards[(*node.path, "when")]
        if "validate" in data:
            path = (*node.path, "validate")
            common["validate"] = guards.get(path)
            common["validator"] = expressions.validators.get(path, "")
        if "invalid_prompt" in data:
            common["invalid_prompt"] = templates[(*node.path, "invalid_prompt")]
        prompt = templates[(*node.path, "prompt")]
        common["read"] = node.read
        return Question(prompt=prompt, schema=node.schema, ask_always=data.get("ask") == "always", **common)
    if node.kind is Kind.ACTION or "map" in data:
        retry, confirm = data.get("retry", {}), data.get("confirm")
        return Action(
            **common,
            run=data["run"] if node.kind is Kind.ACTION else data["ref"],
            map=_map(data) if "map" in data else None,
            attempts=retry.get("attempts", 1),
            backoff=float(retry.get("backoff", 0)),
            timeout=float(data["timeout"]) if "timeout" in data else None,
            on_error=data.get("on_error", ""),
            parameters=compiled_parameters(node, templates) if node.is_ready_made else None,
            confirm=Confirm(confirm["by"], tuple(confirm["over"]), guards.get((*node.path, "confirm", "when")))
            if confirm
            else None,
        )
    if node.kind is Kind.SUBGRAPH:
        return Call(**common, ref=data["ref"], scope=data.get("as", ""))
    if node.kind is Kind.TERMINAL:
        return Terminal(**common, say=templates.get((*node.path, "say")))
    return Decision(**common, pick_question=data.get("pick") == "question")


def _map(data: Mapping[str, Any]) -> Map:
    given = data["map"]
    result = given.get("result") or data.get("with", {}).get("into", "")
    return Map(
        over=given["over"],
        item=given["as"],
        result=result,
        into=given.get("into", ""),
        errors=given.get("errors", ""),
        at_once=given.get("at_once", 4),
        graph=data.get("ref", ""),
    )


def _channel(name: str, data: Mapping[str, Any]) -> Channel:
    append = data.get("reduce") == "append"
    return Channel(
        name=name,
        schema=channel_schema(data),
        default=data.get("default", [] if append else None),
        per_conversation=data.get("scope") == "conversation",
        append=append,
        large=data.get("large", False),
        private=data.get("private", False),
        was=earlier_names(data),
    )


def _constraint(data: Mapping[str, Any], draft: Draft, expressions: Expressions) -> Constraint:
    require: Guard | None = None
    groups = tuple(tuple(group) for group in data.get("one_of", ()))
    keys = [key for group in groups for key in group]
    if "require" in data:
        require = expressions.predicates[data["require"]]
        read = {name.removeprefix("answers.") for name in require.reads if name.startswith("answers.")}
        order = {node.key: place for place, node in enumerate(draft.nodes.values()) if node.key}
        keys += sorted(read, key=lambda key: (order.get(key.rpartition(".")[2], 0), key))
    return Constraint(
        keys=tuple(dict.fromkeys(keys)),
        require=require,
        one_of=groups,
        exactly=data.get("exactly", False),
        message=data.get("message", ""),
    )


def _assurance(data: Mapping[str, Any], place: int, expressions: Expressions) -> Assurance:
    items, made = unless_items(data, place), expressions.assurances
    conditions = tuple(made[path] for path, _ in items if path in made)
    if "never" in data:
        before = tuple(text for path, text in items if path not in made)
        return Assurance(claim="never", of=data["never"], before=before, unless=conditions)
    if "always_before" in data:
        return Assurance(claim="always_before", of=data["always_before"], before=(data["comes"],))
    return Assurance(claim="eventually", of=data["eventually"])


def _path_policy(data: Mapping[str, Any]) -> PathPolicy:
    return PathPolicy(
        lock_threshold=float(data.get("lock_threshold", 2)),
        allow_switch_before_lock=data.get("allow_switch_before_lock", True),
        decay=float(data.get("decay", 0.5)),
        min_confidence=float(data.get("min_confidence", 0)),
    )
