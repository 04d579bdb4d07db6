"""Output of the command line: results to stdout, everything else to stderr, without terminal control sequences."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING, Any, TextIO

from graphwright.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

__all__ = [
    "stdout",
    "result",
    "result_json",
    "result_xml",
    "note",
    "print_line",
    "confirmed",
    "minute",
    "facts",
    "columns",
    "next_table",
    "table",
]

Part = str | tuple[str, str]
"""A text, or a text and its Rich style."""

# All control characters except tab and newline: the terminal would otherwise obey an ESC in a model's reply.
_CONTROLS = {code: "\N{REPLACEMENT CHARACTER}" for code in (*range(32), *range(127, 160)) if code not in (9, 10)}
_CONTROLS[13] = ""


_reserved: TextIO | None = None


@contextmanager
def results_alone() -> Iterator[None]:
    """Reserve stdout for results: inside, the output of an agent's Python goes to stderr."""
    global _reserved
    if _reserved is not None:
        yield
        return
    _reserved = sys.stdout
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        _reserved = None


def stdout() -> TextIO:
    """Return the stream for results."""
    return _reserved or sys.stdout


def clean(text: str) -> str:
    """Return the text without control characters, safe to show on a terminal."""
    return text.translate(_CONTROLS)


def result(text: str = "") -> None:
    """Print a line of the result to stdout."""
    stdout().write(clean(text) + "\n")


def result_json(value: Any, *, compact: bool = False) -> None:
    """Print one JSON value to stdout, on one line if `compact`, else indented."""
    out = stdout()
    text = json.dumps(value, ensure_ascii=not _unicode(out), indent=None if compact else 2, default=str)
    out.write(text + "\n")
    if compact:
        out.flush()


def result_xml(text: str) -> None:
    """Print an XML document to stdout, with character references if its encoding is not Unicode."""
    out = stdout()
    out.write(text if _unicode(out) else text.encode("ascii", "xmlcharrefreplace").decode("ascii"))


def _unicode(out: TextIO) -> bool:
    return (out.encoding or "").lower().replace("-", "").startswith("utf")


def terminal(stream: TextIO) -> Console:
    """Return a Rich console for stdout or stderr that takes text literally and does not wrap it."""
    from rich.console import Console

    return Console(file=stream, highlight=False, markup=False, emoji=False, soft_wrap=True)


def note(*parts: Part) -> None:
    """Print a line to stderr, coloured on a terminal. A part is a text, or a text and its style."""
    _line(sys.stderr, parts)


def print_line(*parts: Part) -> None:
    """Print a line of the result to stdout, coloured on a terminal."""
    _line(stdout(), parts)


def _line(stream: TextIO, parts: Sequence[Part]) -> None:
    texts = [(clean(part), "") if isinstance(part, str) else (clean(part[0]), part[1]) for part in parts]
    if stream.isatty() or "FORCE_COLOR" in os.environ:
        from rich.text import Text

        terminal(stream).print(Text.assemble(*texts))
    else:
        # Not through Rich: its import takes a tenth of a second, and it would add nothing.
        stream.write("".join(text for text, _ in texts) + "\n")


def interactive() -> bool:
    """Return whether a user can be asked: stdin and stderr are both terminals."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def ask_yes(question: str, *, default: bool) -> bool:
    """Ask the user; return whether the answer is yes. An empty line means the default. Requires `interactive()`."""
    sys.stderr.write(f"{clean(question)} {'[Y/n]' if default else '[y/N]'} ")
    sys.stderr.flush()
    line = sys.stdin.readline()
    answer = line.strip().lower()
    return answer in ("y", "yes") or bool(default and line and not answer)


def confirmed(question: str, doing: str, nothing: str, *, yes: bool) -> bool:
    """Return whether the user confirms an irreversible action, by `--yes` or when asked; if not, print `nothing`.

    Raises UsageError (`not_confirmed`) if the user cannot be asked; its message begins with `doing`, such as `Deleting
    thread t1`.
    """
    if yes:
        return True
    if not interactive():
        raise UsageError("not_confirmed", f"{doing} was not confirmed.", "Add --yes to confirm it.")
    if not ask_yes(question, default=False):
        note(nothing)
        return False
    return True


def minute(time: str) -> str:
    """Return an ISO 8601 time in a shorter form: `2026-11-22 14:30`."""
    return time[:16].replace("T", " ")


def facts(rows: Iterable[tuple[str, str]], width: int = 9) -> None:
    """Print names and values to stdout, one pair per line; `width` is that of the first column."""
    for name, value in rows:
        print_line((f"{name:<{width}}", "dim"), value)


def columns(rows: Sequence[Sequence[str]], heading: Sequence[str]) -> None:
    """Print a table to stdout, one line per row. On a terminal, lines are cut at its edge."""
    from rich.cells import cell_len

    cells = [[" ".join(clean(cell).split()) for cell in row] for row in (heading, *rows)]
    widths = [max(cell_len(row[i]) for row in cells) for i in range(len(heading))]
    table(
        "  ".join([*(cell + " " * (widths[i] - cell_len(cell)) for i, cell in enumerate(row[:-1])), row[-1]])
        for row in cells
    )


def next_table(rows: Sequence[Sequence[str]], heading: Sequence[str]) -> None:
    """Print a table after a blank line, if it has rows."""
    if rows:
        result()
        columns(rows, heading)


def table(lines: Iterable[str]) -> None:
    """Print the lines of a table to stdout. On a terminal they are cut at its edge."""
    from rich.cells import cell_len, set_cell_size

    out = stdout()
    room = shutil.get_terminal_size().columns if out.isatty() else None
    for line in map(clean, lines):
        if room is not None and cell_len(line) > room:
            line = set_cell_size(line, max(room - 1, 1)) + "…"
        out.write(line.rstrip() + "\n")
