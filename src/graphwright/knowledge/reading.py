"""Reading the documents of a folder: the hash of their bytes, what stands beside them, and their text."""

from __future__ import annotations

import hashlib
import os
import stat
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from graphwright.files.documents import Document, DocumentLimits, read_documents
from graphwright.files.errors import FileError, FilesUnavailable
from graphwright.knowledge.walking import BESIDE, Seen, Unread

LIMITS = DocumentLimits(characters=2_000_000)
"""How much of a document is read."""

_MOST_BESIDE = 16_000
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Given:
    """A file as it is now. `digest` tells its content with `beside`, the facts that stand in a file beside it."""

    seen: Seen
    file: Path
    digest: str
    beside: Mapping[str, str]


def look(folder: Path, seen: Seen) -> Given:
    """What a file has in it, told by its hash. Raises OSError."""
    file = folder / seen.path
    digest = hashlib.sha256()
    with os.fdopen(_opened(str(file)), "rb") as stream:
        while chunk := stream.read(_CHUNK):
            digest.update(chunk)
    told = _beside(file)
    if told:
        digest.update(b"\0" + told)
    return Given(seen, file, digest.hexdigest(), _facts(told))


def read(given: Iterable[Given]) -> Generator[tuple[Given, Document | Unread], None, None]:
    """The documents, each when it is asked for, or why there is none. Close it where it is left before its end.

    Raises FilesUnavailable where nothing can be read at all.
    """
    waiting: deque[Given] = deque()

    def files() -> Iterator[Path]:
        for each in given:
            waiting.append(each)
            yield each.file

    with closing(read_documents(files(), LIMITS)) as documents:
        for _, found in documents:
            each = waiting.popleft()
            if isinstance(found, FilesUnavailable):
                raise found
            if isinstance(found, FileError):
                why = found.message.removeprefix(f"{each.file.name}: ").rstrip(".")
                yield each, Unread(each.seen.path, f"{why}. {found.hint}".strip(), each.seen.state)
            else:
                yield each, found


def _opened(file: str) -> int:
    """A descriptor of a regular file that is no link. Raises OSError."""
    descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(0, "it is no regular file")
    return descriptor


def _beside(file: Path) -> bytes:
    try:
        descriptor = _opened(f"{file}{BESIDE}")
    except OSError:
        return b""
    with os.fdopen(descriptor, "rb") as stream:
        return stream.read(_MOST_BESIDE)


def _facts(told: bytes) -> dict[str, str]:
    """`name: value` a line, as front matter has it."""
    facts: dict[str, str] = {}
    for line in told.decode("utf-8-sig", "replace").splitlines():
        name, colon, value = line.partition(":")
        value = value.strip()
        if colon and name.strip().isidentifier() and value:
            quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
            facts[name.strip().lower()] = value[1:-1] if quoted else value
    return facts
