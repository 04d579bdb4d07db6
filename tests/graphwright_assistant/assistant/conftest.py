"""Fixtures of the tests of the assistant."""

from assistant_support import configure, foreign, world

__all__ = ["configure", "foreign", "world"]
