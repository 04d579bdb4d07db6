"""`graphwright check` and `draw`: compile flow documents, show their diagnostics like a compiler, and draw them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphwright.cli import failures
from graphwright.cli.console import Part, clean, note, print_line, result_json, result_xml
from graphwright.cli.failures import DONE, FAILED, Debug, json_option
from graphwright.errors import GraphwrightError, UsageError, exception_text
from graphwright.text.sentences import many

if TYPE_CHECKING:
    from graphwright.flow import Compilation, CompiledFlow, Diagnostic
    from graphwright.flow.compiled import Assurance
    from graphwright.flow.layers import Layers

FLOW_FILE = "flow.yaml"
"""The file name of a flow document in an agent's folder."""

ASSURANCE_FAILS = "GW711"
"""The code of an assurance that some conversation violates."""

STATE_FILE = "state.py"
"""The typed view of the state in an agent's folder."""

MAX_DIAGNOSTICS = 50
"""Maximum number of printed diagnostics of one file; `--json` prints all."""

WIDTH = 100
"""Maximum number of quoted characters of a source line."""

_MOST_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Source:
    """A document: its name as the user wrote it, its bytes, and its folder, if any."""

    name: str
    content: bytes
    folder: Path | None


Finding = tuple[Source, "tuple[Diagnostic, ...]"]


def read_source(name: str) -> Source:
    """Read the document of a file, a folder's `flow.yaml`, an agent by name, or stdin (`-`).

    Raises UsageError (`no_flow`, `no_such_file`, `unreadable`).
    """
    if name == "-":
        return Source("<stdin>", sys.stdin.buffer.read(_MOST_BYTES), None)
    path = Path(name)
    try:
        if not path.exists():
            from graphwright.host.discovery import find, names

            path = find(name) if name in names() else path
        if path.is_dir():
            path /= FLOW_FILE
            if not path.exists():
                raise UsageError(
                    "no_flow",
                    f"The folder {name} has no {FLOW_FILE}, so it is not an agent.",
                    "Name a flow document, or make a new agent with 'graphwright init DIR'.",
                )
        with path.open("rb") as stream:
            content = stream.read(_MOST_BYTES)
    except FileNotFoundError:
        hint = "Check the path; a folder means its flow.yaml."
        raise UsageError("no_such_file", f"There is no file {name}.", hint) from None
    except (OSError, ValueError) as error:
        hint = "Check the path and its permissions."
        raise UsageError("unreadable", f"{name} cannot be read: {exception_text(error)}.", hint) from None
    return Source(str(path), content, path.parent)


def compile_source(
    source: Source, *, sketch: bool = False, assure: bool = False, out: Path | None = None
) -> tuple[CompiledFlow | None, list[Finding]]:
    """Compile a document against the actions, validators and state that the Python next to it declares.

    A `sketch` may name actions before there is any Python. With `assure` its assurances are decided, and a
    counterexample is written to `out`. Returns the flow, or None if it has errors, and the findings per file. No code
    of the agent is run.
    """
    from graphwright.flow.layers import read_layers
    from graphwright.host.discovery import read_file

    read = read_file if source.folder is not None else None
    layers = read_layers(source.content, name=source.name, read=read)
    compilation, findings = compile_read(layers, source, sketch=sketch, assure=assure, out=out)
    return compilation.flow, findings


def compile_sketch(source: Source) -> tuple[CompiledFlow | None, str]:
    """Compile a document that may name actions before there is any Python, and print its errors.

    Returns the flow, or None if it has errors, and the number of errors in words.
    """
    flow, findings = compile_source(source, sketch=True)
    count = 0
    for found_in, diagnostics in findings if flow is None else ():
        errors = [each for each in diagnostics if each.severity.value == "error"]
        write_diagnostics(found_in, errors, note)
        count += len(errors)
    return flow, many(count, "error")


