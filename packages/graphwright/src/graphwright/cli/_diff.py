"""`graphwright diff`: the difference of two flows by meaning, and the conversations and waiting threads it touches."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphwright.cli import failures
from graphwright.cli._flows import Source, compile_sketch, compile_source, read_source
from graphwright.cli.console import note, print_line, result_json, result_xml, results_alone
from graphwright.cli.conversation import with_store
from graphwright.cli.failures import DONE, FAILED, USAGE, Debug
from graphwright.errors import GraphwrightError, UsageError
from graphwright.text.sentences import bounded, many

if TYPE_CHECKING:
    from graphwright.flow import CompiledFlow
    from graphwright.flow.difference import Difference
    from graphwright.store import Store, ThreadRow, ThreadStatus
    from graphwright.testing._walked import Walk

_HASH = re.compile(r"[0-9a-f]{8,64}")
_VERSION = re.compile(r"(.+)@(\d{1,9})")
_STYLES = {"heading": "bold", "added": "green", "removed": "red", "changed": "yellow", "detail": ""}
_MOST = 20


class Format(StrEnum):
    """The output formats of `diff`."""

    TEXT = "text"
    JSON = "json"
    SVG = "svg"


@dataclass(frozen=True, slots=True)
class _Side:
    """One of the two flows: its compiled document and, for a document of the file system, its source."""

    name: str
    flow: CompiledFlow
    source: Source | None


def _as_json(value: Format) -> Format:
    if value is Format.JSON:
        failures.report_as(failures.result_failed)
    return value


def diff(
    a: Annotated[str, typer.Argument(metavar="A", help="The earlier flow.")],
    b: Annotated[str, typer.Argument(metavar="B", help="The later flow.")],
    format: Annotated[
        Format, typer.Option("--format", help="Text, JSON, or a picture of both in one SVG.", callback=_as_json)
    ] = Format.TEXT,
    run_tests: Annotated[
        bool, typer.Option("--run-tests", help="Run the conversations that have no golden trace to see what they walk.")
    ] = False,
    debug: Debug = False,
) -> None:
    """Compare two flows by meaning.

    A and B are flow documents, folders, agents, FLOW@NUMBER (a published version) or the hash of a document in the
    store ('graphwright threads show' prints the first 12 digits). Shows what was added, removed, moved, renamed and
    changed; of a changed guard, confirmation or schema whether it became weaker or stronger, with values that show it;
    which scripted conversations of the agent walk a changed part; and which waiting threads are at one. Exit code 0
    without a difference, 1 with differences, 2 if the flows cannot be compared.
    """
    try:
        equal = _compare(a, b, format, run_tests=run_tests)
    except GraphwrightError as error:
        failures.report(error)
        raise typer.Exit(USAGE) from None
    raise typer.Exit(DONE if equal else FAILED)


def _compare(a: str, b: str, format: Format, *, run_tests: bool) -> bool:
    """Print the difference; return whether there is none."""
    from graphwright.flow.difference import difference

    sides = _side(a), _side(b)
    from_store = any(side.source is None for side in sides)
    found = difference(sides[0].flow, sides[1].flow, layout=not from_store)
    if format is Format.SVG:
        from graphwright.flow.drawing import difference_svg

        result_xml(difference_svg(found))
        return found.equal
    walks = [] if found.equal else _walks(sides, run_tests)
    threads = None if found.equal else _threads(found)
    if format is Format.TEXT:
        _show(found, walks, threads)
        return found.equal
    data = found.to_json()
    data |= {"before": {"name": a, **data["before"]}, "after": {"name": b, **data["after"]}}
    result_json({**data, "conversations": _walks_json(walks, found), "threads": threads})
    return found.equal


def _side(name: str) -> _Side:
    """Compile what the user named. Raises UsageError: what `read_source` raises, `no_such_version`, `flow_invalid`."""
    source = None
    stored = None if name == "-" or Path(name).exists() else _stored(name)
    source = read_source(name) if stored is None else Source(name, stored.encode(), None)
    flow, errors = compile_sketch(source)
    if flow is None:
        raise UsageError("flow_invalid", f"{name} does not compile: {errors}.", "Correct what is listed above.")
    return _Side(name, flow, source if stored is None else None)


def _stored(name: str) -> str | None:
    """The text of a published version or of a stored document, None if the name is neither."""
    if version := _VERSION.fullmatch(name):
        return with_store(lambda store: _published(store, version[1], int(version[2])))
    if not _HASH.fullmatch(name):
        return None

    async def by_hash(store: Store) -> str:
        hashes = await store.flows.hashes(name)
        if len(hashes) != 1:
            why = "several documents have a hash that begins" if hashes else "no document has a hash that begins"
            hint = "'graphwright threads show THREAD' prints the hash of a thread's flow."
            raise UsageError("no_such_version", f"In the store {why} with {name}.", hint)
        return await store.flows.get(hashes[0]) or ""

    return with_store(by_hash)


async def _published(store: Store, flow: str, number: int) -> str:
    versions = await store.flows.versions(flow) or await store.flows.versions(_flow_of(flow))
    found = next((version for version in versions if version.number == number), None)
    document = None if found is None else await store.flows.get(found.hash)
    if document is None:
        known = f"It has {bounded([str(version.number) for version in versions])}." if versions else ""
        hint = known or "Name the id of a flow with published versions, such as flow.sales@3."
        raise UsageError("no_such_version", f"The store has no version {number} of the flow {flow!r}.", hint)
    return document


def _flow_of(agent: str) -> str:
    """The id of an agent's flow; empty if there is no such agent."""
    try:
        flow, _ = compile_source(read_source(agent), sketch=True)
    except GraphwrightError:
        return ""
    return flow.id if flow is not None else ""


