"""Experiments and contexts that the tests of the UpGrade agent's reading speak of."""

from __future__ import annotations

from typing import Any

from upgrade_actions_support import facts

from graphwright.agents.upgrade.checks.facts import Facts
from graphwright.agents.upgrade.requests.reading import Reading, read_request
from graphwright.agents.upgrade.words.references import Recent

MATH, RUNNING, FOO, BAR = (f"{digit * 8}-1111-4111-8111-111111111111" for digit in "1234")
TWIN_ONE, TWIN_TWO, DELETER, PILOT = (f"{digit * 8}-1111-4111-8111-111111111111" for digit in "5678")
FALL = "99999999-1111-4111-8111-111111111111"
EXPERIMENTS = (
    (MATH, "Math Hints"),
    (RUNNING, "Running Test"),
    (FOO, "Foo"),
    (BAR, "Bar"),
    (TWIN_ONE, "Twin"),
    (TWIN_TWO, "Twin"),
    (DELETER, "Delete Old Users"),
    (PILOT, "Pilot 2"),
    (FALL, "Worked Examples Fall"),
)
NAMES = dict(EXPERIMENTS)
CONTEXTS = {
    "maths-practice": {
        "conditions": ["control", "variant", "worked-example", "hint-first"],
        "group_types": ["schoolId", "classId"],
        "sites": ["select-section", "show-problem", "give-hint"],
        "targets": ["fractions-intro", "linear-equations", "area-of-shapes"],
    },
    "reading-club": {
        "conditions": ["control", "variant", "read-aloud", "glossary"],
        "group_types": ["schoolId"],
        "sites": ["open-text", "end-of-chapter-quiz"],
        "targets": ["short-story", "science-text", "poem"],
    },
}
RECENT = (Recent(FOO, "Foo", "created"), Recent(BAR, "Bar", "shown"))


def read(text: str, **more: Any) -> Reading:
    """A message as the agent reads it, with Foo just created and Bar shown before."""
    given: dict[str, Any] = {"experiments": EXPERIMENTS, "contexts": CONTEXTS, "recent": RECENT} | more
    return read_request(text, **given)


def foo(**changes: Any) -> Facts:
    """What is known of Foo."""
    conditions = [{"code": "control", "weight": 50.0}, {"code": "variant", "weight": 50.0}]
    known = {"experiment_id": FOO, "name": "Foo", "state": "enrolling", "conditions": conditions}
    return facts(**{**known, **changes})
