"""`graphwright doctor`: it looks at everything, changes nothing, and works when everything is broken."""

from __future__ import annotations

import fcntl
import os
import socket
import sqlite3
import subprocess
import sys
import threading
import time
import tomllib
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from cli_support import FLOW, Outcome, Runner, environment, program
from fake_elogd import FakeElogd, serving
from graph_support import UNCONFINED
from packaging.requirements import Requirement
from unprivileged_support import BECOME_NOBODY

from graphwright.cli import doctor
from graphwright.graphstore import AddNode, open_graph
from graphwright.models import pull
from graphwright.sandbox import Availability, SandboxUnavailable, available
from graphwright.store import schema
from graphwright.store.lease import lock_file

ROOT = Path(__file__).parent.parent


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Runner:
    monkeypatch.chdir(tmp_path)
    for name in ("GRAPHWRIGHT_CONFIG", "OPENAI_API_KEY", "OPENAI_BASE_URL", "OTEL_TRACES_EXPORTER", *doctor.SETTINGS):
        monkeypatch.delenv(name, raising=False)
    return Runner(capsys, monkeypatch, tmp_path / "home")


def found(done: Outcome, check: str) -> list[tuple[str, str, str]]:
    return [(f["level"], f["message"], f["hint"]) for f in done.json if f["check"] == check]


def begin(run: Runner, tmp_path: Path) -> Path:
    """Hold a conversation, so that there is a database."""
    (tmp_path / "flow.yaml").write_text(FLOW, "utf-8")
    assert run("ask", tmp_path, "Ann", "--thread", "t").code == 3
    return run.home / "graphwright.db"


def test_a_fresh_installation_is_in_order(run: Runner) -> None:
    done = run("doctor", "--json")
    assert done.code == 0
    assert [f["check"] for f in done.json] == sorted((f["check"] for f in done.json), key=[*doctor.CHECKS].index)
    assert set(done.json[0]) == {"check", "level", "message", "hint"}
    assert not [f for f in done.json if f["level"] == "problem"]
    assert found(done, "database") == [("ok", "No data yet.", "")]
    assert found(done, "graph") == [("ok", "No graph yet.", "")]
    (model,) = found(done, "model")
    assert model[0] == "warning"
    assert "graphwright model pull" in model[2]
    assert ("ok", "intake (built in)", "") in found(done, "agents")
    # Nothing was made.
    assert not run.home.exists()


def test_people_read_one_line_a_finding(run: Runner) -> None:
    done = run("doctor")
    assert done.code == 0
    lines = [line for line in done.out.splitlines() if not line.startswith(" ")]
    assert {line.split()[0] for line in lines} == {"ok", "warning"}
    assert done.err == ""


def test_all_that_is_needed_is_looked_at() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert set(doctor.IMPORTS) == {Requirement(text).name for text in project["dependencies"]}


def test_what_is_only_looked_at_is_not_loaded(tmp_path: Path) -> None:
    script = "import sys\nfrom graphwright.cli.app import run\nrun(['doctor'])\nprint(*sys.modules, file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment(tmp_path), capture_output=True, text=True, check=True
    )
    assert "langchain_core" not in done.stderr.split()
    assert "graphwright.agents.upgrade.nodes" not in done.stderr.split()