def compile_read(
    layers: Layers, source: Source, *, sketch: bool = False, assure: bool = False, out: Path | None = None
) -> tuple[Compilation, list[Finding]]:
    """Compile what was read of a document and its layers, as `compile_source` does. `source` is the highest layer."""
    from graphwright.flow import compile_layers
    from graphwright.host.discovery import catalogue_of, folders_of, has_python

    folders = [] if source.folder is None else folders_of(Path(source.name), [Path(file) for file in layers.files])
    findings: list[Finding] = []
    catalogue = None
    if folders and (has_python(folders) or not sketch):
        try:
            catalogue = catalogue_of(folders)
        except (SyntaxError, UnicodeDecodeError) as error:
            findings.append(_python_error(folders[-1], error))
    compilation = compile_layers(layers, name=source.name, catalogue=catalogue, assure=assure)
    found = compilation.diagnostics
    if compilation.flow is not None and compilation.unproven:
        found = _with_counterexamples(source, compilation.flow, found, compilation.unproven, out)
    if findings:
        compilation = replace(compilation, flow=None)
    if not layers.texts:
        return compilation, [*findings, (source, found)]
    sources = [Source(file, text.encode(), Path(file).parent) for file, text in layers.texts.items()]
    return compilation, findings + [(each, tuple(d for d in found if d.file == each.name)) for each in sources]


def _with_counterexamples(
    source: Source,
    flow: CompiledFlow,
    diagnostics: tuple[Diagnostic, ...],
    unproven: Iterable[tuple[Assurance, str]],
    out: Path | None,
) -> tuple[Diagnostic, ...]:
    """Search a conversation that violates each assurance that is not shown to hold; report those that have one.

    The first one is written to `out`. Raises GraphwrightError if that cannot be written.
    """
    from graphwright.flow import Severity
    from graphwright.testing._counterexamples import conversation_text, find_counterexample

    found = list(diagnostics)
    for assurance, doubt in unproven:
        example = find_counterexample(flow, assurance)
        if example is None:
            continue
        message = f"`{assurance.text}` does not hold: {example.text}."
        hint = "Write this conversation to a file with `--counterexample FILE`, and play it with `graphwright test`."
        if out is not None:
            hint = f"Play this conversation: graphwright test {out}"
            folder = os.path.relpath((source.folder or Path()).resolve(), out.parent.resolve())
            _write(out, conversation_text(example, Path(folder).as_posix()))
            out = None
        for place, diagnostic in enumerate(found):
            if doubt in diagnostic.message:
                # The message may also name the layer at fault.
                told = diagnostic.message.replace(doubt, message)
                failed = replace(diagnostic, code=ASSURANCE_FAILS, severity=Severity.ERROR)
                found[place] = replace(failed, message=told, hint=hint)
    return tuple(found)


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, "utf-8", newline="\n")
    except OSError as error:
        hint = "Check the path and its permissions."
        raise GraphwrightError("unwritable", f"{file} cannot be written: {exception_text(error)}.", hint) from None


def _python_error(folder: Path, error: SyntaxError | UnicodeDecodeError) -> Finding:
    from graphwright.flow import Diagnostic, Severity, Span

    place, span, message = (
        folder,
        Span(1, 1, 1, 1),
        f"A Python file of this agent is not UTF-8 text: {exception_text(error)}.",
    )
    if isinstance(error, SyntaxError):
        place = Path(error.filename or folder)
        line, column = error.lineno or 1, max(error.offset or 1, 1)
        span, message = Span(line, column, line, column + 1), f"This is not valid Python: {error.msg}."
    content = place.read_bytes() if place.is_file() else b""
    hint = "Correct it; the flow was checked without the agent's actions."
    return Source(str(place), content, None), (Diagnostic("python", Severity.ERROR, message, span, "", hint),)


def write_state(source: Source) -> str:
    """Generate state.py next to a flow document; return the result in words.

    Raises GraphwrightError if the file cannot be written, or was not generated from this document.
    """
    from graphwright.flow import compile_text
    from graphwright.flow._typed_state import generated_from, same_code, typed_state
    from graphwright.host.discovery import read_file

    if source.folder is None:
        why = "`state.py` is written beside the flow document, and stdin has no folder."
        raise UsageError("no_folder", why, "Name the flow document or the folder of the agent.")
    file, document = source.folder / STATE_FILE, Path(source.name).name
    flow = compile_text(source.content, name=source.name, read=read_file).flow
    if flow is None:
        return "not written, because the flow has errors"
    text = typed_state(flow, document)
    try:
        found = file.read_bytes().decode("utf-8", "replace") if file.exists() else None
        if found is not None and generated_from(found) != document:
            why = f"{file} was not written: the existing file was not generated from {document}."
            raise GraphwrightError("state_by_hand", why, "Move what you need of it to another module, then delete it.")
        if found is not None and same_code(found, text):
            return "up to date"
        file.write_text(text, "utf-8", newline="\n")
    except OSError as error:
        hint = "Check the path and its permissions."
        raise GraphwrightError("unwritable", f"{file} cannot be written: {exception_text(error)}.", hint) from None
    return "written"


