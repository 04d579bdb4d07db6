"""The small ELOG server read by an independent client, and our own client at a real server if one is configured."""

from __future__ import annotations

import json
import os
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from fastmcp import Client
from fastmcp.client.transports import StdioTransport

from fake_elogd import FakeElogd, serving
from graphwright_assistant.retrieval import get_elog_thread, open_logbook, search_elog
from logbook_support import NOW, elog, ids, shifts
from mcp_support import public_python

LOCK = Path(__file__).parents[2] / "data" / "elog_mcp" / "requirements.lock"
ELOG_URL = os.environ.get("ELOG_URL", "")


@pytest.mark.slow
async def test_another_reader_sees_the_same_entries() -> None:
    # It needs an MCP library that conflicts with ours.
    command = public_python("elog-mcp", LOCK)
    with serving(shifts(FakeElogd())) as elogd:
        server, _, logbook = elogd.address.rpartition("/")
        settings = {**os.environ, "ELOG_URL": server, "ELOG_LOGBOOKS": logbook, "ELOG_TIMEOUT": "20"}
        async with Client(StdioTransport(command, [], env=settings)) as client:

            async def call(tool: str, **arguments: Any) -> str:
                result = await client.call_tool(tool, arguments)
                return json.dumps(result.structured_content, ensure_ascii=False)

            theirs = await call("elog_search", text="klystron", logbook=logbook, date_from="2025-01-01")
            entry = await call("elog_get_entry", logbook=logbook, entry_id=1)
            recent = await call("elog_get_recent_entries", logbook=logbook, count=2)
        ours = await search_elog(elog(elogd), NOW, query="klystron", since="2025-01-01")
    assert ids(ours) == [5, 2]
    assert "Klystron 2 changed." in theirs
    assert "klystron on" in theirs
    assert "All quiet" not in theirs
    assert "The interlock came from the orbit" in entry
    assert "All quiet" in recent


@pytest.mark.skipif(not ELOG_URL, reason="no real ELOG server: set ELOG_URL to the address of a logbook")
async def test_a_real_server_is_read(tmp_path: Path) -> None:
    logbook = open_logbook(ELOG_URL, tmp_path, datetime.now)
    found = await search_elog(logbook, datetime.now(), max_results=5)
    assert found.sources, found.note
    newest = found.sources[0]
    assert newest.url.startswith(ELOG_URL.rstrip("/"))
    thread = await get_elog_thread(logbook, int(newest.metadata["id"]))
    assert newest.id in [source.id for source in thread.sources]
    known = await logbook.values()
    assert any(known.values.values())
