"""SQLite in a confined process: logs, locks, mapped files and a graph extension work in the allowed folder."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest
from confine_support import Place, needs_confinement, places

pytestmark = needs_confinement

SQLITE = """
try:
    import pysqlite3 as sqlite
except ImportError:
    import sqlite3 as sqlite
"""


@pytest.fixture
def place() -> Iterator[Place]:
    yield from places(None)


def test_a_database_is_used_made_and_opened_again(place: Place) -> None:
    told = place.told(
        SQLITE
        + """
def used(connection):
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA mmap_size=10000000")
    connection.execute("PRAGMA temp_store=MEMORY")
    connection.execute("CREATE TABLE t (a INTEGER, b TEXT)")
    with connection:
        connection.executemany("INSERT INTO t VALUES (?, ?)", [(n, "x" * 100) for n in range(20_000)])
    connection.execute("CREATE INDEX i ON t (b, a)")
    least = connection.execute("SELECT a FROM t ORDER BY b, a DESC LIMIT 1").fetchone()
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.execute("VACUUM")
    return least[0]
opened = sqlite.connect(inside / "before.db")
confine(Confinement(write=[inside], limits=Limits(memory=2**30)))
found = [used(opened)]
opened.close()
made = sqlite.connect(inside / "made.db")
found.append(used(made))
# A second connection, of another thread, waits for the lock of the first one.
made.execute("BEGIN IMMEDIATE")
def other():
    with sqlite.connect(inside / "made.db", timeout=10) as second:
        second.execute("INSERT INTO t VALUES (-1, 'second')")
thread = threading.Thread(target=other)
thread.start()
made.execute("INSERT INTO t VALUES (-2, 'first')")
made.commit()
thread.join()
logs = sorted(path.name for path in inside.iterdir())
made.close()
again = sqlite.connect(inside / "made.db")
found.append(again.execute("SELECT a FROM t WHERE a < 0 ORDER BY rowid").fetchall())
found.append(logs)
reader = sqlite.connect(f"file:{inside}/before.db?mode=ro", uri=True)
found.append(reader.execute("SELECT count(*) FROM t").fetchone()[0])
old = sqlite.connect(inside / "rollback.db")
old.execute("PRAGMA journal_mode=DELETE")
old.execute("CREATE TABLE t (a)")
old.commit()
def open_outside():
    try:
        sqlite.connect(outside / "x.db").execute("CREATE TABLE t (a)")
    except sqlite.OperationalError as error:
        return str(error)
found.append(open_outside())
tell(found)
"""
    )
    assert told[:3] == [19_999, 19_999, [[-2], [-1]]]
    assert {"made.db", "made.db-wal", "made.db-shm"} <= set(told[3])
    assert told[4:] == [20_000, "unable to open database file"]
    # What was written is sound for others.
    with sqlite3.connect(place.inside / "made.db") as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("SELECT count(*) FROM t").fetchone() == (20_002,)


def test_two_processes_share_a_database(place: Place) -> None:
    code = (
        SQLITE
        + """
connection = sqlite.connect(inside / "shared.db", timeout=30)
confine(Confinement(write=[inside]))
for n in range(100):
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO t SELECT count(*) FROM t")
"""
    )
    # Nobody waits for a file that is being switched to WAL: two processes that do it at once may fail.
    with sqlite3.connect(place.inside / "shared.db") as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE t (a)")
    connection.close()
    children = [place.start(code) for _ in range(2)]
    for child in children:
        _, err = child.communicate(timeout=60)
        assert child.returncode == 0, err
    with sqlite3.connect(place.inside / "shared.db") as connection:
        assert connection.execute("SELECT a FROM t ORDER BY a").fetchall() == [(n,) for n in range(200)]


def test_the_graph_extension_works_where_it_was_loaded_before(place: Place) -> None:
    pytest.importorskip("graphqlite")
    told = place.told(
        SQLITE
        + """
import graphqlite
def opened(name):
    connection = sqlite.connect(inside / name)
    connection.enable_load_extension(True)
    connection.load_extension(graphqlite.loadable_path())
    return connection
before = opened("before.db")
confine(Confinement(write=[inside], limits=Limits(memory=2**30)))
def made(connection):
    connection.execute("SELECT cypher('CREATE (:Person {name: \\"Ann\\"})-[:KNOWS]->(:Person {name: \\"Bob\\"})')")
    connection.commit()
    found = connection.execute("SELECT cypher('MATCH (a)-[:KNOWS]->(b) RETURN b.name AS name')").fetchone()
    return json.loads(found[0])
# A library that is loaded already can be used by further connections.
tell([made(before), made(opened("after.db"))])
"""
    )
    assert told == [[{"name": "Bob"}]] * 2


def test_a_file_is_read_by_the_extension_only_where_it_is_allowed(place: Place) -> None:
    place.put("secret.csv", "name\nsecret\n")
    (place.inside / "own.csv").write_text("name\nopen\n", "utf-8")
    pytest.importorskip("graphqlite")
    told = place.told(
        SQLITE
        + """
import graphqlite
connection = sqlite.connect(":memory:")
connection.enable_load_extension(True)
connection.load_extension(graphqlite.loadable_path())
confine(Confinement(write=[inside]))
def loaded(path):
    try:
        query = f"LOAD CSV WITH HEADERS FROM 'file://{path}' AS row RETURN row.name AS name"
        return str(connection.execute("SELECT cypher(?)", (query,)).fetchall())
    except sqlite.Error as error:
        return str(error)
tell([loaded(inside / "own.csv"), loaded(outside / "secret.csv")])
"""
    )
    assert "open" in told[0]
    assert "secret" not in told[1].replace("secret.csv", "")
