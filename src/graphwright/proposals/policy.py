"""When an effect that a model proposes needs the user's yes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, get_args

from graphwright.errors import UsageError
from graphwright.proposals.provenance import Support

Policy = Literal["always", "unsupported", "destructive"]
"""`always`: every write. `unsupported`: a write with a value that the user neither said nor was shown: a value that was
said, put in the wrong place, passes unseen. `destructive`: only what deletes, overwrites or cannot be undone.
"""

POLICIES: tuple[Policy, ...] = get_args(Policy)


def policy_of(settings: Mapping[str, Any]) -> Policy:
    """The policy that an agent's setting `confirm` names, `always` without one. Raises UsageError for other words."""
    found = settings.get("confirm", "always")
    for policy in POLICIES:
        if found == policy:
            return policy
    raise UsageError(
        "bad_setting",
        f"The setting `confirm` is {found!r}; it can be {', '.join(POLICIES)}.",
        'Write confirm = "always" in the agent\'s table of graphwright.toml, or leave it out.',
    )


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
    everything that a weak model proposes or that a review doubts.

    >>> needs_yes("unsupported", destructive=False, supports=["said", "exists"])
    False
    >>> needs_yes("unsupported", destructive=False, supports=["said", "unsupported"])
    True
    """
    if policy == "always" or destructive or weak_model or doubts:
        return True
    return policy == "unsupported" and "unsupported" in set(supports)
