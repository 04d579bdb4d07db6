"""The agents of the packages: threads of an earlier version of their flows carry over."""

import json
from pathlib import Path
from typing import Any

import pytest

from graphwright import load
from host_support import FoldedSession, of_type, scripted, trace

AGENTS = ("intake", "graph_editor", "upgrade", "data_scientist", "assistant")


def reworded(document: dict[str, Any]) -> str:
    """The flow as an earlier version may have been: with other texts."""
    for graph in (document, *document.get("subgraphs", {}).values()):
        for node in graph["nodes"]:
            for name in ("prompt", "say", "label"):
                if name in node:
                    node[name] = f"{node[name]} ."
    return json.dumps(document)


@pytest.mark.parametrize("name", AGENTS)
async def test_a_thread_of_an_earlier_version_carries_over(name: str, tmp_path: Path) -> None:
    present = load(name)
    before = load(name, document=reworded(json.loads(json.dumps(present.flow.document))))
    assert before.flow.hash != present.flow.hash
    async with FoldedSession(before, "t", model=scripted(), home=tmp_path) as session:
        await session.start()
    async with FoldedSession(present, "t", model=scripted(), home=tmp_path) as session:
        # The scripted model reads nothing, so the turn may fail; the thread is in the present version all the same.
        turn = await session.send("hello")
        assert turn.error is None or turn.error.code not in ("action_missing", "version_missing", "version_invalid")
        (event,) = of_type(await trace(session), "flow_migrated")
    assert (event["before"], event["after"]) == (before.flow.hash, present.flow.hash)
    assert event["reasons"] == ["only texts changed"]
