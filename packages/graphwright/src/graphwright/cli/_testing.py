"""`graphwright test` and `record`: run scripted conversations, and record them from real threads."""

from __future__ import annotations

import os
import shlex
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphwright.cli.console import Part, note, print_line, result, result_json, results_alone, stdout
from graphwright.cli.conversation import ShadowOption, agent_of, comparison_text, loaded, with_store
from graphwright.cli.failures import DONE, FAILED, USAGE, Debug, json_option
from graphwright.errors import UsageError

if TYPE_CHECKING:
    from graphwright.testing._coverage import Coverage
    from graphwright.testing._running import Mismatch, Result
    from graphwright.testing._suite import Suite, Unusable

MOST_GAPS = 10
"""Maximum number of printed gaps of one flow; `--json` has all."""


def run_tests(
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="PATH...", help="Conversation files, folders with such files, or built-in agents."),
    ] = None,
    update: Annotated[
        bool, typer.Option("--update", help="Write the golden traces instead of comparing them.")
    ] = False,
    min_coverage: Annotated[
        float | None,
        typer.Option(
            "--min-coverage",
            metavar="PERCENT",
            help="Exit with 1 if a smaller share of a flow's edges was taken.",
            min=0,
            max=100,
        ),
    ] = None,
    trace: Annotated[
        bool, typer.Option("--trace", help="Show the trace of each conversation below its result.")
    ] = False,
    shadow: ShadowOption = None,
    as_json: Annotated[bool, json_option("Print the results and the coverage as one JSON object.")] = False,
    debug: Debug = False,
) -> None:
    """Run scripted conversations and report their coverage.

    Each *.conversation.yaml runs with the real engine, in a new data folder; only the model is scripted, and what the
    file stubs. Exit code 1 if a result differs from the expected one, 2 if a file could not be run.
    """
    from graphwright.host.agent import load
    from graphwright.testing._suite import find_conversations, run_suite

    if shadow is not None and update:
        hint = "Leave one of them out."
        raise UsageError("shadow_update", "With --shadow another flow answers, so no golden trace is written.", hint)
    if not paths:
        raise UsageError("no_file", "No conversation was named.", "Name files or folders: graphwright test tests")
    files = find_conversations(paths)
    with results_alone():
        show = None if as_json else partial(_show_result, trace=trace)
        suite = run_suite(files, update=update, on_result=show, load_agent=partial(load, shadow=shadow))
        below = suite.below(min_coverage) if min_coverage is not None else []
        code = USAGE if suite.unusable else FAILED if suite.failed or below else DONE
        if as_json:
            result_json({**suite.to_json(trace=trace), **({"status": "failed"} if below else {})})
        else:
            _show_summary(suite)
        for flow in below:
            edges = flow.edges
            note(
                f"{flow.agent.flow.id}: {edges} edges are {edges.percent:.1f} %, "
                f"and {min_coverage:g} % are required (--min-coverage)."
            )
    raise typer.Exit(code)


def record(
    thread: Annotated[str, typer.Argument(metavar="THREAD", help="A thread id, as 'graphwright threads' lists it.")],
    out: Annotated[
        str | None, typer.Option("--out", metavar="FILE", help="Write it to this *.conversation.yaml, not to stdout.")
    ] = None,
    debug: Debug = False,
) -> None:
    """Record a scripted conversation from a real thread.

    It contains the messages of the user, the answers of the model, and the results as expectations. Results that cannot
    be reproduced, such as those of actions, are not expected; stderr lists them.
    """
    from graphwright.testing._conversation import SUFFIX
    from graphwright.testing._recording import conversation_text
    from graphwright.testing._recording import record as recorded

    file = Path(out) if out is not None else None
    if file is not None and not file.name.endswith(SUFFIX):
        raise UsageError("not_a_conversation", f"{out} is not a name for a conversation.", f"Name it *{SUFFIX}.")
    address = agent_of(thread)
    recording = recorded(with_store(lambda store: store.events.read(thread)), loaded(address))
    data = recording.to_json(_seen_from(address, file.parent if file is not None else Path()))
    text = conversation_text(data, f"Recorded from thread {thread}.")
    if file is None:
        stdout().write(text)
    else:
        # An existing file is never overwritten: mode "x" raises an error.
        with file.open("x", encoding="utf-8") as stream:
            stream.write(text)
        result(str(file))
    for remark in recording.notes:
        note(("note: ", "yellow"), remark)
    if file is not None:
        note(f"Run it: graphwright test {shlex.quote(str(file))}")


