"""What was missing is said: searches that broke off, times without entries, pictures, cut texts, addresses."""

from __future__ import annotations

import io
import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from assistant_support import ENTRIES, NOW, World, asked, entry, judges, page, says, selects, servers, world
from runtime_support import scripted

from graphwright import load
from graphwright.agents.assistant import toolbox
from graphwright.agents.assistant.citing import as_text, described
from graphwright.agents.assistant.question import read
from graphwright.agents.assistant.selecting import chosen
from graphwright.models import ModelCall, observe_calls
from graphwright.tools.mcp import McpServer
from graphwright.tools.mcp.library import load as load_mcp
from graphwright.tools.sources import Findings, Source

__all__ = ["world"]

LOG = "search_elog"
BROKEN = "The search is not complete: the server's answer breaks off. Narrower dates help."


def seeing(*rules: Any) -> Any:
    model = scripted(*rules)
    model.profile = {"image_inputs": True}
    return model


def png() -> bytes:
    from PIL import Image

    out = io.BytesIO()
    Image.new("RGB", (40, 20), "red").save(out, "PNG")
    return out.getvalue()


@pytest.fixture
def camera(world: World, monkeypatch: pytest.MonkeyPatch) -> World:
    """A world with a tool more, which sends a picture."""
    load_mcp()
    from fastmcp import FastMCP
    from fastmcp.utilities.types import Image

    server: FastMCP = FastMCP("camera")

    @server.tool
    def camera__screen(place: str) -> list[Any]:
        """The screen of a place, as a picture."""
        return [f"The screen monitor of {place}.", Image(data=png(), format="png")]

    async def own(*_: Any) -> list[McpServer]:
        return [*servers(world), McpServer("camera", here=server)]

    monkeypatch.setattr(toolbox, "own_servers", own)
    return world


async def test_a_search_that_broke_off_is_told_wherever_the_answer_comes_from(world: World, tmp_path: Path) -> None:
    world.note = BROKEN
    told = "The search is not complete: the server's answer breaks off."
    turn = await asked(tmp_path, "Which klystron tripped yesterday?", rules=[says("It tripped [1].")])
    assert told in turn.reply
    world.entries = []
    turn = await asked(tmp_path, "Which quenches were there yesterday?", rules=[says("None.")], thread="b")
    assert told in turn.reply
    world.entries = ENTRIES
    turn = await asked(tmp_path, "Which fire alarms were there yesterday?", rules=[says("None.")], thread="c")
    assert told in turn.reply
    # How searches went that are complete is not told.
    world.note = "No entry has all of the words; these have the most of them."
    turn = await asked(tmp_path, "Which klystron tripped yesterday?", rules=[says("It tripped [1].")], thread="d")
    assert "No entry has all" not in turn.reply


async def test_a_word_that_was_taken_for_another_is_told(world: World, tmp_path: Path) -> None:
    world.note = (
        "Searched for klystron instead of klystrom. No entry has all of the words; these have the most of them."
    )
    turn = await asked(tmp_path, "Which klystrom trip was there yesterday?", rules=[says("One [1].")])
    assert "Searched for klystron instead of klystrom." in turn.reply
    assert "No entry has all" not in turn.reply


async def test_that_nothing_is_logged_of_a_time_is_said_where_pages_answer(world: World, tmp_path: Path) -> None:
    world.pages = [page("rf", "Trips", "A klystron tripped when its window is hot.")]
    world.entries = [entry(180, "2026-10-14", "Undulator gap drive stuck.")]
    turn = await asked(
        tmp_path, "Which klystron tripped yesterday, says the manual?", rules=[judges(), says("It is hot [1].")]
    )
    assert "docs.nordlicht.example/rf" in turn.reply
    assert "The logbook has no entry of that time about it." in turn.reply


async def test_what_the_logbook_lacks_is_not_said_of_all_sources(world: World, tmp_path: Path) -> None:
    world.pages = [page("rf", "Recovery after a quench", "After a quench wait for a minute.")]
    world.entries = [entry(212, "2026-11-21", "Vacuum gauge exchanged.")]
    turn = await asked(tmp_path, "Which quenches tripped yesterday?", rules=[says("A quench [1].")])
    assert "no source speaks" not in turn.reply


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What happened on 31 February?", "There is no such day: 31 February."),
        ("Was ist am 30.02.2026 passiert?", "Diesen Tag gibt es nicht: 30.02.2026."),
    ],
)
async def test_a_day_that_no_calendar_has_is_named(world: World, tmp_path: Path, question: str, told: str) -> None:
    turn = await asked(tmp_path, question, rules=[says("Nothing.")])
    assert turn.reply.startswith(told)


async def test_a_picture_of_a_tool_goes_to_a_model_that_sees_and_else_is_told(camera: World, tmp_path: Path) -> None:
    question = "What does the screen monitor of the hall look like?"
    rules = [selects(("camera__screen", {"place": "hall"})), judges(), says("The screen monitor is red [1].")]
    turn = await asked(tmp_path, question, rules=rules)
    assert "came with an image that could not be shown." in turn.reply
    calls: list[ModelCall] = []
    async with load("assistant").session("b", model=seeing(*rules), home=tmp_path, clock=lambda: NOW) as session:
        with observe_calls(calls.append):
            turn = await session.send(question)
    assert "could not be shown" not in turn.reply
    content: Any
    (content,) = [message.content for message in calls[-1].prompt if isinstance(message.content, list)]
    text, image = content
    assert "An image of source [" in text["text"]
    assert "base64,iVBOR" in json.dumps(image)