def outdated_state(source: Source, flow: CompiledFlow) -> list[Finding]:
    """Return a warning if the state.py next to a flow document was generated from an earlier version of it."""
    from graphwright.flow import Diagnostic, Severity, Span
    from graphwright.flow._typed_state import generated_from, same_code, typed_state

    file, document = (source.folder or Path()) / STATE_FILE, Path(source.name).name
    if source.folder is None or not file.is_file():
        return []
    content = file.read_bytes()
    text = content.decode("utf-8", "replace")
    if generated_from(text) != document or same_code(text, typed_state(flow, document)):
        return []
    message = f"This typed view of the state does not fit {document} any more."
    hint = f"Run 'graphwright check {source.name} --stubs'."
    found = Diagnostic("state_outdated", Severity.WARNING, message, Span(1, 1, 1, 2), "", hint)
    return [(Source(str(file), content, None), (found,))]


def missing_shadow(source: Source, flow: CompiledFlow) -> list[Finding]:
    """Return an error if the flow names a file that is to answer in its place, and there is no such file."""
    from graphwright.flow import Diagnostic, Severity
    from graphwright.flow._source import read_text
    from graphwright.flow.diagnostics import START

    named = flow.document.get("shadow", "")
    file = (source.folder or Path()) / named
    if not named or source.folder is None or (file / FLOW_FILE if file.is_dir() else file).is_file():
        return []
    text, _ = read_text(source.content)
    span = START if text is None else text.span(("shadow",))
    message = f"There is no file {file}, which is to answer in place of this flow."
    found = Diagnostic("no_shadow", Severity.ERROR, message, span, "/shadow", "Correct the path, or remove `shadow`.")
    return [(source, (found,))]


def write_diagnostics(source: Source, found: Iterable[Diagnostic], write: Callable[..., None]) -> None:
    """Write each diagnostic as `file:line:col: severity CODE message`, its source line with a caret, and its hint."""
    lines = source.content.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    ordered = list(found)
    for diagnostic in ordered[:MAX_DIAGNOSTICS]:
        for line in _written(source.name, diagnostic, lines):
            write(*line)
    if len(ordered) > MAX_DIAGNOSTICS:
        write(f"{source.name}: and {len(ordered) - MAX_DIAGNOSTICS:,} more; --json shows all of them.")


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
        yield (
            ("      = ", "dim"),
            f"{related.message} ({related.file or name}:{related.span.line}:{related.span.column})",
        )


def _excerpt(line: str, start: int, end: int) -> tuple[str, int, int]:
    """Return the part of a line around a mark, the offset of the mark, and its width, both in terminal cells."""
    from rich.cells import cell_len

    line = clean(line.replace("\t", " "))
    start = min(start, len(line))
    left = max(0, start - WIDTH // 2) if len(line) > WIDTH else 0
    part = line[left : left + WIDTH]
    front = "…" if left else ""
    back = "…" if left + WIDTH < len(line) else ""
    marked = part[start - left : max(end, start + 1) - left]
    return front + part + back, cell_len(front + part[: start - left]), max(cell_len(marked.rstrip()), 1)


def check(
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="FILE...", help="Flow documents; a folder means its flow.yaml, '-' is stdin."),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 for warnings, too.")] = False,
    as_json: Annotated[bool, json_option("Print the diagnostics as one JSON list.")] = False,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of flow documents, for editors, and stop.")
    ] = False,
    stubs: Annotated[
        bool, typer.Option("--stubs", help="Generate state.py, the types of the flow's state, next to each document.")
    ] = False,
    counterexample: Annotated[
        Path | None,
        typer.Option(
            "--counterexample",
            metavar="FILE",
            help="Write a conversation that violates an assurance, for 'graphwright test' (NAME.conversation.yaml).",
        ),
    ] = None,
    debug: Debug = False,
) -> None:
    """Check flow documents, like a compiler.

    Errors prevent a run, warnings are probable mistakes. The names of actions and validators, and the names that they
    read and write, are checked against the Python next to the document (nodes.py, tools.py, state.py); no code of the
    agent is run. A document from stdin is checked without Python. Findings in a flow have codes such as GW304; those
    about files have words: no_flow, no_such_file, unreadable, python for Python that cannot be parsed, and
    state_outdated for a generated state.py that does not match the flow any more, and no_shadow for a file that is to
    answer in place of the flow and does not exist. Exit code 1 if there is an error.
    """
    if schema:
        from graphwright.flow import json_schema

        result_json(json_schema())
        return
    if as_json:
        failures.report_as(lambda error: result_json([read_error_json(", ".join(files or ()), error)]))
    if not files:
        raise UsageError("no_file", "No flow document was named.", "Try 'graphwright check flow.yaml'.")
    raise typer.Exit(_check(files, strict=strict, as_json=as_json, stubs=stubs, out=counterexample))


