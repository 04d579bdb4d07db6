"""The response model of the interaction log."""

from __future__ import annotations

from pydantic import Field

from graphwright.store.interactions import Interaction


class Logged(Interaction):
    """A turn in the interaction log."""

    yours: bool = Field(description="The thread exists, and the user of the request may open it.")
