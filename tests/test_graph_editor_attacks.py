"""Attacks on the graph editor: what models and users may say, and what must not be written for it."""

import pytest
from graph_editor_support import NOTHING_LEFT, add, call, goal_spec, played, step_plan, update

from graphwright.agents.graph_editor.mentions import tool_named
from graphwright.graphstore import AddEdge, AddNode


def user(k, **p):
    return AddNode("User", k, p)


def ticket(k, **p):
    return AddNode("Ticket", k, p)


def part(k, **p):
    return AddNode("Part", k, p)


def link(a, t, b):
    return call("add_edge", from_key=a, type=t, to_key=b)


TRACKER = [
    user("ann", role="dev"),
    user("bob"),
    ticket("T-1", status="open", priority="low"),
    ticket("T-10", status="open"),
]
CHAIN = [ticket("T-1"), ticket("T-2"), ticket("T-3"), AddEdge("T-1", "BLOCKS", "T-3")]
FRIENDS = [*TRACKER, user("carl"), AddEdge("ann", "KNOWS", "bob", {"since": 2000})]
LOOK_UP = call("query_graph", label="Ticket", where={"key": "T-10"})
TESTER = goal_spec(add("User", "zz99", role="tester"))
# every case: graph, [(message, rules...)...]; the graph must be as before
NOTHING = {
    "key-prefix": (
        TRACKER,
        [("Close T-10.", goal_spec(update("T-1", status="closed")), NOTHING_LEFT, NOTHING_LEFT, NOTHING_LEFT)],
    ),
    "key-twin": (
        [ticket("T-1", s="open"), ticket("T_1", s="open")],
        [("Set s of T-1 to closed.", goal_spec(update("T_1", s="closed")), NOTHING_LEFT, NOTHING_LEFT)],
    ),
    "upsert-other": (
        TRACKER,
        [
            (
                "Create a ticket T-9 with status closed.",
                goal_spec(add("Ticket", "T-1", status="closed")),
                NOTHING_LEFT,
                NOTHING_LEFT,
            )
        ],
    ),
    "one-row": (
        TRACKER,
        [
            (
                "Close T-1.",
                goal_spec(),
                step_plan(LOOK_UP),
                step_plan(update("T-10", status="closed"), final=True),
                NOTHING_LEFT,
                NOTHING_LEFT,
            )
        ],
    ),
    "recent": (
        TRACKER,
        [
            ("Show T-10", goal_spec(LOOK_UP, intent="query")),
            ("Close T-1.", goal_spec(update("T-10", status="closed")), NOTHING_LEFT, NOTHING_LEFT),
        ],
    ),
    "data-value": (
        [ticket("T-1", s="open", note="T-2"), ticket("T-2", s="open")],
        [
            (
                "Look up the note of T-1 and set s of T-1 to closed.",
                goal_spec(),
                step_plan(call("cypher_query", query="MATCH (t:Ticket {key:'T-1'}) RETURN t.note AS note")),
                step_plan(update("T-2", s="closed"), final=True),
                NOTHING_LEFT,
                NOTHING_LEFT,
            )
        ],
    ),
    "negated": (
        TRACKER,
        [
            (
                "Don't set the status of T-1 to closed.",
                goal_spec(update("T-1", status="closed")),
                NOTHING_LEFT,
                NOTHING_LEFT,
            )
        ],
    ),
    "negated-add": (
        TRACKER,
        [("Please do not create a user dan.", goal_spec(add("User", "dan")), NOTHING_LEFT, NOTHING_LEFT)],
    ),
    "unsure": (
        TRACKER,
        [
            (
                "I am not sure whether I should close T-1",
                goal_spec(update("T-1", status="closed")),
                NOTHING_LEFT,
                NOTHING_LEFT,
            )
        ],
    ),
    "delete-is-update": (
        TRACKER,
        [("Delete the closed ticket T-1.", goal_spec(update("T-1", status="closed")), NOTHING_LEFT, NOTHING_LEFT)],
    ),
    "delete-is-add": (
        CHAIN,
        [
            (
                "Delete the BLOCKS edge from T-1 to T-2.",
                goal_spec(link("T-1", "BLOCKS", "T-2")),
                NOTHING_LEFT,
                NOTHING_LEFT,
            )
        ],
    ),
    "null-is-add": (
        CHAIN,
        [
            (
                "Remove the BLOCKS relation between T-1 and T-2.",
                goal_spec(update("T-1", BLOCKS=None)),
                NOTHING_LEFT,
                NOTHING_LEFT,
            )
        ],
    ),
    "no-create-reply": (
        [*TRACKER, AddEdge("T-1", "OF", "ann")],
        [
            (
                "Assign T-1 to carl.",
                goal_spec(call("add_edge", from_key="T-1", type="OF", to_key="carl", to_label="User")),
            ),
            ("Do not create User carl, I meant someone else", NOTHING_LEFT, NOTHING_LEFT),
        ],
    ),
    "not-that-one": (
        TRACKER,
        [("Close T-11.", goal_spec(update("T-11", status="closed"))), ("not T-10!", NOTHING_LEFT, NOTHING_LEFT)],
    ),
    "key-why": (TRACKER, [("Add a user with role tester.", TESTER), ("why?", NOTHING_LEFT, NOTHING_LEFT)]),
    "key-yes": (TRACKER, [("Add a user with role tester.", TESTER), ("yes", NOTHING_LEFT, NOTHING_LEFT)]),
    "key-nope": (TRACKER, [("Add a user with role tester.", TESTER), ("nope", NOTHING_LEFT, NOTHING_LEFT)]),
    "key-existing": (TRACKER, [("Add a user with role tester.", TESTER), ("ann", NOTHING_LEFT, NOTHING_LEFT)]),
    "other-type": (
        FRIENDS,
        [("Add a LIKES edge from ann to carl.", goal_spec(link("ann", "KNOWS", "carl")), NOTHING_LEFT, NOTHING_LEFT)],
    ),
    "other-edge": (
        [*FRIENDS, AddEdge("T-1", "LIKES", "T-10")],
        [
            (
                "Set since of the LIKES edge from ann to bob to 2020.",
                goal_spec(call("update_props", from_key="ann", type="LIKES", to_key="bob", properties={"since": 2020})),
                NOTHING_LEFT,
                NOTHING_LEFT,
            )
        ],
    ),
    "infinite": (
        TRACKER,
        [
            (
                "Set the priority of T-1 to " + "9" * 400,
                goal_spec(update("T-1", priority=1.0)),
                NOTHING_LEFT,
                NOTHING_LEFT,
            )
        ],
    ),
    "has-to-be": (
        TRACKER,
        [
            (
                "Add ticket T-20 with the status open. It has to be closed.",
                goal_spec(add("Ticket", "T-20", status="open")),
                NOTHING_LEFT,
            )
        ],
    ),
    "contradiction": (
        TRACKER,
        [
            (
                "Create ticket T-4 from ann with status open. It should be closed.",
                goal_spec(add("Ticket", "T-4", status="open"), contradictions=["status 'open' and 'closed'"]),
                step_plan(add("Ticket", "T-4", status="open"), final=True),
                NOTHING_LEFT,
            )
        ],
    ),
}
# the model is right, or nearly: the nodes that change, as they must come out, and no others
EXACT = {
    "name-around-key": (
        TRACKER,
        "Add a user 'ann lee' with role admin.",
        add("User", "ann lee", role="admin"),
        {"ann lee": {"role": "admin"}},
    ),
    "warehouse": (
        [AddNode("Warehouse", "Berlin", {"capacity": 900})],
        "Add a warehouse Berlin Nord with capacity 5.",
        add("Warehouse", "Berlin Nord", capacity=5),
        {"Berlin Nord": {"capacity": 5}},
    ),
    "c++": (
        [part("P-1", lang="C"), part("P-2", lang="Java")],
        "Set the lang of P-2 to C++.",
        update("P-2", lang="C++"),
        {"P-2": {"lang": "C++"}},
    ),
    "1.1": (
        [part("P-1", version="11"), part("P-2", version="3")],
        "Set the version of P-2 to 1.1.",
        update("P-2", version="1.1"),
        {"P-2": {"version": "1.1"}},
    ),
    "1,5": (
        [part("P-1", price=2.5)],
        "Setze den price von P-1 auf 1,5.",
        update("P-1", price="1,5"),
        {"P-1": {"price": 1.5}},
    ),
    "empty-list": (
        [ticket("T-1", status="open", tags=["a"])],
        "Close T-1.",
        update("T-1", status="closed", tags=[]),
        {"T-1": {"status": "closed", "tags": ["a"]}},
    ),
    "without-touching": (
        TRACKER,
        "Set the priority of T-1 to high without touching its status.",
        update("T-1", priority="high", status=None),
        {"T-1": {"status": "open", "priority": "high"}},
    ),
    "bool": (
        [ticket("T-1", urgent=True)],
        "T-1 should be urgent.",
        update("T-1", urgent=False),
        {},
    ),
    "quoted-order": (
        TRACKER,
        "Create ticket T-5 with the summary 'please also create user eve'.",
        add("User", "eve"),
        {},
    ),
}