def _check(files: list[str], *, strict: bool, as_json: bool, stubs: bool, out: Path | None) -> int:
    code = DONE
    counts = {"error": 0, "warning": 0, "info": 0}
    violated = 0
    listed: list[dict[str, Any]] = []
    for name in files:
        try:
            source = read_source(name)
            written = write_state(source) if stubs else ""
            flow, findings = compile_source(source, assure=True, out=out)
        except GraphwrightError as error:
            code = max(code, failures.print_error(error))
            listed.append(read_error_json(name, error))
            continue
        if flow is not None:
            findings += [*outdated_state(source, flow), *missing_shadow(source, flow)]
        for found_in, diagnostics in findings:
            for diagnostic in diagnostics:
                counts[diagnostic.severity.value] += 1
                violated += diagnostic.code == ASSURANCE_FAILS
            if as_json:
                listed += [diagnostic.to_json(found_in.name) for diagnostic in diagnostics]
            else:
                write_diagnostics(found_in, diagnostics, print_line)
        if flow is not None and not as_json and not _has_errors(findings):
            print_line((f"{source.name}: ", "bold"), ("ok", "green"), f" ({_size(flow)})")
        if written and not as_json:
            print_line((f"{Path(source.name).parent / STATE_FILE}: ", "bold"), written)
    if as_json:
        result_json(listed)
    elif any(counts.values()):
        print_line(_summary(counts))
    if out is not None and not violated:
        note(f"No assurance was found to fail, so {out} was not written.")
    failed = counts["error"] or (strict and counts["warning"])
    return max(code, FAILED) if failed else code


def _has_errors(findings: Iterable[Finding]) -> bool:
    return any(found.severity.value == "error" for _, diagnostics in findings for found in diagnostics)


def read_error_json(name: str, error: GraphwrightError) -> dict[str, Any]:
    """Return the error that prevented the check of a document, in the format of a diagnostic."""
    place = {"file": name, "line": 1, "column": 1, "pointer": ""}
    return {"code": error.code, "severity": "error", "message": error.message, **place, "hint": error.hint}


def _size(flow: CompiledFlow) -> str:
    edges = sum(len(node.all_edges) for node in flow.nodes.values())
    subgraphs = [many(len(flow.graphs) - 1, "subgraph")] if len(flow.graphs) > 1 else []
    return ", ".join([many(len(flow.nodes), "node"), many(edges, "edge"), *subgraphs])


def _summary(counts: dict[str, int]) -> str:
    words = {"error": "error", "warning": "warning", "info": "remark"}
    return ", ".join(many(count, words[kind]) for kind, count in counts.items() if count) + "."


class Format(StrEnum):
    """The output formats of `draw`."""

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
    for browsers and documents. 'json' is for visual editors: nodes with positions (from 'ui', else computed) and edges,
    in the format of React Flow.
    """
    from graphwright.flow import drawing

    source = read_source(file)
    flow, errors = compile_sketch(source)
    if flow is None:
        message = f"{source.name} cannot be drawn: it has {errors}."
        raise GraphwrightError("flow_invalid", message, "Correct what is listed above.")
    if format is Format.JSON:
        result_json(drawing.editor(flow))
    elif format is Format.SVG:
        result_xml(drawing.svg(flow))
    else:
        sys.stdout.write(drawing.mermaid(flow))
