"""`graphwright graph`: show, draw, query, import and export the graph; show its history, and undo a goal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from uuid import uuid4

import typer

from graphwright.cli.commands import CommandGroup
from graphwright.cli.console import (
    columns,
    confirmed,
    facts,
    minute,
    next_table,
    note,
    print_line,
    result,
    result_json,
    result_xml,
    table,
)
from graphwright.cli.failures import Debug, Json, Yes
from graphwright.errors import UsageError
from graphwright.text.sentences import many

if TYPE_CHECKING:
    from graphwright_graph import Change, Goal, GraphStore

app = typer.Typer(cls=CommandGroup, rich_markup_mode=None)

Force = Annotated[bool, typer.Option("--force", help="Replace an existing file.")]


@app.callback(no_args_is_help=True)
def graph(debug: Debug = False) -> None:
    """Show, draw, query, import and export the graph, and undo changes.

    It is the graph of the graph editor: a file in the data folder, or the Neo4j server that GRAPHWRIGHT_GRAPH names.
    """


@app.command()
def show(as_json: Json = False, debug: Debug = False) -> None:
    """Show the location of the graph, its labels and types with counts, and their properties."""
    with _store() as store:
        schema = store.schema()
        if as_json:
            result_json({"graph": store.name, "version": store.version(), **asdict(schema)})
            return
        nodes, edges = sum(label.count for label in schema.labels), sum(type.count for type in schema.types)
        holds = f"{many(nodes, 'node')}, {many(edges, 'edge')}, version {store.version():,}"
        facts((("graph", store.name), ("holds", holds)))
        labels = [(label.label, f"{label.count:,}", _properties(label.properties)) for label in schema.labels]
        next_table(labels, ("LABEL", "NODES", "PROPERTIES"))
        types = [(t.type, f"{t.count:,}", _joins(t.joins), _properties(t.properties)) for t in schema.types]
        next_table(types, ("TYPE", "EDGES", "JOINS", "PROPERTIES"))


@app.command()
def draw(
    key: Annotated[str, typer.Argument(metavar="KEY", help="The key of the node in the centre.")],
    depth: Annotated[
        int, typer.Option("--depth", min=0, max=10, help="The largest distance from the node, in edges.")
    ] = 2,
    label: Annotated[
        str | None, typer.Option("--label", metavar="L", help="The label of the node, if several nodes have the key.")
    ] = None,
    debug: Debug = False,
) -> None:
    """Draw a node and its neighbourhood as an SVG."""
    with _store() as store:
        from graphwright_graph._naming import names_of
        from graphwright_graph._picture import svg

        centre = store.node(key, label)
        part = store.subgraph(centre.key, depth, centre.label, most=_MOST_DRAWN)
        if part.truncated:
            note(f"Only {_MOST_DRAWN} nodes are drawn. A smaller --depth draws a smaller neighbourhood completely.")
        names = names_of(store, {(node.label, node.key): node for node in (*part.nodes, centre)})
        result_xml(svg(part, centre, names))


@app.command()
def query(
    cypher: Annotated[str, typer.Argument(metavar="CYPHER", help="A query that reads.")],
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="The largest number of rows.")] = 100,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Run a Cypher query that reads. It cannot change anything."""
    with _store() as store:
        from graphwright_graph._naming import known_schema, names_in_rows
        from graphwright_graph._wording import table_lines
        from graphwright_graph.cypher import parse
        from graphwright_graph.cypher._references import unknown_names

        if parse(cypher).writes:
            hint = "Ask the graph editor to do it: graphwright chat graph_editor."
            raise UsageError("query_writes", "This query would change the graph, and here it is only read.", hint)
        found = store.read(cypher, max_rows=limit)
        if as_json:
            result_json({"columns": found.columns, "rows": found.rows, "truncated": found.truncated})
            return
        if found.rows:
            table(table_lines(found.columns, found.rows, limit, names_in_rows(store, found.rows)))
        else:
            note("Nothing was found.")
        for problem in unknown_names(cypher, known_schema(store)):
            note(problem)
        if found.truncated:
            note(f"There are more rows than these {len(found.rows):,}; --limit shows more.")