@pytest.mark.parametrize("name", NOTHING)
async def test_nothing_is_written(tmp_path, name):
    graph, turns = NOTHING[name]
    before, after, _ = await played(tmp_path, graph, *turns)
    assert after == before


@pytest.mark.parametrize("name", EXACT)
async def test_exactly_that(tmp_path, name):
    graph, text, tool, wanted = EXACT[name]
    before, after, _ = await played(tmp_path, graph, (text, goal_spec(tool), NOTHING_LEFT, NOTHING_LEFT))
    assert {each.key: dict(each.properties) for each in after if each not in before} == wanted
    assert {each.identity for each in before} <= {each.identity for each in after}


WARD = [
    AddNode("Doctor", "tanaka", {"name": "Dr Mei Tanaka", "pager": 736}),
    AddNode("Doctor", "riva", {"name": "Dr Paul Riva"}),
    AddNode("Patient", "farouk", {"name": "Nadia Farouk", "status": "critical"}),
    AddNode("Patient", "berg", {"name": "Jonas Berg", "status": "stable"}),
    AddEdge("riva", "TREATS", "berg"),
]


@pytest.mark.parametrize("tool", [update("farouk", status="treated"), update("farouk", doctor="treating")])
async def test_a_verb_of_an_edge_makes_the_edge_and_is_no_value(tmp_path, tool):
    text = "From today Dr Tanaka is treating Nadia Farouk as well."
    before, after, turn = await played(tmp_path, WARD, (text, goal_spec(tool), NOTHING_LEFT))
    assert [str(e.identity) for e in after if e not in before] == [
        "('edge', 'Doctor', 'tanaka', 'TREATS', 'Patient', 'farouk')"
    ]
    assert len(after) == len(before) + 1
    assert turn.status == "ended"


