"""Which logbook is meant: the ELOG server of the configuration, else the built-in one."""

from __future__ import annotations

import os
from pathlib import Path

from graphwright.config import current
from graphwright.logbook.clock import Clock
from graphwright.logbook.errors import LogbookError
from graphwright.logbook.port import Logbook


def configured_address() -> str:
    """`elog` of `[agents.assistant]` in the configuration file, empty where it is left out. Raises LogbookError."""
    address = current().agents.get("assistant", {}).get("elog", "")
    if not isinstance(address, str):
        raise LogbookError(
            "bad_address",
            "elog of [agents.assistant] is no text.",
            'Write it as elog = "https://elog.example/Logbook".',
        )
    return address.strip()


def open_logbook(address: str, home: Path, clock: Clock) -> Logbook:
    """The logbook at an address, or the built-in one of the data folder where it is empty.

    The user and the password for a server are taken from the environment: `GRAPHWRIGHT_ELOG_USER` and
    `GRAPHWRIGHT_ELOG_PASSWORD`. Raises LogbookError and StoreError; no server is asked yet.
    """
    if not address:
        from graphwright.logbook.builtin import BuiltinLogbook

        return BuiltinLogbook(home, clock)
    # Not at the top: without a server nobody pays for loading HTTP.
    from graphwright.logbook.elog.adapter import ElogServer
    from graphwright.logbook.elog.client import PASSWORD, USER, ElogClient

    return ElogServer(ElogClient(address, os.environ.get(USER, ""), os.environ.get(PASSWORD, "")), clock)