def test_a_missing_and_a_broken_package_are_problems(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(doctor.IMPORTS, "not-there", "not_there")
    monkeypatch.setitem(doctor.IMPORTS, "typer", "typer.nothing_like_it")
    done = run("doctor", "--json")
    assert done.code == 1
    problems = [f for f in found(done, "packages") if f[0] == "problem"]
    assert [message.split()[0] for _, message, _ in problems] == ["typer", "not-there"]
    assert all("pip install" in hint for _, _, hint in problems)


def test_a_database_is_looked_over_and_left_alone(run: Runner, tmp_path: Path) -> None:
    file = begin(run, tmp_path)

    def files() -> dict[str, tuple[int, bytes]]:
        return {str(p): (p.stat().st_mtime_ns, p.read_bytes()) for p in run.home.rglob("*") if p.is_file()}

    before = files()
    done = run("doctor", "--json")
    assert done.code == 0
    sound, threads = found(done, "database")
    assert sound[1].startswith(f"{file}: sound, ")
    assert f"tables of version {schema.VERSION}" in sound[1]
    assert threads[1] == "1 thread: 1 waiting"
    assert files() == before


def change(file: Path, statement: str) -> None:
    connection = sqlite3.connect(file)
    connection.execute(statement)
    connection.commit()
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


@pytest.fixture
def graph(run: Runner) -> Path:
    """The file of a graph with one goal; nobody has it open."""
    if UNCONFINED:
        pytest.skip(UNCONFINED)
    with closing(open_graph(run.home)) as store:
        store.apply([AddNode("A", "a")], goal=store.begin_goal("add a", key="k").id, key="1")
    return run.home / "graph" / "graph.db"


def test_a_graph_is_looked_over_and_left_alone(run: Runner, graph: Path) -> None:
    before = {file: file.read_bytes() for file in graph.parent.iterdir()}
    done = run("doctor", "--json")
    ((level, message, _),) = found(done, "graph")
    assert (done.code, level) == (0, "ok")
    assert message.startswith(f"{graph}: sound, ")
    assert message.endswith("1 goal in its journal")
    assert {file: file.read_bytes() for file in graph.parent.iterdir()} == before


def no_graphs(file: Path) -> None:
    change(file, "PRAGMA application_id = 1")


def later_graph(file: Path) -> None:
    change(file, "UPDATE graphwright_meta SET value = 99 WHERE name = 'format'")


def test_a_spoilt_graph_is_a_problem(run: Runner, graph: Path) -> None:
    content = graph.read_bytes()
    for spoil, says in (
        (damage, "is damaged"),
        (garbage, "is damaged"),
        (no_graphs, "another program"),
        (later_graph, "another version"),
    ):
        spoil(graph)
        done = run("doctor", "--json")
        ((level, message, hint),) = found(done, "graph")
        assert (done.code, level, says in message, bool(hint)) == (1, "problem", True, True)
        graph.write_bytes(content)


def test_an_empty_file_is_no_graph_yet_and_told_so(run: Runner, graph: Path) -> None:
    graph.write_bytes(b"")
    done = run("doctor", "--json")
    ((level, message, hint),) = found(done, "graph")
    assert (done.code, level, message) == (0, "warning", f"{graph} is an empty file.")
    assert "backup" in hint


@pytest.mark.parametrize("scheme", ["bolt", "neo4j"])
def test_a_server_that_does_not_answer_is_a_problem_soon_and_no_secret_is_told(
    run: Runner, monkeypatch: pytest.MonkeyPatch, scheme: str
) -> None:
    monkeypatch.setenv("NEO4J_USERNAME", "somebody")
    with socket.create_server(("127.0.0.1", 0)) as mute:
        place = f"127.0.0.1:{mute.getsockname()[1]}"
        monkeypatch.setenv("GRAPHWRIGHT_GRAPH", f"{scheme}://me:hidden-word@{place}")
        begun = time.monotonic()
        done = run("doctor", "--json")
        assert time.monotonic() - begun < 90
    ((level, message, _),) = found(done, "graph")
    assert (done.code, level) == (1, "problem")
    assert f"Neo4j at {scheme}://{place} cannot be reached" in message
    assert ("ok", "The environment sets GRAPHWRIGHT_HOME, GRAPHWRIGHT_GRAPH and NEO4J_USERNAME.", "") in found(
        done, "configuration"
    )
    assert "hidden-word" not in done.out + done.err
    assert "somebody" not in done.out + done.err


def test_what_the_graph_editor_cannot_be_set_to_is_a_problem(run: Runner, tmp_path: Path) -> None:
    file = tmp_path / "graphwright.toml"
    file.write_text('[agents.graph_editor]\nconfirm = "never"\nconfirms = 3\n', "utf-8")
    done = run("doctor", "--json")
    assert done.code == 1
    assert [(message, hint) for level, message, hint in found(done, "agents") if level == "problem"] == [
        (
            f'{file}: confirm of [agents.graph_editor] is "never": it must be one of always, unsupported, destructive.',
            'It is which changes wait for a yes: always, unsupported or destructive. For example: confirm = "always"',
        ),
        (
            f"{file}: [agents.graph_editor] has no setting 'confirms'.",
            "Did you mean `confirm`?",
        ),
    ]
    file.write_text('[agents.graph_editor]\nconfirm = "destructive"\n', "utf-8")
    assert run("doctor", "--json").code == 0


def test_settings_of_an_agent_that_is_not_there_are_a_warning(run: Runner, tmp_path: Path) -> None:
    file = tmp_path / "graphwright.toml"
    file.write_text("[agents.graph_editr]\nquestion_expires_hours = 3\n", "utf-8")
    done = run("doctor", "--json")
    assert done.code == 0
    assert f"{file} has settings for 'graph_editr', which is no agent listed here." in [
        message for level, message, _ in found(done, "agents") if level == "warning"
    ]


def test_threads_in_the_middle_of_a_turn_are_told(run: Runner, tmp_path: Path) -> None:
    file = begin(run, tmp_path)
    change(file, "UPDATE gw_threads SET status = 'running'")
    done = run("doctor", "--json")
    assert done.code == 0
    assert found(done, "database")[-1][:2] == ("warning", "A turn was cut short: t.")
    with lock_file(run.home / "locks", "t").open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert found(run("doctor", "--json"), "database")[-1] == ("ok", "In the middle of a turn: t.", "")


def test_a_database_in_use_is_looked_over_too(run: Runner, tmp_path: Path) -> None:
    file = begin(run, tmp_path)
    connection = sqlite3.connect(file)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("UPDATE gw_threads SET status = 'ended'")
    connection.commit()
    done = run("doctor", "--json")
    assert done.code == 0
    assert found(done, "database")[1][1] == "1 thread: 1 ended"
    connection.close()


def damage(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[4096 : len(content) - 4096] = bytes(len(content) - 8192)
    file.write_bytes(content)


def garbage(file: Path) -> None:
    file.write_bytes(b"this is no database at all, but long enough to be one" * 100)


def newer(file: Path) -> None:
    change(file, "UPDATE gw_meta SET value = '99' WHERE key = 'schema'")


def foreign(file: Path) -> None:
    file.unlink()
    change(file, "CREATE TABLE theirs (id INTEGER)")


def unstamped(file: Path) -> None:
    change(file, "DELETE FROM gw_meta")


def a_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (damage, "damaged"),
        (garbage, "not a SQLite database"),
        (newer, "newer Graphwright"),
        (foreign, "another program"),
        (unstamped, "which version"),
        (a_folder, "cannot be read"),
    ],
)
def test_a_spoilt_database_is_a_problem(run: Runner, tmp_path: Path, spoil: Any, says: str) -> None:
    file = begin(run, tmp_path)
    spoil(file)
    done = run("doctor", "--json")
    assert done.code == 1
    ((level, message, hint),) = found(done, "database")
    assert level == "problem"
    assert says in message
    assert hint