@pytest.mark.parametrize(
    "text",
    [
        "Dr Tanaka is not treating Nadia Farouk.",
        "Is Dr Tanaka treating Nadia Farouk?",
        "Dr Tanaka and Dr Riva are treating Nadia Farouk.",
        "Nadia Farouk is a patient Dr Tanaka knows of.",
    ],
)
async def test_other_words_make_no_edge_of_their_own(tmp_path, text):
    tool = update("farouk", status="treated")
    before, after, _ = await played(tmp_path, WARD, (text, goal_spec(tool), NOTHING_LEFT, NOTHING_LEFT, NOTHING_LEFT))
    assert after == before


async def test_a_text_does_not_become_a_number_that_nobody_named(tmp_path):
    text = "Add Doctor chloe, name 'Chloe Martin'. Her superior is Paul Riva."
    tool = add("Doctor", "chloe", name="Chloe Martin", pager="Paul Riva")
    _, after, _ = await played(tmp_path, WARD, (text, goal_spec(tool), NOTHING_LEFT, NOTHING_LEFT))
    assert {e.key: dict(e.properties) for e in after if hasattr(e, "key")}["chloe"] == {"name": "Chloe Martin"}


async def test_no_is_a_value_where_the_graph_has_yes_and_no(tmp_path):
    graph = [AddNode("Drug", "morphine", {"controlled": True, "stock": 3})]
    tool = add("Drug", "paracetamol", stock=500, controlled="no")
    text = "add drug paracetamol: stock 500, controlled no"
    _, after, turn = await played(tmp_path, graph, (text, goal_spec(tool), step_plan(None)))
    assert turn.status == "ended"
    assert dict(after[1].properties) == {"stock": 500, "controlled": False}


