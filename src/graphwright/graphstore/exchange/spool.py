"""Elements that wait: a few in memory, many in a temporary file."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from types import TracebackType

from graphwright.graphstore.elements import Element, element

_IN_MEMORY = 16 * 1024 * 1024


class Spool:
    """Takes elements, and gives them back in their order, as often as one likes."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 (closed by __exit__)

    def add(self, one: Element) -> None:
        self._file.write(json.dumps(one.to_json()).encode() + b"\n")

    def __iter__(self) -> Iterator[Element]:
        self._file.seek(0)
        for line in self._file:
            yield element(json.loads(line))

    def __enter__(self) -> Spool:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._file.close()
