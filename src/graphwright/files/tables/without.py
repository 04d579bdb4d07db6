"""A process that does without a library, though it is installed."""

from __future__ import annotations

import sys
from typing import Any


class _Without:
    """Comes before all other finders, and finds that the library is not there."""

    def __init__(self, library: str) -> None:
        self._library = library

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name == self._library:
            raise ModuleNotFoundError(f"{name} is not wanted here", name=name)


def without(library: str) -> None:
    """Let whoever imports the library from now on find that it is not installed."""
    sys.meta_path.insert(0, _Without(library))
