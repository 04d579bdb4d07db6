"""`graphwright merge`: layers of a flow as one plain document, with a report of what they set differently."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphwright.cli import failures
from graphwright.cli._file_writing import write_file
from graphwright.cli._flows import Finding, compile_read, read_source, write_diagnostics
from graphwright.cli.console import note, print_line, result_json, stdout
from graphwright.cli.failures import Debug, json_option
from graphwright.errors import UsageError, exception_text
from graphwright.text.sentences import many

if TYPE_CHECKING:
    from graphwright.flow import Compilation
    from graphwright.flow.layers import Layers


def merge(
    files: Annotated[
        list[str],
        typer.Argument(metavar="BASE LAYER...", help="Flow documents, lowest first; a folder means its flow.yaml."),
    ],
    strict: Annotated[
        bool, typer.Option("--strict", help="Fail if layers set a field with the strategy 'error' differently.")
    ] = False,
    as_json: Annotated[
        bool, json_option("Print the document, the origin of every value, the conflicts and the diagnostics as JSON.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write the document into this file; .json for JSON.")
    ] = None,
    debug: Debug = False,
) -> None:
    """Merge the layers of a flow into one plain document.

    Each layer is merged onto those before it: nodes, edges, subgraphs, predicates, constraints, paths and channels by
    their ids, fields by their strategies. The documents that a layer extends are merged before it. The document goes to
    stdout, the report of conflicts to stderr: who set what, who won, and why. With '--out' the report goes to stdout.
    An existing file is replaced only if an earlier merge wrote it. Nothing is printed or written if the document has
    errors: the diagnostics are in the layer at fault. Exit code 1 for errors.
    """
    from graphwright.flow.layers import read_stack
    from graphwright.host.discovery import read_file

    if as_json:
        failures.report_as(failures.result_failed)
    sources = [read_source(name) for name in files]
    layers = read_stack([(source.name, source.content) for source in sources], read_file)
    if out is not None:
        _check_target(out, layers.files)
    compilation, findings = compile_read(layers, sources[-1], sketch=True)
    merged = compilation.merged
    refused = [each for each in merged.conflicts if each.is_error] if merged is not None and strict else []
    failed = compilation.flow is None or bool(refused)
    if out is not None and not failed:
        write_file(out, _text(compilation, layers, is_json=out.suffix == ".json").encode())
    if as_json:
        result_json(_json(compilation, layers, written=out if not failed else None, failed=failed))
    else:
        _show(compilation, layers, findings, out, failed=failed)
    if failed:
        if not as_json and refused:
            note(f"Not merged: {many(len(refused), 'conflict')} of fields with the strategy 'error'.")
        raise typer.Exit(failures.FAILED)


def _show(
    compilation: Compilation, layers: Layers, findings: Sequence[Finding], out: Path | None, *, failed: bool
) -> None:
    from graphwright.flow.layers import report

    for source, found in findings:
        write_diagnostics(source, (each for each in found if failed or each.severity.value != "info"), note)
    tell = note if out is None or failed else print_line
    for line in report(compilation.merged.conflicts) if compilation.merged is not None else ():
        tell(line)
    if failed or compilation.flow is None:
        return
    if out is None:
        stdout().write(_text(compilation, layers, is_json=False))
    else:
        nodes = many(len(compilation.flow.nodes), "node")
        print_line((f"{out}: ", "bold"), f"{nodes} from {many(len(layers.sources), 'layer')}")


def _json(compilation: Compilation, layers: Layers, *, written: Path | None, failed: bool) -> dict[str, Any]:
    from graphwright.flow.layers import layer_name, origins

    merged = compilation.merged
    return {
        "document": merged.document if merged is not None and not failed else None,
        "layers": [{"name": layer_name(file), "file": file} for file in layers.files],
        "origins": origins(merged) if merged is not None and not failed else {},
        "conflicts": [conflict.to_json() for conflict in merged.conflicts] if merged is not None else [],
        "diagnostics": [each.to_json(compilation.name) for each in compilation.diagnostics],
        "written": None if written is None else str(written),
    }


def _text(compilation: Compilation, layers: Layers, *, is_json: bool) -> str:
    from graphwright.flow.layers import document_text

    assert compilation.merged is not None
    document = compilation.merged.document
    if is_json:
        return json.dumps(document, ensure_ascii=False, indent=2) + "\n"
    return document_text(document, layers.files)


def _check_target(out: Path, layers: Sequence[str]) -> None:
    """Raise UsageError if writing to the file would lose one: a layer, or a file that no merge has written."""
    from graphwright.flow.layers import MARK

    if out.is_dir():
        raise UsageError("unwritable", f"{out} is a folder.", "Name a file in it.")
    if not os.path.lexists(out):
        return
    for layer in layers:
        if out.exists() and Path(layer).exists() and out.samefile(layer):
            message = f"{out} is the layer {layer}: the merged document would overwrite it."
            raise UsageError("overwrites_layer", message, "Name another file after --out.")
    try:
        with out.open("rb") as stream:
            is_merged = stream.read(len(MARK)) == MARK.encode()
    except OSError as error:
        raise UsageError("unwritable", f"{out} cannot be replaced: {exception_text(error)}.", "Check it.") from None
    if not is_merged:
        message = f"{out} exists, and 'graphwright merge' has not written it as YAML."
        raise UsageError("file_exists", message, "Name another file after --out, or delete this one first.")
