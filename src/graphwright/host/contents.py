"""The contents of large channels, which the store keeps apart by their hashes: fetched before a step, and shown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from graphwright.engine.replay import Moment
from graphwright.engine.state import blob_key
from graphwright.flow.compiled import Action
from graphwright.host.event_json import without_private
from graphwright.store.errors import StoreError

if TYPE_CHECKING:
    from graphwright.engine.state import ThreadState
    from graphwright.host.definition import AgentDefinition
    from graphwright.host.run import TurnRun
    from graphwright.store import Store, ThreadRow


async def whole(store: Store, value: Any) -> Any:
    """A value of a channel; of a large one, which the store keeps apart, its content."""
    key = blob_key(value)
    return await store.blobs.get(key) if key else value


async def preload(run: TurnRun, state: ThreadState) -> None:
    """Fetch the large contents that the next step may read, so that what decides it needs no store.

    A content that cannot be read is kept as its error: only a step that reads it fails.
    """
    large = {name: key for name, value in state.channels.items() if (key := blob_key(value)) and key not in run.blobs}
    for name in _next_reads(run.agent, state) & large.keys() if large else ():
        try:
            run.blobs[large[name]] = await run.store.blobs.get(large[name])
        except StoreError as error:
            run.blobs[large[name]] = error


def _next_reads(agent: AgentDefinition, state: ThreadState) -> set[str]:
    """The channels that the next step of a thread may read."""
    flow = agent.flow
    names = set(flow.guard_reads)
    performing = state.mode == "performing" and state.position is not None
    if performing:
        node = flow.nodes.get(state.at.node)
        spec = agent.actions.get(node.run) if isinstance(node, Action) else None
        names |= {*spec.reads, *spec.writes} if spec is not None else set()
    if performing or state.waits_for("confirm"):
        actions = (node for node in flow.nodes.values() if isinstance(node, Action) and node.confirm is not None)
        names |= {name for node in actions if node.confirm is not None for name in node.confirm.over}
    return names | set(state.channels) if state.flow_hash not in ("", flow.hash) else names


async def fetched(store: Store, state: ThreadState, names: Iterable[str]) -> dict[str, Any]:
    """The contents of those of the named channels that are large and written, from the store."""
    return {name: await store.blobs.get(key) for name in names if (key := blob_key(state.channels.get(name)))}


async def described(store: Store, row: ThreadRow, moment: Moment) -> dict[str, Any]:
    """A moment as JSON: where the thread stood, answers and channels; large values whole, no private channel."""
    state = moment.state
    channels = {name: value for name, value in state.channels.items() if name not in moment.private}
    return {
        "thread": row.thread,
        "agent": row.agent,
        "flow_id": row.flow_id,
        "flow_hash": state.flow_hash,
        "at": moment.row.seq,
        "time": moment.row.time,
        "event": without_private(moment.row.event),
        "turn": state.turn,
        "status": moment.status,
        "node": moment.node,
        "waiting_for": state.waiting.to_json() if moment.status == "waiting" and state.waiting else None,
        "position": state.position.to_json() if state.position else None,
        "paths": state.paths.to_json(),
        "values": {
            "answers": dict(state.answers),
            **{name: await whole(store, value) for name, value in channels.items()},
        },
    }
