"""The documents and the logbook to search: those of the configuration, or the user's own, or the sample."""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent import futures
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

from graphwright.config import current
from graphwright.store.home import data_home
from graphwright.tools.sources import Findings, Source
from graphwright_assistant.retrieval._builtin_logbook import BuiltinLogbook
from graphwright_assistant.retrieval._embedding import Embedder, chosen_embedder
from graphwright_assistant.retrieval._errors import LogbookError, RetrievalError
from graphwright_assistant.retrieval._folder_indexing import real_folder, walk
from graphwright_assistant.retrieval._knowledge_index import ALL, KnowledgeIndex
from graphwright_assistant.retrieval._logbook import Clock, Logbook

T = TypeVar("T")

CHECKED_EVERY = 2.0
"""The seconds after which a search checks the configured folder for changes again."""

_LONGEST_UPDATE = 3.0
"""The maximum time that a search waits for changes to be read, in seconds."""

SAMPLE = Path(__file__).parent / "sample" / "documents"
"""The documents of a fictional light source, for users without documents."""

IS_SAMPLE = "This is the sample corpus: no folder of your own is indexed yet."

_SAMPLE_ACCELERATORS = ("aurora", "booster", "linac")


def own_index(home: Path | None = None, *, embedder: Embedder | None = None) -> KnowledgeIndex:
    """The index of the user's own folders in a data folder. It may be empty."""
    return KnowledgeIndex((home or data_home()) / "knowledge" / "own.sqlite3", embedder=embedder)


def searched_index(home: Path | None = None, *, embedder: Embedder | None = None) -> KnowledgeIndex:
    """The index of the configured folder, separate for each folder; without one `own_index`. It may be empty."""
    folder = configured_folder()
    if folder is None:
        return own_index(home, embedder=embedder)
    name = hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:16]
    return KnowledgeIndex((home or data_home()) / "knowledge" / f"folder-{name}.sqlite3", embedder=embedder)


def configured_accelerators() -> tuple[str, ...]:
    """The names in `accelerators` of `[agents.assistant]`, in lower case; without it those of the sample.

    Raises RetrievalError if it is neither a list of names nor a table.
    """
    given = _settings().get("accelerators", _SAMPLE_ACCELERATORS)
    if not isinstance(given, list | tuple | dict) or not all(isinstance(each, str) for each in given):
        message = "`accelerators` of [agents.assistant] is not a list of names."
        raise RetrievalError("bad_accelerators", message, 'Write accelerators = ["aurora", "booster"].')
    return tuple(name for name in dict.fromkeys(each.strip().lower() for each in given) if name and name != ALL)


def configured_folder() -> Path | None:
    """The folder `knowledge` of `[agents.assistant]`, relative to the configuration file, or None."""
    given = _settings().get("knowledge")
    if not isinstance(given, str) or not given.strip():
        return None
    file = current().file
    return (file.parent if file else Path()) / Path(given.strip()).expanduser()


def configured_address() -> str:
    """`elog` of `[agents.assistant]` in the configuration file, or an empty text. Raises LogbookError."""
    address = _settings().get("elog", "")
    if not isinstance(address, str):
        hint = 'Write it as elog = "https://elog.example/Logbook".'
        raise LogbookError("bad_address", "`elog` of [agents.assistant] is not a text.", hint)
    return address.strip()


def open_logbook(address: str, home: Path, clock: Clock) -> Logbook:
    """The logbook at an address, or the built-in one of the data folder if it is empty.

    The user and the password for a server come from the environment: `GRAPHWRIGHT_ELOG_USER` and
    `GRAPHWRIGHT_ELOG_PASSWORD`. Raises RetrievalError and StoreError; no request is sent yet.
    """
    if not address:
        return BuiltinLogbook(home, clock, embedder=chosen_embedder())
    # Imported late, because HTTP is slow to load and needed only for a server.
    from graphwright_assistant.retrieval._elog import PASSWORD, USER, ElogClient, ElogServer

    return ElogServer(ElogClient(address, os.environ.get(USER, ""), os.environ.get(PASSWORD, "")), clock)


