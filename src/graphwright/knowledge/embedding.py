"""Embeddings: the port, LangChain's models behind it, and the passages nearest to a question."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol

from graphwright.config import current
from graphwright.knowledge.errors import EmbedderUnavailable
from graphwright.store.sqlite_files import transaction

if TYPE_CHECKING:
    import numpy

    Vector = numpy.ndarray[Any, numpy.dtype[numpy.float32]]

VARIABLE = "GRAPHWRIGHT_EMBEDDINGS"
_BATCH = 64
_LONGEST_REASON = 200


class Embedder(Protocol):
    """A model that gives texts of like meaning near vectors. Vectors of one `name` have one length."""

    @property
    def name(self) -> str:
        """By which its vectors are kept."""

    def documents(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """A vector for each text, in their order."""

    def query(self, text: str) -> Sequence[float]:
        """The vector of a question."""


class LangChainEmbedder:
    """An embeddings model of LangChain, loaded at its first use."""

    def __init__(self, spec: str) -> None:
        self.name = spec
        self._model: Any = None

    def documents(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        vectors: Sequence[Sequence[float]] = self._loaded().embed_documents(list(texts))
        return vectors

    def query(self, text: str) -> Sequence[float]:
        vector: Sequence[float] = self._loaded().embed_query(text)
        return vector

    def _loaded(self) -> Any:
        if self._model is None:
            from langchain.embeddings import init_embeddings

            self._model = init_embeddings(self.name)
        return self._model


def chosen_embedder() -> Embedder | None:
    """The one that GRAPHWRIGHT_EMBEDDINGS names, else `embeddings` of `[agents.assistant]`; None where neither does.

    Raises EmbedderUnavailable for a name that is no `PROVIDER:MODEL`, or without numpy; no connection is made.
    """
    spec = os.environ.get(VARIABLE, "").strip()
    if not spec:
        given = current().agents.get("assistant", {}).get("embeddings", "")
        spec = given.strip() if isinstance(given, str) else str(given)
    if not spec:
        return None
    provider, _, model = spec.partition(":")
    if not provider or not model:
        raise EmbedderUnavailable(
            "unknown_embedder", f"{spec!r} names no embeddings model.", "Write PROVIDER:MODEL, such as ollama:bge-m3."
        )
    if find_spec("numpy") is None:
        raise EmbedderUnavailable(
            "unknown_embedder", "Embeddings need numpy, which is not installed.", "Run `pip install numpy`."
        )
    return LangChainEmbedder(spec)


def embed_missing(connection: sqlite3.Connection, embedder: Embedder, tell: Callable[[str], None]) -> int:
    """Give every passage without a vector one; how many. Raises EmbedderUnavailable; what was done stays."""
    missing = connection.execute(
        "SELECT DISTINCT digest FROM passages WHERE digest NOT IN (SELECT digest FROM vectors WHERE model = ?)",
        (embedder.name,),
    ).fetchall()
    for start in range(0, len(missing), _BATCH):
        digests = [digest for (digest,) in missing[start : start + _BATCH]]
        texts = [_described(connection, digest) for digest in digests]
        vectors = [_blob(vector) for vector in _asked(embedder, partial(embedder.documents, texts))]
        if len(vectors) != len(texts):
            raise EmbedderUnavailable(
                "embedder_failed",
                f"{embedder.name} gave {len(vectors)} vectors for {len(texts)} texts.",
                "Use another.",
            )
        with transaction(connection):
            connection.executemany(
                "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)",
                [(embedder.name, digest, vector) for digest, vector in zip(digests, vectors, strict=True)],
            )
        tell(f"{min(start + _BATCH, len(missing)):,} of {len(missing):,} passages embedded")
    return len(missing)


def _asked(embedder: Embedder, ask: Callable[[], Any]) -> Any:
    """What the model says; whatever goes wrong with it is EmbedderUnavailable."""
    try:
        return ask()
    # Every provider has errors of its own.
    except Exception as error:
        # Some go on with lists of all that there is.
        first = str(error).strip().partition("\n")[0][:_LONGEST_REASON].rstrip(" .:")
        raise EmbedderUnavailable(
            "embedder_failed",
            f"The embeddings model {embedder.name} did not answer ({type(error).__name__}: {first}).",
            "Look at its name, its key and its server. The search by words works without it.",
        ) from error


def _described(connection: sqlite3.Connection, digest: bytes) -> str:
    title, heading, text = connection.execute(
        "SELECT title, heading, text FROM passages JOIN pages ON pages.id = passages.page "
        "WHERE passages.digest = ? LIMIT 1",
        (digest,),
    ).fetchone()
    return "\n".join(filter(None, (title, heading, text)))


def _blob(vector: Sequence[float]) -> bytes:
    return _unit(vector).tobytes()


def _unit(vector: Sequence[float]) -> Vector:
    import numpy

    array = numpy.nan_to_num(numpy.asarray(vector, dtype=numpy.float32))
    length = float(numpy.linalg.norm(array))
    return array / numpy.float32(length) if length else array


class Neighbours:
    """The vectors of an index in memory, read again when it has changed."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._lock = threading.Lock()
        self._stamp: tuple[int, int, int] | None = None
        self._passages: Any = None
        self._matrix: Any = None

    def vector(self, query: str) -> Vector:
        """The vector of a question, of length 1. Raises EmbedderUnavailable."""
        return _unit(_asked(self._embedder, partial(self._embedder.query, query)))

    def nearest(
        self, vector: Vector, connection: sqlite3.Connection, condition: str, values: Sequence[str | int], most: int
    ) -> list[int]:
        """The ids of the passages nearest to a question, the nearest first; `condition` is SQL over their pages.

        Raises EmbedderUnavailable where no passage has a vector yet.
        """
        import numpy

        with self._lock:
            self._refresh(connection, len(vector))
            passages, matrix = self._passages, self._matrix
        if not len(passages):
            raise EmbedderUnavailable(
                "embedder_failed",
                f"The passages have no embeddings of {self._embedder.name} yet.",
                "Index the folder again.",
            )
        near = matrix @ vector
        if condition:
            rows = connection.execute(
                f"SELECT passages.id FROM passages JOIN pages ON pages.id = page WHERE {condition}", tuple(values)
            )
            near[~numpy.isin(passages, numpy.array([id for (id,) in rows], dtype=numpy.int64))] = -1.0
        best = numpy.argsort(-near, kind="stable")[:most]
        return [int(passages[place]) for place in best if near[place] > 0]

    def forget(self) -> None:
        """Read the vectors again the next time: it is another file."""
        with self._lock:
            self._stamp = None

    def _refresh(self, connection: sqlite3.Connection, length: int) -> None:
        import numpy

        (version,) = connection.execute("PRAGMA data_version").fetchone()
        stamp = (int(version), connection.total_changes, length)
        if stamp == self._stamp:
            return
        rows = connection.execute(
            "SELECT passages.id, vector FROM passages JOIN vectors ON vectors.digest = passages.digest "
            "WHERE model = ? AND length(vector) = ? ORDER BY passages.id",
            (self._embedder.name, 4 * length),
        ).fetchall()
        self._passages = numpy.array([id for id, _ in rows], dtype=numpy.int64)
        vectors = b"".join(vector for _, vector in rows)
        self._matrix = numpy.frombuffer(vectors, dtype=numpy.float32).reshape(len(rows), length)
        self._stamp = stamp
