"""Shared by the tests of the host: agents written into a folder, scripted readings, and views of the store."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from graphwright import Agent, Session, load
from graphwright.engine.replay import fold
from graphwright.models._scripted import ScriptedModel
from graphwright.store import EventRow

IMPORTS = "import asyncio, os, time\nfrom pathlib import Path\nfrom graphwright import Reset, action, validator\n"

TWO_ACTIONS = """
state:
  n: {type: integer, default: 0}
  sent: {type: array, default: [], reduce: append}
nodes:
  - {id: q, type: question, key: name, prompt: Name?, read: verbatim, ask: always}
  - {id: first, type: action, run: first}
  - {id: send, type: action, run: send}
  - {id: done, type: terminal, say: "Sent {{ n }}."}
edges:
  - {from: q, to: first}
  - {from: first, to: send}
  - {from: send, to: done}
"""
"""A question, and two actions in one turn: `first` writes `n`, `send` appends to `sent`."""


def agent(folder: Path, flow: str, nodes: str = "", *, id: str = "flow.demo") -> Agent:
    """An agent with a flow (without its first two lines) and the text of its nodes.py."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "flow.yaml").write_text(f"version: v1\nid: {id}\n{textwrap.dedent(flow)}", "utf-8")
    if nodes:
        (folder / "nodes.py").write_text(IMPORTS + textwrap.dedent(nodes), "utf-8")
    return load(folder)


def reads(says: str, *found: tuple[str, Any, str], correction: bool = False, **more: Any) -> dict[str, Any]:
    """A rule: a message that matches `says` contains these (key, value, quote), which may correct earlier answers."""
    answers = [{"key": key, "value": value, "quote": quote, "correction": correction} for key, value, quote in found]
    return {"says": says, "call": {"UpdateAnswers": {"answers": answers}}, **more}


def unknown(says: str, key: str, reason: str = "does not say", **more: Any) -> dict[str, Any]:
    return {"says": says, "call": {"UnknownAnswer": {"key": key, "reason": reason, **more}}}


def scripted(*rules: Mapping[str, Any]) -> ScriptedModel:
    """A model over these rules; without rules it fails at any call."""
    return ScriptedModel.from_rules(list(rules))


class FoldedSession(Session):
    """A session that checks at its end that the trace folds to exactly the stored state."""

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None and await self.history():
            await assert_folds(self)
        await super().__aexit__(kind, error, trace)


def open_session(made: Agent, home: Path, *rules: Mapping[str, Any], thread: str = "t") -> Session:
    return FoldedSession(made, thread, model=scripted(*rules), home=home)


def plain_session(made: Agent, home: Path, *rules: Mapping[str, Any], thread: str = "t") -> Session:
    """A session on a database that may be damaged or gone at its end."""
    return made.session(thread, model=scripted(*rules), home=home)


async def trace(session: Session) -> list[dict[str, Any]]:
    """The events of the thread; their numbers must not have gaps."""
    rows = await session.history()
    assert [row.seq for row in rows] == list(range(len(rows)))
    return [dict(row.event) for row in rows]


def of_type(events: Sequence[Mapping[str, Any]], kind: str) -> list[Mapping[str, Any]]:
    return [event for event in events if event["type"] == kind]


def folded(made: Agent, events: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The answers and channels to which a trace folds, like the state of a flow."""
    state = fold([EventRow(seq, 0, "", dict(event)) for seq, event in enumerate(events)]).state
    assert set(state.channels) == set(made.flow.channels)
    return {"answers": state.answers, **state.channels}


async def saved_state(session: Session) -> dict[str, Any]:
    """The thread's stored state."""
    return dict((await session._store.state(session.thread))["thread"])


async def assert_folds(session: Session) -> None:
    """Check that the trace folds to exactly the stored state."""
    # With a lease, because another process may be about to serve a turn of the same thread.
    async with session._store.lease(session.thread):
        assert fold(await session.history()).state.to_json() == await saved_state(session)
