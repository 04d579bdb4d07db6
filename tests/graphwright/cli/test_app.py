"""The program: its imports, exit codes, pipes and signals; and its errors for people and for programs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cli_support import FLOW, Runner, environment, program
from graphwright.cli.commands import Commands

HEAVY = ("langchain", "langchain_core", "langgraph", "sqlalchemy", "xllamacpp", "aiosqlite", "antlr4", "graphqlite")


def test_nothing_heavy_is_imported(tmp_path: Path) -> None:
    (tmp_path / "flow.yaml").write_text(FLOW, "utf-8")
    script = (
        "import sys\nfrom graphwright.cli._app import run\n"
        "for line in ('--help', 'check flow.yaml', 'draw flow.yaml', 'graph query -h', 'agents --json'):\n"
        f"    print(run(line.split()), [m for m in {HEAVY!r} if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == "0 []\n" * 5


OF_A_MODEL = ("langchain", "langchain_core", "langsmith", "openai", "fastmcp", "mcp", "fastapi", "pandas", "duckdb")


def test_help_and_check_import_only_what_they_need(tmp_path: Path) -> None:
    (tmp_path / "flow.yaml").write_text(FLOW, "utf-8")
    script = (
        "import sys\nfrom graphwright.cli._app import run\n"
        "for line in ('--help', 'check flow.yaml'):\n    run(line.split())\n"
        "    known = {name.split('.')[1] for name in sys.modules if name.startswith('graphwright.')}\n"
        "    print(sorted(known & {'context', 'engine', 'flow', 'models', 'store', 'tools'}), file=sys.stderr)"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=tmp_path, env=environment(tmp_path), capture_output=True, text=True, check=True)
    assert done.stderr.splitlines()[-2:] == ["[]", "['context', 'flow']"]


def test_a_turn_without_a_model_imports_nothing_of_models_and_of_other_doors(tmp_path: Path) -> None:
    (tmp_path / "flow.yaml").write_text(FLOW, "utf-8")
    lines = (
        ["ask", "intake", "hello", "--thread", "t", "--model", "none"],
        ["resume", "t", "--value", '"service"'],
        *(["threads"], ["threads", "show", "t"], ["threads", "trace", "t"], ["agents"]),
    )
    script = (
        "import sys\nfrom graphwright.cli._app import run\n"
        f"for line in {lines!r}:\n    code = run(line)\n"
        f"    print(code, [m for m in {OF_A_MODEL!r} if m in sys.modules], file=sys.stderr)"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=tmp_path, env=environment(tmp_path), capture_output=True, text=True, check=True)
    counted = [line for line in done.stderr.splitlines() if line[1:3] == " ["]
    assert counted == ["3 []", "3 []", "0 []", "0 []", "0 []", "0 []"]


def test_help_names_every_command(run: Runner) -> None:
    done = run("--help")
    assert done.code == 0
    for command in Commands(name="graphwright").list_commands(None):
        assert f"\n  {command} " in done.out
        assert run(command, "--help").code == 0
    assert run("--version").out.startswith("graphwright 0.")
    for group in ((), ("threads",), ("upgrade",)):
        assert "...\n" not in run(*group, "--help").out.split("Commands:")[1]


def test_an_unknown_command_suggests_others(run: Runner) -> None:
    assert "Did you mean 'check'?" in run("chekc").err
    assert "Did you mean 'graph'?" in run("grap").err


def test_an_unknown_agent_suggests_other_folders(run: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rooms").mkdir()
    (tmp_path / "rooms/flow.yaml").write_text(FLOW, "utf-8")
    monkeypatch.chdir(tmp_path)
    assert "Did you mean './rooms'?" in run("ask", "room", "hello").err
    assert "Did you mean 'intake'?" in run("ask", "intak", "hello").err


def test_the_shell_completes_commands(tmp_path: Path) -> None:
    asked = {"_GRAPHWRIGHT_COMPLETE": "complete_bash", "COMP_WORDS": "graphwright thr", "COMP_CWORD": "1"}
    command = [sys.executable, "-c", "from graphwright.cli import main; main()"]
    done = subprocess.run(command, env=environment(tmp_path) | asked, capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("threads\n", 0)


@pytest.mark.slow
def test_a_reader_that_leaves_ends_the_program_quietly(tmp_path: Path) -> None:
    (tmp_path / "many.yaml").write_text("version: v1\nid: x\nnodes:\n" + "  - {id: a, x: 1}\n" * 20_000, "utf-8")
    command = f"{sys.executable} -m graphwright.cli check --json many.yaml | head -1"
    done = subprocess.run(
        command, shell=True, cwd=tmp_path, env=environment(tmp_path), capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("[\n", "")


def test_an_ascii_terminal_does_not_end_the_program(tmp_path: Path) -> None:
    (tmp_path / "flow.yaml").write_text(FLOW.replace("Good,", "Größe 灯"), "utf-8")
    done = program("draw", tmp_path, home=tmp_path, PYTHONIOENCODING="ascii")
    assert (done.code, "Gr??e ?" in done.out) == (0, True)
    as_json = program("draw", tmp_path, "--format", "json", home=tmp_path, PYTHONIOENCODING="ascii")
    assert "Größe 灯" in str(as_json.json)


def test_an_interruption_is_one_line_or_on_demand_a_traceback(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Traceback" in run("draw", "nope.yaml", "--debug").err
    assert "Traceback" in run("--debug", "draw", "nope.yaml").err

    def interrupted(_: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("graphwright.cli._flows.read_source", interrupted)
    done = run("check", "-")
    assert (done.code, done.err) == (130, "Interrupted.\n")


# failures


ACTION_FLOW = """\
version: v1
id: flow.work
nodes:
  - {id: q.what, type: question, key: what, prompt: What shall be done?, read: verbatim}
  - {id: work, type: action, run: work, timeout: 60}
  - {id: done, type: terminal, say: "Did {{ answers.what }}."}
