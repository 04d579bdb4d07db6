"""Conditions for SQLite's full-text index (FTS5): whatever stands in them is looked for, never its query language."""

from __future__ import annotations

from collections.abc import Iterable


def phrase(*words: str) -> str:
    """That the words stand there one after the other. Put `*` behind it for words that begin with the last one."""
    return '"{}"'.format(" ".join(words).replace('"', '""'))


def any_of(conditions: Iterable[str]) -> str:
    """That any of the conditions holds, each written once."""
    return " OR ".join(dict.fromkeys(conditions))
