"""Fixtures of the tests of the client."""

from __future__ import annotations

import pytest

from graphwright_upgrade.client import _wire
from upgrade_client_support import listening_server, server

__all__ = ["listening_server", "server"]


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests are repeated without waiting for half a second."""
    monkeypatch.setattr(_wire, "_PAUSES", (0.01, 0.02))