def _walks(sides: tuple[_Side, _Side], run: bool) -> list[Walk]:
    """The conversations next to either document."""
    from graphwright.testing._walked import walks

    found: dict[Path, Walk] = {}
    with results_alone():
        for side in sides:
            if side.source is not None and side.source.folder is not None:
                for walk in walks(side.source.folder, Path(side.source.name), run=run):
                    found.setdefault(walk.file.resolve(), walk)
    return list(found.values())


def _touched(walk: Walk, found: Difference) -> list[str]:
    """The changed nodes that a conversation walks."""
    after = bool(walk.version) and found.after.hash.startswith(walk.version)
    before = bool(walk.version) and found.before.hash.startswith(walk.version)
    changed = found.touched_after if after else found.touched if before else found.touched | found.touched_after
    return sorted(walk.nodes & changed)


def _walks_json(walks: list[Walk], found: Difference) -> list[dict[str, Any]]:
    return [{"file": str(walk.file), "by": walk.by, "nodes": _touched(walk, found)} for walk in walks]


def _threads(found: Difference) -> dict[str, Any] | None:
    """The waiting threads of the earlier version: those on a changed node, and those that may still reach one.

    None without a store that can be read.
    """
    from graphwright.store.home import FILE, data_home

    if not os.environ.get("GRAPHWRIGHT_STORE") and not (data_home() / FILE).exists():
        return None
    try:
        rows = [row for row in with_store(_unfinished) if row.flow_id == found.before.id]
    except GraphwrightError as error:
        note(("warning: ", "yellow"), f"The waiting threads were not counted. {error.full_text}")
        return None
    here = [row for row in rows if row.flow_hash == found.before.hash]
    at: Counter[str] = Counter()
    reaching = 0
    leading = found.leading if here else frozenset()
    for row in here:
        nodes = _nodes(row)
        if changed := [node for node in nodes if node in found.touched]:
            at[changed[-1]] += 1
        else:
            reaching += any(node in leading for node in nodes)
    others = len(rows) - len(here)
    return {"waiting": len(here), "at": dict(at), "may_reach": reaching, "in_other_versions": others}


async def _unfinished(store: Store) -> list[ThreadRow]:
    found: list[ThreadRow] = []
    statuses: tuple[ThreadStatus, ...] = ("waiting", "failed", "running")
    for status in statuses:
        found += [row async for row in store.threads.every(status=status)]
    return found


def _nodes(row: ThreadRow) -> list[str]:
    """The nodes of a thread's position, outermost call first, and the node at which it waits."""
    frames = row.position.get("frames", ()) if isinstance(row.position, dict) else ()
    nodes = [str(frame[1]) for frame in frames]
    waiting = row.waiting_for.get("node") if isinstance(row.waiting_for, dict) else None
    return [*nodes, waiting] if waiting and waiting not in nodes else nodes


def _show(found: Difference, walks: list[Walk], threads: dict[str, Any] | None) -> None:
    from graphwright.flow.difference import summary, text_lines

    for line in text_lines(found):
        print_line((line.text, _STYLES[line.style]))
    for text in (*_walks_lines(walks, found), *_threads_lines(threads)):
        print_line(text)
    print_line(summary(found))


def _walks_lines(walks: list[Walk], found: Difference) -> Iterator[str]:
    touched = {walk.file: nodes for walk in walks if (nodes := _touched(walk, found))}
    if not walks:
        return
    yield f"conversations: {len(touched)} of {len(walks)} walk a changed node"
    for file, nodes in list(touched.items())[:_MOST]:
        yield f"  {file.name}: {bounded(nodes, 6)}"
    if len(touched) > _MOST:
        yield f"  and {len(touched) - _MOST:,} more"
    unknown = sum(walk.by == "expectations" and walk.file not in touched for walk in walks)
    if unknown:
        yield f"  {many(unknown, 'other')} without a golden trace may, too; --run-tests runs them"


def _threads_lines(threads: dict[str, Any] | None) -> Iterator[str]:
    if threads is None or not (threads["waiting"] or threads["in_other_versions"]):
        return
    on = sum(threads["at"].values())
    places = ", ".join(
        f"{node} ({count})" for node, count in sorted(threads["at"].items(), key=lambda each: -each[1])[:_MOST]
    )
    yield f"threads in the earlier version that wait: {threads['waiting']:,}"
    if on:
        yield f"  {on:,} at a changed node: {places}"
    if threads["may_reach"]:
        yield f"  {threads['may_reach']:,} may still reach a changed node"
    if threads["in_other_versions"]:
        yield f"  {threads['in_other_versions']:,} others wait in other versions of the flow"
