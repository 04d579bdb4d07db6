"""The download of the embedded model as the user sees it: a bar on a terminal, a few lines elsewhere."""

from __future__ import annotations

import sys
from pathlib import Path

from graphwright.cli.console import ask_yes, interactive, note, terminal

SIZE = "1.1 GB"


def pull_model() -> Path:
    """Fetch the embedded model, showing on stderr how far it is. Raises what `graphwright.models.pull` raises."""
    from graphwright.models.pull import pull

    if not sys.stderr.isatty():
        return pull(progress=_Lines())
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    bars = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
        console=terminal(sys.stderr),
    )
    with bars:
        tasks = {}

        def show(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total)
            bars.update(tasks[stage], completed=done, total=total)

        return pull(progress=show)


def offer_model() -> bool:
    """Offer the download to whoever sits at the terminal; True when the model is there afterwards."""
    if not interactive():
        return False
    note(f"The embedded model is not on this machine yet. It is {SIZE} and is fetched once.")
    if not ask_yes("Download it now?", default=True):
        return False
    note(f"The embedded model is at {pull_model()}.")
    return True


class _Lines:
    """Progress without a terminal: a line for every tenth of a stage."""

    def __init__(self) -> None:
        self.said: dict[str, int] = {}

    def __call__(self, stage: str, done: int, total: int) -> None:
        tenth = 10 * done // total if total else 10
        if tenth > self.said.get(stage, -1):
            self.said[stage] = tenth
            note(f"{stage}: {tenth * 10} %")
