"""Where the command line writes: results to stdout, everything else to stderr, nothing that could drive a terminal."""

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

Part = str | tuple[str, str]
"""A text, or a text and its Rich style."""

# Everything below space but tab and newline, DEL, and the second control block: an ESC in a model's reply would
# otherwise be obeyed by the terminal.
_CONTROLS = {code: "\N{REPLACEMENT CHARACTER}" for code in (*range(32), *range(127, 160)) if code not in (9, 10)}
_CONTROLS[13] = ""


_reserved: TextIO | None = None


@contextmanager
def results_alone() -> Iterator[None]:
    """Inside, stdout belongs to the results: what the Python of an agent prints goes to stderr."""
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
    """Where results go."""
    return _reserved or sys.stdout


def clean(text: str) -> str:
    """The text without control characters, safe to show on a terminal."""
    return text.translate(_CONTROLS)


def result(text: str = "") -> None:
    """A line of the result, on stdout."""
    stdout().write(clean(text) + "\n")


def result_json(value: Any, *, compact: bool = False) -> None:
    """One JSON value on stdout: on one line when `compact`, else indented."""
    out = stdout()
    text = json.dumps(value, ensure_ascii=not _unicode(out), indent=None if compact else 2, default=str)
    out.write(text + "\n")
    if compact:
        out.flush()


def result_xml(text: str) -> None:
    """An XML document on stdout; what the encoding there may lack is written by number."""
    out = stdout()
    out.write(text if _unicode(out) else text.encode("ascii", "xmlcharrefreplace").decode("ascii"))


def _unicode(out: TextIO) -> bool:
    return (out.encoding or "").lower().replace("-", "").startswith("utf")


def terminal(stream: TextIO) -> Console:
    """A Rich console for stdout or stderr that takes text literally and never wraps it itself."""
    from rich.console import Console

    return Console(file=stream, highlight=False, markup=False, emoji=False, soft_wrap=True)


def note(*parts: Part) -> None:
    """A line on stderr, coloured where that is a terminal. A part is a text, or a text and its style."""
    _line(sys.stderr, parts)


def shown(*parts: Part) -> None:
    """A line of the result on stdout, coloured where that is a terminal."""
    _line(stdout(), parts)


def _line(stream: TextIO, parts: Sequence[Part]) -> None:
    texts = [(clean(part), "") if isinstance(part, str) else (clean(part[0]), part[1]) for part in parts]
    if stream.isatty() or "FORCE_COLOR" in os.environ:
        from rich.text import Text

        terminal(stream).print(Text.assemble(*texts))
    else:
        # Rich takes a tenth of a second to import, and would have nothing to add.
        stream.write("".join(text for text, _ in texts) + "\n")


def interactive() -> bool:
    """Whether somebody sits there who can be asked: stdin and stderr are both terminals."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def ask_yes(question: str, *, default: bool) -> bool:
    """Whether the user says yes; anything else is a no, an empty line the default. Only where `interactive()`."""
    sys.stderr.write(f"{clean(question)} {'[Y/n]' if default else '[y/N]'} ")
    sys.stderr.flush()
    line = sys.stdin.readline()
    answer = line.strip().lower()
    return answer in ("y", "yes") or bool(default and line and not answer)


def confirmed(question: str, doing: str, nothing: str, *, yes: bool) -> bool:
    """Whether something shall be done that cannot be taken back: `--yes`, or the user says so; else `nothing` is told.

    Raises UsageError (`not_confirmed`) where nobody can be asked; `doing` names it there: `Deleting thread t1`.
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
    """A time in ISO 8601 as people read it: `2026-11-22 14:30`."""
    return time[:16].replace("T", " ")


def facts(rows: Iterable[tuple[str, str]], width: int = 9) -> None:
    """Names and what they stand for, a line each, on stdout; `width` is that of the first column."""
    for name, value in rows:
        shown((f"{name:<{width}}", "dim"), value)


def columns(rows: Sequence[Sequence[str]], heading: Sequence[str]) -> None:
    """A table on stdout, one line a row. On a terminal the last column is cut at its edge, elsewhere nothing is."""
    from rich.cells import cell_len

    cells = [[" ".join(clean(cell).split()) for cell in row] for row in (heading, *rows)]
    widths = [max(cell_len(row[i]) for row in cells) for i in range(len(heading))]
    table(
        "  ".join([*(cell + " " * (widths[i] - cell_len(cell)) for i, cell in enumerate(row[:-1])), row[-1]])
        for row in cells
    )


def next_table(rows: Sequence[Sequence[str]], heading: Sequence[str]) -> None:
    """A table after a blank line, where it has rows."""
    if rows:
        result()
        columns(rows, heading)


def table(lines: Iterable[str]) -> None:
    """The lines of a table on stdout. On a terminal they are cut at its edge."""
    from rich.cells import cell_len, set_cell_size

    out = stdout()
    room = shutil.get_terminal_size().columns if out.isatty() else None
    for line in map(clean, lines):
        if room is not None and cell_len(line) > room:
            line = set_cell_size(line, max(room - 1, 1)) + "…"
        out.write(line.rstrip() + "\n")
