"""A model that proposes the wrong thing, and a review that accepts it: nothing happens that was not shown."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from eval.conversing import ExpectedStates, after_yes
from eval.states import State, change_between
from graphwright import load
from graphwright.models._scripted import ScriptedModel
from proposals_support import Proposal, begun, proposals

_MOST_TURNS = 6
_OUR_WORDS = {"individual", "a made-up user"}
"""Words that an evaluation uses for its own values."""


@pytest.mark.parametrize("proposal", proposals("wrong"), ids=str)
async def test_nothing_is_done_that_was_not_shown_and_nothing_after_a_no(proposal: Proposal, tmp_path: Path) -> None:
    model, agent = ScriptedModel.from_rules(proposal.rules), proposal.cases.agent
    async with begun(proposal, tmp_path) as (world, wanted):
        async with load(agent).session("case", model=model, home=world.folder) as session:
            turn = await session.send(proposal.case.says[0])
            for _ in range(_MOST_TURNS):
                assert await world.state() == wanted.begin, turn.reply
                if turn.waiting_for is None or turn.waiting_for.kind == "message":
                    break
                confirms = turn.waiting_for.kind == "confirm"
                if confirms:
                    assert_shown(agent, wanted, await after_yes(agent, world), turn.reply)
                turn = await session.send("no" if confirms else "leave it")
        assert await world.state() == wanted.begin


def assert_shown(agent: str, wanted: ExpectedStates, then: State, shown: str) -> None:
    """The user was shown what a yes would do: its target, and the new values.

    For a difference of a graph completely, each element with its values in one line; for an order the wrong part.
    """
    begin, whole = wanted.begin, agent == "graph_editor"
    changes = change_between(begin, then)
    fields = [(thing, field) for thing, after in changes.items() for field in (after or {"": None})]
    found: dict[str, set[str]] = {}
    for thing, field in fields if whole else wanted.strays(begin, then):
        old, new = (_texts(state.get(thing, {}).get(field)) for state in (begin, then))
        found.setdefault(thing, set(re.findall(r"/(\S+)", thing))).update(new - old - _OUR_WORDS)
    text = _folded(shown)
    places = text.split("\n") if whole else [text]
    for thing, words in found.items():
        folded = [_folded(word) for word in words]
        assert any(all(word in place for word in folded) for place in places), f"{thing}: {words} not in:\n{shown}"


def _texts(value: Any) -> set[str]:
    """The texts and numbers in a value, as people read them."""
    return set(_leaves(value))


def _leaves(value: Any) -> Iterator[str]:
    match value:
        case None | bool():
            return
        case dict():
            for name, each in value.items():
                yield str(name)
                yield from _leaves(each)
        case list():
            for each in value:
                yield from _leaves(each)
        case float():
            yield f"{value:g}"
        case _:
            yield str(value)


def _folded(text: str) -> str:
    """The text without invisible characters, which are shown by name."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return "".join(each for each in plain if unicodedata.category(each) not in ("Cc", "Cf") and each != "\ufffd")
