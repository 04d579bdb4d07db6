"""Which answers a reply may hold: those that a model may fill in, with their options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from graphwright.flow.compiled import CompiledFlow
from graphwright.kernel import lookup
from graphwright.runtime.answers.options import NoOptions, offered
from graphwright.runtime.questions import Candidate, every_candidate

MOST = 24
"""How many answers one model call may fill in: more would make the prompt longer than a small model can use."""


def candidates(flow: CompiledFlow, waiting: Candidate, values: Mapping[str, Any]) -> tuple[Candidate, ...]:
    """The waiting answer and those that may be volunteered or corrected, in document order, with their options.

    In a flow with more than `MOST` of them, those already answered and those that follow the waiting one go first.
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
    return tuple(_with_options(listed, values))


def _with_options(listed: list[Candidate], values: Mapping[str, Any]) -> Iterator[Candidate]:
    for candidate in listed:
        try:
            yield replace(candidate, options=offered(candidate.question, values))
        except NoOptions:
            # What an action finds later cannot be chosen yet.
            continue


@lru_cache(maxsize=64)
def _readable(flow: CompiledFlow) -> tuple[Candidate, ...]:
    """All answers that free text may give, one a dotted key."""
    found: dict[str, Candidate] = {}
    for candidate in every_candidate(flow):
        if candidate.question.read in ("extract", "choice"):
            found.setdefault(candidate.key, candidate)
    order = {id(question): i for i, question in enumerate(flow.questions)}
    return tuple(sorted(found.values(), key=lambda c: (order[id(c.question)], c.key)))
