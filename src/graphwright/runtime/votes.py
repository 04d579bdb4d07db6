"""What a reply says of the paths: the model's selections as votes, counted by the flow's policy."""

from __future__ import annotations

from dataclasses import dataclass

from graphwright.flow.compiled import CompiledFlow
from graphwright.kernel import PathState, vote
from graphwright.kernel.events import PathEvent, PathRefused
from graphwright.runtime.reading.candidates import Candidate
from graphwright.runtime.reading.paths import Selection, is_correction
from graphwright.runtime.reading.reply import Reply


@dataclass(frozen=True, slots=True)
class Voted:
    """Where the choice of a path stands after a reply. `counted`: a vote of it did; `corrected`: it moved the lock."""

    paths: PathState
    events: tuple[PathEvent, ...] = ()
    counted: bool = False
    corrected: bool = False


def count_votes(flow: CompiledFlow, before: PathState, message: str, waiting: Candidate, reply: Reply) -> Voted:
    """Count what the model selected for a message: one vote, however often it is repeated; none where it names two."""
    known: dict[str, Selection] = {}
    refused: list[PathEvent] = []
    for each in reply.selected:
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
        correction=other and is_correction(message, path, flow.paths, explained=_explained(reply, waiting)),
    )
    corrected = bool(before.locked) and after.locked != before.locked
    return Voted(after, (*refused, *events), after is not before, corrected)


def _explained(reply: Reply, waiting: Candidate) -> bool:
    """Whether something else was read in the reply. Any text is an answer to a confirmation: that explains nothing."""
    texts = waiting.question.read == "confirm"
    answers = (a for a in reply.accepted if not (texts and a.candidate.key == waiting.key))
    return any(answers) or any(r.tell for r in reply.rejected)
