"""Embeddings from an endpoint that the operator names: asked, kept, and compared with that of a query."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol

from graphwright.config import current
from graphwright.retrieval.errors import EmbedderUnavailable
from graphwright.store.sqlite_files import transaction

if TYPE_CHECKING:
    import numpy

    Vector = numpy.ndarray[Any, numpy.dtype[numpy.float32]]

VARIABLE = "GRAPHWRIGHT_EMBEDDINGS"

SCHEMA = (
    "CREATE TABLE vectors (model TEXT, digest BLOB, vector BLOB NOT NULL, PRIMARY KEY (model, digest)) WITHOUT ROWID",
)

_BATCH = 64
_FUSION = 60


class Embedder(Protocol):
    """A model that gives texts of like meaning near vectors. Vectors of one `name` have one length."""

    @property
    def name(self) -> str:
        """By which its vectors are kept."""

    def documents(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """A vector for each text, in their order."""

    def query(self, text: str) -> Sequence[float]:
        """The vector of a question."""


class Endpoint:
    """A model of embeddings of LangChain, loaded at its first use: `PROVIDER:MODEL`, or `PROVIDER:MODEL@ADDRESS`."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._lock = threading.Lock()
        self._model: Any = None

    def documents(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        vectors: Sequence[Sequence[float]] = self._loaded().embed_documents(list(texts))
        return vectors

    def query(self, text: str) -> Sequence[float]:
        vector: Sequence[float] = self._loaded().embed_query(text)
        return vector

    def _loaded(self) -> Any:
        with self._lock:
            if self._model is None:
                from langchain.embeddings import init_embeddings

                model, _, address = self.name.partition("@")
                more: dict[str, Any] = {"base_url": address} if address else {}
                if model.startswith("openai:"):
                    # Else it fetches a tokenizer from the internet, and sends numbers that only OpenAI understands.
                    more["check_embedding_ctx_length"] = False
                self._model = init_embeddings(model, **more)
            return self._model


def chosen_embedder() -> Embedder | None:
    """The one that GRAPHWRIGHT_EMBEDDINGS names, else `embeddings` of `[agents.assistant]`; None where neither does.

    Raises EmbedderUnavailable for what is no `PROVIDER:MODEL`, or without numpy; no connection is made.
    """
    named = os.environ.get(VARIABLE) or current().agents.get("assistant", {}).get("embeddings", "")
    if not (spec := str(named).strip()):
        return None
    if not all(spec.partition("@")[0].partition(":")):
        hint = "Write PROVIDER:MODEL, such as ollama:bge-m3, or openai:MODEL@http://HOST:PORT/v1."
        raise EmbedderUnavailable("unknown_embedder", f"{spec!r} names no embeddings model.", hint)
    if find_spec("numpy") is None:
        told = "Embeddings need numpy, which is not installed."
        raise EmbedderUnavailable("unknown_embedder", told, "Run `pip install numpy`.")
    return Endpoint(spec)


def fused(rankings: Sequence[Sequence[int]]) -> list[int]:
    """One ranking of several by reciprocal rank: the sum of 1 / (60 + rank)."""
    scores: dict[int, float] = {}
    for ranking in rankings:
        for rank, id in enumerate(ranking, 1):
            scores[id] = scores.get(id, 0.0) + 1 / (_FUSION + rank)
    return sorted(scores, key=lambda id: -scores[id])


def embed_missing(connection: sqlite3.Connection, embedder: Embedder, tell: Callable[[str], None]) -> int:
    """Give every passage without a vector one; how many. Raises EmbedderUnavailable; what was done stays."""
    missing = connection.execute(
        "SELECT digest, title || char(10) || heading || char(10) || text FROM passages JOIN texts USING (id) "
        "WHERE digest NOT IN (SELECT digest FROM vectors WHERE model = ?) GROUP BY digest ORDER BY min(id)",
        (embedder.name,),
    ).fetchall()
    for start in range(0, len(missing), _BATCH):
        batch = missing[start : start + _BATCH]
        texts = ["\n".join(filter(None, map(str.strip, text.split("\n")))) for _, text in batch]
        vectors = _asked(embedder, partial(embedder.documents, texts))
        if len(vectors) != len(texts):
            told = f"{embedder.name} gave {len(vectors)} vectors for {len(texts)} texts."
            raise EmbedderUnavailable("embedder_failed", told, "Use another.")
        rows = [
            (embedder.name, digest, _unit(each).tobytes()) for (digest, _), each in zip(batch, vectors, strict=True)
        ]
        with transaction(connection):
            connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)
        tell(f"{start + len(batch):,} of {len(missing):,} passages embedded")
    return len(missing)


class Neighbours:
    """The vectors of an index in memory, read again when it has changed. One thread at a time asks for `nearest`."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._stamp: tuple[int, ...] = ()
        self._passages: Any = None
        self._matrix: Any = None

    def vector(self, query: str) -> Vector:
        """The vector of a question, of length 1. Raises EmbedderUnavailable."""
        return _unit(_asked(self._embedder, partial(self._embedder.query, query)))

    def nearest(
        self, vector: Vector, connection: sqlite3.Connection, most: int, condition: str, values: Sequence[str | int]
    ) -> list[int]:
        """The numbers of the passages nearest to a question, the nearest first; `condition` as in `TextIndex.ranked`.

        Raises EmbedderUnavailable where no passage has a vector yet.
        """
        import numpy

        self._refresh(connection, len(vector))
        if not len(self._passages):
            told = f"The passages have no embeddings of {self._embedder.name} yet."
            raise EmbedderUnavailable("embedder_failed", told, "Index the folder again.")
        near = self._matrix @ vector
        if condition:
            rows = connection.execute(f"SELECT texts.id FROM texts WHERE {condition}", tuple(values))
            near[~numpy.isin(self._passages, numpy.array([id for (id,) in rows], dtype=numpy.int64))] = -1.0
        best = numpy.argsort(-near, kind="stable")[:most]
        return [int(self._passages[place]) for place in best if near[place] > 0]

    def _refresh(self, connection: sqlite3.Connection, length: int) -> None:
        import numpy

        (version,) = connection.execute("PRAGMA data_version").fetchone()
        stamp = (id(connection), int(version), connection.total_changes, length)
        if stamp == self._stamp:
            return
        rows = connection.execute(
            "SELECT passages.id, vector FROM passages JOIN vectors USING (digest) "
            "WHERE model = ? AND length(vector) = ? ORDER BY 1",
            (self._embedder.name, 4 * length),
        ).fetchall()
        self._passages = numpy.array([number for number, _ in rows], dtype=numpy.int64)
        vectors = b"".join(vector for _, vector in rows)
        self._matrix = numpy.frombuffer(vectors, dtype=numpy.float32).reshape(len(rows), length)
        self._stamp = stamp


def _asked(embedder: Embedder, ask: Callable[[], Any]) -> Any:
    """What the model says; whatever goes wrong with it is EmbedderUnavailable."""
    try:
        return ask()
    # Every provider has errors of its own, and some go on with lists of all that there is.
    except Exception as error:
        first = str(error).strip().partition("\n")[0][:200].rstrip(" .:")
        raise EmbedderUnavailable(
            "embedder_failed",
            f"The embeddings model {embedder.name} did not answer ({type(error).__name__}: {first}).",
            "Look at its name, its key and its server. The search by words works without it.",
        ) from error


def _unit(vector: Sequence[float]) -> Vector:
    import numpy

    array = numpy.nan_to_num(numpy.asarray(vector, dtype=numpy.float32))
    length = float(numpy.linalg.norm(array))
    return array / numpy.float32(length) if length else array
