"""Organising conversations: feedback, branches, folders, deletion of several, choice of a model."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict, Field

from graphwright.store import Feedback, ThreadRow
from graphwright_server._feedback import logged
from graphwright_server.access.gate import User, Viewer
from graphwright_server.access.principal import not_found
from graphwright_server.routes._agents import served_model
from graphwright_server.service import Service, ServiceState
from graphwright_server.shapes import Whole, raises
from graphwright_server.shapes._threads import Branch, Deleted, FeedbackGiven, Folder, Model

router = APIRouter(tags=["threads"])

Turn = Annotated[int, Path(ge=1, le=2**62)]


class NewFeedback(BaseModel):
    """The rating of the answer of a turn, by its user."""

    model_config = ConfigDict(extra="forbid")

    rating: Literal["good", "bad"]
    comment: str = Field("", max_length=4000)


class Several(BaseModel):
    """The ids of threads."""

    model_config = ConfigDict(extra="forbid")

    threads: list[Annotated[str, Field(max_length=200)]] = Field(min_length=1, max_length=200)


@router.get("/models")
async def list_models(principal: Viewer, service: ServiceState) -> Whole[Model]:
    """The models that users may choose for a conversation; the first one answers by default."""
    default = served_model(service)
    names = dict.fromkeys((default, *service.settings.models))
    return Whole[Model](items=[Model(name=name, default=name == default) for name in names], next=None)


@router.get("/folders")
async def list_folders(principal: Viewer, service: ServiceState) -> Whole[Folder]:
    """The folders of the user's threads. A folder exists while a thread is in it."""
    found = await service.workspace.store.threads.folders(principal.user)
    return Whole[Folder](items=[Folder(name=name, threads=count) for name, count in found.items()], next=None)


@router.post("/threads/delete", responses=raises(404))
async def delete_threads(principal: User, service: ServiceState, given: Several) -> Deleted:
    """Delete several threads, like the deletion of each. If one does not exist, none is deleted."""
    threads = list(dict.fromkeys(given.threads))
    for id in threads:
        await service.thread(id, principal)
    for id in threads:
        await service.delete(id)
    return Deleted(threads=threads)


@router.get("/threads/{id}/branches")
async def list_branches(principal: Viewer, service: ServiceState, id: str) -> Whole[Branch]:
    """The conversation from which a thread comes, with all its branches, the oldest first; at least the thread itself.

    A branch has the turns of its `source` before turn `turn`, and its own from there on.
    """
    row = await service.thread(id, principal)
    return Whole[Branch](items=[Branch.model_validate(each) for each in await _family(service, row)], next=None)


@router.put("/threads/{id}/feedback/{turn}")
async def give_feedback(
    principal: User, service: ServiceState, id: str, turn: Turn, given: NewFeedback
) -> FeedbackGiven:
    """Rate the answer of a turn; it replaces an earlier rating.

    The rating is stored with the thread, and with the turn in the interaction log, if that is on.
    """
    row = await service.thread(id, principal)
    await _require_turn(service, id, turn)
    store = service.workspace.store
    feedback = Feedback(
        thread=id,
        turn=turn,
        rating=given.rating,
        comment=given.comment.strip(),
        user=principal.user,
        time=store.time(),
    )
    await store.feedback.put(feedback)
    await logged(service, row, turn, feedback)
    return FeedbackGiven.model_validate(
        {name: getattr(feedback, name) for name in ("rating", "comment", "user", "time")}
    )


@router.delete("/threads/{id}/feedback/{turn}", status_code=204)
async def take_feedback_back(principal: User, service: ServiceState, id: str, turn: Turn) -> None:
    """Delete the rating of a turn, also in the interaction log."""
    row = await service.thread(id, principal)
    await service.workspace.store.feedback.delete(id, turn)
    await logged(service, row, turn, None)


async def _family(service: Service, row: ThreadRow) -> list[dict[str, Any]]:
    """Return the threads of a family as JSON. All threads of a family have one owner."""
    rows = await service.workspace.store.threads.family(row.family)
    return [
        {
            **{name: getattr(each, name) for name in ("thread", "title", "source", "created", "updated", "turns")},
            "turn": each.source_turn,
        }
        for each in rows or [row]
    ]


async def _require_turn(service: Service, thread: str, turn: int) -> None:
    """Raise AccessError (`not_found`) if a thread has no such turn."""
    began = await service.workspace.store.events.of_type(thread, "turn_started")
    if not any(row.event["turn"] == turn for row in began):
        raise not_found("turn")
