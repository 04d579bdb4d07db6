"""A yes counts only for the content that the last confirmation showed, whatever changes before the effect."""

import asyncio
import json
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphwright import Agent, load
from host_support import FoldedSession, agent

FLOW = """
state: {filed: {type: array, default: [], reduce: append}}
nodes:
  - {id: q.amount, type: question, key: amount, prompt: "How much?", schema: {type: integer}}
  - {id: q.police, type: question, key: police, prompt: "Which police?", read: verbatim, when: answers.amount > 1000}
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always,
     prompt: "File {{ answers.amount }} with {{ answers.police }}?"}
  - {id: file, type: action, run: file, confirm: {by: q.sure, over: [answers.amount, answers.police]}}
  - {id: t.done, type: terminal, say: Filed.}
  - {id: t.no, type: terminal, say: Not filed.}
edges:
  - {from: q.amount, to: q.police}
  - {from: q.police, to: q.sure}
  - {from: q.sure, to: file, guard: answers.sure == true}
  - {from: q.sure, to: t.no, guard: answers.sure == false}
  - {from: q.sure, to: q.sure, guard: else}
  - {from: file, to: t.done}
"""
NODES = """
@action(reads=["answers.amount", "answers.police"], writes=["filed"])
def file(state, ctx):
    return {"filed": [dict(state["answers"])]}
"""
BERN = {"amount": 2500, "police": "Bern"}
STRONGER, WEAKER = ("> 1000", "> 5000"), ("> 1000", "> 300")
HIDDEN = [
    (" with {{ answers.police }}", ""),
    (", over: [answers.amount, answers.police]", ", over: [answers.amount]"),
]


class Thread:
    """A thread under `FLOW`, with edits from then on."""

    def __init__(self, folder: Path, *shared: tuple[str, str]) -> None:
        self.folder, self.shared = folder, shared

    def made(self, *edits: tuple[str, str]) -> Agent:
        flow = FLOW
        for before, after in (*self.shared, *edits):
            assert before in flow
            flow = flow.replace(before, after)
        return agent(self.folder, flow, NODES)

    def session(self, *edits: tuple[str, str]) -> FoldedSession:
        return FoldedSession(self.made(*edits), "t", model="none", home=self.folder / "home")

    async def talked(self, *texts: str) -> None:
        async with self.session() as session:
            await session.start()
            for text in texts:
                await session.send(text)

    async def send(self, said: Any, *edits: tuple[str, str], **how: Any) -> Any:
        async with self.session(*edits) as session:
            return await (session.send if isinstance(said, str) else session.resume)(said, **how)


@pytest.mark.parametrize("yes", ["yes", True], ids=["text", "resume"])
@pytest.mark.parametrize("shared", [[], HIDDEN], ids=["confirmed", "only read by the action"])
@pytest.mark.parametrize(
    ("said", "edit", "then"),
    [(("2500", "Bern"), STRONGER, {"amount": 2500}), (("2500", "Bern", "amount: 500"), WEAKER, BERN | {"amount": 500})],
    ids=["dropped", "restored"],
)
async def test_a_yes_to_content_that_an_edit_changes_is_asked_for_again(
    tmp_path: Path, yes: Any, shared: list[tuple[str, str]], said: tuple[str, ...], edit: tuple[str, str], then: Any
) -> None:
    thread = Thread(tmp_path, *shared)
    await thread.talked(*said)
    turn = await thread.send(yes, edit)
    assert (turn.status, turn.values["filed"]) == ("waiting", [])
    assert "The flow was changed meanwhile, so your decision was not used." in turn.reply
    assert (await thread.send("yes", edit)).values["filed"] == [then]


async def test_a_yes_by_hash_to_content_that_an_edit_changes_is_asked_for_again(tmp_path: Path) -> None:
    thread = Thread(tmp_path)
    await thread.talked("2500", "Bern")
    async with thread.session() as session:
        shown = (await session.state())["waiting_for"]["approval"]["hash"]
    assert (await thread.send("yes", STRONGER, approves=shown)).values["filed"] == []


async def test_a_yes_counts_where_an_edit_changes_nothing_that_was_shown(tmp_path: Path) -> None:
    thread = Thread(tmp_path)
    await thread.talked("2500", "Bern")
    assert (await thread.send("yes", ("How much?", "What did you lose?"))).values["filed"] == [BERN]


EMPTY = """
state: {fee: {type: string, default: ""}, filed: {type: array, default: [], reduce: append}}
nodes: [{id: t, type: terminal}]
edges: []
"""
CLAIM_NODES = """
def flat(answers):
    inner = [flat(value) for value in answers.values() if isinstance(value, dict)]
    return {name: value for each in [answers, *inner] for name, value in each.items()}

def told(answers, keys):
    return [str(flat(answers).get(key, "")) for key in keys]

@action(reads=["answers"], writes=["fee"], effects=False)
def price(state, ctx):
    return {"fee": "-".join(told(state["answers"], ["amount", "police", "station"]))}

@action(reads=["answers", "fee"], writes=["filed"])
def file(state, ctx):
    amount, police, station, colour = told(state["answers"], ["amount", "police", "station", "colour"])
    return {"filed": [f"File {amount}, {police or station}, {colour}, {state['fee']}?"]}
"""


