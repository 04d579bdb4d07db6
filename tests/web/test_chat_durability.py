"""A conversation survives a reload, the end of the server, and its own length."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from playwright.sync_api import Page, expect

from browser_support import NARROW, Open, begin, choose_agent, say, served_agents, settled, thread_of
from graphwright import load

TURNS = 1_000
SLOWER = 2.5  # How many times as long as a short conversation a long one may take to open.


def test_a_reload_during_a_turn_continues_it(tmp_path: Path, open_page: Open) -> None:
    with served_agents(tmp_path) as (_, address):
        page = open_page(f"{address}/#/chat")
        page.context.forgiven.append("ERR_")  # type: ignore[attr-defined]
        begin(page, "Research assistant", "Count slowly")
        log = page.get_by_role("log")
        expect(log.get_by_text("One two three")).to_be_visible()
        # The steps are closed until somebody opens them.
        steps = log.locator(".step-list > li").filter(visible=True)
        expect(steps).to_have_count(0)
        log.get_by_text("Working").click()
        expect(steps.first).to_be_visible()
        page.reload()
        # The earlier text is shown again, and the rest follows.
        expect(log.get_by_role("article", name="You")).to_have_text("Count slowly")
        expect(log.get_by_text("One two three")).to_be_visible()
        expect(page.get_by_role("button", name="Stop", exact=True)).to_be_visible()
        expect(log.get_by_role("paragraph").filter(has_text="nineteen twenty.")).to_be_visible()
        settled(page)
        expect(log.get_by_role("article", name="You")).to_have_count(1)


def test_the_server_is_killed_between_question_and_answer_and_in_a_turn(tmp_path: Path, open_page: Open) -> None:
    with served_agents(tmp_path) as (process, address):
        page = open_page(f"{address}/#/chat")
        page.context.forgiven.append("ERR_")  # type: ignore[attr-defined]
        begin(page, "Shop", "two lamps")
        card = page.get_by_role("region", name="Question", exact=True)
        expect(card).to_contain_text("Shall I order two lamps?")
        process.kill()
        process.wait()
        # The answer is lost, which is reported; the question stays.
        card.get_by_role("button", name="Yes").click()
        expect(page.get_by_text("The service does not answer.").first).to_be_visible()
        expect(card).to_be_visible()
    port = address.rpartition(":")[2]
    with served_agents(tmp_path, "--port", port) as (process, address):
        card.get_by_role("button", name="Yes").click()
        expect(page.get_by_role("log").get_by_text("Ordered.")).to_be_visible()
        settled(page)
        say(page, "slow lamps")
        expect(page.get_by_text("3 4 5")).to_be_visible()
        process.kill()
        process.wait()
        expect(page.get_by_text("The connection is lost. Trying to come back").first).to_be_visible()
    with served_agents(tmp_path, "--port", port) as (_, address):
        # The service continues the turn itself.
        expect(card).to_contain_text("Shall I order slow lamps?", timeout=60_000)
        page.reload()
        expect(card).to_contain_text("Shall I order slow lamps?")


def test_a_message_without_a_connection_stays_in_the_conversation(tmp_path: Path, open_page: Open) -> None:
    with served_agents(tmp_path) as (process, address):
        page = open_page(f"{address}/#/chat")
        page.context.forgiven.append("ERR_")  # type: ignore[attr-defined]
        begin(page, "Shop", "two lamps")
        page.set_viewport_size(NARROW)  # type: ignore[arg-type]
        log = page.get_by_role("region", name="two lamps", exact=True)
        # The parts of the page that it needs are loaded.
        card = page.get_by_role("region", name="Question", exact=True)
        expect(card).to_contain_text("Shall I order two lamps?")
        settled(page)
        process.kill()
        process.wait()
        say(page, "rather three lamps")
        say(page, "and four")
        unsent = log.get_by_role("alert").filter(has_text="Not sent: no connection")
        expect(unsent).to_have_count(2)
        expect(log.get_by_role("article", name="You").filter(has_text="rather three lamps")).to_be_visible()
        expect(page.get_by_role("status").filter(has_text="No connection to the service.")).to_be_visible()
        expect(page.get_by_role("textbox", name="Message", exact=True)).to_have_value("")
    port = address.rpartition(":")[2]
    with served_agents(tmp_path, "--port", port):
        expect(page.get_by_role("status").filter(has_text="No connection to the service.")).to_have_count(0)
        # It is the user who decides what is still wanted; a reload loses nothing.
        page.reload()
        expect(unsent).to_have_count(2)
        expect(card).to_be_visible()
        # By key: the place of a button may move while the page is still loading.
        unsent.last.get_by_role("button", name="Remove").press("Enter")
        expect(unsent).to_have_count(1)
        unsent.get_by_role("button", name="Send again").press("Enter")
        settled(page)
        expect(unsent).to_have_count(0)
        expect(log.get_by_role("article", name="You").filter(has_text="rather three lamps")).to_have_count(1)
        expect(log.get_by_text("and four")).to_have_count(0)


def test_the_first_message_without_a_connection_stays_in_its_field(tmp_path: Path, open_page: Open) -> None:
    with served_agents(tmp_path) as (process, address):
        page = open_page(f"{address}/#/chat", viewport=NARROW)
        page.context.forgiven.append("ERR_")  # type: ignore[attr-defined]
        choose_agent(page, "Shop")
        process.kill()
        process.wait()
        say(page, "two lamps")
        expect(page.get_by_role("alert").filter(has_text="Not sent: no connection")).to_be_visible()
        expect(page.get_by_role("textbox", name="Message", exact=True)).to_have_value("two lamps")


async def conversations(folder: Path) -> None:
    """A conversation with the shop of two turns, and one of many, as if over months."""
    shop = load(folder / "shop")
    for thread, orders in (("short", 1), ("long", TURNS // 2)):
        async with shop.session(thread, model="none", home=folder / "home") as session:
            for number in range(orders):
                await session.send(f"lamp {number}")
                await session.resume(False)


LONG_TASKS = """() => {
  window.blocked = [];
  new PerformanceObserver(list => list.getEntries().forEach(each => blocked.push(each.duration)))
    .observe({type: 'longtask', buffered: false});
}"""
SCROLL = """async () => {
  const view = document.querySelector('.conversation-scroll');
  const frames = [];
  for (let step = 0, last = performance.now(); step < 240 && view.scrollTop > 0; step++) {
    view.scrollTop -= 900;
    await new Promise(requestAnimationFrame);
    frames.push(performance.now() - last);
    last = performance.now();
  }
  return frames;
}"""


def opened_in(page: Page, address: str, thread: str) -> float:
    """Milliseconds until the last turn of a conversation is on the page, with the app loaded again."""
    page.goto("about:blank")
    page.goto(f"{address}/#/chat/{thread}", wait_until="commit")
    page.get_by_role("log").get_by_text("Nothing was ordered.").last.wait_for()
    return float(page.evaluate("performance.now()"))


def test_a_conversation_of_1000_turns_opens_at_once_and_scrolls(tmp_path: Path, open_page: Open) -> None:
    with served_agents(tmp_path) as (_, address):
        with ThreadPoolExecutor(1) as thread:  # Playwright does not allow an event loop in this thread.
            thread.submit(asyncio.run, conversations(tmp_path)).result()
        page = open_page(f"{address}/#/chat")
        page.context.forgiven.append("ERR_")  # type: ignore[attr-defined]
        opened_in(page, address, "short")
        # In turn, because the machine may be busy with other work for a while.
        tries = [[opened_in(page, address, thread) for thread in ("short", "long")] for _ in range(3)]
        short, times = min(each for each, _ in tries), sorted(each for _, each in tries)
        page.evaluate(LONG_TASKS)
        frames: list[float] = []
        while not page.get_by_role("log").get_by_text("lamp 0", exact=True).is_visible():
            frames += page.evaluate(SCROLL)
        blocked = page.evaluate("blocked")
        frames.sort()
        held = page.locator(".turn").count()
        print(
            f"\n{TURNS} turns: opened in {times[0]:.0f} to {times[-1]:.0f} ms, two turns in {short:.0f} ms; "
            f"{len(frames)} frames while scrolling, "
            f"median {frames[len(frames) // 2]:.0f} ms, 99 % within {frames[int(len(frames) * 0.99)]:.0f} ms; "
            f"{len(blocked)} long tasks, the longest {max(blocked, default=0):.0f} ms; {held} turns in the page"
        )
        assert times[0] <= SLOWER * short
        assert held < 120
        # One key leads back to the end, and the question there works.
        page.keyboard.press("Escape")
        page.keyboard.press("Shift+G")
        expect(page.get_by_role("log").get_by_text(f"lamp {TURNS // 2 - 1}", exact=True)).to_be_visible()
        assert thread_of(page) == "long"
