"""Unit, consistency rule and exclusion on reach, played through as on a real server."""

from __future__ import annotations

from typing import Any

import pytest
from upgrade_play import Play, fresh, golden, playing  # noqa: F401
from upgrade_support import upgrade_server  # noqa: F401

SCENARIOS = golden("behaviour_matrix.json")
STUDENTS = ("s1", "s2", "s3", "s4", "s5", "s6")
PHASES = {"inactive": ("s1",), "enrolling": ("s1", "s2", "s4"), "enrollmentComplete": STUDENTS}


def named(scenario: dict[str, Any]) -> str:
    reached = "excluding" if scenario["excludeIfReached"] else "keeping"
    return f"{scenario['assignmentUnit']}-{scenario['consistencyRule']}-{reached}"


def test_the_matrix_is_whole() -> None:
    assert len({named(scenario) for scenario in SCENARIOS}) == 8


@pytest.mark.parametrize("scenario", SCENARIOS, ids=named)
async def test_users_get_and_lose_conditions_as_on_a_real_server(play: Play, scenario: dict[str, Any]) -> None:
    schools = {fresh("A"): "A", fresh("B"): "B"}
    first, second = schools
    ids = {name: await play.user(name, first if name <= "s3" else second) for name in STUDENTS}
    names = {id: name for name, id in ids.items()}
    unit = scenario["assignmentUnit"]
    experiment = await play.experiment(
        weights={"control": 33.4, "variant": 33.3, "third": 33.3},
        exclude_if_reached=scenario["excludeIfReached"],
        assignmentUnit=unit,
        consistencyRule=scenario["consistencyRule"],
        **({"group": "schoolId"} if unit == "group" else {}),
    )

    async def records() -> dict[str, Any]:
        found = await play.records(experiment)
        return {
            "enrolled": {names[id]: code for id, code in found["enrolled"].items()},
            "excluded": {names[id]: code for id, code in found["excluded"].items()},
            "groupsEnrolled": {schools[group] for group in found["groupsEnrolled"]},
            "groupsExcluded": {schools[group]: code for group, code in found["groupsExcluded"].items()},
        }

    codes: dict[str, str] = {}
    for phase, visitors in PHASES.items():
        if phase != "inactive":
            await play.state(experiment.id, phase)
        visits = {}
        for name in visitors:
            code = await play.code(ids[name], experiment)
            await play.mark(ids[name], experiment.points[0], code)
            visits[name] = code
        # Which code is drawn depends on the id of the experiment, whether one is drawn does not.
        expected = scenario["visits"][phase]
        assert {name: code is not None for name, code in visits.items()} == {
            name: code != "default" for name, code in expected.items()
        }, phase
        for name, code in visits.items():
            if code is not None:
                assert codes.setdefault(name, code) == code, f"{name} lost the first condition"
        after = {"enrolling": "recordsAfterEnrolling", "enrollmentComplete": "recordsAfterComplete"}.get(phase)
        if after is not None:
            assert await records() == rows(scenario[after]), phase
    if unit == "group":
        for school in (STUDENTS[:3], STUDENTS[3:]):
            assert len({codes[name] for name in school if name in codes}) <= 1


def rows(golden_records: dict[str, Any]) -> dict[str, Any]:
    return {
        "enrolled": {row["user"]: row["code"] for row in golden_records["enrolled"]},
        "excluded": {row["user"]: row["code"] for row in golden_records["excluded"]},
        "groupsEnrolled": set(golden_records["groupsEnrolled"]),
        "groupsExcluded": {row["group"]: row["code"] for row in golden_records["groupsExcluded"]},
    }
