"""References: ids, and the nodes, edges, entries, jumps and subgraph calls that refer to them."""

from __future__ import annotations

from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._draft import Draft, DraftEdge, DraftGraph, DraftNode, earlier_names
from graphwright.flow._graph_algorithms import components
from graphwright.flow._source import Path, Reporter
from graphwright.flow.checks._control_flow import JUMPS
from graphwright.flow.compiled import CHOSEN_PATH, EXIT, ROOT, Kind
from graphwright.text.near_names import Names, listed

ESCAPES = ("on_stuck", "on_escalate", "on_abandon")
"""The fields of flows that name a root node to go to."""


def check_references(draft: Draft, out: Reporter) -> set[str]:
    """Check that ids are unique and that every reference has a target. Returns the graphs with a broken reference."""
    return _References(draft, out).check()


class _References:
    def __init__(self, draft: Draft, out: Reporter) -> None:
        self.draft = draft
        self.out = out
        self.all_names = Names(draft.nodes)
        self.broken: set[str] = set()

    def check(self) -> set[str]:
        for node in self.draft.repeated:
            self._repeated(node)
        self._earlier_ids()
        self._earlier_channels()
        edge_ids: dict[str, Path] = {}
        for graph in self.draft.graphs.values():
            self._graph(graph, edge_ids)
        for name in ESCAPES:
            if name in self.draft.data:
                self._refer(self.draft.data[name], self.draft.root, (name,), f"`{name}` names")
        for name in ("status", "language"):
            channel = self.draft.data.get(name)
            if channel and self.draft.state.get(channel, {}).get("type") != "string":
                hint = f'Declare it under `state`: `{channel}: {{type: string, default: ""}}`.'
                if name == "language":
                    tag = channel if len(channel) == 2 else "de"
                    hint = f"For a conversation that begins in `{tag}`, write `language: spoken`, and under `state`: "
                    hint += f"`spoken: {{type: string, default: {tag}}}`."
                message = f"`{name}` names `{channel}`, which is not a text channel."
                self.out.add(Code.TEXT_CHANNEL, (name,), message, hint)
        return self.broken

    def _earlier_ids(self) -> None:
        """Check that every earlier id of `was` leads to one node."""
        first: dict[str, DraftNode] = {}
        for node in self.draft.nodes.values():
            for earlier in node.was:
                other = self.draft.nodes.get(earlier) or first.get(earlier)
                if other is not None:
                    still = "is still the id of a node" if earlier in self.draft.nodes else "is named by another node"
                    message = f"`was` of `{node.id}` names `{earlier[:80]}`, which {still}: a conversation that waits "
                    message += "there could go on at either."
                    hint = "Name an id that the document no longer has, at the one node that takes its place."
                    path = (*node.path, "was")
                    self.out.add(Code.WAS_TAKEN, path, message, hint, related=[("the other one", other.path)])
                first.setdefault(earlier, node)

    def _earlier_channels(self) -> None:
        """Check that every earlier name of a channel leads to one channel."""
        first: dict[str, str] = {}
        for name, channel in self.draft.state.items():
            for earlier in earlier_names(channel):
                other = earlier if earlier in self.draft.state else first.get(earlier)
                if other is not None:
                    still = "is still a channel" if earlier in self.draft.state else f"`{other}` names, too"
                    message = (
                        f"`was` of `{name}` names `{earlier[:80]}`, which {still}: a value could belong to either."
                    )
                    hint = "Name a channel that the document no longer has, at the one that takes its place."
                    related = [("the other one", ("state", other))]
                    self.out.add(Code.WAS_TAKEN, ("state", name, "was"), message, hint, related=related)
                first.setdefault(earlier, name)

    def _repeated(self, node: DraftNode) -> None:
        first = self.draft.nodes[node.id]
        message = f"The id `{node.id}` is taken: ids of nodes are unique in the whole document."
        related = [("first here", (*first.path, "id"))]
        hint = "Rename one of the two, and the edges that mean it."
        self.out.add(Code.DUPLICATE_NODE, (*node.path, "id"), message, hint, related=related)
        self.broken.update((node.graph, first.graph))

    def _graph(self, graph: DraftGraph, edge_ids: dict[str, Path]) -> None:
        what = "The flow" if graph.id == ROOT else f"The subgraph `{graph.id}`"
        nodes = graph.data.get("nodes")
        if nodes == []:
            hint = "Add at least one node, such as a question and a terminal."
            self.out.add(Code.NO_NODES, (*graph.path, "nodes"), f"{what} has no nodes.", hint)
            self.broken.add(graph.id)
        elif nodes is None or len(nodes) != len(graph.nodes):
            self.broken.add(graph.id)
        names = Names(graph.nodes)
        if "entry" in graph.data:
            self._refer(graph.entry, graph, (*graph.path, "entry"), "`entry` names", names)
        for node in graph.nodes.values():
            if node.id == EXIT:
                message = f"`{EXIT}` stands for the way back to the caller and cannot be a node."
                self.out.add(Code.RESERVED_NAME, (*node.path, "id"), message, "Choose another id.")
            for field in JUMPS:
                if field in node.data:
                    self._refer(node.data[field], graph, (*node.path, field), f"`{field}` names", names)
        for edge in graph.edges:
            self._refer(edge.source, graph, (*edge.path, "from"), "An edge leaves", names)
            if edge.target != EXIT:
                self._refer(edge.target, graph, (*edge.path, "to"), "An edge leads to", names)
            elif graph.id == ROOT:
                message = f"`{EXIT}` returns from a subgraph; this edge is in the root graph."
                self.out.add(Code.EXIT_OUTSIDE, (*edge.path, "to"), message, "Lead to a terminal instead.")
                self.broken.add(graph.id)
            name = edge.data.get("id")
            if name is None:
                continue
            if name in edge_ids:
                related = [("first here", edge_ids[name])]
                message = f"The edge id `{name}` is taken."
                hint = "Edge ids are unique in the document; without an id an edge gets one."
                self.out.add(Code.DUPLICATE_EDGE, (*edge.path, "id"), message, hint, related=related)
            edge_ids.setdefault(name, (*edge.path, "id"))

    def _refer(self, name: str, graph: DraftGraph, path: Path, what: str, names: Names | None = None) -> None:
        if name in graph.nodes:
            return
        self.broken.add(graph.id)
        here = "the root graph" if graph.id == ROOT else f"the subgraph `{graph.id}`"
        other = self.draft.nodes.get(name)
        if any(node.id == name and node.graph == graph.id for node in self.draft.repeated):
            return
        if other is not None:
            there = "the root graph" if other.graph == ROOT else f"the subgraph `{other.graph}`"
            message = f"{what} `{name}`, which is in {there}, not in {here}."
            hint = "Enter another graph by a subgraph node; leave a subgraph by an edge to `__exit__`."
            related = [(f"`{name}` is here", other.path)]
            self.out.add(Code.OTHER_GRAPH, path, message, hint, related=related)
            return
        near = (names or Names(graph.nodes)).hint(name) or self.all_names.hint(name, "Add a node with this id.")
        self.out.add(Code.UNKNOWN_NODE, path, f"{what} `{name[:80]}`, but there is no such node.", near)


