"""`graphwright draw`: a flow as a picture or for an editor."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated

import typer

from graphwright.cli.console import note, result_json, result_xml
from graphwright.cli.failures import Debug
from graphwright.cli.sources import compile_source, read_source, write_diagnostics
from graphwright.errors import GraphwrightError


class Format(StrEnum):
    """What `draw` can write."""

    MERMAID = "mermaid"
    SVG = "svg"
    JSON = "json"


def draw(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A flow document; a folder means its flow.yaml, '-' is stdin.")
    ],
    format: Annotated[
        Format, typer.Option("--format", help="A Mermaid flowchart, an SVG, or nodes and edges as JSON.")
    ] = Format.MERMAID,
    debug: Debug = False,
) -> None:
    """Draw a flow document.

    'mermaid' is text that GitHub, GitLab and most Markdown viewers show as a picture. 'svg' is a picture in one file,
    for browsers and documents. 'json' is for visual editors: nodes with positions (kept from 'ui', else laid out) and
    edges, in the shape that React Flow reads.
    """
    from graphwright.flow import Severity, drawing

    source = read_source(file)
    flow, findings = compile_source(source, sketch=True)
    if flow is None:
        count = 0
        for found_in, diagnostics in findings:
            errors = [d for d in diagnostics if d.severity is Severity.ERROR]
            write_diagnostics(found_in, errors, note)
            count += len(errors)
        raise GraphwrightError(
            "flow_invalid",
            f"{source.name} cannot be drawn: it has {count:,} error{'s' if count > 1 else ''}.",
            "Mend what is listed above.",
        )
    if format is Format.JSON:
        result_json(drawing.editor(flow))
    elif format is Format.SVG:
        result_xml(drawing.svg(flow))
    else:
        sys.stdout.write(drawing.mermaid(flow))
