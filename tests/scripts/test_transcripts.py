"""The conversations in docs/start.md: the lines of the demo, and their results with the embedded model."""

from __future__ import annotations

import json
import sys

import pytest

import transcripts
from graphwright.host.discovery import find
from graphwright.models._pull import status

DEMO = {
    agent: json.loads(find(agent).with_name("demo.json").read_text("utf-8")) for agent in ("intake", "graph_editor")
}


def lines_of(script: dict[str, object]) -> set[str]:
    """Every line that the user of a demo conversation may say."""
    messages, replies = script["messages"], script["replies"]
    assert isinstance(messages, list)
    assert isinstance(replies, dict)
    texts = [message if isinstance(message, str) else message["text"] for message in messages]
    return {*texts, *(line for each in replies.values() for line in each)}


def test_the_page_shows_conversations_of_the_demo() -> None:
    blocks = transcripts.BLOCK.findall(transcripts.PAGE.read_text("utf-8"))
    assert [agent for agent, _ in blocks] == ["intake", "graph_editor"]
    for agent, talk in blocks:
        said = [line.removeprefix("you:").strip() for line in talk.splitlines() if line.startswith("you:")]
        assert len(said) > 2
        assert set(said) <= lines_of(DEMO[agent])
        end = DEMO[agent]["expect"].get("reply", ())
        assert all(part in talk for part in ([end] if isinstance(end, str) else end))


@pytest.mark.slow
@pytest.mark.skipif(not status().present, reason="the embedded model is not here: graphwright model pull")
def test_the_conversations_of_the_page_come_true(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["transcripts.py", "--check"])
    transcripts.main()
