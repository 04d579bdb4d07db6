"""Compiling the flow of an agent, with its layers and its Python; a result is kept until one of its files changes."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from graphwright.context._prompts import SUFFIX
from graphwright.errors import UsageError
from graphwright.flow import Catalogue, Compilation, compile_layers
from graphwright.flow.layers import read_layers
from graphwright.host._definition import AgentError
from graphwright.host.discovery import (
    DECLARING,
    MOST_BYTES,
    PROMPTS,
    catalogue_of,
    content_hash,
    folders_of,
    has_python,
    read_file,
)

_MOST_KEPT = 64


@dataclass(frozen=True, slots=True)
class CompiledFile:
    """The compilation of a flow file, or of a document in its place.

    `layers` are the files that the flow of the file is merged from, lowest first; empty if it extends nothing.
    """

    compilation: Compilation
    catalogue: Catalogue | None
    layers: tuple[Path, ...]
    digest: str


_kept: dict[tuple[Path, Path, str, bool], CompiledFile] = {}


def compiled_file(file: Path, document: str | None = None) -> CompiledFile:
    """Compile a flow file, or a document in its place. A result is kept as long as no file that it read changes."""
    text = read_flow(file) if document is None else document.encode()
    key = (file, file.parent.absolute(), content_hash([text]), document is None)
    kept = _kept.get(key)
    if kept is not None and kept.digest == _digest(file, kept.layers, {}):
        return kept
    made = compiled_now(file, text, is_file=document is None)
    if made.compilation.flow is not None:
        while len(_kept) >= _MOST_KEPT:
            _kept.pop(next(iter(_kept)), None)
        _kept[key] = made
    return made


def compiled_now(file: Path, text: bytes, *, is_file: bool) -> CompiledFile:
    """Compile the text of a flow file. A text that is not from the file can extend only what the file extends.

    An author over HTTP could otherwise read other files, because the findings of the compiler quote them.
    """
    contents: dict[str, bytes] = {}

    def reading(path: str) -> bytes:
        contents[str(Path(path).absolute())] = content = read_file(path)
        return content

    layers: tuple[Path, ...] = ()
    if not is_file:
        layers = _layer_files(read_flow(file), file, reading)
    allowed = {os.path.realpath(layer) for layer in layers}

    def restricted(path: str) -> bytes:
        if os.path.realpath(path) not in allowed:
            raise PermissionError(errno.EACCES, "the flow file of this agent does not extend it", path)
        return reading(path)

    read = read_layers(text, name=str(file), read=reading if is_file else restricted)
    if is_file:
        layers = tuple(Path(each).absolute() for each in read.files)
    # Before the Python is read: if it changes meanwhile, the result is not used again.
    digest = _digest(file, layers, contents)
    catalogue = catalogue_for(file, layers=layers)
    return CompiledFile(compile_layers(read, name=str(file), catalogue=catalogue), catalogue, layers, digest)


def _layer_files(text: bytes, file: Path, read: Callable[[str], bytes]) -> tuple[Path, ...]:
    if b"extends" not in text:
        return ()
    return tuple(Path(each).absolute() for each in read_layers(text, name=str(file), read=read).files)


def _digest(file: Path, layers: Sequence[Path], contents: Mapping[str, bytes]) -> str:
    """The hash of everything but the text that a compilation reads. `contents` are the layers as they were read."""
    own = file.absolute()
    lower = [contents.get(str(layer)) or _bytes(layer) for layer in layers if layer != own]
    folders = folders_of(file, layers)
    others = [folder / name for folder in folders for name in DECLARING]
    others += [prompt for folder in folders for prompt in sorted((folder / PROMPTS).glob(f"*{SUFFIX}"))]
    return content_hash([*lower, *map(_bytes, others)])


def _bytes(file: Path) -> bytes | None:
    return file.read_bytes() if file.is_file() else None


def read_flow(file: Path) -> bytes:
    """The bytes of a flow file. Raises UsageError saying why it cannot be read."""
    try:
        with file.open("rb") as stream:
            return stream.read(MOST_BYTES)
    except OSError as error:
        raise UsageError("unreadable", f"{file} cannot be read: {error.strerror}.", "Check the path.") from error


def catalogue_for(file: Path, *, layers: Sequence[Path] = ()) -> Catalogue | None:
    """The actions and validators declared in the Python files next to a flow file and the layers that it extends.

    None if there are no such files. Raises AgentError (`bad_python`).
    """
    folders = folders_of(file, layers)
    if not has_python(folders):
        return None
    try:
        return catalogue_of(folders)
    except SyntaxError as error:
        raise AgentError(
            "bad_python",
            f"{error.filename}:{error.lineno}: this is not valid Python: {error.msg}.",
            "Correct the file.",
        ) from error
