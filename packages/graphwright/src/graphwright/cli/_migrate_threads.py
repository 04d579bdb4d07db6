"""`graphwright threads migrate`: move threads that wait in other versions of a flow to one version, or undo this."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphwright.cli.console import columns, note, result_json
from graphwright.cli.conversation import agent_of, loaded, operator, with_store
from graphwright.cli.failures import Debug, Json
from graphwright.errors import UsageError
from graphwright.text.sentences import many

if TYPE_CHECKING:
    from graphwright.host.agent import Agent
    from graphwright.host.migrating import Migration
    from graphwright.store import Store

_STAYS = ("action_missing", "version_missing")
"""The outcomes of threads that no version of the flow can serve."""


def migrate(
    flow: Annotated[
        str | None, typer.Argument(metavar="FLOW", help="An agent, a flow document or folder, or the id of a flow.")
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="VERSION",
            help="The number of a published version, or the first digits of a hash; by default the present version.",
        ),
    ] = None,
    thread: Annotated[str | None, typer.Option("--thread", metavar="T", help="Migrate only this thread.")] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="List what would become of every thread, and why; change nothing.")
    ] = False,
    undo: Annotated[
        str | None,
        typer.Option(
            "--undo", metavar="THREAD", help="Undo the migration of this thread; it then stays in its version."
        ),
    ] = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Migrate the threads that wait in other versions of a flow.

    A thread continues at its position. If its node was removed, it continues at the latest question that it was asked
    and that still exists. Answers that are no longer valid are asked again if a later node reads them, and an
    approval if it confirms something else. The command may be interrupted, run again, and run while a service is
    running.
    """
    if undo is not None:
        if flow is not None or to is not None or thread is not None or dry_run:
            raise UsageError(
                "bad_options", "The option --undo takes a thread and no other option.", "Leave the others out."
            )
        _undo(undo, as_json)
        return
    if flow is None:
        hint = "'graphwright agents' lists agents."
        raise UsageError("no_flow", "Name the flow whose threads are to be migrated.", hint)
    agent = loaded(_agent_named(flow))
    found = with_store(lambda store: _migrated(store, agent, to, thread or "", dry=dry_run))
    if as_json:
        counts = Counter(each.outcome for each in found)
        result_json({"dry_run": dry_run, "counts": dict(counts), "threads": [each.to_json() for each in found]})
    else:
        _show(found, dry=dry_run)
    if any(each.outcome in _STAYS for each in found):
        raise typer.Exit(1)


async def _migrated(store: Store, agent: Agent, to: str | None, thread: str, *, dry: bool) -> list[Migration]:
    from graphwright.host.migrating import Migrator, version_named
    from graphwright.store.rows import utc_now

    target = agent if to is None else await version_named(store, agent, to)
    published = await store.flows.latest(agent.flow.id)
    # A service serves the published version in place of the file.
    present = {agent.flow.hash, *([published.hash] if published is not None else [])}
    pinned = target.flow.hash not in present
    if to is None and published is not None and published.hash != agent.flow.hash:
        note(
            f"A service serves version {published.number}, which was published; --to {published.number} migrates to it."
        )
    migrator = Migrator(store, target, operator(), utc_now(), "chosen" if pinned else "", thread)
    rows = await migrator.threads()
    if thread and not rows:
        raise UsageError("no_such_thread", f"There is no thread {thread!r}.", "'graphwright threads' lists them.")
    return [each async for each in migrator.run(rows, dry=dry)]


def _undo(thread: str, as_json: bool) -> None:
    from graphwright.host.migrating import undo
    from graphwright.store.rows import utc_now

    agent = loaded(agent_of(thread))
    found = with_store(lambda store: undo(store, agent, thread, operator(), utc_now()))
    if as_json:
        result_json(found.to_json())
    else:
        note(f"Thread {thread} waits at {found.goes_to} again and stays in version {found.after[:12]} of its flow.")


def _show(found: list[Migration], *, dry: bool) -> None:
    """Print every thread of a plan; of a migration those that stay in their version."""
    listed = [each for each in found if dry or not each.moves]
    if listed:
        rows = [(each.thread, each.outcome, each.node, each.goes_to, "; ".join(each.reasons)) for each in listed]
        columns(rows, ("THREAD", "OUTCOME", "WAITS AT", "GOES ON AT", "WHY"))
    moved = sum(each.moves for each in found)
    if not found:
        note("No thread waits in another version of the flow.")
    elif dry:
        note(f"{moved:,} of {many(len(found), 'thread')} would be migrated. Nothing was changed.")
    else:
        note(f"Migrated {moved:,} of {many(len(found), 'thread')}.")


def _agent_named(flow: str) -> str:
    """The agent of a name, a path, or the id of a flow that threads have. Raises UsageError (`ambiguous`)."""
    from graphwright.host.discovery import names

    if flow in names() or Path(flow).exists():
        return flow

    async def addresses(store: Store) -> set[str]:
        return {row.agent async for row in store.threads.every() if row.flow_id == flow}

    agents = with_store(addresses)
    if len(agents) > 1:
        found = ", ".join(sorted(agents))
        raise UsageError("ambiguous", f"Several agents have the flow {flow!r}: {found}.", "Name one of them.")
    return agents.pop() if agents else flow
