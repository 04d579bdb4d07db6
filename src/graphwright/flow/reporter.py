"""Where checks say what they found: a code and a path become a diagnostic with its place in the text."""

from __future__ import annotations

from collections.abc import Sequence

from graphwright.flow.diagnostic_catalog import Code
from graphwright.flow.diagnostics import Diagnostic, Related, Report
from graphwright.flow.source import Path, Source, pointer


class Reporter:
    """Turns findings at paths of one source into diagnostics."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.report = Report()

    def add(
        self,
        code: Code,
        path: Path,
        message: str,
        hint: str = "",
        *,
        key: bool = False,
        inside: tuple[int, int] | None = None,
        related: Sequence[tuple[str, Path]] = (),
    ) -> None:
        """Report at the value of `path`, at its key, or at a line and column inside its text."""
        span = self.source.span_inside(path, *inside) if inside is not None else self.source.span(path, key=key)
        others = tuple(Related(text, self.source.span(at), pointer(at)) for text, at in related)
        self.report.found.append(Diagnostic(code.value, code.severity, message, span, pointer(path), hint, others))
