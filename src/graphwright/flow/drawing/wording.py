"""What the pictures of a flow say: the words on its nodes and edges, and the ways that no edge describes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from graphwright.flow.compiled import (
    ACTIVE_PATH,
    Action,
    Call,
    CompiledFlow,
    Decision,
    Edge,
    Graph,
    Node,
    Question,
    Terminal,
)

LABEL_LIMIT = 80
"""How many characters of a prompt or a guard stand in a picture."""

ANYWHERE = ""
"""The source of a jump that may begin at any node."""


@dataclass(frozen=True, slots=True)
class Jump:
    """A way that no edge describes: on an error, after invalid answers, from a dead end, by a confirmation.

    `where` is the condition of a confirmation that has one.
    """

    source: str
    label: str
    target: str
    where: str = ""


def jumps(flow: CompiledFlow) -> Iterator[Jump]:
    """All of them, in the order of the document; those from `ANYWHERE` last."""
    for node in flow.nodes.values():
        if isinstance(node, Question) and node.on_invalid:
            yield Jump(node.id, "on invalid", node.on_invalid)
        elif isinstance(node, Action):
            if node.on_error:
                yield Jump(node.id, "on error", node.on_error)
            if node.confirm:
                yield Jump(node.confirm.by, "confirms", node.id, node.confirm.when.text if node.confirm.when else "")
    for label, target in (("when stuck", flow.on_stuck), ("to a person", flow.on_escalate)):
        if target:
            yield Jump(ANYWHERE, label, target)


def called(flow: CompiledFlow, node: Call) -> list[str]:
    """The graphs that a call may enter: one, or with `$active_path` that of every path."""
    if node.ref == ACTIVE_PATH:
        return list(dict.fromkeys(path.ref for path in flow.paths.values()))
    return [node.ref]


def edges_of(graph: Graph) -> list[Edge]:
    """The edges of a graph in document order."""
    return sorted((edge for node in graph.nodes.values() for edge in node.all_edges), key=lambda edge: edge.index)


def title_of(flow: CompiledFlow, graph: str) -> str:
    """What a subgraph is called: its title or label, else its id."""
    written = (flow.document.get("subgraphs") or {}).get(graph) or {}
    return str(written.get("title") or written.get("label") or graph)


def guard_text(edge: Edge) -> str:
    """The guard of an edge, `else`, or nothing where it is always open."""
    return "else" if edge.is_else else edge.guard.text if edge.guard else ""


def edge_label(edge: Edge) -> str:
    """The label and the guard of an edge."""
    return ": ".join(part for part in (edge.label, guard_text(edge)) if part)


def detail(node: Node) -> str:
    """What a node does, in its own words: the prompt, the action, the subgraph, what is said at the end."""
    match node:
        case Question():
            return node.prompt.text
        case Action():
            return f"{node.run}()"
        case Call():
            return "the chosen path" if node.ref == ACTIVE_PATH else node.ref
        case Terminal():
            return node.say.text if node.say else ""
        case Decision():
            return "the next open question" if node.pick_question else ""
    return ""


def one_line(text: str) -> str:
    """The text without line breaks and control characters."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def short(text: str, limit: int = LABEL_LIMIT) -> str:
    """The text on one line of at most `limit` characters."""
    text = one_line(text)
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"
