"""The layer at fault: a finding in a lower layer is reported in the higher layer that causes it."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._source import Path, Source, pointer
from graphwright.flow.diagnostics import Diagnostic, Related, Severity, Span
from graphwright.flow.layers._conflicts import Conflict
from graphwright.flow.layers._reading import Layers, layer_name
from graphwright.flow.layers._tree import MergedSource, Origin, Removal

_WORD = re.compile(r"\w+(?:\.\w+)*")
_FROM_NODE = frozenset({Code.DEAD_END, Code.NO_END, Code.NOT_COVERED})
_TO_NODE = frozenset({Code.UNREACHABLE, Code.NEVER_ASKED})
_ABOUT_GUARDS = re.compile(r"GW3\d\d|GW22[0-2]|GW219|GW408|GW510")
_MEANING = frozenset({"schema", "options", "read", "type", "enum", "key", "items", "when", "required", "ask"})
"""The fields of a question or channel that decide which expressions fit it, and whether it has a value."""


@dataclass(frozen=True, slots=True)
class Merged:
    """The plain document of several layers.

    `source` has the origin of every value. `conflicts` are the fields that layers set to different values, and what
    they remove. `diagnostics` are the findings of the merge, before the document is compiled.
    """

    source: MergedSource
    conflicts: tuple[Conflict, ...]
    diagnostics: tuple[Diagnostic, ...]
    removals: tuple[Removal, ...]

    @property
    def document(self) -> dict[str, Any]:
        document: dict[str, Any] = self.source.data
        return document


Compiled = Callable[[int], tuple[Iterable[Diagnostic], bool]]
"""The findings of the document that the layers up to this number make, and whether it has no error."""


def at_fault(found: Iterable[Diagnostic], merged: Merged, layers: Layers, compiled: Compiled) -> tuple[Diagnostic, ...]:
    """The findings of a merged document, each in the layer at fault, in order of the layers; equal ones once."""
    blame = _Blame(merged, layers, compiled)
    of_merge = {*layers.found, *merged.diagnostics}
    moved = dict.fromkeys(each if each in of_merge else blame.moved(each) for each in found)
    ranks = {file: place for place, file in enumerate(layers.files)}
    return tuple(sorted(moved, key=lambda d: (ranks.get(d.file, len(ranks)), d.span.line, d.span.column)))


class _Blame:
    def __init__(self, merged: Merged, layers: Layers, compiled: Compiled) -> None:
        self.sources = {source.file: source for source in layers.sources}
        self.ranks = {file: place for place, file in enumerate(self.sources)}
        self.merged = merged
        self._compiled = compiled
        self._below: dict[int, tuple[frozenset[tuple[str, str, Span]], bool]] = {}
        self.removals: dict[str, Removal] = {}
        self.edges: list[Removal] = []
        for removal in merged.removals:
            if removal.edge is not None:
                self.edges.append(removal)
            for name in filter(None, (removal.name, removal.key)):
                self.removals[name] = removal

    def moved(self, diagnostic: Diagnostic) -> Diagnostic:
        """The diagnostic at its cause in a higher layer, or with the cause as a related place."""
        source = self.sources.get(diagnostic.file)
        is_remark = diagnostic.severity is Severity.INFO and diagnostic.code != Code.ASSURANCE_UNKNOWN
        if source is None or is_remark:
            return diagnostic
        path = _path(diagnostic.pointer)
        removal = self._removed(diagnostic, source, path)
        if removal is not None:
            return self._at(diagnostic, removal.origin, "removes what is needed there", "removed here")
        change = self._changed(diagnostic, source, path)
        if change is not None:
            return self._at(diagnostic, change, "changes what is read there", "changed here")
        rank = self.ranks[diagnostic.file]
        top = len(self.ranks) - 1
        if rank == top or self._has(diagnostic, rank):
            return diagnostic
        layer = next((each for each in range(rank + 1, top) if self._has(diagnostic, each)), top)
        cause = self._place(list(self.sources.values())[layer], source, path)
        return self._at(diagnostic, cause, "is the cause", "the cause")

    def _at(self, diagnostic: Diagnostic, cause: Origin, does: str, here: str) -> Diagnostic:
        span, at = cause.source.span(cause.path), pointer(cause.path)
        file = cause.source.file
        if self.ranks[diagnostic.file] >= self.ranks[file]:
            return replace(diagnostic, related=(*diagnostic.related, Related(here, span, at, file)))
        if self._has(diagnostic, self.ranks[diagnostic.file]):
            return diagnostic
        lower = f"{layer_name(diagnostic.file)}, line {diagnostic.span.line}"
        related = Related("found here", diagnostic.span, diagnostic.pointer, diagnostic.file)
        message = f"In the layer {lower}: {diagnostic.message} This layer {does}."
        others = (*diagnostic.related, related)
        return replace(diagnostic, message=message, span=span, pointer=at, file=file, related=others, fix=None)

    def _has(self, diagnostic: Diagnostic, highest: int) -> bool:
        """Whether the layers up to this one have the diagnostic, too, or may have it because of other errors."""
        if highest not in self._below:
            found, is_whole = self._compiled(highest)
            self._below[highest] = frozenset((each.code, each.file, each.span) for each in found), is_whole
        known, is_whole = self._below[highest]
        may_have = not is_whole and diagnostic.severity is not Severity.ERROR
        return may_have or (diagnostic.code, diagnostic.file, diagnostic.span) in known

    def _place(self, layer: Source, source: Source, path: Path) -> Origin:
        """The part of the layer that sets the node of a diagnostic or an edge at it, or the beginning of the layer."""
        record = _record(source, path)
        ids = [record[name] for name in ("id", "from", "to") if name in record]
        root = self.merged.source.root
        for graph in (root, *_inner(root, "subgraphs")):
            for part, names in (("edges", ("from", "to")), ("nodes", ("id",))):
                for each in _inner(graph, part):
                    newest = self._newest(each)
                    if newest.source is layer and any(_value(each, name) in ids for name in names):
                        return newest
        return Origin(layer, ("extends",))

    def _removed(self, diagnostic: Diagnostic, source: Source, path: Path) -> Removal | None:
        """Return the removal of the part that the diagnostic reports as missing."""
        if diagnostic.severity is Severity.ERROR:
            for name in _names_at(diagnostic, source):
                if name in self.removals:
                    return self.removals[name]
        node = source.value(path[:-1] if path[-1:] == ("id",) else path)
        id = node.get("id") if isinstance(node, dict) else None
        for removal in self.edges if id is not None else ():
            edge = removal.edge or {}
            if diagnostic.code in _FROM_NODE and edge.get("from") == id:
                return removal
            if diagnostic.code in _TO_NODE and id in self._reached_from(edge.get("to")):
                return removal
        return None

    def _reached_from(self, start: Any) -> set[Any]:
        targets: dict[Any, list[Any]] = {}
        for edge in (edge for graph in _graphs(self.merged) for edge in graph.get("edges", ())):
            targets.setdefault(edge.get("from"), []).append(edge.get("to"))
        reached, stack = {start}, [start]
        while stack:
            new = [each for each in targets.get(stack.pop(), ()) if each not in reached]
            reached.update(new)
            stack += new
        return reached

    def _changed(self, diagnostic: Diagnostic, source: Source, path: Path) -> Origin | None:
        """The last change of a higher layer to what an expression, or the guards of a node, read."""
        if not _ABOUT_GUARDS.fullmatch(diagnostic.code):
            return None
        texts = [source.value(path), *self._guards(source, path)]
        words = (word for text in texts if isinstance(text, str) for word in _WORD.findall(text))
        names = [word.removeprefix("answers.").rpartition(".")[2] for word in words]
        found = [self._changes[name] for name in names if name in self._changes]
        newer = [each for each in found if self.ranks[each.source.file] > self.ranks[diagnostic.file]]
        return max(newer, key=lambda each: self.ranks[each.source.file], default=None)

    def _guards(self, source: Source, path: Path) -> list[Any]:
        """The guards of the node that has this path, or an edge with this path."""
        record = _record(source, path)
        node = record.get("from", record.get("id"))
        edges = (edge for graph in _graphs(self.merged) for edge in graph.get("edges", ()))
        return [edge.get("guard") for edge in edges if node is not None and edge.get("from") == node]

    @cached_property
    def _changes(self) -> dict[str, Origin]:
        """Where the meaning of each answer, channel and predicate was last changed."""
        found: dict[str, Origin] = {}
        for conflict in self.merged.conflicts:
            if conflict.field == "key":
                found |= {str(value): conflict.settings[-1][0] for _, value in conflict.settings}
        root = self.merged.source.root
        for graph in (root, *_inner(root, "subgraphs")):
            for node in _inner(graph, "nodes"):
                key = _value(node, "key")
                if isinstance(key, str):
                    found.setdefault(key, self._newest(node, _MEANING))
        for table in ("state", "predicates"):
            for name, part in ((root.inner or {}).get(table) or Origin(root.source, ())).items():
                found[str(name)] = self._newest(part)
        return found

    def _newest(self, origin: Origin, fields: Container[Any] | None = None) -> Origin:
        """The part of a value that the highest layer has set."""
        inner = [part for name, part in origin.items() if fields is None or name in fields]
        parts = [self._newest(part) for part in (*inner, *(each[2] for each in origin.parts))]
        return max([origin, *parts], key=lambda each: self.ranks[each.source.file])


def _record(source: Source, path: Path) -> Mapping[str, Any]:
    """The node or edge that has a path; empty for any other path."""
    lists = [place for place, step in enumerate(path) if step in ("nodes", "edges")]
    record = source.value(path[: lists[-1] + 2]) if lists else None
    return record if isinstance(record, dict) else {}


def _inner(origin: Origin, name: str) -> Iterable[Origin]:
    """The origins of the items in a field that is a list or a mapping."""
    part = (origin.inner or {}).get(name)
    return (part.inner or {}).values() if part is not None else ()


def _value(record: Origin, name: str) -> Any:
    part = (record.inner or {}).get(name) or Origin(record.source, (*record.path, name))
    return part.source.value(part.path)


def _graphs(merged: Merged) -> Iterable[Mapping[str, Any]]:
    return (merged.document, *merged.document.get("subgraphs", {}).values())


def _names_at(diagnostic: Diagnostic, source: Source) -> Iterator[str]:
    """The name that a diagnostic marks in the text, and its parts: `answers.led.size`, `size`."""
    span = diagnostic.span
    if span.line != span.end_line:
        return
    line = source.text.splitlines()[span.line - 1] if source.text else ""
    text = line[span.column - 1 : span.end_column - 1].strip("\"' ")
    yield text
    if text.startswith("answers."):
        yield text.rpartition(".")[2]


def _path(pointer: str) -> Path:
    """The path of a JSON pointer."""
    steps = (step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:])
    return tuple(int(step) if step.isdigit() else step for step in steps)
