"""The stored versions of a flow: an agent with the flow of an earlier version, and the version that serves a thread.

A thread in an earlier version carries over at its next message, or it finishes in that version with the present code.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from graphwright.config import current
from graphwright.engine._flow_versions import FlowVersions, lacking, versions
from graphwright.engine._migration import Plan, carried
from graphwright.engine._thread_past import past
from graphwright.engine.host_interface import Recorder
from graphwright.engine.state import ThreadState
from graphwright.errors import GraphwrightError
from graphwright.flow import ActionSignature, CompiledFlow
from graphwright.flow._changes import changes_text
from graphwright.flow._compiler import compile_document
from graphwright.host._definition import AgentDefinition, configured
from graphwright.host._ready_made import ready_made_actions
from graphwright.store._errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphwright.engine.host_interface import Facts
    from graphwright.store import Store


class VersionUnusable(GraphwrightError):
    """The version of a flow in which a thread waits cannot be served.

    Codes: `version_missing` (the store does not have it, or only a damaged copy), `version_invalid` (it does not
    compile) and `action_missing` (the code lacks an action of it).
    """


@dataclass(frozen=True, slots=True)
class StoredVersion:
    """An agent with the flow of an earlier version and the present code.

    `same_prompts` is whether the prompts are the same as then.
    """

    agent: AgentDefinition
    pair: FlowVersions
    same_prompts: bool

    def lacks(self, state: ThreadState) -> list[str]:
        """Return why the present code cannot finish a thread in this version; empty if it can."""
        return lacking(self.pair, self.agent.flow, state.at)


async def stored_version(store: Store, agent: AgentDefinition, digest: str) -> StoredVersion:
    """The earlier version of an agent's flow with this hash. Raises VersionUnusable."""
    key = store.label, digest, id(agent)
    if (known := _KNOWN.get(key)) is not None and known[0] is agent:
        return known[1]
    flow = _earlier(agent.flow, await _document(store, digest))
    code = await store.flows.code(digest) or {}
    declared = {
        name: ActionSignature(name, tuple(each["reads"]), tuple(each["writes"]), each["effects"])
        for name, each in code.get("actions", {}).items()
    }
    same_prompts = code.get("prompts", "") in ("", agent.prompts.digest)
    there = replace(agent, flow=flow, actions={**agent.actions, **ready_made_actions(flow)}, beside=None)
    found = StoredVersion(there, replace(versions(flow, agent.flow), declared=declared), same_prompts)
    while len(_KNOWN) >= _MOST_KNOWN:
        del _KNOWN[next(iter(_KNOWN))]
    # The agent is kept so that no other one gets its id.
    _KNOWN[key] = agent, found
    return found


_KNOWN: dict[tuple[str, str, int], tuple[AgentDefinition, StoredVersion]] = {}
_MOST_KNOWN = 64


async def _document(store: Store, digest: str) -> str:
    try:
        document = await store.flows.get(digest)
    except StoreError as error:
        raise _missing(digest, f"its document in the store is damaged ({error.message})") from error
    if document is None:
        raise _missing(digest, "the store does not have its document")
    return document


def _missing(digest: str, why: str) -> VersionUnusable:
    return VersionUnusable(
        "version_missing",
        f"The thread waits in version {digest[:12]} of its flow, but {why}.",
        "Nothing was changed. Serve that version of the flow again, or restore a backup of the store.",
    )


def _earlier(flow: CompiledFlow, document: str) -> CompiledFlow:
    """Return the flow of an earlier document, with the present actions. Raises VersionUnusable."""
    compiled = _compiled(flow, document)
    if isinstance(compiled, CompiledFlow):
        return compiled
    raise VersionUnusable(
        "version_invalid",
        f"The thread waits in an earlier version of the flow {flow.id!r} that this program does not take: "
        f"{compiled.rstrip('.')}.",
        "Nothing was changed. Finish it with the release of Graphwright that began it.",
    )


@lru_cache(maxsize=64)
def _compiled(flow: CompiledFlow, document: str) -> CompiledFlow | str:
    """The flow of an earlier document, or its first error."""
    compilation = compile_document(json.loads(document))
    if compilation.flow is None:
        first = compilation.errors[0]
        return f"{first.code} {first.message}"
    # Those of ready-made actions follow from the document.
    signatures = {**flow.signatures, **compilation.flow.signatures}
    return configured(replace(compilation.flow, signatures=signatures), current())


def declared_code(agent: AgentDefinition) -> str:
    """Return the declarations of an agent's code as JSON for the store: its actions, and a hash of its prompts."""
    return _declared(agent.flow, agent.prompts.digest)


@lru_cache(maxsize=64)
def _declared(flow: CompiledFlow, prompts: str) -> str:
    actions = {
        name: {"reads": list(each.reads), "writes": list(each.writes), "effects": each.effects}
        for name, each in sorted(flow.signatures.items())
    }
    return json.dumps({"actions": actions, "prompts": prompts}, sort_keys=True, separators=(",", ":"))


def in_earlier_version(agent: AgentDefinition, state: ThreadState) -> bool:
    """Whether a thread is in the middle of a conversation in another version of the flow than the agent's."""
    return state.mode in ("waiting", "performing") and state.flow_hash != agent.flow.hash


async def version_of(store: Store, agent: AgentDefinition, state: ThreadState) -> AgentDefinition:
    """The agent with the flow in which a thread waits. Raises VersionUnusable."""
    if not in_earlier_version(agent, state):
        return agent
    return (await stored_version(store, agent, state.flow_hash)).agent


@dataclass(frozen=True, slots=True)
class Chosen:
    """The version that serves the next turn of a thread. `waits_in` is the one in which the thread waits.

    `plan` is that of a thread that carries over to the present version.
    """

    agent: AgentDefinition
    waits_in: AgentDefinition
    plan: Plan | None = None


async def choose(
    store: Store, agent: AgentDefinition, thread: str, state: ThreadState, facts: Callable[[], Facts]
) -> Chosen:
    """Choose the version that serves the next turn of a thread in an earlier version. Raises VersionUnusable."""
    stored = await stored_version(store, agent, state.flow_hash)
    plan = carried(Recorder(facts()), stored.pair, state, None)
    if plan is None:
        rows = await store.events.read(thread)
        plan = carried(Recorder(facts()), stored.pair, state, past(row.event for row in rows))
    assert plan is not None
    if plan.outcome == "carry":
        return Chosen(agent, stored.agent, plan)
    if lacks := stored.lacks(state):
        raise VersionUnusable(
            "action_missing",
            f"Thread {thread!r} stays in an earlier version of the flow of {agent.name!r}: {'; '.join(plan.reasons)}. "
            f"The code of today cannot finish it there: {'; '.join(lacks)}. {_since(stored)}",
            f"Its data is kept. See what a migration would do: graphwright threads migrate {agent.flow.id} --dry-run",
        )
    return Chosen(stored.agent, stored.agent)


def _since(stored: StoredVersion) -> str:
    changes = changes_text(stored.pair.old.document, stored.pair.new.document)
    return f"Since then: {changes}."
