"""The evaluation of the UpGrade agent: cases that fit their worlds, strict judging, the simulated user, the figures."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from eval_support import ROOT, Evaluate, assert_refused, evaluation

from eval.upgrade.cases import YES, Case, read_cases
from eval.upgrade.conversing import converse
from eval.upgrade.doing import build, fulfil
from eval.upgrade.outcome import Outcome
from eval.upgrade.scoring import Verdict, expected, judged
from eval.upgrade.served import Served, serving
from eval.upgrade.states import state_of
from eval.upgrade.wishes import Wish
from eval.upgrade.worlds import World
from graphwright.agents.upgrade.client.calls import UpgradeClient
from graphwright.agents.upgrade.client.drafts import ExperimentChanges, ListDraft
from graphwright.agents.upgrade.client.experiment import State
from graphwright.agents.upgrade.client.failures import UpgradeError
from graphwright.models.scripted import ScriptedModel

CASES = read_cases(ROOT / "eval" / "upgrade")

POINT = "show-problem/fractions-intro"
SMALL: dict[str, Any] = {
    "experiments": {
        "hints": {
            "name": "Hints",
            "context": "maths-practice",
            "conditions": {"control": 50, "variant": 50},
            "points": [POINT],
            "exclude": {"individual": ["eve"]},
        },
        "running": {
            "name": "Running",
            "context": "maths-practice",
            "state": "enrolling",
            "conditions": {"control": 50, "variant": 50},
            "points": ["give-hint/linear-equations"],
        },
    },
    "users": {"ann": {"groups": {"schoolId": ["north"]}, "working": {"schoolId": "north"}}, "eve": {}},
    "visits": {"running": ["ann"]},
}
WORLD = World(**SMALL)
START = {"change": {"hints": {"state": "enrolling"}}}
NEW = {"name": "New", "context": "reading-club", "conditions": {"control": 100}, "points": ["open-text/poem"]}


def case(**fields: Any) -> Case:
    return Case(**{"id": "c", "set": "tuning", "world": "small", "kind": "any", "says": "please", **fields})


async def ended(
    told: Case, world: World, do: Callable[[Served], Any], *, confirmed: bool = True, **fields: Any
) -> Verdict:
    """What is said of a conversation in which this is done on the server."""
    with serving(world.contexts) as served:
        await build(served, world)
        served.refusals, served.confirmed = told.refusals, confirmed
        await do(served)
        seen = {"after": await state_of(served), "writes": tuple(served.writes)}
    outcome = Outcome(told.id, **{**seen, "replies": ("Done.",), **fields})
    # It is judged as it is read from a file of results.
    return judged(told, world, await expected(told, world), Outcome.from_json(outcome.to_json()))


async def done(told: Case, do: Callable[[UpgradeClient], Any], **fields: Any) -> Verdict:
    """The same in the small world, by a client."""

    async def by_client(served: Served) -> None:
        async with served.client() as client:
            await do(client)

    return await ended(told, WORLD, by_client, **fields)


async def nothing(_client: Any) -> None:
    pass


# the cases that come with it


@pytest.mark.parametrize(("own", "world"), CASES, ids=[own.id for own, _ in CASES])
async def test_what_a_case_expects_can_come_of_its_world(own: Case, world: World) -> None:
    states = await expected(own, world)
    for wish, after in zip(own.expect, states.after, strict=True):
        reply = " ".join([*reply_of(wish), "I cannot." if wish.refuse else ""])
        made = Outcome(own.id, after=after, replies=(reply,), asked=wish.asked)
        verdict = judged(own.model_copy(update={"expect": (wish,)}), world, replace(states, after=(after,)), made)
        assert [each for each in verdict.reasons if "no reply says" not in each] == []
        assert not verdict.wrong
    idle = Outcome(own.id, after=states.before, replies=("Done.",))
    assert not judged(own, world, states, idle).right


def reply_of(wish: Wish) -> list[str]:
    return [each if isinstance(each, str) else each[-1] for each in wish.answer.names]


def test_there_are_cases_of_every_kind_and_some_are_kept_for_the_test() -> None:
    own = [each for each, _ in CASES]
    kinds = {each.kind for each in own}
    assert sum(each.set == "tuning" for each in own) >= 40
    assert sum(each.set == "test" for each in own) >= 20
    assert {each.world for each in own} == {"school", "campus"}
    assert {"terms", "creating with missing pieces", "stopping", "deleting", "lists", "simulating"} <= kinds
    assert {"ambiguous names", "typos", "references", "two actions", "no", "change of mind"} <= kinds
    assert {"another topic", "stray yes", "injected instructions", "a server that refuses"} <= kinds


def test_a_yes_with_more_to_it_is_none() -> None:
    said = {reply.say for own, _ in CASES for reply in own.confirm}
    assert {"yes", "yes, but call it Bar", "no"} <= said
    assert {each for each in said if each.startswith("yes")} - YES == {"yes, but call it Bar"}


# judging


async def start(client: UpgradeClient, handle: str = "hints", state: State = State.ENROLLING) -> None:
    await client.set_state(WORLD.id_of(handle), state)


async def test_exactly_the_expected_change_is_right() -> None:
    verdict = await done(case(expect=START), start)
    assert verdict.right
    assert not verdict.wrong


async def test_nothing_at_all_is_not_right() -> None:
    verdict = await done(case(expect=START), nothing)
    assert verdict.reasons == ("hints: state is 'inactive' instead of 'enrolling'",)


async def test_a_write_without_a_yes_counts_even_when_it_was_asked_for() -> None:
    verdict = await done(case(expect=START), start, confirmed=False)
    assert verdict.reasons == ("did without a yes: set to enrolling: hints",)
    assert [act.destroys for act in verdict.unconfirmed] == [False]
    assert not verdict.wrong


async def test_another_state_than_the_one_asked_for_is_wrong_and_may_destroy() -> None:
    async def cancel(client: UpgradeClient) -> None:
        await start(client, state=State.CANCELLED)

    verdict = await done(case(expect=START), cancel)
    assert [(act.told, act.destroys) for act in verdict.wrong] == [("set to cancelled: hints", True)]


async def test_deleting_the_wrong_experiment_is_wrong_and_destroys() -> None:
    async def delete(client: UpgradeClient) -> None:
        await client.delete(WORLD.id_of("running"))

    verdict = await done(case(expect={"delete": ["hints"]}), delete)
    assert "running is missing" in verdict.reasons
    assert "hints should not be there" in verdict.reasons
    assert [(act.told, act.destroys) for act in verdict.wrong] == [("deleted running", True)]


async def test_what_was_taken_back_leaves_no_trace_and_is_wrong_all_the_same() -> None:
    async def and_back(client: UpgradeClient) -> None:
        await start(client, "running", State.ENROLLMENT_COMPLETE)
        await start(client, "running", State.ENROLLING)
        await start(client)

    verdict = await done(case(expect=START), and_back)
    assert verdict.reasons == (
        "did what nobody asked for: set to enrollmentComplete: running",
        "did what nobody asked for: set to enrolling: running",
    )


async def test_more_than_was_asked_for_is_wrong_field_by_field() -> None:
    async def rename_too(client: UpgradeClient) -> None:
        await client.update(WORLD.id_of("hints"), ExperimentChanges(name="Tips", description="short"))

    verdict = await done(case(expect={"change": {"hints": {"description": "short"}}}), rename_too)
    assert [(act.told, act.destroys) for act in verdict.wrong] == [("name of hints changed", False)]


async def test_losing_who_is_enrolled_while_weights_change_destroys() -> None:
    wish = {"change": {"running": {"conditions": {"control": 10, "variant": 90}}}}
    right = await ended(case(expect=wish), WORLD, lambda served: fulfil(served, WORLD, Wish(**wish)))
    assert right.right

    async def with_new_conditions(client: UpgradeClient) -> None:
        from graphwright.agents.upgrade.client.drafts import ConditionDraft

        drafts = (ConditionDraft(code="control", weight=10), ConditionDraft(code="variant", weight=90))
        await client.update(WORLD.id_of("running"), ExperimentChanges(conditions=drafts))

    verdict = await done(case(expect=wish), with_new_conditions)
    assert [(act.told, act.destroys) for act in verdict.wrong] == [("enrolled of running changed", True)]


async def test_a_new_experiment_is_compared_whole_but_for_ids_and_the_order_of_codes() -> None:
    two = {**NEW, "conditions": {"control": 40, "glossary": 60}}

    def made(**fields: Any) -> Callable[[Served], Any]:
        return lambda served: fulfil(served, WORLD, Wish(create=({**two, **fields},)))

    told = case(expect={"create": [two]})
    assert (await ended(told, WORLD, made())).right
    assert (await ended(told, WORLD, made(conditions={"glossary": 60, "control": 40}))).right
    verdict = await ended(told, WORLD, made(description="mine", tags=("a",)))
    assert verdict.reasons == (
        "New: description is 'mine' instead of ''",
        "New: tags is ['a'] instead of []",
    )
    assert not verdict.wrong
    other = await ended(told, WORLD, made(name="Newer"))
    assert [act.told for act in other.wrong] == ["created Newer"]


async def test_two_of_one_name_are_one_too_many() -> None:
    async def twice(served: Served) -> None:
        for _ in range(2):
            await fulfil(served, WORLD, Wish(create=(NEW,)))

    verdict = await ended(case(expect={"create": [NEW]}), WORLD, twice)
    assert verdict.reasons == ("New (2) should not be there",)


async def test_lists_are_told_by_whom_they_hold() -> None:
    told = case(expect={"change": {"hints": {"exclude": {"individual": ["ann", "eve"]}}}})

    async def another_list(client: UpgradeClient) -> None:
        await client.add_list(WORLD.id_of("hints"), "exclusion", ListDraft(kind="individual", members=("ann",)))

    async def the_same_list(client: UpgradeClient) -> None:
        (old,) = (await client.experiment(WORLD.id_of("hints"))).exclusions
        draft = ListDraft(kind="individual", members=("ann", "eve"))
        await client.replace_list(WORLD.id_of("hints"), "exclusion", old.id, draft)

    async def nobody(client: UpgradeClient) -> None:
        (old,) = (await client.experiment(WORLD.id_of("hints"))).exclusions
        await client.delete_list(WORLD.id_of("hints"), "exclusion", old.id)

    assert (await done(told, another_list)).right
    assert (await done(told, the_same_list)).right
    assert not (await done(told, nobody)).right
    unasked = await done(case(expect=START), nobody)
    assert [(act.told, act.destroys) for act in unasked.wrong] == [("deleted a list of hints", True)]


async def test_a_crowd_may_have_any_names_but_must_have_its_size() -> None:
    told = case(expect={"simulate": {"running": {"users": 3}}})

    def crowd(*users: str) -> Callable[[UpgradeClient], Any]:
        async def come(client: UpgradeClient) -> None:
            for user in users:
                await client.init(user)
                (found,) = await client.assign(user, "maths-practice", "give-hint", "linear-equations")
                await client.mark(user, found.site, found.target, experiment_id=found.condition.experiment_id)

        return come

    assert (await done(told, crowd("x1", "x2", "x3"))).right
    verdict = await done(told, crowd("x1", "x2"))
    assert "made-up users: number is 2 instead of 3" in verdict.reasons
    assert not verdict.wrong
    # A user of the world is nobody's to play with.
    assert [act.told for act in (await done(told, crowd("x1", "x2", "eve"))).wrong] == ["made known eve", "marked eve"]


async def test_a_visit_enrols_as_it_would_and_another_visitor_is_wrong() -> None:
    told = case(expect={"marks": {"running": ["eve"]}})

    def visits(user: str) -> Callable[[Served], Any]:
        return lambda served: fulfil(served, WORLD, Wish(marks={"running": (user,)}))

    assert (await ended(told, WORLD, visits("eve"))).right
    assert [act.told for act in (await ended(told, WORLD, visits("ann"))).wrong] == ["marked ann"]


async def test_what_the_user_took_back_is_not_right_but_not_wrong_either() -> None:
    told = case(expect={"asked": True}, meant={"delete": ["hints"]})
    assert (await done(told, nothing, asked=True)).right

    async def delete(client: UpgradeClient) -> None:
        await client.delete(WORLD.id_of("hints"))

    verdict = await done(told, delete, confirmed=False, asked=True)
    assert not verdict.right
    assert not verdict.wrong
    assert [(act.told, act.destroys) for act in verdict.unconfirmed] == [("deleted hints", True)]


async def test_a_write_that_the_server_refused_was_made_all_the_same() -> None:
    refusing = [{"call": "POST /experiments/state", "status": 500, "message": "no"}]

    async def start_in_vain(client: UpgradeClient) -> None:
        with pytest.raises(UpgradeError):
            await start(client)

    asked_for = case(refusals=refusing, expect={"asked": True}, meant=START)
    assert (await done(asked_for, start_in_vain, asked=True)).right
    unasked = await done(case(refusals=refusing, expect={"asked": True}), start_in_vain, asked=True)
    assert [act.told for act in unasked.wrong] == ["set to enrolling: hints (refused: 500)"]


@pytest.mark.parametrize(
    ("expect", "fields", "reason"),
    [
        ({"refuse": True}, {}, "it neither refuses nor asks"),
        ({"refuse": True}, {"replies": ("There is no such experiment.",)}, None),
        ({"refuse": True}, {"asked": True}, None),
        ({"asked": True}, {}, "the user was not asked"),
        ({"proposed": False}, {"proposals": ("Delete Hints?",)}, "something was proposed"),
        ({"says": "no.*token"}, {}, "no reply says /no.*token/"),
        ({"answer": {"names": ["hints"]}}, {}, "the answer does not name hints"),
        ({"answer": {"names": ["hints"]}}, {"replies": ("It is Hints.", "Anything else?")}, None),
        (
            {"answer": {"names": ["hints"], "not": ["running"]}},
            {"replies": ("Hints, Running",)},
            "the answer names running",
        ),
        ({}, {"over": False}, "it did not come to an end"),
        ({}, {"error": "timeout: too slow"}, "failed: timeout: too slow"),
    ],
)
async def test_what_is_said_counts_too(expect: dict[str, Any], fields: dict[str, Any], reason: str | None) -> None:
    verdict = await done(case(expect=expect), nothing, **fields)
    assert verdict.reasons == ((reason,) if reason else ())


async def test_of_several_ends_the_closest_counts() -> None:
    either = case(expect=[{"refuse": True}, {**START, "asked": True}])
    assert (await done(either, nothing, replies=("Which one?",))).right
    assert (await done(either, start, asked=True)).right
    assert (await done(either, start)).reasons == ("the user was not asked",)


# the simulated user


FLOW = """
version: v1
id: flow.standin
state:
  heard: {type: string, default: ""}
