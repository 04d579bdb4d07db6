"""The trace: the flow with the path of a turn, each event with its reasons, and branching from an earlier point."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from api_support import served
from browser_support import Look, Open, Picture, agent, begun, choose_setting, eventually, fits

LIGHTS = """
version: v1
id: flow.lights
title: A shop for lights
paths:
  buy: {ref: subgraph.buying, description: Buying new lights}
  repair: {ref: subgraph.repairing, description: Having a broken lamp repaired}
path_policy: {lock_threshold: 2, decay: 0.5}
state:
  offer: {type: object, default: {}}
nodes:
  - id: q.name
    type: question
    key: name
    prompt: Welcome! What is your name?
    schema: {type: string, description: name of the user}
  - id: q.town
    type: question
    key: town
    prompt: Which town are you in?
    schema: {type: string, description: town}
  - {id: which, type: decision}
  - id: q.wish
    type: question
    key: wish
    prompt: Would you like to buy lights, or to have a lamp repaired?
    schema: {type: string, description: what the user wants}
    when: active_path == ''
    ask: always
  - {id: work, type: subgraph, ref: $active_path, as: work}
  - {id: price, type: action, run: price, label: Ask the price}
  - {id: large, type: terminal, say: "A colleague calls you, {{ answers.name }}."}
  - {id: done, type: terminal, say: "Thank you, {{ answers.name }}."}
edges:
  - {from: q.name, to: q.town}
  - {from: q.town, to: which}
  - {from: which, to: work, guard: "active_path != ''"}
  - {from: which, to: q.wish, guard: else}
  - {from: q.wish, to: which}
  - {from: work, to: price}
  - {from: price, to: large, guard: "active_path == 'buy' && answers.work.watts > 500"}
  - {from: price, to: done, guard: else}
subgraphs:
  subgraph.buying:
    nodes:
      - id: q.watts
        type: question
        key: watts
        prompt: How many watts should they have?
        schema: {type: integer, x-unit: W}
    edges:
      - {from: q.watts, to: __exit__}
  subgraph.repairing:
    nodes:
      - {id: q.defect, type: question, key: defect, prompt: What is broken?, read: verbatim}
    edges:
      - {from: q.defect, to: __exit__}
"""
LIGHTS_NODES = """
import asyncio
from pathlib import Path

from graphwright import action


@action(reads=["answers.work.watts"], writes=["offer"])
async def price(state, ctx):
    watts = state["answers"].get("work", {}).get("watts", 0)
    if watts == 13:
        raise ValueError("no lamp has 13 W")
    while watts == 40 and not (Path(__file__).parent / "go.txt").exists():
        await asyncio.sleep(0.02)
    return {"offer": {"watts": watts}}
"""
LIGHTS_MODEL = """
- says: dark
  call:
    - UpdateAnswers: {answers: [{key: name, value: Ann, quote: Ann}]}
    - SelectPath: {path: buy, confidence: 0.6, rationale: the hall is dark}
- says: new ones
  call:
    - UpdateAnswers: {answers: [{key: town, value: Ulm, quote: Ulm}]}
    - SelectPath: {path: buy, confidence: 0.9, rationale: wants new ones}
- says: "60"
  call: {UpdateAnswers: {answers: [{key: work.watts, value: 60, quote: "60"}]}}
- says: "40"
  call: {UpdateAnswers: {answers: [{key: work.watts, value: 40, quote: "40"}]}}
- says: "13"
  call: {UpdateAnswers: {answers: [{key: work.watts, value: 13, quote: "13"}]}}
