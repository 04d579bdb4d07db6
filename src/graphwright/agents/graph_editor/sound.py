"""A call of a tool whose arguments have been checked: what may be made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Grounded:
    """A call that may be made. `certain`: the user's words ask for it; without that it is shown and confirmed first.

    `dropped` names what was taken out because nobody had said it.
    """

    tool_name: str
    arguments: dict[str, Any]
    certain: bool = True
    dropped: tuple[str, ...] = ()
