"""What the routes answer, for the OpenAPI document. Nothing is checked with it when the service runs."""

from __future__ import annotations

from types import UnionType
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, Field

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
    """A list that comes as a whole."""

    items: list[T]
    next: None


def sometimes(description: str) -> Any:
    """A field that is left out in other cases than the description names; it is never null instead."""
    return Field(default_factory=dict, description=description)


def answers(shape: type[BaseModel] | UnionType, status: int = 200) -> Described:
    """What a route answers, for its `responses`."""
    return {status: {"model": shape}}


def content(media: str, description: str) -> Described:
    """What a route answers that is no JSON, for its `responses`. Its `response_class` says so, too."""
    return {200: {"content": {media: {}}, "description": description}}
