"""Embeddings from a configured model: computed, stored, compared with the vector of a query, and fused by rank."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Sequence
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from math import inf
from typing import TYPE_CHECKING, Any, TypeAlias

from graphwright.config import current
from graphwright.store.sqlite_files import transaction
from graphwright.text.sentences import many
from graphwright_assistant.retrieval._errors import EmbedderUnavailable

if TYPE_CHECKING:
    import numpy

Vector: TypeAlias = "numpy.ndarray[Any, numpy.dtype[numpy.float32]]"

VARIABLE = "GRAPHWRIGHT_EMBEDDINGS"

_CLASSES = {
    "azure_ai": ("langchain_azure_ai.embeddings", "AzureAIOpenAIApiEmbeddingsModel", "model"),
    "azure_openai": ("langchain_openai", "AzureOpenAIEmbeddings", "model"),
    "bedrock": ("langchain_aws", "BedrockEmbeddings", "model_id"),
    "cohere": ("langchain_cohere", "CohereEmbeddings", "model"),
    "google_genai": ("langchain_google_genai", "GoogleGenerativeAIEmbeddings", "model"),
    "google_vertexai": ("langchain_google_vertexai", "VertexAIEmbeddings", "model"),
    "huggingface": ("langchain_huggingface", "HuggingFaceEmbeddings", "model_name"),
    "mistralai": ("langchain_mistralai", "MistralAIEmbeddings", "model"),
    "ollama": ("langchain_ollama", "OllamaEmbeddings", "model"),
    "openai": ("langchain_openai", "OpenAIEmbeddings", "model"),
}
"""The class of embeddings of each provider: its module, its name, and its argument for the model."""

_BATCH = 64
_FUSION = 60


class Embedder:
    """A model that returns near vectors for texts of similar meaning: `PROVIDER:MODEL`, or `PROVIDER:MODEL@ADDRESS`.

    It is a model of LangChain, loaded at its first use. Vectors are stored under its `name`, and have one length.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def documents(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """A vector for each text, in their order."""
        vectors: Sequence[Sequence[float]] = self._model.embed_documents(list(texts))
        return vectors

    def query(self, text: str) -> Sequence[float]:
        """The vector of a question."""
        vector: Sequence[float] = self._model.embed_query(text)
        return vector

    @cached_property
    def _model(self) -> Any:
        spec, _, address = self.name.partition("@")
        provider, _, model = spec.partition(":")
        if provider not in _CLASSES:
            told = f"There is no provider of embeddings {provider!r}."
            raise EmbedderUnavailable("unknown_embedder", told, f"The providers are: {', '.join(sorted(_CLASSES))}.")
        module, name, argument = _CLASSES[provider]
        if find_spec(package := module.partition(".")[0]) is None:
            told = f"The embeddings of {provider} need the package {package.replace('_', '-')}, which is not installed."
            raise EmbedderUnavailable("unknown_embedder", told, f"Run `pip install {package.replace('_', '-')}`.")
        options: dict[str, Any] = {argument: model}
        if address:
            options["base_url"] = address
        if provider == "openai":
            # Otherwise it downloads a tokenizer, and sends token numbers that only OpenAI supports.
            options["check_embedding_ctx_length"] = False
        return getattr(import_module(module), name)(**options)


def chosen_embedder() -> Embedder | None:
    """The embedder in GRAPHWRIGHT_EMBEDDINGS or in `embeddings` of `[agents.assistant]`, or None.

    Raises EmbedderUnavailable if it is not `PROVIDER:MODEL`, or without numpy. Does not connect.
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
    return Embedder(spec)


def fused(*rankings: Sequence[int]) -> list[int]:
    """Combine several rankings by reciprocal rank: the sum of 1 / (60 + rank)."""
    scores: dict[int, float] = {}
    for ranking in rankings:
        for rank, id in enumerate(ranking, 1):
            scores[id] = scores.get(id, 0.0) + 1 / (_FUSION + rank)
    return sorted(scores, key=lambda id: -scores[id])


class VectorIndex:
    """The texts of a database ranked by their vectors. Without an embedder, it returns no rankings.

    If the model does not answer, a note is added to `notes` and nothing is raised: the search by words continues.
    `embed` and `vector` may take long. Only one thread at a time may call `ranked`, which keeps the vectors in memory
    until they change.
    """

    def __init__(self, embedder: Embedder | None) -> None:
        self._embedder = embedder
        self.name = embedder.name if embedder else ""
        self._stamp: tuple[int, ...] = ()
        self._ids: Any = None
        self._matrix: Any = None

    def embed(
        self,
        connection: sqlite3.Connection,
        notes: list[str],
        notify: Callable[[str], None] = lambda _: None,
        seconds: float = inf,
    ) -> None:
        """Compute the missing vectors of a database's texts, for at most about `seconds`. Finished ones are kept."""
        if self._embedder is None:
            return
        missing = connection.execute(
            "SELECT digest, title || char(10) || heading || char(10) || text FROM texts "
            "WHERE digest NOT IN (SELECT digest FROM vectors WHERE model = ?) GROUP BY digest ORDER BY min(id)",
            (self.name,),
        ).fetchall()
        end = time.monotonic() + seconds
        try:
            for start in range(0, len(missing), _BATCH):
                if time.monotonic() > end:
                    notes.append(f"No embeddings of {self.name} yet: {many(len(missing) - start, 'text')}.")
                    return
                batch = missing[start : start + _BATCH]
                texts = ["\n".join(filter(None, map(str.strip, text.split("\n")))) for _, text in batch]
                vectors = self._call(self._embedder.documents, texts)
                if len(vectors) != len(texts):
                    told = f"{self.name} gave {many(len(vectors), 'vector')} for {many(len(texts), 'text')}."
                    raise EmbedderUnavailable("embedder_failed", told, "Use another.")
                rows = [(self.name, id, _unit(each).tobytes()) for (id, _), each in zip(batch, vectors, strict=True)]
                with transaction(connection):
                    connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)
                notify(f"{min(start + _BATCH, len(missing)):,} of {len(missing):,} texts embedded")
        except EmbedderUnavailable as error:
            notes.append(f"{error.message} {error.hint}")

    def vector(self, query: str, notes: list[str]) -> Vector | None:
        """The vector of a question, of length 1, or None if the model is unavailable."""
        if self._embedder is None or not query.strip():
            return None
        try:
            return _unit(self._call(self._embedder.query, query))
        except EmbedderUnavailable as error:
            notes.append(f"Only words were searched for. {error.message}")
            return None

    def ranked(
        self,
        vector: Vector | None,
        connection: sqlite3.Connection,
        notes: list[str],
        most: int,
        condition: str = "",
        values: Sequence[str | int] = (),
    ) -> list[tuple[int, float]]:
        """The ids of the texts nearest to a question, and their similarity; `condition` as in `TextIndex.ranked`."""
        if vector is None:
            return []
        import numpy

        self._load(connection, len(vector))
        if not len(self._ids):
            notes.append(f"Only words were searched for. There are no embeddings of {self.name} yet.")
            return []
        near = self._matrix @ vector
        if condition:
            rows = connection.execute(f"SELECT texts.id FROM texts WHERE {condition}", tuple(values))
            near[~numpy.isin(self._ids, numpy.array([id for (id,) in rows], dtype=numpy.int64))] = -1.0
        best = numpy.argsort(-near, kind="stable")[:most]
        return [(int(self._ids[place]), float(near[place])) for place in best if near[place] > 0]

    def _load(self, connection: sqlite3.Connection, length: int) -> None:
        """Read the vectors of this length, if the database has changed."""
        import numpy

        (version,) = connection.execute("PRAGMA data_version").fetchone()
        stamp = (id(connection), int(version), connection.total_changes, length)
        if stamp == self._stamp:
            return
        rows = connection.execute(
            "SELECT texts.id, vector FROM texts JOIN vectors USING (digest) "
            "WHERE model = ? AND length(vector) = ? ORDER BY 1",
            (self.name, 4 * length),
        ).fetchall()
        self._ids = numpy.array([number for number, _ in rows], dtype=numpy.int64)
        vectors = b"".join(vector for _, vector in rows)
        self._matrix = numpy.frombuffer(vectors, dtype=numpy.float32).reshape(len(rows), length)
        self._stamp = stamp

    def _call(self, ask: Callable[[Any], Any], texts: Any) -> Any:
        """The answer of the model. Raises EmbedderUnavailable for every error of it."""
        try:
            return ask(texts)
        except EmbedderUnavailable:
            raise
        # Every provider has different errors, and some contain long lists.
        except Exception as error:
            first = str(error).strip().partition("\n")[0][:200].rstrip(" .:")
            raise EmbedderUnavailable(
                "embedder_failed",
                f"The embeddings model {self.name} did not answer ({type(error).__name__}: {first}).",
                "Check its name, its key and its server. The search by words works without it.",
            ) from error


def _unit(vector: Sequence[float]) -> Vector:
    import numpy

    array = numpy.nan_to_num(numpy.asarray(vector, dtype=numpy.float32))
    length = float(numpy.linalg.norm(array))
    return array / numpy.float32(length) if length else array
