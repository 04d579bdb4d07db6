"""`graphwright log`: query the interaction log, list its sessions, and remove old interactions."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from graphwright.cli.commands import CommandGroup
from graphwright.cli.console import columns, confirmed, minute, note, print_line, result, result_json
from graphwright.cli.failures import Debug, Json, Yes
from graphwright.errors import UsageError
from graphwright.text.sentences import many

if TYPE_CHECKING:
    from graphwright.store.interactions import Interaction, InteractionSink

__all__ = ["app"]

app = typer.Typer(cls=CommandGroup, rich_markup_mode=None, no_args_is_help=True)

T = TypeVar("T")

_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_LINES = 6
"""Maximum number of printed lines of a text."""


@app.callback()
def log() -> None:
    """Query and purge the interaction log.

    It has the question, code, result, reply, error and costs of each turn. It is in the data folder, or at
    the address in GRAPHWRIGHT_INTERACTIONS.
    """


@app.command()
def query(
    session: Annotated[str, typer.Option("--session", metavar="T", help="Only interactions of this thread.")] = "",
    agent: Annotated[str, typer.Option("--agent", metavar="A", help="Only interactions of this agent.")] = "",
    failed: Annotated[bool, typer.Option("--failed", help="Only failed interactions.")] = False,
    since: Annotated[
        str, typer.Option("--since", metavar="AGE", help="Only interactions of the last 30m, 12h, 7d or 4w.")
    ] = "",
    text: Annotated[
        str,
        typer.Option("--text", metavar="WORDS", help="Only interactions that contain all these words in any text."),
    ] = "",
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, help="The largest number of interactions.")] = 20,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """List interactions, the latest first.

    Only the first lines of each text are printed; --json prints all.
    """
    from graphwright.store.interactions import Query

    asked = Query(
        session, agent, False if failed else None, _ago(since, "--since") if since else "", tuple(text.split()), limit
    )
    found = _with_log(lambda log: log.find(asked))
    if as_json:
        result_json([each.model_dump() for each in found])
        return
    for number, each in enumerate(found):
        if number:
            result()
        _show(each)
    if not found:
        there = _with_log(lambda log: log.count() is not None)
        note("There are no such interactions." if there else _none_yet())
    elif len(found) == limit:
        note((f"These are the last {limit}; there may be more: --limit N", "dim"))


@app.command()
def sessions(as_json: Json = False, debug: Debug = False) -> None:
    """List the threads that have interactions, the most recent first."""
    rows = _with_log(lambda log: log.sessions())
    if as_json:
        result_json([asdict(row) for row in rows])
    elif not rows:
        note(_none_yet())
    else:
        columns(
            [(r.session, str(r.interactions), str(r.failed), minute(r.first), minute(r.last), r.agent) for r in rows],
            ("SESSION", "INTERACTIONS", "FAILED", "FIRST", "LAST", "AGENT"),
        )


@app.command()
def purge(
    older_than: Annotated[
        str, typer.Option("--older-than", metavar="AGE", help="Such as 30d, 12h or 4w; 0d removes all.")
    ],
    yes: Yes = False,
    debug: Debug = False,
) -> None:
    """Remove interactions that are older than some age.

    Threads and their traces stay.
    """
    before = _ago(older_than, "--older-than")
    label, count = _with_log(lambda log: (log.label, log.count(before)))
    if not count:
        note(f"Nothing in {label} is older than {older_than.strip()}." if count is not None else _none_yet())
        return
    what = f"{many(count, 'interaction')} older than {older_than.strip()} from {label}"
    question = f"Remove {what}? They cannot be brought back."
    if confirmed(question, f"Removing {what}", "Nothing was removed.", yes=yes):
        gone = _with_log(lambda log: log.purge(before))
        note(f"Removed {many(gone, 'interaction')}.")


def _show(each: Interaction) -> None:
    """Print an interaction: a heading, and the first lines of its texts."""
    from graphwright.testing._trace_lines import value_text

    calls = many(each.model_calls, "model call")
    print_line(
        (minute(each.started), "dim"),
        f"  {each.session} #{each.number}  {each.agent}  {each.type}  ",
        ("ok", "green") if each.success else ("failed", "bold red"),
        (f"  {each.seconds:.1f} s, {calls}, {each.tokens:,} tokens", "dim"),
    )
    texts = {name: getattr(each, name) for name in ("question", "code", "result", "error", "reply")}
    texts["metadata"] = ", ".join(f"{name} = {value_text(value)}" for name, value in each.metadata.items())
    for name, text in texts.items():
        lines = text.strip("\n").splitlines()
        more = [f"({many(len(lines) - _LINES, 'more line')})"] if len(lines) > _LINES else []
        for number, line in enumerate([*lines[:_LINES], *more]):
            print_line((f"  {'' if number else name:<9} ", "dim"), line if len(line) <= 300 else f"{line[:299]}…")


def _with_log(work: Callable[[InteractionSink], T]) -> T:
    from graphwright.store.home import data_home
    from graphwright.store.interactions import configured

    opened = configured(data_home())
    if opened is None:
        raise UsageError(
            "log_off",
            "The interaction log is switched off.",
            "Take 'off' out of GRAPHWRIGHT_INTERACTIONS, or out of interactions in graphwright.toml.",
        )
    return work(opened)


def _none_yet() -> str:
    return _with_log(lambda log: f"There are no interactions yet in {log.label}.")


def _ago(age: str, option: str) -> str:
    """Return the time that long ago, in the log's format. Raises UsageError (`bad_age`)."""
    if found := re.fullmatch(r"([0-9]{1,5})([mhdw])", age.strip().lower()):
        then = datetime.now(UTC) - timedelta(**{_UNITS[found[2]]: int(found[1])})
        return then.isoformat(timespec="microseconds").replace("+00:00", "Z")
    raise UsageError(
        "bad_age", f"{option} {age[:40]!r} is not an age.", "Write minutes, hours, days or weeks: 30m, 12h, 7d, 4w."
    )
