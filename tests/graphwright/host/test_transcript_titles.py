"""Titles of conversations: a request, or else an answer with its name; never a greeting, a yes or a date."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from graphwright.host.transcript import request_title
from graphwright.store import open_store
from host_support import agent

FLOW = """
nodes:
  - {id: q.sure, type: question, key: sure, prompt: Begin?, schema: {type: boolean}}
  - {id: q.day, type: question, key: day, prompt: When?, schema: {type: string, format: date}}
  - {id: q.name, type: question, key: name, prompt: Name?, read: verbatim, schema: {type: string, title: full name}}
  - {id: q.note, type: question, key: note, prompt: A note?, read: verbatim, ask: always}
  - {id: done, type: terminal, say: Done.}
edges:
  - {from: q.sure, to: q.day}
  - {from: q.day, to: q.name}
  - {from: q.name, to: q.note}
  - {from: q.note, to: done}
"""


@pytest.mark.parametrize(
    ("message", "title"),
    [
        ("Hello", ""),
        ("3", ""),
        ("12.03.2027", ""),
        ("Where is\nmy order?", "Where is my order?"),
        ("Count slowly", "Count slowly"),
        ("word " * 40, "word " * 15 + "word…"),
    ],
)
def test_a_request_of_two_words_is_a_title_on_one_line(message: str, title: str) -> None:
    assert request_title(message) == title


@pytest.mark.parametrize(
    ("said", "title"),
    [
        (["Hello", True, "2027-03-12"], ""),
        (["Hello", True, "2027-03-12", "Ann Lee", "no stairs, a lift"], "Full name: Ann Lee"),
        (["Hello", True, "2027-03-12", "no title"], "Full name: no title"),
        (["Hi", True, "2027-03-12", "Ann Lee of Trieste"], "Ann Lee of Trieste"),
        (["I need a guided tour", True, "2027-03-12", "Ann Lee"], "I need a guided tour"),
    ],
)
async def test_the_first_request_or_answer_that_says_something_names_a_conversation(
    tmp_path: Path, said: list[Any], title: str
) -> None:
    made = agent(tmp_path / "a", FLOW)
    async with made.session("t", model="none", home=tmp_path / "home") as session:
        for each in said:
            await (session.resume(each) if isinstance(each, bool) else session.send(each))
    async with open_store(tmp_path / "home") as store:
        row = await store.threads.get("t")
    assert row is not None
    assert row.title == title


async def test_a_title_of_the_user_stays(tmp_path: Path) -> None:
    made = agent(tmp_path / "a", FLOW)
    async with made.session("t", model="none", home=tmp_path / "home") as session:
        await session.send("Hello")
        async with open_store(tmp_path / "home") as store:
            await store.threads.rename("t", "For the hall")
        await session.resume(True)
        await session.send("2027-03-12")
        await session.send("Ann Lee")
    async with open_store(tmp_path / "home") as store:
        row = await store.threads.get("t")
    assert row is not None
    assert row.title == "For the hall"
