"""The layers of a draft: their texts, what they make together, and who set what."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field


class Layer(BaseModel):
    """A document that the draft is merged from."""

    name: str
    file: str = Field(description="Its path, relative to the folder of the flow; `flow.yaml` is the draft itself.")
    text: str


class SetAt(BaseModel):
    """Where a value was written."""

    layer: str
    file: str
    line: int
    column: int


class Setting(SetAt):
    """A value that a layer sets; a removal is `{"remove": true}`."""

    value: Any


class LayerConflict(BaseModel):
    """A field that several layers set to different values, or a part that one of them removes."""

    part: str = Field(description="Such as `node q.size`.")
    field: str = Field(description="The field in it; empty for the whole part.")
    strategy: str
    error: bool = Field(description="Whether a strict merge fails because of it.")
    winner: str = Field(description="The layer whose value is used; empty if all are joined.")
    why: str
    settings: list[Setting] = Field(description="The values, those of the lowest layer first.")


class DraftLayers(BaseModel):
    """What the layers of a draft make. Empty if it extends nothing; without a document if it cannot be merged."""

    layers: list[Layer] = Field(description="The lowest first; the last one is the draft.")
    document: dict[str, Any] | None
    origins: dict[str, SetAt] = Field(description="The place of every value of the document, by its JSON pointer.")
    conflicts: list[LayerConflict]
