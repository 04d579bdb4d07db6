"""Fixtures of the tests of the local UpGrade service."""

from upgrade_play import playing
from upgrade_support import upgrade_server

__all__ = ["playing", "upgrade_server"]
