"""The evaluation of reading: any model, correct counts, resuming after an interruption, and cases for the flow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from eval_support import ROOT, evaluate

pytestmark = pytest.mark.slow

UTTERANCES = """
- id: both
  seen: true
  kind: several
  waiting: product
  answers: {intention: buy}
  message: "LED, for the office"
  expect: {product: LED, venue: office}
  then: budget
- id: half
  seen: true
  kind: several
  waiting: venue
  answers: {intention: buy, product: LED}
  message: "our kitchen, we have 900 euros"
  expect: {budget: 900}
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
- says: kitchen
  call: {UpdateAnswers: {answers: [{key: venue, quote: kitchen, value: home}]}}
- says: broken
  call: {UpdateAnswers: {answers: [{key: intention, quote: broken, value: repair}]}}
- says: dark
  call:
    UpdateAnswers:
      answers: [{key: problem, quote: The lamp over the door, value: The lamp over the door is dark.}]
- says: hm
  call: {UpdateAnswers: {answers: [{key: problem, quote: a new lamp, value: a new lamp, correction: true}]}}
- call: {UnknownAnswer: {key: intention, reason: nothing in it}}
"""


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str


@pytest.fixture
def run(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Run it with the model in `folder`, on the cases there or on its own."""
    monkeypatch.setenv("GRAPHWRIGHT_MODEL", f"scripted:{folder / 'model.yaml'}")

    def run(*args: str, own: bool = False) -> Done:
        code = evaluate(folder, "intake", *args, cases=ROOT / "eval" if own else None)
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


def test_values_are_counted_and_reported(run: Callable[..., Done], folder: Path) -> None:
    done = run()
    assert done.code == 1
    assert "2/3 half: not right: missed budget; invented venue: 'home' (" in done.err
    assert "3/3 lamp: right (" in done.err
    assert "Not reached: 1 values were invented" in done.err
    page = (folder / "page.md").read_text("utf-8")
    assert "| cases | 1 |" in page
    looked_at = page.partition("Cases that were looked at")[2]
    assert (
        "| values that the messages hold | 3 |\n| exact | 2 |\n| missed | 1 |\n| wrong | 0 |\n| invented | 1 |"
        in looked_at
    )


def test_a_second_run_goes_on_where_the_first_one_stopped(run: Callable[..., Done], folder: Path) -> None:
    run()
    (kept,) = (folder / "work" / "intake" / "agent").iterdir()
    lines = kept.read_text("utf-8").splitlines()
    # Killed while it wrote the last result.
    kept.write_text("\n".join([*lines[:-1], lines[-1][:40]]), "utf-8")
    again = run()
    assert again.err.count("(kept)") == 2
    assert "lamp: right (kept)" not in again.err
    assert run().err.count("(kept)") == 3


@pytest.mark.parametrize(
    ("file", "text", "says"),
    [
        ("intake/utterances.yaml", UTTERANCES.replace("then: budget", "colour: red"), "0.colour"),
        ("intake/utterances.yaml", UTTERANCES.replace("id: half", "id: both"), "Duplicate case name: 'both'"),
        (
            "intake/utterances.yaml",
            UTTERANCES.replace("waiting: product", "waiting: phone"),
            "asks for 'product' first",
        ),
        ("intake/conversations/lamp.yaml", "[", "cannot be read"),
        ("intake/conversations/lamp.yaml", "- a", "no mapping"),
        ("model.yaml", "]", "model.yaml"),
        ("page.md", "no marks", "has no place for the figures"),
    ],
)
def test_failed_cases_are_named(run: Callable[..., Done], folder: Path, file: str, text: str, says: str) -> None:
    (folder / file).write_text(text, "utf-8")
    done = run()
    assert done.code in (1, 2)
    assert says in done.err
    assert "Traceback" not in done.err


def test_a_conversation_that_does_not_end_is_stopped(run: Callable[..., Done], folder: Path) -> None:
    endless = CONVERSATION.replace('["yes"]', '["a new lamp, hm"]')
    (folder / "intake" / "conversations" / "lamp.yaml").write_text(endless, "utf-8")
    done = run("--case", "lamp")
    assert done.code == 1
    assert "not over after 20 turns; asked for sure last" in done.out


def test_the_cases_that_come_with_it_fit_the_flow(run: Callable[..., Done], folder: Path) -> None:
    """Every message reaches its situation, and every conversation advances, with a model that reads nothing."""
    (folder / "model.yaml").write_text("- call: {UnknownAnswer: {key: intention, reason: nothing}}", "utf-8")
    done = run(own=True)
    assert done.code == 1, done.err
    assert "90/90" in done.err
    (kept,) = (folder / "work" / "intake" / "agent").iterdir()
    assert kept.read_text("utf-8").count('"error": ""') == 90
