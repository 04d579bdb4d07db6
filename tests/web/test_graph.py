"""The graph: search and navigation within limits, unusual names, and undoing changes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from uuid import uuid4

import httpx
import pytest
from playwright.sync_api import Page, expect

from api_support import served
from browser_support import Look, Open, Picture, choose_setting, fits, told
from graphwright_graph import AddEdge, AddNode, DeleteNode, UpdateNode, Write, open_graph

MANY = 300
HOSTILE = ("<script>alert(1)</script>", "שלום עולם", "a/b?c#d%20e&f", "..", "x" * 500, '"quoted" `and` \\\\')


def done(home: Path, goal: str, *writes: Write, thread: str = "") -> str:
    """Change the graph as a goal of a thread; return the id of its journal entry."""
    store = open_graph(home)
    entry = store.begin_goal(goal, key=goal, thread=thread)
    store.apply(list(writes), goal=entry.id, key=goal)
    store.finish_goal(entry.id, "done")
    return entry.id


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home: Path = tmp_path_factory.mktemp("graph") / "home"
    teams = [AddNode("Team", name, {"floor": floor}) for floor, name in enumerate(("red", "blue", "green"))]
    teams_of = {"ann": "red", "ben": "red", "cid": "blue", "dan": "blue", "eve": "green", "fay": "red", "gus": "green"}
    people = [AddNode("User", name, {"since": 2015 + at}) for at, name in enumerate(teams_of)]
    tools = [AddNode("Tool", name, {"place": "workshop"}) for name in ("lathe", "kiln", "press")]
    ties = [AddEdge(each, "IN", team) for each, team in teams_of.items()]
    uses = [AddEdge(*each) for each in (("red", "USES", "lathe"), ("red", "USES", "kiln"), ("blue", "USES", "press"))]
    known = AddEdge("ann", "KNOWS", "cid", {"since": 2021})
    done(home, "Write down who works where", *teams, *people, *tools, *ties, *uses, known)
    crowd: Sequence[Write] = [AddNode("Guest", f"guest {n:03}") for n in range(MANY)]
    entries = [AddEdge(f"guest {n:03}", "VISITS", "fair") for n in range(MANY)]
    done(home, "Enter the guests of the fair", AddNode("Event", "fair"), *crowd, *entries)
    names = [AddNode("Name", each, {"said": each}) for each in HOSTILE]
    done(
        home,
        "Enter <b>strange</b> names",
        AddNode("List", "strange"),
        *names,
        *(AddEdge("strange", "HAS", n) for n in HOSTILE),
    )
    done(home, "Enter somebody and take them out", AddNode("User", "gone", {"why": "a mistake"}))
    done(home, "Take them out", DeleteNode("gone"))
    return home


@pytest.fixture(scope="module")
def address(home: Path) -> Iterator[str]:
    with served(home.parent) as (_, address):
        yield address


def test_nodes_are_searched_and_walked_from_one_to_the_next(
    address: str, open_page: Open, picture: Picture, accessible: Look
) -> None:
    page = open_page(f"{address}/#/graph")
    nodes = page.get_by_role("navigation", name="Nodes")
    expect(nodes.get_by_text("There are more.")).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("ann")
    expect(page).to_have_url(re.compile("q=ann"))
    nodes.get_by_role("link", name="ann").click()
    # Enter in the search leads to the first result.
    page.keyboard.press("/")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/User/ann"))
    around = page.get_by_role("group", name="Around User/ann")
    expect(around.locator(".graph-dot")).to_have_count(3)
    # Types stand at their edges, and labels have colours of their own.
    expect(around.locator(".graph-type")).to_have_text(["IN", "KNOWS"])
    expect(around.locator(".graph-legend button")).to_have_count(2)
    table = page.get_by_role("region", name="Edges").last
    expect(table.get_by_role("row")).to_have_count(3)
    expect(table).to_contain_text("2021")
    # Another node opens its neighbourhood, also by keyboard, and the address leads back.
    around.get_by_role("button", name="Team red").focus()
    page.keyboard.press("Enter")
    expect(around.get_by_role("button", name="User ben")).to_be_visible()
    around.get_by_role("button", name="User cid").click()
    expect(around.get_by_role("button", name="Tool press")).to_be_hidden()
    around.get_by_role("button", name="Team blue").click()
    expect(around.get_by_role("button", name="Tool press")).to_be_visible()
    expect(page.get_by_role("region", name="blue", exact=True)).to_contain_text("floor")
    accessible(page)
    picture(page, "graph")
    page.get_by_role("link", name="Begin from this node").click()
    expect(page.get_by_role("group", name="Around Team/blue")).to_be_visible()
    page.go_back()
    expect(around).to_be_visible()
    # What was found in a property is shown with it.
    page.get_by_role("searchbox").fill("worksh")
    expect(nodes.get_by_role("link", name="kiln")).to_contain_text("place: workshop")
    page.get_by_role("searchbox").fill("nobody at all")
    expect(page.get_by_role("heading", name="No node fits")).to_be_visible()
    page.get_by_role("searchbox").fill("")
    page.get_by_label("Label").select_option("Team")
    expect(nodes.get_by_role("link")).to_have_count(3)

    choose_setting(page, "Dark")
    accessible(page)
    choose_setting(page, "Deutsch")
    expect(page.get_by_role("heading", name="Kanten (2)")).to_be_visible()
    fits(page)
    accessible(page)
    picture(page, "graph-narrow")


def test_a_node_shows_a_bounded_number_of_neighbours(address: str, open_page: Open, picture: Picture) -> None:
    page = open_page(f"{address}/#/graph/node/Event/fair")
    picture_of = page.get_by_role("group", name="Around Event/fair")
    expect(picture_of.locator(".graph-legend")).to_contain_text("Guest 39")
    # Types that are repeated stand once; a press on a label hides its nodes.
    expect(picture_of.locator(".graph-type")).to_have_count(1)
    guests = page.get_by_role("group", name="Legend").get_by_role("button", name="Guest")
    guests.click()
    expect(picture_of.locator(".graph-dot")).to_have_count(1)
    guests.click()
    expect(page.get_by_text("There is more than is shown.")).to_be_visible()
    page.get_by_role("button", name="Show more").first.click()
    expect(picture_of.locator(".graph-legend")).to_contain_text("Guest 199")
    page.get_by_role("button", name="Show more").first.click()
    expect(page.get_by_role("heading", name=f"Edges ({MANY})")).to_be_visible()
    # Only what fits the window is in the page, and from afar there are dots.
    assert picture_of.locator(".graph-dot").count() < MANY
    page.get_by_role("button", name="Show all").click()
    expect(page.get_by_text("Zoom in to read the names")).to_be_visible()
    expect(picture_of.locator(".graph-dot")).to_have_count(0)
    rows = page.get_by_role("region", name="Edges").last.get_by_role("row")
    expect(rows).to_have_count(51)
    for shown in range(100, MANY + 1, 50):
        page.get_by_role("button", name="Show more").click()
        expect(rows).to_have_count(shown + 1)
    picture(page, "graph-crowd")
    page.get_by_role("link", name="guest 299").click()
    expect(page.get_by_role("group", name="Around Guest/guest 299")).to_be_visible()


@pytest.mark.parametrize("name", HOSTILE, ids=("script", "from right to left", "address", "dots", "long", "quotes"))
def test_strange_names_are_shown_as_text(address: str, open_page: Open, name: str) -> None:
    page = open_page(f"{address}/#/graph?label=Name")
    page.get_by_role("navigation", name="Nodes").get_by_role("link", name=name).first.click()
    expect(page.get_by_role("region", name=name, exact=True)).to_contain_text(name)
    page.get_by_role("link", name="strange").click()
    expect(page.get_by_role("group", name="Around List/strange")).to_be_visible()
    fits(page)


def test_a_deleted_node_is_reported_and_in_the_journal(address: str, open_page: Open, picture: Picture) -> None:
    page = open_page(f"{address}/#/graph/node/User/gone")
    page.context.forgiven.append("status of 404")  # type: ignore[attr-defined]
    expect(page.get_by_role("alert").filter(has_text="It may have been deleted")).to_be_visible()
    page.goto(f"{address}/#/graph/User/ann")
    page.get_by_role("alert").filter(has_text="This does not exist").get_by_role("link").click()
    expect(page).to_have_url(re.compile("#/graph$"))
    page.keyboard.press("2")
    page.get_by_role("link", name=re.compile("^Take them out")).click()
    changes = page.get_by_role("region", name="Changes")
    expect(changes).to_contain_text("deleted")
    expect(changes).to_contain_text("a mistake")
    page.go_back()
    page.get_by_role("link", name=re.compile("strange")).click()
    expect(changes).to_contain_text("<script>alert(1)</script>")
    picture(page, "graph-journal")


def test_what_was_done_is_undone_exactly_as_the_preview_shows(
    home: Path, address: str, open_page: Open, accessible: Look, picture: Picture
) -> None:
    name = f"hugo {uuid4()}"
    done(home, f"Employ {name}", AddNode("User", name))
    goal = done(home, f"Move {name} to the red team", UpdateNode(name, {"desk": 7}), AddEdge(name, "IN", "red"))
    page = open_page(f"{address}/#/graph/journal/{goal}")
    page.get_by_role("button", name="Undo").click()
    preview = page.get_by_role("dialog", name=f"Undo {goal}")
    expect(preview.get_by_role("listitem")).to_have_count(2)
    expect(preview).to_contain_text(f"{name} IN red")
    expect(preview).to_contain_text("desk: 7 → ∅")
    accessible(page)
    picture(page, "graph-undo")
    # The graph changes meanwhile: nothing is done that was not shown, and the reason is given.
    page.context.forgiven.append("status of 409")  # type: ignore[attr-defined]
    later = done(home, f"Give {name} another desk", UpdateNode(name, {"desk": 8}))
    preview.get_by_role("button", name="Undo").click()
    expect(preview.get_by_role("alert")).to_contain_text(f"Undo {later} first.")
    expect(preview.get_by_role("button", name="Undo")).to_be_hidden()
    page.keyboard.press("Escape")
    page.reload()
    for each in (later, goal):
        page.goto(f"{address}/#/graph/journal/{each}")
        page.get_by_role("button", name="Undo").click()
        preview = page.get_by_role("dialog", name=f"Undo {each}")
        preview.get_by_role("button", name="Undo").click()
        expect(page.get_by_text(f"Undo of {each}").first).to_be_visible()
    page.goto(f"{address}/#/graph/journal/{goal}")
    undone = re.compile("^undone by G")
    expect(page.get_by_role("article").get_by_text(undone)).to_be_visible()
    expect(page.get_by_role("listitem").filter(has_text=name).get_by_text(undone)).to_have_count(2)
    expect(page.get_by_role("button", name="Undo")).to_be_hidden()


def _forgive_refusals(page: Page) -> None:
    page.context.forgiven.append("status of 401")  # type: ignore[attr-defined]


def test_the_undo_of_somebody_else_is_not_offered(tmp_path: Path, open_page: Open) -> None:
    home = tmp_path / "home"

    def key(user: str) -> str:
        command = [sys.executable, "-m", "graphwright.cli", "keys", "create", "--user", user, "--role", "user"]
        environment = {**os.environ, "GRAPHWRIGHT_HOME": str(home)}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip()

    keys = {user: key(user) for user in ("ann", "ben")}
    with served(tmp_path, service="login = true") as (_, address):
        for user, secret in keys.items():
            headers = {"Authorization": f"Bearer {secret}"}
            made = httpx.post(
                f"{address}/api/v1/threads", json={"agent": "shop", "thread": user}, headers=headers, timeout=60
            )
            assert made.status_code == 201, made.text
            done(home, f"The words of {user}", AddNode("User", user), thread=user)
        page = open_page(f"{address}/#/graph/journal", _forgive_refusals)
        page.get_by_label("API key").fill(keys["ann"])
        page.keyboard.press("Enter")
        page.get_by_role("link", name=re.compile("somebody else")).click()
        expect(page.get_by_role("region", name="Changes")).to_contain_text("ben")
        expect(page.get_by_text("Only who did it, or an admin, can undo it.")).to_be_visible()
        expect(page.get_by_role("button", name="Undo")).to_be_hidden()
        page.get_by_role("link", name=re.compile("The words of ann")).click()
        page.get_by_role("button", name="Undo").click()
        page.get_by_role("dialog").get_by_role("button", name="Undo").click()
        told(page, "It was undone.")
        expect(page.get_by_role("heading", name="Undo of G1")).to_be_visible()
        page.keyboard.press("1")
        expect(page.get_by_role("navigation", name="Nodes").get_by_role("link")).to_have_count(1)
        page.context.close()  # It may ask the service, which ends now.


def test_an_unreadable_graph_is_reported_and_retried(address: str, open_page: Open) -> None:
    page = open_page(f"{address}/#/logs")
    page.context.forgiven.append("Failed to load resource")  # type: ignore[attr-defined]
    page.route("**/api/v1/graph**", lambda route: route.abort())
    expect(page.get_by_role("heading", name="Logs")).to_be_visible()
    page.keyboard.press("g")
    page.keyboard.press("g")
    expect(page.get_by_role("alert").filter(has_text="The service does not answer.")).to_be_visible()
    expect(page.get_by_role("button", name="Try again").first).to_be_visible()
    # Without a click: it loads when the service is back.
    page.unroute("**/api/v1/graph**")
    expect(page.get_by_role("navigation", name="Nodes").get_by_role("link").first).to_be_visible()