nodes:
  - {id: hear, type: action, run: hear}
  - {id: q.which, type: question, key: which, read: verbatim, ask: always, prompt: "Which one?"}
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: "Shall I {{ heard }} Hints?"}
  - {id: work, type: action, run: work}
  - {id: done, type: terminal, say: "Done: {{ heard }} Hints."}
  - {id: left, type: terminal, say: "Nothing was done."}
edges:
  - {from: hear, to: q.which, guard: "heard == 'start'"}
  - {from: hear, to: q.sure, guard: "heard == 'delete'"}
  - {from: hear, to: left, guard: else}
  - {from: q.which, to: q.sure}
  - {from: q.sure, to: work, guard: answers.sure == true}
  - {from: q.sure, to: left, guard: else}
  - {from: work, to: done}
"""
NODES = """
from graphwright import action
from graphwright.agents.upgrade.client.connecting import connect
from graphwright.agents.upgrade.client.experiment import State
from graphwright.agents.upgrade.client.settings import UpgradeSettings


async def on_hints(ctx, do):
    async with connect(UpgradeSettings.from_environment(), ctx.home) as client:
        assert not client.local
        (hints,) = [each for each in await client.names() if each.name == "Hints"]
        await do(client, hints.id)


@action(reads=["message"], writes=["heard"])
async def hear(state, ctx):
    '''What the user wants; whoever is hasty has it at once.'''
    if "hasty" in state["message"]:
        await on_hints(ctx, lambda client, id: client.set_state(id, State.CANCELLED))
    return {"heard": next((each for each in ("start", "delete") if each in state["message"]), "nothing")}


