"""Random edits of flows under threads anywhere: no valid answer is lost, nothing is done twice, no thread is stuck."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import count, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphwright import Agent, load
from graphwright.engine.events import FlowMigrated
from graphwright.flow._schema_validation import first_violation
from graphwright.host.migrating import Migrator, undo
from graphwright.models._scripted import ScriptedModel
from graphwright.store import open_store
from graphwright.store.rows import utc_now
from host_support import FoldedSession, agent

SCHEMAS: dict[str, tuple[dict[str, Any], Any]] = {
    "text": ({"type": "string"}, "amber"),
    "short": ({"type": "string", "maxLength": 3}, "red"),
    "one": ({"enum": ["red", "blue"]}, "red"),
    "other": ({"enum": ["blue", "green"]}, "blue"),
    "few": ({"type": "integer", "maximum": 3}, 2),
    "many": ({"type": "integer", "minimum": 4}, 7),
}
"""Schemas, each with a value that fits."""

NODES = "\n".join(
    f'@action(reads=["answers"], writes=["done"])\ndef act{n}(state, ctx):\n    return {{"done": ["act{n}"]}}\n'
    for n in range(6)
)
START = "state: {done: {type: array, default: [], reduce: append}}\nnodes: [{id: t, type: terminal}]\nedges: []\n"


@dataclass(frozen=True)
class Part:
    """A node of a flow in a line: a question (`key`), an action (`run`), or with both a confirmation and its action."""

    id: str
    key: str = ""
    run: str = ""
    schema: str = "text"
    words: str = "Say"
    was: str = ""
    guarded: bool = False

    def nodes(self) -> Iterator[dict[str, Any]]:
        was = {"was": self.was} if self.was else {}
        if self.key and not self.run:
            schema, _ = SCHEMAS[self.schema]
            read = "choice" if "enum" in schema else "extract"
            when = {"when": "size(done) < 100"} if self.guarded else {}
            yield {"id": self.id, "type": "question", "key": self.key, "prompt": f"{self.words} {self.key}",
                   "schema": schema, "read": read, **when, **was}  # fmt: skip
        elif self.key:
            yield {"id": f"sure.{self.id}", "type": "question", "key": self.key, "read": "confirm", "ask": "always",
                   "prompt": f"{self.words} {self.key}?"}  # fmt: skip
            confirm = {"by": f"sure.{self.id}", "over": ["note"]}
            yield {"id": self.id, "type": "action", "run": self.run, "confirm": confirm, **was}
        else:
            yield {"id": self.id, "type": "action", "run": self.run, **was}


@dataclass(frozen=True)
class Line:
    """A flow whose parts follow each other; those in `inside` (from, to) are in a subgraph, which `calls` call.

    Each call is the scope of its answers; empty: they are those of the caller.
    """

    parts: tuple[Part, ...]
    inside: tuple[int, int] = (0, 0)
    calls: tuple[str, ...] = ("",)

    @property
    def asked(self) -> list[tuple[str, str]]:
        """The scopes and keys of the questions; each conversation comes by all of them."""
        return [(scope, part.key) for part in self.parts if part.key and not part.run for scope in scopes(self, part)]

    @property
    def document(self) -> dict[str, Any]:
        first, last = self.inside
        inner = [node for part in self.parts[first:last] for node in part.nodes()]
        before = [node for part in self.parts[:first] for node in part.nodes()]
        after = [node for part in self.parts[last:] for node in part.nodes()]
        calls = [{"id": f"call.{n}", "type": "subgraph", "ref": "sg", **({"as": n} if n else {})} for n in self.calls]
        keys = [f"{scope}.{key}" if scope else key for scope, key in self.asked]
        say = " ".join(["Done.", *(f"{{{{ has(answers.{key}) ? 1 : 0 }}}}" for key in keys)])
        root = [*before, *(calls if inner else []), *after, {"id": "t", "type": "terminal", "say": say}]
        made: dict[str, Any] = {"version": "v1", "id": "flow.line", "nodes": root, "edges": _edges(root)}
        made["state"] = {
            "done": {"type": "array", "default": [], "reduce": "append"},
            "note": {"type": "string", "default": ""},
        }
        if inner:
            made["subgraphs"] = {"sg": {"nodes": inner, "edges": _edges([*inner, {"id": "__exit__"}])}}
        return made


def _edges(nodes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found = []
    for here, there in pairwise(nodes):
        if here.get("read") == "confirm":
            # A no goes past the action.
            past = nodes[nodes.index(there) + 1]
            found.append({"from": here["id"], "to": there["id"], "guard": f"answers.{here['key']} == true"})
            found.append({"from": here["id"], "to": past["id"], "guard": "else"})
        else:
            found.append({"from": here["id"], "to": there["id"]})
    return found


parts = st.tuples(st.sampled_from(["question", "question", "action", "confirm"]), st.sampled_from(sorted(SCHEMAS)))


@st.composite
def lines(draw: st.DrawFn) -> Line:
    found = []
    for number, (kind, schema) in enumerate(draw(st.lists(parts, min_size=2, max_size=6))):
        key = f"k{number}" if kind != "action" else ""
        found.append(Part(f"n{number}", key, "" if kind == "question" else f"act{number}", schema))
    # Without a question no thread would wait.
    found.append(Part("n9", "k9"))
    return Line(tuple(found), draw(_inside(len(found))), draw(st.sampled_from([("",), ("s",), ("s", "r")])))


def _inside(length: int) -> st.SearchStrategy[tuple[int, int]]:
    return st.tuples(st.integers(0, length), st.integers(0, length)).map(lambda pair: (min(pair), max(pair)))


EDITS = (
    *("reword", "rename", "key", "remove", "remove", "add", "move", "move", "schema", "schema", "inside", "guard"),
    "call",
)


@st.composite
def edited(draw: st.DrawFn, line: Line) -> Line:
    fresh = count(10)
    for edit in draw(st.lists(st.sampled_from(EDITS), min_size=1, max_size=4)):
        found = list(line.parts)
        at = draw(st.integers(0, len(found) - 1)) if found else 0
        number = next(fresh)
        if edit == "add":
            found.insert(at, Part(f"n{number}", f"k{number}", "", draw(st.sampled_from(sorted(SCHEMAS)))))
        elif not found:
            continue
        elif edit == "remove":
            del found[at]
        elif edit == "move":
            found.insert(draw(st.integers(0, len(found) - 1)), found.pop(at))
        elif edit == "inside":
            line = replace(line, inside=draw(_inside(len(found))))
        elif edit == "call":
            line = replace(line, calls=line.calls[1:] or ("s",))
        else:
            part = found[at]
            changes: dict[str, Any] = {
                "reword": {"words": "Tell"},
                "rename": {"id": f"n{number}", "was": part.was or part.id},
                "key": {"key": f"k{number}"} if part.key else {},
                "schema": {"schema": draw(st.sampled_from(sorted(SCHEMAS)))},
                "guard": {"guarded": True},
            }[edit]
            found[at] = replace(part, **changes)
        first, last = line.inside
        line = replace(line, parts=tuple(found), inside=(min(first, len(found)), min(last, len(found))))
    return line


@dataclass
class Talk:
    """One thread in a separate store."""

    folder: Path
    home: Path
    agents: dict[str, Agent] = field(default_factory=dict)

    def agent(self, line: Line) -> Agent:
        text = json.dumps(line.document)
        if text not in self.agents:
            self.agents[text] = load(self.folder, document=text)
        return self.agents[text]

    def session(self, line: Line) -> FoldedSession:
        return FoldedSession(self.agent(line), "t", model=ScriptedModel.from_rules([]), home=self.home)

    async def step(self, line: Line) -> dict[str, Any]:
        """Answer whatever the thread waits for, and return its state."""
        async with self.session(line) as session:
            waiting = (await session.state())["waiting_for"]
            if waiting is None:
                turn = await session.start()
            elif waiting["kind"] == "message":
                turn = await session.send("go on")
            elif waiting["kind"] == "confirm":
                # An effect that was performed before is not performed again.
                turn = await session.resume("notice" not in waiting["approval"])
            elif waiting["kind"] == "choice" and not waiting["key"]:
                turn = await session.send("leave it")
            else:
                schema = waiting["schema"]
                turn = await session.resume(next(v for s, v in SCHEMAS.values() if not first_violation(schema, v)))
            assert turn.error is None, turn.error
            return await session.state()


def scopes(line: Line, part: Part) -> tuple[str, ...]:
    """The scopes in which a part is asked."""
    first, last = line.inside
    return line.calls if part in line.parts[first:last] else ("",)


def kept(before: Line, after: Line, answers: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The answers by scope and present key that the edited flow still asks for in this scope, and still takes."""
    found: dict[str, dict[str, Any]] = {}
    for part in before.parts:
        now = next((p for p in after.parts if part.id in (p.id, p.was)), None)
        if now is None or not part.key or part.run or now.run:
            continue
        for scope in set(scopes(before, part)) & set(scopes(after, now)):
            given = answers.get(scope, {}) if scope else answers
            if part.key in given and not first_violation(SCHEMAS[now.schema][0], given[part.key]):
                found.setdefault(scope, {})[now.key] = given[part.key]
    return found


