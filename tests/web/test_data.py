"""The data of a conversation: data sets with their profiles, files without data, and artifacts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from api_support import served
from browser_support import Look, Open, Picture, agent, begun, choose_setting, ended, fits, without_conversations

FLOW = """
version: v1
id: flow.report
title: Reports
nodes:
  - {id: q.what, type: question, key: what, prompt: What shall I report?, read: verbatim, ask: always}
  - {id: write, type: action, run: write}
  - {id: done, type: terminal, say: Here it is.}
edges:
  - {from: q.what, to: write}
  - {from: write, to: done}
"""
NODES = """
from graphwright import action


@action(reads=["answers.what"])
def write(state, ctx):
    assert all(each.path.exists() for each in ctx.files)
    place = ctx.folder / "totals.csv"
    place.write_text("region,total\\nnorth,12\\nsouth,3.7600000000000002\\n", "utf-8")
    ctx.artifact(place, kind="table")
"""

SALES = "region,units,price,sold\n" + "\n".join(
    f"{('north', 'south', 'west')[n % 3]},{n % 17},{n / 4 if n % 9 else ''},2026-01-{n % 28 + 1:02}" for n in range(500)
)
WIDE_TABLE = (
    ",".join(f"measure {n}" for n in range(200))
    + "\n"
    + "\n".join(",".join(str(n * m) for n in range(200)) for m in range(30))
)
STRANGE = (
    '__proto__,<script>alert(1)</script>,constructor,שלום,"a ""quoted"", one",' + "x" * 300 + ",,same,same\n"
    "1,<b>bold</b>,2,3,4,5,6,7,8\n=1+1,1,2,3,4,5,6,7,8\n"
)


@dataclass(frozen=True)
class Reports:
    """A service with an agent that accepts files."""

    address: str

    def conversation_with(self, *files: tuple[str, str | bytes]) -> str:
        """A conversation that received files, and created a table from them."""
        thread = begun(self.address, "report")
        with httpx.Client(base_url=f"{self.address}/api/v1", timeout=60) as client:
            ids = [client.post("/files", files={"file": each}).json()["id"] for each in files]
            last = ended(client, thread, {"message": "the totals", "files": ids})
        assert last["status"] == "ended", last
        return thread

    def data(self, thread: str) -> str:
        return f"{self.address}/#/data/{thread}"


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reports]:
    folder: Path = tmp_path_factory.mktemp("data")
    with served(folder, agents=[agent(folder, "report", FLOW, NODES)]) as (_, address):
        yield Reports(address)


@pytest.fixture(autouse=True)
def emptied(reports: Reports) -> None:
    without_conversations(reports.address)


def test_data_sets_have_a_profile_first_rows_and_what_was_made_of_them(
    reports: Reports, open_page: Open, picture: Picture, accessible: Look
) -> None:
    thread = reports.conversation_with(("sales.csv", SALES))
    page = open_page(f"{reports.address}/#/data")
    # Only conversations with data are listed, with the number of their files.
    begun(reports.address, "report")
    page.reload()
    row = page.get_by_role("row").filter(has_text="the totals").first
    expect(row).to_contain_text("1 file")
    expect(page.get_by_role("row")).to_have_count(2)
    picture(page, "data-index")
    row.get_by_role("link").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Data the totals")
    expect(page.get_by_text("500 rows, 4 columns")).to_be_visible()
    profile = page.get_by_role("region", name="sales.csv: Columns")
    units = profile.get_by_role("row").filter(has=page.get_by_role("cell", name="units", exact=True))
    expect(units.get_by_role("cell")).to_contain_text(["units", "integer", "0", "17", "0", "16"])
    expect(profile.get_by_role("row").filter(has_text="region")).to_contain_text("north (167)")
    head = page.get_by_role("region", name="sales.csv: First 20 rows")
    page.get_by_text("First 20 rows").click()
    expect(head.get_by_role("row")).to_have_count(21)
    expect(head.get_by_role("row").nth(1).get_by_role("cell")).to_have_text(["north", "0", "–", "2026-01-01"])
    made = page.get_by_role("region", name="Files it made")
    expect(made.get_by_role("heading", name="the totals")).to_be_visible()
    expect(made.get_by_role("cell", name="3.76", exact=True)).to_be_visible()
    accessible(page)
    picture(page, "data")
    choose_setting(page, "Dark")
    accessible(page)
    choose_setting(page, "Deutsch")
    expect(page.get_by_text("500 Zeilen, 4 Spalten")).to_be_visible()
    fits(page)
    accessible(page)
    picture(page, "data-narrow")

    # Next to the chat, and back with the browser's button.
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{reports.address}/#/chat/{thread}?beside=data")
    expect(page.get_by_role("complementary").get_by_text("500 Zeilen, 4 Spalten")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name="Daten", level=1)).to_be_visible()


def test_notes_on_a_file_are_in_the_language_of_the_app(reports: Reports, open_page: Open, picture: Picture) -> None:
    thread = reports.conversation_with(("preise.csv", "Ware;Preis\nLampe;1,50\nBirne;NA\nKabel;2,25\n"))
    page = open_page(reports.data(thread))
    expect(page.get_by_text("Decimal commas were read in `Preis`.")).to_be_visible()
    choose_setting(page, "Deutsch")
    expect(page.get_by_text("Kommas wurden als Dezimalkommas gelesen: in „Preis“.")).to_be_visible()
    expect(page.get_by_text("Als fehlend gelesen: „Preis“.")).to_be_visible()
    columns = page.get_by_role("region", name="preise.csv: Spalten").get_by_role("row")
    expect(columns.filter(has_text="Ware")).to_contain_text("Text")
    expect(columns.filter(has_text="Preis")).to_contain_text("Zahl")
    picture(page, "data-german")


def test_wide_tables_stay_in_their_frames(reports: Reports, open_page: Open, picture: Picture) -> None:
    thread = reports.conversation_with(("wide.csv", WIDE_TABLE), ("strange.csv", STRANGE))
    page = open_page(reports.data(thread))
    expect(page.get_by_text("30 rows, 200 columns")).to_be_visible()
    for each in ("First 20 rows", "First 2 rows"):
        page.get_by_text(each).click()
    wide = page.get_by_role("region", name="wide.csv: First 20 rows")
    expect(wide.get_by_role("columnheader")).to_have_count(200)
    expect(wide.get_by_role("columnheader", name="measure 199")).to_be_attached()
    wide.focus()
    strange = page.get_by_role("region", name="strange.csv: First 2 rows")
    expect(strange.get_by_role("columnheader")).to_have_count(9)
    expect(strange).to_contain_text("<script>alert(1)</script>")
    first = strange.get_by_role("row").nth(1).get_by_role("cell")
    expect(first).to_have_text(["1", "<b>bold</b>", *"2345678"])
    picture(page, "data-wide")
    fits(page)


def test_a_file_without_a_data_set_has_a_reason(reports: Reports, open_page: Open) -> None:
    thread = reports.conversation_with(("page.html", "<p>A page.</p>"), ("sales.csv", SALES))
    page = open_page(reports.data(thread))
    given = page.get_by_role("region", name="Data sets it was given")
    expect(given.get_by_role("heading", name="sales", exact=False).first).to_be_visible()
    expect(given.locator(".data-set").filter(has_text="page.html")).to_contain_text("page.html: It is")
    choose_setting(page, "Deutsch")
    unread = page.locator(".data-set").filter(has_text="page.html")
    expect(unread).to_contain_text("Aus solchen Dateien wird hier nichts gelesen.")
    expect(unread).not_to_contain_text("it is")


def test_a_conversation_without_data_says_what_to_do(reports: Reports, open_page: Open) -> None:
    thread = begun(reports.address, "report")
    page = open_page(reports.data(thread))
    expect(page.get_by_text("Drop a CSV, Excel or Parquet file on the chat.")).to_be_visible()
    expect(page.get_by_text("Ask for a table or a figure.")).to_be_visible()


def test_unreadable_data_is_reported_and_retried(reports: Reports, open_page: Open) -> None:
    thread = reports.conversation_with(("sales.csv", SALES))
    page = open_page(f"{reports.address}/#/data")
    page.context.forgiven.append("Failed to load resource")  # type: ignore[attr-defined]
    expect(page.get_by_role("link", name="the totals").first).to_be_visible()
    page.route("**/datasets*", lambda route: route.abort())
    page.goto(reports.data(thread))
    expect(page.get_by_role("alert").filter(has_text="The service does not answer.")).to_be_visible()
    page.unroute("**/datasets*")
    page.keyboard.press("r")
    expect(page.get_by_text("500 rows, 4 columns")).to_be_visible()
