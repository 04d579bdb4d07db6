"""Flow documents named on the command line: read, compiled, and their diagnostics shown like a compiler's."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from graphwright.cli.console import Part, clean
from graphwright.errors import UsageError

if TYPE_CHECKING:
    from graphwright.flow import CompiledFlow, Diagnostic

FLOW_FILE = "flow.yaml"
"""The flow document of an agent's folder."""

PYTHON_FILES = ("nodes.py", "tools.py", "state.py")
"""The files beside a flow document that make its folder an agent's."""

SHOWN = 50
"""How many diagnostics of one file are written for people; `--json` has all."""

WIDTH = 100
"""How many characters of a source line are quoted."""

_MOST_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Source:
    """A document as it was named: `name` as the user wrote it, its bytes, and the folder it lies in, if any."""

    name: str
    content: bytes
    folder: Path | None

    @property
    def with_python(self) -> bool:
        """Whether the Python of an agent lies beside it."""
        return self.folder is not None and any((self.folder / module).is_file() for module in PYTHON_FILES)


Finding = tuple[Source, "tuple[Diagnostic, ...]"]


def _named(name: str) -> Path | None:
    from graphwright.runtime.discovery import find, names

    return find(name) if name in names() else None


def read_source(name: str) -> Source:
    """The document of a file, of a folder's `flow.yaml`, of an agent known by its name, or of stdin (`-`).

    Raises UsageError where there is none.
    """
    if name == "-":
        return Source("<stdin>", sys.stdin.buffer.read(_MOST_BYTES), None)
    path = Path(name)
    try:
        if not path.exists():
            path = _named(name) or path
        if path.is_dir():
            path /= FLOW_FILE
            if not path.exists():
                raise UsageError(
                    "no_flow",
                    f"The folder {name} holds no {FLOW_FILE}, so it is no agent.",
                    "Name a flow document, or make a new agent with 'graphwright init DIR'.",
                )
        with path.open("rb") as stream:
            content = stream.read(_MOST_BYTES)
    except FileNotFoundError:
        raise UsageError(
            "no_such_file", f"There is no file {name}.", "Check the path; a folder means its flow.yaml."
        ) from None
    except (OSError, ValueError) as error:
        why = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise UsageError(
            "unreadable", f"{name} cannot be read: {why}.", "Check the path and its permissions."
        ) from None
    return Source(str(path), content, path.parent)


def compile_source(source: Source, *, sketch: bool = False) -> tuple[CompiledFlow | None, list[Finding]]:
    """Compile it against the actions, validators and state that the Python beside it declares.

    A `sketch` may name actions although there is no Python yet. Gives the flow, None where it has errors, and what was
    found, file by file. No code of the agent is run.
    """
    from graphwright.flow import compile_text

    findings: list[Finding] = []
    catalogue = None
    if source.folder is not None and (source.with_python or not sketch):
        from graphwright.runtime.discovery import read_catalogue

        try:
            catalogue = read_catalogue(source.folder)
        except (SyntaxError, UnicodeDecodeError) as error:
            findings.append(_python_error(source.folder, error))
    compilation = compile_text(source.content, name=source.name, catalogue=catalogue)
    findings.append((source, compilation.diagnostics))
    return (None if len(findings) > 1 else compilation.flow), findings


def _python_error(folder: Path, error: SyntaxError | UnicodeDecodeError) -> Finding:
    from graphwright.flow import Diagnostic, Severity, Span

    if isinstance(error, SyntaxError):
        place = Path(error.filename or folder)
        line, column = error.lineno or 1, max(error.offset or 1, 1)
        span, message = Span(line, column, line, column + 1), f"This is not valid Python: {error.msg}."
    else:
        place, span, message = (
            folder,
            Span(1, 1, 1, 1),
            f"A Python file of this agent is not UTF-8 text: {error.reason}.",
        )
    content = place.read_bytes() if place.is_file() else b""
    hint = "Mend it; the flow was checked without the agent's actions."
    return Source(str(place), content, None), (Diagnostic("python", Severity.ERROR, message, span, "", hint),)


def write_diagnostics(source: Source, found: Iterable[Diagnostic], write: Callable[..., None]) -> None:
    """Each diagnostic as `file:line:col: severity CODE message`, its source line with a caret, and its hint."""
    lines = source.content.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    ordered = list(found)
    for diagnostic in ordered[:SHOWN]:
        for line in _written(source.name, diagnostic, lines):
            write(*line)
    if len(ordered) > SHOWN:
        write(f"{source.name}: and {len(ordered) - SHOWN:,} more; --json shows all of them.")


_STYLES = {"error": "bold red", "warning": "bold yellow", "info": "bold cyan"}


def _written(name: str, diagnostic: Diagnostic, lines: list[str]) -> Iterable[tuple[Part, ...]]:
    span, severity = diagnostic.span, diagnostic.severity.value
    style = _STYLES[severity]
    yield (
        (f"{name}:{span.line}:{span.column}: ", "bold"),
        (severity, style),
        (f" {diagnostic.code} ", "bold"),
        diagnostic.message,
    )
    if span.line <= len(lines) and lines[span.line - 1].strip():
        end = span.end_column if span.end_line == span.line else len(lines[span.line - 1]) + 1
        excerpt, before, marked = _excerpt(lines[span.line - 1], span.column - 1, end - 1)
        number = f"{span.line:>5} | "
        yield ((number, "dim"), excerpt)
        yield ((" " * (len(number) - 2) + "| ", "dim"), " " * before, ("^" * marked, style))
    if diagnostic.hint:
        yield (("      = ", "dim"), f"hint: {diagnostic.hint}")
    for related in diagnostic.related:
        yield (("      = ", "dim"), f"{related.message} ({name}:{related.span.line}:{related.span.column})")


def _excerpt(line: str, start: int, end: int) -> tuple[str, int, int]:
    """The part of a line around a mark, and in terminal cells what stands before the mark and how wide it is."""
    from rich.cells import cell_len

    line = clean(line.replace("\t", " "))
    start = min(start, len(line))
    left = max(0, start - WIDTH // 2) if len(line) > WIDTH else 0
    part = line[left : left + WIDTH]
    front = "…" if left else ""
    back = "…" if left + WIDTH < len(line) else ""
    marked = part[start - left : max(end, start + 1) - left]
    return front + part + back, cell_len(front + part[: start - left]), max(cell_len(marked.rstrip()), 1)