@action(reads=["heard"], writes=[])
async def work(state, ctx):
    if state["heard"] == "start":
        await on_hints(ctx, lambda client, id: client.set_state(id, State.ENROLLING))
    else:
        await on_hints(ctx, lambda client, id: client.delete(id))
    return {}
"""


@pytest.fixture
def agent(tmp_path: Path) -> str:
    """An agent that starts or deletes the experiment Hints when the user says yes."""
    folder = tmp_path / "standin"
    folder.mkdir()
    (folder / "flow.yaml").write_text(FLOW, "utf-8")
    (folder / "nodes.py").write_text(NODES, "utf-8")
    return str(folder)


async def held(told: Case) -> tuple[Outcome, Verdict]:
    outcome = await converse(told, WORLD, ScriptedModel.from_rules([]))
    return outcome, judged(told, WORLD, await expected(told, WORLD), outcome)


async def test_the_user_answers_and_the_server_is_looked_at(agent: str) -> None:
    told = case(
        agent=agent,
        says="start it",
        replies=[{"to": "which", "say": "Hints"}],
        confirm=[{"to": ["start", "hints"], "say": "yes"}],
        expect={**START, "asked": True, "answer": {"names": ["Hints"]}},
    )
    outcome, verdict = await held(told)
    assert verdict.reasons == ()
    assert [line for line in outcome.log if line.startswith("user:")] == ["user: start it", "user: Hints", "user: yes"]
    assert outcome.proposals == ("Shall I start Hints?",)
    assert [(write.done, write.what, write.confirmed) for write in outcome.writes] == [
        ("set to enrolling:", "hints", True)
    ]


async def test_a_user_who_has_no_answer_says_no_or_leaves_it(agent: str) -> None:
    outcome, verdict = await held(case(agent=agent, says="start it", expect={"asked": True}, meant=START))
    assert [line for line in outcome.log if line.startswith("user:")] == [
        "user: start it",
        "user: leave it",
        "user: no",
    ]
    assert verdict.right


async def test_the_next_request_comes_when_the_one_before_is_done(agent: str) -> None:
    told = case(
        agent=agent,
        says=["delete it", "delete it", "yes"],
        confirm=[{"to": "delete", "say": "no"}, {"to": "delete", "say": "yes"}],
        expect={"delete": ["hints"]},
    )
    outcome, verdict = await held(told)
    assert verdict.right
    assert [line for line in outcome.log if line.startswith("user:")][1:] == [
        *("user: no", "user: delete it", "user: yes", "user: yes")
    ]


async def test_what_is_done_without_a_yes_is_seen(agent: str) -> None:
    told = case(
        agent=agent, says="hasty, delete it", confirm=[{"to": "delete", "say": "yes"}], expect={"delete": ["hints"]}
    )
    _, verdict = await held(told)
    assert [(act.told, act.destroys) for act in verdict.unconfirmed] == [("set to cancelled: hints", True)]
    assert [act.told for act in verdict.wrong] == ["set to cancelled: hints"]


async def test_a_server_that_refuses_does_so_to_the_agent_alone(agent: str) -> None:
    told = case(
        agent=agent,
        says="delete it",
        refusals=[{"call": "DELETE", "status": 503, "message": "maintenance"}],
        confirm=[{"to": "delete", "say": "yes"}],
        expect={"asked": True},
        meant={"delete": ["hints"]},
    )
    outcome, verdict = await held(told)
    assert [(write.done, write.what, write.status) for write in outcome.writes] == [("deleted", "hints", 503)]
    assert not verdict.wrong
    assert any("failed" in reason for reason in verdict.reasons)


async def test_the_environment_is_as_it_was_afterwards(agent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UPGRADE_API_URL", "https://upgrade.example")
    monkeypatch.setenv("UPGRADE_AUTH_TOKEN", "the token of somebody")
    outcome, verdict = await held(case(agent=agent, says="nothing", expect={}))
    assert verdict.right
    assert outcome.turns == 1
    assert os.environ["UPGRADE_API_URL"] == "https://upgrade.example"
    assert os.environ["UPGRADE_AUTH_TOKEN"] == "the token of somebody"


# from the command line


def cases_file(agent: str) -> str:
    return f"""
