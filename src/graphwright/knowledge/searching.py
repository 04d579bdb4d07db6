"""Searching an index: by words, by the parts of words, and by meaning where there is a model; the ranks are fused."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from graphwright.knowledge.compounds import related
from graphwright.knowledge.errors import EmbedderUnavailable
from graphwright.knowledge.queries import MOST_TEXT, Query, query_of, stems_matching
from graphwright.knowledge.spelling import corrected, missing
from graphwright.knowledge.words import RUN, german_stem
from graphwright.text.folding import fold
from graphwright.text.slips import told
from graphwright.tools.sources import Findings, Source

ALL = "all"
"""The accelerator that stands for all of them."""

MOST_HITS = 20
"""Passages that a search gives at most."""

_CANDIDATES = 60
_MOST_RELATED = 16
_RELATED = 0.5
"""What a part of a word, or a compound of it, counts beside the word itself."""

_FUSION = 60
_ALIKE = 0.8
"""The share of their words that two passages have in common when one of them is enough."""

_MOST_OF_PAGE = 2
_NEAREST_TITLES = 3
_MOST_TITLES = 50
_MOST_THREES = 24
_LIKE = 0.4
_SNIPPET = 240


Nearest = Callable[[sqlite3.Connection, str, Sequence[str | int], int], list[int]]
"""Gives the ids of the passages nearest in meaning: of which SQL over pages is true, its values, and how many."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Where is looked: the passages about an accelerator, in one folder; empty values stand for all of them."""

    accelerator: str = ""
    folder: int | None = None

    def condition(self) -> tuple[str, tuple[str | int, ...]]:
        """SQL over `pages`, and its values. A page that names no accelerator is about all of them."""
        parts, values = list[str](), list[str | int]()
        if self.accelerator:
            parts.append("(accelerators = '' OR instr(accelerators, ?) OR instr(accelerators, ?))")
            values += [f",{self.accelerator},", f",{ALL},"]
        if self.folder is not None:
            parts.append("folder = ?")
            values.append(self.folder)
        return " AND ".join(parts), tuple(values)


@dataclass(frozen=True, slots=True)
class _Hit:
    id: int
    folder: str
    root: str
    path: str
    title: str
    url: str
    accelerators: str
    language: str
    updated: str
    cut: str
    number: int
    heading: str
    sheet: int | None
    text: str


def search(
    connection: sqlite3.Connection, query: Query, scope: Scope, limit: int, nearest: Nearest | None, remark: str = ""
) -> Findings:
    """The passages that fit best, at most `limit`; `total` are those that came into question, at most 60.

    `nearest` gives those nearest in meaning, where there is a model for it; `remark` is put before all notes.
    """
    notes = [remark] if remark else []
    if not query.words:
        return Findings((), 0, "The query is empty: give a few words that say what is looked for.")
    if query.cut:
        notes.append(f"The query is too long: only its first words were used (of {MOST_TEXT:,} characters).")
    if all(len(run) < 2 for word in query.words for run in word):
        notes.append("The query is very short: give a few words that say what is looked for.")
    query, taken = corrected(connection, query)
    if taken:
        notes.append(told(taken))
    rankings = [_by_words(connection, query, scope)]
    if nearest is not None:
        try:
            near = nearest(connection, *scope.condition(), _CANDIDATES)
            rankings.append(near)
            if near and not rankings[0]:
                notes.append("No passage has these words; those nearest in meaning are given.")
        except EmbedderUnavailable as error:
            notes.append(words_alone(error))
    found = fused(rankings)[:_CANDIDATES]
    kept = _chosen(_distinct(_hits(connection, found)), max(1, min(limit, MOST_HITS)))
    if not kept:
        notes.append(_nothing(connection, query, scope))
    elif nowhere := missing(connection, query):
        notes.append(f"Not in any document: {', '.join(nowhere)}.")
    return Findings(tuple(map(_source, kept)), len(found), " ".join(notes))


def words_alone(error: EmbedderUnavailable) -> str:
    """The note that meaning was not searched for, and why, as one sentence: who cuts notes cuts between sentences."""
    why = re.sub(r"[.!?]+\s+", "; ", " ".join(error.message.split())).rstrip(".")
    return f"Only words were searched for: {why[:1].lower()}{why[1:]}."


def fused(rankings: Sequence[Sequence[int]]) -> list[int]:
    """One ranking of several, by the sum of 1 / (60 + rank)."""
    scores: dict[int, float] = {}
    for ranking in rankings:
        for rank, id in enumerate(ranking, 1):
            scores[id] = scores.get(id, 0.0) + 1 / (_FUSION + rank)
    return sorted(scores, key=lambda id: -scores[id])


