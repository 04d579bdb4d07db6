"""A thread that waits under a flow, and edits of this flow."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from zlib import crc32

from graphwright import Agent, Session, Turn
from host_support import agent, of_type, open_session, trace

FLOW = """
state:
  sent: {type: array, default: [], reduce: append}
nodes:
  - {id: q.name, type: question, key: name, prompt: Name?, read: verbatim}
  - {id: q.size, type: question, key: size, prompt: "Which size, {{ answers.name }}?", read: choice,
     schema: {enum: [small, large]}}
  - {id: q.sure, type: question, key: sure, prompt: "Send {{ answers.size }}?", read: confirm, ask: always}
  - {id: send, type: action, run: send, confirm: {by: q.sure, over: [answers.size]}}
  - {id: q.more, type: question, key: more, prompt: More?, read: verbatim}
  - {id: t.done, type: terminal, say: "Sent {{ sent.size() }}, {{ answers.name }}: {{ answers.more }}."}
  - {id: t.no, type: terminal, say: Not then.}
edges:
  - {from: q.name, to: q.size}
  - {from: q.size, to: q.sure}
  - {from: q.sure, to: send, guard: answers.sure == true}
  - {from: q.sure, to: t.no, guard: else}
  - {from: send, to: q.more}
  - {from: q.more, to: t.done}
"""
NODES = """
@action(reads=["answers.size"], writes=["sent"])
def send(state, ctx):
    ctx.say("Sent.")
    return {"sent": [state["answers"]["size"]]}
"""


class Edited:
    """A thread that went some way under `FLOW`, and the same agent with an edited flow."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "home"

    async def talked(self, *texts: str, flow: str = FLOW) -> None:
        async with open_session(self.made(flow), self.home) as session:
            for text in texts:
                await session.send(text)

    def made(self, flow: str = FLOW, nodes: str = NODES, *edits: tuple[str, str]) -> Agent:
        for before, after in edits:
            assert before in flow
            flow = flow.replace(before, after)
        # Python is imported once for each folder.
        return agent(self.folder / str(crc32(nodes.encode())), flow, nodes)

    def session(self, *edits: tuple[str, str], nodes: str = NODES) -> Session:
        return open_session(self.made(FLOW, nodes, *edits), self.home)

    async def send(self, text: str, *edits: tuple[str, str], nodes: str = NODES) -> Turn:
        async with self.session(*edits, nodes=nodes) as session:
            return await session.send(text)

    async def events(self) -> list[Any]:
        async with self.session() as session:
            return list(of_type(await trace(session), "flow_migrated"))


GONE = [
    ("  - {id: q.more, type: question, key: more, prompt: More?, read: verbatim}\n", ""),
    ("  - {from: send, to: q.more}\n", ""),
    ("{from: q.more, to", "{from: send, to"),
    (": {{ answers.more }}", ""),
]
