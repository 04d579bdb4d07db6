"""Stubs of a conversation file: replaced actions, tools and MCP servers, called like real ones."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

from cli_support import Runner
from testing_support import Folder

FLOW = """\
version: v1
id: flow.rooms
state:
  rooms: {type: array, items: {type: string}, default: []}
  booked: {type: string, default: ""}
  key: {type: string, default: ""}
nodes:
  - {id: find, type: action, run: find}
  - {id: q.room, type: question, key: room, prompt: Which room?, options: rooms, read: choice}
  - {id: q.sure, type: question, key: sure, read: confirm, prompt: "Shall I book {{ answers.room }}?"}
  - id: book
    type: action
    run: book
    retry: {attempts: 2, backoff: 0}
    on_error: sorry
    confirm: {by: q.sure, over: [answers.room]}
  - {id: done, type: terminal, say: "Booked: {{ booked }}"}
  - {id: sorry, type: terminal, say: It cannot be booked.}
edges:
  - {from: find, to: q.room}
  - {from: q.room, to: q.sure}
  - {from: q.sure, to: book}
  - {from: book, to: done}
"""
NODES = """\
from graphwright import action
from graphwright.tools.mcp import McpServers, configured

@action(writes=["rooms"])
async def find(state, ctx):
    found = await ctx.tools.call("search", {"seats": 4})
    return {"rooms": found.value if found.ok else []}

@action(reads=["answers"], writes=["booked", "key"])
async def book(state, ctx):
    servers = await ctx.shared("servers", lambda: McpServers(configured()))
    result = await servers.registry().call("hotel__book", {"room": state["answers"]["room"]})
    if not result.ok:
        raise ConnectionError(result.error)
    ctx.say("Done at last.")
    return {"booked": result.value.sources[0].text, "key": ctx.key}
"""
TOOLS = """\
from graphwright import tool

SEATS = {"type": "object", "properties": {"seats": {"type": "integer"}}, "required": ["seats"]}

@tool(nodes=["find"], parameters=SEATS)
def search(seats):
    raise RuntimeError("the network is used")
