"""Entries from files of every kind, including broken ones: bad entries are reported and the rest is imported."""

from __future__ import annotations

import json
import os
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from cli_support import Runner
from fake_elogd import FakeElogd
from graphwright_assistant.retrieval import _entry_files as entry_files
from graphwright_assistant.retrieval._entry_files import read_file
from graphwright_assistant.retrieval._errors import LogbookError
from graphwright_assistant.retrieval._logbook import Entry
from graphwright_files.errors import TooMuch
from logbook_support import shifts

TODAY = date(2026, 3, 20)

ENTRY: dict[str, Any] = {
    "id": 7,
    "date": "2026-03-01T10:15:00",
    "author": "Jana Weber",
    "category": "Problem",
    "system": "RF",
    "subject": "Störung",
    "reply_to": 3,
    "text": "Zeile 1\nZeile 2",
    "attachments": ["a.png"],
}


def read(folder: Path, content: str | bytes, name: str = "entries") -> tuple[list[Entry], list[tuple[str, str]]]:
    file = folder / name
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    items = list(read_file(file, TODAY))
    bad = [(place, each) for place, each in items if isinstance(each, str)]
    return [each for _, each in items if isinstance(each, Entry)], bad


@pytest.mark.parametrize(
    "content",
    [
        json.dumps([ENTRY]),
        json.dumps(ENTRY),
        json.dumps(ENTRY) + "\n" + json.dumps({**ENTRY, "id": 8}),
        json.dumps({"entries": [ENTRY]}, indent=2),
        "\ufeff" + json.dumps([ENTRY], ensure_ascii=False),
    ],
)
def test_json_in_every_form(tmp_path: Path, content: str) -> None:
    good, bad = read(tmp_path, content)
    assert bad == []
    entry = good[0]
    assert (entry.id, entry.moment) == (7, datetime(2026, 3, 1, 10, 15))
    assert (entry.author, entry.subject) == ("Jana Weber", "Störung")
    assert (entry.reply_to, entry.text, entry.attachments) == (3, "Zeile 1\nZeile 2", ("a.png",))
    # Days are relative to today.
    (ago,), _ = read(tmp_path, '{"id": 1, "days_ago": 3, "time": "06:45", "text": "x"}')
    assert ago.moment == datetime(2026, 3, 17, 6, 45)


TWO_LINES = '"two\nlines; and, ""quotes"""'


@pytest.mark.parametrize("encoding", ["utf-8", "iso-8859-1", "utf-16"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_tables(tmp_path: Path, separator: str, encoding: str) -> None:
    rows = [
        ["Message ID", "Date", "Author", "Type", "Subject", "Text", "In reply to", "Ignored"],
        [*("7", '"Sun, 01 Mar 2026 10:15:00 +0100"', "Jana", "Problem", "Störung"), TWO_LINES, "", "x"],
        ["8", "01.03.2026 11:00", "Jana Weber", "Fix", "kurz", "gut", "7", ""],
    ]
    good, bad = read(tmp_path, "\n".join(separator.join(row) for row in rows).encode(encoding), "entries.csv")
    assert bad == []
    assert [item.moment for item in good] == [datetime(2026, 3, 1, 10, 15), datetime(2026, 3, 1, 11)]
    assert good[0].text == 'two\nlines; and, "quotes"'
    assert (good[0].category, good[0].subject, good[1].reply_to) == ("Problem", "Störung", 7)


@pytest.mark.parametrize("mode", ["xml", "record"])
def test_exports_of_elog(tmp_path: Path, mode: str) -> None:
    elogd = shifts(FakeElogd())
    entries = list(elogd.entries.values())
    content = elogd._xml(entries) if mode == "xml" else b"".join(map(elogd._record, entries))
    good, bad = read(tmp_path, content)
    assert bad == []
    by_id = {item.id: item for item in good}
    assert sorted(by_id) == [1, 2, 3, 4, 5]
    assert by_id[1].replies == (2,)
    assert by_id[2].reply_to == 1
    assert by_id[2].text == "Back & running\n\n- klystron on"
    assert by_id[3].attachments == ("260311_090000_trend_1.png", "260311_090000_log.txt")
    # Attributes without a role are kept below the text.
    posted = elogd.post(6, "2026-03-01T10:00", "Pump: off")
    posted.attributes = {"Entered by": "Jana", "Kategorie": "Info", "Status": "Open: yes"}
    ((kept,), _) = read(tmp_path, elogd._record(elogd.entries[6]))
    assert (kept.author, kept.category) == ("Jana", "Info")
    assert "Status: Open: yes" in kept.text


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"id": None}, "not a whole number"),
        ({"id": "x"}, "not a whole number"),
        ({"id": True}, "not a whole number"),
        ({"id": 0}, "not a whole number"),
        ({"id": 10**18 * 10}, "not a whole number"),
        ({"date": ""}, "no date"),
        ({"date": "2026-02-30"}, "not a date"),
        ({"date": 5}, "not a text"),
        ({"time": "25:00"}, "not a time of day"),
        ({"days_ago": -1}, "days_ago"),
        ({"days_ago": 10**9}, "days_ago"),
        ({"text": "", "subject": ""}, "neither"),
        ({"text": ["x"]}, "text is not a text"),
        ({"text": "x" * 1_000_001}, "more than 1,000,000"),
        ({"author": "x" * 1_001}, "longer than"),
        ({"reply_to": "abc"}, "reply_to"),
        ({"attachments": "a.png"}, "attachments"),
        ({"attachments": ["x"] * 201}, "attachments"),
    ],
)
def test_errors_of_an_entry_are_named(tmp_path: Path, change: dict[str, Any], reason: str) -> None:
    lines = [json.dumps({**ENTRY, "id": 1}), json.dumps({**ENTRY, **change}), json.dumps({**ENTRY, "id": 3})]
    good, bad = read(tmp_path, "\n".join(lines))
    assert [item.id for item in good] == [1, 3]
    assert [place for place, _ in bad] == ["line 2"]
    assert reason in bad[0][1]