def _seen_from(address: str, folder: Path) -> str:
    """Return the agent's name for a conversation file in a folder: the name itself, or the agent's relative path."""
    if not os.path.isabs(address):
        return address
    path = os.path.relpath(address, folder.absolute())
    return path if path.startswith(os.pardir) else os.path.join(os.curdir, path)


def _show_result(each: Result | Unusable, *, trace: bool) -> None:
    from graphwright.testing._suite import Unusable

    name = _named(each.path)
    if isinstance(each, Unusable):
        print_line(("UNUSABLE  ", "bold red"), name)
        for line in each.error.full_text.split("\n"):
            result(f"  {line}")
    else:
        turns = f"{each.turns:,} turn{'' if each.turns == 1 else 's'}, {each.seconds:.1f} s"
        traced = {"written": ", golden trace written", "kept": ", golden trace not written"}.get(each.trace, "")
        style, word = ("green", "ok      ") if each.passed else ("bold red", "FAILED  ")
        print_line((word, style), name, (f" ({turns}{traced})", "dim"))
        for mismatch in each.mismatches:
            _show_mismatch(mismatch)
        for turn, compared in each.compared:
            style = "dim" if compared.verdict == "same" else "yellow"
            print_line("  ", (f"shadow, turn {turn}: ", style), comparison_text(compared))
        for line in each.trace_lines() if trace else ():
            print_line("    ", (line, "dim"))
    stdout().flush()


_STYLES = {"-": "red", "+": "green", "@": "cyan"}


def _show_mismatch(mismatch: Mismatch) -> None:
    place = (f"line {mismatch.line}: ", "dim") if mismatch.line else ""
    print_line("  ", place, str(mismatch))
    for line in mismatch.diff:
        print_line("    ", (line, _STYLES.get(line[:1], "")))


def _show_summary(suite: Suite) -> None:
    for coverage in suite.coverage.values():
        # After failures, missing coverage is not reported as a gap.
        _show_coverage(coverage, gaps=not (suite.failed or suite.unusable))
    told: list[Part] = []
    counts = [
        (suite.passed, "passed", "green"),
        (suite.failed, "failed", "bold red"),
        (suite.unusable, "could not be run", "bold red"),
    ]
    for number, words, style in counts:
        if number:
            told += [(f"{number:,} {words}", style), ", "]
    print_line(*told[:-1], ".")


def _show_coverage(coverage: Coverage, *, gaps: bool) -> None:
    file = _named(coverage.file)
    counts = f"edges {coverage.edges}, guards {coverage.guards}, nodes {coverage.nodes}"
    print_line((coverage.agent.flow.id, "bold"), f" ({file}): {counts}")
    found = coverage.gaps() if gaps else []
    for gap in found[:MOST_GAPS]:
        guard = f"  {gap.guard}" if gap.guard else ""
        place = f"{_named(Path(gap.file)) if gap.file else file}:{gap.line}"
        print_line((f"  {place}: ", "dim"), f"{gap.what}{guard}", (f"  never {gap.never}", "yellow"))
    if len(found) > MOST_GAPS:
        result(f"  and {len(found) - MOST_GAPS:,} more (--json has all)")


def _named(path: Path) -> str:
    """Return the path relative to the current folder, but absolute if it is not below it."""
    near = os.path.relpath(path)
    return str(path) if near.startswith(os.pardir) else near
