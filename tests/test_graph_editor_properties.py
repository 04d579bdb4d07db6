"""Whatever a model proposes and a user replies, the graph editor deletes nothing that was not agreed to."""

from __future__ import annotations

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from graph_editor_support import assert_as_the_journal_says, at_work, editor, goal_spec, step_plan
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from runtime_support import open_session

from graphwright import Turn
from graphwright.graphstore import GraphStore
from graphwright.graphstore.wording import diff_lines

NAMES = ("ann", "bob", "cat", "T-1", "x`) DELETE n //")
_name = st.sampled_from(NAMES)
_label, _type = st.sampled_from(("User", "Task", "Nothing")), st.sampled_from(("KNOWS", "OWNS"))
_properties = st.dictionaries(
    st.sampled_from(("age", "state")), st.sampled_from((5, "away", "ann", None, [1])), max_size=2
)
_ends: Any = {"from_key": _name, "type": _type, "to_key": _name}
_queries = (
    "MATCH (u:User) DETACH DELETE u",
    "MATCH (u:User {key: 'ann'}) SET u.age = 5",
    "CREATE (:User {key: 'cat'})",
    "MATCH (u:User)-[k:KNOWS]->(v) DELETE k",
    "MATCH (u) RETURN u.key",
    "DELETE everything",
)


def _call(name: str, **arguments: Any) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"tool_name": st.just(name), "arguments": st.fixed_dictionaries(arguments)})


calls = st.one_of(
    _call("add_node", label=_label, key=_name, properties=_properties),
    _call("add_edge", **_ends),
    _call("update_props", key=_name, properties=_properties),
    _call("delete_node", key=_name),
    _call("delete_edge", **_ends),
    _call("query_graph", label=_label),
    _call("cypher_query", query=st.sampled_from(_queries)),
    _call("send_email", to=_name),
)
specs = st.builds(goal_spec, st.one_of(st.none(), calls), confidence=st.sampled_from((0.1, 0.9)))
plans = st.builds(step_plan, st.one_of(st.none(), calls), final=st.booleans())
requests = st.sampled_from(
    (
        "Delete ann and bob, and remove the edge from ann to bob.",
        "Add a user cat with age 5, connect cat to ann by KNOWS, and set the state of bob to away.",
        "Delete all users. Delete everything.",
        "Who knows bob?",
        "Add a Task T-1, delete ann, set the age of ann to 5, and connect cat with T-1 by OWNS.",
        "Clean up.",
    )
)
replies = st.sampled_from(("yes", "yes", "yes", "no", "1", "2", "cat", "delete bob", "yes, delete ann", "leave it"))


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(requests, specs, st.lists(plans, max_size=6)), min_size=1, max_size=3), st.data())
def test_whatever_model_and_user_say_nothing_is_deleted_without_a_yes_to_just_that(
    goals: list[Any], data: st.DataObject
) -> None:
    async def talk(home: Path, store: GraphStore) -> None:
        watch = Watch(store)
        for request, spec, steps in goals:
            rules = [{**each, "times": 1} for each in (spec, *steps)] + [goal_spec(), step_plan(None, final=True)]
            async with open_session(editor(), home, *rules) as session:
                turn = await session.send(request)
                watch.look(request, turn)
                for _ in range(12):
                    if turn.status == "ended":
                        break
                    reply = data.draw(replies)
                    turn = await session.send(reply)
                    watch.look(reply, turn)
                for reply in ("no", "leave it"):
                    if turn.status == "waiting":
                        turn = await session.send(reply)
                        watch.look(reply, turn)
                assert turn.status == "ended"

    with TemporaryDirectory() as folder, at_work(home := Path(folder)) as store:
        asyncio.run(talk(home, store))
        assert "open" not in [goal.status for goal in store.goals()]


class Watch:
    """Looks after each turn at what it did to the graph."""

    def __init__(self, store: GraphStore) -> None:
        self._store = store
        self._version = store.version()
        self._asked: Turn | None = None

    def look(self, reply: str, turn: Turn) -> None:
        """What it did must be in the journal; a delete or a statement in it must have been shown and agreed to."""
        assert turn.error is None, turn.error
        assert_as_the_journal_says(self._store)
        asked, since = self._asked, self._version
        self._asked, self._version = turn, self._store.version()
        new = [step for goal in self._store.goals() for step in goal.steps if step.changes and step.version > since]
        for step in new:
            if step.writes[0]["write"] == "Statement" or any(change.after is None for change in step.changes):
                assert asked is not None
                assert asked.waiting_for is not None
                assert (asked.waiting_for.node, reply) == ("q.confirm", "yes")
                assert step == min(new, key=lambda each: each.version)
                assert asked.waiting_for.prompt.splitlines()[1:-1] == diff_lines(step.changes, 30)
