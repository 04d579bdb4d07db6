"""The graph editor and what is too much: huge requests, a model gone wild, queries without end."""

from __future__ import annotations

from functools import partialmethod
from pathlib import Path
from typing import Any

import pytest
from graph_editor_support import (
    call,
    contents,
    goal_spec,
    graph_file,
    made,
    opened,
    say,
    step_plan,
    store,
)
from graph_support import UNCONFINED, workers
from runtime_support import open_session

from graphwright import Agent
from graphwright.errors import UsageError
from graphwright.graphstore import GraphStore, Node
from graphwright.graphstore.embedded.client import EmbeddedStore

__all__ = ["made", "store"]


async def test_a_request_of_a_megabyte_is_refused_before_anything_begins(
    made: Agent, store: GraphStore, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="at most 100,000 are taken"):
        await say(made, tmp_path, f"Set the note of ann to '{'x' * 1_000_000}'.")
    assert [goal.id for goal in store.goals()] == ["G1"]


async def test_a_request_too_long_for_a_prompt_is_refused_without_asking_the_model(
    made: Agent, store: GraphStore, tmp_path: Path
) -> None:
    before = contents(store)
    turn = await say(made, tmp_path, f"Set the note of ann to '{'x' * 8_000}'.")
    assert (turn.status, turn.usage.model_calls) == ("ended", 0)
    assert turn.reply.startswith("The request is longer than 8,000 characters. Please say it in parts.")
    assert contents(store) == before


async def test_a_long_value_that_the_user_said_is_stored_whole(made: Agent, store: GraphStore, tmp_path: Path) -> None:
    value = "x" * 7_900
    update = call("update_props", key="ann", properties={"note": value})
    turn = await say(made, tmp_path, f"Set the note of ann to '{value}'.", goal_spec(update))
    assert (turn.status, store.node("ann").properties) == ("ended", {"note": value})
    assert len(turn.reply) < 1_000


WILD = {
    "value of a megabyte": (
        call("update_props", key="ann", properties={"note": "x" * 1_000_000}),
        "The user said none of these values",
    ),
    "long label": (call("add_node", label="L" * 60_000, key="cat"), "label"),
    "label with a query": (call("add_node", label="X`) DETACH DELETE n //", key="cat"), "label"),
    "long key": (call("add_node", label="User", key="c" * 60_000), "cannot be the key of a node"),
    "long label of a query": (call("query_graph", label="L" * 60_000), "The graph has no"),
    "long property": (call("query_graph", where={"p" * 60_000: 1}), "property"),
    "nested value": (call("add_node", label="User", key="cat", properties={"a": {"b": {"c": 1}}}), "properties.a"),
    "deep query": (
        call("cypher_query", query=f"MATCH (u:User) WHERE {'(' * 500}u.key = 'ann'{')' * 500} RETURN u.key"),
        "nested too deeply",
    ),
    "long query": (
        call("cypher_query", query=f"MATCH (u:User) RETURN {' + '.join(['1'] * 3_000)} AS n"),
        "At most 8,192 are taken",
    ),
    "two statements": (
        call("cypher_query", query="RETURN 1; MATCH (n) DETACH DELETE n"),
        "several statements are not accepted",
    ),
    "file": (call("cypher_query", query="LOAD CSV FROM 'file:///etc/passwd' AS l RETURN l"), "files are not read"),
    "file by a function": (call("cypher_query", query="RETURN readfile('/etc/passwd') AS text"), "readfile"),
    "procedure": (call("cypher_query", query="CALL db.labels()"), "procedures and subqueries are not accepted"),
}


@pytest.mark.parametrize(("tool", "told"), WILD.values(), ids=WILD)
async def test_what_a_model_gone_wild_comes_up_with_is_refused_in_a_few_words(
    made: Agent, store: GraphStore, tmp_path: Path, tool: dict[str, Any], told: str
) -> None:
    before = contents(store)
    request = "Add a user for cats with a note, and set the note of ann."
    async with open_session(made, tmp_path, goal_spec(tool), step_plan(tool)) as session:
        turn = await session.send(request)
    assert turn.status == "waiting"
    assert told in turn.values["failures"][0]["message"]
    assert "root:" not in turn.reply
    assert len(turn.reply) < 2_000
    assert turn.usage.input_tokens < 20_000
    assert contents(store) == before
    turn = await say(made, tmp_path, "leave it")
    assert turn.status == "ended"


@pytest.mark.skipif(bool(UNCONFINED), reason=UNCONFINED)
async def test_a_query_over_a_hundred_million_rows_is_stopped_and_the_next_is_answered(
    made: Agent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(EmbeddedStore, "read", partialmethod(EmbeddedStore.read, timeout=0.3))
    query = call("cypher_query", query="MATCH (a:N), (b:N), (c:N), (d:N) RETURN count(*) AS n")
    with opened(tmp_path) as store:
        store.load([Node("N", f"n{number}") for number in range(100)], text="a hundred")
        before = store.version()
        turn = await say(made, tmp_path, "How many ways are there?", goal_spec(query))
        assert turn.status == "waiting"
        assert "the graph took too long and was stopped" in turn.reply
        assert workers(graph_file(tmp_path))
        await say(made, tmp_path, "leave it")
        count = call("cypher_query", query="MATCH (a:N) RETURN count(*) AS n")
        turn = await say(made, tmp_path, "How many N are there?", goal_spec(count))
        assert (turn.status, "100" in turn.reply, store.version()) == ("ended", True, before)
