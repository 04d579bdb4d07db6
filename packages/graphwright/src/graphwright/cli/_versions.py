"""`graphwright migrate` and `convert`: older flow documents, and checklists, as documents of the newest version."""

from __future__ import annotations

import difflib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphwright.cli._file_writing import write_file
from graphwright.cli._flows import Source, compile_source, read_source, write_diagnostics
from graphwright.cli.console import note, result_json, stdout
from graphwright.cli.failures import Debug, json_option
from graphwright.errors import GraphwrightError, UsageError
from graphwright.text.sentences import many

if TYPE_CHECKING:
    from graphwright.flow import Diagnostic
    from graphwright.flow._versions import Migration

_BOM = b"\xef\xbb\xbf"


def migrate(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A flow document; a folder means its flow.yaml, '-' is stdin.")
    ],
    write: Annotated[
        bool, typer.Option("--write", help="Replace the file. Without it, only show the changes.")
    ] = False,
    as_json: Annotated[bool, json_option("Print the result as JSON.")] = False,
    debug: Debug = False,
) -> None:
    """Upgrade a flow document to the newest version of the language.

    Shows the changes as a unified diff, and on stderr what changed its meaning or had to be guessed. Comments, the
    order of fields and unchanged lines stay; JSON stays JSON. '--write' replaces the file in one step. A document with
    errors is refused with diagnostics and not touched, and so is one of a newer version than this program reads.
    """
    from graphwright.flow._versions import in_old_text, migrate_text

    source = read_source(file)
    if write and source.folder is None:
        raise UsageError("no_file", "'--write' replaces a file, and stdin is not a file.", "Name the flow document.")
    migration = migrate_text(source.content)
    found = migration.diagnostics
    changed = bool(migration.steps)
    if migration.text is not None and changed and migration.source is not None:
        new = replace(source, content=migration.text.encode())
        compiled = compile_source(new)[1][-1][1]
        old = migration.source
        found = tuple(in_old_text(old, each) for each in compiled if each.severity.value == "error")
    written = write and changed and not found
    if written and migration.text is not None:
        write_file(
            Path(source.name),
            (_BOM if source.content.startswith(_BOM) else b"") + migration.text.encode(),
            read=source.content,
        )
    shown = _difference(source, migration) if changed and not found else ""
    if as_json:
        result_json(_migration_json(source, migration, found, shown, written=written))
    elif not found:
        _tell(source, migration, shown, written=written)
    if found:
        if not as_json:
            write_diagnostics(source, found, note)
        message = f"{source.name} was not migrated: {many(len(found), 'error')}."
        if as_json:
            raise typer.Exit(1)
        raise GraphwrightError("not_migrated", message, "Correct what is listed above; the file is unchanged.")


def _migration_json(
    source: Source, migration: Migration, found: tuple[Diagnostic, ...], shown: str, *, written: bool
) -> dict[str, Any]:
    return {
        "file": source.name,
        "from": migration.before,
        "to": migration.steps[-1] if migration.steps and not found else migration.before,
        "written": written,
        "diff": shown,
        "notes": [each.to_json() for each in migration.notes],
        "diagnostics": [each.to_json(source.name) for each in found],
    }


def _tell(source: Source, migration: Migration, shown: str, *, written: bool) -> None:
    if not migration.steps:
        note(f"{source.name} has version {migration.before} already; there is nothing to do.")
        return
    stdout().write(shown)
    for each in migration.notes:
        note((f"{source.name}:{each.span.line}:{each.span.column}: ", "bold"), each.message)
    steps = " > ".join((migration.before, *migration.steps))
    if written:
        note(f"{source.name} was migrated: {steps}.")
    else:
        note(f"Not written: this shows the migration {steps}. Run it with --write to replace the file.")


def _difference(source: Source, migration: Migration) -> str:
    before = migration.source.text if migration.source is not None else ""
    lines = difflib.unified_diff(
        before.splitlines(keepends=True),
        (migration.text or "").splitlines(keepends=True),
        f"{source.name} ({migration.before})",
        f"{source.name} ({migration.steps[-1]})",
    )
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def convert(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A checklist in YAML or JSON; '-' is stdin.")],
    as_json: Annotated[bool, json_option("Print the flow document and the losses as JSON.")] = False,
    debug: Debug = False,
) -> None:
    """Convert a checklist to a flow document.

    A checklist is a list of questions with key, prompt, required, priority, dependencies and validate, or a mapping
    with 'questions' and 'paths'. The flow asks the same questions in the same order. It is printed on stdout, as JSON
    if the checklist is JSON; stderr lists what the flow does not express or expresses differently, such as a 'validate'
    that calls Python.
    """
    from graphwright.flow._checklist_flow import convert as converted

    source = read_source(file)
    name = "checklist" if source.folder is None else Path(source.name).name.partition(".")[0]
    conversion = converted(source.content, name)
    if as_json:
        made = {
            "document": conversion.document,
            "losses": [each.to_json() for each in conversion.losses],
            "diagnostics": [each.to_json(source.name) for each in conversion.diagnostics],
        }
        result_json(made)
        raise typer.Exit(0 if conversion.document is not None else 1)
    if conversion.document is None:
        write_diagnostics(source, conversion.diagnostics, note)
        message = f"{source.name} was not converted: {many(len(conversion.diagnostics), 'error')}."
        raise GraphwrightError("not_converted", message, "Correct what is listed above.")
    stdout().write(conversion.text)
    for each in conversion.losses:
        note((f"{source.name}:{each.span.line}:{each.span.column}: ", "bold"), each.message)
