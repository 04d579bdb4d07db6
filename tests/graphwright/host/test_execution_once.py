"""Effects happen exactly once, whenever the process is killed: SIGKILL at random moments, at commits, in actions."""

from __future__ import annotations

import itertools
import random
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from crash_support import FIRST_AND_SEND, Child, Tell, World, apart, die, die_at, forked, look
from graphwright import Agent
from host_support import TWO_ACTIONS, agent, folded, open_session, reads, scripted
from postgres_support import kept_in

pytestmark = pytest.mark.slow

SEED = 7

FLOW = """
state:
  spent: {type: integer, default: 0}
  log: {type: array, default: [], reduce: append}
  offer: {type: object, default: {}, large: true}
nodes:
  - {id: q.name, type: question, key: name, prompt: Your name?, read: verbatim}
  - {id: reserve, type: action, run: reserve}
  - {id: notify, type: action, run: notify, retry: {attempts: 3}}
  - {id: delivery, type: subgraph, ref: subgraph.delivery, as: delivery}
  - {id: make_offer, type: action, run: make_offer}
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: "Sure, {{ answers.name }}?"}
  - {id: pay, type: action, run: pay, confirm: {by: q.sure, over: [offer, answers.name]}}
  - {id: thank, type: action, run: thank}
  - {id: q.wrap, type: question, key: wrap, read: choice, schema: {enum: [paper, box]}, prompt: Paper or box?}
  - {id: ship, type: action, run: ship}
  - {id: done, type: terminal, say: "Spent {{ spent }} on {{ answers.name }}."}
edges:
  - {from: q.name, to: reserve}
  - {from: reserve, to: notify}
  - {from: notify, to: delivery}
  - {from: delivery, to: make_offer}
  - {from: make_offer, to: q.sure}
  - {from: q.sure, to: pay, guard: answers.sure == true}
  - {from: q.sure, to: done, guard: else}
  - {from: pay, to: thank}
  - {from: thank, to: q.wrap}
  - {from: q.wrap, to: ship}
  - {from: ship, to: done}
subgraphs:
  subgraph.delivery:
    entry: q.city
    nodes:
      - {id: q.city, type: question, key: city, schema: {type: string}, prompt: Which city?}
      - {id: plan, type: action, run: plan}
    edges:
      - {from: q.city, to: plan}
      - {from: plan, to: __exit__}
"""
NODES = (
    World.PYTHON
    + """
@action(reads=["answers.name"], writes=["log"])
def reserve(state, ctx):
    world("reserve", ctx.key, state["answers"]["name"])
    ctx.say("Reserved.")
    return {"log": "reserve"}

@action(writes=["log", "spent"])
async def notify(state, ctx):
    world("notify", ctx.key, "")
    await asyncio.sleep(0)
    if ctx.attempt == 1:
        raise ConnectionError("no answer")
    return {"log": "notify", "spent": 1}

@action(reads=["answers.city"], writes=["log"])
async def plan(state, ctx):
    world("plan", ctx.key, state["answers"]["city"])
    return {"log": "plan"}

@action(reads=["answers.name"], writes=["log", "offer"])
def make_offer(state, ctx):
    world("offer", ctx.key, "")
    return {"log": ["make", "offer"], "offer": {"text": "x" * 500, "for": state["answers"]["name"]}}

@action(reads=["spent", "offer"], writes=["log", "spent"])
async def pay(state, ctx):
    world("pay", ctx.key, state["offer"]["for"])
    return {"log": "pay", "spent": state["spent"] + 10}

@action(writes=["log"])
def thank(state, ctx):
    world("thank", ctx.key, "")
    ctx.say("Thank you.")
    ctx.artifact("receipt.txt", kind="text")
    return {"log": "thank"}

@action(reads=["answers.wrap", "spent"], writes=["log", "spent"])
async def ship(state, ctx):
    world("ship", ctx.key, state["answers"]["wrap"])
    return {"log": "ship", "spent": state["spent"] + 100}
"""
)
MODEL = reads("Paris", ("delivery.city", "Paris", "Paris"))
REPLIES = {"": "Ann", "name": "Ann", "city": "I live in Paris", "sure": "yes"}
DID = [
    ("reserve", "Ann"),
    ("notify", ""),
    ("plan", "Paris"),
    ("offer", ""),
    ("pay", "Ann"),
    ("thank", ""),
    ("ship", "box"),
]
ANSWERS = {"name": "Ann", "delivery": {"city": "Paris"}, "sure": True, "wrap": "box"}
LOG = ["reserve", "notify", "plan", "make", "offer", "pay", "thank", "ship"]


