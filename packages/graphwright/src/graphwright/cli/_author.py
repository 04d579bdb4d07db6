"""`graphwright author`: change a flow, or make a new one, by a description."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphwright.cli._file_writing import write_file
from graphwright.cli.console import ask_yes, interactive, note, print_line, result, result_json, results_alone
from graphwright.cli.conversation import ModelOption, chosen_model
from graphwright.cli.failures import DONE, FAILED, WAITING, Debug, json_option
from graphwright.errors import GraphwrightError, UsageError
from graphwright.testing._loop import run
from graphwright.text.sentences import many

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from graphwright.authoring import Progress, Proposal, Round

_STYLES = {"heading": "bold", "added": "green", "removed": "red", "changed": "yellow", "detail": ""}


@dataclass(frozen=True, slots=True)
class _Place:
    """The flow file; `read` are its bytes, None for a new one."""

    name: str
    file: Path
    read: bytes | None

    @property
    def text(self) -> str:
        return (self.read or b"").decode("utf-8-sig")


def author(
    flow: Annotated[
        str, typer.Argument(metavar="FLOW", help="A flow document or the folder of an agent; a new one is created.")
    ],
    description: Annotated[
        str, typer.Argument(metavar="TEXT", help="What should change, or what a new agent should do; '-' reads stdin.")
    ],
    model: ModelOption = None,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Accept the change without asking, if all its conversations pass.")
    ] = False,
    timeout: Annotated[
        float, typer.Option(min=1, metavar="SECONDS", help="The time limit of the whole work, with the model's.")
    ] = 3600,
    as_json: Annotated[bool, json_option("Print the proposal as JSON; nothing is written without --yes.")] = False,
    debug: Debug = False,
) -> None:
    """Change a flow by a description in your words, or make a new flow.

    A language model proposes edit commands; the compiler and the conversations of the flow check them, and what is
    wrong goes back to the model, twice at most. You see the difference, and nothing is written before you agree. The
    exit code is 1 if nothing usable was proposed, and 3 if the model asks you something: run the command again with
    the answer in the description. Progress is printed to stderr. An interruption leaves everything as it was.
    """
    text = typer.get_text_stream("stdin").read() if description == "-" else description
    if not (yes or as_json or interactive()):
        raise UsageError(
            "not_confirmed",
            "Without a terminal, the question whether to accept the change cannot be asked.",
            "Add --yes, or --json.",
        )
    place = _place(flow)
    with results_alone():
        proposal = run(_proposed(place, text, _model(model), timeout, quiet=as_json))
        taken = _shown_and_decided(place, proposal, yes=yes, as_json=as_json)
        if taken:
            _write(place, proposal)
    if as_json:
        result_json({**proposal.to_json(), "taken": taken})
    raise typer.Exit(_exit_code(proposal, taken, as_json=as_json))


def _exit_code(proposal: Proposal, taken: bool, *, as_json: bool) -> int:
    if proposal.status == "question":
        return WAITING
    usable = proposal.status == "proposed" or taken
    return DONE if usable else FAILED


def _place(name: str) -> _Place:
    """The flow file of a name. Raises UsageError (`packaged`, `unreadable`, `not_a_flow`)."""
    from graphwright.host.discovery import FLOW_FILE, find, place_of

    path = Path(name)
    if not path.exists():
        from graphwright.host.discovery import names

        if name in names():
            message = f"{name} is the agent of an installed package, whose files are not changed."
            raise UsageError("packaged", message, "Copy its folder, and name the copy.")
        file = path if path.suffix in (".yaml", ".yml") else path / FLOW_FILE
        return _Place(name, file, None)
    if path.is_dir() and not (path / FLOW_FILE).exists():
        return _Place(name, path / FLOW_FILE, None)
    file = find(name)
    place_of(name)
    try:
        return _Place(name, file, file.read_bytes())
    except OSError as error:
        raise UsageError("unreadable", f"{file} cannot be read: {error.strerror}.", "Check the path.") from error


def _model(spec: str | None) -> BaseChatModel:
    from graphwright.models import default_model, is_none, load

    chosen = chosen_model(spec)
    if chosen is None:
        chosen = chosen_model(default_model())
    if isinstance(chosen, str):
        if is_none(chosen):
            message = "A description is read by a language model, and none is chosen."
            raise UsageError("no_model", message, "Name one with --model.")
        return load(chosen)
    assert chosen is not None
    return chosen


async def _proposed(place: _Place, text: str, model: BaseChatModel, seconds: float, *, quiet: bool) -> Proposal:
    from graphwright.authoring import new_subject, propose, subject_of
    from graphwright.authoring.templates import agent_id

    work = partial(propose, seconds=seconds)
    if not quiet:
        work = partial(work, on_round=_show_round, on_progress=_show_progress)
    if place.read is not None:
        return await work(subject_of(place.name, place.text), text, model)
    name = place.file.parent.absolute().name if place.file.stem == "flow" else place.file.stem
    async with new_subject(agent_id(name)) as subject:
        return await work(subject, text, model)


def _show_progress(progress: Progress) -> None:
    note((f"{progress} ...", "dim"))


def _show_round(done: Round) -> None:
    failed = [each for each in done.outcomes if not each.passed]
    parts = [many(done.commands, "command")]
    parts += [f"{len(done.refused)} refused"] if done.refused else []
    parts.append(many(done.errors, "error") if done.errors else many(done.warnings, "new warning"))
    if done.outcomes:
        parts.append(f"{len(done.outcomes) - len(failed)} of {many(len(done.outcomes), 'conversation')} pass")
    note((f"Round {done.number}: {', '.join(parts)}.", "dim"))
    for line in done.refused:
        note((f"  refused: {line}", "dim"))


def _shown_and_decided(place: _Place, proposal: Proposal, *, yes: bool, as_json: bool) -> bool:
    """Show the proposal, and return whether it is taken."""
    if not as_json:
        _show(place, proposal)
    if proposal.status in ("question", "cannot", "invalid"):
        return False
    if yes or as_json:
        if yes and proposal.status == "unproven":
            note("--yes does not accept it, because not everything about it is right. Nothing was written.")
        return yes and proposal.status == "proposed"
    taken = ask_yes(f"Write this to {place.file}?", default=False)
    if not taken:
        note("Nothing was written.")
    return taken


def _show(place: _Place, proposal: Proposal) -> None:
    if proposal.status == "question":
        result(proposal.question)
        return
    if proposal.cannot:
        result(f"Cannot be done: {proposal.cannot}")
    if proposal.status == "cannot":
        return
    if proposal.summary:
        result(proposal.summary)
    for change in proposal.difference:
        print_line((change.text, _STYLES[change.style]))
    result()
    for line in _text_difference(place, proposal):
        print_line(line)
    for each in proposal.outcomes:
        print_line((f"{'ok     ' if each.passed else 'FAILED '} {each.file}", "" if each.passed else "red"))
        for problem in each.problems:
            print_line(f"  {problem}")
    for finding in proposal.diagnostics:
        if finding.severity.value != "info":
            where = f"{place.file}:{finding.span.line}"
            print_line(f"{where}: {finding.severity.value} {finding.code} {finding.message} {finding.hint}".rstrip())
    for line in proposal.refused:
        print_line((f"Refused: {line}", "yellow"))
    for line in proposal.cautions:
        print_line((f"Look at this: {line}", "yellow"))


def _text_difference(place: _Place, proposal: Proposal) -> Iterator[Any]:
    """The differences of the files, as parts of coloured lines."""
    changed = [(str(place.file), proposal.before, proposal.text)]
    folder = place.file.parent
    for name, text in proposal.files.items():
        file = folder / name
        changed.append((str(file), file.read_text("utf-8") if file.exists() else "", text))
    for name, before, after in changed:
        lines = difflib.unified_diff(before.splitlines(), after.splitlines(), name, name, lineterm="")
        for line in lines:
            yield line, "green" if line.startswith("+") else "red" if line.startswith("-") else ""


def _write(place: _Place, proposal: Proposal) -> None:
    """Write the flow and its conversations: all of them, or on an error or an interruption none."""
    folder = place.file.parent
    files = {folder / name: text.encode("utf-8") for name, text in proposal.files.items()}
    if proposal.text != proposal.before:
        files = {place.file: proposal.text.encode("utf-8"), **files}
    written: dict[Path, bytes | None] = {}
    try:
        for file, content in files.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            written[file] = file.read_bytes() if file.exists() else None
            write_file(file, content, read=place.read if file == place.file else None)
    except BaseException as error:
        for file, former in reversed(written.items()):
            _restore(file, former)
        if isinstance(error, OSError):
            message = f"{error.filename or folder} cannot be written: {error.strerror}. Nothing was changed."
            raise GraphwrightError("unwritable", message, "Check the path and its permissions.") from None
        raise
    note(f"Wrote {', '.join(map(str, files))}. Talk to it: graphwright chat {shlex.quote(place.name)}")


def _restore(file: Path, content: bytes | None) -> None:
    with suppress(OSError, GraphwrightError):
        if content is None:
            file.unlink(missing_ok=True)
        elif file.read_bytes() != content:
            write_file(file, content)
