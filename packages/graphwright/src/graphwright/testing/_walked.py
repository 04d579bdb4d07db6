"""Which scripted conversations walk through given nodes of a flow: by golden traces, by expectations, or by running."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from graphwright.errors import GraphwrightError
from graphwright.host.discovery import name_of, place_of
from graphwright.testing._conversation import SUFFIX, Conversation, read_conversation
from graphwright.testing._golden import golden_path, read_golden

By = Literal["trace", "expectations", "run"]

_ENTERED = re.compile(r" *(.+) \(\w+\)")


@dataclass(frozen=True, slots=True)
class Walk:
    """A conversation and the nodes it walks through, as far as they are known `by` its golden trace, by what it expects
    (then there may be more), or by a run. `version` is the hash of the flow that it walked, or its beginning."""

    file: Path
    nodes: frozenset[str]
    by: By
    version: str = ""


def walks(folder: Path, flow_file: Path, *, run: bool = False) -> Iterator[Walk]:
    """The walks of the conversations with the agent of `flow_file` in a folder and its folder `tests`.

    With `run`, those without a golden trace are run. Files that are not conversations are left out.
    """
    files = [*folder.glob(f"*{SUFFIX}"), *(folder / "tests").rglob(f"*{SUFFIX}")]
    for file in sorted(file for file in files if file.is_file()):
        try:
            conversation = read_conversation(file).conversation
        except GraphwrightError:
            continue
        if _is_with(conversation, file, flow_file):
            yield _walk(file, conversation, run)


def _is_with(conversation: Conversation, file: Path, flow_file: Path) -> bool:
    beside = file.parent / conversation.agent
    try:
        place = place_of(beside if beside.exists() else conversation.agent)
    except GraphwrightError:
        return False
    return place.file.resolve() == flow_file.resolve() or conversation.agent == name_of(flow_file)


def _walk(file: Path, conversation: Conversation, run: bool) -> Walk:
    if conversation.trace:
        try:
            golden = read_golden(golden_path(file))
        except GraphwrightError:
            pass
        else:
            entered = (_ENTERED.fullmatch(line) for line in golden.lines)
            return Walk(file, frozenset(found[1] for found in entered if found), "trace", golden.version)
    if run:
        return _run(file)
    expected: list[str] = []
    for turn in conversation.turns:
        if turn.expect is not None:
            expected += [*(turn.expect.path or ()), *(turn.expect.passes or ())]
            expected += [turn.expect.node] if turn.expect.node else []
    return Walk(file, frozenset(expected), "expectations")


def _run(file: Path) -> Walk:
    from graphwright.testing._running import Result
    from graphwright.testing._suite import run_suite

    (result,) = run_suite([file]).results
    if not isinstance(result, Result):
        return Walk(file, frozenset(), "expectations")
    entered = frozenset(str(event["node"]) for event in result.events if event["type"] == "node_entered")
    return Walk(file, entered, "run", result.agent.flow.hash)
