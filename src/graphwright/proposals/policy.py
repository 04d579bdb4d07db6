"""When an effect that a model proposes needs the user's yes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from graphwright.proposals.provenance import Support

Policy = Literal["always", "unsupported", "destructive"]
"""`always`: every write. `unsupported`: a write with a value that the user neither said nor was shown: a value that was
said, put in the wrong place, passes unseen. `destructive`: only what deletes, overwrites or cannot be undone.
"""


def needs_yes(
    policy: Policy,
    *,
    destructive: bool,
    supports: Iterable[Support] = (),
    weak_model: bool = False,
    doubts: bool = False,
) -> bool:
    """Whether a write waits for a yes.

    `destructive` is a deletion, an overwriting, a raw statement, or what cannot be undone: it always asks, and so does
    everything that a weak model proposes or that a review doubts. A policy that there is not is `always`.

    >>> needs_yes("unsupported", destructive=False, supports=["said", "exists"])
    False
    >>> needs_yes("unsupported", destructive=False, supports=["said", "unsupported"])
    True
    """
    if destructive or weak_model or doubts or policy not in ("unsupported", "destructive"):
        return True
    return policy == "unsupported" and "unsupported" in supports
