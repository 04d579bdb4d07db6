"""Values that a flow compares a free text with: what its author had in mind without a schema that says so."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from graphwright.flow.compiled import CompiledFlow, Question
from graphwright.flow.guards import Guard
from graphwright.flow.guards.tree import Call, Expr, ListOf, Literal, path_of, walk
from graphwright.runtime.reading.options import options_of

_LIMITS = ("format", "pattern", "examples")


@lru_cache(maxsize=64)
def known_values(flow: CompiledFlow) -> Mapping[str, tuple[str, ...]]:
    """By the key of a question that takes any text: the texts that guards compare its answer with, in their order."""
    open_keys = {question.key for question in flow.questions if _is_open(question)}
    found: dict[str, dict[str, None]] = {}
    for guard in _guards(flow) if open_keys else ():
        if any(name.rpartition(".")[2] in open_keys for name in guard.reads):
            for tree in guard.trees:
                for key, text in _compared(tree):
                    if key in open_keys and text.strip():
                        found.setdefault(key, {})[text] = None
    return {key: tuple(texts) for key, texts in found.items()}


def _is_open(question: Question) -> bool:
    schema = question.schema
    free = schema.get("type", "string") == "string" and not any(limit in schema for limit in _LIMITS)
    return question.read == "extract" and free and not options_of(schema)


def _guards(flow: CompiledFlow) -> Iterator[Guard]:
    for node in flow.nodes.values():
        yield from (edge.guard for edge in node.all_edges if edge.guard is not None)
        if isinstance(node, Question) and node.when is not None:
            yield node.when


def _compared(tree: Expr) -> Iterator[tuple[str, str]]:
    """The keys of answers and the texts they are compared with."""
    for part in walk(tree):
        if not isinstance(part, Call) or part.method or part.function not in ("==", "!=", "in"):
            continue
        for subject, other in (part.args, part.args[::-1]):
            path = path_of(subject)
            if path is None or path[0] != "answers":
                continue
            for value in other.elements if isinstance(other, ListOf) else (other,):
                if isinstance(value, Literal) and isinstance(value.value, str):
                    yield path[-1], value.value
