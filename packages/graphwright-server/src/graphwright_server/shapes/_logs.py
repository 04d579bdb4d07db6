"""The response models of the interaction log."""

from __future__ import annotations

from pydantic import BaseModel, Field

from graphwright.store.interactions import Interaction


class Logged(Interaction):
    """A turn in the interaction log."""

    yours: bool = Field(description="The thread exists, and the user of the request may open it.")


class LogBar(BaseModel):
    """The turns that began in a part of the time, from `begin` on."""

    begin: str
    count: int
    failed: int


class LogSummary(BaseModel):
    """The totals of turns in the interaction log."""

    count: int
    failed: int
    tokens: int
    median: float = Field(description="Half of the turns took at most so many seconds.")
    p95: float = Field(description="95 % of the turns took at most so many seconds.")
    types: list[str] = Field(description="The types of the turns.")
    bar_seconds: int = Field(description="The width of a bar; 0 without bars.")
    bars: list[LogBar] = Field(description="The turns over time, without gaps.")
