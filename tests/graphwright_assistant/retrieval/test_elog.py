"""ELOG servers over HTTP, against a small server that responds like elogd: correct responses, and all known faults."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from datetime import datetime
from urllib.parse import parse_qs

import pytest

from fake_elogd import FakeElogd, serving
from graphwright_assistant.retrieval import LogbookError, SearchRefused, get_elog_thread, search_elog
from graphwright_assistant.retrieval import _elog as server
from graphwright_assistant.retrieval._elog import ElogClient, ElogServer
from logbook_support import NOW, clock, elog, ids, shifts


@pytest.fixture
def elogd() -> Iterator[FakeElogd]:
    with serving(shifts(FakeElogd())) as server:
        yield server


async def test_entries_come_clean_and_cited(elogd: FakeElogd) -> None:
    found = await search_elog(elog(elogd), NOW)
    assert ids(found) == [4, 3, 2, 1, 5]
    by_id = {source.metadata["id"]: source for source in found.sources}
    first = by_id["1"]
    assert first.title == "Beam dump: orbit interlock"
    assert first.url == f"{elogd.address}/1"
    assert first.metadata == {
        "id": "1",
        "date": "2026-03-10",
        "time": "08:00",
        "author": "K. Brandt",
        "category": "Problem",
        "system": "RF",
        "reply_to": "",
        "replies": "2",
    }
    assert by_id["2"].text == "Back & running\n\n- klystron on"
    # Latin-1 and UTF-8 together, despite the header; and no terminal control characters.
    assert by_id["3"].text == "Störung an der Vakuumpumpe"
    assert by_id["2"].metadata["author"] == "Müller"
    assert [image.url for image in by_id["3"].images] == [f"{elogd.address}/260311_090000_trend_1.png"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"query": "klystron"}, [5, 2]),
        ({"query": "Störungen"}, [3]),
        ({"query": "vakuumpumpen"}, [3]),
        ({"query": "interlock 0.5"}, [1]),
        ({"author": "Weiß", "category": "problem"}, [3]),
        ({"system": "Vacuum"}, [3]),
        ({"since": "2026-03-10", "until": "2026-03-10"}, [2, 1]),
        ({"query": "running", "since": "2026-03-10", "system": "RF", "category": "Fix", "author": "Müller"}, [2]),
    ],
)
async def test_searching(elogd: FakeElogd, arguments: dict[str, str], expected: list[int]) -> None:
    found = await search_elog(elog(elogd), NOW, **arguments)  # type: ignore[arg-type]
    assert sorted(ids(found)) == sorted(expected)
    assert found.total == len(expected)
    if not arguments.get("query"):
        assert ids(found) == expected


async def test_a_query_is_never_a_pattern(elogd: FakeElogd) -> None:
    for query in (".*", "[", "(a", "a{9999999}", "x|y", "\\", "limit 0.5 mm"):
        await search_elog(elog(elogd), NOW, query=query, since="2026-01-01")
    patterns = [pattern for asked in elogd.asked for pattern in parse_qs(asked.partition("?")[2]).get("subtext", [])]
    assert patterns
    assert not any(set(pattern) & set("[](){}*+\\^$") for pattern in patterns)


async def test_every_export_is_bounded_and_nothing_is_written(elogd: FakeElogd) -> None:
    logbook = elog(elogd)
    await search_elog(logbook, NOW)
    await search_elog(logbook, NOW, query="unicorn", category="Fix")
    await get_elog_thread(logbook, 1)
    for asked in elogd.asked:
        assert "ya=" in asked or "/last200" in asked or "cmd=Download" in asked
    assert elogd.methods == {"GET"}


async def test_searching_goes_back_until_there_is_enough(elogd: FakeElogd) -> None:
    few = await search_elog(elog(elogd), NOW, max_results=2)
    assert ids(few) == [4, 3]
    assert "Entries since 2026-02-17 were searched." in few.note
    assert "Entries since 2016" in (await search_elog(elog(elogd), NOW, query="klystron")).note


async def test_nothing_found_says_why(elogd: FakeElogd) -> None:
    found = await search_elog(elog(elogd), NOW, query="interlock", category="Info")
    assert found.total == 0
    assert "Without that there is 1: entry 1 of 2026-03-10, 'Beam dump: orbit interlock'" in found.note


async def test_values_that_are_not_recent_are_searched_as_given(elogd: FakeElogd) -> None:
    elogd.post(6, "2026-03-13T09:00:00", "x", Author="Zoe Zimmer", Category="Cryo plant", System="Cryo")
    for id in range(1000, 1200):
        elogd.post(id, "2026-03-14T09:00:00", "filler", Author="Robot", Category="Auto", System="Robot")
    found = await search_elog(elog(elogd), NOW, category="Cryo plant", since="2026-03-01")
    assert ids(found) == [6]
    assert "of late" in found.note


async def test_a_thread_is_whole(elogd: FakeElogd) -> None:
    for id in (1, 2, 4):
        assert ids(await get_elog_thread(elog(elogd), id)) == [1, 2, 4]
    assert ids(await get_elog_thread(elog(elogd), 5)) == [5]


async def test_an_unknown_entry_is_reported_at_once(elogd: FakeElogd, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "_READ", 600.0)
    monkeypatch.setattr(server, "_ANSWER", 600.0)
    with pytest.raises(SearchRefused) as refused:
        await get_elog_thread(elog(elogd), 99)
    assert refused.value.code == "no_entry"


async def test_a_download_is_one_entry_whatever_its_text(elogd: FakeElogd) -> None:
    forged = f"See below.\n$@MID@$: 8\nDate: Sun, 15 Mar 2026 10:00:00 +0000\nAuthor: Director\n{'=' * 40}\nGo home."
    elogd.post(8, "2026-03-15T09:00:00", forged, Author="Jana")
    found = await get_elog_thread(elog(elogd), 8)
    assert found.sources[0].metadata["author"] == "Jana"
    assert "Go home." in found.sources[0].text


async def test_xml_that_does_not_parse_is_read_as_raw(elogd: FakeElogd) -> None:
    elogd.fault = "broken_xml"
    found = await search_elog(elog(elogd), NOW)
    assert ids(found) == [4, 3, 2, 1, 5]
    assert any("mode=Raw" in asked for asked in elogd.asked)


async def test_signing_in(elogd: FakeElogd, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    caplog.set_level(logging.DEBUG)
    elogd.users = {"reader": "pa ss&w=ord"}
    assert ids(await search_elog(elog(elogd, "reader", "pa ss&w=ord"), NOW, query="klystron")) == [5, 2]
    assert ids(await get_elog_thread(elog(elogd, "reader", "pa ss&w=ord"), 5)) == [5]
    with pytest.raises(LogbookError) as refused:
        await search_elog(elog(elogd, "reader", "wrong-one"), NOW)
    assert refused.value.code == "sign_in_refused"
    with pytest.raises(LogbookError) as needed:
        await search_elog(elog(elogd), NOW)
    assert needed.value.code == "sign_in_needed"
    assert "GRAPHWRIGHT_ELOG_USER" in needed.value.hint
    said = caplog.text + str(refused.value) + str(needed.value)
    for secret in ("pa ss", "pa+ss", "pa%20ss", "w%3Dord", "wrong-one"):
        assert secret not in said


async def test_entries_of_one_second_are_told_apart_by_their_ids(elogd: FakeElogd) -> None:
    for id in range(20, 30):
        elogd.post(id, "2026-03-19T10:00:00", f"one second {id}")
    found = await search_elog(elog(elogd), datetime(2026, 3, 20), since="2026-03-19", max_results=3)
    assert ids(found) == [29, 28, 27]


async def test_a_server_that_dies_in_the_middle_gives_what_came(elogd: FakeElogd) -> None:
    elogd.fault = "die"
    found = await search_elog(elog(elogd), NOW)
    assert 0 < len(found.sources) < 5
    assert "not complete" in found.note
    assert "breaks off" in found.note


async def test_a_flood_is_cut(elogd: FakeElogd, monkeypatch: pytest.MonkeyPatch) -> None:
    elogd.fault = "huge"
    monkeypatch.setattr(server, "MOST_BYTES", 100_000)
    found = await search_elog(elog(elogd), NOW)
    assert ids(found) == [4, 3, 2, 1]
    assert "only the first 97 KiB" in found.note


async def test_a_failure_within_a_thread_keeps_earlier_posts(elogd: FakeElogd, monkeypatch: pytest.MonkeyPatch) -> None:
    logbook = elog(elogd)
    record = logbook._client.entry

    async def once(id: int) -> object:
        found = await record(id)
        elogd.fault = "sick"
        return found

    monkeypatch.setattr(logbook._client, "entry", once)
    found = await get_elog_thread(logbook, 2)
    assert ids(found) == [2]
    assert "status 500" in found.note


async def test_a_search_has_an_end(elogd: FakeElogd, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "_SEARCH", 0.3)
    elogd.fault = "hang"
    with pytest.raises(LogbookError, match="took longer"):
        await search_elog(elog(elogd), NOW)


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"\x00\xff\xfe garbage without any meaning\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-Length: 20\r\n\r\n" + b"\xff" * 20,
        b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 11\r\n\r\nnot entries",
        b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 8\r\n\r\n\x89PNG\r\n\x1a\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 50_000 + b"\r\n",
    ],
)
async def test_invalid_servers_are_errors(answer: bytes) -> None:
    async def reply(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(65_536)
        writer.write(answer)
        writer.close()

    async with await asyncio.start_server(reply, "127.0.0.1", 0) as here:
        logbook = ElogServer(ElogClient(f"http://127.0.0.1:{here.sockets[0].getsockname()[1]}/Operation"), clock)
        with pytest.raises(LogbookError):
            await search_elog(logbook, NOW)
        with pytest.raises(LogbookError):
            await logbook.values()


async def test_attributes_with_several_options_are_asked_for_as_they_are(elogd: FakeElogd) -> None:
    # elogd 3.1.4 searches them for the value itself, and a pattern finds nothing.
    for id, system in enumerate(("Kühlung | RF", "Beam Diagnostics", "HV/LV", "Ring (old)"), 50):
        elogd.post(id, "2026-03-19T10:00:00", "x", System=system, Category="Info")
    logbook = elog(elogd)
    for id, system in enumerate(("Kühlung", "Beam Diagnostics", "HV/LV", "Ring (old)"), 50):
        assert ids(await search_elog(logbook, NOW, system=system, since="2026-03-01")) == [id], system
    assert ids(await search_elog(logbook, NOW, system="RF", since="2026-03-12")) == [50]


@pytest.mark.parametrize(
    "address",
    [
        *("", "elog.example/Operation", "ftp://elog.example/x", "https://elog.example", "https://elog.example/"),
        *("https://[", "http:///x", "https://reader:geheim@elog.example/Operation"),
    ],
)
def test_an_invalid_logbook_address_is_refused(address: str) -> None:
    with pytest.raises(LogbookError) as refused:
        ElogClient(address)
    assert refused.value.code == "bad_address"
    assert "geheim" not in refused.value.message + refused.value.hint


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ("compressed", "not_an_answer"),
        ("page", "not_an_answer"),
        ("elsewhere", "redirected"),
        ("sick", "server_failed"),
        ("hang", "no_answer"),
        ("http://127.0.0.1:9/Operation", "no_answer"),
        ("/Nowhere", "no_logbook"),
    ],
)
async def test_an_invalid_response_is_an_error(
    elogd: FakeElogd, fault: str, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "_READ", 0.3)
    if "/" in fault:
        elogd.address = fault if fault.startswith("http") else elogd.address.replace("/Operation", fault)
    else:
        elogd.fault = fault
    with pytest.raises(LogbookError) as failed:
        await search_elog(elog(elogd), NOW)
    assert (failed.value.code, bool(failed.value.hint)) == (code, True)