@dataclass
class Shop:
    """The agent, its world, the folder of its conversations, and a conversation that was not interrupted."""

    made: Agent
    world: World
    home: Path
    undisturbed: dict[str, Any]
    seconds: float
    kills: int


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def shop(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Shop]:
    with kept_in(request.param, request):
        yield opened_shop(tmp_path_factory, request.param)


def opened_shop(tmp_path_factory: pytest.TempPathFactory, kind: str) -> Shop:
    folder = tmp_path_factory.mktemp("shop")
    made = agent(folder / "agent", FLOW, NODES)
    shop = Shop(made, World(folder / "agent"), folder / "home", {}, 0.0, 200 if kind == "sqlite" else 60)
    child = forked(lambda tell: talk(shop, "undisturbed", tell))
    assert not child.end()
    shop.undisturbed = child.returned
    shop.seconds = statistics.median(told["seconds"] for told in child.told if "seconds" in told)
    assert [effect[1:] for effect in shop.world.did("undisturbed")] == DID
    values = child.returned["state"]["values"]
    assert (values["answers"], values["log"], values["offer"]["for"]) == (ANSWERS, LOG, "Ann")
    folds = folded(made, child.returned["events"])
    assert set(folds["offer"]) == {"$blob"}
    assert {**folds, "offer": values["offer"]} == values
    return shop


async def talk(shop: Shop, thread: str, tell: Tell, *, chance: random.Random | None = None) -> dict[str, Any]:
    """Hold the conversation to its end from any point, answering its questions; return its final view."""
    async with shop.made.session(thread, model=scripted(MODEL), home=shop.home) as session:
        while (state := await session.state())["status"] != "ended":
            tell({"stands": state})
            begun = time.perf_counter()
            if state["status"] == "running":
                turn = await session.send(await after_a_crash(session, state, chance))
            else:
                key = (state["waiting_for"] or {"key": ""})["key"]
                turn = await (session.resume("box") if key == "wrap" else session.send(REPLIES[key]))
            tell({"values": turn.values, "seconds": time.perf_counter() - begun})
            assert turn.error is None, turn.error
        return await look(session)


async def after_a_crash(session: Any, state: dict[str, Any], chance: random.Random | None) -> str:
    """The interrupted message, or another one: it finishes the turn, too, and nothing of it is committed."""
    if chance is not None and chance.random() < 0.5 and "wrap" not in state["values"]["answers"]:
        return "hello?"
    started = [row.event for row in await session.history() if row.event["type"] == "turn_started"]
    return str(started[-1]["message"])


def untimed(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in event.items() if name != "now"} for event in events]


def assert_undisturbed(shop: Shop, thread: str, ended: dict[str, Any]) -> None:
    """The conversation must look as if it was not interrupted, and each thing was done once in the world."""
    assert shop.world.did(thread) == shop.world.did("undisturbed")
    expected = shop.undisturbed
    assert ended["messages"] == expected["messages"]
    assert untimed(ended["events"]) == untimed(expected["events"])
    timeless = {"thread": "", "now": ""}
    assert {**ended["state"], **timeless} == {**expected["state"], **timeless}


class Kept:
    """The results of the finished turns of a thread: none may ever be lost."""

    def __init__(self) -> None:
        self.answers: dict[str, Any] = {}
        self.log: list[str] = []

    def hold(self, child: Child) -> None:
        for told in child.told:
            values = told["stands"]["values"] if "stands" in told else told["values"]
            answers, log = values["answers"], values.get("log", [])
            assert answers | self.answers == answers
            assert log[: len(self.log)] == self.log
            self.answers, self.log = answers, log


def test_killed_at_random_moments_every_effect_happens_once(shop: Shop) -> None:
    chance = random.Random(SEED)
    kills, inside, finished = 0, 0, 0
    repeated = 0
    while inside < shop.kills:
        thread, kept = f"random-{finished}", Kept()
        for number in itertools.count():
            own = random.Random(f"{SEED} {thread} {number}")
            child = forked(lambda tell: talk(shop, thread, tell, chance=own))  # noqa: B023
            if number < 16 and child.hear() is not None:
                time.sleep(chance.uniform(0, 1.3 * shop.seconds))
                child.kill()
            killed = child.end()
            kept.hold(child)
            if not killed:
                break
            kills += 1
            inside += "stands" in child.told[-1]
        assert_undisturbed(shop, thread, child.returned)
        repeated += len(shop.world.requested_actions(thread)) - len(shop.world.requested_actions("undisturbed"))
        finished += 1
    print(
        f"\n{kills} kills, {inside} of them inside a turn; {finished} conversations, {repeated} effects asked for again"
    )
    assert repeated > 0


