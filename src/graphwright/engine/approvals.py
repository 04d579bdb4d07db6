"""Approvals: the content that a yes confirms, and its hash."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphwright.engine import view
from graphwright.engine.state import ThreadState, content_hash
from graphwright.flow.compiled import Action, CompiledFlow


@dataclass(frozen=True, slots=True)
class Approval:
    """A pending approval.

    `actions` are the nodes that a yes allows to run, `over` the channels and answers it confirms, with their present
    values. `hash` is the hash of `over`; for one action it is the hash that its confirmation is bound to.
    """

    node: str
    actions: tuple[str, ...]
    over: Mapping[str, Any]

    @property
    def hash(self) -> str:
        return content_hash(self.over)

    def to_json(self) -> dict[str, Any]:
        return {"hash": self.hash, "node": self.node, "actions": list(self.actions), "over": dict(self.over)}


def shown_by(flow: CompiledFlow, state: ThreadState) -> tuple[str, ...]:
    """The channels and answers of the pending approval; empty if there is none."""
    if state.mode != "waiting" or state.waiting is None or state.waiting.kind != "confirm":
        return ()
    return over_all(flow.confirmed_by(state.waiting.node))


def over_all(actions: Sequence[Action]) -> tuple[str, ...]:
    """The channels and answers that a yes to these actions confirms."""
    return tuple(
        dict.fromkeys(name for action in actions if action.confirm is not None for name in action.confirm.over)
    )


def approval(flow: CompiledFlow, state: ThreadState, large: Mapping[str, Any]) -> Approval | None:
    """The pending approval, or None if no action waits for a yes.

    `large` are the contents of the large channels in `shown_by`.
    """
    over = shown_by(flow, state)
    if not over:
        return None
    assert state.waiting is not None
    node = state.waiting.node
    actions = tuple(action.id for action in flow.confirmed_by(node))
    return Approval(node, actions, content_over(flow, state, over, large))


def content_over(
    flow: CompiledFlow, state: ThreadState, over: Sequence[str], large: Mapping[str, Any]
) -> dict[str, Any]:
    """The named channels and answers as they are now."""
    values = view(flow, state.values(large), state.at.top.scopes)
    content: dict[str, Any] = {}
    for name in over:
        level: Any = values
        for part in name.split("."):
            level = level.get(part) if isinstance(level, Mapping) else None
        content[name] = level
    return content
