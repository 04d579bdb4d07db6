"""`python -m eval retrieval`: questions with known pages, over the documentation of a release that pip downloads."""

from __future__ import annotations

import hashlib
import sqlite3
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import yaml

from graphwright.errors import GraphwrightError
from graphwright.text.folding import words_of
from graphwright.text.full_text import any_of, phrase
from graphwright_assistant.retrieval import KnowledgeIndex, chosen_embedder

PACKAGE = "Django==5.2.19"
SHA256 = "ad03d8abc51dbff95ebf34b27123cf0c26a3b62db7ba0cd520783686362533d1"
QUESTIONS = Path(__file__).parent / "questions.yaml"

_FIRST = 3
_TARGET = 0.85
_LOOKED_AT = 20

Search = Callable[[str], Sequence[str]]
"""Returns the pages that a search finds for a question, the best first, each once."""


@dataclass(frozen=True, slots=True)
class Score:
    """The numbers of questions with the right page first, and among the first three; and the mean of 1 / its rank."""

    name: str
    group: str
    questions: int
    first: int
    among: int
    reciprocal: float


def run(work: Path, page: Path | None, notify: Callable[[str], None]) -> bool:
    """Download, index, ask and compare; write the table into a page. Returns whether the target was reached."""
    from eval.page import put_into

    folder = fetched(work, notify)
    questions = yaml.safe_load(QUESTIONS.read_text("utf-8"))
    embedder = chosen_embedder()
    with closing(KnowledgeIndex(work / "index.sqlite3", embedder=embedder)) as index:
        did = index.update(folder, "docs", notify=notify)
        seconds: list[float] = []

        def ours(asked: str) -> list[str]:
            began = time.process_time()
            found = index.search(asked, limit=_LOOKED_AT)
            seconds.append(time.process_time() - began)
            return list(dict.fromkeys(each.metadata["file"].removeprefix("docs/") for each in found.sources))

        scores = [
            scored(name, group, [(each["ask"], each["page"]) for each in questions[group]], search)
            for name, search in (("retrieval", ours), ("plain BM25", _plain(work / "index.sqlite3")))
            for group in ("shared", "none")
        ]
    table = _markdown(scores, did.pages, did.passages, median(seconds), embedder.name if embedder else "")
    print(table)
    if page is not None:
        put_into(page, "retrieval", table)
    best = scores[0]
    return best.among >= _TARGET * best.questions


def fetched(work: Path, notify: Callable[[str], None]) -> Path:
    """The folder of the documentation, unpacked in the work folder. Raises GraphwrightError."""
    folder = work / "docs"
    if folder.is_dir():
        return folder
    work.mkdir(parents=True, exist_ok=True)
    notify(f"fetching {PACKAGE}")
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", "--dest", str(work)]
    done = subprocess.run([*pip, PACKAGE], capture_output=True, text=True, check=False)
    packed = next((file for file in sorted(work.glob("*.tar.gz"))), None)
    if packed is None or hashlib.sha256(packed.read_bytes()).hexdigest() != SHA256:
        why = done.stderr.strip().splitlines()[-1:] or ["it is another file than the one that was pinned"]
        raise GraphwrightError("not_fetched", f"{PACKAGE} could not be fetched: {why[0]}.", "Look at the network.")
    with tarfile.open(packed) as archive:
        # Without its programs, because tools that check our code would check them, too.
        files = (each for each in archive.getmembers() if each.isfile() and not each.name.endswith(".py"))
        members = [each for each in files if each.name.split("/")[1:2] == ["docs"]]
        archive.extractall(work / "unpacked", members, filter="data")
    (next((work / "unpacked").iterdir()) / "docs").rename(folder)
    return folder


def scored(name: str, group: str, questions: Sequence[tuple[str, str]], search: Search) -> Score:
    """The score of a search for questions and their pages."""
    ranks = []
    for asked, right in questions:
        pages = list(search(asked))
        ranks.append(pages.index(right) + 1 if right in pages else 0)
    reciprocal = sum(1 / rank for rank in ranks if rank) / len(ranks)
    return Score(name, group, len(ranks), ranks.count(1), sum(0 < rank <= _FIRST for rank in ranks), reciprocal)


def _plain(index: Path) -> Search:
    """Plain BM25 over the same passages with their titles and headings, for any of the words."""
    database = sqlite3.connect(":memory:")
    database.execute("ATTACH ? AS made", (str(index),))
    database.execute("CREATE VIRTUAL TABLE plain USING fts5(title, heading, text, tokenize='porter unicode61')")
    database.execute("INSERT INTO plain (rowid, title, heading, text) SELECT id, title, heading, text FROM made.texts")

    def search(asked: str) -> list[str]:
        rows = database.execute(
            "SELECT path FROM plain JOIN made.passages ON passages.id = plain.rowid "
            "JOIN made.pages ON pages.id = page WHERE plain MATCH ? ORDER BY plain.rank LIMIT 200",
            (any_of(map(phrase, words_of(asked))),),
        )
        return list(dict.fromkeys(path for (path,) in rows))[:_LOOKED_AT]

    return search


def _markdown(scores: Sequence[Score], pages: int, passages: int, seconds: float, embedder: str) -> str:
    shares = {"shared": "share words with their page", "none": "share none"}
    with_embedder = f" With embeddings of {embedder}." if embedder else " Without embeddings."
    rows = [
        f"| {each.name} | {shares[each.group]} | {each.questions} | {each.first} | {each.among} "
        f"| {each.among / each.questions:.0%} | {each.reciprocal:.2f} |"
        for each in scores
    ]
    return "\n".join(
        [
            f"The documentation of {PACKAGE}, {pages:,} pages in {passages:,} passages.{with_embedder} "
            f"A search takes {1000 * seconds:.0f} ms of processor time (median).",
            "",
            "| search | questions that | asked | right page first | among the first three | | mean 1 / rank |",
            "|---|---|---|---|---|---|---|",
            *rows,
        ]
    )
