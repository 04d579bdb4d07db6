"""The data scientist in conversation: real files, the real sandbox, scripted words; what it saves, and bad input."""

from __future__ import annotations

import asyncio
import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cli_support import Runner
from runtime_support import assert_folds, scripted

from graphwright import Turn, load
from graphwright.store.folders import thread_folder

CUPS = "day,drink,cups,price\nMon,tea,3,2.2\nMon,coffee,7,2.8\nTue,tea,4,2.2\nTue,coffee,9,2.9\n"


@pytest.fixture
def cups(tmp_path: Path) -> Path:
    file = tmp_path / "cups.csv"
    file.write_text(CUPS)
    return file


def python(*arguments: str | Path, folder: Path) -> str:
    """What a Python of its own prints in a folder."""
    ran = subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return ran.stdout


def plan(code: bool = True, evaluation: bool = False, explanation: bool = False) -> dict[str, Any]:
    steps = {"needs_code": code, "needs_evaluation": evaluation, "needs_explanation": explanation}
    return {"offers": "ExecutionPlan", "call": {"ExecutionPlan": {**steps, "reasoning": "r"}}}


async def asked(home: Path, question: str, *texts: str, files: list[Path], **steps: bool) -> Turn:
    """One question to a new thread `t`, whose model answers with these texts, in order."""
    rules = [plan(**steps), *({"text": text, "times": 1} for text in texts)]
    async with load("data_scientist").session("t", model=scripted(*rules), home=home) as session:
        turn = await session.send(question, files)
        await assert_folds(session.agent, session)
    return turn


async def test_the_package_of_an_answer_has_every_key(tmp_path: Path, cups: Path) -> None:
    code = "result = df.groupby('drink')['cups'].sum()"
    turn = await asked(
        tmp_path, "cups by drink", code, "Few.", "Coffee: 16 cups.", files=[cups], evaluation=True, explanation=True
    )
    assert turn.status == "ended"
    output = turn.values["final_output"]
    assert list(output) == [
        *["explanation", "evaluation", "code", "plan", "output_type", "figures", "result_str", "failed_attempts"],
        "error",
    ]
    assert output["explanation"] == "Coffee: 16 cups."
    assert output["evaluation"] == "Few."
    assert output["code"] == code + "\n"
    assert output["output_type"] == "analysis"
    assert output["figures"] == output["failed_attempts"] == []
    assert output["error"] is None
    assert "coffee" in output["result_str"]
    assert turn.values["execution_result"]["isolation"].endswith("seccomp")


async def test_what_is_saved_can_be_used_without_the_agent(tmp_path: Path, cups: Path) -> None:
    code = "result = df.groupby('drink', as_index=False)['cups'].sum()\nfig = px.bar(result, x='drink', y='cups')"
    turn = await asked(tmp_path, "plot cups by drink", code, "Bars.", files=[cups], explanation=True)
    made = {artifact.name.partition("/")[2]: Path(artifact.path) for artifact in turn.artifacts}
    assert set(made) == {"figure-1.png", "figure-1.html", "table.csv", "table.parquet", "analysis.py"}
    assert all(path.is_relative_to(thread_folder(tmp_path, "t")) for path in made.values())
    assert made["figure-1.png"].read_bytes().startswith(b"\x89PNG")
    page = made["figure-1.html"].read_text("utf-8")
    assert "http://" not in page
    assert "https://" not in page
    assert (made["figure-1.html"].parent.parent / "plotly.min.js").stat().st_size > 1_000_000
    assert list(csv.reader(made["table.csv"].open())) == [["drink", "cups"], ["coffee", "16"], ["tea", "7"]]
    script = made["analysis.py"]
    ran = await asyncio.to_thread(python, script, folder=tmp_path)
    assert "coffee" in ran
    assert (tmp_path / f"{script.parent.name}-figure-1.html").exists()
    assert all(each in turn.reply for each in ("figure-1.png", "table.csv", str(script.parent)))


async def test_texts_out_of_files_cannot_act_in_what_is_saved(tmp_path: Path) -> None:
    evil = tmp_path / "evil.csv"
    evil.write_text('name,n\n"=HYPERLINK(""http://x"")",1\n</script><script>alert(1)</script>,2\n')
    code = "result = df\nfig = px.bar(df, x='name', y='n', title='</script><b>x')"
    turn = await asked(tmp_path, "plot n by name", code, "Bars.", files=[evil], explanation=True)
    folder = Path(turn.artifacts[0].path).parent
    page = (folder / "figure-1.html").read_text("utf-8")
    assert page.count("<script") == 2
    assert "alert(1)" in page
    assert "</script><script>alert" not in page
    rows = list(csv.reader((folder / "table.csv").open()))
    assert rows[1][0] == '\'=HYPERLINK("http://x")'