class ChosenKnowledge:
    """The documents to search, opened and if necessary indexed at the first search. Thread-safe.

    A search waits at most `timeout` seconds for that (None: until it is done); indexing continues after that. A search
    checks the configured folder for changes if the last check is older than `CHECKED_EVERY` seconds.
    """

    def __init__(
        self, home: Path | None = None, *, notify: Callable[[str], None] = lambda _: None, timeout: float | None = None
    ) -> None:
        self._home = home or data_home()
        self._folder = configured_folder()
        self._own = searched_index(self._home)
        self._notify = notify
        self._timeout = timeout
        self._lock = threading.Lock()
        self._opening: Future[KnowledgeIndex] | None = None
        self._progress = ""
        self._seen: frozenset[object] = frozenset()
        self._check: Future[None] | None = None
        self._checked = 0.0

    def search(self, text: str, accelerator: str = ALL, limit: int = 5) -> Findings:
        """As `KnowledgeIndex.search`.

        Raises RetrievalError (`still_indexing` after `timeout`), and FilesUnavailable if documents must be read first.
        """
        index = self._index()
        self._update(index)
        return index.search(text, accelerator, limit)

    def read(self, file: str, page: int | str) -> Source:
        """As `KnowledgeIndex.read`. Also raises as `search` does."""
        return self._index().read(file, page)

    def accelerators(self) -> tuple[str, ...]:
        """The accelerators that pages name, as far as they are indexed."""
        return (self._open_index_if_ready() or self._own).accelerators()

    def overview(self) -> str:
        """The documents on one line, as far as they are indexed."""
        return (self._open_index_if_ready() or self._own).overview()

    @property
    def sample(self) -> bool:
        """Whether only the sample can be searched."""
        return self._folder is None and self._own.empty

    def close(self) -> None:
        """Close the files. A later search opens them again."""
        for index in (self._own, self._open_index_if_ready()):
            if index is not None:
                index.close()

    def _index(self) -> KnowledgeIndex:
        with self._lock:
            # After a failure it is tried again: the folder may exist now.
            if self._opening is None or (self._opening.done() and self._opening.exception()):
                self._opening = _in_background(self._open)
            opening = self._opening
        try:
            return opening.result(self._timeout)
        except TimeoutError:
            if opening.done():
                raise
            told = f"The documents are still being indexed{f' ({self._progress})' if self._progress else ''}."
            raise RetrievalError("still_indexing", told, "Ask again in a while.") from None

    def _update(self, index: KnowledgeIndex) -> None:
        """Check the configured folder for changes if the last check is too old, and wait a little for them."""
        folder = self._folder
        if folder is None:
            return
        with self._lock:
            if self._check is None or (self._check.done() and time.monotonic() - self._checked > CHECKED_EVERY):
                self._checked = time.monotonic()
                self._check = _in_background(lambda: self._read_changes(index, folder))
            check, end = self._check, self._checked + _LONGEST_UPDATE
        # Unreadable files are reported by `knowledge index`; the search uses the present index.
        futures.wait([check], timeout=max(0.0, end - time.monotonic()))

    def _read_changes(self, index: KnowledgeIndex, folder: Path) -> None:
        folder = real_folder(folder)
        seen = frozenset(walk(folder, Counter()))
        if seen != self._seen:
            index.update(folder)
            self._seen = seen

    def _open_index_if_ready(self) -> KnowledgeIndex | None:
        opening = self._opening
        return opening.result() if opening and opening.done() and opening.exception() is None else None

    def _open(self) -> KnowledgeIndex:
        embedder = chosen_embedder()
        index = KnowledgeIndex(self._own.file, embedder=embedder)
        if self._folder is not None:
            folder = real_folder(self._folder)
            if not any(each.indexed for each in index.folders()):
                self._report(f"Indexing {folder}")
                index.update(folder, notify=self._report)
        elif index.empty:
            index = KnowledgeIndex(self._home / "knowledge" / "sample.sqlite3", embedder=embedder)
            index.update(SAMPLE, "sample", notify=self._notify)
        return index

    def _report(self, progress: str) -> None:
        self._progress = progress
        self._notify(progress)


def _in_background(work: Callable[[], T]) -> Future[T]:
    """Run work in a daemon thread. Returns the future of its result or exception."""
    future = Future[T]()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return future


def _settings() -> Mapping[str, Any]:
    return current().agents.get("assistant", {})
