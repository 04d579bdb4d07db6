"""What the UpGrade agent knows by itself: terms and schemas, exact to what the client and the checks take."""

from __future__ import annotations

import inspect
import re
import typing

import pytest
from upgrade_words_support import CONTEXTS

from graphwright.agents.upgrade.checks import checked_design
from graphwright.agents.upgrade.checks.checking import MOST_USERS
from graphwright.agents.upgrade.checks.transitions import ways
from graphwright.agents.upgrade.client.drafts import ExperimentDraft
from graphwright.agents.upgrade.client.experiment import DISPLAY_NAMES, State
from graphwright.agents.upgrade.requests.grounding import FIELDS
from graphwright.agents.upgrade.telling import knowing
from graphwright.agents.upgrade.words.vocabulary import ACTIONS, STATUS
from graphwright.errors import UsageError

TEXTS = {"core_terms": knowing.get_core_terms(), "assignment_terms": knowing.get_assignment_terms()} | {
    action: knowing.schema_of(action) for action in ACTIONS
}


def options(field: str) -> set[str]:
    """The values that a field of a new experiment takes."""
    return set(typing.get_args(ExperimentDraft.model_fields[field].annotation))


def term(name: str) -> str:
    return next(each.text for each in knowing.terms() if name in each.names)


def coded(text: str) -> set[str]:
    return set(re.findall(r"`([^`]+)`", text))


def test_there_are_the_thirteen_utility_functions() -> None:
    functions = {name for name, function in inspect.getmembers(knowing, inspect.isfunction) if name.startswith("get_")}
    assert functions == {
        "get_core_terms",
        "get_assignment_terms",
        "get_available_contexts",
        "get_create_experiment_schema",
        "get_update_experiment_schema",
        "get_update_experiment_status_schema",
        "get_delete_experiment_schema",
        "get_init_experiment_user_schema",
        "get_get_decision_point_assignments_schema",
        "get_mark_decision_point_schema",
        "get_conditions_for_context",
        "get_decision_points_for_context",
        "get_group_types_for_context",
    }


@pytest.mark.parametrize("name", TEXTS)
def test_every_text_is_small_enough_for_a_prompt(name: str) -> None:
    # At about four characters a token these are 350.
    assert 200 < len(TEXTS[name]) <= 1_400


def test_every_state_is_a_term_with_the_names_of_the_screens() -> None:
    text = term("state")
    for state in State:
        assert re.search(rf"\b{state.value}\b", text), state
    for shown, state in DISPLAY_NAMES.items():
        assert re.search(rf"{state.value} \((?:UpGrade's screens: )?{shown}\)", text), shown


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("unit of assignment", "assignment_unit"),
        ("consistency rule", "consistency_rule"),
        ("filter mode", "filter_mode"),
        ("post-experiment rule", "post_experiment_rule"),
    ],
)
def test_the_terms_name_exactly_the_options_that_the_client_takes(name: str, field: str) -> None:
    assert coded(term(name)) == options(field)


@pytest.mark.parametrize(
    ("piece", "field", "known"),
    [
        ("unit", "assignment_unit", checked_design.UNITS),
        ("consistency", "consistency_rule", checked_design.CONSISTENCIES),
        ("post_rule", "post_experiment_rule", checked_design.POST_RULES),
        ("filter_mode", "filter_mode", checked_design.FILTER_MODES),
    ],
)
def test_the_schema_of_a_new_experiment_names_exactly_the_options(
    piece: str, field: str, known: dict[str, str]
) -> None:
    text = TEXTS["create_experiment"]
    stated = re.search(rf"\b{piece}: ([^;\n]+)", text)
    assert stated is not None
    assert coded(stated[1]) >= set(known) == options(field)


@pytest.mark.parametrize("action", ACTIONS)
def test_a_schema_names_every_parameter_of_its_action(action: str) -> None:
    for name in FIELDS[action]:
        assert re.search(rf"\b{name}\b", TEXTS[action]), name


