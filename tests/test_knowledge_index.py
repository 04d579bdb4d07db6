"""An index is brought up to date with a folder: what is new, changed, moved, gone, or cannot be read."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from crash_support import Tell, apart
from knowledge_support import PUMP, PUMPE, folder_of, titles
from unprivileged_support import NOBODY, become_nobody

from graphwright.knowledge import IndexUnusable, KnowledgeError, KnowledgeIndex, NoFolder


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    return folder_of(tmp_path / "docs", {"pump.md": PUMP, "de/pumpe.md": PUMPE})


@pytest.fixture
def index(tmp_path: Path) -> KnowledgeIndex:
    return KnowledgeIndex(tmp_path / "home" / "index.sqlite3")


def test_passages_stand_under_their_headings_with_all_facts(docs: Path, index: KnowledgeIndex) -> None:
    did = index.update(docs)
    assert (did.name, did.added, did.pages, did.unread) == ("docs", 2, 2, [])
    (source, *_) = index.search("unscrewed").sources
    assert source.title == "Vacuum pumps"
    assert source.url == "https://docs.example/vacuum"
    assert source.kind == "knowledge"
    assert source.id.startswith("docs/pump.md:")
    assert source.text == "Close the valve before the pump is unscrewed."
    assert source.metadata == {
        "heading": "Exchange of a pump",
        "accelerator": "aurora",
        "language": "en",
        "updated": "2026-01-31",
    }


def test_a_page_without_an_address_is_linked_as_a_file(docs: Path, index: KnowledgeIndex) -> None:
    index.update(docs)
    (source, *_) = index.search("Kühlwasser").sources
    assert source.url == (docs / "de/pumpe.md").as_uri()


def test_only_what_changed_is_read_again(docs: Path, index: KnowledgeIndex) -> None:
    index.update(docs)
    again = index.update(docs)
    assert (again.added, again.changed, again.removed, again.unchanged) == (0, 0, 0, 2)
    (docs / "pump.md").write_text(PUMP.replace("room 12", "cabinet seven"))
    folder_of(docs, {"new.md": "# Klystron\n\nHeater first."})
    did = index.update(docs)
    assert (did.added, did.changed, did.removed, did.unchanged) == (1, 1, 0, 1)
    assert titles(index.search("cabinet seven")) == ["Vacuum pumps"]
    assert "room 12" not in "".join(source.text for source in index.search("gaskets room 12").sources)


def test_a_file_that_was_only_touched_is_unchanged(docs: Path, index: KnowledgeIndex) -> None:
    index.update(docs)
    os.utime(docs / "pump.md", (1, 1))
    did = index.update(docs)
    assert (did.changed, did.unchanged) == (0, 2)
    os.utime(docs / "pump.md", (2, 2))
    (docs / "pump.md").write_text(PUMP.replace("Gaskets", "Sealings"))
    os.utime(docs / "pump.md", (2, 2))
    assert index.update(docs).changed == 1


def test_moved_and_deleted_files(docs: Path, index: KnowledgeIndex) -> None:
    index.update(docs)
    (docs / "archive").mkdir()
    (docs / "de/pumpe.md").rename(docs / "archive/pumpe.md")
    did = index.update(docs)
    assert (did.moved, did.added, did.removed) == (1, 0, 0)
    (source, *_) = index.search("Kühlwasser").sources
    assert source.id.startswith("docs/archive/pumpe.md:")
    assert source.url == (docs / "archive/pumpe.md").as_uri()
    (docs / "archive/pumpe.md").unlink()
    did = index.update(docs)
    assert (did.removed, did.pages) == (1, 1)
    assert index.search("Kühlwasser").sources == ()


def test_a_renamed_file_is_called_by_its_new_name(tmp_path: Path, index: KnowledgeIndex) -> None:
    docs = folder_of(tmp_path / "docs", {"old name.txt": "The undulator is closed."})
    index.update(docs)
    (docs / "old name.txt").rename(docs / "new name.txt")
    did = index.update(docs)
    assert (did.added, did.removed) == (1, 1)
    assert titles(index.search("undulator")) == ["new name"]


def test_what_stands_beside_a_file_counts_as_its_own_and_its_change_is_seen(
    tmp_path: Path, index: KnowledgeIndex
) -> None:
    beside = "title: 'The dump: how'\nurl: https://docs.example/dump\naccelerator: linac\n"
    docs = folder_of(tmp_path / "docs", {"dump.txt": "The beam is dumped.", "dump.txt.yaml": beside})
    index.update(docs)
    (source,) = index.search("dumped").sources
    assert (source.title, source.url) == ("The dump: how", "https://docs.example/dump")
    assert source.metadata["accelerator"] == "linac"
    (docs / "dump.txt.yaml").write_text("title: Dumping\n")
    assert index.update(docs).changed == 1
    (source,) = index.search("dumped").sources
    assert source.title == "Dumping"


def test_several_folders_have_names_and_one_can_be_forgotten(docs: Path, tmp_path: Path, index: KnowledgeIndex) -> None:
    other = folder_of(tmp_path / "other" / "docs", {"pump.md": "# Cryogenics\n\nHelium is pumped."})
    index.update(docs, "machine")
    assert index.update(other).name == "docs"
    with pytest.raises(NoFolder, match="stands for"):
        index.update(folder_of(tmp_path / "third", {"a.md": "x"}), "machine")
    found = index.search("pump", limit=20)
    assert len({source.id for source in found.sources}) == len(found.sources)
    assert {source.id.split("/")[0] for source in found.sources} == {"machine", "docs"}
    assert [folder.name for folder in index.folders()] == ["docs", "machine"]
    index.forget("machine")
    assert titles(index.search("pump", limit=20)) == ["Cryogenics"]
    with pytest.raises(KnowledgeError, match="'machine'") as told:
        index.forget("machine")
    assert told.value.hint == "There are: docs."
    assert docs.joinpath("pump.md").exists()


def test_a_folder_that_moved_keeps_what_was_read(docs: Path, index: KnowledgeIndex) -> None:
    index.update(docs, "manual")
    new = docs.rename(docs.parent / "moved")
    did = index.update(new, "manual")
    assert (did.unchanged, did.added) == (2, 0)
    assert [folder.path for folder in index.folders()] == [new]


def test_a_folder_that_cannot_be_looked_into_keeps_its_pages(reachable: Path) -> None:
    docs = folder_of(reachable / "docs", {"pump.md": PUMP, "de/pumpe.md": PUMPE})
    home, closed = reachable / "home", docs / "de"
    KnowledgeIndex(home / "index.sqlite3").update(docs)
    if os.geteuid() == 0:
        for own in (home, *home.iterdir(), closed):
            os.chown(own, NOBODY, NOBODY)

    async def unprivileged(_: Tell) -> list[object]:
        become_nobody()
        closed.chmod(0)
        try:
            did = KnowledgeIndex(home / "index.sqlite3").update(docs)
        finally:
            closed.chmod(0o755)
        return [did.removed, did.pages, [each.path for each in did.unread]]

    assert apart(unprivileged) == [0, 2, ["de"]]


def test_no_folder(tmp_path: Path, index: KnowledgeIndex) -> None:
    with pytest.raises(NoFolder, match="There is no folder"):
        index.update(tmp_path / "nowhere")
    file = tmp_path / "file.md"
    file.write_text("x")
    with pytest.raises(NoFolder, match="is a file"):
        index.update(file)


def test_a_crash_leaves_what_was_done_and_the_rest_follows(tmp_path: Path) -> None:
    docs = folder_of(tmp_path / "docs", {f"page{n:04}.md": f"# Page {n}\n\nKlystron number {n}.\n" for n in range(900)})
    file = tmp_path / "index.sqlite3"
    program = (
        "import sys\nfrom pathlib import Path\nfrom graphwright.knowledge import KnowledgeIndex\n"
        "KnowledgeIndex(Path(sys.argv[1])).update(Path(sys.argv[2]), tell=lambda what: print(what, flush=True))\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(file), str(docs)], stdout=subprocess.PIPE, start_new_session=True
    )
    assert process.stdout is not None
    process.stdout.readline()
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    index = KnowledgeIndex(file)
    (folder,) = index.folders()
    assert 0 < folder.pages < 900
    assert folder.indexed == ""
    assert index.search("klystron").sources
    did = index.update(docs)
    assert (did.unchanged, did.pages) == (folder.pages, 900)
    assert did.added == 900 - folder.pages
    rows = sqlite3.connect(file).execute(
        "SELECT (SELECT count(*) FROM passages), (SELECT count(*) FROM found), (SELECT count(*) FROM pages)"
    )
    assert rows.fetchone() == (900, 900, 900)


def test_two_indexers_at_once_and_a_reader_beside_them(tmp_path: Path) -> None:
    docs = folder_of(tmp_path / "docs", {f"page{n}.md": f"# Page {n}\n\nKlystron number {n}.\n" for n in range(300)})
    file = tmp_path / "index.sqlite3"
    results, failed = [], []

    def update() -> None:
        try:
            results.append(KnowledgeIndex(file).update(docs))
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=update) for _ in range(2)]
    for thread in threads:
        thread.start()
    reader = KnowledgeIndex(file)
    while any(thread.is_alive() for thread in threads):
        reader.search("klystron")
    assert not failed
    assert sorted((did.added, did.unchanged) for did in results) == [(0, 300), (300, 0)]
    assert len(reader.search("number 299", limit=1).sources) == 1


def test_an_index_deleted_under_a_reader_is_begun_anew(docs: Path, index: KnowledgeIndex) -> None:
    index.update(docs)
    assert index.search("pump").sources
    for file in index.file.parent.iterdir():
        file.unlink()
    assert index.search("pump").note == "There is nothing in the index."
    assert index.update(docs).added == 2
    assert index.search("pump").sources


def test_files_that_are_no_index(docs: Path, index: KnowledgeIndex) -> None:
    index.file.parent.mkdir()
    index.file.write_text("This is a text, and long enough for nobody to take it for a database." * 20)
    with pytest.raises(IndexUnusable, match="damaged") as told:
        index.update(docs)
    assert "Delete it" in told.value.hint
    index.file.unlink()
    index.update(docs)
    index.close()
    with sqlite3.connect(index.file) as connection:
        connection.execute("PRAGMA user_version=99")
    with pytest.raises(IndexUnusable, match="another version"):
        index.search("pump")


def test_the_index_is_its_owners_alone(docs: Path, index: KnowledgeIndex) -> None:
    index.update(docs)
    assert index.file.stat().st_mode & 0o077 == 0


def test_pages_of_one_title_are_told_apart_by_their_files(index: KnowledgeIndex, tmp_path: Path) -> None:
    report = "# Report\n\nThe gap of hutch {} is 4 mm."
    index.update(folder_of(tmp_path / "lab", {"a/r.md": report.format(1), "b/r.md": report.format(2), "p.md": PUMP}))
    files = {source.metadata["file"] for source in index.search("gap hutch").sources}
    assert files == {"lab/a/r.md", "lab/b/r.md"}
    # One that can be seen at an address is found there.
    assert "file" not in index.search("unscrewed").sources[0].metadata