def snippet(text: str, query: str, most: int = _SNIPPET) -> str:
    """The stretch of a text that has most of the words of a query, on one line."""
    flat = " ".join(text.split())
    if len(flat) <= most:
        return flat
    wanted = {part for word in query_of(query).words for run in word for part in (fold(run), german_stem(run))}
    places = [run.start() for run in RUN.finditer(flat) if fold(run[0]) in wanted or german_stem(run[0]) in wanted]
    start = max(places, key=lambda place: sum(place <= other < place + most for other in places), default=0)
    start = min(max(start - most // 6, 0), len(flat) - most)
    if start:
        start = flat.find(" ", start) + 1 or start
    end = start + most
    if end < len(flat):
        end = flat.rfind(" ", start + 1, end) if " " in flat[start + 1 : end] else end
    return ("… " if start else "") + flat[start:end].strip() + (" …" if end < len(flat) else "")


def _by_words(connection: sqlite3.Connection, query: Query, scope: Scope) -> list[int]:
    """The passages that have any of the words, or of the parts and compounds of one, the best first."""
    scores = dict(_scored(connection, query.matching(), scope))
    stems = query.stems
    near_words = dict.fromkeys(stem for each in stems for stem in related(connection, each) if stem not in stems)
    if near_words:
        for id, score in _scored(connection, stems_matching(islice(near_words, _MOST_RELATED)), scope):
            scores[id] = scores.get(id, 0.0) + _RELATED * score
    return sorted(scores, key=lambda id: -scores[id])[:_CANDIDATES]


def _scored(connection: sqlite3.Connection, matching: str, scope: Scope) -> list[tuple[int, float]]:
    """The best passages and how well they fit; the scores of two conditions may be added."""
    condition, values = scope.condition()
    if condition:
        sql = (
            "SELECT found.rowid, -rank FROM found JOIN passages ON passages.id = found.rowid "
            f"JOIN pages ON pages.id = passages.page WHERE found MATCH ? AND {condition} ORDER BY rank LIMIT ?"
        )
    else:
        sql = "SELECT rowid, -rank FROM found WHERE found MATCH ? ORDER BY rank LIMIT ?"
    return connection.execute(sql, (matching, *values, _CANDIDATES)).fetchall()


def _hits(connection: sqlite3.Connection, ids: Sequence[int]) -> list[_Hit]:
    marks = ", ".join("?" * len(ids))
    rows = connection.execute(
        "SELECT passages.id, folders.name, folders.path, pages.path, title, url, accelerators, language, updated, cut, "
        "number, heading, sheet, text FROM passages JOIN pages ON pages.id = passages.page "
        "JOIN folders ON folders.id = pages.folder "
        f"WHERE passages.id IN ({marks})",
        tuple(ids),
    )
    by_id = {row[0]: _Hit(*row) for row in rows}
    return [by_id[id] for id in ids if id in by_id]


def _chosen(hits: Iterator[_Hit], limit: int) -> list[_Hit]:
    """The first hits, in their order; a page with many good passages leaves room for others where there are any."""
    kept, put_off = list[_Hit](), list[_Hit]()
    of_page: dict[tuple[str, str], int] = {}
    for hit in hits:
        page = (hit.folder, hit.path)
        of_page[page] = of_page.get(page, 0) + 1
        (kept if of_page[page] <= _MOST_OF_PAGE else put_off).append(hit)
        if len(kept) == limit:
            break
    return kept + put_off[: limit - len(kept)]


def _distinct(hits: Iterable[_Hit]) -> Iterator[_Hit]:
    """The hits without those that say what a better one says already."""
    seen: list[frozenset[str]] = []
    for hit in hits:
        words = frozenset(RUN.findall(f"{hit.heading} {hit.text}".casefold()))
        if not any(_alike(words, other) for other in seen):
            seen.append(words)
            yield hit


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    few, many = sorted((len(one), len(other)))
    if few < _ALIKE * many:
        return False
    shared = len(one & other)
    return shared >= _ALIKE * (few + many - shared)


def _source(hit: _Hit) -> Source:
    metadata = {
        "heading": hit.heading,
        "page": str(hit.sheet) if hit.sheet is not None else "",
        "accelerator": hit.accelerators.strip(",").replace(",", ", "),
        "language": hit.language,
        "updated": hit.updated,
        "cut": hit.cut,
        "file": "" if hit.url else f"{hit.folder}/{hit.path}",
    }
    is_pdf = hit.path.lower().endswith(".pdf")
    url = hit.url or (Path(hit.root) / hit.path).as_uri()
    if is_pdf and hit.sheet is not None:
        url = f"{url.partition('#')[0]}#page={hit.sheet}"
    return Source(
        id=f"{hit.folder}/{hit.path}:{hit.number}",
        title=hit.title,
        url=url,
        kind="knowledge",
        metadata={name: value for name, value in metadata.items() if value},
        text=hit.text,
    )


def _nothing(connection: sqlite3.Connection, query: Query, scope: Scope) -> str:
    if not connection.execute("SELECT 1 FROM passages LIMIT 1").fetchone():
        return "There is nothing in the index."
    said = "Nothing was found."
    if scope.accelerator and _by_words(connection, query, Scope(folder=scope.folder)):
        return f"{said} There is something with accelerator {ALL!r} instead of {scope.accelerator!r}."
    if titles := list(_nearest_titles(connection, query, scope)):
        return f"{said} Titles that are a little like it: {'; '.join(titles)}."
    return said


def _nearest_titles(connection: sqlite3.Connection, query: Query, scope: Scope) -> Iterator[str]:
    """The titles that have most of the query's letters in threes: what a slip of the pen was meant to be."""
    wanted = _threes(query.text)
    some = sorted(wanted)[:_MOST_THREES]
    condition, values = scope.condition()
    # Counted by SQLite first: a large index has more titles than can be taken apart here in time.
    shared = " + ".join(["(instr(lower(title), ?) > 0)"] * len(some))
    rows = connection.execute(
        f"SELECT DISTINCT title FROM pages {'WHERE ' + condition if condition else ''} ORDER BY {shared} DESC LIMIT ?",
        (*values, *(three.strip() for three in some), _MOST_TITLES),
    )
    scored = sorted(
        ((len(wanted & _threes(title)) / len(wanted), title) for (title,) in rows if wanted),
        reverse=True,
    )
    yield from (title for score, title in scored[:_NEAREST_TITLES] if score >= _LIKE)


def _threes(text: str) -> frozenset[str]:
    flat = re.sub(r"\W+", " ", fold(text[:200]))
    padded = f" {flat.strip()} "
    return frozenset(padded[place : place + 3] for place in range(len(padded) - 2))