def test_a_broken_line_spoils_no_other(tmp_path: Path) -> None:
    lines = [json.dumps(ENTRY), '{"id": 2, "text": ', "[" * 100_000, "", "null", json.dumps({**ENTRY, "id": 9})]
    good, bad = read(tmp_path, "\n".join(lines))
    assert [item.id for item in good] == [7, 9]
    assert [place for place, _ in bad] == ["line 2", "line 3", "line 5"]


def test_a_broken_entry_of_an_export_spoils_no_other(tmp_path: Path) -> None:
    elogd = shifts(FakeElogd())
    content = elogd._xml(list(elogd.entries.values())).replace(b"Klystron 2 changed.", b"5 < 6 & so on")
    good, bad = read(tmp_path, content)
    assert [item.id for item in good] == [1, 2, 3, 4]
    assert "not valid XML" in bad[0][1]
    good, bad = read(tmp_path, elogd._record(elogd.entries[1]) + b"$@MID@$: 6\nDate: nonsense\nno rule\n")
    assert [item.id for item in good] == [1]
    assert "6" in bad[0][0]
    # Document types have no effect.
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'
    text = "<ENTRY><MID>1</MID><DATE>2026-03-01</DATE><TEXT>&b;</TEXT></ENTRY>"
    good, bad = read(tmp_path, f'<?xml version="1.0"?>{bomb}<ELOG_LIST>{text}</ELOG_LIST>')
    assert (good, "undefined entity" in bad[0][1]) == ([], True)


@pytest.mark.parametrize(
    "content",
    [b"", b"  \n ", b"[1, 2", b"<html><body>Login</body></html>", b"a,b\n1,2\n", b"\x89PNG\r\n\x1a\n\x00\x00", b"hi"],
)
def test_a_file_without_entries_is_refused(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(LogbookError) as refused:
        read(tmp_path, content)
    assert refused.value.code == "bad_file"


def test_import_at_the_command_line(run: Runner, tmp_path: Path) -> None:
    file = tmp_path / "entries.jsonl"
    file.write_text(json.dumps(ENTRY) + "\nnonsense\n" + json.dumps(ENTRY), "utf-8")
    done = run("elog", "import", file)
    assert done.code == 1
    assert done.out == "1 added, 0 changed, 0 unchanged, 2 refused\n"
    assert f"{file}: line 2: it is not valid JSON" in done.err
    assert f"{file}: line 3: id 7 is at line 1 already" in done.err
    assert "sample shifts were taken out" in done.err
    file.write_text(json.dumps(ENTRY), "utf-8")
    again = run("elog", "import", file, "--json")
    assert again.code == 0
    assert again.json == {"added": 0, "changed": 0, "unchanged": 1, "refused": []}
    assert run("elog", "import", tmp_path / "nowhere.csv").err.count("\n") == 1
    assert "[missing_file]" in run("elog", "import", tmp_path / "nowhere.csv").err
    assert "7  Störung" in run("elog", "search").out


@pytest.mark.parametrize("kind", ["device", "pipe", "folder"])
def test_only_regular_files_are_read(run: Runner, tmp_path: Path, kind: str) -> None:
    file = {"device": Path("/dev/zero"), "pipe": tmp_path / "pipe", "folder": tmp_path}[kind]
    if kind == "pipe":
        os.mkfifo(file)
    done = run("elog", "import", file)
    assert done.code == 1
    assert file.name in done.err
    assert done.err.count("\n") <= 2
    assert "not a file" in done.err


def test_no_more_than_the_limit_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry_files, "MOST_BYTES", 1_000)
    with pytest.raises(TooMuch):
        read(tmp_path, json.dumps(ENTRY) + "\n" * 1_000)
    # A file whose size is unknown before it is read.
    with pytest.raises(LogbookError, match="too large"):
        entry_files.read_file(Path("/proc/self/smaps"), TODAY)
