"""The output of a model that reads a reply: proposed answers and path votes. It is not validated yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from graphwright.engine import PathState, vote
from graphwright.engine.events import PathEvent, PathRefused
from graphwright.engine.questions import Candidate
from graphwright.flow.compiled import CompiledFlow, Path

LONGEST_REASON = 200


@dataclass(frozen=True, slots=True)
class Selection:
    """A path that the model named. It is not validated yet."""

    path: Any
    confidence: Any = None
    rationale: str = ""
    correction: bool = False


@dataclass(frozen=True, slots=True)
class Voted:
    """The choice of a path after a reply. `counted`: its vote counted; `corrected`: it moved the lock."""

    paths: PathState
    events: tuple[PathEvent, ...] = ()
    counted: bool = False
    corrected: bool = False


def count_votes(flow: CompiledFlow, before: PathState, selected: Sequence[Selection]) -> Voted:
    """Count the selections of one message: one vote, also if repeated; no vote if it names two paths."""
    known: dict[str, Selection] = {}
    refused: list[PathEvent] = []
    for each in selected:
        if isinstance(each.path, str) and each.path in flow.paths:
            known.setdefault(each.path, each)
        else:
            refused.append(PathRefused(str(each.path)[:80], "unknown", each.rationale))
    if len(known) > 1:
        refused += [PathRefused(path, "several", each.rationale) for path, each in known.items()]
    if len(known) != 1:
        return Voted(before, tuple(refused))
    ((path, chosen),) = known.items()
    other = before.tentative not in ("", path)
    after, events = vote(
        flow.path_policy,
        flow.paths,
        before,
        path,
        chosen.confidence,
        rationale=chosen.rationale,
        correction=other and chosen.correction,
    )
    corrected = bool(before.locked) and after.locked != before.locked
    return Voted(after, (*refused, *events), after is not before, corrected)


CONSENT = ("agrees", "agrees_with_changes", "declines", "unclear")
"""The model's classification of a reply to a confirmation."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A value that the model read, the words it says it came from, and whether it replaces an earlier answer."""

    candidate: Candidate
    value: Any
    quote: str
    correction: bool


@dataclass(frozen=True, slots=True)
class Proposals:
    """The model's reading of a reply.

    `unknown` maps keys to the words of the user that they have no answer; `withdrawn` maps keys of earlier answers to
    the words that withdraw them. `consent` is one of `CONSENT`, empty without a pending confirmation. `language` is a
    tag such as `de`, as the model gave it. `asks` are the questions of the user: the key of the answer that each is
    about, else an empty key, and its words. `escalate` is the reason why the user wants a person, `abandon` why they
    give up the request; None if they do not.
    """

    answers: tuple[Proposal, ...] = ()
    unknown: Mapping[str, str] = field(default_factory=dict)
    withdrawn: Mapping[str, str] = field(default_factory=dict)
    escalate: str | None = None
    selected: tuple[Selection, ...] = ()
    consent: str = ""
    language: str = ""
    asks: tuple[tuple[str, str], ...] = ()
    abandon: str | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """The request to a model: find the `offered` answers and the `paths` in `text`, the reply to `prompt`.

    `waiting` is the answer that is asked for, or None. `answers` are those given so far; `now` is the time of the turn
    in the local zone. `abandonable`: the flow has a node for a request that is given up.
    """

    text: str
    waiting: Candidate | None
    prompt: str
    offered: Sequence[Candidate]
    answers: Mapping[str, Any]
    paths: Mapping[str, Path]
    now: datetime
    abandonable: bool = False

    @property
    def confirms(self) -> bool:
        """Whether a confirmation waits."""
        return self.waiting is not None and self.waiting.question.read == "confirm"
