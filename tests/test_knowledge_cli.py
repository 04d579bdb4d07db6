"""`graphwright knowledge`: indexing, searching, looking, forgetting; and which documents are searched."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from cli_support import Runner
from knowledge_support import PUMP, PUMPE, folder_of

from graphwright.knowledge import ChosenKnowledge, KnowledgeError, configured_accelerators, configured_folder
from graphwright.tools.sources import Findings


@pytest.fixture(autouse=True)
def nobodys_configuration(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GRAPHWRIGHT_CONFIG", raising=False)
    monkeypatch.delenv("GRAPHWRIGHT_EMBEDDINGS", raising=False)


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    return folder_of(tmp_path / "docs", {"pump.md": PUMP, "pumpe.md": PUMPE, "empty.md": ""})


def test_index_search_status_forget(run: Runner, docs: Path) -> None:
    done = run("knowledge", "index", docs, "--name", "machine")
    assert (done.code, done.out) == (0, "machine: 2 pages, 5 passages\n")
    assert "not read: empty.md: " in done.err
    assert "2 added" in done.err
    found = run("knowledge", "search", "unscrewed pump", "--limit", "1")
    assert found.out == (
        "Vacuum pumps · Exchange of a pump · aurora · 2026-01-31\n"
        "  Close the valve before the pump is unscrewed.\n"
        "  https://docs.example/vacuum\n"
    )
    assert "sample" not in found.err
    told = run("knowledge", "status")
    assert "machine" in told.out
    assert str(docs) in told.out
    assert "empty.md" in told.err
    assert run("knowledge", "forget", "machine").code == 0
    gone = run("knowledge", "forget", "machine")
    assert gone.code == 1
    assert "no_such_folder" in gone.err


def test_json(run: Runner, docs: Path) -> None:
    done = run("knowledge", "index", docs, "--json").json
    assert (done["added"], done["pages"], [file["path"] for file in done["unread"]]) == (2, 2, ["empty.md"])
    found = Findings.from_json(run("knowledge", "search", "Störungen", "--json").json)
    assert found.sources[0].title == "Vakuumpumpen"
    status = run("knowledge", "status", "--json").json
    assert (status["sample"], status["folders"][0]["pages"]) == (False, 2)
    failed = run("knowledge", "index", docs / "nowhere", "--json")
    assert failed.code == 2
    assert failed.json["error"]["code"] == "missing_folder"


def test_without_a_folder_of_ones_own_the_sample_is_searched_and_said_so(run: Runner) -> None:
    assert "sample corpus" in run("knowledge", "status").err
    found = run("knowledge", "search", "Betriebsarten des Rings", "--accelerator", "Storage Ring")
    assert found.code == 0
    assert "https://docs.nordlicht.example/aurora/betriebsarten" in found.out
    assert "This is the sample corpus" in found.err
    assert "README" not in found.out
    # What is in the sample is not in the user's own index.
    assert run("knowledge", "status", "--json").json["folders"] == []


def test_an_accelerator_that_nobody_knows_is_told(run: Runner) -> None:
    found = run("knowledge", "search", "Betriebsarten des Rings", "--accelerator", "foo")
    assert "https://docs.nordlicht.example/aurora/betriebsarten" in found.out
    assert "There is no accelerator 'foo': all were searched." in found.err


def test_an_own_folder_takes_the_place_of_the_sample(run: Runner, docs: Path) -> None:
    run("knowledge", "search", "klystron")
    run("knowledge", "index", docs)
    found = run("knowledge", "search", "klystron")
    assert (found.out, "sample" in found.err) == ("", False)
    assert "Nothing was found." in found.err


def test_the_configured_folder_is_indexed_at_the_first_search(run: Runner, docs: Path, tmp_path: Path) -> None:
    other = folder_of(tmp_path / "other", {"a.md": "# Other\n\nThe pump of somebody else."})
    run("knowledge", "index", other)
    (tmp_path / "graphwright.toml").write_text('[agents.assistant]\nknowledge = "docs"\n')
    assert configured_folder() == docs
    found = run("knowledge", "search", "pump", "--limit", "20")
    assert "Vacuum pumps" in found.out
    assert "Other" not in found.out
    assert "graphwright.toml" in run("knowledge", "status").out
    (tmp_path / "graphwright.toml").write_text('[agents.assistant]\nknowledge = "nowhere"\n')
    failed = run("knowledge", "search", "pump")
    assert failed.code == 2
    assert "missing_folder" in failed.err


def test_accelerators_of_the_configuration(tmp_path: Path) -> None:
    assert set(configured_accelerators()) == {"aurora", "booster", "linac"}
    file = tmp_path / "graphwright.toml"
    file.write_text('[agents.assistant]\naccelerators = ["Petra", "all"]\n')
    assert configured_accelerators() == {"petra": ()}
    file.write_text('[agents.assistant.accelerators]\npetra = ["PIII", "ring"]\ndesy2 = []\n')
    assert configured_accelerators() == {"petra": ("PIII", "ring"), "desy2": ()}
    file.write_text("[agents.assistant]\naccelerators = 3\n")
    with pytest.raises(KnowledgeError, match="neither a list"):
        configured_accelerators()


def test_a_question_from_stdin(run: Runner, docs: Path) -> None:
    run("knowledge", "index", docs)
    assert "Vacuum pumps" in run("knowledge", "search", "-", stdin="unscrewed\n").out
    assert "empty" in run("knowledge", "search", "-", stdin="").err


def test_a_folder_without_documents(run: Runner, tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    done = run("knowledge", "index", tmp_path / "none")
    assert done.code == 0
    assert "nothing to search" in done.err
    nothing = folder_of(tmp_path / "unreadable", {"a.md": "", "b.pdf": b"%PDF-1.4 broken"})
    assert run("knowledge", "index", nothing).code == 1


def test_what_drives_a_terminal_is_not_shown(run: Runner, tmp_path: Path) -> None:
    run("knowledge", "index", folder_of(tmp_path / "docs", {"a.md": "# Red \x1b[31m\n\nThe kicker \x1b[2J fires."}))
    found = run("knowledge", "search", "kicker")
    assert "fires" in found.out
    assert "\x1b" not in found.out


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="open files are counted in /proc")
def test_what_was_searched_is_closed_and_can_be_searched_again(tmp_path: Path) -> None:
    def opened() -> set[str]:
        links = (os.path.realpath(each) for each in Path("/proc/self/fd").iterdir())
        return {link for link in links if link.startswith(str(tmp_path / "home"))}

    chosen = ChosenKnowledge(tmp_path / "home")
    assert chosen.will_be_sample()
    assert opened() == set()
    found = chosen.search("vacuum")
    assert opened() != set()
    chosen.close()
    assert opened() == set()
    assert chosen.search("vacuum").sources == found.sources
    chosen.close()