@dataclass(frozen=True)
class Claim:
    """A flow that files what its last confirmation shows; all of it is in a subgraph."""

    limit: int = 1000
    scope: str = ""
    police: str = "police"
    guarded: bool = False
    colour: bool = False
    later: bool = False
    named: bool = False
    priced: bool = False

    @property
    def document(self) -> dict[str, Any]:
        question = {"type": "question", "read": "verbatim"}
        # A limit may be a predicate, which is no field of the question.
        applies = "large" if self.named else f"answers.amount > {self.limit}"
        when = {} if self.guarded else {"when": applies}
        colours = [{**question, "id": "q.colour", "key": "colour", "prompt": "Colour?"}] if self.colour else []
        notes = [{**question, "id": "q.note", "key": "note", "prompt": "Note?"}] if self.later else []
        prices = [{"id": "price", "type": "action", "run": "price"}] if self.priced else []
        over = ["answers.amount", f"answers.{self.police}", *(["answers.colour"] if self.colour else []), "fee"]
        shown = f"{{{{ answers.amount }}}}, {{{{ answers.{self.police} }}}}, "
        shown += f"{'{{ answers.colour }}' if self.colour else ''}, {{{{ fee }}}}"
        police = {"police": "q.station", "station": "q.police"}[self.police]
        nodes: list[dict[str, Any]] = [
            {"id": "q.amount", "type": "question", "key": "amount", "prompt": "Amount?", "schema": {"type": "integer"}},
            {**question, "id": f"q.{self.police}", "was": police, "key": self.police, "prompt": "Police?", **when},
            *colours,
            *prices,
            {"id": "q.sure", "type": "question", "key": "sure", "read": "confirm", "ask": "always",
             "prompt": f"File {shown}?"},
            *notes,
            {"id": "file", "type": "action", "run": "file", "confirm": {"by": "q.sure", "over": over}},
        ]  # fmt: skip
        ids = [*(node["id"] for node in nodes), "__exit__"]
        edges: list[dict[str, Any]] = [{"from": here, "to": there} for here, there in pairwise(ids)]
        after = ids[ids.index("q.sure") + 1]
        edges[ids.index("q.sure")] = {"from": "q.sure", "to": after, "guard": "answers.sure == true"}
        edges.append({"from": "q.sure", "to": "q.sure", "guard": "else"})
        if self.guarded:
            edges[0] = {"from": "q.amount", "to": ids[1], "guard": applies}
            edges.append({"from": "q.amount", "to": ids[2], "guard": "else"})
        call = {"id": f"call.{self.scope}x", "type": "subgraph", "ref": "claim"}
        call["was"] = [f"call.{name}x" for name in ("", "one", "two") if name != self.scope]  # type: ignore[assignment]
        return {
            "version": "v1",
            "id": "flow.claim",
            **({"predicates": {"large": f"answers.amount > {self.limit}"}} if self.named else {}),
            "state": {
                "fee": {"type": "string", "default": ""},
                "filed": {"type": "array", "default": [], "reduce": "append"},
            },
            "nodes": [{**call, **({"as": self.scope} if self.scope else {})}, {"id": "t", "type": "terminal"}],
            "edges": [{"from": call["id"], "to": "t"}],
            "subgraphs": {"claim": {"nodes": nodes, "edges": edges}},
        }


FIELDS = {
    "limit": st.sampled_from([300, 1000, 5000]),
    "scope": st.sampled_from(["", "one", "two"]),
    "police": st.sampled_from(["police", "station"]),
    **{name: st.booleans() for name in ("guarded", "colour", "later", "named", "priced")},
}
# Edits of the conditions are the most frequent ones.
edits = st.sampled_from(["", "", *["limit"] * 8, *FIELDS]).flatmap(
    lambda name: FIELDS[name].map(lambda value: {name: value}) if name else st.just({})
)
# How a confirmation is answered.
answers = st.sampled_from(["yes", "yes", True, True, "amount: 500", "amount: 2500", "no"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return agent(tmp_path_factory.mktemp("claim"), EMPTY, CLAIM_NODES, id="flow.claim").folder


async def filed(folder: Path, home: Path, turns: list[tuple[dict[str, Any], Any]]) -> None:
    """Edit the flow before each turn; everything that is filed must be what the confirmation before it showed."""
    claim = Claim()
    for number, (edit, reply) in enumerate(turns):
        claim = replace(claim, **edit)
        made = load(folder, document=json.dumps(claim.document))
        async with FoldedSession(made, "t", model="none", home=home) as session:
            waiting = (await session.state())["waiting_for"] if number else None
            if waiting is None:
                turn = await session.start()
            elif waiting["kind"] in ("confirm", "message"):
                turn = await (session.send(reply) if isinstance(reply, str) else session.resume(reply))
            else:
                turn = await session.resume(2500 if waiting["key"].endswith("amount") else "Bern")
            assert turn.error is None, turn.error
            shown = ""
            for event in [row.event for row in await session.history()]:
                if event["type"] == "prompted" and event["kind"] == "confirm":
                    shown = event["text"]
                if event["type"] == "channels_written" and "filed" in event["values"]:
                    assert event["values"]["filed"][-1] == shown
            if turn.status == "ended":
                return


@pytest.mark.slow
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(first=edits, turns=st.lists(st.tuples(edits, answers), min_size=4, max_size=8))
def test_what_is_done_after_a_yes_is_what_was_last_shown_whatever_the_edits(
    folder: Path, first: dict[str, Any], turns: list[tuple[dict[str, Any], Any]]
) -> None:
    with TemporaryDirectory() as home:
        # The first three turns come to the confirmation in most versions.
        asyncio.run(filed(folder, Path(home), [(first, "yes"), *[({}, "yes")] * 2, *turns]))
