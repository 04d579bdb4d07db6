"""ELOG servers over HTTP, against a small server that answers like elogd: what it does right, and all it does wrong."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import datetime
from urllib.parse import parse_qs

import pytest
from fake_elogd import FakeElogd, serving
from logbook_support import NOW, elog, ids, shifts

from graphwright.logbook import LogbookError, Refused, get_elog_thread, search_elog
from graphwright.logbook.elog import client
from graphwright.logbook.elog.client import ElogClient


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
    # Latin-1 and UTF-8 side by side, whatever the header says; and nothing that drives a terminal.
    assert by_id["3"].text == "Störung an der Vakuumpumpe"
    assert by_id["2"].metadata["author"] == "Müller"
    assert [image.url for image in by_id["3"].images] == [f"{elogd.address}/260311_090000_trend_1.png"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"query": "klystron"}, [5, 2]),
        ({"query": "Stoerung"}, [3]),
        ({"query": "vakuumpumpen"}, [3]),
        ({"query": "interlock 0.5"}, [1]),
        ({"query": '"radio frequency"'}, [3, 2, 1, 5]),
        ({"query": "Hochfrequenz Behebung"}, [2]),
        ({"author": "brandt"}, [4, 1]),
        ({"author": "weiss", "category": "Störung"}, [3]),
        ({"system": "Vakuum"}, [3]),
        ({"category": "Fix"}, [2]),
        ({"since": "2026-03-10", "until": "2026-03-10"}, [2, 1]),
        ({"since": "2026-03-11"}, [4, 3]),
        ({"until": "2025-12-31"}, [5]),
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


async def test_a_place_is_asked_for_by_all_its_names(elogd: FakeElogd) -> None:
    await search_elog(elog(elogd), NOW, query="leak in sector 9", since="2026-01-01")
    asked = [pattern for each in elogd.asked for pattern in parse_qs(each.partition("?")[2]).get("subtext", [])]
    assert set(asked) == {"leak|s09|s9|sector.9|sektor.9"}


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
    assert "without the category there is 1" in found.note


async def test_values_that_nobody_has_used_of_late_are_searched_as_they_are(elogd: FakeElogd) -> None:
    elogd.post(6, "2026-03-13T09:00:00", "x", Author="Zoe Zimmer", Category="Cryo plant", System="Cryo")
    for id in range(1000, 1200):
        elogd.post(id, "2026-03-14T09:00:00", "filler", Author="Robot", Category="Auto", System="Robot")
    found = await search_elog(elog(elogd), NOW, category="cryo", since="2026-03-01")
    assert ids(found) == [6]
    assert "of late" in found.note


async def test_a_thread_is_whole(elogd: FakeElogd) -> None:
    for id in (1, 2, 4):
        assert ids(await get_elog_thread(elog(elogd), id)) == [1, 2, 4]
    assert ids(await get_elog_thread(elog(elogd), 5)) == [5]


async def test_an_unknown_entry_is_told_without_waiting_for_it(
    elogd: FakeElogd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "_READ", 600.0)
    monkeypatch.setattr(client, "_WHOLE", 600.0)
    with pytest.raises(Refused) as refused:
        await get_elog_thread(elog(elogd), 99)
    assert refused.value.code == "no_entry"


async def test_links_to_entries_that_are_gone(elogd: FakeElogd) -> None:
    elogd.post(7, "2026-03-15T09:00:00", "Answer", reply_to=98)
    found = await get_elog_thread(elog(elogd), 7)
    assert ids(found) == [7]
    assert "98" in found.note


async def test_a_download_holds_one_entry_whatever_its_text_says(elogd: FakeElogd) -> None:
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


async def test_a_session_that_ended_is_begun_again(elogd: FakeElogd) -> None:
    elogd.users = {"reader": "password"}
    logbook = elog(elogd, "reader", "password")
    assert ids(await get_elog_thread(logbook, 5)) == [5]
    sessions = sum("uname=" in asked for asked in elogd.asked)
    assert ids(await get_elog_thread(logbook, 5)) == [5]
    assert sum("uname=" in asked for asked in elogd.asked) == sessions == 1


async def test_an_unknown_logbook_is_told(elogd: FakeElogd) -> None:
    elogd.address = elogd.address.replace("Operation", "Nowhere")
    with pytest.raises(LogbookError) as failed:
        await search_elog(elog(elogd), NOW)
    assert failed.value.code == "no_logbook"


@pytest.mark.parametrize(
    "address",
    [
        "",
        "elog.example/Operation",
        "ftp://elog.example/x",
        "https://elog.example",
        "https://elog.example/",
        "https://[",
        "http:///x",
    ],
)
def test_what_is_no_address_of_a_logbook_is_refused(address: str) -> None:
    with pytest.raises(LogbookError) as refused:
        ElogClient(address)
    assert refused.value.code == "bad_address"


def test_credentials_have_no_place_in_the_address() -> None:
    with pytest.raises(LogbookError) as refused:
        ElogClient("https://reader:geheim@elog.example/Operation")
    assert "geheim" not in refused.value.message + refused.value.hint


async def test_a_server_that_is_not_there() -> None:
    logbook = elog(FakeElogd(address="http://127.0.0.1:9/Operation"))
    with pytest.raises(LogbookError, match="cannot be reached"):
        await search_elog(logbook, NOW)


async def test_entries_of_one_second_are_told_apart_by_their_ids(elogd: FakeElogd) -> None:
    for id in range(20, 30):
        elogd.post(id, "2026-03-19T10:00:00", f"one second {id}")
    found = await search_elog(elog(elogd), datetime(2026, 3, 20), since="2026-03-19", max_results=3)
    assert ids(found) == [29, 28, 27]
