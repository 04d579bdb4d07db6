"""What a reply says of the paths: the model's selections as votes, counted by the flow's policy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from graphwright.flow.compiled import CompiledFlow
from graphwright.kernel import PathState, vote
from graphwright.kernel.events import PathEvent, PathRefused
from graphwright.runtime.answers.extract import Selection


@dataclass(frozen=True, slots=True)
class Voted:
    """Where the choice of a path stands after a reply. `counted`: a vote of it did; `corrected`: it moved the lock."""

    paths: PathState
    events: tuple[PathEvent, ...] = ()
    counted: bool = False
    corrected: bool = False


def count_votes(flow: CompiledFlow, before: PathState, selected: Sequence[Selection]) -> Voted:
    """Count what the model selected for a message: one vote, however often it is repeated; none where it names two."""
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
