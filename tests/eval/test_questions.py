"""The evaluation of answers: which are right, refused or invented; and that every question can be answered."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from eval import figures
from eval.asking import AskedQuestion
from eval.assistant.evaluation import Research
from eval.assistant.judging import judged as judged_research
from eval.assistant.questions import Expect, ResearchQuestion, Seen
from eval.data_scientist.drawn import of_plotly
from eval.data_scientist.evaluation import DataQuestions
from eval.data_scientist.judging import judged as judged_data
from eval.data_scientist.questions import DataQuestion, answer
from eval.data_scientist.questions import Expect as DataExpect
from eval.data_scientist.references import computed, same
from eval.evaluation import Verdict
from eval.releases import documentation
from eval_support import ROOT, evaluate
from graphwright.errors import GraphwrightError

pytestmark = pytest.mark.slow

NOT_THERE = {
    "en": "That cannot be told: it is not in the data and nothing was found.",
    "de": "Das kann ich nicht sagen: dazu steht nichts in den Daten.",
    "fr": "Ce n'est pas possible: rien de cela dans les données.",
    "es": "No es posible: no hay nada de eso en los datos.",
}
SURE = "The difference is significant (p < 0.001)."
UNSURE = "The difference is not significant."


@cache
def data_questions() -> Mapping[str, DataQuestion]:
    return {case.id: case for case in DataQuestions.read(ROOT / "eval" / "data_scientist").cases}


@cache
def research() -> Mapping[str, ResearchQuestion]:
    return {case.id: case for case in Research.read(ROOT / "eval" / "assistant").cases}


def question(case: str, *answers: Mapping[str, Any]) -> AskedQuestion:
    """A question with this answer, as read from a file."""
    return AskedQuestion.from_json(json.loads(json.dumps(AskedQuestion(case, answers=answers).to_json())))


def verdict_of(case: str, *texts: str, **more: Any) -> Verdict:
    return judged_data(data_questions()[case], question(case, *(answer(text, "", [], **more) for text in texts)))


def best(case: DataQuestion, expect: DataExpect) -> dict[str, Any]:
    """An answer with everything that is expected."""
    if expect.impossible:
        return answer(NOT_THERE[case.language] + (" no demuestran" if case.id == "i05" else ""), "", [])
    lines = [fact.any[0].rstrip("*") for fact in expect.says]
    lines += [SURE if expect.concludes == "significant" else UNSURE] if expect.concludes else []
    drawn = []
    if expect.figure:
        values = expect.figure.values
        series = values if isinstance(next(iter(values.values())), Mapping) else {"China": values}
        kind = expect.figure.kinds[0]
        names = ("labels", "values") if kind == "pie" else ("x", "y")
        traces = [
            {"type": {"line": "scatter"}.get(kind, kind), "name": name, names[0]: list(v), names[1]: list(v.values())}
            for name, v in series.items()
        ]
        drawn = [of_plotly({"data": traces})]
    elif isinstance(expect.values, Mapping):
        lines += [f"{name}: {value}" for name, value in expect.values.items()]
    elif expect.values is not None:
        lines += [str(each) for each in (expect.values if isinstance(expect.values, tuple) else (expect.values,))]
    return answer("\n".join(lines) or "Here it is.", "", [], figures=drawn)


def test_every_question_over_data_can_be_answered_and_not_by_nothing() -> None:
    cases = data_questions()
    assert len(cases) == 58
    for case in cases.values():
        verdict = judged_data(case, question(case.id, *(best(case, each) for each in case.expect)))
        assert verdict.right, (case.id, verdict.reasons)
        assert not judged_data(case, question(case.id, *(answer("Done.", "", []) for _ in case.turns))).right, case.id
        refused = judged_data(case, question(case.id, *(answer(NOT_THERE["en"], "", []) for _ in case.turns)))
        assert bool(refused.counts["refused"]) is any(not each.impossible for each in case.expect), case.id


def test_expected_values_equal_the_results_of_their_programs() -> None:
    for case in data_questions().values():
        for each in (every for expect in case.expect for every in (expect, *expect.also_ok, *expect.traps)):
            if each.reference:
                figure = getattr(each, "figure", None)
                wanted = figure.values if figure else each.values
                assert same(wanted, computed(each.reference, case.files)), (case.id, each.reference)


@pytest.mark.parametrize(
    ("case", "text", "right"),
    [
        ("d06", "We took £890,530 in total.", True),
        ("d06", "In total 0.89 million pounds.", True),
        ("d06", "We took £1,781,060.64 in total.", False),
        ("j03", "Prado Group, avec 10 499,34 €", True),
        ("j03", "Ebro Group, avec 20 263,74 €", False),
        ("g04", "Afrique: 930 millions, Amériques 899 M, Asie 3,81 milliards, Europe 586 M, Océanie 24,5 M", True),
        ("g04", "Afrique: 899 millions, Amériques 930 M, Asie 3,81 milliards, Europe 586 M, Océanie 24,5 M", False),
        ("f05", "Es sind 32 Kolleginnen und Kollegen.", True),
        ("f05", "Es sind 32,1 Kolleginnen und Kollegen.", False),
        ("t03", "Nein, der Unterschied ist nicht signifikant (p = 0,37).", True),
        ("t03", "Ja, der Unterschied ist signifikant (p = 0,37).", False),
        ("j02", "Alpen Group, Fjord Group, Fjord Trading, Hansa y Cía, Mosel Group, Sierra Frères", True),
        ("j02", "Alpen Group, Fjord Group, Fjord Trading, Hansa y Cia, Mosel Group, Sierra Freres, Iris Werke", False),
        ("i03", "There is no column for costs, so the margin cannot be computed.", True),
        ("i03", "It cannot be told exactly, but the margin is about 20 %.", False),
        ("i03", "Sales: Lighting 30,000, Cabling 12,000.", False),
    ],
)
def test_an_answer_over_data_is_held_against_values_names_and_claims(case: str, text: str, right: bool) -> None:
    assert verdict_of(case, text).right is right


def test_a_figure_is_judged_by_its_data_and_a_picture_by_the_result() -> None:
    shown = {"Köln": 20, "Würzburg": 26, "Zürich": 17, "Görlitz": 5}
    for more, right in (({}, True), ({"": 1}, False), ({"Görlitz": 6}, False)):
        bars = {**shown, **more}
        figure = of_plotly({"data": [{"type": "bar", "orientation": "h", "y": list(bars), "x": list(bars.values())}]})
        assert verdict_of("p02", "Das Diagramm.", figures=[figure]).right is right, more
    assert not verdict_of("p02", "Würzburg 26, Köln 20, Zürich 17, Görlitz 5").right
    assert verdict_of("p02", "Würzburg 26, Köln 20, Zürich 17, Görlitz 5", pictures=1).right


def test_a_number_that_no_result_has_is_invented_unless_a_note_says_so() -> None:
    case = data_questions()["d03"]
    loose = answer("Im Schnitt 401,63 Euro, das sind 77,7 % mehr.", "", ["77,7"])
    assert judged_data(case, question(case.id, loose)).counts["rule"] == "invented"
    noted = judged_data(case, question(case.id, {**loose, "reply": f"{loose['text']}\nNo result has 77,7."}))
    assert (noted.right, noted.counts["invented"], noted.counts["unnoted"]) == (True, 1, 0)
    concept = data_questions()["c01"]
    assert judged_data(concept, question("c01", {**best(concept, concept.expect[0]), "loose": ["17.3"]})).right


def cites(expect: Expect, language: str) -> str:
    """An answer that cites and contains everything that is expected."""
    if expect.unanswerable:
        return NOT_THERE[language]
    cited = " ".join(f"[{group[0]}]" for group in expect.sources)
    return "\n".join([cited, *(" ".join((*fact.near[:1], fact.any[0])) for fact in expect.facts)])


def researched(case: ResearchQuestion, *texts: str, found: str = "") -> Verdict:
    seen = Seen(case, [])
    return judged_research(case, question(case.id, *(seen.kept(text, [{"text": found}], 1) for text in texts)))


def test_every_question_to_the_assistant_can_be_answered_and_not_by_nothing() -> None:
    assert len(research()) == 66
    for case in research().values():
        expected = [*([case.first] if case.first else []), case.expect]
        found = " ".join(source for each in expected for group in each.sources for source in group)
        verdict = researched(case, *(cites(each, case.language) for each in expected), found=found)
        assert verdict.right, (case.id, verdict.reasons)
        assert not researched(case, *("Done." for _ in case.turns)).right, case.id
        assert verdict.counts.get("first", True), case.id


PAGE = "https://docs.nordlicht.example/aurora/rf-system"
LIMIT = "At most 250 mA can be stored with one plant out of service"


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (f"{LIMIT} ([docs]({PAGE})).", "facts"),
        (f"{LIMIT.replace(' mA', 'mA')} (aurora/rf-system.md).", "facts"),
        (f"{LIMIT}.", "source"),
        (f"At most 1250 mA can be stored ([docs]({PAGE})).", "fact"),
        (f"{LIMIT} ([docs]({PAGE}), [more](https://docs.nordlicht.example/aurora/limits)).", "invented"),
        (f"{LIMIT} ([docs]({PAGE}), #217).", "invented"),
        (
            f"Es können höchstens 250 mA gespeichert werden, das ist die Grenze für den Betrieb ([docs]({PAGE})).",
            "language",
        ),
        ("Nothing was found.", "source"),
    ],
)
def test_an_answer_is_held_against_sources_facts_and_what_was_found(text: str, rule: str) -> None:
    case = research()["s01-one-plant-out"]
    assert researched(case, text, found=PAGE).counts["rule"] == rule


def test_the_foreign_folder_is_the_pinned_release_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def download(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        Path(command[command.index("--dest") + 1], "other.tar.gz").write_bytes(b"another release")
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(subprocess, "run", download)
    with pytest.raises(GraphwrightError, match="is not the pinned release"):
        documentation("other", "1.0", "0" * 64, tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["data_scientist", "assistant"])
def test_runs_are_kept_and_become_figures(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "model.yaml").write_text("- text: I cannot say. Nothing was found.", "utf-8")
    run = (name, "--model", f"scripted:{tmp_path / 'model.yaml'}", "--loop", "--most", "2")
    assert evaluate(tmp_path, *run, cases=ROOT / "eval") == 0
    assert evaluate(tmp_path, *run, cases=ROOT / "eval") == 0
    told = capsys.readouterr().err
    assert told.count("(kept)") == 4
    agent, loop = figures.read_all(tmp_path / "results", name)
    assert all(f"{row.id}: not right (" in told for row in agent.unseen)
    assert (agent.who, loop.who) == ("agent", "loop")
    assert (loop.rows[0].right, loop.rows[0].calls, loop.rows[0].counts["refused"]) == (False, 1, 1)
    page = (tmp_path / "page.md").read_text("utf-8")
    assert "| refused, although it can be answered | " in page
    assert "| right, by language | " in page
