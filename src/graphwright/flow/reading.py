"""Which answers the texts of a draft mention, found without compiling them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from graphwright.flow.draft import Draft, DraftNode

_TEMPLATES = ("prompt", "invalid_prompt", "say")
_GUARDS = ("when", "validate")
_EXPRESSION = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)
_ANSWER = re.compile(r"\banswers\b(?:\s*\.\s*([A-Za-z_]\w*(?:\s*\.\s*[A-Za-z_]\w*)*))?", re.ASCII)


def expression_texts(draft: Draft) -> Iterator[tuple[str | None, str]]:
    """All expressions, those in templates included, each with the id of its graph.

    Predicates, which serve every graph, come with None.
    """
    for text in draft.predicates.values():
        yield None, text
    for node in draft.nodes.values():
        for text in _node_texts(node):
            yield node.graph, text
    for graph in draft.graphs.values():
        for edge in graph.edges:
            if edge.opens is not None:
                yield graph.id, edge.opens


def _node_texts(node: DraftNode) -> Iterator[str]:
    for field in _TEMPLATES:
        if "{{" in node.data.get(field, ""):
            yield from _EXPRESSION.findall(node.data[field])
    for field in _GUARDS:
        if field in node.data:
            yield node.data[field]
    if "when" in node.data.get("confirm", {}):
        yield node.data["confirm"]["when"]


def answers_in(text: str) -> tuple[set[str], bool]:
    """The words behind `answers.` in an expression, and whether it speaks of the answers as a whole."""
    words: set[str] = set()
    whole = False
    for path in _ANSWER.findall(text):
        if not path:
            whole = True
        elif path.isidentifier():
            words.add(path)
        else:
            words.update(part.strip() for part in path.split("."))
    return words, whole


def words_by_graph(draft: Draft) -> dict[str, set[str]]:
    """The words that each graph's expressions mention behind `answers.`, predicates included."""
    words: dict[str, set[str]] = {graph: set() for graph in draft.graphs}
    everywhere: set[str] = set()
    for graph, text in expression_texts(draft):
        (everywhere if graph is None else words[graph]).update(answers_in(text)[0])
    for mentioned in words.values():
        mentioned |= everywhere
    return words
