"""Which documents are searched: the configured folder, else the folders that were indexed, else the sample corpus."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from graphwright.config import current
from graphwright.errors import GraphwrightError
from graphwright.knowledge.embedding import Embedder, chosen_embedder
from graphwright.knowledge.errors import KnowledgeError
from graphwright.knowledge.index import KnowledgeIndex
from graphwright.knowledge.searching import ALL
from graphwright.knowledge.walking import real_folder
from graphwright.store.home import data_home
from graphwright.tools.sources import Findings

SAMPLE = Path(__file__).parent / "sample"
"""The documents of an invented light source, for those who have none yet."""

IS_SAMPLE = "This is the sample corpus: no folder of your own is indexed yet."

_LEFT_OUT = ("README.md",)

_SAMPLE_ACCELERATORS: Mapping[str, tuple[str, ...]] = {
    "aurora": ("ring", "storage ring", "sr", "Speicherring"),
    "booster": ("booster synchrotron", "bo", "Booster-Synchrotron"),
    "linac": ("linear accelerator", "li", "Linearbeschleuniger", "injector"),
}


def own_index(home: Path | None = None, *, embedder: Embedder | None = None) -> KnowledgeIndex:
    """The index of the user's own folders in a data folder. It may be empty."""
    return KnowledgeIndex((home or data_home()) / "knowledge" / "own.sqlite3", embedder=embedder)


def configured_accelerators() -> dict[str, tuple[str, ...]]:
    """What `accelerators` of `[agents.assistant]` names, with other names for each; without it those of the sample.

    It is a list of names, or a table of lists: `accelerators = { aurora = ["SR", "storage ring"] }`. Raises
    KnowledgeError for anything else.
    """
    given = _settings().get("accelerators")
    if given is None:
        return dict(_SAMPLE_ACCELERATORS)
    if isinstance(given, Sequence) and not isinstance(given, str):
        given = {name: _SAMPLE_ACCELERATORS.get(name, ()) for name in given if isinstance(name, str)}
    if isinstance(given, Mapping) and all(
        isinstance(others, Sequence) and not isinstance(others, str) and all(isinstance(each, str) for each in others)
        for others in given.values()
    ):
        return {name.strip().lower(): tuple(others) for name, others in given.items() if name.strip().lower() != ALL}
    raise KnowledgeError(
        "bad_accelerators",
        "`accelerators` of [agents.assistant] is neither a list of names nor a table of lists.",
        'Write accelerators = ["aurora", "booster"], or accelerators = { aurora = ["SR", "storage ring"] }.',
    )


def configured_folder() -> Path | None:
    """The folder that `knowledge` of `[agents.assistant]` names, relative to the configuration file; None without."""
    given = _settings().get("knowledge")
    if not isinstance(given, str) or not given.strip():
        return None
    file = current().file
    return (file.parent if file else Path()) / Path(given.strip()).expanduser()


class ChosenKnowledge:
    """The documents to be searched, opened and where necessary indexed at the first search. For several threads.

    A search waits at most `patience` seconds for that, and without one until it is done; it goes on after that.
    """

    def __init__(
        self,
        home: Path | None = None,
        *,
        tell: Callable[[str], None] = lambda _: None,
        patience: float | None = None,
    ) -> None:
        self._home = home or data_home()
        self._tell = tell
        self._patience = patience
        self._lock = threading.Lock()
        self._opening: Future[KnowledgeIndex] | None = None
        self._progress = ""
        self.is_sample = False

    def search(self, text: str, accelerator: str = ALL, limit: int = 5) -> Findings:
        """As `KnowledgeIndex.search`; the note says where it is the sample that was searched.

        Raises KnowledgeError (`still_indexing` where the patience ends), and FilesUnavailable where documents are read
        first.
        """
        found = self.index().search(text, accelerator, limit)
        return replace(found, note=f"{IS_SAMPLE} {found.note}".rstrip()) if self.is_sample else found

    def index(self) -> KnowledgeIndex:
        """The index that is searched. Raises as `search` does."""
        with self._lock:
            # What failed is tried again: the folder may be there now.
            if self._opening is None or (self._opening.done() and self._opening.exception() is not None):
                self._opening = Future()
                threading.Thread(target=self._open, args=(self._opening,), daemon=True).start()
            opening = self._opening
        try:
            return opening.result(self._patience)
        except TimeoutError:
            if opening.done():
                raise
            raise KnowledgeError(
                "still_indexing",
                f"The documents are still being indexed{f' ({self._progress})' if self._progress else ''}.",
                "Ask again in a while.",
            ) from None

    def accelerators(self) -> frozenset[str]:
        """Those that pages name. Raises as `search` does."""
        return frozenset(name for folder in self.index().folders() for name in folder.accelerators)

    def will_be_sample(self) -> bool:
        """Whether there is nothing else to be searched. Raises KnowledgeError."""
        if configured_folder() is not None:
            return False
        with closing(own_index(self._home)) as own:
            return not own.folders()

    def close(self) -> None:
        """Close the file of the index. It may be searched again."""
        with self._lock:
            if self._opening is not None and self._opening.done() and self._opening.exception() is None:
                self._opening.result().close()

    def _open(self, opening: Future[KnowledgeIndex]) -> None:
        try:
            index = self._found()
        # Whatever it is, it is raised to who waits for it.
        except BaseException as error:
            opening.set_exception(error)
        else:
            opening.set_result(index)

    def _goes_on(self, told: str) -> None:
        self._progress = told
        self._tell(told)

    def _found(self) -> KnowledgeIndex:
        embedder = chosen_embedder()
        own = own_index(self._home, embedder=embedder)
        with closing(own):
            if (folder := configured_folder()) is not None:
                return self._of_folder(own, real_folder(folder), embedder)
            if own.folders():
                return own
        return self._of_sample(embedder)

    def _of_folder(self, own: KnowledgeIndex, folder: Path, embedder: Embedder | None) -> KnowledgeIndex:
        index = KnowledgeIndex(own.file, embedder=embedder, folder=folder)
        if any(each.path == folder and each.indexed for each in own.folders()):
            # Nobody waits for what changed since the last time.
            threading.Thread(target=self._refresh, args=(own, folder), daemon=True).start()
        else:
            self._goes_on(f"Indexing {folder}")
            own.update(folder, tell=self._goes_on)
        return index

    def _refresh(self, own: KnowledgeIndex, folder: Path) -> None:
        # What cannot be brought up to date can still be searched; `knowledge index` says what is wrong.
        with suppress(GraphwrightError):
            own.update(folder)

    def _of_sample(self, embedder: Embedder | None) -> KnowledgeIndex:
        index = KnowledgeIndex(self._home / "knowledge" / "sample.sqlite3", embedder=embedder)
        for folder in index.folders():
            if folder.path != SAMPLE.resolve():
                # Graphwright was installed somewhere else then.
                index.forget(folder.name)
        index.update(SAMPLE, "sample", leave_out=_LEFT_OUT, tell=self._tell)
        self.is_sample = True
        return index


def _settings() -> Mapping[str, Any]:
    return current().agents.get("assistant", {})