def holds(answers: dict[str, Any], wanted: dict[str, dict[str, Any]]) -> bool:
    return all(each.items() <= (answers.get(scope, {}) if scope else answers).items() for scope, each in wanted.items())


async def converse(folder: Path, before: Line, after: Line, steps: int, by_operator: bool, taken_back: bool) -> None:
    with TemporaryDirectory() as home:
        talk = Talk(folder, Path(home))
        state: dict[str, Any] = {}
        stops = sum(1 for part in before.parts if part.key)
        for _ in range(steps % stops + 1):
            state = await talk.step(before)
        answers = state["values"]["answers"]
        if by_operator:
            async with open_store(talk.home) as store:
                migrator = Migrator(store, talk.agent(after), "operator", utc_now())
                found = [each async for each in migrator.run(await migrator.threads(), dry=False)]
                assert all(each.outcome in ("carry", "move") for each in found), found
                if found and taken_back:
                    await undo(store, talk.agent(after), "t", "operator", utc_now())
                    assert (await store.state("t"))["thread"].get("answers", {}) == answers
                elif found:
                    stored = (await store.state("t"))["thread"]
                    assert holds(stored.get("answers", {}), kept(before, after, answers))
            async with talk.session(after) as session:
                # There may be nothing left to ask.
                state = await session.state()
        migrations: list[Any] = []
        for _ in range(40):
            if state["status"] == "ended":
                break
            state = await talk.step(after)
            async with talk.session(after) as session:
                migrations = [e for e in await session.history() if e.event["type"] == FlowMigrated.type]
            if migrations and not taken_back and state["status"] != "ended":
                assert holds(state["values"]["answers"], kept(before, after, answers))
        assert state["status"] == "ended", state
        if not taken_back:
            # The end reads all answers, so none is missing.
            answers = state["values"]["answers"]
            asked = after.asked if migrations else []
            assert all(key in (answers.get(scope, {}) if scope else answers) for scope, key in asked), answers
        done = Counter(state["values"]["done"])
        calls = len(before.calls) if before.inside[0] < before.inside[1] else 1
        calls = max(calls, len(after.calls))
        assert all(times <= calls for times in done.values()), done


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = agent(tmp_path_factory.mktemp("line") / "a", START, NODES, id="flow.line")
    return made.folder


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data(), steps=st.integers(0, 6), by_operator=st.booleans(), taken_back=st.booleans())
def test_edits_lose_no_valid_answer_repeat_no_action_and_leave_no_thread_stuck(
    folder: Path, data: st.DataObject, steps: int, by_operator: bool, taken_back: bool
) -> None:
    before = data.draw(lines())
    after = data.draw(edited(before))
    asyncio.run(converse(folder, before, after, steps, by_operator, taken_back))


