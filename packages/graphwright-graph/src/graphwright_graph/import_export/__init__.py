"""Graphs as files: JSON, JSON Lines, GraphML and CSV, chosen by the suffix, read and written without loss."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TextIO

from graphwright.errors import UsageError
from graphwright_graph._elements import Element, Node
from graphwright_graph._errors import BadElement
from graphwright_graph.import_export import _formats as formats
from graphwright_graph.import_export._formats import Located, Spool

_READERS: dict[str, Callable[[Path], Iterator[Located]]] = {
    ".json": formats.read_json,
    ".jsonl": formats.read_lines,
    ".graphml": formats.read_graphml,
    ".csv": formats.read_table,
}
_WRITERS: dict[str, Callable[[Sequence[TextIO], Iterable[Element]], None]] = {
    ".json": formats.write_json,
    ".jsonl": formats.write_lines,
    ".graphml": formats.write_graphml,
    ".csv": formats.write_tables,
}

SUFFIXES = tuple(_READERS)
"""The supported suffixes."""

_TABLES = (".nodes.csv", ".edges.csv")


def read_files(paths: Sequence[Path]) -> Iterator[Element]:
    """The nodes of several files, then the edges of all files.

    If `NAME.csv` does not exist, it means `NAME.nodes.csv` and `NAME.edges.csv`; a folder means all supported files in
    it. Raises UsageError immediately for a missing file or an unknown suffix. During the iteration, raises BadElement
    (`bad_file`) with file, place and remedy for the first entry that is not valid.
    """
    files = [file for path in paths for file in _sources(path)]
    return _nodes_first(element for file in files for _, element in _read(file))


def write_file(path: Path, elements: Iterable[Element], *, overwrite: bool = False) -> list[Path]:
    """Write nodes and edges into a file of the format of its suffix. Returns the written files.

    `NAME.csv` becomes `NAME.nodes.csv` and `NAME.edges.csv`. Files are replaced at the end, so that a failure keeps the
    old ones. Raises UsageError (`file_exists`) unless `overwrite`.
    """
    suffix = _suffix(path)
    targets = [_base(path, ending) for ending in _TABLES] if suffix == ".csv" else [path]
    if not path.parent.is_dir():
        raise UsageError("no_such_folder", f"There is no folder {path.parent}.", "Make it first.")
    for target in targets:
        if not overwrite and os.path.lexists(target):
            raise UsageError(
                "file_exists", f"The file {target} already exists.", "Choose another name, or add --force."
            )
    with _replaced(targets) as files:
        _WRITERS[suffix](files, _nodes_first(elements))
    return targets


def _read(file: Path) -> Iterator[Located]:
    try:
        yield from _READERS[_suffix(file)](file)
    except UnicodeDecodeError as error:
        raise BadElement("bad_file", f"{file} is not UTF-8 text (byte {error.start:,}).", "Save it as UTF-8.") from None


def _nodes_first(elements: Iterable[Element]) -> Iterator[Element]:
    with Spool() as edges:
        for element in elements:
            if isinstance(element, Node):
                yield element
            else:
                edges.add(element)
        yield from edges


def _sources(path: Path) -> list[Path]:
    if path.is_dir():
        found = [file for ending in _TABLES for file in sorted(path.glob(f"*{ending}"))]
        if not found:
            raise UsageError("no_such_file", f"The folder {path} has no tables.", f"They are called NAME{_TABLES[0]}.")
        return found
    _suffix(path)
    if path.exists():
        return [path]
    pair = [_base(path, ending) for ending in _TABLES]
    found = [file for file in pair if file.exists()] if path.suffix.lower() == ".csv" and path not in pair else []
    if not found:
        raise UsageError("no_such_file", f"There is no file {path}.", "Check the path.")
    return found


def _base(path: Path, ending: str) -> Path:
    name = path.name.removesuffix(".csv").removesuffix(".CSV")
    for each in _TABLES:
        name = name.removesuffix(each.removesuffix(".csv"))
    return path.with_name(name + ending)


def _suffix(path: Path) -> str:
    suffix = path.suffix.lower()
    if suffix not in _READERS:
        kinds = ", ".join(SUFFIXES[:-1]) + f" or {SUFFIXES[-1]}"
        raise UsageError("unknown_format", f"The name of {path} does not show its format.", f"It ends in {kinds}.")
    return suffix


@contextmanager
def _replaced(targets: Sequence[Path]) -> Iterator[Sequence[TextIO]]:
    """Open temporary files that replace the targets after success."""
    parts = [target.with_name(f".{target.name}.{os.getpid()}.part") for target in targets]
    try:
        with ExitStack() as stack:
            files = [stack.enter_context(part.open("w", encoding="utf-8", newline="")) for part in parts]
            yield files
            for file in files:
                file.flush()
                os.fsync(file.fileno())
        for part, target in zip(parts, targets, strict=True):
            part.replace(target)
    finally:
        for part in parts:
            part.unlink(missing_ok=True)
