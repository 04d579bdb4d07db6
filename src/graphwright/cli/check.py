"""`graphwright check`: the diagnostics of flow documents, like a compiler."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphwright.cli.console import result_json, shown
from graphwright.cli.failures import DONE, FAILED, USAGE, Debug, reporting, tell
from graphwright.cli.sources import compile_source, read_source, write_diagnostics
from graphwright.errors import GraphwrightError, UsageError

if TYPE_CHECKING:
    from graphwright.flow import CompiledFlow


def check(
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE...", help="Flow documents; a folder means its flow.yaml, '-' is stdin."),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 for warnings, too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the diagnostics as one JSON list.")] = False,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of flow documents, for editors, and stop.")
    ] = False,
    debug: Debug = False,
) -> None:
    """Check flow documents, like a compiler.

    Errors are what cannot run, warnings what probably does not mean what it says. The names of actions and validators
    and what they read and write are checked against the Python that lies beside the document (nodes.py, tools.py,
    state.py); no code of the agent is run. What is read from stdin is checked without any Python. Findings in a flow
    have codes like GW304, those about the files around it have words: no_flow, no_such_file, unreadable, and python
    for Python that cannot be parsed. Exit code 1 when there is an error.
    """
    if schema:
        from graphwright.flow import json_schema

        result_json(json_schema())
        return
    with reporting((lambda error: result_json([unread(", ".join(files or ()), error)])) if as_json else None):
        if not files:
            raise UsageError("no_file", "No flow document was named.", "Try 'graphwright check flow.yaml'.")
        raise typer.Exit(_check(files, strict=strict, as_json=as_json))


def _check(files: list[str], *, strict: bool, as_json: bool) -> int:
    code = DONE
    counts = {"error": 0, "warning": 0, "info": 0}
    listed: list[dict[str, Any]] = []
    for name in files:
        try:
            source = read_source(name)
        except UsageError as error:
            code = USAGE
            tell(error)
            listed.append(unread(name, error))
            continue
        flow, findings = compile_source(source)
        for found_in, diagnostics in findings:
            for diagnostic in diagnostics:
                counts[diagnostic.severity.value] += 1
            if as_json:
                listed += [diagnostic.to_json(found_in.name) for diagnostic in diagnostics]
            else:
                write_diagnostics(found_in, diagnostics, shown)
        if flow is not None and not as_json:
            shown((f"{source.name}: ", "bold"), ("ok", "green"), f" ({_size(flow)})")
    if as_json:
        result_json(listed)
    elif any(counts.values()):
        shown(_summary(counts))
    failed = counts["error"] or (strict and counts["warning"])
    return max(code, FAILED) if failed else code


def unread(name: str, error: GraphwrightError) -> dict[str, Any]:
    """What kept a document from being checked, in the shape of a diagnostic."""
    place = {"file": name, "line": 1, "column": 1, "pointer": ""}
    return {"code": error.code, "severity": "error", "message": error.message, **place, "hint": error.hint}


def _size(flow: CompiledFlow) -> str:
    edges = sum(len(node.all_edges) for node in flow.nodes.values())
    parts = [_count(len(flow.nodes), "node"), _count(edges, "edge")]
    if len(flow.graphs) > 1:
        parts.append(_count(len(flow.graphs) - 1, "subgraph"))
    return ", ".join(parts)


def _summary(counts: dict[str, int]) -> str:
    words = {"error": "error", "warning": "warning", "info": "remark"}
    return ", ".join(_count(count, words[kind]) for kind, count in counts.items() if count) + "."


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
