"""The first indexing of a folder: searches wait a while for it, say that it goes on, and find what was done before."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from assistant_support import asked, decides, judges, says, selects
from knowledge_support import PUMP, folder_of

from graphwright.agents.assistant import toolbox
from graphwright.files.documents import Document
from graphwright.knowledge import IS_SAMPLE, ChosenKnowledge, KnowledgeError, KnowledgeIndex, NoFolder, indexing
from graphwright.knowledge.indexing import read


@pytest.fixture
def configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that the configuration names; it is not there yet."""
    file = tmp_path / "graphwright.toml"
    file.write_text('[agents.assistant]\nknowledge = "docs"\n', "utf-8")
    monkeypatch.setenv("GRAPHWRIGHT_CONFIG", str(file))
    return tmp_path / "docs"


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Documents are read once this is set."""
    may = threading.Event()

    def reading(given: Any) -> Iterator[tuple[Any, Document]]:
        may.wait(60)
        yield from read(given)

    monkeypatch.setattr(indexing, "read", reading)
    yield may
    may.set()


def test_a_search_does_not_wait_for_ever(configured: Path, tmp_path: Path, slow: threading.Event) -> None:
    folder_of(configured, {"pump.md": PUMP})
    knowledge = ChosenKnowledge(tmp_path / "home", patience=0.05)
    for _ in range(2):
        with pytest.raises(KnowledgeError, match="still being indexed") as raised:
            knowledge.search("pump")
        assert raised.value.code == "still_indexing"
    knowledge.close()
    slow.set()
    patient = ChosenKnowledge(tmp_path / "home")
    assert patient.search("unscrewed").sources
    patient.close()


def test_what_failed_is_tried_again(configured: Path, tmp_path: Path) -> None:
    knowledge = ChosenKnowledge(tmp_path / "home")
    with pytest.raises(NoFolder):
        knowledge.search("pump")
    folder_of(configured, {"pump.md": PUMP})
    found = knowledge.search("unscrewed")
    assert found.sources
    assert IS_SAMPLE not in found.note
    knowledge.close()


def test_the_sample_is_told_by_its_note(tmp_path: Path) -> None:
    knowledge = ChosenKnowledge(tmp_path / "home")
    assert knowledge.search("orbit interlock").note.startswith(IS_SAMPLE)
    knowledge.close()


def test_what_takes_long_is_kept_bit_by_bit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing, "_LONGEST_BATCH", 0.0)
    told: list[str] = []
    index = KnowledgeIndex(tmp_path / "index.sqlite3")
    index.update(
        folder_of(tmp_path / "docs", {f"{n}.md": f"# Page {n}\n\nPump {n}." for n in range(3)}), tell=told.append
    )
    # Each file is a transaction of its own.
    assert len(told) == 3
    assert [folder.pages for folder in index.folders()] == [3]
    index.close()


async def test_the_assistant_says_so_and_denies_nothing(
    configured: Path, tmp_path: Path, slow: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(toolbox, "_PATIENCE", 0.05)
    folder_of(configured, {"pump.md": PUMP})
    rules = [
        decides(),
        selects(("search_accelerator_knowledge", {"query": "torque"})),
        judges(),
        says("Not known yet."),
    ]
    turn = await asked(tmp_path / "home", "What is the secret torque of the pump?", rules=rules)
    assert "search_accelerator_knowledge failed: " in turn.reply
    assert "still being indexed" in turn.reply
    assert "Ask again in a while." in turn.reply
