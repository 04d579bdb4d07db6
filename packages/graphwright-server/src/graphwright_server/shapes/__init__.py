"""The response models of the routes. Fields that are `sometimes` present need `response_model_exclude_unset`."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, Field

__all__ = ["Page", "Whole", "raises", "sometimes"]

Described = dict[int | str, dict[str, Any]]
"""The `responses` of a route."""

T = TypeVar("T")


class Page(BaseModel, Generic[T]):
    """A page of a list."""

    items: list[T]
    next: str | None = Field(
        description="What leads to the next page, as `cursor`, `before` or `since` of the route; null on the last one."
    )


class Whole(BaseModel, Generic[T]):
    """A complete list."""

    items: list[T]
    next: None


def sometimes(description: str) -> Any:
    """Return a field that is present only in the described case; otherwise it is missing, never null."""
    return Field(default_factory=dict, description=description)


def content(media: str, description: str) -> Described:
    """Return the `responses` of a route that does not return JSON. Its `response_class` must agree."""
    return {200: {"content": {media: {}}, "description": description}}


def raises(*statuses: int) -> Described:
    """Return the `responses` of a route that can fail with these statuses, in addition to those of its kind.

    The statuses of missing rights, of invalid arguments, of a missing thing in the path, and of a failing store need no
    declaration.
    """
    return {status: {"description": HTTPStatus(status).phrase} for status in statuses}


def stream(event: str) -> dict[str, Any]:
    """Return the `content` of an event stream in `responses`; `event` is the schema of the data of a frame."""
    return {"text/event-stream": {"schema": {"$ref": f"#/components/schemas/{event}"}}}