def test_an_empty_database_file_is_no_problem(run: Runner) -> None:
    run.home.mkdir()
    (run.home / "graphwright.db").touch()
    done = run("doctor", "--json")
    assert done.code == 0
    assert found(done, "database")[-1][1] == "0 threads"


def test_a_data_folder_that_cannot_be_is_a_problem(
    run: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("GRAPHWRIGHT_HOME", str(tmp_path / "file/home"))
    done = run("doctor", "--json")
    assert done.code == 1
    assert found(done, "data")[0][0] == "problem"


# Root may read everything, so a process that runs as root gives its rights away: after a first look, which loads all
# that the second one needs.
_UNPRIVILEGED = f"""
{BECOME_NOBODY}
import contextlib, io, sys
from graphwright.cli.app import run
os.environ["GRAPHWRIGHT_HOME"] = sys.argv[1]
with contextlib.redirect_stdout(io.StringIO()):
    run(["doctor", "--json"])
become_nobody()
os.environ["GRAPHWRIGHT_HOME"] = sys.argv[2]
sys.exit(run(["doctor", "--json"]))
"""


@pytest.mark.skipif(os.name == "nt", reason="POSIX permissions")
def test_an_unreadable_data_folder_is_a_problem(reachable: Path) -> None:
    fine, shut = reachable / "fine", reachable / "shut"
    fine.mkdir(0o755)
    shut.mkdir(0)
    script = [sys.executable, "-c", _UNPRIVILEGED, str(fine), str(shut)]
    done = subprocess.run(script, capture_output=True, text=True, timeout=120, check=False)
    shut.chmod(0o700)
    assert done.returncode == 1, done.stderr
    outcome = Outcome(done.returncode, done.stdout, done.stderr)
    assert {found(outcome, check)[0][0] for check in ("data", "database")} == {"problem"}


def test_a_bad_configuration_is_one_problem(run: Runner, tmp_path: Path) -> None:
    (tmp_path / "graphwright.toml").write_text("model = ", "utf-8")
    done = run("doctor", "--json")
    assert done.code == 1
    problems = [f for f in done.json if f["level"] == "problem"]
    assert [f["check"] for f in problems] == ["configuration"]
    assert "not valid TOML" in problems[0]["message"]


def test_the_configuration_that_holds_is_named(run: Runner, tmp_path: Path) -> None:
    file = tmp_path / "graphwright.toml"
    file.write_text('[flows."flow.unknown".path_policy]\ndecay = 1', "utf-8")
    done = run("doctor", "--json")
    assert done.code == 0
    assert found(done, "configuration")[0] == ("ok", str(file), "")
    assert any("'flow.unknown', which is no flow" in message for _, message, _ in found(done, "agents"))


def test_a_key_is_named_and_never_shown(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHWRIGHT_MODEL", "openai:gpt-5")
    lacking = run("doctor", "--json")
    assert lacking.code == 1
    assert "OPENAI_API_KEY" in found(lacking, "model")[0][2]
    monkeypatch.setenv("OPENAI_API_KEY", "a-most-secret-key-123")
    done = run("doctor", "--json")
    assert found(done, "model") == [("ok", "openai:gpt-5: OPENAI_API_KEY is set", "")]
    assert "secret" not in done.out + done.err


@pytest.mark.parametrize(
    ("spec", "says"),
    [("nobody:model", "no model provider"), ("embedded:/nowhere.gguf", "no model file"), ("scripted:", "needs a file")],
)
def test_a_model_that_cannot_be_had_is_a_problem(
    run: Runner, monkeypatch: pytest.MonkeyPatch, spec: str, says: str
) -> None:
    monkeypatch.setenv("GRAPHWRIGHT_MODEL", spec)
    done = run("doctor", "--json")
    assert done.code == 1
    assert says in found(done, "model")[0][1]


def test_half_an_embedded_model_is_a_problem(run: Runner) -> None:
    file = pull.status(run.home).path
    file.parent.mkdir(parents=True)
    file.write_bytes(b"GGUF")
    done = run("doctor", "--json")
    assert done.code == 1
    assert "wrong size" in found(done, "model")[0][1]


def test_the_sandbox_is_tried(run: Runner) -> None:
    levels = {level for level, _, _ in found(run("doctor", "--json"), "sandbox")}
    if available().missing:
        assert levels == {"warning"}
    else:
        ((level, message, _),) = found(run("doctor", "--json"), "sandbox")
        assert level == "ok"
        assert message.startswith("landlock+seccomp (Landlock ")


def test_a_machine_that_confines_nothing_is_a_warning(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    done = run("doctor", "--json")
    ((level, message, hint),) = found(done, "sandbox")
    assert (done.code, level) == (0, "warning")
    assert "on Linux only" in message
    assert "WSL 2" in hint


def test_a_sandbox_that_leaks_is_a_problem(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    def leaks() -> str:
        raise SandboxUnavailable("self-test", "a confined process could write outside.", "Do not rely on it.")

    monkeypatch.setattr("graphwright.sandbox.self_test", leaks)
    monkeypatch.setattr("graphwright.sandbox.available", lambda: Availability("landlock+seccomp", 7, ()))
    done = run("doctor", "--json")
    ((level, message, _),) = found(done, "sandbox")
    assert (done.code, level) == (1, "problem")
    assert "could write outside" in message


def test_telemetry_is_told_where_it_is_on(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(run("doctor", "--json"), "telemetry") == []
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "console")
    ((level, message, _),) = found(run("doctor", "--json"), "telemetry")
    assert "traces" in message
    assert level in ("ok", "problem")


def test_a_check_that_fails_unforeseen_is_a_problem(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> Any:
        raise ZeroDivisionError("never heard of")

    monkeypatch.setitem(doctor.CHECKS, "python", broken)
    done = run("doctor", "--json")
    assert done.code == 1
    ((level, message, _),) = found(done, "python")
    assert (level, "ZeroDivisionError" in message) == ("problem", True)
    assert found(done, "agents")


def test_broken_agents_of_packages_are_problems(tmp_path: Path) -> None:
    info = tmp_path / "site/acme-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n", "utf-8")
    (info / "entry_points.txt").write_text("[graphwright.agents]\ndesk = acme.desk\n", "utf-8")
    done = program("doctor", "--json", home=tmp_path / "home", PYTHONPATH=str(tmp_path / "site"))
    assert done.code == 1
    assert [message for level, message, _ in found(done, "agents") if level == "problem"] == [
        "The agent 'desk' of acme 1.0 cannot be used: there is no package 'acme'."
    ]


# What the assistant is connected with


def configured(tmp_path: Path, settings: str) -> None:
    (tmp_path / "graphwright.toml").write_text(f"[agents.assistant]\n{settings}\n", "utf-8")


def test_without_logbook_and_embeddings_nothing_is_said_of_them(run: Runner) -> None:
    done = run("doctor", "--json")
    assert found(done, "logbook") == found(done, "embeddings") == []


def test_a_logbook_is_asked_for_its_newest_entry(run: Runner, tmp_path: Path) -> None:
    server = FakeElogd()
    with serving(server):
        configured(tmp_path, f'elog = "{server.address}"')
        assert found(run("doctor", "--json"), "logbook") == [("ok", f"{server.address}: has no entries yet", "")]
        server.post(1, "2026-03-10T08:00:00", "Beam lost.")
        assert found(run("doctor", "--json"), "logbook") == [("ok", f"{server.address}: can be read", "")]


def test_a_logbook_that_cannot_be_read_is_a_warning(
    run: Runner, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    server = FakeElogd(users={"reader": "hidden-word"})
    with serving(server):
        configured(tmp_path, f'elog = "{server.address}"')
        ((level, message, hint),) = found(run("doctor", "--json"), "logbook")
        assert level == "warning"
        assert "GRAPHWRIGHT_ELOG_USER" in message + hint
        monkeypatch.setenv("GRAPHWRIGHT_ELOG_USER", "reader")
        monkeypatch.setenv("GRAPHWRIGHT_ELOG_PASSWORD", "hidden-word")
        done = run("doctor", "--json")
        assert [level for level, _, _ in found(done, "logbook")] == ["ok"]
        assert "hidden-word" not in done.out + done.err
    ((level, message, _),) = found(run("doctor", "--json"), "logbook")
    assert level == "warning"
    assert server.address in message


def test_a_logbook_or_a_model_that_hangs_is_told_soon(
    run: Runner, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(doctor, "SOON", 0.2)
    never = threading.Event()
    monkeypatch.setattr("graphwright.retrieval.chosen_embedder", lambda: Vectors(never))
    with socket.create_server(("127.0.0.1", 0)) as mute:
        address = f"http://127.0.0.1:{mute.getsockname()[1]}/Operation"
        configured(tmp_path, f'elog = "{address}"')
        done = run("doctor", "--json")
    never.set()
    ((level, message, _),) = found(done, "logbook")
    assert (level, message) == ("warning", f"{address} has not answered within 0.2 s.")
    ((level, message, _),) = found(done, "embeddings")
    assert (level, message) == ("warning", "test:vectors has not answered within 0.2 s.")


def test_a_folder_of_documents_that_is_not_there_is_a_warning(run: Runner, tmp_path: Path) -> None:
    assert found(run("doctor", "--json"), "documents") == []
    configured(tmp_path, 'knowledge = "nothere"')
    ((level, message, hint),) = found(run("doctor", "--json"), "documents")
    assert level == "warning"
    assert str(tmp_path / "nothere") in message
    assert "knowledge" in hint
    (tmp_path / "nothere").write_text("a file")
    ((level, message, _),) = found(run("doctor", "--json"), "documents")
    assert (level, message.endswith("Not a directory.")) == ("warning", True)


def test_a_folder_of_documents_is_told_with_what_is_indexed_of_it(run: Runner, tmp_path: Path) -> None:
    configured(tmp_path, 'knowledge = "docs"')
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# Pumps\n\nThey pump.")
    ((level, message, hint),) = found(run("doctor", "--json"), "documents")
    assert (level, message) == ("ok", f"{tmp_path / 'docs'}: not indexed yet")
    assert "graphwright knowledge index" in hint
    assert not (run.home / "knowledge").exists()
    assert run("knowledge", "search", "pumps").code == 0
    ((level, message, _),) = found(run("doctor", "--json"), "documents")
    assert (level, message) == ("ok", f"{tmp_path / 'docs'}: 1 page, indexed {date_of_today()}")


def date_of_today() -> str:
    return datetime.now(UTC).date().isoformat()


class Vectors:
    """A model of embeddings that answers when it may."""

    name = "test:vectors"

    def __init__(self, may: threading.Event) -> None:
        self._may = may

    def query(self, text: str) -> list[float]:
        self._may.wait()
        return [0.0, 1.0, 0.0]


def test_embeddings_are_asked_for_a_vector(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    may = threading.Event()
    may.set()
    monkeypatch.setattr("graphwright.retrieval.chosen_embedder", lambda: Vectors(may))
    assert found(run("doctor", "--json"), "embeddings") == [("ok", "test:vectors: vectors of 3 numbers", "")]


@pytest.mark.parametrize("spec", ["bge-m3", "nobody:bge-m3"])
def test_embeddings_that_cannot_be_had_are_a_warning(run: Runner, monkeypatch: pytest.MonkeyPatch, spec: str) -> None:
    monkeypatch.setenv("GRAPHWRIGHT_EMBEDDINGS", spec)
    done = run("doctor", "--json")
    ((level, message, hint),) = found(done, "embeddings")
    assert level == "warning"
    assert spec in message
    assert hint
    named = "The environment sets GRAPHWRIGHT_HOME and GRAPHWRIGHT_EMBEDDINGS."
    assert ("ok", named, "") in found(done, "configuration")


def test_embeddings_of_the_configuration_file_are_no_unknown_setting(run: Runner, tmp_path: Path) -> None:
    configured(tmp_path, 'embeddings = "nobody:bge-m3"')
    done = run("doctor", "--json")
    assert [level for level, _, _ in found(done, "embeddings")] == ["warning"]
    assert not [message for level, message, _ in found(done, "agents") if level == "problem"]
