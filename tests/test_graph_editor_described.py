"""Nodes that a request or a reply describes by what they are about, what they have, or their place in a list."""

from __future__ import annotations

import pytest
from graph_editor_support import NONSENSE, PLAN_NOTHING, call, goal_spec, play, step_plan, update

from graphwright.graphstore import AddEdge, AddNode

LOOK = goal_spec(call("query_graph", label="Ticket", where={"status": "closed"}), intent="query")


TRACKER = [
    AddNode("Sprint", "S-1", {"name": "Sprint 1", "state": "active"}),
    AddNode("Sprint", "S-2", {"name": "Sprint 2", "state": "planned"}),
    AddNode("Sprint", "S-3", {"name": "Sprint 3", "state": "closed"}),
    AddNode("User", "ann.lee", {"name": "Ann Lee"}),
    AddNode("User", "ben.ode", {"name": "Ben Ode"}),
    *(
        AddNode("Ticket", f"T-{number}", {"summary": summary, "status": status, "priority": priority})
        for number, summary, status, priority in (
            (1, "Login button does nothing", "open", "high"),
            (2, "Password reset mail is never sent", "in progress", "medium"),
            (3, "Invoice total is rounded twice", "closed", "low"),
            (4, "Mail footer has a typo", "open", "low"),
        )
    ),
    AddEdge("T-2", "ASSIGNED_TO", "ben.ode"),
    AddEdge("T-3", "ASSIGNED_TO", "ann.lee"),
    AddNode("Recipe", "r-1", {"title": "Bread", "text": "Rye flour and water", "level": "easy"}),
    AddNode("Recipe", "r-2", {"title": "Cake", "text": "Butter and sugar", "level": "hard"}),
]


def ticket(number: int, summary: str, status: str, priority: str) -> str:
    return f"Ticket T-{number} priority={priority}, status={status}, summary={summary}"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (
            "Hi! I've just finished the ticket about the password reset mail, could you set it to closed? Thanks",
            {ticket(2, "Password reset mail is never sent", "closed", "medium")},
        ),
        (
            "Set the ticket about the login button to in progress.",
            {ticket(1, "Login button does nothing", "in progress", "high")},
        ),
        (
            "Please set the priority of the ticket about the footer typo to high.",
            {ticket(4, "Mail footer has a typo", "open", "high")},
        ),
        ("Mark T-1 as closed.", {ticket(1, "Login button does nothing", "closed", "high")}),
        ("Make T-4 high.", {ticket(4, "Mail footer has a typo", "open", "high")}),
        (
            "Sprint 1 is over. Set its state to closed and make sprint 2 active.",
            {"Sprint S-1 name=Sprint 1, state=closed", "Sprint S-2 name=Sprint 2, state=active"},
        ),
        ("Set the recipe with rye flour to hard.", {"Recipe r-1 level=hard, text=Rye flour and water, title=Bread"}),
    ],
)
@pytest.mark.parametrize("rule", [LOOK, NONSENSE, goal_spec()], ids=["looks", "nonsense", "unsure"])
async def test_a_value_for_what_is_described_is_written(tmp_path, text, lines, rule):
    before, after, turn = await play(tmp_path, TRACKER, (text, rule, *PLAN_NOTHING))
    assert turn.status == "ended", turn.reply
    assert after - before == lines


@pytest.mark.parametrize(
    "text",
    [
        "Set the ticket about the mail to closed.",
        "Set the ticket about the password reset page to closed.",
        "Should I set the ticket about the login button to closed?",
        "Do not set the ticket about the login button to closed.",
        "If the ticket about the login button is done, set it to closed.",
        "The ticket about the login button is annoying.",
        "Make T-1 purple.",
        "Make T-1 and T-4 friends.",
        "Make sprint 2 active or closed.",
        "T-1 blocks T-4, set it to closed.",
    ],
)
async def test_what_fits_several_or_none_is_not_written(tmp_path, text):
    before, after, _ = await play(tmp_path, TRACKER, (text, NONSENSE, *PLAN_NOTHING))
    assert after == before


WARD = [
    AddNode("Patient", "12", {"name": "Maria Santos", "born": "1958-03-14", "status": "stable", "weight_kg": 71}),
    AddNode("Patient", "33", {"name": "Maria Santos", "born": "1986-09-08", "status": "critical", "weight_kg": 66}),
    AddNode("Room", "A1", {"beds": 2}),
    AddNode("Room", "B7", {"beds": 1}),
    AddNode("Department", "surgery", {"name": "Surgery"}),
    AddNode("Department", "cardiology", {"name": "Cardiology"}),
    AddEdge("12", "LIES_IN", "A1"),
    AddEdge("33", "LIES_IN", "B7"),
    AddEdge("12", "BELONGS_TO", "cardiology"),
    AddEdge("33", "BELONGS_TO", "surgery"),
]
GO_HOME = "Maria Santos went home today, please set her status to discharged."


@pytest.mark.parametrize(
    ("reply", "key"),
    [
        ("The younger one, born in 1986.", "33"),
        ("the older one", "12"),
        ("The second one please", "33"),
        ("the first", "12"),
        ("The one from surgery", "33"),
        ("she is in room A1", "12"),
        ("born 1958-03-14", "12"),
        ("the critical one", "33"),
        ("the heavier one", "12"),
        ("33", "33"),
        ("Die jüngere", "33"),
    ],
)
@pytest.mark.parametrize("named", ["Maria Santos", "12"])
async def test_a_reply_that_describes_one_of_the_options_chooses_it(tmp_path, reply, key, named):
    tool = update(named, status="discharged")
    before, asked, turn = await play(tmp_path, WARD, (GO_HOME, goal_spec(tool)))
    assert asked == before
    assert turn.waiting_for is not None
    _, after, turn = await play(tmp_path, [], (reply, *PLAN_NOTHING))
    assert turn.status == "ended", turn.reply
    assert {line.split()[1] for line in after - before} == {key}
    assert all("status=discharged" in line for line in after - before)


@pytest.mark.parametrize(
    "reply",
    ["The younger one, born in 1958.", "not the younger one", "the nice one", "Which one is in surgery?", "both"],
)
async def test_a_reply_that_describes_none_or_several_chooses_none(tmp_path, reply):
    tool = update("Maria Santos", status="discharged")
    before, _, _ = await play(tmp_path, WARD, (GO_HOME, goal_spec(tool)))
    again = step_plan(tool, final=True)
    _, after, turn = await play(tmp_path, [], (reply, again, *PLAN_NOTHING))
    assert after == before
    assert turn.waiting_for is not None
