"""Hooks: additions of installed packages, found by its entry points and imported when it is used.

Each hook has its own group of entry points. docs/plugins.md describes them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeVar

from graphwright.errors import GraphwrightError, exception_text
from graphwright.extras import own_distributions

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

__all__ = [
    "Packaged",
    "Finding",
    "warning",
    "ApprovalCard",
    "CardKind",
    "StoredThread",
    "Export",
    "Demo",
    "Resource",
    "Pane",
    "PANES",
    "ROUTES",
    "APPROVALS",
]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Packaged:
    """An entry point as a distribution declares it. `distribution` is its name and version, for people."""

    name: str
    value: str
    distribution: str

    @property
    def own(self) -> bool:
        """Whether a package of Graphwright itself declares it. Others may have names that begin like ours, too."""
        return self.distribution.partition(" ")[0] in own_distributions()


@dataclass(frozen=True, slots=True)
class Hook(Generic[T]):
    """One kind of addition. `what` names it in messages, `expected` describes the object that an entry point names.

    `fits` returns whether an object is that. Graphwright's own entry points win over those of other packages, and of
    several other packages the one that is first by name and version.
    """

    group: str
    what: str
    expected: str
    fits: Callable[[object], bool]

    def entries(self) -> dict[str, Packaged]:
        """Return the entry points in use, by name. Nothing is imported."""
        return {name: _preferred(found)[0] for name, found in declared(self.group).items()}

    def unused(self) -> Iterator[tuple[Packaged, Packaged]]:
        """Yield each entry point whose name another package has, and the one that is used instead."""
        for found in declared(self.group).values():
            first, *others = _preferred(found)
            yield from ((other, first) for other in others)

    def get(self, name: str) -> T | None:
        """Return the object with this name, or None if no package declares it. Raises GraphwrightError like `load`."""
        entry = self.entries().get(name)
        return None if entry is None else self.load(entry)

    def load(self, entry: Packaged) -> T:
        """Import the object of an entry point. Raises GraphwrightError (`plugin`) if it cannot be used."""
        try:
            found: T = imported(entry)
            if not self.fits(found):
                raise TypeError(f"{entry.value} is not {self.expected}")
        # The code of another package may fail in any way, and must not affect anything else.
        except (Exception, SystemExit) as error:
            raise GraphwrightError(
                "plugin",
                f"The {self.what} {entry.name!r} of {entry.distribution} cannot be used: {exception_text(error)}.",
                "Install another version of the package, or report this to its author.",
            ) from error
        return found

    def usable(self) -> Iterator[tuple[str, T]]:
        """Import and yield the objects that can be used, by name. `graphwright doctor` names the others."""
        for name, entry in self.entries().items():
            try:
                yield name, self.load(entry)
            except GraphwrightError:
                continue


def _preferred(found: Iterable[Packaged]) -> list[Packaged]:
    return sorted(found, key=lambda entry: (not entry.own, entry.distribution, entry.value))


def imported(entry: Packaged) -> Any:
    """Import the object of an entry point. Raises whatever its module raises."""
    from importlib.metadata import EntryPoint

    return EntryPoint(entry.name, entry.value, "").load()


def declared(group: str) -> Mapping[str, tuple[Packaged, ...]]:
    """The entry points of a group in all installed distributions, by name. Nothing is imported."""
    return _declared(tuple(sys.path)).get(group, {})


@lru_cache(maxsize=4)
def _declared(_path: tuple[str, ...]) -> Mapping[str, Mapping[str, tuple[Packaged, ...]]]:
    found: dict[str, dict[str, dict[str, Packaged]]] = {}
    for group, entry in _entries():
        # A distribution may be found twice, as when it is installed editable.
        found.setdefault(group, {}).setdefault(entry.name, {}).setdefault(entry.value, entry)
    return {
        group: {name: tuple(each.values()) for name, each in sorted(names.items())} for group, names in found.items()
    }


def _entries() -> Iterator[tuple[str, Packaged]]:
    # Imported here because it is slow, and only names that are not paths need it.
    from importlib.metadata import distributions

    for distribution in distributions():
        try:
            entries = [entry for entry in distribution.entry_points if entry.group.startswith("graphwright.")]
            label = f"{distribution.name} {distribution.version}" if entries else ""
        # The metadata of somebody else's package may be broken in any way, and must not break the other packages.
        except Exception:
            continue
        for entry in entries:
            yield entry.group, Packaged(entry.name, entry.value.strip(), label)


# what an entry point names

Level = Literal["ok", "warning", "problem"]
Finding = tuple[Level, str, str]
"""A finding of `graphwright doctor`: its level, its message, and what to do about it (empty if nothing)."""


def warning(error: GraphwrightError) -> Finding:
    """Return an error as a warning of `graphwright doctor`."""
    return "warning", error.message, error.hint


Check = Callable[[], Iterable[Finding]]
"""A check of `graphwright doctor`. An exception is reported as a problem."""


CardKind = Literal["graph", "experiment", "tools", "other"]


@dataclass(frozen=True, slots=True)
class ApprovalCard:
    """The content of a pending approval. `text` is Markdown, shown in place of the question if it is not empty."""

    kind: CardKind = "other"
    text: str = ""


Approval = Callable[[Mapping[str, Any]], ApprovalCard]
"""Returns the card for what is approved: the names of channels and answers, with their values."""


@dataclass(frozen=True, slots=True)
class StoredThread:
    """A thread to export. `events` are its trace as JSON, without private channels; `folder` is that of its files.

    `whole` returns the value of a channel: the trace has only the hash of a large one.
    """

    id: str
    title: str
    events: Sequence[Mapping[str, Any]]
    folder: Path
    whole: Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Export:
    """A format of `graphwright threads export`: an option with the entry point's name.

    `write` writes the new file, and returns a line for the user. It raises UsageError if the thread has nothing to
    export.
    """

    suffix: str
    help: str
    write: Callable[[Path, StoredThread], str]


@dataclass(frozen=True, slots=True)
class Demo:
    """A conversation of `graphwright demo` with an agent. `script` is its JSON file.

    `left_out` returns why it is skipped on this machine; empty if it is not. Demos run by `place`, then by name.
    """

    script: Path
    left_out: Callable[[], str] = field(default=lambda: "")
    place: int = 100


@dataclass(frozen=True, slots=True)
class Resource:
    """Something outside an agent's folder that agents need, such as a graph or a sandbox.

    An agent needs it if its Python imports `module`. `what` names it in the list of agents, such as "a graph".
    `problem` returns why it cannot be used on this machine, or None. `address` returns its location for people, empty
    if it has none.
    """

    module: str
    what: str
    problem: Callable[[], GraphwrightError | None]
    address: Callable[[], str] = field(default=lambda: "")


_PATH_DATA = re.compile(r"[Mm][MmLlHhVvCcSsQqTtAaZz0-9eE+., -]*\Z")
_LONGEST_TITLE, _LONGEST_ICON = 40, 4000


@dataclass(frozen=True, slots=True)
class Pane:
    """A pane of the web app, at `#/NAME` with the name of the entry point.

    `title` is its title by language; `en` is required. `icon` is the path data (`d`) of an SVG path, drawn as an
    outline on a grid of 24 by 24. `module` is a JavaScript file that exports `mount(element, app)` and
    `unmount(element)`; browsers may read the scripts, styles, pictures and fonts in its folder, without a sign-in. None
    is for panes that are built into the web app. `key` opens the pane after G. A pane `of_thread` opens for the thread
    of the chat, and also next to the chat. `role` is the role that a user needs. Panes are sorted by `place`, then by
    name.

    Raises ValueError if a field is not valid.
    """

    title: Mapping[str, str]
    icon: str
    module: Path | None = None
    key: str = ""
    of_thread: bool = False
    role: Literal["viewer", "user", "admin"] = "viewer"
    place: int = 100

    def __post_init__(self) -> None:
        """Check the fields, which the web app shows as they are."""
        if not isinstance(self.title, Mapping) or "en" not in self.title:
            raise ValueError("`title` has no English title under `en`")
        for language, title in self.title.items():
            if not isinstance(title, str) or not 0 < len(title.strip()) <= _LONGEST_TITLE or not title.isprintable():
                raise ValueError(f"the title {language!r} is not a text of 1 to {_LONGEST_TITLE} printable characters")
        if not isinstance(self.icon, str) or len(self.icon) > _LONGEST_ICON or not _PATH_DATA.match(self.icon):
            raise ValueError(f"`icon` is not the path data of an SVG path with at most {_LONGEST_ICON} characters")
        if not re.fullmatch("[a-z]?", self.key):
            raise ValueError("`key` is not a lower-case letter")
        if self.role not in ("viewer", "user", "admin"):
            raise ValueError("`role` is not viewer, user or admin")
        if self.module is not None and (self.module.suffix not in (".js", ".mjs") or not self.module.is_file()):
            raise ValueError(f"`module` is not a JavaScript file: {self.module}")


ModelFactory = Callable[[str, float | None], "BaseChatModel"]
"""Makes a chat model of LangChain. The arguments are the name of the model, without the provider, and its temperature
(None: the provider's default). It must not connect."""


class StoreOpener(Protocol):
    """Opens the store at a URL. `graphwright.store.Store` describes what it yields."""

    def __call__(
        self, url: str, home: Path, *, create: bool, busy_timeout: float, now: Callable[[], datetime]
    ) -> AbstractAsyncContextManager[Any]:
        """Open the store at `url`, whose threads have their files in the folder `home`.

        With `create=False` nothing is created: a missing store reads as empty. `busy_timeout` is the number of seconds
        to wait for another process that writes, or for a lost server. `now` returns the time. Raises `StoreError`,
        whose texts do not show a password.
        """


def _is_router(found: object) -> bool:
    from fastapi import APIRouter

    return isinstance(found, APIRouter)


AGENTS = "graphwright.agents"
"""The group of agents: the name of an agent, and the package whose folder contains it. host/discovery.py reads it."""

COMMANDS: Hook[Any] = Hook("graphwright.commands", "command", "a Typer app or a function", callable)
ROUTES: Hook[Any] = Hook("graphwright.routes", "route", "an APIRouter of FastAPI", _is_router)
CHECKS: Hook[Check] = Hook("graphwright.checks", "check", "a function", callable)
APPROVALS: Hook[Approval] = Hook("graphwright.approvals", "approval card", "a function", callable)
EXPORTS: Hook[Export] = Hook("graphwright.exports", "export", "an Export", lambda found: isinstance(found, Export))
RESOURCES: Hook[Resource] = Hook(
    "graphwright.resources", "resource", "a Resource", lambda found: isinstance(found, Resource)
)
PANES: Hook[Pane] = Hook("graphwright.panes", "pane", "a Pane", lambda found: isinstance(found, Pane))
DEMOS: Hook[Demo] = Hook("graphwright.demos", "demo", "a Demo", lambda found: isinstance(found, Demo))
MODELS: Hook[ModelFactory] = Hook("graphwright.models", "model provider", "a function", callable)
STORES: Hook[StoreOpener] = Hook("graphwright.stores", "store", "a function", callable)
