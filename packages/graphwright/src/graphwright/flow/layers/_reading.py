"""Reading the layers of a flow document: the files that `extends` names, and those that they extend, lowest first."""

from __future__ import annotations

import os.path
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import PurePath

from graphwright.flow._allocation import all_kept
from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._json_schemas import kind_of
from graphwright.flow._source import Path, Reporter, Source, read_text
from graphwright.flow.diagnostics import Diagnostic, Severity
from graphwright.text.sentences import many

Read = Callable[[str], bytes]
"""Returns the content of the file at a path. Raises OSError."""

MAX_LAYERS = 32
"""The maximum number of layers of one document."""

EXTENDS = "extends"
_CHOOSES = re.compile(r"\bstrategies[\"']?\s*:")
"""The field by which the lowest layer, which extends nothing, chooses strategies."""


@dataclass(slots=True)
class Layers:
    """The layers of a document, lowest first, and what was found while they were read.

    `sources` is empty if a layer is missing or cannot be read. `texts` are the texts that were read, by file.
    `is_merged` is false for one document that extends nothing and chooses no strategies.
    """

    sources: list[Source] = field(default_factory=list)
    found: list[Diagnostic] = field(default_factory=list)
    texts: Mapping[str, str] = field(default_factory=dict)
    is_merged: bool = True

    @property
    def readable(self) -> bool:
        return bool(self.sources)

    @property
    def files(self) -> tuple[str, ...]:
        """The paths of the layers, lowest first."""
        return tuple(self.texts)

    def up_to(self, highest: int) -> Layers:
        """The layers from the lowest one to this one; numbers count from 0."""
        return Layers(self.sources[: highest + 1])


def read_layers(text: str | bytes, *, name: str = "", read: Read | None = None) -> Layers:
    """Read a document and everything that it extends. `name` is its path; without `read` it can extend nothing."""
    with all_kept():
        source, found = read_text(text)
        if source is None:
            return Layers([], found, {}, is_merged=False)
        if EXTENDS not in source.data and not _CHOOSES.search(source.text):
            return Layers([source], found, {}, is_merged=False)
        reader = _Reader(read)
        reader.add(name, text, source, found)
        return reader.layers()


def read_stack(files: list[tuple[str, bytes]], read: Read) -> Layers:
    """Read the documents that are merged in this order, lowest first, each with everything that it extends."""
    reader = _Reader(read)
    for name, text in files:
        if os.path.normpath(name) not in reader.done:
            reader.add(name, text, *read_text(text))
    return reader.layers()


@lru_cache(maxsize=1_000)
def layer_name(file: str) -> str:
    """The name of a layer for people: that of its file without the suffix, or of the folder of a `flow.yaml`."""
    path = PurePath(file)
    return path.parent.name if path.stem == "flow" and path.parent.name else path.stem or file


class _Reader:
    def __init__(self, read: Read | None) -> None:
        self.read = read
        self.done: dict[str, Source] = {}
        self.found: list[Diagnostic] = []
        self._texts: dict[str, str] = {}
        self._open: list[str] = []

    def layers(self) -> Layers:
        broken = any(each.severity is Severity.ERROR for each in self.found)
        return Layers([] if broken else list(self.done.values()), self.found, self._texts)

    def add(self, name: str, text: str | bytes, source: Source | None, found: list[Diagnostic]) -> None:
        """Add a document after everything that it extends."""
        # Imported late: pydantic takes longer to load than the language itself.
        from graphwright.flow._document import other_version

        for each in found:
            related = tuple(replace(other, file=name) for other in each.related)
            self.found.append(replace(each, file=name, related=related))
        if source is None:
            self._texts[name] = text if isinstance(text, str) else text.decode("utf-8", "replace")
            return
        source.file = name
        key = os.path.normpath(name)
        self._open.append(key)
        out = Reporter(source)
        if fault := other_version(source.data.get("version")):
            out.add(Code.VERSION, ("version",), *fault)
        for place, path in _extended(source, out):
            self._extend(name, path, place, out)
        self._open.pop()
        self._texts[name] = source.text
        self.found += out.found
        self.done[key] = source

    def _extend(self, name: str, path: str, place: Path, out: Reporter) -> None:
        if self.read is None:
            message = f"`{path}` cannot be extended: this document is not a file, so its layers are not read."
            out.add(Code.LAYER_UNREADABLE, place, message, "Merge the layers first, with 'graphwright merge'.")
            return
        file = os.path.join(os.path.dirname(name), path)
        key = os.path.normpath(file)
        if key in self.done:
            return
        if key in self._open:
            cycle = [os.path.join("/", each) for each in (*self._open[self._open.index(key) :], key)]
            way = " > ".join(os.path.relpath(each, os.path.dirname(cycle[0])) for each in cycle)
            message = f"This document extends itself: {way}."
            out.add(Code.LAYER_CYCLE, place, message, "Let one of these documents extend nothing.")
        elif len(self._open) + len(self.done) >= MAX_LAYERS:
            message = f"The document has more than {many(MAX_LAYERS, 'layer')}."
            out.add(Code.TOO_LARGE, place, message, "Merge the lowest layers into one, with 'graphwright merge'.")
        else:
            try:
                text = self.read(key)
            except (OSError, ValueError) as error:
                why = getattr(error, "strerror", None) or str(error)
                message = f"The layer `{path}` cannot be read: {why}."
                means = "" if os.path.isabs(key) else f"; it means {key}"
                hint = f"The path is relative to the folder of this file{means}."
                out.add(Code.LAYER_UNREADABLE, place, message, hint)
                return
            self.add(key, text, *read_text(text))


def _extended(source: Source, out: Reporter) -> Iterator[tuple[Path, str]]:
    """The paths in `extends` with their places."""
    given = source.data.get(EXTENDS)
    if EXTENDS not in source.data:
        return
    listed = given if isinstance(given, list) else [given]
    for place, path in enumerate(listed):
        at: Path = (EXTENDS, place) if isinstance(given, list) else (EXTENDS,)
        if isinstance(path, str) and path.strip():
            yield at, path
        else:
            shown = "an empty text" if isinstance(path, str) else kind_of(path)
            hint = "For example: `extends: pack.yaml` or `extends: [global.yaml, pack.yaml]`."
            out.add(Code.WRONG_TYPE, at, f"`extends` must be a path or a list of paths, not {shown}.", hint)
    if not listed:
        out.add(Code.OUT_OF_RANGE, (EXTENDS,), "`extends` lists no document.", "Leave it out, or name a document.")
