"""`python -m bench.lighthouse`: the Lighthouse scores of the web app; it fails below the promised score.

Lighthouse itself comes from the npm registry (`npx`, with a pinned version) at run time, and is stored by npm alone.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

VERSION = "13.5.0"
PROMISED = {"accessibility": 95, "best-practices": 95}
"""The minimum score of each category, of 100."""

_BROWSER = "--headless --no-sandbox --disable-gpu --disable-background-networking --disable-component-update"
_BIN = Path(sys.executable).parent


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """A service without data, and its address."""
    command = [sys.executable, "-m", "graphwright.cli", "serve", "--no-open", "--port", "0", "--model", "none"]
    environment = {**os.environ, "GRAPHWRIGHT_HOME": str(folder)}
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()


def begun(address: str) -> str:
    """A thread that waits at its first question."""
    with httpx.Client(base_url=f"{address}/api/v1/", timeout=60) as client:
        thread = str(client.post("threads", json={"agent": "intake"}).json()["thread"])
        client.post(f"threads/{thread}/turns", json={}, headers={"Accept": "text/event-stream"})
    return thread


def looked_at(page: str, folder: Path) -> tuple[dict[str, int], list[str]]:
    """The scores of a page in each promised category, of 100, and the audits that it does not fully pass."""
    report = folder / "report.json"
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome") or ""
    environment = {**os.environ, "PATH": f"{_BIN}{os.pathsep}{os.environ['PATH']}", "CHROME_PATH": chromium}
    command = ["npx", "--yes", f"lighthouse@{VERSION}", page, "--quiet", "--output=json", f"--output-path={report}"]
    command += [f"--only-categories={','.join(PROMISED)}", f"--chrome-flags={_BROWSER}"]
    subprocess.run(command, env=environment, check=True)
    told = json.loads(report.read_text("utf-8"))
    counted = {each["id"] for name in PROMISED for each in told["categories"][name]["auditRefs"] if each["weight"]}
    lacking = [name for name, audit in told["audits"].items() if name in counted and audit["score"] not in (None, 1)]
    return {name: round(100 * told["categories"][name]["score"]) for name in PROMISED}, lacking


def main() -> int:
    missed = False
    with tempfile.TemporaryDirectory() as scratch, served(Path(scratch)) as address:
        thread = begun(address)
        for place in (f"chat/{thread}", f"trace/{thread}", "graph", f"data/{thread}", "experiments", "logs", "access"):
            found, lacking = looked_at(f"{address}/#/{place}", Path(scratch))
            missed = missed or any(found[name] < least for name, least in PROMISED.items())
            print(place.partition("/")[0], *(f"{name} {score}" for name, score in found.items()), *lacking, sep="  ")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