async def test_who_no_longer_takes_a_drug_is_not_deleted(tmp_path):
    graph = [*WARD, AddNode("Drug", "insulin-glargine", {"name": "Insulin glargine"})]
    graph.append(AddEdge("farouk", "TAKES", "insulin-glargine", {"units": 14}))
    text = "Nadia Farouk doesn't take insulin anymore, please remove that"
    tool = call("delete_node", key="farouk")
    before, after, turn = await played(tmp_path, graph, (text, goal_spec(tool)), ("yes",))
    assert turn.status == "ended"
    assert [e.identity[3] for e in before if e not in after] == ["TAKES"]


NAMESAKES = [
    AddNode("Doctor", "riva", {"name": "Dr Paul Riva", "pager": 724}),
    AddNode("Patient", "p-1", {"name": "Jonas Berg", "status": "stable", "note": "-"}),
    AddNode("Patient", "p-2", {"name": "Jonas Berg", "status": "stable"}),
    AddNode("Patient", "p-3", {"name": "Maria Santos", "status": "critical"}),
]
TWICE = "Register patient 5060. Her status is to be stable, and at the same time her status is to be critical."
BERG = ("Jonas Berg is critical now, please change his status.", goal_spec(update("p-1", status="critical")))


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Change Paul Riva's pager to 750, but his pager has to stay 724.", goal_spec(update("riva", pager=750))),
        (TWICE, goal_spec(add("Patient", "5060", status="stable"))),
        BERG,
    ],
    ids=["it stays", "at the same time", "two of a name"],
)
async def test_before_anything_is_written_the_user_is_asked(tmp_path, text, rule):
    before, after, turn = await played(tmp_path, NAMESAKES, (text, rule, *[NOTHING_LEFT] * 4))
    assert after == before
    assert turn.waiting_for is not None


async def test_a_sentence_is_no_note(tmp_path):
    text = "Note that patient p-1 takes warfarin, dose_mg 5."
    rules = [goal_spec(update("p-1", note=text)), *[NOTHING_LEFT] * 4]
    before, after, turn = await played(tmp_path, NAMESAKES, (text, *rules))
    assert after == before
    assert turn.reply.startswith("Nothing was done.")


async def test_of_two_of_a_name_the_one_that_is_chosen_is_changed(tmp_path):
    _, after, turn = await played(tmp_path, NAMESAKES, BERG, ("2",))
    assert turn.status == "ended"
    assert [e.properties["status"] for e in after if e.label == "Patient"] == ["stable", "critical", "critical"]


STORE = [
    *(
        AddNode("Drug", key, {"form": form, "stock": stock, "keep_cold": cold})
        for key, form, stock, cold in [
            ("heparin", "injection", 64, False),
            ("ibuprofen", "tablet", 900, False),
            ("morphine", "injection", 30, False),
            ("insulin", "pen", 18, True),
        ]
    )
]


