"""The questions of a flow in all answer scopes, their known values, and the answers that a reply may contain."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from graphwright.engine._exact_replies import lacks_options, question_options
from graphwright.engine._position import Position, Scope, lookup
from graphwright.flow._dependencies import dependencies, signature_of
from graphwright.flow._json_schemas import Option, options_of
from graphwright.flow.compiled import ROOT, Action, Call, CompiledFlow, Question
from graphwright.flow.guards import Guard
from graphwright.flow.guards._syntax_tree import text_comparisons
from graphwright.flow.guards._vocabulary import ANSWERS


@dataclass(frozen=True, slots=True)
class Candidate:
    """An answer that a reply may contain: its question, the answer scopes it is asked in, and its options.

    `known` are the texts that the flow compares a free-text answer with. `computed`: an action computes the options
    from answers, so that the same reply may change them.
    """

    question: Question
    scopes: tuple[Scope, ...]
    known: tuple[str, ...] = field(default=(), compare=False)
    options: tuple[Option, ...] = field(default=(), compare=False)
    computed: bool = field(default=False, compare=False)

    @property
    def path(self) -> tuple[str, ...]:
        return (*(scope.name for scope in self.scopes), self.question.key)

    @property
    def key(self) -> str:
        """The dotted name under which a model proposes a value."""
        return ".".join(self.path)


@dataclass(frozen=True, slots=True)
class UserQuestion:
    """A question of the user: the answer that it is about, if any, and the words of the message; empty if unknown."""

    about: Candidate | None
    words: str


def pending(question: Question, position: Position) -> Candidate:
    """The answer that the thread waits for."""
    return Candidate(question, position.top.scopes)


@lru_cache(maxsize=64)
def every_candidate(flow: CompiledFlow) -> tuple[Candidate, ...]:
    """The questions of a flow in all answer scopes, from the root inwards; recursion is followed one level deep."""
    known = _known_values(flow)
    found: list[Candidate] = []
    todo: list[tuple[str, tuple[Scope, ...]]] = [(ROOT, ())]
    seen = set(todo)
    while todo:
        graph, scopes = todo.pop(0)
        for node in flow.graphs[graph].nodes.values():
            if isinstance(node, Question):
                found.append(Candidate(node, scopes, known.get(node.key, ())))
            elif isinstance(node, Call):
                for ref in flow.callees(node):
                    inner = (*scopes, Scope(node.scope, ref)) if node.scope else scopes
                    recursive = sum(scope.graph == ref for scope in inner) > 1
                    if (ref, inner) not in seen and not recursive:
                        seen.add((ref, inner))
                        todo.append((ref, inner))
    return tuple(found)


@lru_cache(maxsize=64)
def _known_values(flow: CompiledFlow) -> Mapping[str, tuple[str, ...]]:
    """By the key of a question that takes any text: the texts that guards compare its answer with, in their order."""
    open_keys = {question.key for question in flow.questions if _is_open(question)}
    found: dict[str, dict[str, None]] = {}
    for guard in _guards(flow) if open_keys else ():
        if any(name.rpartition(".")[2] in open_keys for name in guard.reads):
            for path, texts, _ in (each for tree in guard.trees for each in text_comparisons(tree)):
                if path[0] == ANSWERS and path[-1] in open_keys:
                    found.setdefault(path[-1], {}).update((text, None) for text in texts if text.strip())
    return {key: tuple(texts) for key, texts in found.items() if texts}


def _is_open(question: Question) -> bool:
    schema = question.schema
    free = schema.get("type", "string") == "string" and not {"format", "pattern"} & set(schema)
    return question.read == "extract" and free and not question.options and not options_of(schema)


def _guards(flow: CompiledFlow) -> Iterator[Guard]:
    for node in flow.nodes.values():
        yield from (edge.guard for edge in node.all_edges if edge.guard is not None)
        if isinstance(node, Question) and node.when is not None:
            yield node.when


MOST = 60
"""How many answers one model call may fill in. It bounds the prompt of flows with very many questions."""


def candidates(flow: CompiledFlow, waiting: Candidate, values: Mapping[str, Any]) -> tuple[Candidate, ...]:
    """The waiting answer and those that may be volunteered or corrected, in document order, with their options.

    A question whose options an action computes later has none yet, and accepts any text; if all of them are like that,
    none is listed. In a flow with more than `MOST` of them, those already answered and those that follow the waiting
    one go first.
    """
    every = _readable(flow)
    found = any(c.key == waiting.key for c in every)
    others = [c for c in every if c.key != waiting.key and not c.question.ask_always]
    if len(others) > MOST - 1:
        at = next((i for i, c in enumerate(every) if c.key == waiting.key), 0)
        following = {c.key for c in every[at + 1 :]}
        answers = values["answers"]
        others.sort(key=lambda c: (not lookup(answers, c.path)[0], c.key not in following))
    keep = {c.key for c in others[: MOST - 1]} | {waiting.key}
    listed = [c for c in every if c.key in keep]
    if not found and waiting.question.read in ("extract", "choice"):
        listed.insert(0, waiting)
    known = {c.key: c for c in _with_options(flow, listed, values)}
    return tuple(known.get(c.key, c) for c in listed) if known else ()


def answered(flow: CompiledFlow, values: Mapping[str, Any]) -> tuple[Candidate, ...]:
    """The answers that were given and that free text may correct, in document order, with their options."""
    given = [c for c in _readable(flow) if lookup(values["answers"], c.path)[0] and not c.question.ask_always]
    return _with_options(flow, given[:MOST], values)


def corrected_by_name(flow: CompiledFlow, values: Mapping[str, Any]) -> tuple[Candidate, ...]:
    """The given answers that were taken as written: no model reads them, and a reply corrects them as `NAME: VALUE`."""
    given = (c for c in every_candidate(flow) if c.question.read == "verbatim")
    return tuple(c for c in given if lookup(values["answers"], c.path)[0] and not c.question.ask_always)


def given_by_name(flow: CompiledFlow, waiting: Candidate, values: Mapping[str, Any]) -> tuple[Candidate, ...]:
    """The answers that a reply to the waiting question gives or corrects as `NAME: VALUE` if no model reads it."""
    return (*candidates(flow, waiting, values), *corrected_by_name(flow, values))


def volunteered(flow: CompiledFlow, values: Mapping[str, Any]) -> tuple[Candidate, ...]:
    """The answers that a message may give or correct that answers no question, in document order, with their options.

    One whose options an action computes later has none yet, and takes any text.
    """
    listed = [c for c in _readable(flow) if not c.question.ask_always][:MOST]
    known = {c.key: c for c in _with_options(flow, listed, values)}
    return tuple(known.get(c.key, c) for c in listed)


def _with_options(flow: CompiledFlow, listed: Iterable[Candidate], values: Mapping[str, Any]) -> tuple[Candidate, ...]:
    """Those that have options or need none, with their options."""
    computing = (flow.nodes[name] for name in dependencies(flow).computing)
    computed = {name for node in computing if isinstance(node, Action) for name in signature_of(flow, node).writes}
    return tuple(
        replace(c, options=question_options(c.question, values), computed=c.question.options in computed)
        for c in listed
        if not lacks_options(c.question, values)
    )


@lru_cache(maxsize=64)
def _readable(flow: CompiledFlow) -> tuple[Candidate, ...]:
    """All answers that free text may give, one a dotted key."""
    found: dict[str, Candidate] = {}
    for candidate in every_candidate(flow):
        if candidate.question.read in ("extract", "choice"):
            found.setdefault(candidate.key, candidate)
    order = {id(question): i for i, question in enumerate(flow.questions)}
    return tuple(sorted(found.values(), key=lambda c: (order[id(c.question)], c.key)))
