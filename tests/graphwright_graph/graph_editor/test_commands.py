"""`graphwright graph`: show, draw, query, import, export, history, undo."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from cli_support import Runner
from graphwright_graph import AddNode, DeleteNode, UpdateNode, open_graph

NODES = """\
label,key,title,status,size:integer
Ticket,T-1,Printer is broken,open,3
Ticket,T-2,Toner is empty,closed,
User,ann,,,
"""
EDGES = """\
from_label,from_key,type,to_label,to_key,since
User,ann,REPORTS,Ticket,T-1,2026-11-01
Ticket,T-2,BLOCKS,Ticket,T-1,
"""


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Runner]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GRAPHWRIGHT_GRAPH", raising=False)
    (tmp_path / "t.nodes.csv").write_text(NODES, "utf-8")
    (tmp_path / "t.edges.csv").write_text(EDGES, "utf-8")
    yield Runner(capsys, monkeypatch, tmp_path / "home")
    open_graph(tmp_path / "home").close()


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of the first test that imports the graph, for the others."""
    return tmp_path_factory.mktemp("imported") / "home"


@pytest.fixture
def filled(run: Runner, imported: Path) -> Runner:
    if imported.exists():
        shutil.copytree(imported, run.home)
    else:
        assert run("graph", "import", "t.csv").code == 0
        open_graph(run.home).close()
        shutil.copytree(run.home, imported)
    return run


def edited(home: Path) -> str:
    """Do a goal of three steps; return its id."""
    with closing(open_graph(home)) as store:
        goal = store.begin_goal("close T-1,\nadd bob", key="k", thread="t1").id
        store.apply([UpdateNode("T-1", {"status": "closed", "size": None})], goal=goal, key="1")
        store.apply([AddNode("User", "bob")], goal=goal, key="2")
        store.apply([DeleteNode("T-2")], goal=goal, key="3")
        store.finish_goal(goal, "done")
    return goal


def test_show_prints_place_and_schema_of_the_graph(filled: Runner) -> None:
    done = filled("graph", "show")
    assert (done.code, str(filled.home) in done.out, "3 nodes, 2 edges" in done.out) == (0, True, True)
    lines = [line.split() for line in done.out.splitlines()]
    assert ["REPORTS", "1", "User", "->", "Ticket", "since", "(text)"] in lines
    shown = filled("graph", "show", "--json").json
    assert [(each["label"], each["count"]) for each in shown["labels"]] == [("Ticket", 2), ("User", 1)]


def test_a_picture_is_drawn(filled: Runner) -> None:
    done = filled("graph", "draw", "T-1")
    assert (done.out.startswith("<svg "), "BLOCKS" in done.out) == (True, True)
    assert "REPORTS" not in filled("graph", "draw", "T-2", "--depth", "1", "--label", "Ticket").out
    missing = filled("graph", "draw", "T-3")
    assert (missing.code, missing.out, "T-1" in missing.err) == (2, "", True)


def test_a_query_gives_a_table_or_json(filled: Runner) -> None:
    text = "MATCH (n:Ticket)<-[r]-(m) RETURN n, m.key AS k, n.size ORDER BY k"
    done = filled("graph", "query", text)
    assert done.out.splitlines() == [
        "n                                         k    n.size",
        "Ticket T-1 {size: 3, status: open, titl…  T-2  3",
        "Ticket T-1 {size: 3, status: open, titl…  ann  3",
    ]
    rows = filled("graph", "query", text, "--json").json
    assert rows["columns"] == ["n", "k", "n.size"]
    assert rows["rows"][0][1:] == ["T-2", 3]
    assert rows["rows"][0][0]["properties"] == {"title": "Printer is broken", "status": "open", "size": 3}
    cut = filled("graph", "query", text, "--limit", "1")
    assert len(cut.out.splitlines()) == 2
    assert "--limit" in cut.err
    nothing = filled("graph", "query", "MATCH (n:Tickt) RETURN n")
    assert (nothing.code, nothing.out, nothing.err) == (
        0,
        "",
        "Nothing was found.\nThere is no label `Tickt`. Nearest: `Ticket`.\n",
    )


def test_a_query_that_writes_or_is_not_accepted_is_refused(filled: Runner) -> None:
    before = filled("graph", "show").out
    for text, told in (
        ("MATCH (n) DETACH DELETE n", "would change the graph"),
        ("LOAD CSV FROM '/etc/passwd' AS l RETURN l", "files are not read"),
        ("MATCH (n) RETURN n; MATCH (m) RETURN m", "several statements"),
    ):
        done = filled("graph", "query", text, "--json")
        assert (done.code, done.json["status"], told in done.err.lower()) == (2, "failed", True)
    assert filled("graph", "show").out == before