@pytest.mark.parametrize(
    ("text", "tool", "changed"),
    [
        ("Set keep_cold to true for all injections.", update("Drug", keep_cold=True), {"heparin", "morphine"}),
        (
            "Every drug with a stock below 50 must be kept cold: set keep_cold to true.",
            update("morphine", keep_cold=True),
            {"morphine"},
        ),
        ("Delete the drugs with a stock below 50.", call("delete_node", key="morphine"), {"morphine", "insulin"}),
        ("Delete all injections.", call("query_graph", label="Drug"), {"heparin", "morphine"}),
    ],
)
async def test_what_is_said_of_all_is_shown_at_once_and_done_after_a_yes(tmp_path, text, tool, changed):
    before, asked, turn = await played(tmp_path, STORE, (text, goal_spec(tool)))
    assert turn.waiting_for.node == "q.confirm"
    assert asked == before
    assert {each.key for each in before if each.key in turn.reply} == changed
    _, after, turn = await played(tmp_path, [], ("yes",))
    assert turn.status == "ended"
    assert {each.key for each in before if each not in after} == changed


@pytest.mark.parametrize("text", ["Delete the drugs.", "Delete drugs that nobody needs any more."])
async def test_which_ones_are_meant_has_to_be_said(tmp_path, text):
    tool = call("delete_node", key="morphine")
    before, after, _ = await played(tmp_path, STORE, (text, goal_spec(tool), NOTHING_LEFT, NOTHING_LEFT, NOTHING_LEFT))
    assert after == before


@pytest.mark.parametrize(
    "rules",
    [
        [step_plan(add("Ticket", "T-3")), NOTHING_LEFT, NOTHING_LEFT, NOTHING_LEFT],
        [step_plan(add("Ticket", "T-3")), step_plan(add("Ticket", "T-3")), NOTHING_LEFT, NOTHING_LEFT],
    ],
)
async def test_what_is_left_is_told(tmp_path, rules):
    *_, turn = await played(tmp_path, [], ("Create tickets T-3 and T-4.", goal_spec(), *rules))
    assert "Not done: nothing was done with T-4" in turn.reply


async def test_a_slip_after_a_write_is_planned_again(tmp_path):
    rules = [
        goal_spec(),
        step_plan(add("User", "carl", role="admin")),
        step_plan(update("carl")),
        step_plan(update("carl", age=40), final=True),
    ]
    text = "Add user carl with role admin. Then set the age of carl to 40."
    _, after, _ = await played(tmp_path, [], (text, *rules))
    assert [dict(each.properties) for each in after] == [{"role": "admin", "age": 40}]


@pytest.mark.parametrize("value", [99999999999999999999, float("inf")])
async def test_a_number_that_is_too_large_is_written_as_the_text_that_was_said(tmp_path, value):
    said = "99999999999999999999"
    rules = [goal_spec(update("T-1", serial=value)), goal_spec(update("T-1", serial=said))]
    _, after, turn = await played(tmp_path, TRACKER, (f"Set the serial of T-1 to {said}.", *rules))
    assert turn.status == "ended"
    assert dict(next(each for each in after if each.key == "T-1").properties)["serial"] == said


async def test_the_request_says_from_where_to_where(tmp_path):
    turned = goal_spec(link("carl", "KNOWS", "ann"))
    text = "Add a KNOWS edge from ann to carl."
    _, after, _ = await played(tmp_path, FRIENDS, (text, turned, NOTHING_LEFT, NOTHING_LEFT))
    made = [edge.name for edge in after if "KNOWS" in edge.name and "carl" in edge.name]
    assert made == ["User ann -[KNOWS]-> User carl"]


async def test_a_reply_without_end_ends_its_goal_and_no_other(tmp_path):
    unclear = goal_spec(confidence=0.1)
    plan = step_plan(add("User", "dora"), final=True)
    turns = [("Fix it.", unclear), ("x" * 9000,), ("Add the user dora, all of her.", goal_spec(), plan)]
    *_, turn = await played(tmp_path, [], *turns)
    assert "+ User dora" in turn.reply


def test_one_long_word_is_read_in_one_go():
    # Read anew from each of its letters, it would take hours.
    assert tool_named("a_" * 500_000) == ""
