"""`graphwright doctor`: it checks everything, changes nothing, and works when everything is broken."""

from __future__ import annotations

import fcntl
import socket
import sqlite3
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from cli_support import FLOW, Outcome, Runner, Site
from fake_elogd import FakeElogd, serving
from graph_support import UNCONFINED
from graphwright.cli import doctor
from graphwright.models import _pull as pull
from graphwright.store.sql import _schema as schema
from graphwright.store.sqlite.database import lock_file
from graphwright_confined import available
from graphwright_graph import AddNode, open_graph

Finding = tuple[str, str, str]


class Doctor:
    """The program, for all checks or a single one, in a folder without settings."""

    def __init__(self, run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
        self.run = run
        self._monkeypatch = monkeypatch
        self.checks = doctor.checks()

    def __call__(self, *checks: str) -> Outcome:
        chosen = {check: self.checks[check] for check in checks or self.checks}
        self._monkeypatch.setattr(doctor, "checks", lambda: chosen)
        return self.run("doctor", "--json")

    def look(self, check: str) -> list[Finding]:
        """The findings of one check, after a check of the exit code."""
        done = self(check)
        found = findings(done, check)
        assert done.code == ("problem" in {level for level, _, _ in found})
        return found

    def only(self, check: str) -> Finding:
        (finding,) = self.look(check)
        return finding


def findings(done: Outcome, check: str) -> list[Finding]:
    return [(f["level"], f["message"], f["hint"]) for f in done.json if f["check"] == check]


@pytest.fixture
def house(run: Runner, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Doctor:
    monkeypatch.chdir(tmp_path)
    for name in ("CONFIG", "GRAPH", "INTERACTIONS", "EMBEDDINGS", "ELOG_USER", "ELOG_PASSWORD"):
        monkeypatch.delenv(f"GRAPHWRIGHT_{name}", raising=False)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OTEL_TRACES_EXPORTER"):
        monkeypatch.delenv(name, raising=False)
    return Doctor(run, monkeypatch)


def test_a_fresh_installation_is_in_order_and_nothing_is_made(house: Doctor) -> None:
    done = house()
    assert done.code == 0
    assert [f["check"] for f in done.json] == sorted((f["check"] for f in done.json), key=[*house.checks].index)
    for check, message in (("database", "No data yet."), ("graph", "No graph yet."), ("agents", "intake (built in)")):
        assert ("ok", message, "") in findings(done, check)
    (model,) = findings(done, "model")
    assert (model[0], "graphwright model pull" in model[2]) == ("warning", True)
    assert not [f for f in done.json if f["check"] in ("logbook", "embeddings", "documents", "telemetry", "commands")]
    assert not house.run.home.exists()


def test_missing_and_old_packages_are_problems(house: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    needed = ["not-there>=1", "typer>=99", "pyyaml", "elsewhere; sys_platform == 'none'", "extra; extra == 'x'"]
    monkeypatch.setattr("importlib.metadata.requires", lambda name: needed)
    problems = [f for f in house.look("packages") if f[0] == "problem"]
    assert [message.split()[0] for _, message, _ in problems] == ["not-there>=1", "typer>=99"]
    assert all("pip install" in hint for _, _, hint in problems)


def test_a_failed_check_and_a_bad_configuration_are_one_problem_each(house: Doctor, tmp_path: Path) -> None:
    house.checks["packages"] = lambda: iter([1 / 0])
    toml(tmp_path, "model = ")
    done = house()
    problems = {f["check"]: f["message"] for f in done.json if f["level"] == "problem"}
    assert (done.code, set(problems)) == (1, {"packages", "configuration"})
    assert "ZeroDivisionError" in problems["packages"]
    assert "not valid TOML" in problems["configuration"]


# the data folder and the database


def begin(house: Doctor, tmp_path: Path) -> Path:
    """Hold a conversation, so that there is a database."""
    (tmp_path / "flow.yaml").write_text(FLOW, "utf-8")
    assert house.run("ask", tmp_path, "Ann", "--thread", "t").code == 3
    return house.run.home / "graphwright.db"


def change(file: Path, statement: str) -> None:
    connection = sqlite3.connect(file)
    connection.execute(statement)
    connection.commit()
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def test_a_database_is_checked_and_unchanged(house: Doctor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = begin(house, tmp_path)
    before = {path: path.read_bytes() for path in house.run.home.rglob("*") if path.is_file()}
    sound, threads = house.look("database")
    assert sound[1].startswith(f"{file}: sound, ")
    assert (f"tables of version {schema.VERSION}" in sound[1], threads[1]) == (True, "1 thread: 1 waiting")
    assert {path: path.read_bytes() for path in house.run.home.rglob("*") if path.is_file()} == before
    change(file, "UPDATE gw_threads SET status = 'running'")
    assert house.look("database")[-1][:2] == ("warning", "A turn was cut short: t.")
    with lock_file(house.run.home / "locks", "t").open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert house.look("database")[-1] == ("ok", "In the middle of a turn: t.", "")
    monkeypatch.setenv("GRAPHWRIGHT_HOME", str(file / "home"))
    assert house.only("data")[0] == "problem"


def damage(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[4096 : len(content) - 4096] = bytes(len(content) - 8192)
    file.write_bytes(content)


def foreign(file: Path) -> None:
    file.unlink()
    change(file, "CREATE TABLE theirs (id INTEGER)")


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (damage, "damaged"),
        (lambda file: file.write_bytes(b"this is no database at all" * 100), "not a SQLite database"),
        (lambda file: change(file, "UPDATE gw_meta SET value = '99' WHERE key = 'schema'"), "newer Graphwright"),
        (foreign, "another program"),
    ],
)
def test_a_spoilt_database_is_a_problem(
    house: Doctor, tmp_path: Path, spoil: Callable[[Path], None], says: str
) -> None:
    spoil(begin(house, tmp_path))
    level, message, hint = house.only("database")
    assert (level, says in message, bool(hint)) == ("problem", True, True)


# the graph


def test_a_graph_is_looked_over_and_left_alone(house: Doctor) -> None:
    if UNCONFINED:
        pytest.skip(UNCONFINED)
    with closing(open_graph(house.run.home)) as store:
        store.apply([AddNode("A", "a")], goal=store.begin_goal("add a", key="k").id, key="1")
    graph = house.run.home / "graph" / "graph.db"
    content = graph.read_bytes()
    level, message, _ = house.only("graph")
    assert (level, message.startswith(f"{graph}: sound, ")) == ("ok", True)
    assert message.endswith("1 goal in its journal")
    assert graph.read_bytes() == content
    damage(graph)
    level, message, hint = house.only("graph")
    assert (level, "is damaged" in message, bool(hint)) == ("problem", True, True)
    graph.write_bytes(b"")
    assert house.only("graph")[:2] == ("warning", f"{graph} is an empty file.")


@pytest.mark.slow
def test_an_unreachable_server_is_a_problem_without_secrets(house: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEO4J_USERNAME", "somebody")
    with socket.create_server(("127.0.0.1", 0)) as mute:
        place = f"127.0.0.1:{mute.getsockname()[1]}"
        monkeypatch.setenv("GRAPHWRIGHT_GRAPH", f"bolt://me:hidden-word@{place}")
        done = house("configuration", "graph")
    ((level, message, _),) = findings(done, "graph")
    assert (done.code, level) == (1, "problem")
    assert f"Neo4j at bolt://{place} cannot be reached" in message
    assert not [word for word in ("hidden-word", "somebody") if word in done.out + done.err]


# configuration, agents and models


def toml(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "graphwright.toml"
    file.write_text(text, "utf-8")
    return file


def test_agents_and_settings_are_checked(house: Doctor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    Site(tmp_path / "site").agents("acme", "desk = acme.desk\nintake = acme.intake", {})
    toml(
        tmp_path,
        '[agents.graph_editor]\nconfirm = "never"\nconfirms = 3\n[agents.graph_editr]\nx = 3\n'
        '[flows."flow.unknown".path_policy]\ndecay = 1\n',
    )
    found = [(level, message) for level, message, _ in house.look("agents") if level != "ok"]
    for level, says in (
        ("problem", "The agent 'desk' of acme 1.0 cannot be used: there is no package 'acme'."),
        ("problem", 'confirm of [agents.graph_editor] is "never"'),
        ("problem", "[agents.graph_editor] has no setting 'confirms'"),
        ("warning", "acme 1.0 brings an agent 'intake': the built-in one is used."),
        ("warning", "has settings for the agent 'graph_editr', which is not listed here."),
        ("warning", "has a path policy for the flow 'flow.unknown', which is not listed here."),
    ):
        assert [told for told, message in found if says in message] == [level], says


def test_an_unavailable_model_is_a_problem_without_its_key(house: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    file = pull.status(house.run.home).path
    file.parent.mkdir(parents=True)
    file.write_bytes(b"GGUF")
    for spec, says in (
        ("", "wrong size"),
        ("nobody:model", "no model provider"),
        ("embedded:/nowhere.gguf", "no model file"),
        ("openai:gpt-5", "need an API key"),
    ):
        monkeypatch.setenv("GRAPHWRIGHT_MODEL", spec)
        level, message, hint = house.only("model")
        assert (level, says in message, bool(hint)) == ("problem", True, True)
    monkeypatch.setenv("OPENAI_API_KEY", "a-most-secret-key-123")
    assert house.only("model") == ("ok", "openai:gpt-5: OPENAI_API_KEY is set", "")


# the sandbox and telemetry


def test_the_sandbox_is_tried_and_telemetry_reported(house: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    if not available().missing:
        assert house.only("sandbox")[1].startswith("landlock+seccomp (")
    monkeypatch.setattr(sys, "platform", "darwin")
    level, message, hint = house.only("sandbox")
    assert (level, "on Linux only" in message, "WSL 2" in hint) == ("warning", True, True)
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "console")
    assert house.only("telemetry") == ("ok", "traces go to console", "")
    monkeypatch.setattr(doctor, "find_spec", lambda name: None)
    assert house.only("telemetry")[0] == "problem"


# the connections of the assistant


def test_a_logbook_reports_its_newest_entry(house: Doctor, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    server = FakeElogd(users={"reader": "hidden-word"})
    with serving(server):
        toml(tmp_path, f'[agents.assistant]\nelog = "{server.address}"')
        level, message, hint = house.only("logbook")
        assert (level, "GRAPHWRIGHT_ELOG_USER" in message + hint) == ("warning", True)
        monkeypatch.setenv("GRAPHWRIGHT_ELOG_USER", "reader")
        monkeypatch.setenv("GRAPHWRIGHT_ELOG_PASSWORD", "hidden-word")
        server.post(1, "2026-03-10T08:00:00", "Beam lost.")
        assert house.only("logbook") == ("ok", f"{server.address}: can be read", "")
    assert house.only("logbook")[0] == "warning"


def test_a_hanging_service_is_soon_a_warning(house: Doctor, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(doctor, "TIME_LIMIT_SECONDS", 0.2)
    may = threading.Event()
    vectors = SimpleNamespace(name="test:vectors", query=lambda text: [0.0, 1.0] if may.wait() else [])
    monkeypatch.setattr("graphwright_assistant.retrieval.chosen_embedder", lambda: vectors)
    with socket.create_server(("127.0.0.1", 0)) as mute:
        address = f"http://127.0.0.1:{mute.getsockname()[1]}/Operation"
        toml(tmp_path, f'[agents.assistant]\nelog = "{address}"')
        assert house.only("logbook")[:2] == ("warning", f"{address} did not answer: no answer within 0.2 s.")
    assert house.only("embeddings")[:2] == ("warning", "test:vectors did not answer: no answer within 0.2 s.")
    may.set()
    assert house.only("embeddings") == ("ok", "test:vectors: vectors of 2 numbers", "")


def test_a_folder_of_documents_is_looked_at_with_what_is_indexed_of_it(house: Doctor, tmp_path: Path) -> None:
    toml(tmp_path, '[agents.assistant]\nknowledge = "docs"')
    docs = tmp_path / "docs"
    level, message, hint = house.only("documents")
    assert (level, str(docs) in message, "knowledge" in hint) == ("warning", True, True)
    docs.mkdir()
    (docs / "a.md").write_text("# Pumps\n\nThey pump.")
    assert house.only("documents")[:2] == ("ok", f"{docs}: not indexed yet")
    assert not (house.run.home / "knowledge").exists()
    assert house.run("knowledge", "search", "pumps").code == 0
    assert house.only("documents")[1].startswith(f"{docs}: 1 page, indexed ")
    (docs / "plot.png").write_bytes(b"x")
    house.run("knowledge", "search", "pumps")
    assert f"{docs}: other files, not read: 1 *.png" in house.run("doctor").out