def test_an_export_is_imported_as_the_same_graph(filled: Runner, tmp_path: Path) -> None:
    files = filled("graph", "export", "all.csv").out.split()
    assert filled("graph", "export", "all.csv").code == 2
    assert filled("graph", "export", "all.csv", "--force").code == 0
    again = Runner(filled._capsys, filled._monkeypatch, tmp_path / "again")
    assert again("graph", "import", *files).out.startswith("3 nodes and 2 edges")
    assert again("graph", "import", *files, "--update", "--json").json == {"nodes": 3, "edges": 2}
    with closing(open_graph(tmp_path / "home")) as one, closing(open_graph(tmp_path / "again")) as other:
        assert list(one.export()) == list(other.export())


def test_an_import_is_all_or_nothing(filled: Runner, tmp_path: Path) -> None:
    before = filled("graph", "show", "--json").out
    edge = {"from_label": "A", "from_key": "x", "type": "R", "to_label": "A", "to_key": "y"}
    (tmp_path / "bad.jsonl").write_text('{"label": "A", "key": "a"}\n{"label": "A", "key": ""}\n', "utf-8")
    (tmp_path / "loose.jsonl").write_text(json.dumps(edge), "utf-8")
    (tmp_path / "empty").mkdir()
    for name, code, says in (
        ("t.csv", 1, "--update"),
        ("bad.jsonl", 1, "bad.jsonl, line 2"),
        ("loose.jsonl", 1, "here is no node A `x`"),
        ("nothing.json", 2, "nothing.json"),
        ("t.xlsx", 2, "t.xlsx"),
        ("empty", 2, "The folder empty has no tables."),
    ):
        done = filled("graph", "import", name)
        assert (done.code, says in done.err) == (code, True), done
    assert filled("graph", "show", "--json").out == before


def test_history_lists_goals_and_the_changes_of_one(filled: Runner) -> None:
    goal = edited(filled.home)
    lines = filled("graph", "history").out.splitlines()
    assert "1 node created, 1 node updated, 1 node deleted, 1 edge deleted" in lines[1]
    assert (lines[1].endswith("close T-1, add bob"), "import of t.csv: " in lines[2]) == (True, True)
    shown = filled("graph", "history", goal).out
    for change in (
        '~ Ticket T-1 "Printer is broken" size: 3 -> (none), status: open -> closed',
        '- Ticket T-2 "Toner is empty" -[BLOCKS]-> Ticket T-1 "Printer is broken"',
    ):
        assert f"  {change}\n" in shown
    steps = filled("graph", "history", goal, "--json").json["steps"]
    assert [change["kind"] for change in steps[2]["changes"]] == ["deleted", "deleted"]
    assert filled("graph", "history", "G99").code == 2
    limited = filled("graph", "history", "--limit", "1")
    assert (len(limited.out.splitlines()), limited.err) == (2, "1 older: --limit shows more.\n")


def test_undo_is_shown_confirmed_and_exact(filled: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(open_graph(filled.home)) as store:
        before = list(store.export())
    imported = filled("graph", "undo", "G1")
    assert (imported.code, "cannot be undone" in imported.err) == (1, True)
    goal = edited(filled.home)
    refused = filled("graph", "undo", goal)
    assert (refused.code, refused.out, "--yes" in refused.err) == (2, "", True)
    assert '~ Ticket T-1 "Printer is broken" size: (none) -> 3, status: closed -> open' in refused.err
    assert "-[BLOCKS]-> Ticket T-1" in refused.err
    monkeypatch.setattr("graphwright.cli.console.interactive", lambda: True)
    asked = filled("graph", "undo", goal, stdin="n\n")
    assert ("Do this? [y/N]" in asked.err, "Nothing was changed." in asked.err) == (True, True)
    done = filled("graph", "undo", goal, stdin="y\n")
    assert done.out.startswith("G3 undid G2: 1 node created, 1 edge created, 1 node updated, 1 node deleted")
    with closing(open_graph(filled.home)) as store:
        assert list(store.export()) == before
    again = filled("graph", "undo", goal, "--yes")
    assert (again.code, again.out) == (1, "")
    assert "undone by G3" in filled("graph", "history").out
    assert filled("graph", "undo", "G3", "--yes", "--json").json["undoes"] == "G3"