"""
SAID = ("I am Ann, and our hall is so dark", "Ulm. We thought of new ones")


LONG = 90


def corridor() -> str:
    """A flow of many nodes in a row: a turn through all of them has hundreds of events."""
    nodes = [f"  - {{id: room.{n}, type: decision}}" for n in range(LONG)]
    edges = [
        line
        for n in range(LONG)
        for line in (
            f"  - {{from: room.{n}, to: lost, guard: answers.key == 'none'}}",
            f"  - {{from: room.{n}, to: out, guard: answers.key == 'room {n}'}}",
            f"  - {{from: room.{n}, to: {f'room.{n + 1}' if n + 1 < LONG else 'out'}, guard: else}}",
        )
    ]
    return "\n".join(
        [
            "version: v1",
            "id: flow.corridor",
            "title: A long corridor",
            "nodes:",
            "  - {id: q.key, type: question, key: key, prompt: Which key?, read: verbatim, ask: always}",
            *nodes,
            "  - {id: lost, type: terminal, say: Without a key nobody comes in.}",
            "  - {id: out, type: terminal, say: You are out.}",
            "edges:",
            "  - {from: q.key, to: room.0}",
            *edges,
        ]
    )


@dataclass(frozen=True)
class Lights:
    """A service with the shop for lights and a long corridor; `go` leads to an offer for 40 W, which waits."""

    address: str
    folder: Path

    def trace(self, thread: str, query: str = "") -> str:
        return f"{self.address}/#/trace/{thread}{query}"

    def go(self) -> None:
        self._sign.touch()

    def stop(self) -> None:
        self._sign.unlink(missing_ok=True)

    @property
    def _sign(self) -> Path:
        return self.folder / "lights" / "go.txt"


@pytest.fixture(scope="module")
def lights(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lights]:
    folder: Path = tmp_path_factory.mktemp("trace")
    (folder / "rules.yaml").write_text(LIGHTS_MODEL, "utf-8")
    model = f"scripted:{folder / 'rules.yaml'}"
    config = f'[models]\ncurrency = "EUR"\n[models.prices."{model}"]\ninput = 1000\noutput = 5000\n'
    agents = [agent(folder, "lights", LIGHTS, LIGHTS_NODES), agent(folder, "corridor", corridor())]
    with served(folder, "--model", model, agents=agents, config=config) as (_, address):
        yield Lights(address, folder)


def turn(page: Page, number: int) -> Locator:
    return page.get_by_role("region", name=f"Turn {number}", exact=True)


def line(page: Page, text: str) -> Locator:
    """An event of the trace, by a part of its line."""
    return page.get_by_role("region", name="Events by turn and node").get_by_role("listitem").filter(has_text=text)


def node(page: Page, id: str) -> Locator:
    """A node of the canvas; only what fits the window is in the page."""
    return page.locator(f".react-flow__node[data-id='{id}'] .flow-node")


def test_a_turn_shows_its_way_with_the_reason_of_every_step(
    lights: Lights, open_page: Open, picture: Picture, accessible: Look
) -> None:
    thread = begun(lights.address, "lights", *SAID, "60 please")
    page = open_page(lights.trace(thread))

    # The last turn is open: out of the subgraph and to the end, the other edges with the values they saw.
    expect(turn(page, 4).get_by_role("button", name="Turn 4")).to_have_attribute("aria-expanded", "true")
    guard = line(page, "active_path == 'buy'")
    expect(guard).to_contain_text("stays closed")
    expect(guard).to_contain_text("active_path = “buy”, answers.work.watts = 60")
    expect(line(page, "work.watts = 60").first).to_contain_text("“60”")
    expect(turn(page, 4).locator("mark")).to_have_text("60")
    model = line(page, "UpdateAnswers")
    expect(model).to_contain_text("scripted:rules.yaml")
    expect(model).to_contain_text(re.compile(r"\d+ tokens in, \d+ out"))
    expect(model).to_contain_text("€0.")
    expect(turn(page, 4).get_by_role("button", name="1 model call")).to_contain_text("€0.")
    for each in ("q.watts", "work", "price", "done"):
        expect(node(page, each)).to_have_class(re.compile("flow-way"))
    expect(node(page, "large")).not_to_have_class(re.compile("flow-way"))
    expect(node(page, "done")).to_have_class(re.compile("flow-active"))

    # The turn before chose the path by votes.
    turn(page, 3).get_by_role("button", name="Ulm. We thought").click()
    expect(page).to_have_url(re.compile("turn=3"))
    vote = line(page, "90 % sure")
    expect(vote).to_contain_text("“wants new ones”")
    expect(vote.get_by_role("img")).to_have_accessible_name("Votes for the paths: buy 2 of 2")
    expect(line(page, "is chosen")).to_contain_text("buy")
    expect(page.get_by_role("region", name="Work", exact=True)).to_contain_text("Subgraph buying")
    expect(node(page, "q.watts")).to_have_class(re.compile("flow-active"))
    accessible(page)
    picture(page, "trace")

    choose_setting(page, "Dark")
    accessible(page)
    picture(page, "trace-dark")
    choose_setting(page, "Deutsch")
    german = page.get_by_role("region", name="Runde 3").get_by_role("listitem").filter(has_text="zu 90 % sicher")
    expect(german).to_contain_text("Stimme")
    drawing = page.get_by_role("region", name="Der Ablauf mit dem Weg dieser Runde")
    expect(drawing.get_by_role("button", name="Alles zeigen")).to_be_visible()
    fits(page)
    accessible(page)
    picture(page, "trace-narrow")


def test_the_canvas_of_the_editor_shows_the_whole_way(lights: Lights, open_page: Open) -> None:
    thread = begun(lights.address, "lights", *SAID, "60 please")
    page = open_page(lights.trace(thread))
    # The subgraph of the chosen path is open, and labels are not cut.
    expect(page.locator(".flow-edge.flow-way")).to_have_count(3)
    label = page.locator(".flow-label", has_text="answers.work.watts > 500")
    whole = "e => e.scrollHeight <= e.clientHeight + 1 && e.scrollWidth <= e.clientWidth + 1"
    eventually(page, lambda: label.evaluate(whole))
    view = page.locator(".react-flow__viewport")
    before = view.get_attribute("style")
    page.locator(".react-flow__pane").hover()
    page.mouse.wheel(0, -300)
    expect(view).not_to_have_attribute("style", before or "")


def test_a_timeline_has_a_bar_for_each_model_tool_and_action(lights: Lights, open_page: Open) -> None:
    thread = begun(lights.address, "lights", *SAID, "60 please")
    page = open_page(lights.trace(thread))
    timeline = page.get_by_role("region", name="Timeline")
    bars = [re.compile("^model"), re.compile("action.*price", re.IGNORECASE)]
    expect(timeline.get_by_role("listitem")).to_have_text(bars)
    timeline.get_by_role("button", name="price").click()
    expect(page.get_by_role("region", name=re.compile("^Event "))).to_contain_text("action finished")
    # An action is once in the list, with its duration; the turn has one duration.
    expect(page.locator(".trace-visit").get_by_role("listitem").filter(has_text="action")).to_have_count(1)


def test_the_list_of_traces_is_filtered(lights: Lights, open_page: Open, accessible: Look) -> None:
    thread = begun(lights.address, "lights", *SAID, "13")
    page = open_page(f"{lights.address}/#/trace")
    page.get_by_label("Agent").select_option("lights")
    page.get_by_label("Status").select_option("failed")
    row = page.get_by_role("row").nth(1)
    expect(row).to_contain_text("failed")
    accessible(page)
    row.get_by_role("link").click()
    expect(page).to_have_url(re.compile(f"#/trace/{thread}$"))
    page.go_back()
    expect(page.get_by_label("Status")).to_have_value("failed")


def test_a_node_lights_up_while_its_turn_runs(lights: Lights, open_page: Open) -> None:
    lights.stop()
    thread = begun(lights.address, "lights", *SAID)
    page = open_page(f"{lights.address}/#/chat/{thread}?beside=trace")
    trace = page.get_by_role("complementary", name="Trace")
    expect(node(page, "q.watts")).to_have_class(re.compile("flow-active"))
    # Half of the width is enough for the title.
    eventually(page, lambda: page.locator(".conversation h1").evaluate("it => it.scrollWidth <= it.offsetWidth"))
    box = page.get_by_role("textbox", name=re.compile("message|answer", re.I))
    box.fill("40")
    box.press("Enter")
    expect(node(page, "price")).to_have_class(re.compile("flow-active"))
    expect(trace.get_by_role("img", name="running")).to_be_visible()
    expect(page.locator("[data-id='done'] .flow-way")).to_have_count(0)
    lights.go()
    expect(node(page, "done")).to_have_class(re.compile("flow-active"))
    expect(trace.get_by_role("img", name="running")).to_be_hidden()
    expect(line(page, "Thank you, Ann.")).to_be_visible()


def test_a_branch_continues_from_an_earlier_point(lights: Lights, open_page: Open, picture: Picture) -> None:
    thread = begun(lights.address, "lights", *SAID, "60 please")
    page = open_page(lights.trace(thread))
    page.context.forgiven.append("status of 422")  # type: ignore[attr-defined]
    line(page, "work.watts = 60").first.get_by_role("button").first.click()
    detail = page.get_by_role("region", name=re.compile("^Event "))
    detail.get_by_text("The state at this point").click()
    expect(detail).to_contain_text("Ulm")
    detail.get_by_role("button", name="Go on from here").click()
    value = detail.get_by_label("Its value")
    expect(value).to_have_value("60")
    value.fill("many")
    detail.get_by_role("button", name="Begin the branch").click()
    # Values that the flow refuses are reported next to the field, and the form stays.
    expect(detail.get_by_role("alert")).to_be_visible()
    value.fill("900")
    detail.get_by_role("button", name="Begin the branch").click()
    expect(page).to_have_url(re.compile(r"/#/chat/(?!" + thread + ")"))
    # The answer is the user's last message, also after a reload.
    mine = page.get_by_role("log").get_by_role("article", name="You")
    expect(mine.last).to_contain_text("900")
    page.reload()
    expect(mine.last).to_contain_text("900")
    picture(page, "trace-branch")
    trace = page.get_by_role("complementary", name="Trace")
    expect(line(page, "of conversation")).to_contain_text("work.watts")
    expect(trace).to_contain_text("At Ask the price")
    # It continues on the other edge, and the original thread has not changed.
    page.get_by_role("textbox", name=re.compile("message|answer", re.I)).fill("Thank you")
    page.keyboard.press("Enter")
    expect(trace).to_contain_text("At Large")
    page.goto(lights.trace(thread))
    expect(node(page, "done")).to_have_class(re.compile("flow-active"))
    expect(turn(page, 4)).to_contain_text("Thank you, Ann.")


def test_an_event_has_an_address_and_keys_lead_through_all_of_them(lights: Lights, open_page: Open) -> None:
    thread = begun(lights.address, "lights", *SAID)
    page = open_page(lights.trace(thread))
    expect(line(page, "How many watts")).to_be_visible()
    events = page.get_by_role("region", name=re.compile("^Event "))
    page.keyboard.press("Shift+j")
    expect(events).to_contain_text("turn started")
    expect(node(page, "q.town")).to_have_class(re.compile("flow-active"))
    for _ in range(2):
        page.keyboard.press("Shift+j")
    expect(events).to_contain_text("answer committed")
    page.keyboard.press("Shift+k")
    expect(events).to_contain_text("model called")
    # The drawing shows the position at that time, and a reload shows the same again.
    expect(node(page, "q.watts")).not_to_have_class(re.compile("flow-way"))
    page.reload()
    expect(events).to_contain_text("model called")
    page.keyboard.press("Shift+x")
    expect(events).to_be_hidden()
    page.go_back()
    expect(events).to_contain_text("model called")
    page.keyboard.press("Shift+f")
    expect(page.locator(".trace-drawing")).to_be_hidden()
    page.keyboard.press("Shift+f")
    node(page, "q.town").click()
    expect(events).to_contain_text("Ulm")


def test_a_long_way_through_many_nodes_stays_readable(lights: Lights, open_page: Open, picture: Picture) -> None:
    thread = begun(lights.address, "corridor", "brass")
    page = open_page(lights.trace(thread))
    expect(node(page, "out")).to_have_class(re.compile("flow-active"))
    expect(node(page, "out")).to_be_in_viewport()
    page.get_by_role("button", name="Show all").click()
    expect(node(page, "room.0")).to_be_in_viewport()
    expect(node(page, "out")).to_be_in_viewport()
    expect(page.locator(".react-flow__minimap")).to_be_visible()
    picture(page, "trace-whole")
    # The first lines are shown, and more on demand; an event far down opens by its address.
    deep = page.get_by_role("region", name=f"Room {LONG - 1}", exact=True)
    expect(page.get_by_role("region", name="Room 9", exact=True)).to_be_visible()
    expect(deep).to_be_hidden()
    page.get_by_role("button", name="Show more").click()
    expect(deep).to_be_visible()
    deep.get_by_role("button").first.click()
    address = page.url
    page.goto("about:blank")
    page.goto(address)
    expect(deep.get_by_role("region", name=re.compile("^Event "))).to_be_visible()


def test_the_turns_of_a_long_conversation_come_in_pages(lights: Lights, open_page: Open) -> None:
    thread = begun(lights.address, "corridor", *(f"room {n}" for n in range(24)))
    page = open_page(lights.trace(thread))
    expect(turn(page, 25)).to_be_visible()
    expect(turn(page, 5)).to_be_hidden()
    page.get_by_role("button", name="Earlier turns").click()
    expect(turn(page, 1)).to_contain_text("began without a message")
    expect(page.get_by_role("button", name="Earlier turns")).to_be_hidden()
    turn(page, 2).get_by_role("button").click()
    expect(line(page, "You are out.")).to_be_visible()
    page.keyboard.press("Shift+r")
    expect(turn(page, 1)).to_be_visible()


def test_a_failed_turn_says_what_failed(lights: Lights, open_page: Open, picture: Picture) -> None:
    thread = begun(lights.address, "lights", *SAID, "13")
    page = open_page(lights.trace(thread))
    expect(turn(page, 4).get_by_role("button", name="Turn 4")).to_contain_text("failed")
    expect(line(page, "no lamp has 13 W").last).to_contain_text("failed")
    expect(node(page, "price")).to_have_class(re.compile("flow-active"))
    picture(page, "trace-failed")
    page.goto(f"{lights.address}/#/chat/{thread}")
    failure = page.get_by_role("log").get_by_role("alert")
    expect(failure).to_contain_text("Something went wrong.")
    expect(failure.get_by_text("no lamp has 13 W")).to_have_count(0)
    failure.get_by_text("Details").click()
    expect(failure).to_contain_text("no lamp has 13 W")
    expect(failure.get_by_role("link", name="Open the trace")).to_have_attribute("href", f"#/trace/{thread}?turn=4")
    picture(page, "chat-failed")
    failure.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("log").get_by_text("13", exact=True)).to_have_count(2)


def test_an_unreadable_trace_is_reported_and_retried(lights: Lights, open_page: Open) -> None:
    thread = begun(lights.address, "lights", *SAID)
    page = open_page(f"{lights.address}/#/trace")
    page.context.forgiven.append("Failed to load resource")  # type: ignore[attr-defined]
    page.route("**/trace?*", lambda route: route.abort())
    page.get_by_role("link", name="Ann").first.click()
    expect(page.get_by_role("alert").filter(has_text="The service does not answer.")).to_be_visible()
    page.unroute("**/trace?*")
    expect(line(page, "How many watts")).to_be_visible()
    page.goto(lights.trace("none"))
    expect(page.get_by_role("alert").filter(has_text="This does not exist")).to_be_visible()
    page.goto(lights.trace(thread))
    expect(line(page, "How many watts")).to_be_visible()