def test_killed_before_and_after_every_commit_every_effect_happens_once(shop: Shop) -> None:
    for number in itertools.count(1):
        thread, kept = f"commit-{number}", Kept()

        async def cut(tell: Tell, thread: str = thread, at: int = number) -> dict[str, Any]:
            die_at(shop.home, at)
            return await talk(shop, thread, tell)

        child = forked(cut)
        killed = child.end()
        kept.hold(child)
        if killed:
            child = forked(lambda tell: talk(shop, thread, tell, chance=random.Random(SEED)))  # noqa: B023
            assert not child.end()
            kept.hold(child)
        assert_undisturbed(shop, thread, child.returned)
        if not killed:
            break
    # There is a commit before every action, and one at the end of every turn.
    assert number > 2 * (len(DID) + 4)


def test_killed_before_and_after_any_effect_it_is_asked_for_again_with_its_key(shop: Shop) -> None:
    for action, _ in DID:
        for point in ("before", "after"):

            async def cut(tell: Tell, at: str = f"{point} {action}") -> None:
                shop.world.at(shop.made, at, die)
                await talk(shop, "actions", tell)

            assert forked(cut).end()
    assert_undisturbed(shop, "actions", apart(lambda tell: talk(shop, "actions", tell)))
    # Once for each kill after the effect, once for the complete turn, and once for the failed attempt.
    asked = [action for action, _ in DID for _ in range(2)]
    assert sorted(shop.world.requested_actions("actions")) == sorted([*asked, "notify"])


async def say(made: Agent, home: Path, messages: list[str], tell: Tell) -> dict[str, Any]:
    """A turn for each message, in a thread that another process uses too."""
    async with open_session(made, home) as session:
        for message in messages:
            tell("sending")
            turn = await session.send(message)
            if turn.unread:
                # It finished the turn of a killed process: the message has to be sent again.
                turn = await session.send(message)
            tell(turn.values["n"])
        return await look(session)


def assert_one_after_the_other(world: World, seen: dict[str, Any], log: list[str]) -> None:
    """Each message had a separate turn, in this order."""
    started = [event for event in seen["events"] if event["type"] == "turn_started"]
    assert [event["turn"] for event in started] == list(range(1, len(log) + 1))
    assert [event["message"] for event in started] == log
    assert seen["state"]["values"]["sent"] == log
    assert [text for role, text in seen["messages"] if role == "user"] == log
    assert [text for _, text in seen["messages"][2::3]] == [f"Sent {number}." for number in range(1, len(log) + 1)]
    done = world.did("t")
    assert [number for number, _, _ in done] == list(range(1, 2 * len(log) + 1))
    assert [what for _, action, what in done if action == "send"] == log


@pytest.mark.usefixtures("database")
def test_two_processes_on_one_thread_are_served_one_after_the_other(tmp_path: Path) -> None:
    made, home = agent(tmp_path / "agent", TWO_ACTIONS, FIRST_AND_SEND), tmp_path / "home"
    world = World(made.folder)
    messages = {name: [f"{name} {number}" for number in range(10)] for name in ("ann", "ben")}
    children = [forked(lambda tell, own=own: say(made, home, own, tell)) for own in messages.values()]
    assert [child.end() for child in children] == [False, False]
    counted = [told for child in children for told in child.told if told != "sending"]
    assert sorted(counted) == list(range(1, 21))
    last = max(children, key=lambda child: len(child.returned["events"])).returned
    log = last["state"]["values"]["sent"]
    for name, own in messages.items():
        assert [said for said in log if said.startswith(name)] == own
    assert_one_after_the_other(world, last, log)


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize("point", ["before first", "after first", "before send", "after send"])
def test_a_waiting_process_finishes_the_turn_of_a_killed_one(tmp_path: Path, point: str) -> None:
    made, home = agent(tmp_path / "agent", TWO_ACTIONS, FIRST_AND_SEND), tmp_path / "home"
    world = World(made.folder)

    async def stay(tell: Tell) -> None:
        def there() -> None:
            tell("there")
            time.sleep(60)

        world.at(made, point, there)
        await say(made, home, ["ann"], tell)

    first = forked(stay)
    while first.hear() != "there":
        pass
    second = forked(lambda tell: say(made, home, ["ben"], tell))
    second.hear()
    time.sleep(0.1)
    first.kill()
    assert first.end()
    assert not second.end()
    assert_one_after_the_other(world, second.returned, ["ann", "ben"])
