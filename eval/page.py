"""The page of figures: a place for each section between two marks, and helpers for its tables."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from bench.machine import processor
from graphwright.errors import UsageError


def put_into(page: Path, section: str, markdown: str) -> None:
    """Replace the text between the marks of the section. Raises UsageError for a page without them."""
    begin, end = f"<!-- {section}:begin, written by `make eval` -->", f"<!-- {section}:end -->"
    text = page.read_text("utf-8") if page.is_file() else f"{begin}\n{end}\n"
    head, found, rest = text.partition(begin)
    _, closed, tail = rest.partition(end)
    if not (found and closed):
        raise UsageError("no_marks", f"{page} has no place for the figures", f"Write {begin} and {end} into it.")
    page.write_text(f"{head}{begin}\n\n{markdown}\n\n{end}{tail}", "utf-8")


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table in Markdown."""
    lines = [f"| {' | '.join(map(str, cells))} |" for cells in (head, *rows)]
    return "\n".join([lines[0], "|" + "---|" * len(head), *lines[1:]])


def machine() -> str:
    """The machine in a phrase: cores, processor, memory."""
    parts = [f"{os.cpu_count()} cores ({processor()})"]
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        parts.append(f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GB of memory")
    return ", ".join(parts)
