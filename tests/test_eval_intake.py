"""The evaluation of reading: any model, the right counts, going on where it stopped, and cases that fit the flow."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

UTTERANCES = """
- id: both
  set: tuning
  category: several
  waiting: product
  answers: {intention: buy}
  message: "LED, for the office"
  expect: {product: LED, venue: office}
  then: budget
- id: half
  set: test
  category: several
  waiting: venue
  answers: {intention: buy, product: LED}
  message: "the garden, we have 900 euros"
  expect: {venue: outdoors, budget: 900}
- id: nothing
  set: test
  category: nothing
  waiting: venue
  answers: {intention: buy, product: LED}
  message: "our kitchen is elsewhere"
  expect: {}
"""
CONVERSATION = """
about: A repair.
opens: "my lamp is broken"
says:
  intention: ["a repair"]
  problem: ["The lamp over the door is dark."]
  email: ["ann@shop.example"]
  sure: ["yes"]
ends: t.sent
lead: {intention: repair, problem: "The lamp over the door is dark.", email: ann@shop.example}
"""
MODEL = """
- says: LED
  call: {UpdateAnswers: {answers: [{key: product, quote: LED, value: LED}, {key: venue, quote: office, value: office}]}}
- says: garden
  call: {UpdateAnswers: {answers: [{key: venue, quote: garden, value: outdoors}]}}
- says: kitchen
  call: {UpdateAnswers: {answers: [{key: venue, quote: kitchen, value: home}]}}
- says: broken
  call: {UpdateAnswers: {answers: [{key: intention, quote: broken, value: repair}]}}
- call: {UnknownAnswer: {key: intention, reason: nothing in it}}
"""


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str


def options(folder: Path) -> list[str]:
    return ["--results", str(folder / "results"), "--report", str(folder / "report.md")]


@pytest.fixture
def evaluate(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Run it with the model, the results and the report in `folder`; on the cases there, or on its own."""
    monkeypatch.syspath_prepend(ROOT)
    monkeypatch.setenv("GRAPHWRIGHT_MODEL", f"scripted:{folder / 'model.yaml'}")
    from eval.__main__ import main

    def run(*args: str, own: bool = False) -> Done:
        cases = [] if own else ["--cases", str(folder)]
        code = main([*cases, *options(folder), "intake", *args])
        captured = capsys.readouterr()
        return Done(code, captured.out, captured.err)

    return run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "intake" / "conversations").mkdir(parents=True)
    (tmp_path / "intake" / "conversations" / "lamp.yaml").write_text(CONVERSATION, "utf-8")
    (tmp_path / "intake" / "utterances.yaml").write_text(UTTERANCES, "utf-8")
    (tmp_path / "model.yaml").write_text(MODEL, "utf-8")
    return tmp_path


def test_values_are_counted_and_reported(folder: Path) -> None:
    command = [sys.executable, "-m", "eval", "intake", "--cases", str(folder), *options(folder)]
    environment = {**os.environ, "GRAPHWRIGHT_MODEL": f"scripted:{folder / 'model.yaml'}"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1, done.stderr
    assert "2/3 half: missed budget" in done.stderr
    assert "3/3 nothing: invented venue: 'home'" in done.stderr
    assert "1/1 lamp: right" in done.stderr
    assert "not reached: 1 values were invented" in done.stderr
    report = (folder / "report.md").read_text("utf-8")
    assert "| both | 3 | 1 | 4 | 3 (75%) | 1 | 0 | 1 |" in report
    assert "| tuning | 1 | 1 | 2 | 2 (100%) | 0 | 0 | 0 |" in report
    assert "1 of 1 ended right" in report


def test_a_second_run_goes_on_where_the_first_one_stopped(evaluate: Callable[..., Done], folder: Path) -> None:
    evaluate()
    (kept,) = (folder / "results" / "intake").iterdir()
    lines = kept.read_text("utf-8").splitlines()
    # Killed while it wrote the last result.
    kept.write_text("\n".join([*lines[:-1], lines[-1][:40]]), "utf-8")
    again = evaluate()
    assert again.err.count("(kept)") == 3
    assert "lamp: right (kept)" not in again.err
    assert evaluate().err.count("(kept)") == 4


def test_a_changed_case_is_run_again(evaluate: Callable[..., Done], folder: Path) -> None:
    evaluate()
    changed = UTTERANCES.replace("expect: {}", "expect: {}\n  may: {venue: home}")
    (folder / "intake" / "utterances.yaml").write_text(changed, "utf-8")
    done = evaluate()
    assert "3/3 nothing: right" in done.err
    assert done.err.count("(kept)") == 3


def test_one_case_shows_what_was_said_and_leaves_the_report_alone(evaluate: Callable[..., Done], folder: Path) -> None:
    done = evaluate("lamp")
    assert done.code == 0
    assert "user: my lamp is broken" in done.out
    assert "agent: Thank you!" in done.out
    assert not (folder / "report.md").exists()


@pytest.mark.parametrize(
    ("file", "text", "says"),
    [
        ("intake/utterances.yaml", UTTERANCES.replace("then: budget", "colour: red"), "0.colour"),
        ("intake/utterances.yaml", UTTERANCES.replace("id: half", "id: both"), "several cases are called 'both'"),
        (
            "intake/utterances.yaml",
            UTTERANCES.replace("waiting: product", "waiting: phone"),
            "asks for 'product' first",
        ),
        ("intake/conversations/lamp.yaml", "[", "cannot be read"),
        ("intake/conversations/lamp.yaml", "- a", "no mapping"),
        ("model.yaml", "]", "model.yaml"),
        ("report.md", "no marks", "has no place for the figures"),
    ],
)
def test_what_cannot_be_run_is_named(
    evaluate: Callable[..., Done], folder: Path, file: str, text: str, says: str
) -> None:
    (folder / file).write_text(text, "utf-8")
    done = evaluate()
    assert done.code in (1, 2)
    assert says in done.err
    assert "Traceback" not in done.err


def test_an_unknown_case_is_named(evaluate: Callable[..., Done]) -> None:
    done = evaluate("lump")
    assert done.code == 2
    assert "there is no case 'lump'" in done.err
    assert "lamp" in done.err


def test_a_conversation_that_does_not_end_is_stopped(evaluate: Callable[..., Done], folder: Path) -> None:
    endless = CONVERSATION.replace('["yes"]', '["a new lamp, hm"]')
    (folder / "intake" / "conversations" / "lamp.yaml").write_text(endless, "utf-8")
    done = evaluate("lamp")
    assert done.code == 1
    assert "not over after 20 turns; asked for sure last" in done.err


def test_the_cases_that_come_with_it_fit_the_flow(evaluate: Callable[..., Done], folder: Path) -> None:
    """Every message reaches its situation, and every conversation gets somewhere, with a model that reads nothing."""
    (folder / "model.yaml").write_text("- call: {UnknownAnswer: {key: intention, reason: nothing}}", "utf-8")
    done = evaluate(own=True)
    assert done.code == 1, done.err
    assert "80/80" in done.err
    assert "10/10" in done.err
    assert "failed:" not in done.err
