"""Environment variables of a block."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager


@contextmanager
def environment(wanted: Mapping[str, str | None]) -> Iterator[None]:
    """Inside, the environment has these variables, and lacks those without a value."""
    before = {name: os.environ.get(name) for name in wanted}
    try:
        _put(wanted)
        yield
    finally:
        _put(before)


def _put(variables: Mapping[str, str | None]) -> None:
    for name, value in variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
