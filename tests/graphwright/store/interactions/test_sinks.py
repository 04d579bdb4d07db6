"""The interaction log in SQLite, in Postgres and in JSON Lines: every interaction is found and complete."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
import sys
import threading
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest

from crash_support import LimitedFiles, SmallDisk, apart, die_at, forked
from graphwright.store._errors import StoreError
from graphwright.store.interactions import InteractionSink, Query, SessionSummary
from graphwright.store.interactions import _sinks as sinks_module
from interactions_support import Opened, interaction, sink
from postgres_support import PASSWORD, PostgresServer
from unprivileged_support import become_nobody


@pytest.fixture
def server(postgres: PostgresServer) -> PostgresServer:
    return postgres


@pytest.fixture(params=["sqlite", "jsonl", pytest.param("postgres", marks=pytest.mark.slow)])
def open_log(request: pytest.FixtureRequest, tmp_path: Path) -> Opened:
    """Opens the same log, of each kind in turn."""
    addresses = {"sqlite": f"sqlite:///{tmp_path}/log.db", "jsonl": str(tmp_path / "log.jsonl")}
    address = addresses.get(request.param) or request.getfixturevalue("server").database()
    return lambda: sink(address, tmp_path)


# every kind


def test_entries_are_found_by_other_openers_and_the_last_of_an_id_wins(open_log: Opened) -> None:
    some = [interaction(1), interaction(2, question="Wie groß?\nUnd \U0001f600?", metadata={})]
    open_log().write([interaction(1, reply="first"), interaction(1, reply="twice in a batch")])
    open_log().write(some)
    open_log().write([interaction(3, success=False, error="it broke")])
    found = open_log().find(Query())
    assert [each.number for each in found] == [3, 2, 1]
    assert found[1:] == some[::-1]
    assert open_log().count() == 3


def test_a_log_that_is_not_there_is_empty_and_is_not_made(open_log: Opened, tmp_path: Path) -> None:
    log = open_log()
    assert (log.find(Query()), log.sessions(), log.count(), log.purge("2027"), log.count()) == ([], [], None, 0, None)
    assert not list(tmp_path.iterdir())


CONDITIONS: list[tuple[dict[str, Any], list[int]]] = [
    ({}, [4, 3, 2, 1]),
    ({"session": "u"}, [4, 3]),
    ({"agent": "intake"}, [2]),
    ({"success": False}, [4, 2]),
    ({"success": False, "session": "u"}, [4]),
    ({"success": True, "type": "question"}, [3, 1]),
    ({"type": "other"}, []),
    ({"until": "2026-11-01T10:03:00.000000Z"}, [2, 1]),
    ({"among": ["u", "v"]}, [4, 3]),
    ({"among": []}, []),
    ({"since": "2026-11-01T10:03:00.000000Z"}, [4, 3]),
    ({"limit": 2}, [4, 3]),
    ({"words": ("DF.Mean()",)}, [1]),
    ({"words": ("gröSSe",)}, []),
    ({"words": ("GRÖßE_", "mittlere")}, [3]),
    ({"words": ("type", "100%")}, [2]),
    # Special characters of patterns have no special meaning.
    ({"words": ("%x",)}, []),
    ({"words": ("a\\b",)}, [4]),
    ({"words": ("größe", "mean")}, []),
]


def test_conditions_hold_together_and_sessions_are_counted(open_log: Opened) -> None:
    log = open_log()
    log.write(
        [
            interaction(1, code="df.mean()"),
            interaction(2, agent="intake", success=False, error="TYPE mismatch: 100%"),
            interaction(3, session="u", reply="Die MITTLERE Größe_x"),
            interaction(4, session="u", success=False, result="a\\b"),
        ]
    )
    for conditions, numbers in CONDITIONS:
        assert [each.number for each in log.find(Query(**conditions))] == numbers, conditions
        if "limit" not in conditions:
            assert log.summary(Query(**conditions)).count == len(numbers), conditions
    times = [interaction(number).started for number in range(5)]
    assert log.sessions() == [
        SessionSummary("u", "desk", 2, 1, times[3], times[4]),
        SessionSummary("t", "intake", 1, 1, times[2], times[2]),
        SessionSummary("t", "desk", 1, 0, times[1], times[1]),
    ]


def test_a_turn_that_its_user_stopped_has_not_failed(open_log: Opened) -> None:
    log = open_log()
    stopped = "The turn was stopped. [stopped]"
    log.write([interaction(1), interaction(2, success=False, error="x"), interaction(3, success=False, error=stopped)])
    assert (log.summary(Query()).failed, log.sessions()[0].failed) == (1, 1)
    assert [[each.number for each in log.find(Query(success=given))] for given in (None, True, False)] == [
        [3, 2, 1],
        [1],
        [2],
    ]


def test_totals_and_bars_over_time(open_log: Opened) -> None:
    log = open_log()
    assert log.summary(Query()).bars == ()
    log.write([interaction(n, seconds=n / 10, tokens=n, type="abc"[n % 3], success=n > 2) for n in range(1, 21)])
    found = log.summary(Query(since="2026-11-01T10:00:00.000000Z", until="2026-11-01T12:00:00.000000Z"))
    assert (found.count, found.failed, found.tokens, found.median, found.p95) == (20, 2, 210, 1.0, 1.9)
    assert (found.types, found.bar_seconds, len(found.bars)) == (("a", "b", "c"), 300, 25)
    assert [(bar.count, bar.failed) for bar in found.bars[:6]] == [(4, 2), (5, 0), (5, 0), (5, 0), (1, 0), (0, 0)]
    assert found.bars[1].begin == "2026-11-01T10:05:00Z"


def test_old_entries_are_removed(open_log: Opened) -> None:
    log, before = open_log(), "2026-11-01T10:03:00.000000Z"
    log.write([interaction(number) for number in range(1, 6)])
    assert (log.count(before), log.purge(before), log.purge(before)) == (2, 2, 0)
    assert [each.number for each in log.find(Query())] == [5, 4, 3]
    log.write([interaction(6)])
    assert open_log().count() == 4


def test_many_write_at_once(open_log: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight writers create a log at the same time: nothing is lost, and none finds an incomplete table."""
    monkeypatch.setattr(sinks_module, "TIMEOUT_SECONDS", 60.0)
    troubles = []

    def write(session: str) -> None:
        try:
            log = open_log()
            for number in range(1, 6):
                log.write([interaction(number, session=session)])
        except Exception as error:
            troubles.append(error)

    threads = [threading.Thread(target=write, args=(f"s{n}",)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert troubles == []
    assert {(each.session, each.interactions) for each in open_log().sessions()} == {(f"s{n}", 5) for n in range(8)}


# files


@pytest.fixture(params=["log.db", "log.jsonl"])
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return tmp_path / str(request.param)


def open_file(file: Path) -> InteractionSink:
    return sink(f"sqlite:///{file}" if file.suffix == ".db" else file, file.parent)


def written(file: Path) -> list[int]:
    return [each.number for each in open_file(file).find(Query(limit=10_000))]


def write(file: Path, *numbers: int, **changes: object) -> None:
    open_file(file).write([interaction(number, **changes) for number in numbers])


def test_a_file_is_for_its_owner_alone_and_is_made_again_where_it_is_missing(file: Path) -> None:
    log = open_file(file)
    log.write([interaction(1)])
    file.unlink()
    log.write([interaction(2)])
    log.purge("2026-11-01T10:00:30")
    assert {stat.S_IMODE(each.stat().st_mode) for each in file.parent.iterdir()} == {0o600}
    assert written(file) == [2]


def test_an_unwritable_log_is_an_error(file: Path, reachable: Path) -> None:
    folder = reachable / "closed"
    folder.mkdir(mode=0o755)
    own = folder / file.name
    write(own, 1)
    for each in folder.iterdir():
        each.chmod(0o644)

    async def try_it(tell: object) -> str:
        become_nobody()
        folder.chmod(0o500) if os.geteuid() == folder.stat().st_uid else None
        assert written(own) == [1]
        try:
            write(own, 2)
        except StoreError as error:
            return error.code
        return "written"

    assert apart(try_it) == "read_only"
    assert written(own) == [1]


def test_a_full_disk_loses_no_line_and_leaves_no_partial_line(file: Path) -> None:
    async def fill(tell: object) -> list[object]:
        small = file.parent / "small" / file.name
        disk = SmallDisk(small.parent)
        if not disk.works:
            return ["skip"]
        write(small, 1, 2)
        disk.fill()
        codes = []
        for number in (3, 4):
            try:
                write(small, number, code="x" * 50_000)
            except StoreError as error:
                codes.append(error.code)
        kept = written(small)
        disk.free()
        write(small, 5)
        return [codes, kept, written(small)]

    found = apart(fill)
    if found == ["skip"]:
        pytest.skip("this user may not mount a disk of its own")
    assert found == [["disk_full", "disk_full"], [2, 1], [5, 2, 1]]


def test_a_locked_log_is_waited_for_then_an_error(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from filelock import FileLock

    write(file, 1)
    monkeypatch.setattr(sinks_module, "TIMEOUT_SECONDS", 0.05)
    with closing(sqlite3.connect(file.with_suffix(".db"), isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with (
            FileLock(file.parent / ".log.jsonl.lock"),
            pytest.raises(StoreError, match="locked"),
        ):
            write(file, 2)
        monkeypatch.setattr(sinks_module, "TIMEOUT_SECONDS", 30.0)
        later = threading.Timer(0.2, lambda: other.execute("ROLLBACK"))
        later.start()
        write(file, 3)
        later.join()
    assert written(file) == [3, 1]


# SQLite


MANY = range(2, 42)


@pytest.mark.parametrize("point", [1, 2, 30, len(MANY) + 2, len(MANY) + 3])
def test_a_kill_leaves_a_batch_whole_or_absent(tmp_path: Path, point: int) -> None:
    """Before it begins, in the middle (with some of it in the file already), before it is committed, and never."""
    file = tmp_path / "log.db"
    write(file, 1)

    async def killed(tell: object) -> None:
        # The file is opened by its URI.
        die_at(Path(f"file:{tmp_path}"), point, of=("BEGIN", "INSERT", "COMMIT"))
        write(file, *MANY, code="x" * 90_000)

    survives = point > len(MANY) + 2
    assert forked(killed).end() != survives
    assert (tmp_path / "log.db-journal").exists() == (2 < point < len(MANY) + 3)
    assert written(file) == ([*reversed(MANY), 1] if survives else [1])
    write(file, 50)
    assert written(file)[0] == 50


def test_removed_entries_leave_the_file_and_other_tables_stay(tmp_path: Path) -> None:
    file = tmp_path / "log.db"
    with closing(sqlite3.connect(file)) as other:
        other.execute("CREATE TABLE own (x)")
        other.execute("INSERT INTO own VALUES (1)")
        other.commit()
    write(file, 1, reply="remember-me " * 5_000)
    write(file, 2)
    assert open_file(file).purge("2026-11-01T10:01:30") == 1
    assert b"remember-me" not in file.read_bytes()
    with closing(sqlite3.connect(file)) as other:
        assert other.execute("SELECT * FROM own").fetchall() == [(1,)]


# JSON Lines


def test_a_write_that_stops_half_way_is_taken_back(tmp_path: Path) -> None:
    """A file that may grow by a few bytes, not by a line."""
    if not LimitedFiles.works:
        pytest.skip("this system has no limit on the size of files")
    file = tmp_path / "log.jsonl"
    write(file, 1)

    async def try_it(tell: object) -> str:
        limited = LimitedFiles(tmp_path)
        limited.log = file
        limited.fill(room=40)
        try:
            write(file, 2)
        except StoreError as error:
            return error.code
        return "written"

    before = file.read_bytes()
    assert apart(try_it) in ("disk_full", "log_unusable")
    assert file.read_bytes() == before


def test_invalid_lines_are_skipped_and_kept(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    write(file, 1, question="two\nlines\u2028and more")
    assert json.loads(file.read_text("utf-8")) == interaction(1, question="two\nlines\u2028and more").model_dump()
    strange = [b"half a li", b"\xff\xfe", b"[]", b'{"id": 1}', b"[" * 5_000, b'{"number": true}', b""]
    with file.open("ab") as stream:
        # Fields of a later version are ignored.
        stream.write(json.dumps({**interaction(2).model_dump(), "mood": "good", "seconds": 2}).encode() + b"\n")
        stream.write(b"\n".join(strange))
        stream.write(b'{"id": "torn')
    write(file, 3)
    file.chmod(0o640)
    assert written(file) == [3, 2, 1]
    assert open_file(file).purge("2026-11-01T10:02:30") == 2
    lines = file.read_bytes().split(b"\n")
    assert lines[: len(strange)] == [*strange[:-1], b'{"id": "torn']
    assert json.loads(lines[-2])["number"] == 3
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


@pytest.mark.slow
def test_a_purge_loses_nothing_that_is_written_meanwhile(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    write(file, *range(1, 4))

    async def append(tell: object) -> None:
        for number in range(4, 54):
            write(file, number % 60, session=f"n{number}")

    children = [forked(append) for _ in range(2)]
    for _ in range(20):
        open_file(file).purge("2026-11-01T10:03:30")
    for child in children:
        assert not child.end()
    assert {each.session for each in open_file(file).sessions()} == {f"n{number}" for number in range(4, 54)}


# Postgres


@pytest.mark.slow
def test_a_restarted_server_is_reached_again(server: PostgresServer, tmp_path: Path) -> None:
    log = sink(server.database(), tmp_path)
    log.write([interaction(1)])
    server.stop()
    try:
        with pytest.raises(StoreError, match="cannot be used"):
            log.write([interaction(2)])
    finally:
        server.start()
    log.write([interaction(3)])
    assert [each.number for each in log.find(Query())] == [3, 1]


@pytest.mark.slow
def test_errors_of_a_server_show_no_password(server: PostgresServer, tmp_path: Path) -> None:
    server.database()
    wrong = server.url(password="wrong-pass-word")
    for address, password in ((wrong, "wrong-pass-word"), (server.url("nowhere"), PASSWORD)):
        log = sink(address, tmp_path)
        with pytest.raises(StoreError) as raised:
            log.write([interaction(1)])
        told = f"{raised.value} {log.label}"
        assert (raised.value.code, f"127.0.0.1:{server.port}" in told) == ("log_unusable", True)
        assert password not in told
        assert quote(password, safe="") not in told


@pytest.mark.slow
def test_the_table_is_of_use_in_sql_and_says_nothing_to_others(server: PostgresServer, tmp_path: Path) -> None:
    address = server.database()
    name = urlsplit(address).path[1:]
    for scheme in ("postgres://", "postgresql+psycopg://", "postgresql+asyncpg://"):
        sink(address.replace("postgresql://", scheme), tmp_path).write([interaction(7)])
    server.execute("CREATE ROLE reader LOGIN PASSWORD 'reader-word'")
    server.execute("GRANT SELECT, INSERT ON gw_interactions TO reader", name)
    log = sink(server.url(name, user="reader", password="reader-word"), tmp_path)
    assert log.find(Query()) == []
    with pytest.raises(StoreError):
        log.write([interaction(2)])
    asked = "SELECT metadata->>'rows', started::timestamptz, success FROM gw_interactions"
    ((rows, started, success),) = server.execute(asked, name)
    assert (rows, success) == ("7", True)
    assert isinstance(started, datetime)


def test_without_the_driver_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(StoreError) as raised:
        sink("postgresql://ann:hidden-word@db.example.com/log", tmp_path)
    assert raised.value.code == "log_driver_missing"
    assert raised.value.hint == "pip install 'graphwright[postgres]'"
    assert "hidden-word" not in str(raised.value)
