"""`graphwright knowledge` and `graphwright elog`, and which documents and which logbook they search."""

from __future__ import annotations

import json
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from cli_support import Runner
from graphwright.tools.sources import Findings
from graphwright_assistant.retrieval import (
    ChosenKnowledge,
    RetrievalError,
    configured_accelerators,
    configured_folder,
)
from graphwright_assistant.retrieval import (
    _configured as configured,
)
from graphwright_assistant.retrieval import (
    _folder_indexing as folder_indexing,
)
from retrieval_support import PUMP, PUMPE, folder_of

pytestmark = pytest.mark.usefixtures("shared_readers")


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
    assert ("not read: empty.md: " in done.err, "2 added" in done.err) == (True, True)
    found = run("knowledge", "search", "unscrewed pump", "--limit", "1")
    assert found.out == (
        "Vacuum pumps · Exchange of a pump · aurora · 2026-01-31\n"
        "  Close the valve before the pump is unscrewed.\n"
        "  https://docs.example/vacuum\n"
    )
    told = run("knowledge", "status")
    assert ("machine" in told.out, str(docs) in told.out, "empty.md" in told.err) == (True, True, True)
    found_as_json = Findings.from_json(run("knowledge", "search", "Störungen", "--json").json)
    assert found_as_json.sources[0].title == "Vakuumpumpen"
    failed = run("knowledge", "index", docs / "nowhere", "--json")
    assert (failed.code, failed.json["error"]["code"]) == (2, "missing_folder")
    assert run("knowledge", "forget", "machine").code == 0
    gone = run("knowledge", "forget", "machine")
    assert (gone.code, "no_such_folder" in gone.err) == (1, True)


def test_without_a_folder_of_ones_own_the_sample_is_searched_and_said_so(run: Runner, docs: Path) -> None:
    assert "sample corpus" in run("knowledge", "status").err
    found = run("knowledge", "search", "Betriebsarten des Rings", "--accelerator", "Aurora")
    assert "https://docs.nordlicht.example/aurora/betriebsarten" in found.out
    assert "This is the sample corpus" in found.err
    # The sample pages are not in the user's own index, which replaces them.
    assert run("knowledge", "status", "--json").json["folders"] == []
    run("knowledge", "index", docs)
    found = run("knowledge", "search", "-", stdin="klystron\n")
    assert (found.out, "sample" in found.err, "Nothing was found." in found.err) == ("", False, True)


def test_the_configured_folder_is_indexed_at_the_first_search(run: Runner, docs: Path, tmp_path: Path) -> None:
    run("knowledge", "index", folder_of(tmp_path / "other", {"a.md": "# Other\n\nThe pump of somebody else."}))
    (tmp_path / "graphwright.toml").write_text('[agents.assistant]\nknowledge = "docs"\n')
    assert configured_folder() == docs
    found = run("knowledge", "search", "pump", "--limit", "20")
    assert ("Vacuum pumps" in found.out, "Other" in found.out) == (True, False)
    assert "graphwright.toml" in run("knowledge", "status").err
    (tmp_path / "graphwright.toml").write_text('[agents.assistant]\nknowledge = "nowhere"\n')
    failed = run("knowledge", "search", "pump")
    assert (failed.code, "missing_folder" in failed.err) == (2, True)


def test_a_configured_folder_counts_in_no_other_project(run: Runner, docs: Path, tmp_path: Path) -> None:
    file = tmp_path / "graphwright.toml"
    file.write_text('[agents.assistant]\nknowledge = "docs"\n')
    assert "Vacuum pumps" in run("knowledge", "search", "unscrewed pump").out
    assert run("knowledge", "index", docs).code == 0
    assert [each["name"] for each in run("knowledge", "status", "--json").json["folders"]] == ["docs"]
    folder_of(tmp_path / "other", {"a.md": "# Other\n\nA gasket of somebody else."})
    file.write_text('[agents.assistant]\nknowledge = "other"\n')
    found = run("knowledge", "search", "unscrewed gasket")
    assert ("Other" in found.out, "Not in any document: unscrewed" in found.err) == (True, True)
    file.unlink()
    found = run("knowledge", "search", "unscrewed klystron")
    assert ("docs.nordlicht.example" in found.out, "This is the sample corpus" in found.err) == (True, True)
    assert run("knowledge", "status", "--json").json["folders"] == []


