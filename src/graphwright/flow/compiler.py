"""The compiler: text or data in, a flow or diagnostics out."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from graphwright.flow.answer_scopes import find_scopes
from graphwright.flow.build import build_flow
from graphwright.flow.checks import check_draft, check_flow
from graphwright.flow.compiled import Catalogue, CompiledFlow
from graphwright.flow.diagnostics import Diagnostic, Severity
from graphwright.flow.draft import make_draft
from graphwright.flow.expressions import compile_expressions
from graphwright.flow.json_schemas import check_schemas
from graphwright.flow.source import Reporter, Source, read_data, read_text


@dataclass(frozen=True, slots=True)
class Compilation:
    """What came of a compilation. `flow` is None when there is an error; `diagnostics` are in order of the text."""

    flow: CompiledFlow | None
    diagnostics: tuple[Diagnostic, ...]
    name: str = ""

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        return tuple(found for found in self.diagnostics if found.severity is Severity.ERROR)


def compile_text(text: str | bytes, *, name: str = "", catalogue: Catalogue | None = None) -> Compilation:
    """Compile a flow document given as YAML or JSON (UTF-8 when bytes).

    Everything that is wrong with the text is a diagnostic, with its place; nothing is raised for it. `name` is
    that of the file, for messages. Without a catalogue, names of actions and validators are not checked.
    """
    with _all_kept():
        return _compile(*read_text(text), name, catalogue)


def compile_document(data: Mapping[str, Any], *, name: str = "", catalogue: Catalogue | None = None) -> Compilation:
    """Compile a document that was already parsed; all diagnostics stand at line 1, column 1, with a JSON pointer."""
    with _all_kept():
        return _compile(*read_data(data), name, catalogue)


@contextmanager
def _all_kept() -> Iterator[None]:
    """Without the cyclic garbage collector: nearly all that a compilation makes is kept, and looking through it again
    and again for what could go takes a third of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            if gc.get_freeze_count() == 0:
                # Freezing and unfreezing makes old objects of all young ones, without a look at each of them.
                gc.freeze()
                gc.unfreeze()
            gc.enable()


def _compile(source: Source | None, found: list[Diagnostic], name: str, catalogue: Catalogue | None) -> Compilation:
    if source is None:
        return Compilation(None, tuple(found), name)
    out = Reporter(source)
    out.report.found.extend(found)
    # Imported late: pydantic takes longer to load than all of the language.
    from graphwright.flow.document import Document
    from graphwright.flow.validation import validated

    data = validated(Document, source.data, out)
    draft = make_draft(data)
    check_schemas(draft, out)
    scopes = find_scopes(draft)
    expressions = compile_expressions(draft, scopes, catalogue, out)
    check_draft(draft, scopes, expressions, catalogue, out)
    flow = None if out.report.has_errors else build_flow(draft, scopes, expressions)
    if flow is not None:
        check_flow(flow, draft, scopes, catalogue, out)
    return Compilation(flow, out.report.sorted(), name)
