"""A place to work on one question: a fresh data folder with the sample, a clock that stands, and nothing configured."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from functools import cache
from pathlib import Path

from graphwright.config import without_file
from graphwright.knowledge.finding import SAMPLE, ChosenKnowledge
from graphwright.logbook.words import SAMPLE as LOG_SAMPLE

NOW = datetime(2026, 11, 18, 9, 30)
"""The wall clock of every case. Always the same, so that every run sends the same prompts."""

_VARIABLES = ("GRAPHWRIGHT_EMBEDDINGS", "GRAPHWRIGHT_ELOG_USER", "GRAPHWRIGHT_ELOG_PASSWORD", "GRAPHWRIGHT_TODAY")


def clock() -> datetime:
    """Now, in the zone of this machine."""
    return NOW.astimezone()


@contextmanager
def workspace() -> Iterator[Path]:
    """The data folder, whose pages are indexed already. Inside, neither file nor environment configure anything."""
    set_aside = {name: os.environ.pop(name) for name in _VARIABLES if name in os.environ}
    try:
        with without_file(), tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            home = Path(folder) / "home"
            shutil.copytree(_indexed().name, home)
            yield home
    finally:
        os.environ.update(set_aside)


@cache
def _indexed() -> tempfile.TemporaryDirectory[str]:
    """A data folder in which the sample pages are indexed: once a process, and copied for each case."""
    folder: tempfile.TemporaryDirectory[str] = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
    with closing(ChosenKnowledge(Path(folder.name))) as knowledge:
        knowledge.index()
    return folder


def corpus(given: Path) -> str:
    """A hash of the sample pages, the sample logbook, and the files in the folder `given`."""
    digest = hashlib.sha256()
    for root in (SAMPLE, LOG_SAMPLE, given):
        for file in sorted(each for each in root.rglob("*") if each.is_file()):
            digest.update(file.relative_to(root).as_posix().encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]