@app.command("import")
def import_files(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="JSON, JSON Lines, GraphML or CSV files, or folders of CSV files."),
    ],
    update: Annotated[
        bool, typer.Option("--update", help="Update elements that already exist, instead of failing.")
    ] = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Import nodes and edges from files: all of them, or none if there is an error.

    An existing element is an error unless --update is given. An import cannot be undone.
    """
    with _store() as store:
        from graphwright_graph import Conflict, GraphError, NotFound
        from graphwright_graph.import_export import read_files

        elements = read_files(files)
        names = ", ".join(str(file) for file in files)
        try:
            nodes, edges = store.load(_counted(elements), text=f"import of {names}", update=update)
        except (Conflict, NotFound) as error:
            hint = f"{error.hint.rstrip('.')}: add --update." if isinstance(error, Conflict) else error.hint
            raise GraphError(error.code, error.message, hint) from error
        if as_json:
            result_json({"nodes": nodes, "edges": edges})
        else:
            result(f"{many(nodes, 'node')} and {many(edges, 'edge')} from {names}")


@app.command("export")
def export_file(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The file to write: .json, .jsonl, .graphml or .csv (two tables).")
    ],
    force: Force = False,
    debug: Debug = False,
) -> None:
    """Write the whole graph into a file, from which import creates the same graph again."""
    with _store() as store:
        from graphwright_graph.import_export import write_file

        for written in write_file(file, _counted(store.export()), overwrite=force):
            result(str(written))


@app.command()
def history(
    goal: Annotated[str | None, typer.Argument(metavar="[GOAL]", help="A goal, such as G1.")] = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="The largest number of goals.")] = 50,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Show the changes of the graph by goals, the newest first; with GOAL, every change of it."""
    with _store() as store:
        from graphwright_graph._elements import net_changes
        from graphwright_graph._wording import counts_text

        if goal is not None:
            entry = store.goal(goal)
            _show_goal(store, entry, as_json)
            return
        goals = store.goals(most=limit)
        if as_json:
            result_json([_goal_json(each) for each in goals])
        elif not goals:
            note(f"Nothing was done yet to {store.name}.")
        else:
            rows = [
                # An import has no steps: its changes are not in the journal.
                (g.id, _status(g), minute(g.began), counts_text(net_changes(_changes(g))) if g.steps else "-", g.text)
                for g in goals
            ]
            columns(rows, ("GOAL", "STATUS", "BEGAN", "CHANGES", "TEXT"))
        # Ids count from G1.
        if goals and (older := int(goals[-1].id[1:]) - 1):
            note(f"{older:,} older: --limit shows more.")


@app.command()
def undo(
    goal: Annotated[str, typer.Argument(metavar="GOAL", help="A goal, as 'graphwright graph history' lists it.")],
    yes: Yes = False,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Restore exactly what a goal changed.

    The changes are shown first. If an element was changed since, nothing is done.
    """
    with _store() as store:
        from graphwright_graph._elements import net_changes
        from graphwright_graph._naming import names_in_changes
        from graphwright_graph._wording import counts_text, difference_lines

        entry = store.goal(goal)
        # If it cannot be undone, this raises before the question.
        changes = store.preview_undo(goal)
        note(f"Undoing {entry.id}: {' '.join(entry.text.split())}")
        names = names_in_changes(store, changes)
        for line in difference_lines(changes, names=names) or ["nothing is left of what it changed"]:
            note(f"  {line}")
        if entry.status == "open":
            note(f"{entry.id} is open. Nothing more can be added to it once it is undone.")
        if not confirmed("Do this?", f"Undoing {entry.id}", "Nothing was changed.", yes=yes):
            return
        undone = store.undo(goal, key=f"graph undo {uuid4().hex}")
        if as_json:
            result_json(_goal_json(undone))
        else:
            result(f"{undone.id} undid {goal}: {counts_text(net_changes(_changes(undone)))}")


_MOST_DRAWN = 200
_PROGRESS = 50_000


@contextmanager
def _store() -> Iterator[GraphStore]:
    """Open the graph; errors of the request inside are raised as UsageError."""
    from graphwright.store.home import data_home
    from graphwright_graph import Ambiguous, BadElement, NotFound, QueryRefused, open_graph

    with closing(open_graph(data_home())) as store:
        try:
            yield store
        except (NotFound, Ambiguous, QueryRefused, BadElement) as error:
            # The request is wrong (it names something missing, or is not valid), so the graph did not fail.
            if error.code == "bad_file":
                raise
            raise UsageError(error.code, error.message, error.hint) from error


def _counted(elements: Iterator[Any]) -> Iterator[Any]:
    """Yield the elements, with a progress line on stderr after every 50,000."""
    for number, element in enumerate(elements, 1):
        yield element
        if not number % _PROGRESS:
            note(f"{number:,} nodes and edges ...")


def _changes(goal: Goal) -> list[Change]:
    return [change for step in goal.steps for change in step.changes]


def _show_goal(store: GraphStore, goal: Goal, as_json: bool) -> None:
    from graphwright_graph._naming import names_in_changes
    from graphwright_graph._wording import change_text

    if as_json:
        result_json(_goal_json(goal))
        return
    rows = {
        "goal": goal.id,
        "text": " ".join(goal.text.split()),
        "status": _status(goal),
        "began": minute(goal.began),
        "finished": minute(goal.finished or ""),
        "thread": goal.thread,
        "undoes": goal.undoes,
    }
    facts((name, value) for name, value in rows.items() if value)
    names = names_in_changes(store, _changes(goal))
    for number, step in enumerate(goal.steps, 1):
        result()
        print_line((f"step {number}", "bold"), f" (version {step.version:,})")
        for change in step.changes:
            print_line(f"  {change_text(change, names=names)}")


def _status(goal: Goal) -> str:
    return f"undone by {goal.undone_by}" if goal.undone_by else goal.status


def _goal_json(goal: Goal) -> dict[str, Any]:
    names = ("text", "thread", "status", "began", "finished", "undoes", "undone_by")
    steps = [
        {
            "writes": [dict(write) for write in step.writes],
            "changes": [{"kind": change.kind, **change.to_json()} for change in step.changes],
            "version": step.version,
            "time": step.time,
        }
        for step in goal.steps
    ]
    return {"goal": goal.id, **{name: getattr(goal, name) for name in names}, "steps": steps}


def _properties(properties: Any) -> str:
    return ", ".join(f"{name} ({' or '.join(types)})" for name, types in properties.items())


def _joins(joins: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{begin} -> {end}" for begin, end in joins)
