"""Paths in a reply: the tool by which a model names one, and its selections as votes, counted by the flow's policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphwright.flow.compiled import CompiledFlow, Path
from graphwright.kernel import PathState, vote
from graphwright.kernel.events import PathEvent, PathRefused
from graphwright.proposals.provenance import occurs
from graphwright.proposals.schema import closed

LONGEST_REASON = 200


@dataclass(frozen=True, slots=True)
class Selection:
    """A path that the model named, in its own words: nothing of it has been checked."""

    path: Any
    confidence: Any = None
    rationale: str = ""
    correction: bool = False


def selection(message: str, args: Mapping[str, Any]) -> Selection:
    """What a call of `SelectPath` says of a message. It takes a choice back only where its reason is a quotation."""
    rationale = line(args.get("rationale"))
    correction = args.get("correction") is True and occurs(rationale, (message,))
    return Selection(args.get("path"), args.get("confidence"), rationale, correction)


def line(value: Any) -> str:
    """A reason that a model gave, as one line of a bounded length."""
    return " ".join(str(value or "").encode("utf-8", "replace").decode().split())[:LONGEST_REASON]


def path_tool(paths: Mapping[str, Path]) -> dict[str, Any]:
    """The declaration of `SelectPath`. A call that names another path is accepted, to be refused on its own."""
    meanings = "; ".join(f"{name}: {path.description or name}" for name, path in paths.items())
    fields: dict[str, Mapping[str, Any]] = {
        "rationale": {
            "type": "string",
            "maxLength": LONGEST_REASON,
            "description": "the words of the message that show it",
        },
        "path": {"enum": list(paths), "description": meanings},
        "confidence": {"type": "number", "minimum": 0, "maximum": 1, "description": "from 0 to 1"},
        "correction": {"type": "boolean", "description": "whether the message takes an earlier choice back"},
    }
    return {
        "name": "SelectPath",
        "description": "Only when the message itself shows which path the user wants; beside or instead of answers.",
        "parameters": closed(fields, ("rationale", "path")),
        "accepts": {"type": "object"},
    }


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
