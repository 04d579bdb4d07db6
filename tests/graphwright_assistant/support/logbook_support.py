"""Shared by the tests of logbooks: a fixed date, small logbooks, a server with entries."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

from fake_elogd import FakeElogd
from graphwright.tools.sources import Findings
from graphwright_assistant.retrieval import BuiltinLogbook, Embedder
from graphwright_assistant.retrieval._elog import ElogClient, ElogServer
from graphwright_assistant.retrieval._logbook import Entry

NOW = datetime(2026, 3, 20, 12, 0)


def clock() -> datetime:
    return NOW


def entry(id: int, moment: str, subject: str = "", text: str = "", **more: Any) -> Entry:
    return Entry(id=id, moment=datetime.fromisoformat(moment), subject=subject, text=text or subject, **more)


def own(home: Path, entries: Iterable[Entry], embedder: Embedder | None = None) -> BuiltinLogbook:
    """A built-in logbook with exactly these entries."""
    logbook = BuiltinLogbook(home, clock, embedder=embedder)
    logbook.take_in((f"entry {each.id}", each) for each in entries)
    return logbook


def elog(elogd: FakeElogd, user: str = "", password: str = "") -> ElogServer:
    return ElogServer(ElogClient(elogd.address, user, password), clock)


def shifts(elogd: FakeElogd) -> FakeElogd:
    """Fill a server with difficult entries."""
    elogd.post(
        1,
        "2026-03-10T08:00:00",
        "Beam lost at 07:58.\nThe interlock came from the orbit: limit 0.5 mm.",
        Author="K. Brandt",
        Category="Problem",
        System="RF",
        Subject="Beam dump: orbit interlock",
    )
    elogd.post(
        2,
        "2026-03-10T09:00:00",
        "<p>Back &amp; <b>running</b></p><script>steal()</script><ul><li>klystron on</li></ul>",
        Author="Müller",
        Category="Fix",
        System="RF",
        Subject="Re: Beam dump",
        reply_to=1,
        encoding="HTML",
    )
    elogd.post(
        3,
        "2026-03-11T09:00:00",
        "Störung an der Vakuumpumpe \x01\x1b[31m",
        Author="Weiß",
        Category="Problem",
        System="RF | Vacuum",
        Subject="Störung",
        charset="iso-8859-1",
        attachments=("260311_090000_trend_1.png", "260311_090000_log.txt"),
    )
    elogd.post(
        4, "2026-03-12T09:00:00", "All quiet.", Author="K. Brandt", Category="Info", System="Operation", reply_to=2
    )
    elogd.post(
        5, "2025-06-01T09:00:00", "Klystron 2 changed.", Author="Weiß", Category="Info", System="RF", Subject="Klystron"
    )
    return elogd


def ids(found: Findings) -> list[int]:
    return [int(source.metadata["id"]) for source in found.sources]
