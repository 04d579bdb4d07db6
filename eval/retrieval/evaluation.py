"""`python -m eval retrieval`: questions with known pages, over the documentation of a release that pip downloads."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import yaml
from pydantic_evals import Case, Dataset
from pydantic_evals.evaluators import Evaluator, EvaluatorContext, EvaluatorOutput

from eval.page import put_into, table
from eval.releases import documentation
from graphwright.text.folding import words_of
from graphwright.text.full_text import any_of, phrase
from graphwright_assistant.retrieval import KnowledgeIndex, chosen_embedder

PACKAGE, VERSION = "Django", "5.2.19"
SHA256 = "ad03d8abc51dbff95ebf34b27123cf0c26a3b62db7ba0cd520783686362533d1"
QUESTIONS = Path(__file__).parent / "questions.yaml"

_FIRST = 3
_TARGET = 0.85
_LOOKED_AT = 20


@dataclass(frozen=True, slots=True)
class Scores:
    """The averages of a search over a group of questions."""

    name: str
    group: str
    questions: int
    scores: Mapping[str, float]


Search = Callable[[str], Sequence[str]]
"""Returns the pages that a search finds for a question, the best first, each once."""


@dataclass(repr=False)
class Rank(Evaluator[str, list[str], str]):
    """The rank of the right page among those found: whether it is first, among the first three, and 1 / rank."""

    def evaluate(self, ctx: EvaluatorContext[str, list[str], str]) -> EvaluatorOutput:
        rank = ctx.output.index(ctx.metadata) + 1 if ctx.metadata in ctx.output else 0
        return {"first": int(rank == 1), "among": int(0 < rank <= _FIRST), "reciprocal": 1 / rank if rank else 0.0}


def run(work: Path, page: Path | None, notify: Callable[[str], None]) -> bool:
    """Download, index, ask and compare; write the table into a page. Returns whether the target was reached."""
    notify(f"reading the documentation of {PACKAGE} {VERSION}")
    folder = documentation(PACKAGE, VERSION, SHA256, work)
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
    told = _markdown(scores, did.pages, did.passages, median(seconds), embedder.name if embedder else "")
    print(told)
    if page is not None:
        put_into(page, "retrieval", told)
    return scores[0].scores["among"] >= _TARGET


def scored(name: str, group: str, questions: Sequence[tuple[str, str]], search: Search) -> Scores:
    """The scores of a search for questions and their pages."""
    cases = [Case[str, list[str], str](inputs=asked, metadata=page) for asked, page in questions]
    dataset = Dataset[str, list[str], str](name=name, cases=cases, evaluators=[Rank()])

    async def found(asked: str) -> list[str]:
        return list(search(asked))

    report = asyncio.run(dataset.evaluate(found, name=name, max_concurrency=1, progress=False))
    averages = report.averages()
    return Scores(name, group, len(cases), averages.scores if averages else {})


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


def _markdown(scores: Sequence[Scores], pages: int, passages: int, seconds: float, embedder: str) -> str:
    shares = {"shared": "share words with their page", "none": "share only common words"}
    with_embedder = f" With embeddings of {embedder}." if embedder else " Without embeddings."
    heads = ("search", "questions that", "asked", "right page first", "among the first three", "", "mean 1 / rank")
    rows = [
        (
            *(each.name, shares[each.group], each.questions),
            *(round(each.questions * each.scores[name]) for name in ("first", "among")),
            *(f"{each.scores['among']:.0%}", f"{each.scores['reciprocal']:.2f}"),
        )
        for each in scores
    ]
    told = (
        f"The documentation of {PACKAGE}=={VERSION}, {pages:,} pages in {passages:,} passages.{with_embedder} "
        f"A search takes {1000 * seconds:.0f} ms of processor time (median)."
    )
    return f"{told}\n\n{table(heads, rows)}"
