"""The samples that come with Graphwright: answers say that they are samples, and beside own data they are left out."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from assistant_support import asked, says
from knowledge_support import folder_of
from logbook_support import entry, own

from graphwright.agents.assistant import toolbox
from graphwright.agents.assistant.toolbox import Toolbox

DUMPS = "Which beam dumps were there last week?"
ENERGY = "What is the beam energy of Aurora?"

SHUTTER = """\
# Shutter

The shutter of hutch 3 closes in 40 ms. After a beam dump it stays closed.
"""


@pytest.fixture
def configure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Writes `[agents.assistant]` of the configuration that holds."""

    def write(text: str) -> None:
        file = tmp_path / "graphwright.toml"
        file.write_text(f"[agents.assistant]\n{text}\n", "utf-8")
        monkeypatch.setenv("GRAPHWRIGHT_CONFIG", str(file))

    return write


def sources(reply: str) -> str:
    return reply.rpartition("**Sources**")[2]


async def test_answers_from_the_sample_say_so(tmp_path: Path) -> None:
    turn = await asked(tmp_path, DUMPS, rules=[says("Two dumps [1].")])
    assert "the sample logbook that comes with Graphwright" in turn.reply
    assert "`elog` in graphwright.toml" in turn.reply
    turn = await asked(
        tmp_path, "Was sagt die Dokumentation über das Vakuum?", rules=[says("Ein Ring [1].")], thread="b"
    )
    assert "die Beispieldokumentation, die mit Graphwright kommt" in turn.reply
    turn = await asked(tmp_path, "What colour is the dollar?", rules=[says("Green.")], thread="c")
    assert "that comes with Graphwright" in turn.reply
    turn = await asked(tmp_path, "Hello", rules=[says("Hello!")], thread="d")
    assert "sample" not in turn.reply


async def test_own_documents_leave_the_sample_logbook_out(tmp_path: Path, configure: Any) -> None:
    folder_of(tmp_path / "docs", {"shutter.md": SHUTTER})
    configure('institute = "My Lab"\nknowledge = "docs"')
    turn = await asked(tmp_path, DUMPS, rules=[says("It stays closed [1].")])
    assert "elog.nordlicht.example" not in turn.reply
    assert "sample" not in turn.reply
    assert "No logbook was searched" in turn.reply
    turn = await asked(
        tmp_path, "How fast does the shutter of hutch 3 close?", rules=[says("In 40 ms [1].")], thread="b"
    )
    assert "In 40 ms" in turn.reply
    assert "logbook" not in turn.reply


async def test_an_own_logbook_leaves_the_sample_documents_out(tmp_path: Path) -> None:
    book = own(tmp_path, [entry(7, "2026-11-18T08:00", "Beam dump", "The beam was dumped by the new interlock.")])
    book.close()
    turn = await asked(tmp_path, ENERGY, rules=[says("Nothing.")])
    assert "nordlicht" not in turn.reply
    assert "No documentation was searched" in turn.reply
    turn = await asked(tmp_path, DUMPS, rules=[says("The new interlock dumped it [1].")], thread="b")
    assert "The new interlock dumped it" in turn.reply
    assert "sample" not in turn.reply
    assert "No documentation" not in turn.reply


async def test_own_folders_that_are_indexed_and_own_entries_are_both_searched(tmp_path: Path, configure: Any) -> None:
    folder_of(tmp_path / "docs", {"shutter.md": SHUTTER})
    configure('knowledge = "docs"')
    book = own(tmp_path, [entry(7, "2026-11-18T08:00", "Beam dump", "The beam was dumped by the new interlock.")])
    book.close()
    async with AsyncExitStack() as stack:
        made = await toolbox.own_servers(Toolbox(), {"knowledge": "docs"}, tmp_path, stack)
        assert [server.name for server in made] == ["knowledge", "elog"]


async def test_an_address_that_is_none_of_a_logbook_costs_the_logbook_alone(tmp_path: Path, configure: Any) -> None:
    folder_of(tmp_path / "docs", {"shutter.md": SHUTTER})
    configure('knowledge = "docs"\nelog = "https://elog.psi.ch"')
    turn = await asked(
        tmp_path, "Was there a beam dump of the shutter last week?", rules=[says("It stays closed [1].")]
    )
    assert "such as elog.example/Logbook" in turn.reply
    assert "It stays closed" in turn.reply
    assert "No tool could be called" not in turn.reply
    assert "link" not in turn.reply