def test_an_action_of_one_call_is_not_taken_for_that_of_another(folder: Path) -> None:
    first, second, act = Part("n0", "k0"), Part("n2", "k2"), Part("n1", run="act1")
    before = Line((first, act, second, Part("n9", "k9")), (0, 3), ("s", "r"))
    after = Line((second, act, Part("n9", "k9")), (0, 2), ("s", "r"))
    asyncio.run(converse(folder, before, after, 0, False, False))


@pytest.mark.parametrize("out", [True, False])
def test_an_action_that_moves_out_of_a_call_or_into_it_is_not_done_again(folder: Path, out: bool) -> None:
    asked, act, new = Part("n0", "k0"), Part("n1", run="act1"), Part("n10", "k10")
    inside, outside = Line((asked, act, Part("n9", "k9")), (0, 2), ("s",)), Line((new, asked, act), (0, 2), ("s",))
    into = replace(outside, parts=(asked, act, Part("n9", "k9")), inside=(0, 1))
    before, after = (inside, outside) if out else (into, replace(outside, inside=(0, 3)))
    asyncio.run(converse(folder, before, after, 1, True, False))


def test_a_thread_that_goes_back_to_a_confirmation_folds_to_its_state(folder: Path) -> None:
    first, confirmed, gone = Part("n0", "k0"), Part("n1", "k1", "act1"), Part("n2", "k2")
    before = Line((first, confirmed, gone, Part("n3", "k3")))
    asyncio.run(converse(folder, before, Line((first, confirmed)), 3, True, False))
