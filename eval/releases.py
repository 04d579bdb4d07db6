"""The documentation of pinned releases of other projects, downloaded by pip at its first use."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tarfile
import tempfile
from contextlib import suppress
from pathlib import Path

from graphwright.errors import GraphwrightError


def documentation(package: str, version: str, sha256: str, work: Path) -> Path:
    """The folder of the documents of a release, kept in the work folder.

    Raises GraphwrightError if it cannot be downloaded, or has unexpected content.
    """
    folder, release = work / f"{package}-{version}", f"{package}=={version}"
    if folder.is_dir():
        return folder
    work.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=work) as spare:
        options = ["--quiet", "--no-deps", "--no-binary", ":all:", "--dest", spare]
        command = [sys.executable, "-m", "pip", "download", *options, release]
        ran = subprocess.run(command, capture_output=True, text=True)
        archives = list(Path(spare).glob("*.tar.gz"))
        if ran.returncode or not archives:
            last = (ran.stderr.strip().splitlines() or ["no reason given"])[-1]
            raise GraphwrightError("not_fetched", f"{release} cannot be fetched: {last}", "Check pip and its index.")
        if hashlib.sha256(archives[0].read_bytes()).hexdigest() != sha256:
            raise GraphwrightError(
                "not_fetched", f"{archives[0].name} is not the pinned release.", "Look at the index."
            )
        unpacked = Path(spare) / "unpacked"
        with tarfile.open(archives[0]) as archive:
            # Without its programs, because tools that check our code would check them, too.
            files = [each for each in archive.getmembers() if each.isfile() and not each.name.endswith(".py")]
            docs = [each for each in files if each.name.split("/")[1:2] == ["docs"]]
            archive.extractall(unpacked, docs, filter="data")
        with suppress(OSError):  # another process was first
            (next(unpacked.iterdir()) / "docs").rename(folder)
    return folder
