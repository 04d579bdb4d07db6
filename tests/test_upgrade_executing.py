"""Confirmed actions of the UpGrade agent against the local service: done once, told in small results, typed errors."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from upgrade_actions_support import Line, new
from upgrade_client_support import SECRET, free_port, golden, scripted

from graphwright.agents.upgrade.checks.checking import check
from graphwright.agents.upgrade.checks.facts import facts_of, members_of
from graphwright.agents.upgrade.client.calls import UpgradeClient
from graphwright.agents.upgrade.client.experiment import Experiment, State
from graphwright.agents.upgrade.doing.executing import Outcome, execute, log_entry
from graphwright_upgrade_server.app import create_app

CREATE, UPDATE, STATUS = "create_experiment", "update_experiment", "update_experiment_status"
DELETE, INIT, ASSIGN = "delete_experiment", "init_experiment_user", "get_decision_point_assignments"
MARK, SIMULATE = "mark_decision_point", "simulate_experiment"
NOW = datetime(2027, 1, 5, 9, 30, tzinfo=UTC)


class Agent:
    """Checks and executes actions as the agent does, in a world of its own."""

    def __init__(self, client: UpgradeClient, line: Line) -> None:
        self.client = client
        self.line = line
        self.begun: set[str] = set()

    async def __call__(self, action: str, params: Mapping[str, Any], key: str = "key") -> Outcome:
        return await self.perform(action, await self.checked(action, params), key)

    async def checked(self, action: str, params: Mapping[str, Any]) -> dict[str, Any]:
        contexts = {name: known.model_dump(mode="json") for name, known in (await self.client.contexts()).items()}
        names = tuple((each.id, each.name) for each in await self.client.names())
        id = params.get("experiment_id") or params.get("assigned_condition", {}).get("experiment_id")
        experiment = facts_of(await self.client.experiment(id)) if id else None
        found = check(action, params, contexts=contexts, names=names, experiment=experiment)
        assert found.ready, (found.missing, found.errors)
        return found.params

    async def perform(self, action: str, params: Mapping[str, Any], key: str = "key") -> Outcome:
        async def begun_before() -> bool:
            before = key in self.begun
            self.begun.add(key)
            return before

        return await execute(self.client, action, params, key=key, begun_before=begun_before)

    async def made(self, key: str = "made", **changes: Any) -> Experiment:
        done = await self(CREATE, new(**changes), key)
        assert done.error is None
        assert done.result is not None
        return await self.client.experiment(done.result["experiment_id"])


@pytest.fixture
async def agent() -> AsyncIterator[Agent]:
    app = create_app(None)
    line = Line(app)
    try:
        async with UpgradeClient("http://upgrade.local/api", "the local service", transport=line) as client:
            yield Agent(client, line)
    finally:
        app.state.database.close()


def is_a(method: str, path: str) -> Callable[[httpx.Request], bool]:
    return lambda request: request.method == method and request.url.path.startswith(f"/api{path}")


async def test_creating_makes_what_was_confirmed(agent: Agent) -> None:
    given = new(
        name='Pauses "now" 🎓',
        group="schoolId",
        revert_to="control",
        exclude={"users": ["tester"], "groups": [{"type": "schoolId", "id": "west"}]},
        filter_mode="excludeAll",
        tags=["pilot"],
        description="Why",
    )
    done = await agent(CREATE, given)
    assert (done.error_type, done.error) == (None, None)
    assert done.result is not None
    made = facts_of(await agent.client.experiment(done.result["experiment_id"]))
    params = await agent.checked(CREATE, given)
    for name in ("name", "context", "conditions", "decision_points", "unit", "group", "consistency", "tags"):
        assert made[name] == params[name]  # type: ignore[literal-required]
    assert (made["post_rule"], made["revert_to"], made["filter_mode"]) == ("assign", "control", "excludeAll")
    assert made["exclude"] == {"users": 1, "groups": 1, "segments": 0}
    assert done.result == {
        "experiment_id": made["experiment_id"],
        "name": 'Pauses "now" 🎓',
        "context": "maths-practice",
        "state": "inactive",
    }


async def test_creating_under_the_same_key_again_makes_nothing_new(agent: Agent) -> None:
    first = await agent(CREATE, new(revert_to="control"))
    before = len(agent.line.sent)
    assert await agent(CREATE, new(revert_to="control")) == first
    assert not any(sent.startswith(("POST", "PUT")) for sent in agent.line.sent[before:])
    assert len(await agent.client.names()) == 1
    await agent(CREATE, new(revert_to="control"), key="another")
    await agent(CREATE, new(name="corrected"))
    assert len(await agent.client.names()) == 3


async def test_a_lost_answer_to_creating_is_looked_for(agent: Agent) -> None:
    agent.line.lose = is_a("POST", "/experiments")
    done = await agent(CREATE, new())
    assert done.error is None
    assert [each.name for each in await agent.client.names()] == ["Breaks"]


async def test_a_rule_that_could_not_be_set_is_told_as_a_part_done(agent: Agent) -> None:
    agent.line.cut = is_a("PUT", "/experiments")
    done = await agent(CREATE, new(revert_to="control"))
    assert done.error_type == "api"
    assert done.error is not None
    assert "'Breaks' was created, but the rule" in done.error
    assert "it is continue" in done.error
    assert done.result is not None
    entry = log_entry(CREATE, new(), done, NOW)
    assert (entry["status"], entry["result"]["name"]) == ("error", "Breaks")
    # Once more under its key, when the server is back: only what is missing is done.
    agent.line.cut = lambda _request: False
    again = await agent(CREATE, new(revert_to="control"))
    assert (again.error, again.result) == (None, done.result)
    (only,) = await agent.client.experiments()
    assert only.post_experiment_rule == "assign"


async def test_the_state_is_changed_and_told_with_the_one_before(agent: Agent) -> None:
    made = await agent.made()
    done = await agent(STATUS, {"experiment_id": made.id, "status": "running"})
    assert done.result is not None
    assert (done.result["before"], done.result["state"]) == ("inactive", "enrolling")
    params = {"experiment_id": made.id, "name": made.name, "status": "enrolling"}
    writes = len([sent for sent in agent.line.sent if sent == "POST /experiments/state"])
    assert (await agent.perform(STATUS, params)).error is None
    assert len([sent for sent in agent.line.sent if sent == "POST /experiments/state"]) == writes


async def test_a_state_that_changed_since_the_question_is_not_overrun(agent: Agent) -> None:
    made = await agent.made()
    params = await agent.checked(STATUS, {"experiment_id": made.id, "status": "enrolling"})
    await agent.client.set_state(made.id, State.CANCELLED)
    done = await agent.perform(STATUS, params)
    assert (done.result, done.error_type) == (None, "validation")
    assert "has changed since you were asked" in str(done.error)
    assert (await agent.client.experiment(made.id)).state is State.CANCELLED


async def test_a_lost_answer_to_a_change_of_state_is_looked_for(agent: Agent) -> None:
    made = await agent.made()
    params = await agent.checked(STATUS, {"experiment_id": made.id, "status": "enrolling"})
    agent.line.lose = is_a("POST", "/experiments/state")
    assert (await agent.perform(STATUS, params)).error is None
    agent.line.lose = lambda request: "state" in request.url.path or "single" in request.url.path
    done = await agent.perform(STATUS, {**params, "status": "cancelled"})
    assert done.error_type == "api"


async def test_an_update_keeps_the_enrolments_of_what_stays(agent: Agent) -> None:
    made = await agent.made()
    await agent.client.set_state(made.id, State.ENROLLING)
    await agent.client.init("ann")
    (assigned,) = await agent.client.assign("ann", "maths-practice")
    await agent.client.mark("ann", assigned.site, assigned.target, experiment_id=made.id)
    changes = {
        "experiment_id": made.id,
        "new_name": "Breaks II",
        "conditions": [
            {"code": "variant", "weight": 20},
            {"code": "control", "weight": 30},
            {"code": "new", "weight": 50},
        ],
        "decision_points": [
            {"site": "give-hint", "target": "linear-equations"},
            {"site": "show-problem", "target": "fractions-intro"},
        ],
        "post_rule": "assign",
        "revert_to": "new",
        "description": "Text",
    }
    done = await agent(UPDATE, changes)
    assert done.error is None
    assert done.result is not None
    assert done.result["changed"] == ["new_name", "description", "conditions", "decision_points", "post_rule"]
    now = await agent.client.experiment(made.id)
    assert {each.id for each in made.conditions} < {each.id for each in now.conditions}
    assert [(each.code, each.weight) for each in now.conditions] == [("variant", 20), ("control", 30), ("new", 50)]
    assert (facts_of(now)["revert_to"], now.name, len(now.decision_points)) == ("new", "Breaks II", 2)
    assert (await agent.client.enrollment(made.id)).users == 1
    assert facts_of(await agent.client.experiment(made.id)) == facts_of(now)


async def test_members_are_taken_off_all_lists_and_the_others_stay(agent: Agent) -> None:
    places = [{"type": "schoolId", "id": "west"}, {"type": "classId", "id": "7b"}]
    made = await agent.made(exclude={"users": ["ann", "ben"], "groups": places}, include={"users": ["eve"]})
    await agent(UPDATE, {"experiment_id": made.id, "exclude": {"users": ["cara"]}})
    off = {"users": ["ann", "cara"], "groups": [{"type": "classId", "id": "7b"}]}
    for _ in range(2):
        # Doing it again changes nothing.
        done = await agent(UPDATE, {"experiment_id": made.id, "unexclude": off})
        assert (done.error, done.result and done.result["changed"]) == (None, ["unexclude"])
        left: Any = members_of(await agent.client.experiment(made.id))
        assert left["exclude"] == {"users": ["ben"], "groups": [("schoolId", "west")]}
        assert left["include"] == {"users": ["eve"], "groups": []}
    await agent(UPDATE, {"experiment_id": made.id, "unexclude": {"all": True}})
    after = await agent.client.experiment(made.id)
    assert (after.exclusions, len(after.inclusions)) == ((), 1)


async def test_lists_are_added_to_and_nobody_twice(agent: Agent) -> None:
    made = await agent.made(exclude={"users": ["ann"]})
    more = {"users": ["ann", "bob"], "groups": [{"type": "schoolId", "id": "west"}]}
    for _ in range(2):
        done = await agent(UPDATE, {"experiment_id": made.id, "exclude": more, "include": {"users": ["eve"]}})
        assert done.error is None
    calls = len([sent for sent in agent.line.sent if sent.endswith("List")])
    assert calls == 3
    now = await agent.client.experiment(made.id)
    assert sorted(user for each in now.exclusions for user in each.users) == ["ann", "bob"]
    assert [group.id for each in now.exclusions for group in each.groups] == ["west"]
    assert [user for each in now.inclusions for user in each.users] == ["eve"]


async def test_an_update_that_stops_half_way_says_how_far_it_came(agent: Agent) -> None:
    made = await agent.made()
    changes = {"experiment_id": made.id, "new_name": "Half", "exclude": {"users": ["bob"]}}
    params = await agent.checked(UPDATE, changes)
    agent.line.cut = is_a("POST", "/experiments/exclusionList")
    done = await agent.perform(UPDATE, params)
    assert done.error_type == "api"
    assert "Only a part was changed (new name)." in str(done.error)
    assert done.result is not None
    assert (done.result["name"], done.result["changed"]) == ("Half", ["new_name"])


async def test_a_lost_answer_to_an_update_is_looked_for(agent: Agent) -> None:
    made = await agent.made()
    params = await agent.checked(UPDATE, {"experiment_id": made.id, "new_name": "Seen", "group": "schoolId"})
    agent.line.lose = is_a("PUT", "/experiments")
    done = await agent.perform(UPDATE, params)
    assert done.error is None
    assert done.result is not None
    assert done.result["name"] == "Seen"
    # Lost before it was done, by a server that answers again at once.
    agent.line.lose = lambda _request: False
    agent.line.broken = is_a("PUT", "/experiments")
    lost = await agent.perform(UPDATE, {**params, "new_name": "Unseen"})
    assert lost.error_type == "api"
    assert "not known whether it was done" in str(lost.error)


async def test_deleting_deletes_once_and_ends_well_after_a_crash(agent: Agent) -> None:
    made = await agent.made()
    params = await agent.checked(DELETE, {"experiment_id": made.id})
    done = await agent.perform(DELETE, params, key="d")
    assert done.result == {"experiment_id": made.id, "name": "Breaks", "deleted": True}
    assert await agent.client.names() == ()
    assert await agent.perform(DELETE, params, key="d") == done
    other = await agent.perform(DELETE, params, key="another")
    assert (other.result, other.error_type) == (None, "not_found")


async def test_a_lost_answer_to_deleting_is_looked_for(agent: Agent) -> None:
    made = await agent.made()
    params = await agent.checked(DELETE, {"experiment_id": made.id})
    agent.line.cut = is_a("DELETE", "/experiments")
    assert (await agent.perform(DELETE, params)).error_type == "api"
    agent.line.cut, agent.line.lose = lambda _request: False, is_a("DELETE", "/experiments")
    assert (await agent.perform(DELETE, params)).error is None


async def test_a_user_is_initialised_assigned_and_marked(agent: Agent) -> None:
    made = await agent.made()
    await agent.client.set_state(made.id, State.ENROLLING)
    unknown = await agent(ASSIGN, {"user_id": "ann", "context": "maths-practice"})
    assert (unknown.error_type, "Initialise the user first" in str(unknown.error)) == ("not_found", True)
    done = await agent(INIT, {"user_id": "ann", "group": {"schoolId": "north"}})
    assert done.result == {"user_id": "ann", "group": {"schoolId": ["north"]}, "working_group": {"schoolId": "north"}}
    got = await agent(ASSIGN, {"user_id": "ann", "context": "maths-practice"})
    assert got.result is not None
    (point,) = got.result["assignments"]
    assert (point["site"], point["target"], point["experiment_id"]) == ("show-problem", "fractions-intro", made.id)
    nothing = await agent(ASSIGN, {"user_id": "ann", "context": "maths-practice", "site": "give-hint"})
    assert nothing.result is not None
    assert nothing.result["assignments"] == []
    condition = {"experiment_id": made.id, "condition_code": point["condition_code"]}
    visit = {"user_id": "ann", "site": "show-problem", "target": "fractions-intro", "assigned_condition": condition}
    marked = await agent(MARK, visit)
    assert marked.result is not None
    assert marked.result["condition_code"] == point["condition_code"]
    assert (await agent.client.enrollment(made.id)).users == 1
    assert await agent(MARK, visit) == marked


async def test_a_visit_without_a_condition_is_marked_as_such(agent: Agent) -> None:
    made = await agent.made()
    await agent(INIT, {"user_id": "ann"})
    condition = {"experiment_id": made.id, "condition_code": None}
    visit = {"user_id": "ann", "site": "show-problem", "target": "fractions-intro", "assigned_condition": condition}
    done = await agent(MARK, visit)
    assert done.result is not None
    assert done.result["condition_code"] is None


async def test_a_simulation_under_the_same_key_brings_the_same_users(agent: Agent) -> None:
    made = await agent.made()
    await agent.client.set_state(made.id, State.ENROLLING)
    done = await agent(SIMULATE, {"experiment_id": made.id, "users": 20})
    again = await agent(SIMULATE, {"experiment_id": made.id, "users": 20})
    assert done.result is not None
    assert again.result is not None
    assert {**again.result, "seconds": 0} == {**done.result, "seconds": 0}
    assert (await agent.client.enrollment(made.id)).users == 20
    stopped = {"experiment_id": made.id, "name": made.name, "users": 3}
    await agent.client.set_state(made.id, State.ENROLLMENT_COMPLETE)
    assert (await agent.perform(SIMULATE, stopped)).error_type == "validation"


async def test_results_stay_small_whatever_the_experiment_holds(agent: Agent) -> None:
    many = {"users": [f"user-{number}" for number in range(2_000)]}
    done = await agent(CREATE, new(exclude=many))
    assert len(json.dumps(done.result)) < 400
    assert done.result is not None
    changed = await agent(UPDATE, {"experiment_id": done.result["experiment_id"], "new_name": "New"})
    assert len(json.dumps(changed.result)) < 400


# what a server or the connection refuses


async def refusal(url: str) -> Outcome:
    async def begun_before() -> bool:
        return False

    async with UpgradeClient(url) as client:
        return await execute(
            client,
            DELETE,
            {"experiment_id": "5f914ce4-fa5c-48d7-99f5-853426a27082", "name": "x"},
            key="key",
            begun_before=begun_before,
        )


async def test_a_server_that_is_down_or_refuses_gives_a_typed_error() -> None:
    down = await refusal(f"http://127.0.0.1:{free_port()}/api")
    assert (down.result, down.error_type) == (None, "api")
    assert "cannot be reached" in str(down.error)
    with scripted() as server:
        path = "/experiments/5f914ce4-fa5c-48d7-99f5-853426a27082"
        server.json("DELETE", path, golden("6.4")["admin_no_token"].answer, 401)
        assert ((await refusal(server.url)).error_type) == "auth"
        server.json("DELETE", path, {"message": f"password={SECRET}", "request": {"token": SECRET}}, 500)
        failed = await refusal(server.url)
        assert failed.error_type == "api"
        assert SECRET not in str(failed.error)
        server.json("DELETE", path, {"message": "Invalid params"}, 400)
        assert (await refusal(server.url)).error_type == "validation"
        server.text("DELETE", path, "<html>busy</html>", 503)
        assert "not known whether it was done" in str((await refusal(server.url)).error)


def test_an_entry_of_the_log_has_exactly_six_fields() -> None:
    params = {"experiment_id": "x"}
    assert log_entry(DELETE, params, Outcome({"deleted": True}), NOW) == {
        "timestamp": "2027-01-05T09:30:00+00:00",
        "action": DELETE,
        "params": params,
        "result": {"deleted": True},
        "status": "success",
        "error_message": None,
    }
    entry = log_entry(DELETE, params, Outcome(None, "api", "It is down."), NOW)
    assert (entry["status"], entry["error_message"], entry["result"]) == ("error", "It is down.", None)
