"""What the UpGrade agent answers by itself to questions about experiments, lists and what an action takes."""

from __future__ import annotations

from pathlib import Path

import pytest
from runtime_support import scripted

from graphwright import Session, load
from graphwright.agents.upgrade.words.states_said import STATES, kind_of, states_said

CREATE = "Create experiment {} in {} with control 30 and variant 70 at {}"


@pytest.fixture(autouse=True)
def no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("API_URL", "AUTH_TOKEN", "SERVICE_ACCOUNT", "CLIENT_API_KEY", "CLIENT_API_SECRET"):
        monkeypatch.delenv(f"UPGRADE_{name}", raising=False)


async def asked(session: Session, *says: str) -> list[str]:
    return [(await session.send(text)).reply for text in says]


async def test_questions_are_answered_with_what_they_ask_for_and_no_more(tmp_path: Path) -> None:
    # A model that is asked anything here has no answer, so code alone replies.
    async with load("upgrade").session("t", model=scripted(), home=tmp_path) as session:
        await asked(session, CREATE.format("Foo Hints", "maths-practice", "show-problem/fractions-intro"), "yes")
        await asked(session, CREATE.format("Bar Club", "reading-club", "open-text/poem"), "yes")
        await asked(session, "start Foo Hints", "yes")
        running, idle, club, both = await asked(
            session,
            "Which experiments are running right now?",
            "Which experiments have not been started yet?",
            "List the experiments in reading-club",
            "What are my experiments?",
        )
        weights, term, needs, stopped = await asked(
            session,
            "What are the weights of Foo Hints?",
            "What are weights?",
            "What do I have to tell you to create an experiment?",
            "Which experiments are cancelled?",
        )
    assert "There is 1 running experiment:" in running
    assert "Foo Hints" in running
    assert "Bar Club" not in running
    assert "There is 1 inactive experiment:" in idle
    assert "Bar Club" in idle
    assert "Foo Hints" not in idle
    assert "There is 1 experiment in 'reading-club':" in club
    assert "Foo Hints" in both
    assert "Bar Club" in both
    assert "'control' 30 %, 'variant' 70 %" in weights
    assert "Foo Hints" not in term
    assert all(word in needs for word in ("name", "context", "conditions", "decision_points"))
    assert stopped == "There are no cancelled experiments."


async def test_a_place_in_a_narrowed_list_is_the_place_that_was_shown(tmp_path: Path) -> None:
    async with load("upgrade").session("t", model=scripted(), home=tmp_path) as session:
        for name in ("Foo Hints", "Bar Hints"):
            await asked(session, CREATE.format(name, "maths-practice", "show-problem/fractions-intro"), "yes")
        await asked(session, "start Foo Hints", "yes")
        _, question = await asked(session, "Which experiments are inactive?", "start the first one")
    assert "'Bar Hints'" in question


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("which are running", {"enrolling"}),
        ("which are live or paused?", {"enrolling", "enrollmentComplete"}),
        ("those with enrollment complete", {"enrollmentComplete"}),
        ("the ones that haven't been started", {"inactive"}),
        ("not started yet", {"inactive"}),
        ("what has been started", {"enrolling"}),
        ("which ones aren't running", set(STATES) - {"enrolling"}),
        ("die inaktiven", {"inactive"}),
        ("the archived ones", {"archived"}),
        ("all of them", set()),
    ],
)
def test_states_are_read_in_either_vocabulary(text: str, states: set[str]) -> None:
    assert states_said(text) == states


def test_a_kind_of_experiments_is_named_by_its_states() -> None:
    assert kind_of(frozenset({"enrolling"})) == "running"
    assert kind_of(frozenset({"enrolling", "inactive"})) == "inactive or running"
    assert kind_of(frozenset(STATES) - {"enrolling"}) == "non-running"
    assert kind_of(frozenset()) == ""
