"""`python -m bench.passes`: how many modules of Graphwright one message passes, and how many calls it makes.

The scripted model reads the message as the answer to a question; an action follows, and the trace is written. Calls are
counted after a warm-up, with `sys.setprofile` in every thread: of a session, over HTTP, and of the command line.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, redirect_stdout
from io import StringIO
from pathlib import Path
from types import FrameType
from typing import Any

import graphwright
import graphwright_server
from bench.flows import agent, one_action
from bench.turns import EXTRACTED
from graphwright import Agent

PACKAGES = tuple(Path(str(module.__file__)).parent for module in (graphwright, graphwright_server))
_PLACES = tuple(f"{package}/" for package in PACKAGES)


FOUND = {"key": "colour", "value": "red", "quote": "red"}
RULES = [{"offers": "UpdateAnswers", "call": {"UpdateAnswers": {"language": "en", "answers": [FOUND]}}}]


def _prepared(folder: Path) -> tuple[Agent, str]:
    """The agent, and the name of its model."""
    rules = folder / "rules.json"
    rules.write_text(json.dumps(RULES), "utf-8")
    return agent(folder / "action", one_action("extract")), f"scripted:{rules}"


class Passed:
    """The calls of functions of Graphwright, by module."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()

    def _count(self, frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_name != "<module>" and frame.f_code.co_filename.startswith(_PLACES):
            self.calls[frame.f_code.co_filename] += 1

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Count the calls of this thread, and of those that begin inside."""
        threading.setprofile(self._count)
        sys.setprofile(self._count)
        try:
            yield
        finally:
            sys.setprofile(None)
            threading.setprofile(None)

    def to_json(self) -> dict[str, Any]:
        """`{modules, calls, by_module}`, the module called most often first."""
        named = {_name(Path(file)): count for file, count in self.calls.most_common()}
        return {"modules": len(named), "calls": sum(named.values()), "by_module": named}


def _name(file: Path) -> str:
    """The path of a module inside `graphwright`, or with its package."""
    core = file.is_relative_to(PACKAGES[0])
    package = next(each for each in PACKAGES if file.is_relative_to(each))
    return file.relative_to(package if core else package.parent).as_posix()


async def by_session(folder: Path) -> Passed:
    """One message to an open session."""
    passed = Passed()
    made, model = _prepared(folder)
    async with made.session("t", home=folder / "home", model=model) as session:
        await session.start()
        await session.send(EXTRACTED)
        with passed.counting():
            turn = await session.send(EXTRACTED)
    assert turn.status == "waiting", turn.error
    return passed


async def over_http(folder: Path) -> Passed:
    """One message to the service, in the same process."""
    import httpx

    from graphwright_server._app import create_app
    from graphwright_server._settings import ServiceSettings

    _, model = _prepared(folder)
    passed = Passed()
    app = create_app(ServiceSettings(home=folder / "home", model=model, agents=(str(folder / "action"),)))
    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            made = await client.post("/api/v1/threads", json={"agent": "action"})
            path = f"/api/v1/threads/{made.raise_for_status().json()['thread']}/turns"
            stream = {"Accept": "text/event-stream"}
            for body in ({}, {"message": EXTRACTED}):
                (await client.post(path, json=body, headers=stream)).raise_for_status()
            with passed.counting():
                answer = await client.post(path, json={"message": EXTRACTED}, headers=stream)
    if '"status":"waiting"' not in answer.text.replace(" ", ""):
        raise RuntimeError(f"The turn did not come to its question: {answer.text[-300:]}")
    return passed


def by_command(folder: Path) -> Passed:
    """One `graphwright ask` in this process, without the compilation of the flow."""
    from graphwright.cli._app import run

    _, model = _prepared(folder)
    os.environ["GRAPHWRIGHT_HOME"] = str(folder / "home")
    passed = Passed()
    command = ["ask", str(folder / "action"), EXTRACTED, "--thread", "t", "--json", "--model", model]
    for counted in (False, False, True):
        with passed.counting() if counted else nullcontext(), redirect_stdout(StringIO()):
            run(command)
    for name in [name for name in passed.calls if name.startswith(str(PACKAGES[0] / "flow"))]:
        del passed.calls[name]
    return passed


def main() -> None:
    """Print the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="every module with its calls")
    chosen = parser.parse_args()
    counted: dict[str, Passed] = {}
    for name, count in {"session": by_session, "http": over_http}.items():
        with tempfile.TemporaryDirectory() as folder:
            counted[name] = asyncio.run(count(Path(folder)))
    with tempfile.TemporaryDirectory() as folder:
        counted["command"] = by_command(Path(folder))
    if chosen.json:
        print(json.dumps({name: passed.to_json() for name, passed in counted.items()}, indent=2))
        return
    for name, passed in counted.items():
        told = passed.to_json()
        print(f"{name}: {told['modules']} modules, {told['calls']:,} calls")


if __name__ == "__main__":
    main()