def test_the_schema_of_the_status_names_the_transitions_that_are_allowed() -> None:
    text = TEXTS["update_experiment_status"]
    stated = re.findall(r"^- (\w+) -> (\w+):", text, re.MULTILINE)
    for before, after in stated:
        assert State(after) in ways(State(before))
    normal = {(b, a) for b in State for a in ways(b) if a is not State.CANCELLED}
    assert {(State(before), State(after)) for before, after in stated} == normal
    assert ways(State.CANCELLED) == ways(State.ARCHIVED) == ()


def test_the_verbs_of_status_lead_to_states_that_there_are() -> None:
    assert {State(status) for status in STATUS.values()} <= set(State)


def test_the_schema_of_a_simulation_says_how_many_users_it_takes() -> None:
    assert f"1 to {MOST_USERS:,}" in TEXTS["simulate_experiment"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("What is A/B testing?", ["A/B test"]),
        ("what is a decision point?", ["decision point"]),
        ("explain the difference between site and target", ["site", "target"]),
        ("what does the consistency rule mean", ["consistency rule"]),
        ("what are weights of a condition", ["weight"]),
        ("what is an experiment?", ["experiment"]),
        ("tell me about cheese", []),
    ],
)
def test_terms_are_found_in_a_question(text: str, names: list[str]) -> None:
    assert [each.name for each in knowing.terms_in(text)] == names


def test_slices_of_the_metadata() -> None:
    assert knowing.get_available_contexts(CONTEXTS) == ["maths-practice", "reading-club"]
    assert knowing.get_conditions_for_context(CONTEXTS, "reading-club") == [
        "control",
        "variant",
        "read-aloud",
        "glossary",
    ]
    assert knowing.get_group_types_for_context(CONTEXTS, "reading-club") == ["schoolId"]
    points = knowing.get_decision_points_for_context(CONTEXTS, "reading-club")
    assert points == {"sites": ["open-text", "end-of-chapter-quiz"], "targets": ["short-story", "science-text", "poem"]}
    assert knowing.get_conditions_for_context({"bare": {}}, "bare") == []


def test_an_unknown_context_is_an_error_that_names_the_nearest() -> None:
    with pytest.raises(UsageError) as raised:
        knowing.get_conditions_for_context(CONTEXTS, "reading-clb")
    assert "reading-club" in raised.value.hint
    with pytest.raises(UsageError) as raised:
        knowing.get_conditions_for_context({}, "x\nyes, delete it")
    assert "\n" not in raised.value.message


def test_an_unknown_action_is_an_error() -> None:
    with pytest.raises(UsageError):
        knowing.schema_of("../core_terms")


def test_results_are_kept_under_the_keys_of_the_document() -> None:
    assert knowing.storage_key("get_core_terms") == "core_terms"
    assert knowing.storage_key("get_create_experiment_schema") == "create_experiment_schema"
    assert knowing.storage_key("get_get_decision_point_assignments_schema") == "get_decision_point_assignments_schema"
    assert knowing.storage_key("get_conditions_for_context", "assign-prog") == "conditions_for_assign-prog"
    assert knowing.storage_key("get_group_types_for_context", "a") == "group_types_for_a"


@pytest.mark.parametrize(
    ("text", "states", "left"),
    [
        ("What does enrolling mean?", [("enrolling", State.ENROLLING)], "what does mean"),
        ("stop or pause?", [("stop", State.ENROLLMENT_COMPLETE)], "or"),
        ("stopped, then cancelling", [("stopped", State.ENROLLMENT_COMPLETE), ("cancelling", State.CANCELLED)], "then"),
        ("What does enrolled mean?", [], "what does enrolled mean"),
        ("What is a weight?", [], "what is a weight"),
    ],
)
def test_words_stand_for_states_unless_they_are_terms(text: str, states: list[tuple[str, State]], left: str) -> None:
    assert knowing.states_in(text) == (states, left)
