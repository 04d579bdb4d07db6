"""`graphwright ask`, `resume`, and `chat` over a pipe: results, exit codes, JSON, and invalid requests."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from cli_support import FLOW, Runner, environment
from crash_support import Tell, forked
from graphwright.cli import conversation
from graphwright.store import open_store
from waiting_support import until

EXTRACT = """\
version: v1
id: flow.extract
nodes:
  - {id: q.city, type: question, key: city, prompt: Which city?}
  - {id: end, type: terminal, say: "{{ answers.city }} it is."}
edges:
  - {from: q.city, to: end}
"""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    file = tmp_path / "small.yaml"
    file.write_text(FLOW, "utf-8")
    return file


ACT = """\
version: v1
id: x
state:
  secret: {type: string, default: '', private: true}
nodes:
  - {id: a, type: action, run: act}
  - {id: end, type: terminal}
edges:
  - {from: a, to: end}
"""


def acting(folder: Path, action: str) -> Path:
    """An agent that performs one action, `act`."""
    (folder / "flow.yaml").write_text(ACT, "utf-8")
    (folder / "nodes.py").write_text(f"from graphwright import action\n\n{action}", "utf-8")
    return folder


def script(folder: Path, *rules: dict[str, object]) -> str:
    file = folder / "script.json"
    file.write_text(json.dumps(list(rules)), "utf-8")
    return f"scripted:{file}"


def test_a_conversation_over_several_commands(run: Runner, small: Path) -> None:
    first = run("ask", small, "Anna", "--thread", "t1")
    assert (first.code, first.out) == (3, "Anna, are you sure?\n")
    for told in ("thread t1", "q.sure", f"graphwright ask {small} TEXT --thread t1", "model embedded"):
        assert told in first.err
    last = run("ask", small, "yes", "--thread", "t1", "--model", (spec := script(small.parent)))
    assert (last.code, last.out, "ended" in last.err, f"model {spec}" in last.err) == (0, "Good, Anna.\n", True, True)
    turn = run("ask", small, "-", "--json", stdin="Zoë\n").json
    assert list(turn) == [
        *("thread", "agent", "status", "reply", "waiting_for", "path", "values", "artifacts", "usage", "error")
    ]
    assert (turn["waiting_for"]["kind"], turn["reply"]) == ("confirm", "Zoë, are you sure?")
    assert (turn["path"], turn["values"]) == (["q.name", "q.sure"], {"answers": {"name": "Zoë"}})


def test_jsonl_gives_the_events_and_ends_with_the_turn_even_without_events(run: Runner, small: Path) -> None:
    done = run("ask", small, "Anna", "--jsonl")
    events = [json.loads(line) for line in done.out.splitlines()]
    assert (done.code, events[0]["type"], events[-1]["type"]) == (3, "turn_started", "turn_ended")
    assert {"node_entered", "answer_committed", "edge_taken"} <= {event["type"] for event in events}
    done = run("ask", "nope", "Anna", "--jsonl")
    (event,) = [json.loads(line) for line in done.out.splitlines()]
    assert done.code == 2
    assert (event["type"], event["status"], event["error"]["code"]) == ("turn_ended", "failed", "unknown_agent")


def test_private_channels_stay_out_of_the_events(run: Runner, tmp_path: Path) -> None:
    acting(tmp_path, "@action(writes=['secret'])\ndef act(state, ctx):\n    return {'secret': 'hunter2'}\n")
    done = run("ask", tmp_path, "go", "--jsonl")
    assert (done.code, "hunter2" in done.out) == (0, False), done.err


def test_a_thread_that_no_message_continues_is_not_offered_one(run: Runner, tmp_path: Path) -> None:
    broken = '@action(writes=["secret"])\ndef act(state, ctx):\n    return {"secret": 5}\n'
    done = run("ask", acting(tmp_path, broken), "go", "--thread", "t")
    assert "bad_channel_value" in done.err
    assert "No message continues this thread" in done.err
    assert "Go on with" not in done.err


def test_an_empty_text_is_a_usage_error(run: Runner, small: Path) -> None:
    for text, stdin in (("  \n", b""), ("-", b" \n"), ("-", b"\xff\xfe\x00")):
        done = run("ask", small, text, "--json", stdin=stdin)
        assert (done.code, done.json["status"]) == (2, "failed")
    assert not run.home.exists()


def test_what_a_model_says_cannot_drive_the_terminal(run: Runner, small: Path) -> None:
    done = run("ask", small, "[bold]A\x1b[31m\x07nna[/nope]")
    assert (done.code, "\x1b" in done.out, "\x07" in done.out) == (3, False, False)
    assert "[bold]A" in done.out
    assert "[/nope]" in done.out


def test_an_unavailable_model_is_an_error_with_hints(run: Runner, tmp_path: Path) -> None:
    file = tmp_path / "extract.yaml"
    file.write_text(EXTRACT, "utf-8")
    done = run("ask", file, "Paris", "--thread", "m", "--json")
    assert (done.code, done.json["error"]["code"]) == (1, "embedded_model_missing")
    assert "graphwright model pull" in done.err
    # The thread has lost nothing: with a model it continues.
    call = {"UpdateAnswers": {"answers": [{"key": "city", "value": "Paris", "quote": "Paris"}]}}
    mended = run("ask", file, "Paris", "--thread", "m", "--model", script(tmp_path, {"call": call}), "--json")
    assert (mended.code, mended.json["reply"]) == (0, "Paris it is."), mended.err


def test_open_shows_figures_and_runs_nothing(run: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["one.png", "one.html", "two.PNG", "analysis.py", "run", "table.csv", "page.desktop", "x.html.exe"]
    acting(
        tmp_path,
        "@action(reads=['message'])\ndef act(state, ctx):\n"
        f"    for name in [] if 'nothing' in state['message'] else {names}:\n"
        "        ctx.artifact('/somewhere/' + name, kind='made')\n",
    )
    opened: list[str] = []
    monkeypatch.setattr("typer.launch", lambda path: opened.append(path) or path.endswith(".PNG"))
    done = run("ask", tmp_path, "go", "--open")
    assert "made one.png: /somewhere/one.png" in done.err
    assert sorted(opened) == ["/somewhere/one.html", "/somewhere/two.PNG"]
    assert "two.PNG cannot be opened" in done.err
    assert "no figure to open" in run("ask", tmp_path, "nothing", "--open").err


def test_resume_answers_without_a_model_from_any_folder(
    run: Runner, small: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(small.parent)
    for thread in ("t1", "t2", "t3"):
        assert f"graphwright resume {thread} --approve" in run("ask", small.name, "Anna", "--thread", thread).err
    monkeypatch.chdir("/")
    deep = run("resume", "t1", "--value", "[" * 5000 + "]" * 5000)
    assert (deep.code, "[not_json]" in deep.err, len(deep.err) < 1000) == (2, True, True)
    assert run("resume", "t1", "--value", "true").out == "Good, Anna.\n"
    assert run("resume", "t2", "--reject", "--json").json["reply"] == "Then not."
    moved = small.rename(tmp_path / "moved.yaml")
    gone = run("resume", "t3", "--approve", "--json")
    assert (gone.code, gone.json["error"]["code"], str(small) in gone.err) == (2, "agent_not_found", True)
    assert run("ask", moved, "yes", "--thread", "t3").out == "Good, Anna.\n"


def test_threads_that_do_not_fit_are_usage_errors(run: Runner, small: Path, tmp_path: Path) -> None:
    run("ask", small, "Anna", "--thread", "t1")
    run("ask", small, "yes", "--thread", "t1")
    done = run("resume", "t1", "--approve", "--json")
    assert (done.code, done.json["error"]["code"]) == (2, "nothing_waits")
    other = tmp_path / "other.yaml"
    other.write_text(EXTRACT, "utf-8")
    assert run("ask", other, "Anna", "--thread", "t1").code == 2
    for thread in ("x" * 300, "", "-t", "a\nb", "a\x1bb"):
        done = run("ask", small, "Anna", "--thread", thread, "--json")
        assert (done.code, done.json["error"]["code"]) == (2, "bad_thread"), thread


def test_a_data_folder_that_cannot_be_used(run: Runner, small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run.home.write_text("I am a file", "utf-8")
    for home in (run.home, run.home / "below"):
        monkeypatch.setenv("GRAPHWRIGHT_HOME", str(home))
        for args in (("ask", small, "Anna"), ("threads",), ("threads", "show", "t1"), ("chat", small)):
            done = run(*args, stdin="hello\n")
            assert (done.code, "[not_a_folder]" in done.err, str(home) in done.err) == (1, True, True), args


def test_a_broken_database_is_left_as_it_is(run: Runner, small: Path) -> None:
    run.home.mkdir()
    file = run.home / "graphwright.db"
    file.write_bytes(b"not a database at all" * 100)
    for args in (("ask", small, "Anna"), ("threads",), ("chat", small)):
        done = run(*args, stdin="hello\n")
        assert (done.code, str(file) in done.err, "[not_a_database]" in done.err) == (1, True, True), args
    assert file.read_bytes() == b"not a database at all" * 100


@pytest.mark.slow
def test_an_interruption_leaves_a_thread_that_goes_on(run: Runner, tmp_path: Path) -> None:
    acting(
        tmp_path,
        "import pathlib, time\n\n@action()\ndef act(state, ctx):\n"
        "    mark = pathlib.Path(__file__).with_name('mark')\n"
        "    if not mark.exists():\n        mark.touch()\n        time.sleep(300)\n",
    )
    command = [sys.executable, "-m", "graphwright.cli", "ask", str(tmp_path), "Anna", "--thread", "t1", "--json"]
    process = subprocess.Popen(
        command, env=environment(run.home), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 60
    while not (tmp_path / "mark").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, json.loads(out)["error"]["code"]) == (130, "interrupted")
    assert "Interrupted. Thread t1 keeps what was said" in err
    assert "Traceback" not in err
    assert run("ask", tmp_path, "again", "--thread", "t1").code == 0


def test_waiting_for_a_busy_thread_is_reported(run: Runner, small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told, note = run.home / "told", conversation.note

    def noted(*parts: Any) -> None:
        note(*parts)
        if str(parts[0]).startswith("Another command"):
            told.touch()

    monkeypatch.setattr(conversation, "SILENCE", 0.1)
    monkeypatch.setattr(conversation, "note", noted)
    assert "Another command" not in run("ask", small, "Ann", "--thread", "busy").err

    async def hold(tell: Tell) -> None:
        async with open_store(run.home) as store, store.lease("busy"):
            tell("held")
            await until(told.exists)

    holder = forked(hold)
    assert holder.hear() == "held"
    done = run("ask", small, "yes", "--thread", "busy")
    assert not holder.end()
    assert done.out == "Good, Ann.\n"
    assert "Another command is serving thread busy; waiting ...\n" in done.err


def test_files_come_with_a_message(run: Runner, small: Path, tmp_path: Path) -> None:
    agent = tmp_path / "looking"
    agent.mkdir()
    acting(agent, "@action(writes=['seen'])\ndef act(state, ctx):\n    return {'seen': [f.name for f in ctx.files]}\n")
    looking = ACT.replace("state:\n", "state:\n  seen: {type: array, default: []}\n")
    (agent / "flow.yaml").write_text(looking.replace("terminal}", 'terminal, say: "{{ size(seen) }} seen."}'), "utf-8")
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("x")
    made = run("ask", agent, "look", "--file", tmp_path / "a.csv", "--data", tmp_path / "b.csv", "--json")
    assert made.json["values"]["seen"] == ["a.csv", "b.csv"]
    missing = run("ask", agent, "look", "--file", tmp_path / "c.csv", "--json")
    assert (missing.code, missing.json["error"]["code"]) == (2, "no_such_file")
    refused = run("ask", small, "Anna", "--file", tmp_path / "a.csv")
    assert (refused.code, "does not accept files" in refused.err) == (2, True)
    assert run("agents", agent, "--json").json["takes_files"] is True
    chat = run("chat", agent, stdin=f"/file\n/file {tmp_path / 'a.csv'}\nhello\n")
    assert (chat.code, chat.out.splitlines()[-1]) == (0, "1 seen.")


# chat over a pipe


def test_lines_of_a_pipe_are_messages_and_a_pipe_that_ends_early_leaves_a_thread(run: Runner, small: Path) -> None:
    done = run("chat", small, "--thread", "t1", stdin="Anna\n\n/answers\n/nope\n")
    assert (done.code, done.out) == (3, "What is your name?\nAnna, are you sure?\n")
    assert '"name": "Anna"' in done.err
    assert "There is no command /nope" in done.err
    again = run("chat", small, "--thread", "t1", stdin="yes\n")
    assert (again.code, again.out) == (0, "Anna, are you sure?\nGood, Anna.\n")


def test_bytes_that_are_no_text_do_not_end_a_pipe_and_a_failed_turn_does(run: Runner, small: Path) -> None:
    done = run("chat", small, stdin=b"Ann\xff\nyes\n")
    assert (done.code, "Good, Ann\ufffd." in done.out) == (0, True)
    small.write_text(FLOW.replace(", read: verbatim", ""), "utf-8")
    done = run("chat", small, stdin="Anna\nBob\n")
    assert (done.code, done.err.count("graphwright model pull")) == (1, 1)