def check_edges(draft: Draft, out: Reporter) -> None:
    """Check the edges of every node for conflicts."""
    for node in draft.nodes.values():
        if not node.edges:
            continue
        if node.kind is Kind.TERMINAL:
            for edge in node.edges:
                message = f"An edge leaves the terminal `{node.id}`, where the conversation ends."
                hint = "Remove the edge, or make the node another kind."
                out.add(Code.EDGE_FROM_TERMINAL, (*edge.path, "from"), message, hint)
            continue
        _check_else(node, out)
        if node.data.get("pick") == "question":
            _check_pick(draft, node, out)
        if len(node.edges) > 1:
            _check_together(node, out)


def _check_else(node: DraftNode, out: Reporter) -> None:
    otherwise = [edge for edge in node.edges if edge.is_else]
    for edge in otherwise[1:]:
        message = f"`{node.id}` has more than one `else` edge."
        hint = "Keep one; an edge without a guard is always open, an edge with one when its guard is true."
        related = [("the first one", otherwise[0].path)]
        out.add(Code.ELSE_TWICE, (*edge.path, "guard"), message, hint, related=related)


def _check_pick(draft: Draft, node: DraftNode, out: Reporter) -> None:
    for edge in node.edges:
        target = draft.nodes.get(edge.target)
        kind = target.kind if target is not None else None
        if edge.is_else or (kind in (Kind.QUESTION, None) and edge.target != EXIT):
            continue
        what = f"`{EXIT}` leaves the subgraph" if edge.target == EXIT else f"`{edge.target}` is of the kind {kind}"
        message = f"`{node.id}` picks among questions, but {what}."
        hint = "Write `guard: else` on this edge: it is taken when no question is left."
        if any(other.is_else for other in node.edges):
            hint = "Only the `else` edge of such a decision may lead elsewhere. Remove this edge."
        out.add(Code.PICK_NOT_QUESTION, (*edge.path, "to"), message, hint)