edges:
  - {from: q.what, to: work}
  - {from: work, to: done}
"""

ACTION = """\
import sys, time
from graphwright import action

print("printed by the module")

@action(reads=["answers"])
def work(state, ctx):
    print("printed by the action")
    what = state["answers"]["what"]
    if what == "exit":
        sys.exit(5)
    if what == "raise":
        raise ValueError("no such table")
    if what == "late":
        time.sleep(0.6)
    if what == "loop":
        while True:
            time.sleep(0.01)
"""


@pytest.fixture
def worker(tmp_path: Path) -> Path:
    return make(tmp_path / "worker", ACTION)


@pytest.fixture
def hasty(tmp_path: Path) -> Path:
    """The same agent with a short time limit."""
    return make(tmp_path / "hasty", ACTION, ACTION_FLOW.replace("timeout: 60", "timeout: 0.2"))


def make(folder: Path, python: str | bytes, flow: str = ACTION_FLOW) -> Path:
    folder.mkdir()
    (folder / "flow.yaml").write_text(flow, "utf-8")
    (folder / "nodes.py").write_bytes(python if isinstance(python, bytes) else python.encode())
    return folder


def paragraph(err: str) -> str:
    """The printed error: one line that follows the rules for messages."""
    (line,) = [line for line in err.splitlines() if line.startswith("Error: ")]
    assert line.endswith("]")
    assert "Traceback" not in err
    return line


FAILURES = [
    (2, "ask", "nope", "hi"),
    (2, "ask", "nope.yaml", "hi"),
    (2, "ask", "folder", "hi"),
    (1, "ask", "junk.yaml", "hi"),
    (1, "ask", "empty.yaml", "hi"),
    (2, "ask", "small.yaml", " "),
    (2, "ask", "small.yaml", "hi", "--jsonl"),
    (2, "ask", "small.yaml", "hi", "--model", "nope:model"),
    (2, "ask", "small.yaml", "hi", "--model", "embedded:folder"),
    (1, "ask", "small.yaml", "hi", "--model", "embedded:junk.yaml"),
    (2, "ask", "small.yaml", "hi", "--model", "scripted:junk.yaml"),
    (2, "resume", "nope", "--approve"),
    (2, "resume", "nope"),
    (2, "resume", "nope", "--approve", "--reject"),
    (2, "resume", "nope", "--value", "{not json"),
    (2, "agents", "nope"),
    (2, "ask"),
    (2, "threads", "show"),
    (2, "ask", "intake", "hi", "--nope"),
    (2, "threads", "show", "nope"),
]


@pytest.mark.parametrize("case", FAILURES, ids=lambda case: " ".join(case[1:]))
def test_a_failure_is_one_paragraph_and_one_json_value(
    run: Runner, case: tuple[int, *tuple[str, ...]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "junk.yaml").write_bytes(bytes(range(256)))
    (tmp_path / "empty.yaml").touch()
    (tmp_path / "small.yaml").write_text(FLOW, "utf-8")
    code, *args = case
    done = run(*args, "--json")
    assert done.code == code
    assert done.json["status"] == "failed"
    error = done.json["error"]
    if error["code"] == "usage":
        assert "Usage: graphwright" in done.err
    else:
        assert f"[{error['code']}]" in paragraph(done.err)
        assert error["hint"]


def test_check_answers_wrong_usage_with_findings(run: Runner) -> None:
    for args in ((), ("--nope",), ("nope.yaml",)):
        done = run("check", "--json", *args)
        assert (done.code, [finding["severity"] for finding in done.json]) == (2, ["error"])


def test_output_of_an_agent_is_separate_from_the_result(run: Runner, worker: Path) -> None:
    done = run("ask", worker, "it", "--json")
    assert (done.code, done.json["reply"], "printed by the action" in done.err) == (0, "Did it.", True)
    assert run("chat", worker, stdin="it\n").out == "What shall be done?\nDid it.\n"


@pytest.mark.parametrize("name", [".", "tests/..", "../worker"])
def test_an_agent_is_called_by_its_folder_however_it_is_named(
    run: Runner, worker: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (worker / "tests").mkdir()
    monkeypatch.chdir(worker)
    assert run("ask", name, "it", "--json").json["agent"] == "worker"
    assert run("threads", "--json").json[0]["agent"] == str(worker)


@pytest.mark.parametrize("what", ["exit", "raise", "late"])
def test_an_action_that_fails_fails_the_turn_alone(run: Runner, hasty: Path, what: str) -> None:
    done = run("ask", hasty, what, "--thread", "t1", "--json")
    assert (done.code, done.json["error"]["code"]) == (1, "action_failed")
    assert "[action_failed]" in paragraph(done.err)
    assert run("threads", "show", "t1", "--json").json["status"] == "failed"


@pytest.mark.parametrize(
    ("python", "code"),
    [
        ("@action(reads=['answers']\ndef work(state, ctx): pass\n", "bad_python"),
        (ACTION.encode() + b"\0", "bad_python"),
        (ACTION.encode() + "x = 'Größe'\n".encode("latin-1"), "bad_python"),
        (ACTION + "raise RuntimeError('no database')\n", "agent_import"),
        (ACTION + "sys.exit(3)\n", "agent_import"),
        ("x = 1\n", "flow_invalid"),
    ],
)
def test_python_that_cannot_be_used(run: Runner, tmp_path: Path, python: str | bytes, code: str) -> None:
    folder = make(tmp_path / "bad", python)
    done = run("ask", folder, "it", "--json")
    assert (done.code, done.json["error"]["code"]) == (1, code)
    assert str(folder) in paragraph(done.err)
    if code == "agent_import":
        assert f"(nodes.py:{ACTION.count(chr(10)) + 1})" in paragraph(done.err)
    if code == "bad_python":
        finding = run("check", folder, "--json").json[0]
        assert (finding["code"], finding["file"]) == ("python", str(folder / "nodes.py"))
        assert f"{folder / 'nodes.py'}:{finding['line']}:" in done.err


@pytest.mark.slow
def test_an_action_that_never_returns_does_not_keep_the_program(hasty: Path, tmp_path: Path) -> None:
    done = program("ask", hasty, "loop", home=tmp_path / "home")
    assert (done.code, "It took longer than 0.2 s" in done.err) == (1, True)


@pytest.mark.slow
def test_streams_that_are_closed(tmp_path: Path) -> None:
    (tmp_path / "flow.yaml").write_text(FLOW, "utf-8")
    for redirection, code in ((">&-", 3), ("2>&-", 3), ("<&-", 3), ("> /dev/full", 1)):
        command = f"{sys.executable} -m graphwright.cli ask {tmp_path} Anna {redirection}"
        done = subprocess.run(
            command, shell=True, env=environment(tmp_path / "home"), capture_output=True, text=True, check=False
        )
        assert done.returncode == code, redirection
        assert "Traceback" not in done.stderr
        assert "Exception ignored" not in done.stderr


@pytest.mark.parametrize(
    ("line", "unbuffered"),
    [("--help", ""), ("--help", "1"), ("agents --json", "")],
)
def test_output_that_cannot_be_written_is_reported_once(tmp_path: Path, line: str, unbuffered: str) -> None:
    variables = environment(tmp_path, PYTHONUNBUFFERED=unbuffered)
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "graphwright.cli", *line.split()]
        done = subprocess.run(command, env=variables, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr.count("No space left on device")) == (1, 1)