def test_changes_in_the_configured_folder_are_seen_by_the_next_search(
    run: Runner, docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "graphwright.toml").write_text('[agents.assistant]\nknowledge = "docs"\n')
    assert "Nothing was found." in run("knowledge", "search", "flange").err
    folder_of(docs, {"tables/budget.csv": 'item;spent\n"Flange; steel";1.250,50\nGasket;80\n', "plot.png": b"x"})
    assert "Flange; steel | 1.250,50" in run("knowledge", "search", "flange").out
    assert "not read: 1 *.png" in run("knowledge", "status").err
    monkeypatch.setattr(configured, "CHECKED_EVERY", 0)
    with closing(ChosenKnowledge()) as knowledge:
        assert knowledge.search("gasket").sources
        folder_of(docs, {"tables/budget.csv": "item,spent\nCryostat,80\n"})
        found = knowledge.search("cryostat")
        assert [source.text for source in found.sources] == ["item | spent\nCryostat | 80"]
        assert found.note == "These files are not read: empty.md, 1 *.png."
        (docs / "tables" / "budget.csv").unlink()
        assert not knowledge.search("cryostat").sources


def test_the_logbook(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHWRIGHT_TODAY", "2026-03-20")
    given = ("--since", "2026-01-01", "--category", "Problem", "--limit", "2", "--json")
    found = Findings.from_json(run("elog", "search", "interlock", *given).json)
    assert 1 <= len(found.sources) <= 2
    shown = run("elog", "show", found.sources[0].metadata["id"])
    assert found.sources[0].title in shown.out
    assert "sample logbook" in shown.err
    wrong = run("elog", "search", "--since", "2026-13-01", "--json")
    assert (wrong.code, wrong.json["error"]["code"]) == (2, "bad_date")
    assert run("elog", "show", "5").code == 2
    nothing = run("elog", "search", "unicorn")
    assert (nothing.code, nothing.out) == (0, "")
    assert "No entry has any of the words" in nothing.err


def test_the_server_of_the_configuration_is_asked(run: Runner, tmp_path: Path) -> None:
    (tmp_path / "graphwright.toml").write_text('[agents.assistant]\nelog = "http://127.0.0.1:9/Operation"\n', "utf-8")
    failed = run("elog", "search", "--json")
    assert (failed.code, failed.json["error"]["code"]) == (1, "no_answer")
    (tmp_path / "graphwright.toml").write_text("[agents.assistant]\nelog = 5\n", "utf-8")
    assert "[bad_address]" in run("elog", "search").err


def test_a_terminal_is_not_driven_by_pages_and_entries(run: Runner, tmp_path: Path) -> None:
    line = json.dumps({"id": 1, "date": "2026-03-01", "subject": "a\x1b[2Jb", "text": "c\x07d"})
    (tmp_path / "entries.jsonl").write_text(f"{line}\nno entry\n", "utf-8")
    done = run("elog", "import", tmp_path / "entries.jsonl")
    assert (done.code, done.out) == (1, "1 added, 0 changed, 0 unchanged, 1 refused\n")
    run("knowledge", "index", folder_of(tmp_path / "docs", {"a.md": "# Red \x1b[31m\n\nThe kicker \x1b[2J fires."}))
    for out, says in ((run("elog", "search").out, "ab"), (run("knowledge", "search", "kicker").out, "fires")):
        assert ("\x1b" in out, "\x07" in out, says in out) == (False, False, True)


def test_a_search_waits_briefly_for_indexing(docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "graphwright.toml").write_text('[agents.assistant]\nknowledge = "docs"\n')
    may, read = threading.Event(), folder_indexing.read_documents

    def slow(*given: Any) -> Any:
        may.wait(60)
        yield from read(*given)

    monkeypatch.setattr(folder_indexing, "read_documents", slow)
    knowledge = ChosenKnowledge(tmp_path / "home", timeout=0.05)
    for _ in range(2):
        with pytest.raises(RetrievalError, match="still being indexed") as raised:
            knowledge.search("pump")
        assert raised.value.code == "still_indexing"
    may.set()
    patient = ChosenKnowledge(tmp_path / "home")
    assert patient.search("unscrewed").sources
    patient.close()
    knowledge.close()


def test_accelerators(run: Runner, tmp_path: Path) -> None:
    assert configured_accelerators() == ("aurora", "booster", "linac")
    unknown = run("knowledge", "search", "ring", "--accelerator", "foo")
    assert unknown.code == 2
    assert "There are: all, aurora, booster" in unknown.err
    file = tmp_path / "graphwright.toml"
    file.write_text('[agents.assistant]\naccelerators = ["Petra", "all"]\n')
    assert configured_accelerators() == ("petra",)
    file.write_text("[agents.assistant]\naccelerators = 3\n")
    with pytest.raises(RetrievalError, match="not a list"):
        configured_accelerators()
