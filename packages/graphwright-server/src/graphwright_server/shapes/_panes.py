"""The response model of the panes."""

from __future__ import annotations

from pydantic import BaseModel, Field


class PaneShown(BaseModel):
    """A pane of the web app."""

    name: str = Field(description="Its name in addresses.")
    title: dict[str, str] = Field(description="Its title by language; `en` always exists.")
    icon: str = Field(description="The path data (`d`) of an SVG path, an outline on a grid of 24 by 24.")
    module: str = Field(description="The address of its ES module, relative to the web app; empty if it is built in.")
    key: str = Field(description="The letter that opens it after G; empty for none.")
    of_thread: bool = Field(description="It shows the thread of the chat.")
