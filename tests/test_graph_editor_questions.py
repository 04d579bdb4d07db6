"""Questions that code reads beside the model: over several edges, with conditions in words, in an order."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import pytest
from graph_editor_support import call, editor, goal_spec, opened, step_plan
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from runtime_support import scripted

from graphwright.agents.graph_editor.ways import MOST_HOPS, way
from graphwright.graphstore import AddEdge, AddNode, LabelSchema, Schema, TypeSchema
from graphwright.graphstore.port import Write

CLUB: list[Write] = [
    *(AddNode("Trainer", key, {"name": name}) for key, name in [("t-amir", "Amir Said"), ("t-bea", "Bea Holm")]),
    *(
        AddNode("Member", key, {"name": name, "born": born, "level": level, "active": active, "visits": visits})
        for key, name, born, level, active, visits in [
            ("m-1", "Ida Berg", "1961-02-03", "beginner", True, 3),
            ("m-2", "Leo Park", "1999-10-11", "expert", True, 210),
            ("m-3", "Pia Novak", "1984-05-06", "beginner", False, 80),
            ("m-4", "Tom Reed", "1975-01-01", "advanced", True, 99),
        ]
    ),
    *(AddNode("Course", key, {"title": title}) for key, title in [("c-yoga", "Yoga"), ("c-box", "Boxing")]),
    *(AddNode("Hall", key, {"seats": seats}) for key, seats in [("h-1", 40), ("h-2", 25), ("h-3", 12)]),
    AddEdge("t-amir", "LEADS", "c-yoga"),
    AddEdge("t-bea", "LEADS", "c-box"),
    AddEdge("m-1", "ATTENDS", "c-yoga"),
    AddEdge("m-2", "ATTENDS", "c-yoga"),
    AddEdge("m-3", "ATTENDS", "c-box"),
    AddEdge("c-yoga", "HELD_IN", "h-1"),
    AddEdge("c-box", "HELD_IN", "h-2"),
    AddEdge("t-amir", "COACHES", "t-bea"),
]

# The request, what the model makes of it, and the keys that the answer names, of all that begin alike.
READ: dict[str, tuple[str, dict[str, Any], set[str]]] = {
    "two edges, the end left out": (
        "Which halls are used by Bea Holm?",
        call("query_graph", label="Hall"),
        {"h-2"},
    ),
    "three edges, an edge that does not exist": (
        "which members train in hall h-1",
        call("query_graph", label="Member", related={"type": "HELD_IN", "key": "h-1"}),
        {"m-1", "m-2"},
    ),
    "the wrong thing asked for": (
        "Which trainers have pupils in h-2?",
        call("query_graph", label="Hall", where={"key": "h-2"}),
        {"t-bea"},
    ),
    "part of a name": (
        "please list all members of Said's courses",
        call("query_graph", label="Member"),
        {"m-1", "m-2"},
    ),
    "a comparison left out": (
        "which members have more than 90 visits?",
        call("query_graph", label="Member"),
        {"m-2", "m-4"},
    ),
    "a comparison taken for a value": (
        "Members with at least 99 visits?",
        call("query_graph", label="Member", where={"visits": 99}),
        {"m-2", "m-4"},
    ),
    "years before": (
        "Show me members born before 1975.",
        call("query_graph", label="Member", where={"born": "1975"}),
        {"m-1"},
    ),
    "years after": (
        "Show me members born after 1975.",
        call("query_graph", label="Member", where={"born": {"gt": "1975"}}),
        {"m-2", "m-3"},
    ),
    "a value left out": ("Which members are beginners?", call("query_graph", label="Member"), {"m-1", "m-3"}),
    "a value that is not meant": (
        "Which members are not beginners?",
        call("query_graph", label="Member", where={"level": "beginner"}),
        {"m-2", "m-4"},
    ),
    "two values": (
        "members who are experts or advanced?",
        call("query_graph", label="Member", where={"level": "expert"}),
        {"m-2", "m-4"},
    ),
    "what is not so": (
        "which members are not active?",
        call("query_graph", label="Member", where={"active": True}),
        {"m-3"},
    ),
    "a value that nobody said": (
        "Which members are there?",
        call("query_graph", label="Member", where={"level": "expert"}),
        {"m-1", "m-2", "m-3", "m-4"},
    ),
    "what has no such edge": ("Which halls have no courses?", call("query_graph", label="Hall"), {"h-3"}),
    "nobody does": ("Is there any member who attends no course?", call("query_graph", label="Member"), {"m-4"}),
    "a property in the place of a label": (
        "List the beginners, please.",
        call("query_graph", label="level"),
        {"m-1", "m-3"},
    ),
    "an edge in the place of a label": (
        "Which members attend boxing?",
        call("query_graph", label="ATTENDS"),
        {"m-3"},
    ),
    "Cypher that is none": (
        "Is there a hall that no course is held in?",
        call("cypher_query", query="MATCH (h:Hall) NOT (h)<-[:HELD_IN]-() RETURN h"),
        {"h-3"},
    ),
    "Cypher over what does not exist": (
        "how many members have less than 90 visits?",
        call("cypher_query", query="MATCH (m:Person) WHERE m.visits < 90 RETURN count(m)"),
        {"m-1", "m-3"},
    ),
    "the first of an order": (
        "Who is the oldest member?",
        call("cypher_query", query="MATCH (m:Member) RETURN m.key ORDER BY m.age LIMIT 1"),
        {"m-1"},
    ),
    "the first of an order over edges": (
        "Which member of Amir Said has the highest visits?",
        call("query_graph", label="Member", related={"key": "t-amir"}),
        {"m-2"},
    ),
}

# Questions that code leaves to the model: the same call, whatever code could make of the words.
LEFT: dict[str, tuple[str, dict[str, Any], set[str]]] = {
    "one edge": (
        "Which members attend c-yoga?",
        call("query_graph", label="Member", related={"type": "ATTENDS", "key": "c-yoga"}),
        {"m-1", "m-2"},
    ),
    "an edge that the way does not take": (
        "Which trainer coaches the trainer who leads boxing?",
        call("cypher_query", query="MATCH (a)-[:COACHES]->()-[:LEADS]->(c {key: 'c-box'}) RETURN a.key"),
        {"t-amir"},
    ),
    "told together": (
        "What is the average number of visits of the members in h-1?",
        call(
            "cypher_query",
            query="MATCH (m:Member)-[:ATTENDS]->()-[:HELD_IN]->({key: 'h-1'}) RETURN avg(m.visits) AS average",
        ),
        set(),
    ),
}


async def asked(home: Path, text: str, tool: dict[str, Any]) -> str:
    with opened(home) as store:
        goal = store.begin_goal("club", key="club").id
        for number, write in enumerate(CLUB):
            store.apply([write], goal=goal, key=f"club {number}")
        store.finish_goal(goal, "done")
        async with editor().session("ask", model=scripted(goal_spec(tool), step_plan(None)), home=home) as session:
            turn = await session.send(text)
        assert turn.error is None
        assert turn.status == "ended", turn.reply
        return turn.reply


@pytest.mark.parametrize("case", [*READ, *LEFT])
async def test_a_question_finds_what_its_words_say_whatever_the_model_made_of_it(tmp_path: Path, case: str) -> None:
    text, tool, keys = {**READ, **LEFT}[case]
    reply = await asked(tmp_path, text, tool)
    prefix = next(iter(keys), "m-")[:2]
    assert set(re.findall(rf"(?<![\w-]){prefix}[\w-]+", reply)) == keys, reply


async def test_what_is_told_together_is_the_models(tmp_path: Path) -> None:
    text, tool, _ = LEFT["told together"]
    assert "106.5" in await asked(tmp_path, text, tool)


def schema(*joins: tuple[str, str, str]) -> Schema:
    labels = sorted({label for one, _, other in joins for label in (one, other)})
    types: dict[str, set[tuple[str, str]]] = {}
    for one, kind, other in joins:
        types.setdefault(kind, set()).add((one, other))
    return Schema(
        tuple(LabelSchema(label, 1, {}) for label in labels),
        tuple(TypeSchema(kind, 1, {}, tuple(sorted(pairs))) for kind, pairs in sorted(types.items())),
    )


def test_of_two_ways_of_one_length_none_is_sure() -> None:
    both = schema(("A", "X", "B"), ("B", "Y", "C"), ("A", "V", "D"), ("D", "W", "C"))
    assert way(both, "A", "C") is None
    assert [hop.label for hop in way(both, "A", "C", through={"D"}) or ()] == ["D", "C"]
    assert [hop.type for hop in way(both, "A", "C", words={"y"}) or ()] == ["X", "Y"]


NODE_LABELS = st.sampled_from("ABCDEF")


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.tuples(NODE_LABELS, st.sampled_from("XYZ"), NODE_LABELS), min_size=1, max_size=12),
    NODE_LABELS,
    NODE_LABELS,
)
def test_a_way_takes_edges_that_the_schema_has_and_no_shorter_one_is_there(joins: Any, start: str, end: str) -> None:
    made = schema(*joins)
    found = way(made, start, end)
    if found is None:
        return
    at = start
    for hop in found:
        assert ((at, hop.type, hop.label) if hop.outgoing else (hop.label, hop.type, at)) in joins
        at = hop.label
    assert at == end
    near = {(a, b) for a, _, b in joins} | {(b, a) for a, _, b in joins}
    reached = {start}
    for length in itertools.count(1):
        reached = {b for a, b in near if a in reached}
        if end in reached:
            assert length == len(found) <= MOST_HOPS
            break