def _check_together(node: DraftNode, out: Reporter) -> None:
    """Report edges with equal guards: only the first of them is ever taken."""
    picks = node.data.get("pick") == "question"
    if node.kind is Kind.DECISION and not picks:
        _check_alike(node, out)
    first: dict[str | None, DraftEdge] = {}
    targets: dict[tuple[str | None, str], DraftEdge] = {}
    for edge in node.edges:
        if edge.is_else:
            continue
        same = targets.setdefault((edge.opens, edge.target), edge)
        before = first.setdefault(edge.opens, edge)
        if same is not edge:
            message = f"The same edge from `{edge.source}` to `{edge.target}` is here for the second time."
            related = [("first here", same.path)]
            out.add(Code.SAME_EDGE_TWICE, edge.path, message, "Remove one of the two.", related=related)
        elif before is not edge and not picks:
            how = "without a guard" if edge.opens is None else "with this guard"
            message = f"`{node.id}` has more than one edge {how}: they always open together, and one never wins."
            hint = "Give them different guards, or make one the `else` edge."
            out.add(Code.OPEN_TOGETHER, edge.path, message, hint, related=[("the first one", before.path)])


def _check_alike(node: DraftNode, out: Reporter) -> None:
    """Report a decision that decides nothing, because all its edges lead to one node.

    Other nodes may have such edges for their labels, which the trace shows.
    """
    labels = any("label" in edge.data for edge in node.edges)
    if len({edge.target for edge in node.edges}) == 1 and any(edge.is_else for edge in node.edges) and not labels:
        last = node.edges[-1]
        message = f"All edges of `{node.id}` lead to `{last.target}`, so its guards make no difference."
        hint = "Lead one of them elsewhere, or keep one edge without a guard."
        related = [("the first one", node.edges[0].path)]
        out.add(Code.EDGES_ALIKE, (*last.path, "to"), message, hint, related=related)


MAX_CALL_DEPTH = 64
"""The maximum depth of nested subgraph calls; a running flow has the same limit."""


def check_subgraphs(draft: Draft, out: Reporter) -> None:
    """Check the references to subgraphs."""
    names = Names(name for name in draft.graphs if name != ROOT)
    used: set[str] = set()
    before = len(out.found)
    for graph in draft.graphs.values():
        for node in graph.calls:
            used.update(draft.callees(node))
            _check_call(draft, node, names, out)
    for name, path in draft.paths.items():
        used.add(path.get("ref", ""))
        if "ref" in path:
            _check_ref(draft, path["ref"], ("paths", name, "ref"), names, out)
    all_known = len(out.found) == before
    for graph in draft.graphs.values():
        if all_known and graph.id != ROOT and graph.id not in used:
            hint = "Call it by a node of type subgraph, name it under `paths`, or remove it."
            if twice := _named_twice(draft):
                hint += f" {' and '.join(twice)} have the same `ref`: one of them may be meant for it."
            out.add(Code.UNUSED_SUBGRAPH, graph.path, f"Nothing calls the subgraph `{graph.id}`.", hint, key=True)
    _check_depth(draft, out)


def _check_call(draft: Draft, node: DraftNode, names: Names, out: Reporter) -> None:
    ref = node.data.get("ref")
    path = (*node.path, "ref")
    if ref == CHOSEN_PATH and not draft.paths:
        message = f"`{node.id}` enters the chosen path, but the flow declares no `paths`."
        out.add(Code.NO_PATHS, path, message, "Add `paths: {name: {ref: a_subgraph}}`, or name a subgraph.")
    elif ref is not None and ref != CHOSEN_PATH:
        _check_ref(draft, ref, path, names, out)


def _check_ref(draft: Draft, ref: str, path: Path, names: Names, out: Reporter) -> None:
    if ref not in draft.graphs or ref == ROOT:
        known = [name for name in draft.graphs if name != ROOT]
        otherwise = f"There is {listed(known)}." if known else "Add it under `subgraphs`."
        out.add(Code.UNKNOWN_SUBGRAPH, path, f"There is no subgraph `{ref}`.", names.hint(ref, otherwise))


def _check_depth(draft: Draft, out: Reporter) -> None:
    """Report a chain of calls that is too deep even without recursion."""
    calls = {
        graph.id: list(dict.fromkeys(callee for node in graph.calls for callee in draft.callees(node)))
        for graph in draft.graphs.values()
    }
    depth: dict[str, int] = {}
    for members in components(calls):
        below = max((depth[callee] + 1 for m in members for callee in calls[m] if callee in depth), default=0)
        depth.update(dict.fromkeys(members, below))
    if depth.get(ROOT, 0) <= MAX_CALL_DEPTH:
        return
    deepest = next(node for node in draft.root.calls for c in draft.callees(node) if depth[c] >= MAX_CALL_DEPTH)
    message = f"Subgraphs call each other {depth[ROOT]} deep from `{deepest.id}`; at most {MAX_CALL_DEPTH} are allowed."
    hint = "Lead on by edges where nothing is left to do after a call."
    out.add(Code.CALLS_TOO_DEEP, (*deepest.path, "ref"), message, hint)


def _named_twice(draft: Draft) -> list[str]:
    """The paths that name the same subgraph as another one."""
    refs = [path.get("ref") for path in draft.paths.values()]
    return [f"`paths.{name}`" for name, path in draft.paths.items() if refs.count(path.get("ref")) > 1]
