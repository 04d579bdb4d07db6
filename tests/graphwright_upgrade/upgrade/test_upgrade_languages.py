"""The UpGrade agent speaks English, German, French or Spanish, as the model reads from the messages."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from inspect import isawaitable
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

from graphwright.host._actions import ActionSpec, declared_in
from graphwright_upgrade import _wording as wording
from graphwright_upgrade.client._connecting import connect
from graphwright_upgrade.client._experiment import State
from graphwright_upgrade.client._settings import UpgradeSettings
from graphwright_upgrade.upgrade import nodes
from upgrade_agent_support import FOO, add, analysed, looked_up, node, order, ordered, proposed, reviewed, states, talk

pytestmark = pytest.mark.usefixtures("local_service")


async def test_a_conversation_in_german(tmp_path: Path) -> None:
    design = {name: value for name, value in FOO.items() if name != "conditions"}
    rules = [analysed(order("create_experiment"), language="de"), proposed("create_experiment", **design), reviewed()]
    rules += [analysed(order("update_experiment_status")), *ordered("update_experiment_status")[1:]]
    rules[-2] = proposed("update_experiment_status", experiment_id="Foo", status="enrolling")
    asked, *look = looked_up("Welche Gewichte hat Foo?", "get_experiment_details", experiment_id="Foo")
    answers = [{"offers": "get_execution_log", "text": text, "times": 1} for text in ("34,7 %", "33,5 % und 34,7 %")]
    async with talk(tmp_path, *rules, asked, *look, *answers) as s:
        question = (await s.send("Foo in maths-practice an give-hint/area-of-shapes")).reply
        assert question.startswith("„Foo“ anlegen (maths-practice).\n\nDer Kontext kennt die Bedingungen „control“")
        assert question.endswith("\nWelche Bedingungen, mit ihren Gewichten?")
        card = (await s.send("control 33,5, variant 66,5")).reply
        assert card.startswith("Experiment „Foo“ im Kontext „maths-practice“ anlegen?\n- Bedingungen: control 33,5 %, ")
        assert "\n- Zugewiesen wird an: einzelne Benutzer (Standard); Konsistenz individual: " in card
        assert "⚠️" not in card
        assert "Experiment „Foo“ im Kontext „maths-practice“ angelegt." in (await s.send("ja")).reply
        assert "Zustand des Experiments „Foo“ auf „enrolling“ ändern?" in (await s.send("Starte es")).reply
        report = (await s.send("ja")).reply
        assert report.startswith("Zustand des Experiments „Foo“ geändert auf enrolling („running“ auf den Seiten von")
        answer = (await s.send("Welche Gewichte hat Foo?")).reply
    assert answer == "33,5 % und 34,7 %\n(In den Daten nicht gefunden: „34,7“.)"
    assert await states(tmp_path) == {"Foo": "enrolling"}


async def test_a_simulation_in_french(tmp_path: Path) -> None:
    (id,) = await add(tmp_path, "Hints")
    rules = [analysed(order("simulate_experiment"), language="fr"), proposed("simulate_experiment", experiment_id=id)]
    async with talk(tmp_path, *rules, *rules, reviewed()) as s:
        refused = (await s.send("Simule des utilisateurs dans Hints")).reply
        title = "Non fait : simuler des utilisateurs pour « Hints » (maths-practice) : "
        assert refused.startswith(f"{title}L'expérience « Hints » ne peut pas être simulée. Elle est dans l'état inact")
        async with connect(UpgradeSettings(), tmp_path) as client:
            await client.set_state(id, State.ENROLLING)
        assert "\nCombien d'utilisateurs, de 1 à 10\u202f000 ?" in (await s.send("Simule dans Hints")).reply
        assert "Simuler 20 utilisateurs dans l'expérience « Hints » ?" in (await s.send("20")).reply
        report = (await s.send("oui")).reply
    assert report.startswith("Simulation de 20 utilisateurs dans l'expérience « Hints ».")
    assert "(khi-deux " in report


async def test_a_refusal_in_spanish_and_a_language_without_sentences(tmp_path: Path) -> None:
    await add(tmp_path, "Hints")
    delete = ordered("delete_experiment", experiment_id="Hints")
    rules = [
        {"call": {**analysed(order("delete_experiment"), language=each)["call"]}, "times": 1}
        for each in ("es-MX", "xx")
    ]
    async with talk(tmp_path, rules[0], *delete[1:], rules[1], *delete[1:]) as s:
        assert "ELIMINAR DEFINITIVAMENTE el experimento «Hints»?" in (await s.send("Borra Hints")).reply
        assert (await s.send("no")).reply == "No hecho: eliminar «Hints» (maths-practice): usted no lo ha querido."
        assert "PERMANENTLY DELETE experiment 'Hints'?" in (await s.send("Hints!")).reply


async def test_an_error_of_the_server_is_introduced_in_the_language(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UPGRADE_API_URL", "http://127.0.0.1:9/api")
    async with talk(tmp_path, analysed(order("delete_experiment"), language="es")) as s:
        turn = await s.send("Borra Hints")
    assert turn.reply.startswith("El servidor no ha respondido como se esperaba: the UpGrade server at")
    assert turn.reply.endswith("«graphwright upgrade status» dice dónde busco.")


@pytest.mark.parametrize(("language", "written"), [("de", "1.000"), ("en", "1,000"), ("fr", "1 000"), ("es", "1.000")])
async def test_a_number_is_read_in_the_notation_of_the_language(tmp_path: Path, language: str, written: str) -> None:
    (id,) = await add(tmp_path, "Hints")
    async with connect(UpgradeSettings(), tmp_path) as client:
        await client.set_state(id, State.ENROLLING)
    rules = [
        analysed(order("simulate_experiment"), language=language),
        proposed("simulate_experiment", experiment_id=id),
    ]
    async with talk(tmp_path, *rules, reviewed()) as s:
        assert node(await s.send("Hints")) == "simulate.users"
        turn = await s.send(written)
    assert node(turn) == "q.confirm"
    assert turn.values["action_params"]["users"] == 1000


def test_every_sentence_is_there_in_four_languages_with_the_same_parts() -> None:
    sentences = json.loads(Path(wording.__file__).with_name("wording.json").read_text("utf-8"))
    for name, forms in sentences.items():
        assert list(forms) == ["en", "de", "fr", "es"], name
        texts = [form.split("|") for form in forms.values()]
        assert len({len(each) for each in texts}) == 1, name
        parts = {
            frozenset(part for _, part, _, _ in Formatter().parse(text) if part) for each in texts for text in each
        }
        assert len(parts) == 1, name


def test_every_action_of_the_flow_words_its_texts_in_the_language_of_the_conversation() -> None:
    class OnlyTheLanguage(dict[str, Any]):
        def __missing__(self, name: str) -> Any:
            raise LookupError(name)

    async def worded(action: ActionSpec) -> str:
        with suppress(Exception):
            result = action.function(OnlyTheLanguage(language="de"), None)
            if isawaitable(result):
                await result
        return wording.say("all_right")

    actions, _ = declared_in(nodes)
    assert len(actions) > 20
    for action in actions.values():
        assert "language" in action.reads, action.name
        assert asyncio.run(worded(action)) == "In Ordnung.", action.name