"""
TURNS = """
turns:
  - {user: Hello, expect: {node: q.room, options: [Aquarium, Cellar]}}
  - {user: Cellar, expect: {node: q.sure}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    folder = Folder(tmp_path)
    folder.flow(FLOW, "rooms/flow.yaml")
    folder.flow(NODES, "rooms/nodes.py")
    folder.flow(TOOLS, "rooms/tools.py")
    return folder


def wrong(folder: Folder, stubs: str, turns: str = TURNS, ends: str = "") -> list[str]:
    text = f"agent: rooms\nstubs:\n{textwrap.indent(textwrap.dedent(stubs), '  ')}{turns}{ends}"
    return folder.wrong(text)


SEARCH = """
tools:
  search: {when: {seats: 4}, returns: [Aquarium, Cellar]}
"""
BOOKED = "  - {user: \"yes\", expect: {node: done, reply: 'Booked: Cellar, 12'}}\n"


def test_tools_and_actions_are_stubbed_and_retries_confirmation_and_on_error_are_real(folder: Folder) -> None:
    book = """
actions:
  book:
    - {fails: The line is busy, times: 1}
    - {when: {answers: {room: Cellar}}, writes: {booked: "Cellar, 12"}, says: Well.}
"""
    assert not wrong(folder, SEARCH + book, ends=BOOKED)
    fails = "actions:\n  book: {fails: The line is busy, times: 2}\n"
    assert not wrong(folder, SEARCH + fails, ends='  - {user: "yes", expect: {node: sorry}}\n')
    code = "actions:\n  book: {fails: {code: shop_closed, message: Closed.}, times: 2}\n"
    assert not wrong(folder, SEARCH + code, ends='  - {user: "yes", expect: {node: sorry}}\n')


def test_a_stub_obeys_the_declarations_of_what_it_replaces(folder: Folder) -> None:
    text = str(folder.refused(f"agent: rooms\nstubs: {{actions: {{book: {{writes: {{bookt: x}}}}}}}}\n{TURNS}"))
    assert "one.conversation.yaml:2:" in text
    assert "Action 'book' does not declare to write the channel 'bookt'. Did you mean `booked`?" in text
    # The type of a channel is checked at the write.
    bad = "actions:\n  find: {writes: {rooms: 7}}\n"
    assert "rooms" in wrong(folder, bad, "turns: [{user: Hello}]\n")[0]


@pytest.mark.parametrize(
    ("stubs", "says"),
    [
        ("{actions: {bok: {}}}", "has no action 'bok'. Did you mean `book`?"),
        ("{tools: {serach: {}}}", "has no tool 'serach'. Did you mean `search`?"),
        ("{tools: {search: {retruns: 1}}}", "search.0.retruns: There is no such field. Did you mean `returns`?"),
        ("{action: {}}", "Did you mean `actions`?"),
        ("{mcp: {hotel: {book: {cals: []}}}}", "Did you mean `calls`?"),
        ("{tools: {search: {fails: no, returns: 1}}}", "A stub that fails returns nothing"),
        ("{actions: {book: {fails: no, says: x}}}", "A stub that fails writes nothing"),
        ("{actions: {book: {fails: {mesage: x}}}}", "Did you mean `message`?"),
        ("{mcp: {../hotel: {}}}", "'../hotel' cannot be the name of an MCP server"),
        ("{mcp: {hotel: 7}}", "stubs.mcp.hotel"),
    ],
)  # fmt: skip
def test_a_stub_that_cannot_be_is_refused_at_its_line(folder: Folder, stubs: str, says: str) -> None:
    text = str(folder.refused(f"agent: rooms\nstubs: {stubs}\n{TURNS}"))
    assert re.search(r"one\.conversation\.yaml:2:\d+: ", text)
    assert says in text


def test_a_stub_that_is_not_used_and_a_call_that_none_answers_fail_the_conversation(folder: Folder) -> None:
    lines = wrong(folder, SEARCH + "actions: {book: [{fails: x, times: 2}, {}]}\n")
    assert lines == [
        "after the last turn: stubs.actions.book: stub 1 answered 0 of 2 call(s)",
        "after the last turn: stubs.actions.book: stub 2 answered 0 of at least 1 call(s)",
    ]
    lines = wrong(folder, "tools: {search: {when: {seats: 5}}}\n")
    assert any("No stub answers this call of tool 'search': {\"seats\": 4}." in line for line in lines)
    assert any("options: expected ['Aquarium', 'Cellar'], got []" in line for line in lines)
    assert any(line.startswith("turn 1 ('Hello'): tool search failed: ") for line in lines)


HOTEL = """
mcp:
  hotel:
    book:
      description: Books a room.
      parameters: {type: object, properties: {room: {type: string}}, required: [room]}
      calls: [{fails: Busy., times: 1}, {when: {room: Cellar}, returns: "Cellar, 12"}]
    cancel: {reads_only: false}
"""


def test_an_mcp_server_that_is_not_there_is_stubbed(folder: Folder) -> None:
    assert not wrong(folder, SEARCH + HOTEL, ends=BOOKED)
    shown = "\n".join(wrong(folder, SEARCH + HOTEL.replace("room: Cellar", "room: Attic"), ends=BOOKED))
    assert "No stub answers this call of tool 'book' of the MCP server 'hotel': {\"room\": \"Cellar\"}." in shown
    assert "stubs.mcp.hotel.book: stub 2 answered 0 of at least 1 call(s)" in shown
    busy = "The MCP server hotel says that hotel__book failed: Busy (nodes.py:14)"
    assert f"action book failed (attempt 1): ConnectionError: {busy}" in shown
    # Arguments are checked before a call, like those of a real server.
    strict = HOTEL.replace("{room: {type: string}}", "{room: {type: integer}}").split("      calls")[0]
    assert '"Cellar" is not of type "integer"' in "\n".join(wrong(folder, SEARCH + strict, ends=BOOKED))


def test_options_are_expected_by_value_or_title(folder: Folder) -> None:
    for options in ("[Cellar, Aquarium]", "[Aquarium]", "[]"):
        turns = TURNS.replace("[Aquarium, Cellar]", options)
        assert "options: expected" in wrong(folder, SEARCH, turns)[0]
    option = "{type: object, properties: {value: {type: integer}, title: {type: string}}, required: [value, title]}"
    folder.flow(FLOW.replace("items: {type: string}", f"items: {option}"), "rooms/flow.yaml")
    titled = SEARCH.replace("[Aquarium, Cellar]", "[{value: 1, title: Aquarium}, {value: 2, title: Cellar}]")
    for options in ("[Aquarium, Cellar]", "[1, 2]"):
        assert not wrong(folder, titled, f"turns: [{{user: Hello, expect: {{options: {options}}}}}]\n")


def test_the_trace_is_shown_and_the_error_of_an_action(folder: Folder, run: Runner) -> None:
    broken = NODES.replace("    found =", "    state['room']\n    found =")
    folder.flow(broken, "rooms2/nodes.py")
    folder.flow(FLOW.replace("run: find}", "run: find, on_error: q.room}"), "rooms2/flow.yaml")
    folder.flow(TOOLS, "rooms2/tools.py")
    file = folder.conversation(f"agent: rooms2\n{TURNS}")
    done = run("test", file, "--trace")
    assert done.code == 1
    assert "action find failed (attempt 1): Action 'find' reads 'room'" in done.out
    assert "(nodes.py:4)" in done.out
    assert re.search(r"^ +find starts \(attempt 1\)$", done.out, re.MULTILINE)
    (conversation,) = run("test", file, "--trace", "--json").json["conversations"]
    assert any("find starts" in line for line in conversation["trace_lines"])
