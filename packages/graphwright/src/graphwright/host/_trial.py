"""Trying a draft of a flow: which actions with effects its conversations perform.

An author may write any draft, and trying it must not do anything unconfirmed. So an action with effects is performed
if the user confirms it in this conversation, or if the active flow performs the same without asking. Any other one is
left out, and the user is informed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from graphwright.engine._repeated_effects import content_over
from graphwright.engine.host_interface import loaded
from graphwright.engine.state import ThreadState, content_hash
from graphwright.flow.compiled import Action, CompiledFlow
from graphwright.store.rows import DRAFT


@dataclass(frozen=True, slots=True)
class Trial:
    """A trial of a draft of the agent `name`. `unasked` are the actions that its active flow performs without a yes."""

    name: str
    unasked: frozenset[str]

    @property
    def address(self) -> str:
        """The agent of its threads, which no served agent has."""
        return f"{DRAFT}{self.name}"

    def collection(self, name: str) -> str:
        """The collection that has the records of trials in place of the collection with this name."""
        return f"{self.address}:{name}"

    def performs(self, flow: CompiledFlow, node: Action, state: ThreadState, contents: Mapping[str, Any]) -> bool:
        """Whether an action with effects is performed at a node of a draft. `contents` are large values by hash."""
        if node.confirm is not None:
            # While the condition of a confirmation is false, the engine does not ask for it.
            given, over = state.confirmed_hash(node.id), node.confirm.over
            large = loaded(contents, state, over)
            if given == content_hash(content_over(flow, state, over, large, state.at.top.scopes)):
                return True
        written = _written(flow.document, node.id)
        return not self.unasked.isdisjoint(_whats(flow.document, written))


def trial_of(name: str, active: CompiledFlow) -> Trial:
    """A trial of a draft of an agent whose active flow is `active`."""
    nodes = (_written(active.document, node.id) for node in active.nodes.values() if isinstance(node, Action))
    found = (list(_whats(active.document, written)) for written in nodes)
    # The last one is what it performs: without a condition of its confirmation, or under this one.
    return Trial(name, frozenset(each[-1] for each in found if each))


def left_out(node: Action) -> str:
    """The text for the user in place of what an action would have done."""
    return (
        f"{node.id} was not performed in this trial: {node.run} has effects, no confirmation covers it, and the active "
        "flow does not perform it either."
    )


def _written(document: Mapping[str, Any], id: str) -> Mapping[str, Any]:
    """A node as the document has it."""
    graphs = (document, *document.get("subgraphs", {}).values())
    return next((node for graph in graphs for node in graph.get("nodes", ()) if node.get("id") == id), {})


def _whats(document: Mapping[str, Any], node: Mapping[str, Any]) -> Iterator[str]:
    """What a node performs without a yes: always, and, if its confirmation has a condition, while that is false.

    Nothing if it always asks.
    """
    confirm = node.get("confirm")
    if confirm is not None and not confirm.get("when"):
        return
    what = [node.get("run"), node.get("with")]
    yield json.dumps([*what, None], sort_keys=True)
    if confirm is not None:
        # The condition may read predicates, which the draft can change.
        yield json.dumps([*what, [confirm["when"], document.get("predicates")]], sort_keys=True)
