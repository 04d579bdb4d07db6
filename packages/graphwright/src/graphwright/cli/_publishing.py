"""`graphwright publish` and `pull`: keep the file of a flow and its published versions in step."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphwright.cli._file_writing import write_file
from graphwright.cli.console import confirmed, note, result, result_json
from graphwright.cli.conversation import loaded, operator, with_store
from graphwright.cli.failures import Debug, Json, Yes
from graphwright.errors import UsageError

if TYPE_CHECKING:
    from graphwright.host.agent import Agent
    from graphwright.store import AuditEntry, FlowVersion, Store

_Agent = Annotated[str, typer.Argument(metavar="AGENT", help="An agent, or its folder or flow document.")]


def publish(
    agent: _Agent,
    message: Annotated[str, typer.Option("--message", "-m", metavar="TEXT", help="What changed, and why.")],
    as_json: Json = False,
    yes: Yes = False,
    debug: Debug = False,
) -> None:
    """Publish the file of a flow as its next version, which the services on this store then run.

    Waiting conversations carry over if they fit: 'graphwright threads migrate FLOW --dry-run' lists them.
    """
    if not message.strip():
        raise UsageError("no_message", "A version needs a message.", "Say what changed: -m TEXT.")
    found = loaded(agent, answers_itself=True)
    text = found.file.read_bytes().decode("utf-8-sig")
    last = with_store(lambda store: _last(store, found))
    if last is not None and last.text == text:
        raise UsageError("nothing_changed", f"{found.file} is version {last.number} already.", "Change it first.")
    what = f"version {last.number + 1 if last else 1} of {found.flow.id}"
    if not confirmed(f"Publish {found.file} as {what}?", f"Publishing {what}", "Nothing was published.", yes=yes):
        return
    flow = found.flow
    about: dict[str, Any] = {"author": operator(), "note": message.strip(), "text": text}
    after, audit = last.number if last else 0, partial(_audited, found.name)
    made = with_store(
        lambda store: store.flows.publish(flow.id, flow.canonical_text, **about, after=after, audit=audit), create=True
    )
    if as_json:
        result_json({"flow": made.flow, "number": made.number, "hash": made.hash})
    else:
        result(f"Published version {made.number} of {made.flow}.")


def pull(
    agent: _Agent,
    number: Annotated[
        int | None, typer.Option("--version", metavar="N", help="The version to write; by default the latest.", min=1)
    ] = None,
    yes: Yes = False,
    debug: Debug = False,
) -> None:
    """Write a published version of a flow into its file.

    Asks first if the file has changes that were never published.
    """
    from graphwright.host.discovery import find

    file = find(agent)
    read = file.read_bytes()
    versions = with_store(lambda store: _versions(store, agent, read))
    chosen = [each for each in versions if number in (None, each.number)]
    if not chosen:
        if versions:
            known = ", ".join(str(each.number) for each in versions)
            raise UsageError("no_such_version", f"There is no version {number} of this flow.", f"There are: {known}.")
        hint = "The web app and 'graphwright publish' publish versions."
        raise UsageError("nothing_published", f"No version of the flow of {agent} was published.", hint)
    version = chosen[0]
    if not version.text:
        message = f"The store has only the document of version {version.number}, not its text."
        raise UsageError("no_text", message, f"See it: graphwright diff {agent} {version.flow}@{version.number}")
    text = version.text.encode()
    if text == read:
        note(f"{file} is version {version.number} already.")
        return
    if read not in {each.text.encode() for each in versions}:
        question = f"{file} has changes that were never published. Replace it by version {version.number}?"
        if not confirmed(question, f"Replacing {file}", f"{file} was not changed.", yes=yes):
            return
    write_file(file, text, read=read)
    note(f"{file} is version {version.number} now: {version.note}")


def _audited(agent: str, version: FlowVersion) -> AuditEntry:
    from graphwright.store import AuditEntry

    return AuditEntry(
        user=version.author,
        event="published",
        agent=agent,
        thread="",
        action=f"version {version.number}",
        content=version.hash,
        door="cli",
    )


async def _last(store: Store, agent: Agent) -> FlowVersion | None:
    return await store.flows.latest(agent.flow.id)


async def _versions(store: Store, agent: str, read: bytes) -> list[FlowVersion]:
    """The versions of the flow of an agent, the latest first; its file need not compile."""
    from graphwright.host.agent import written_id

    return await store.flows.versions(written_id(read.decode("utf-8", "replace")) or agent)
