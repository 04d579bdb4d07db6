"""The evaluation of graph editing and experiments: the right end, the simulated user's replies, and the figures."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eval import figures
from eval.answers import Answer
from eval.cases import Case
from eval.conversing import ExpectedStates, Played
from eval.judging import judged
from eval.running import Run
from eval.stateful import Stateful
from eval.states import State, change_between
from eval_support import ROOT, evaluate

BEGIN: State = {"User/ann": {"age": 3}, "User/bob": {"age": 4}, "User/ann KNOWS User/bob": {}}
END: State = {**BEGIN, "User/ann": {"age": 5, "team": "red"}}
WANTED = ExpectedStates(BEGIN, (END,), {})


def case(**fields: Any) -> Case:
    given = {"id": "c", "kind": "any", "language": "en", "says": ["please"], "expect": {}}
    return Case(**{**given, **fields})


def played(*states: State, said: str = "yes", **fields: Any) -> Played:
    """A case whose state had these values, each after this reply of the user."""
    pairs = zip((BEGIN, *states), states, strict=False)
    done = tuple({"change": change_between(a, b), "said": said} for a, b in pairs)
    made = Played("c", replies=("Done.",), done=done, **fields)
    return Played.from_json(json.loads(json.dumps(made.to_json())))


def test_only_the_exact_end_after_a_yes_is_right() -> None:
    assert judged(case(), WANTED, played(END)).right
    assert judged(case(), WANTED, played()).reasons == (
        "User/ann: age is 3 instead of 5",
        "User/ann: team is None instead of 'red'",
    )
    beside = {**END, "User/bob": {"age": 9}}
    assert judged(case(), WANTED, played(beside)).done == ("User/bob: age",)
    # A change that was undone is not visible at the end, but was made.
    assert judged(case(), WANTED, played(beside, END)).done == ("User/bob: age",)
    unasked = judged(case(), WANTED, played(END, said=""))
    assert (unasked.right, unasked.done) == (False, ("User/ann was changed without a yes",))
    assert judged(case(), WANTED, played(END, said=""), net=False).right
    assert not judged(case(), WANTED, replace(played(END), error="timeout: no answer")).right
    assert not judged(case(), WANTED, replace(played(END), over=False)).right


def test_differences_questions_and_answers_are_judged_apart() -> None:
    wrong = {"change": {"User/bob": None, "User/ann KNOWS User/bob": None}, "said": "no"}
    shown = judged(case(), WANTED, played(END, shown=(wrong,)))
    assert (shown.right, shown.shown) == (True, ("User/bob", "User/ann KNOWS User/bob"))
    idle = ExpectedStates(BEGIN, (BEGIN,), {})
    assert not judged(case(expect={"refuse": True}), idle, played(shown=(wrong,))).right
    assert judged(case(expect={"refuse": True}), idle, played(questions=("Which?",))).right
    asked = played(END, questions=("Which?",))
    assert judged(case(), WANTED, asked).counts["needless"] == 1
    assert judged(case(replies=[{"to": "which", "say": "ann"}]), WANTED, asked).counts["needless"] == 0
    assert judged(case(expect={"asked": True}), WANTED, played(END)).reasons == ("the user was not asked",)
    assert not judged(case(expect={"answer": {"names": ["ann"]}}), WANTED, played(END)).right


@pytest.mark.parametrize(
    ("reply", "right"),
    [
        ("T-1 and Müller, 4人です", True),
        ("T-10 and Müller, 4", False),
        ("T-1, Muller: 4", True),
        ("T-1 and Müller, 14.", False),
        ("T-1, Müller, 4, but not T-2", False),
    ],
)
def test_an_answer_names_whole_names(reply: str, right: bool) -> None:
    answer = Answer.model_validate({"names": ["T-1", ["Müller", "Muller"], 4], "not": ["T-2"]})
    assert (answer.lacks(reply) == []) is right


def plain(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields with the first of several spellings."""
    return {k: v["one_of"][0] if isinstance(v, dict) and "one_of" in v else v for k, v in fields.items()}


@pytest.mark.parametrize("name", ["graph_editor", pytest.param("upgrade", marks=pytest.mark.slow)])
async def test_every_case_can_be_and_only_what_it_wants_is_right(name: str) -> None:
    known = Run(name, ROOT / "eval" / name, "m").evaluation()
    assert isinstance(known, Stateful)
    assert len(known.cases) >= 40
    for each in known.cases:
        wanted = await known.expected_states(each)
        end, expect = {thing: plain(fields) for thing, fields in wanted.ends[0].items()}, each.expect
        names = " ".join(str(one[0] if isinstance(one, list) else one) for one in expect.answer.names)
        done = tuple({"change": change_between(wanted.begin, end), "said": "yes"} for _ in range(end != wanted.begin))
        right = Played(each.id, replies=(names,), questions=("Which?",) * expect.asked, done=done)
        assert judged(each, wanted, right).right, (each.id, judged(each, wanted, right).reasons)
        more = {"change": {next(iter(wanted.begin)): None}, "said": ""}
        assert not judged(each, wanted, replace(right, done=(*done, more))).right, each.id
        if names or done or expect.asked:
            assert not judged(each, wanted, Played(each.id, replies=("Done.",))).right, each.id


def test_a_run_is_kept_and_becomes_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "model.yaml").write_text("- text: I cannot say.", "utf-8")
    run = ("graph_editor", "--model", f"scripted:{tmp_path / 'model.yaml'}", "--most", "2")
    assert evaluate(tmp_path, *run, cases=ROOT / "eval") == 0
    assert evaluate(tmp_path, *run, cases=ROOT / "eval") == 0
    assert capsys.readouterr().err.count("(kept)") == 2
    (found,) = figures.read_all(tmp_path / "results", "graph_editor")
    assert (len(found.rows), sum(row.right for row in found.rows)) == (2, 0)
    assert f"| cases | {len(found.unseen)} |" in (tmp_path / "page.md").read_text("utf-8")
    figures.publish([found], lambda agent: tmp_path)
    assert json.loads((tmp_path / "measured.json").read_text("utf-8")) == {found.model: [0, len(found.unseen)]}
    assert evaluate(tmp_path, *run[:3], "--case", "nobody", cases=ROOT / "eval") == 2
    assert "there is no case 'nobody'" in capsys.readouterr().err