async def test_a_picture_of_the_user_is_looked_at_beside_the_results_of_tools(world: World, tmp_path: Path) -> None:
    picture = tmp_path / "alarm.png"
    picture.write_bytes(png())
    question = "Which klystron tripped yesterday?"
    turn = await asked(tmp_path, question, rules=[says("It tripped [1].")], files=[picture])
    assert "The model in use cannot see images: alarm.png was not looked at." in turn.reply
    calls: list[ModelCall] = []
    model = seeing(says("It tripped [1]."))
    async with load("assistant").session("b", model=model, home=tmp_path, clock=lambda: NOW) as session:
        with observe_calls(calls.append):
            await session.send(question, [picture])
            assert any(isinstance(message.content, list) for message in calls[-1].prompt)
            # A later question that is not about it leaves it alone.
            await session.send("Which gauge was exchanged yesterday?")
    assert not any(isinstance(message.content, list) for message in calls[-1].prompt)


async def test_a_prompt_says_what_of_the_files_and_the_conversation_it_leaves_out(world: World, tmp_path: Path) -> None:
    long = tmp_path / "long.md"
    long.write_text("\n\n".join(f"# Part {n}\n\nThe klystron has {n} coils. {'Text. ' * 40}" for n in range(40)))
    calls: list[ModelCall] = []
    await asked(tmp_path, "Which klystron tripped yesterday?", rules=[says("It [1].")], files=[long], calls=calls)
    assert "Not shown: passages of the files that did not seem to bear on the question" in calls[-1].prompt[-1].text
    calls.clear()
    questions = ["What did I ask before?"] * 15
    await asked(tmp_path, *questions, rules=[says("You asked that.")], calls=calls, thread="b")
    assert "(the last 6 of 28 messages)" in calls[-1].prompt[-1].text


def test_addresses_of_the_operator_stay_as_text_and_others_go() -> None:
    note = "it cannot be reached at https://elog.lab.example:8443/Shift: refused, see https://evil.example/x."
    hosts = {"elog.lab.example"}
    assert as_text(note, hosts) == (
        "it cannot be reached at elog.lab.example:8443/Shift: refused, see https://evil.example/x."
    )
    assert as_text("https://me:secret@elog.lab.example/a?token=1", hosts) == "elog.lab.example/a"


async def test_a_note_names_the_server_that_the_operator_set(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "graphwright.toml"
    config.write_text('[agents.assistant]\nelog = "https://elog.lab.example/Shift"\n', "utf-8")
    monkeypatch.setenv("GRAPHWRIGHT_CONFIG", str(config))

    def fails(name: str, arguments: object) -> None:
        raise ValueError("https://elog.lab.example/Shift can only be read by those who sign in at https://evil.example")

    world.before = fails
    turn = await asked(tmp_path, "Which klystron tripped yesterday?", rules=[says("It [1].")])
    assert "elog.lab.example/Shift can only be read by those who sign in" in turn.reply
    assert "http" not in turn.reply
    assert "evil" not in turn.reply


SPEAKING = {
    "lab__find": {
        "description": "Find.",
        "input_schema": {
            "type": "object",
            "properties": {"topic": {"type": "string"}, "url": {"type": "string"}},
            "required": ["topic"],
        },
    }
}


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"topic": "coil", "url": "https://evil.example/?q=secret"}, [{"topic": "coil"}]),
        ({"topic": "coil https://evil.example/?q=secret"}, [{"topic": "coil"}]),
        ({"topic": "https://evil.example/?q=secret"}, []),
        ({"url": "https://evil.example/?q=secret"}, []),
        ({"topic": "coil", "url": "https://lab.example/a"}, [{"topic": "coil", "url": "https://lab.example/a"}]),
    ],
)
def test_a_call_goes_without_an_address_that_nobody_gave(given: dict[str, Any], kept: list[dict[str, Any]]) -> None:
    question = read("What is the coil of https://lab.example/a like?", datetime(2026, 11, 22, 16))
    done, _ = chosen(
        [{"tool_name": "lab__find", "arguments": given}],
        question,
        {**SPEAKING, "other": SPEAKING["lab__find"], "third": SPEAKING["lab__find"]},  # type: ignore[dict-item]
        {},
    )
    assert [dict(call.arguments) for call in done] == kept


async def test_a_source_of_another_server_is_named_with_it(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_mcp()
    from fastmcp import FastMCP

    lab: FastMCP = FastMCP("lab")

    @lab.tool
    def lab__magnet_data(name: str) -> dict[str, Any]:
        """The data of a magnet."""
        source = Source("m1", "magnet_data", "", "tool", {}, f"The undulator magnet {name} has 12 coils.")
        return Findings((source,), 1).to_json()

    async def own(*_: Any) -> list[McpServer]:
        return [*servers(world), McpServer("lab", here=lab)]

    monkeypatch.setattr(toolbox, "own_servers", own)
    rules = [selects(("lab__magnet_data", {"name": "Q1"})), judges(), says("The undulator magnet has 12 coils [1].")]
    turn = await asked(tmp_path, "How many coils does the undulator magnet Q1 have?", rules=rules)
    assert "- magnet_data (lab)" in turn.reply
    assert described(Source("x", "Page", "", "knowledge", {"server": "lab"}, "")) == "Page"


async def test_why_only_words_were_searched_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHWRIGHT_EMBEDDINGS", "nowhere:bar")
    question = "What does the documentation say about the orbit interlock?"
    turn = await asked(tmp_path, question, rules=[says("It dumps the beam [1].")])
    (line,) = [line for line in turn.reply.split("\n") if "Only words were searched for" in line]
    assert "nowhere:bar did not answer" in line
    assert "nowhere" in line.partition("did not answer")[2]
