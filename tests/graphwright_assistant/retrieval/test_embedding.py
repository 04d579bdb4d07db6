"""Search by meaning in addition to search by words: vectors are cached, fused by rank, and optional."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar

import pytest

from graphwright_assistant.retrieval import (
    BuiltinLogbook,
    EmbedderUnavailable,
    KnowledgeIndex,
    chosen_embedder,
    search_elog,
)
from local_http_support import LocalHandler, served_by
from logbook_support import NOW, clock, entry, ids, own
from retrieval_support import PUMP, PUMPE, WordsEmbedder, folder_of, titles

SAME = {"gasket": "sealing", "gaskets": "sealing", "seals": "sealing", "o": "sealing"}


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    pages = {"pump.md": PUMP, "pumpe.md": PUMPE, "other.md": "# Klystron\n\nHeater and modulator S07-BPM4."}
    return folder_of(tmp_path / "docs", pages)


def test_passages_are_found_by_meaning(tmp_path: Path, docs: Path) -> None:
    embedder = WordsEmbedder(SAME)
    index = KnowledgeIndex(tmp_path / "index.sqlite3", embedder=embedder)
    did = index.update(docs)
    assert did.embedded == did.passages
    found = index.search("seals", limit=1)
    assert found.sources[0].text == "Gaskets lie in room 12."
    assert "nearest in meaning" in found.note
    assert KnowledgeIndex(index.file).search("seals").sources == ()
    # Words are never dropped, and the filter applies to meaning, too.
    assert titles(index.search("S07-BPM4", limit=1)) == ["Klystron"]
    assert "Vacuum pumps" not in titles(index.search("seals", "booster", limit=20))
    assert "Vacuum pumps" in titles(index.search("seals", "aurora", limit=20))
    # Models do not share vectors.
    other = WordsEmbedder()
    other.name = "tests:other"
    index = KnowledgeIndex(index.file, embedder=other)
    assert "no embeddings of tests:other" in index.search("gaskets").note
    assert index.update(docs).embedded == did.passages


def test_only_new_texts_are_embedded_and_a_move_asks_for_nothing(tmp_path: Path, docs: Path) -> None:
    embedder = WordsEmbedder()
    index = KnowledgeIndex(tmp_path / "index.sqlite3", embedder=embedder)
    index.update(docs)
    embedder.asked.clear()
    (docs / "pumps").mkdir()
    (docs / "pump.md").rename(docs / "pumps" / "pump.md")
    (docs / "pumpe.md").write_text(PUMPE + "\n## Neu\n\nEin neuer Absatz.\n")
    did = index.update(docs)
    assert did.embedded == did.passages
    assert embedder.asked == ["Vakuumpumpen pumpe\nNeu\nEin neuer Absatz."]
    assert titles(index.search("Absatz", limit=1)) == ["Vakuumpumpen"]


def test_a_model_that_does_not_answer_costs_nothing_but_itself(tmp_path: Path, docs: Path) -> None:
    embedder = WordsEmbedder()
    embedder.broken = True
    index = KnowledgeIndex(tmp_path / "index.sqlite3", embedder=embedder)
    did = index.update(docs)
    assert (did.pages, did.embedded) == (3, 0)
    assert "the server is down" in did.note
    assert "sk-abcdefgh" not in did.note
    found = index.search("gaskets")
    assert titles(found) == ["Vacuum pumps"]
    assert "Only words were searched for" in found.note
    assert "sk-abcdefgh" not in found.note
    embedder.broken = False
    assert "no embeddings of tests:words yet" in index.search("gaskets").note
    assert index.update(docs).embedded == did.passages
    assert index.search("gaskets").note == ""


async def test_log_entries_are_found_by_meaning_too(tmp_path: Path) -> None:
    embedder = WordsEmbedder(SAME)
    entries = [
        entry(1, "2026-03-01T10:00", "Gaskets ordered", category="Info"),
        entry(2, "2026-03-02T10:00", "Heater off", category="Problem"),
    ]
    own(tmp_path, entries).close()
    # Entries without embeddings get them at the next search.
    logbook = BuiltinLogbook(tmp_path, clock, embedder=embedder)
    assert ids(await search_elog(logbook, NOW, query="seals"))[0] == 1
    assert embedder.asked[0] == "seals"
    embedder.asked.clear()
    logbook = own(tmp_path / "imported", entries, embedder)
    assert embedder.asked == ["Gaskets ordered\nInfo\nGaskets ordered", "Heater off\nProblem\nHeater off"]
    found = await search_elog(logbook, NOW, query="seals")
    assert ids(found)[0] == 1
    assert "nearest in meaning" in found.note
    # Words, days and values restrict as usual.
    assert ids(await search_elog(logbook, NOW, query="heater"))[0] == 2
    assert ids(await search_elog(logbook, NOW, query="seals", category="Problem")) == []
    assert ids(await search_elog(logbook, NOW, query="seals", since="2026-03-02")) == []
    embedder.broken = True
    found = await search_elog(logbook, NOW, query="gaskets")
    assert ids(found) == [1]
    assert "Only words were searched for" in found.note
    assert "sk-abcdefgh" not in found.note


def test_which_model_is_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GRAPHWRIGHT_EMBEDDINGS", raising=False)
    monkeypatch.delenv("GRAPHWRIGHT_CONFIG", raising=False)
    assert chosen_embedder() is None
    (tmp_path / "graphwright.toml").write_text('[agents.assistant]\nembeddings = "ollama:bge-m3"\n')
    chosen = chosen_embedder()
    assert chosen.name == "ollama:bge-m3"
    monkeypatch.setenv("GRAPHWRIGHT_EMBEDDINGS", "nonsense")
    with pytest.raises(EmbedderUnavailable, match="nonsense") as told:
        chosen_embedder()
    assert "PROVIDER:MODEL" in told.value.hint
    monkeypatch.setenv("GRAPHWRIGHT_EMBEDDINGS", "nobody:model")
    index = KnowledgeIndex(tmp_path / "index.sqlite3", embedder=chosen_embedder())
    did = index.update(folder_of(tmp_path / "docs", {"pump.md": PUMP}))
    assert (did.pages, "no provider of embeddings 'nobody'" in did.note) == (1, True)


class Vectors(LocalHandler):
    """An OpenAI-compatible endpoint: texts in, vectors out."""

    asked: ClassVar[list[Any]] = []

    def do_POST(self) -> None:
        body = json.loads(self.body())
        self.asked.append((self.path, body["input"]))
        data = [{"object": "embedding", "index": n, "embedding": [1.0, float(n)]} for n in range(len(body["input"]))]
        answer = json.dumps({"object": "list", "data": data, "model": body["model"], "usage": {}}).encode()
        self.send(200, answer, {"content-type": "application/json"})


def test_a_compatible_endpoint_gets_only_texts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, docs: Path) -> None:
    pytest.importorskip("langchain_openai")
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with served_by(Vectors) as server:
        monkeypatch.setenv("GRAPHWRIGHT_EMBEDDINGS", f"openai:any-model@{server.url}/v1")
        index = KnowledgeIndex(tmp_path / "index.sqlite3", embedder=chosen_embedder())
        did = index.update(docs)
        found = index.search("seals")
    assert (did.embedded, did.note) == (did.passages, "")
    assert found.sources
    # A tokenizer would have to be downloaded to send anything but the texts.
    assert all(path == "/v1/embeddings" and isinstance(text, str) for path, texts in Vectors.asked for text in texts)
