"""The UpGrade agent speaks English, German, French or Spanish, as the model reads from the messages."""

from __future__ import annotations

import json
from pathlib import Path
from string import Formatter

import pytest
from test_upgrade_agent import FOO, analysed, order, proposed, reviewed, states, talk
from upgrade_agent_support import add, local_service  # noqa: F401

from graphwright.agents.upgrade import wording

pytestmark = pytest.mark.usefixtures("local_service")

GERMAN = "Experiment Foo in maths-practice, control 33,5 und variant 66,5, an give-hint/area-of-shapes"


async def test_a_conversation_in_german(tmp_path: Path) -> None:
    conditions = [{"code": "control", "weight": 33.5}, {"code": "variant", "weight": 66.5}]
    new = {**FOO, "conditions": conditions}
    rules = [analysed(order("create_experiment", GERMAN), language="de"), proposed("create_experiment", **new)]
    rules += [reviewed("eine Payload"), analysed(order("update_experiment_status"), language="de")]
    rules += [proposed("update_experiment_status", experiment_id="Foo", status="enrolling"), reviewed()]
    async with talk(tmp_path, *rules) as s:
        card = (await s.send(GERMAN)).reply
        assert card.startswith("Experiment „Foo“ im Kontext „maths-practice“ anlegen?\n- Bedingungen: control 33,5 %")
        assert "\n- Standard, weil es niemand gesagt hat: an wen zugewiesen wird, " in card
        assert "\n⚠️ Das ist nicht dabei: eine Payload" in card
        assert "Nicht in Ihren Worten" not in card
        assert "Experiment „Foo“ im Kontext „maths-practice“ angelegt." in (await s.send("ja")).reply
        assert "Zustand des Experiments „Foo“ auf „enrolling“ ändern?" in (await s.send("Starte es")).reply
        report = (await s.send("ja")).reply
    assert report.startswith(
        "Zustand des Experiments „Foo“ geändert auf enrolling („running“ auf den Seiten von UpGrade)"
    )
    assert await states(tmp_path) == {"Foo": "enrolling"}


def test_every_sentence_is_there_in_four_languages_with_the_same_parts() -> None:
    sentences = json.loads(Path(wording.__file__).with_suffix(".json").read_text("utf-8"))
    for name, forms in sentences.items():
        assert list(forms) == ["en", "de", "fr", "es"], name
        texts = [form.split("|") for form in forms.values()]
        assert len({len(each) for each in texts}) == 1, name
        parts = {
            frozenset(part for _, part, _, _ in Formatter().parse(text) if part) for each in texts for text in each
        }
        assert len(parts) == 1, name
