"""Run the scripted conversations of an agent on a draft of its flow, in a separate process.

`python -m graphwright.testing.drafts` reads `{"agent": NAME, "document": TEXT, "only": [NAME], "added": {NAME: TEXT},
"earlier": [TEXT]}` from standard input, and prints one JSON object a line: `{"total": N}`, the `{"result": ...}` of
each conversation as `graphwright test --json` shows it, and the `{"coverage": ...}` of the agent's own flow.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sys
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from graphwright.errors import GraphwrightError, UsageError
from graphwright.flow import CompiledFlow
from graphwright.flow.compiled import Question
from graphwright.host.agent import Agent, load
from graphwright.host.discovery import find, place_of
from graphwright.store import EventRow
from graphwright.testing._conversation import SUFFIX
from graphwright.testing._counterexamples import Counterexample, find_counterexample
from graphwright.testing._counterexamples import conversation_text as counterexample_text
from graphwright.testing._golden import golden_path
from graphwright.testing._recording import conversation_text, record
from graphwright.testing._running import Result
from graphwright.testing._suite import Unusable, find_conversations, result_json, run_suite

__all__ = [
    "SUFFIX",
    "conversations_of",
    "counterexamples",
    "delete_conversation",
    "keep_conversation",
    "main",
    "recorded",
    "run_draft",
]

_NAME = re.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,59}")


def conversations_of(agent: str) -> dict[str, Path]:
    """Return the conversation files in an agent's folder, by their path below it. Empty if there are none.

    Raises UsageError (`unknown_agent`).
    """
    folder = find(agent).parent
    try:
        files = find_conversations([folder])
    except GraphwrightError as error:
        if error.code == "no_conversations":
            return {}
        raise
    return {file.relative_to(folder).as_posix(): file for file in files}


def counterexamples(flow: CompiledFlow) -> list[tuple[str, Counterexample | None, str]]:
    """Return each assurance of a flow with a conversation that violates it, and that as a file in `tests`.

    The conversation is None, and the file empty, if none was found in the time of a search.
    """
    found = [(each.text, find_counterexample(flow, each)) for each in flow.assurances]
    return [(text, example, counterexample_text(example, "..") if example else "") for text, example in found]


def recorded(
    rows: Sequence[EventRow], agent: Agent, name: str = "..", head: str = "Recorded from a trial of the draft."
) -> tuple[str, list[str]]:
    """Return a thread as the text of a conversation file in the folder `tests` of its agent, and notes about it.

    Raises UsageError (`nothing_to_record`), and GraphwrightError (`not_recordable`).
    """
    recording = record(rows, agent)
    return conversation_text(recording.to_json(name), head), recording.notes


def keep_conversation(agent: str, name: str, text: str, *, replace: bool = False) -> str:
    """Write a conversation into the folder `tests` of an agent; return its path below the folder of the agent.

    With `replace` one of this name is replaced, and its golden trace deleted.

    Raises UsageError (`bad_name`, `conversation_exists`, `packaged`, `unwritable`).
    """
    file = _kept_file(agent, name)
    try:
        file.parent.mkdir(exist_ok=True)
        with file.open("w" if replace else "x", encoding="utf-8") as stream:
            stream.write(text)
        golden_path(file).unlink(missing_ok=True)
    except FileExistsError:
        message = f"There is a conversation {name} already."
        raise UsageError("conversation_exists", message, "Choose another name.") from None
    except OSError as error:
        message = f"The folder of the agent cannot be written: {error.strerror}."
        raise UsageError("unwritable", message, "Keep the conversation as a file of your own.") from None
    return f"tests/{file.name}"


def delete_conversation(agent: str, name: str) -> None:
    """Delete a conversation, and its golden trace, from the folder `tests` of an agent.

    Raises UsageError (`bad_name`, `not_found`, `packaged`, `unwritable`).
    """
    file = _kept_file(agent, name)
    try:
        file.unlink()
        golden_path(file).unlink(missing_ok=True)
    except FileNotFoundError:
        message = f"There is no conversation {name} in the folder tests of the agent."
        raise UsageError("not_found", message, "List its conversations.") from None
    except OSError as error:
        message = f"The folder of the agent cannot be written: {error.strerror}."
        raise UsageError("unwritable", message, "Delete the file yourself.") from None


def _kept_file(agent: str, name: str) -> Path:
    """Return the file of a conversation in the folder `tests` of an agent. Raises UsageError."""
    if not _NAME.fullmatch(name):
        message = f"A conversation cannot be named {name[:60]!r}."
        raise UsageError("bad_name", message, "Use letters, digits, - and _, at most 60 of them.")
    place = place_of(agent)
    if place.package:
        message = f"The agent belongs to the package {place.package}, which is not changed here."
        raise UsageError("packaged", message, "Keep the conversation as a file of your own.")
    return place.file.parent / "tests" / f"{name}{SUFFIX}"


async def run_draft(
    agent: str,
    document: str,
    *,
    only: Iterable[str] = (),
    added: Mapping[str, str] | None = None,
    earlier: Iterable[str] = (),
    seconds: float,
) -> AsyncGenerator[Mapping[str, Any], None]:
    """Run the conversations of an agent on a document in a separate process; yield its lines, or an `error`.

    `only` are the names of conversations, by default all; `added` are the texts of new and replaced ones by their
    names. A conversation may name answers by the keys that their questions had in `earlier` documents, the newest
    first. The process and those that its actions started are killed after `seconds`, and if the caller stops listening.
    """
    given = {"agent": agent, "document": document, "only": list(only), "added": dict(added or {})}
    given["earlier"] = list(earlier)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "graphwright.testing.drafts"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        limit=16_000_000,
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(seconds):
            async for line in _lines(process, json.dumps(given).encode()):
                yield line
    except TimeoutError:
        message = f"The conversations took longer than {seconds:g} s, and were stopped."
        yield {"error": {"code": "tests_stopped", "message": message, "hint": "Run a single one."}}
    finally:
        # Its processes keep its output open, and `wait` waits for the end of that.
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


async def _lines(process: asyncio.subprocess.Process, given: bytes) -> AsyncIterator[Mapping[str, Any]]:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(given)
    await process.stdin.drain()
    process.stdin.close()
    while line := await process.stdout.readline():
        yield json.loads(line)
    if await process.wait():
        message = f"The process of the conversations ended with {process.returncode}."
        yield {"error": {"code": "tests_failed", "message": message, "hint": "graphwright test shows why."}}


def main() -> None:
    """Run the conversations that standard input names."""
    given: Mapping[str, Any] = json.load(sys.stdin)
    with tempfile.TemporaryDirectory(prefix="graphwright-draft-") as added:
        _run(given, Path(added).resolve())


def _run(given: Mapping[str, Any], added: Path) -> None:
    """Run the conversations; the added ones are written below the folder `added`, which stands for the agent's."""
    own = find(given["agent"]).resolve()
    output, sys.stdout = sys.stdout, sys.stderr

    def emit(line: Mapping[str, Any]) -> None:
        # A client that edits a flow over HTTP must not see where the folder is.
        text = json.dumps(line, ensure_ascii=False)
        output.write(text.replace(f"{own.parent}/", "").replace(f"{added}/", "") + "\n")
        output.flush()

    def load_agent(name: str | Path) -> Agent:
        is_own = Path(name).resolve() in (added, added / own.name)
        file = own if is_own else find(str(name)).resolve()
        return load(own if file == own else name, document=given["document"] if file == own else None)

    chosen = conversations_of(given["agent"]) | _written(given.get("added") or {}, added)
    chosen = {name: file for name, file in chosen.items() if not given.get("only") or name in given["only"]}
    names = {file: name for name, file in chosen.items()}
    emit({"total": len(chosen)})

    def on_result(result: Result | Unusable) -> None:
        emit({"result": {**result_json(result, trace=True), "file": names[result.path]}})

    keys = _renamed_keys(own, given["document"], given.get("earlier") or ())
    suite = run_suite(chosen.values(), on_result=on_result, load_agent=load_agent, renamed_keys=keys)
    coverage = suite.coverage.get(own)
    emit({"coverage": coverage.to_json() if coverage else None})


def _renamed_keys(file: Path, document: str, earlier: Iterable[str]) -> dict[str, str]:
    """The present keys of answers by those that the same questions had in earlier documents."""
    # A document with errors names no answers.
    with suppress(GraphwrightError):
        now = load(file, document=document).flow
        return {was: key for text in reversed(list(earlier)) for was, key in _changed_keys(file, text, now)}
    return {}


def _changed_keys(file: Path, earlier: str, now: CompiledFlow) -> Iterator[tuple[str, str]]:
    """Yield the earlier and the present key of each question that has another one now."""
    with suppress(GraphwrightError):
        for question in load(file, document=earlier).flow.questions:
            present = now.nodes.get(now.renamed.get(question.id, question.id))
            if isinstance(present, Question) and present.key != question.key:
                yield question.key, present.key


def _written(added: Mapping[str, str], folder: Path) -> dict[str, Path]:
    """Write conversations below a folder. A name that leads out of it is left out."""
    files = {name: folder / name for name in added if ".." not in Path(name).parts and not Path(name).is_absolute()}
    for name, file in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(added[name], "utf-8")
    return files


if __name__ == "__main__":
    main()