- id: start
  set: tuning
  world: small
  kind: starting
  agent: {agent}
  says: start it
  replies: [{{to: which, say: Hints}}]
  confirm: [{{to: start, say: "yes"}}]
  expect: {{change: {{hints: {{state: enrolling}}}}}}
- id: cancel
  set: tuning
  world: small
  kind: cancelling
  agent: {agent}
  says: cancel it
  expect: {{change: {{hints: {{state: cancelled}}}}}}
- id: hasty
  set: test
  world: small
  kind: deleting
  agent: {agent}
  says: hasty, delete it
  confirm: [{{to: delete, say: "yes"}}]
  expect: {{delete: [hints]}}
"""


@pytest.fixture
def evaluate(
    tmp_path: Path, agent: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Evaluate:
    folder = tmp_path / "upgrade"
    folder.mkdir()
    (folder / "worlds.yaml").write_text(yaml.safe_dump({"small": SMALL}), "utf-8")
    (folder / "cases.yaml").write_text(cases_file(agent), "utf-8")
    return evaluation("upgrade", tmp_path, "- {text: Hm.}\n", monkeypatch, capsys)


def test_the_figures_are_reported_and_what_was_missed_is_told(evaluate: Evaluate, tmp_path: Path) -> None:
    code, _, err = evaluate()
    assert code == 1, err
    report = (tmp_path / "report.md").read_text("utf-8")
    assert "| cases right | 1 of 3 (33%) |" in report
    assert "| writes without a yes | 1, 1 of them destroying |" in report
    assert "| wrong actions | 1, 1 of them destroying |" in report
    assert "| tuning | 2 | 1 (50%) | 0 | 0 | 0 |" in report
    assert "| deleting | 1 | 0 (0%) | 1 | 1 | 1 |" in report
    assert "not reached: 1 (33%) of the cases are right; 70% is wanted" in err
    assert "not reached: 1 of the writes came without a yes; none may" in err
    assert "not reached: 1 of the wrong actions destroyed something; none may" in err


def test_why_a_test_case_failed_is_shown_only_when_it_is_named(evaluate: Evaluate, tmp_path: Path) -> None:
    _, _, err = evaluate()
    report = (tmp_path / "report.md").read_text("utf-8")
    assert "- `cancel` “cancel it”: hints: state is 'inactive' instead of 'cancelled'" in report
    assert "- `hasty` “hasty, delete it”: not right" in report
    assert "hasty: not right (" in err
    code, out, _ = evaluate("hasty")
    assert code == 1
    assert "== hasty: did without a yes: set to cancelled: hints" in out
    assert "agent: Done: delete Hints." in out


def test_a_case_is_run_again_only_when_the_run_would_be_another(evaluate: Evaluate, tmp_path: Path) -> None:
    evaluate()
    cases, worlds = tmp_path / "upgrade" / "cases.yaml", tmp_path / "upgrade" / "worlds.yaml"
    # What is expected of a run does not change the run.
    cases.write_text(cases.read_text("utf-8").replace("{state: cancelled}", "{state: archived}"), "utf-8")
    assert evaluate()[2].count("(kept)") == 3
    cases.write_text(cases.read_text("utf-8").replace("cancel it", "cancel that"), "utf-8")
    assert evaluate()[2].count("(kept)") == 2
    worlds.write_text(worlds.read_text("utf-8").replace("Running", "Runs"), "utf-8")
    assert evaluate()[2].count("(kept)") == 0


@pytest.mark.parametrize(
    ("file", "old", "new", "says"),
    [
        ("cases.yaml", "kind: starting", "sort: x", "0.kind"),
        ("cases.yaml", "id: hasty", "id: start", "several cases are called 'start'"),
        ("cases.yaml", "world: small", "world: large", "start: there is no world 'large'"),
        ("cases.yaml", "delete: [hints]", "delete: [tips]", "hasty: there is no experiment tips"),
        ("cases.yaml", "state: cancelled", "state: inactive", "cancel: change hints: state is"),
        ("cases.yaml", "state: cancelled", "conditions: {control: 90}", "the weights do not add up to 100"),
        ("cases.yaml", "to: which", "to: (", "is no regular expression"),
        ("worlds.yaml", "context: maths-practice", "context: music", "hints: there is no context 'music'"),
        ("worlds.yaml", "control: 50", "badges: 50", "there is no condition 'badges'"),
        ("worlds.yaml", POINT, "show-problem", "is not SITE/TARGET"),
        ("worlds.yaml", POINT, "show-problem/loops", "there is no decision point 'show-problem/loops'"),
        ("worlds.yaml", "name: Running", "name: Running\n      unit: group", "start: its world cannot be built: "),
        ("worlds.yaml", "small:", "small: [", "worlds.yaml cannot be read"),
    ],
)
def test_what_cannot_be_used_is_named(
    evaluate: Evaluate, tmp_path: Path, file: str, old: str, new: str, says: str
) -> None:
    assert_refused(evaluate, tmp_path / "upgrade" / file, old, new, says)
