"""The flow language: a document goes in, a compiled flow or diagnostics come out."""

from typing import Any

from graphwright.flow._compiler import Compilation, compile_document, compile_layers, compile_text
from graphwright.flow.compiled import ActionSignature, Catalogue, CompiledFlow, Confirm, Decision, Kind, Question
from graphwright.flow.diagnostics import Diagnostic, Severity, Span


def json_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a flow document, and of a layer if it has `extends`, for editors."""
    from graphwright.flow.layers._layer_document import json_schema as published

    return published()


__all__ = [
    # compiling
    "compile_text",
    "compile_document",
    "compile_layers",
    "Compilation",
    "Catalogue",
    "ActionSignature",
    "json_schema",
    # what is wrong
    "Diagnostic",
    "Severity",
    "Span",
    # the compiled flow
    "CompiledFlow",
    "Question",
    "Decision",
    "Kind",
    "Confirm",
]
