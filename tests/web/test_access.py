"""Access to the web app: signing in and out, expired keys, separate users, roles, and limits."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from playwright.sync_api import Page, expect

from api_support import served
from browser_support import NARROW, Look, Open, Picture, choose_agent, eventually, fits, say

REFUSED = "Failed to load resource"
"""The console message of Chromium for an error response."""


@dataclass
class Door:
    """A service with a login, and its keys."""

    folder: Path
    address: str = ""

    def key(self, user: str, role: str = "user") -> str:
        command = [sys.executable, "-m", "graphwright.cli", "keys", "create", "--user", user, "--role", role, "--json"]
        environment = {**os.environ, "GRAPHWRIGHT_HOME": str(self.folder / "home")}
        made = subprocess.run(command, env=environment, cwd=self.folder, capture_output=True, text=True, check=True)
        return str(json.loads(made.stdout)["key"])

    def client(self, key: str) -> httpx.Client:
        return httpx.Client(base_url=f"{self.address}/api/v1/", headers={"Authorization": f"Bearer {key}"}, timeout=30)

    def thread(self, key: str, message: str) -> str:
        """A thread that waits for a yes to an order."""
        with self.client(key) as client:
            thread = str(client.post("threads", json={"agent": "shop"}).json()["thread"])
            for body in ({}, {"message": message}):
                with client.stream(
                    "POST", f"threads/{thread}/turns", json=body, headers={"Accept": "text/event-stream"}
                ) as stream:
                    stream.read()
            return thread

    def expire(self, key: str) -> None:
        """Make a key expire."""
        with sqlite3.connect(self.folder / "home" / "graphwright.db") as database:
            database.execute("UPDATE gw_api_keys SET expires = '2020' WHERE id = ?", [id_of(key)])


def id_of(key: str) -> str:
    return key.split("_")[1]


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    door = Door(tmp_path_factory.mktemp("access"))
    door.key("root", "admin")
    with served(door.folder, service="login = true") as (_, door.address):
        yield door


BLOCKED = """for (const name of ['localStorage', 'sessionStorage'])
  Object.defineProperty(window, name, {get() { throw new DOMException('insecure', 'SecurityError') }})"""
"""A browser that blocks storage."""


def forgive_refusals(page: Page) -> None:
    page.context.forgiven.append(REFUSED)  # type: ignore[attr-defined]


def signed_in(
    open_page: Open,
    door: Door,
    key: str,
    place: str = "",
    prepare: Callable[[Page], object] | None = None,
    **options: Any,
) -> Page:
    """The app after signing in with a key."""
    page = open_page(f"{door.address}/#/{place}", prepare or forgive_refusals, **options)
    page.locator("input[type=password]").fill(key)
    page.keyboard.press("Enter")
    expect(page.locator(".rail")).to_be_visible()
    return page


def test_a_valid_key_signs_in_until_sign_out(door: Door, open_page: Open, accessible: Look, picture: Picture) -> None:
    page = open_page(door.address, forgive_refusals)
    key = page.get_by_label("API key")
    expect(key).to_be_focused()
    expect(page.get_by_role("alert")).to_have_count(0)
    key.fill("gwk_0000000000_" + "a" * 43)
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert").filter(has_text="not known here")).to_be_visible()
    accessible(page)
    picture(page, "access-wrong-key")
    key.fill(door.key("ann"))
    page.keyboard.press("Enter")
    expect(page.locator(".rail")).to_be_visible()
    page.reload()
    expect(page.locator(".rail")).to_be_visible()
    page.get_by_role("button", name="Account and settings").click()
    expect(page.get_by_role("dialog")).to_contain_text("annRole: ")
    page.get_by_role("dialog").get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("API key")).to_be_visible()
    page.reload()
    expect(page.get_by_label("API key")).to_be_visible()
    assert page.evaluate("sessionStorage.length") == 0


def test_an_expired_key_is_asked_for_again(door: Door, open_page: Open, accessible: Look, picture: Picture) -> None:
    old = door.key("bea")
    page = signed_in(open_page, door, old)
    choose_agent(page, "Shop")
    box = page.get_by_role("textbox", name="Message")
    box.fill("a lamp that may not get lost")
    door.expire(old)
    box.press("Enter")
    dialog = page.get_by_role("dialog", name="Sign in again")
    expect(dialog).to_contain_text("has expired")
    accessible(page)
    picture(page, "access-expired")
    # It cannot be dismissed: the page behind it needs a key.
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(dialog).to_be_visible()
    dialog.get_by_label("API key").fill(old)
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("alert")).to_contain_text("has expired")
    dialog.get_by_label("API key").fill(door.key("bea"))
    page.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    expect(page.get_by_role("log")).to_contain_text("a lamp that may not get lost")
    expect(page.get_by_role("region", name="Question", exact=True)).to_be_visible()
    # Once more with a draft in an open conversation.
    draft = page.get_by_role("textbox", name="Message")
    draft.fill("only a draft")
    with door.client(door.key("root", "admin")) as admin:
        used = page.evaluate("sessionStorage.getItem('graphwright.key')")
        assert admin.delete(f"keys/{id_of(used)}").status_code == 204
    expect(dialog).to_contain_text("was revoked")
    dialog.get_by_label("API key").fill(door.key("bea"))
    page.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    expect(draft).to_have_value("only a draft")


def test_another_user_who_signs_in_over_the_page_sees_nothing_of_it(door: Door, open_page: Open) -> None:
    first = door.key("cleo")
    thread = door.thread(first, "something private")
    page = signed_in(open_page, door, first, f"chat/{thread}")
    page.get_by_role("textbox", name="Message").fill("a private draft")
    door.expire(first)
    dialog = page.get_by_role("dialog", name="Sign in again")
    dialog.get_by_label("API key").fill(door.key("dan"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_contain_text("This does not exist")
    expect(page.get_by_text("private")).to_have_count(0)


def test_two_users_are_apart_and_a_stolen_address_is_not_found(door: Door, open_page: Open, picture: Picture) -> None:
    mine = door.key("eve")
    thread = door.thread(mine, "a secret lamp")
    with door.client(mine) as client:
        assert client.post("files", files={"file": ("secret.csv", b"a,b\n1,2\n")}).status_code == 201
    owner = signed_in(open_page, door, mine, f"chat/{thread}")
    expect(owner.get_by_role("log")).to_contain_text("a secret lamp")
    thief = signed_in(open_page, door, door.key("fred", "admin"), f"chat/{thread}")
    expect(thief.get_by_role("main")).to_contain_text("This does not exist")
    expect(thief.get_by_text("No conversation yet")).to_be_visible()
    picture(thief, "access-stolen")
    thief.set_viewport_size(NARROW)
    thief.get_by_role("button", name="Show or hide the conversations").click()
    expect(thief.get_by_text("No conversation yet")).to_be_visible()
    picture(thief, "access-stolen-narrow")
    for pane in ("trace", "data"):
        thief.goto(f"{door.address}/#/{pane}/{thread}")
        expect(thief.get_by_role("main").get_by_role("alert").first).to_contain_text("belong to somebody else")
        expect(thief.get_by_text("secret")).to_have_count(0)
    with door.client(door.key("gus")) as client:
        for path in ("", "/messages", "/state", "/trace", "/export", "/files", "/datasets", "/artifacts"):
            assert client.get(f"threads/{thread}{path}").status_code == 404, path
        assert client.get("logs").json()["items"] == []


def test_an_admin_reads_in_the_audit_what_another_user_rejected(
    door: Door, open_page: Open, accessible: Look, picture: Picture
) -> None:
    key = door.key("ida")
    thread = door.thread(key, "a lamp of Ida")
    with door.client(key) as client:
        to_end = {"Accept": "text/event-stream"}
        client.post(f"threads/{thread}/resume", json={"value": False}, headers=to_end).raise_for_status()
        other = door.thread(key, "a lamp of nobody")
        client.post(f"threads/{other}/resume", json={"value": False}, headers=to_end).raise_for_status()
        client.delete(f"threads/{other}").raise_for_status()
    page = signed_in(open_page, door, door.key("root", "admin"), "access/audit?q=ida")
    rows = page.get_by_role("row").filter(has_text="rejected")
    gone, row = rows.nth(0), rows.nth(1)
    row.get_by_text("What was asked").click()
    expect(row).to_contain_text("Shall I order a lamp of Ida?")
    expect(page.get_by_role("main")).not_to_contain_text("nobody")
    gone.get_by_text("What was asked").click()
    expect(gone).to_contain_text("The content is gone")
    accessible(page)
    picture(page, "access-audit-content")


def test_the_role_viewer_sees_no_actions(door: Door, open_page: Open, accessible: Look, picture: Picture) -> None:
    thread = door.thread(door.key("hal"), "a lamp")
    page = signed_in(open_page, door, door.key("hal", "viewer"), f"chat/{thread}")
    expect(page.get_by_role("note")).to_contain_text("your role is viewer")
    approval = page.get_by_role("region", name="Question", exact=True)
    expect(approval).to_be_visible()
    picture(page, "access-viewer")
    events = page.get_by_role("region", name="Events by turn")
    places = {
        f"chat/{thread}": approval,
        "chat": page.get_by_role("heading", name="Choose a conversation"),
        f"trace/{thread}": events,
        f"data/{thread}": page.get_by_role("heading", name="Files it made"),
        "graph/journal": page.get_by_role("heading", name="Nothing was done to the graph yet"),
    }
    for place, there in places.items():
        page.goto(f"{door.address}/#/{place}")
        expect(there).to_be_visible()
        expect(page.get_by_role("note")).to_have_count(1)
        expect(page.get_by_role("textbox", name="Message")).to_have_count(0)
        for name in (
            "Yes",
            "Change this",
            "Rename",
            "Delete",
            "New conversation",
            "Edit",
            "Try again",
            "Attach",
            "Undo",
        ):
            expect(page.get_by_role("button", name=name)).to_have_count(0)
        page.keyboard.press("?")
        keys = page.get_by_role("dialog", name="Keys")
        expect(keys).to_be_visible()
        for name in ("Yes", "Rename", "Delete", "New conversation", "Write a message", "Attach"):
            expect(keys.get_by_text(name)).to_have_count(0)
        page.keyboard.press("Escape")
        accessible(page)
    page.goto(f"{door.address}/#/trace/{thread}")
    events.get_by_role("button", name="What → Write").first.click()
    expect(page.get_by_text("The state at this point")).to_be_visible()
    expect(page.get_by_text("Go on from here")).to_have_count(0)
    page.set_viewport_size(NARROW)
    page.goto(f"{door.address}/#/chat/{thread}")
    expect(page.get_by_role("note")).to_be_visible()
    fits(page)
    picture(page, "access-viewer-narrow")


def test_the_rate_limit_shows_a_retry_time_and_keeps_text(tmp_path: Path, open_page: Open, picture: Picture) -> None:
    door = Door(tmp_path)
    key = door.key("ida")
    with served(tmp_path, service="login = true\nturns = 1\nrequests = 100000") as (_, door.address):
        with door.client(key) as client:
            thread = client.post("threads", json={"agent": "shop"}).json()["thread"]
            page = signed_in(open_page, door, key, f"chat/{thread}", locale="de-DE")
            box = page.get_by_role("textbox", name="Nachricht")
            box.fill("eine Lampe")
            # Not in the last seconds of a minute, before the turns are used up.
            left = 0
            while left < 20:
                answer = client.post(f"threads/{thread}/turns", json={})
                left = int(answer.headers["Retry-After"]) if answer.status_code == 429 else 0
        box.press("Enter")
        told = page.get_by_text(re.compile(r"zu viel innerhalb einer Minute. Versuchen Sie es in \d+ Sekunden wieder"))
        expect(told).to_be_visible()
        expect(box).to_have_value("eine Lampe")
        picture(page, "access-limit-de")


def test_an_admin_manages_keys_and_audit_log(door: Door, open_page: Open, accessible: Look, picture: Picture) -> None:
    key = door.key("jon")
    thread = door.thread(key, f"a lamp {uuid4()}")
    with door.client(key) as client:
        approval = client.get(f"threads/{thread}/state").json()["waiting_for"]["approval"]["hash"]
        body = {"value": True, "approves": approval}
        client.post(f"threads/{thread}/resume", json=body, headers={"Accept": "text/event-stream"})
    page = signed_in(open_page, door, door.key("kim", "admin"), permissions=["clipboard-read", "clipboard-write"])
    page.keyboard.press("Escape")
    page.locator(".rail").get_by_role("link", name="Access").click()
    page.get_by_role("button", name="New key").click()
    dialog = page.get_by_role("dialog", name="New key")
    user = dialog.get_by_role("textbox", name="User")
    expect(user).to_be_focused()
    user.fill("lea")
    expect(dialog.get_by_label("Role").get_by_role("option")).to_have_count(5)
    dialog.get_by_label("Role").select_option("viewer")
    purpose = f"a tablet for {thread}"
    dialog.get_by_label("What it is for").fill(purpose)
    accessible(page)
    dialog.get_by_role("button", name="Create").click()
    shown = page.get_by_role("dialog", name="The key is made")
    made = shown.get_by_text(re.compile("^gwk_")).inner_text()
    shown.get_by_role("button", name="Copy").click()
    eventually(page, lambda: page.evaluate("navigator.clipboard.readText()") == made)
    picture(page, "access-key-made")
    with door.client(made) as client:
        assert client.get("me").json() == {"user": "lea", "role": "viewer", "login": True}
    page.keyboard.press("Escape")
    expect(shown).to_be_visible()
    shown.get_by_role("button", name="Done").click()
    expect(page.get_by_text(made)).to_have_count(0)
    row = page.get_by_role("row").filter(has_text=purpose)
    expect(row).to_contain_text("active")
    accessible(page)
    picture(page, "access-keys")
    row.get_by_role("button", name=f"Revoke {id_of(made)}").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    expect(row).to_contain_text("revoked")
    with door.client(made) as client:
        assert client.get("me").json()["code"] == "key_revoked"
    page.get_by_role("tab", name="Approvals").click()
    done = page.get_by_role("row").filter(has_text=approval[:12])
    expect(done.filter(has_text="approved")).to_contain_text("jon")
    expect(done.filter(has_text="done")).to_contain_text("Send")
    expect(done.filter(has_text="done")).to_contain_text("Shop")
    expect(page.get_by_role("row").filter(has_text="made a key").first).to_contain_text("viewer lea")
    # The message belongs to jon.
    expect(done.get_by_role("link")).to_have_count(0)
    done.first.get_by_role("button", name="Copy").click()
    eventually(page, lambda: page.evaluate("navigator.clipboard.readText()") == approval)
    accessible(page)
    picture(page, "access-audit")
    fits(page)
    picture(page, "access-audit-narrow")


def without_storage(page: Page) -> None:
    forgive_refusals(page)
    page.add_init_script(BLOCKED)


def test_a_browser_that_keeps_nothing_has_the_whole_app(door: Door, open_page: Open) -> None:
    page = signed_in(open_page, door, door.key("ned", "admin"), prepare=without_storage)
    choose_agent(page, "Shop")
    say(page, "two lamps")
    page.get_by_role("button", name="No", exact=True).click()
    expect(page.get_by_role("log").get_by_text("Nothing was ordered.")).to_be_visible()
    page.locator("h1").click()
    page.keyboard.press("Shift+D")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    for name in ("Trace", "Data", "Graph", "Experiments", "Logs", "Access"):
        page.locator(".rail").get_by_role("link", name=name).click()
        expect(page.get_by_role("main").get_by_role("heading", level=1)).to_be_visible()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    # Only the next page has forgotten this one.
    page.reload()
    expect(page.get_by_label("API key")).to_be_visible()


def test_the_access_page_needs_the_role_admin(door: Door, open_page: Open) -> None:
    page = signed_in(open_page, door, door.key("max"), "access")
    expect(page.get_by_role("heading", name="This does not exist")).to_be_visible()
    expect(page.get_by_role("link", name="Access")).to_have_count(0)
    page.get_by_role("link", name="Back to the overview").click()
    expect(page.get_by_role("heading", name="New conversation")).to_be_visible()