async def test_several_data_sets_are_joined(tmp_path: Path, cups: Path) -> None:
    prices = tmp_path / "origins.csv"
    prices.write_text("drink;origin;weight\ntea;Assam;1,5\ncoffee;Huila;2,25\n")
    code = (
        "both = datasets['cups'].merge(datasets['origins'], on='drink')\n"
        "result = float((both['cups'] * both['weight']).sum())"
    )
    turn = await asked(tmp_path, "total cups times weight", code, files=[cups, prices])
    assert turn.values["execution_result"]["result_str"] == "46.5"
    assert set(turn.values["datasets"]) == {"cups", "origins"}


async def test_files_given_later_join_those_before(tmp_path: Path, cups: Path) -> None:
    await asked(tmp_path, "how many rows?", "result = len(df)", files=[cups])
    other = tmp_path / "more.csv"
    other.write_text("a\n1\n")
    turn = await asked(tmp_path, "how many data sets?", "result = len(datasets)", files=[other])
    assert turn.values["execution_result"]["result_str"] == "2"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("while True: df.size", "s of CPU time"),
        ("df.size\nwhile True: print('x' * 1000)", "of output"),
        ("df.size\nx = bytearray(10**12)", "of memory"),
        ("df.size\nimport os\nos.fork()", "PermissionError"),
        ("df.size\nopen('/etc/passwd').read()", "Error"),
        ("df.size\nimport os\nos.kill(os.getppid(), 9)", "PermissionError"),
        ("df.size\nimport os\nos._exit(0)", "stopped"),
    ],
)
async def test_code_that_does_harm_is_told_and_the_next_question_works(
    tmp_path: Path, cups: Path, monkeypatch: pytest.MonkeyPatch, code: str, said: str
) -> None:
    from graphwright.agents.data_scientist import settings

    monkeypatch.setitem(settings.SETTINGS["cpu_seconds"], "default", 2)
    code = f"result = len(df)\n{code}"
    turn = await asked(tmp_path, "how many rows?", code, code, code, files=[cups])
    assert turn.status == "ended"
    output = turn.values["final_output"]
    assert output["output_type"] == "error"
    assert turn.reply.startswith("Code execution failed after 3 attempts. Final error: ")
    assert said in output["error"]
    assert [each["attempt"] for each in output["failed_attempts"]] == [1, 2, 3]
    turn = await asked(tmp_path, "how many rows?", "result = len(df)", files=[])
    assert turn.values["execution_result"]["result_str"] == "4"
    assert turn.values["failed_attempts"] == []


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("empty.csv", b"", "empty"),
        ("photo.csv", b"\x89PNG\r\n\x1a\n" + b"\0" * 100, "PNG"),
        ("report.csv", b"%PDF-1.7 ...", "PDF"),
    ],
)
async def test_a_file_that_is_no_data_is_told_and_nothing_is_computed(
    tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    turn = await asked(tmp_path, "how many rows?", files=[file])
    assert turn.status == "ended"
    assert said in turn.reply
    assert turn.values["code"] is None


async def test_an_explanation_that_invents_numbers_twice_gives_way_to_the_result(tmp_path: Path, cups: Path) -> None:
    invented = "It is 99.5 cups. People like coffee."
    turn = await asked(
        tmp_path, "total cups", "result = int(df['cups'].sum())", invented, invented, files=[cups], explanation=True
    )
    assert "99.5" not in turn.reply
    assert "23" in turn.reply


def test_a_question_without_an_answer_ends_and_is_logged_as_failed(run: Runner, tmp_path: Path) -> None:
    (tmp_path / "photo.csv").write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * 100)
    (tmp_path / "cups.csv").write_text(CUPS)
    (tmp_path / "script.json").write_text(json.dumps([plan(), {"text": "result = df['cups'].sum() / 'x'"}]))
    for thread, file in (("unread", "photo.csv"), ("unsolved", "cups.csv")):
        model = f"scripted:{tmp_path / 'script.json'}"
        done = run(
            *("ask", "data_scientist", "total cups", "--data", tmp_path / file, "--thread", thread, "--model", model),
            "--json",
        )
        assert (done.code, done.json["status"]) == (0, "ended")
        assert done.json["values"]["final_output"]["output_type"] == "error"
        assert done.json["values"]["final_output"]["error"]
    failed = run("log", "query", "--failed", "--json").json
    assert [each["session"] for each in failed] == ["unsolved", "unread"]
    assert "PNG" in failed[1]["error"]
