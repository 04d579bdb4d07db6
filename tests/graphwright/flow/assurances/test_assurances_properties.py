"""Assurances against exhaustive walks of small random flows: no verdict is wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from graphwright.engine._position import lookup, view
from graphwright.engine.events import (
    ActionFailed,
    ActionFinished,
    ActionStarted,
    EdgeTaken,
    Escalated,
    NodeEntered,
    Prompted,
    SubgraphLeft,
)
from graphwright.engine.host_interface import (
    ActionError,
    Continue,
    End,
    Extract,
    Facts,
    Fail,
    Inbox,
    Perform,
    Performed,
    Proposal,
    Proposals,
    Result,
    TurnMemory,
    Wait,
)
from graphwright.engine.state import ThreadState, applied
from graphwright.engine.step import step
from graphwright.flow import compile_text
from graphwright.flow.compiled import Action, ActionSignature, Assurance, Catalogue, CompiledFlow, Question
from graphwright.testing._counterexamples import find_counterexample
from graphwright.testing._item_runs import items_runs

NOW_OF_TESTS = datetime(2026, 1, 31, 9, 0, tzinfo=UTC)

CATALOGUE = Catalogue(
    actions={
        "compute": ActionSignature("compute", ("answers.a",), ("c",), effects=False),
        "roll": ActionSignature("roll", (), ("c",), effects=True),
        "send": ActionSignature("send", ("answers.a",), (), effects=True),
    },
    missing=frozenset(),
)
KEYS = ("a", "b")
ATOMS = (
    "answers.a == 'x'",
    "answers.a != 'x'",
    "answers.b == 1",
    "has(answers.b)",
    "c == 1",
    "c > 0",
    "answers.a == 'x' && c == 1",
    "!has(answers.a) || answers.a == 'y'",
    "answers.s == true",
    "answers.s == false",
    "size(answers.a) > 1 || c == 0",
)

MORE = (
    ", ask: always",
    ", required: false",
    ', when: "c == 0"',
    ', when: "!has(answers.{other})"',
    ", max_invalid: 1, on_invalid: {last}",
    ', validate: "c < 2"',
)


LISTS = (
    "{type: array, items: {type: integer}, default: [], scope: conversation}",
    "{type: array, items: {type: integer}, default: [1], scope: conversation, minItems: 1}",
    "{type: array, items: {type: integer}, default: [1, 2], scope: conversation}",
)


@st.composite
def flows(draw: st.DrawFn) -> str:
    """A flow of a few nodes, mostly forwards, with a subgraph in half of the cases; and assurances over its nodes."""
    more = draw(
        st.lists(
            st.sampled_from(("a", "b", "s", "compute", "roll", "send", "send", "decide", "call", "map")), max_size=4
        )
    )
    nodes = draw(st.permutations(["a", "b", "s", *more]))
    count, called, mapped = len(nodes), "call" in nodes, "map" in nodes
    scoped = draw(st.sampled_from(("", "", ", as: sub")))
    lines, edges = [], []
    names = [f"n{n}" for n in range(count)]
    targets = [*names[1:], "end"]
    confirming = [name for name, kind in zip(names, nodes, strict=True) if kind == "s"]
    for place, (name, kind) in enumerate(zip(names, nodes, strict=True)):
        lines.append(node_text(draw, name, kind, confirming, scoped, targets))
        guarded = (
            [] if kind in ("a", "b", "compute", "call") and draw(st.booleans()) else [draw(st.sampled_from(ATOMS))]
        )
        for guard in guarded:
            back = draw(st.sampled_from((*targets[place:], *names[: place + 1])))
            edges.append(f'  - {{from: {name}, to: {back}, guard: "{guard}"}}')
        if draw(st.integers(0, 9)) or not guarded:
            edges.append(f"  - {{from: {name}, to: {targets[place]}, guard: else}}")
    every = [*names, "end", *([f"m{n}" for n in range(2)] if called else []), *(["i0", "i1"] if mapped else [])]
    claims = []
    for _ in range(3):
        of, other = draw(st.sampled_from(every)), draw(st.sampled_from(every))
        claims.append(f"  - {{always_before: {of}, comes: {other}}}")
        condition = draw(st.sampled_from((*ATOMS, *confirming, other)))
        claims.append(f'  - {{never: {of}, unless: "{condition}"}}')
        claims.append(f"  - {{eventually: {of}}}")
    text = [
        "version: v1",
        "id: t",
        "state:",
        "  c: {type: integer, default: 0, scope: conversation, maximum: 2, minimum: 0}",
        f"  l: {draw(st.sampled_from(LISTS))}",
        "  i: {type: integer, default: 0, scope: conversation}",
    ]
    text += ["nodes:", *lines, "  - {id: end, type: terminal}", "edges:", *edges, "assurances:", *dict.fromkeys(claims)]
    text += ["subgraphs:"] if called or mapped else []
    if mapped:
        kinds = [draw(st.sampled_from(("roll", "decide"))), draw(st.sampled_from(("send", "compute", "decide")))]
        text += ["  h:", "    nodes:"]
        text += ["  " + node_text(draw, f"i{n}", kind, [], "", ["i1"]) for n, kind in enumerate(kinds)]
        text += ["    edges:", f'      - {{from: i0, to: i1, guard: "{draw(st.sampled_from((*ATOMS, "i == 1")))}"}}']
        text += ["      - {from: i0, to: __exit__, guard: else}", "      - {from: i1, to: __exit__}"]
    if called:
        inner = [draw(st.sampled_from(("a", "b", "roll"))), draw(st.sampled_from(("b", "compute", "decide")))]
        text += ["  g:", "    nodes:"]
        text += ["  " + node_text(draw, f"m{n}", kind, [], "", ["m1"]) for n, kind in enumerate(inner)]
        text += ["    edges:", "      - {from: m0, to: m1}", "      - {from: m1, to: __exit__}"]
    text += draw(st.lists(st.sampled_from(("on_stuck: end", "on_escalate: end", "restart: keep")), unique=True))
    text += draw(st.sampled_from(([], [], ["constraints: [{one_of: [[b]]}]"])))
    return "\n".join(text)


def node_text(draw: st.DrawFn, name: str, kind: str, confirming: list[str], scoped: str, targets: list[str]) -> str:
    schema = {"a": "{enum: [x, y]}", "b": "{type: integer, minimum: 0, maximum: 2}"}
    if kind in KEYS:
        other = "a" if kind == "b" else "b"
        more = draw(st.sampled_from(("", "", *(each.format(other=other, last=targets[-1]) for each in MORE))))
        return f"  - {{id: {name}, type: question, key: {kind}, prompt: x, schema: {schema[kind]}{more}}}"
    if kind == "s":
        return f"  - {{id: {name}, type: question, key: s, prompt: x, read: confirm, ask: always}}"
    if kind == "decide":
        return f"  - {{id: {name}, type: decision}}"
    if kind == "call":
        return f"  - {{id: {name}, type: subgraph, ref: g{scoped}}}"
    more = f", on_error: {targets[-1]}" if draw(st.booleans()) else ""
    if kind == "map":
        return f"  - {{id: {name}, type: subgraph, ref: h, map: {{over: l, as: i}}{more}}}"
    if kind == "send" and confirming and draw(st.booleans()):
        more += f", confirm: {{by: {confirming[0]}, over: [c]}}"
    return f"  - {{id: {name}, type: action, run: {kind}{more}}}"


@dataclass
class Walker:
    """All conversations of a flow up to some turns, with every value and every correction of one answer a message."""

    flow: CompiledFlow
    most: int = 120
    steps: int = 3_000
    violated: dict[int, str] = field(default_factory=dict)

    def run(self) -> bool:
        """Walk. Returns whether every conversation was walked to its end."""
        start = ThreadState()
        todo = [(start, tuple(False for _ in self.flow.assurances))]
        known = {self._key(*todo[0])}
        while todo:
            if len(known) > self.most or self.steps < 0:
                return False
            state, seen = todo.pop(0)
            for inbox, reading in self._moves(state):
                for after, marks, command in self._turn(state, seen, inbox, reading, TurnMemory(), 0, ()):
                    key = self._key(after, marks)
                    if isinstance(command, Wait) and key not in known:
                        known.add(key)
                        todo.append((after, marks))
        return True

    def _key(self, state: ThreadState, seen: tuple[bool, ...]) -> str:
        content = state.to_json()
        for name in ("born", "visit", "turn", "seq", "messages", "turn_seq", "message", "now", "failed"):
            content.pop(name, None)
        return json.dumps([content, seen], sort_keys=True, default=str)

    def _moves(self, state: ThreadState) -> Iterator[tuple[Inbox, Any]]:
        if state.mode == "new":
            yield Inbox(), None
        elif state.waits_for("message"):
            yield Inbox.of_text("Go on."), None
        elif state.mode == "waiting":
            question = self.flow.question(state.at.node)
            for value in self._values(question):
                yield Inbox.of_value(value), None
            for key in KEYS:
                yield from ((Inbox.of_text("Well."), (key, value)) for value in self._values_of(key))
            if not question.required:
                yield Inbox.of_text("Well."), "declined"
            if self.flow.on_escalate:
                yield Inbox.of_text("Well."), "escalate"
            if question.on_invalid:
                yield Inbox.of_value({"no": "value"}), None
                yield Inbox.of_text("Well."), "nothing"

    def _values(self, question: Question) -> list[Any]:
        return [True, False, "Well."] if question.read == "confirm" else self._values_of(question.key)

    def _values_of(self, key: str) -> list[Any]:
        return ["x", "y"] if key == "a" else [0, 1, 2]

    def _turn(
        self, state: ThreadState, seen: Any, inbox: Any, reading: Any, memory: TurnMemory, done: int, earlier: Any
    ):
        if done > 6 or self.steps < 0:
            return
        facts = Facts(
            flow=self.flow,
            thread="t",
            now=NOW_OF_TESTS,
            token="t",
            check=lambda q, v: True,
            memory=memory,
            performed=done,
            earlier=earlier,
        )
        for result, inner in self._results(facts, state, inbox, reading, []):
            marks = self._watch(state, seen, result, inner)
            if isinstance(result.command, Continue):
                events = (*earlier, *result.events)
                yield from self._turn(result.state, marks, None, reading, result.memory, done + 1, events)
            else:
                yield result.state, marks, result.command

    def _results(self, facts: Facts, state: ThreadState, inbox: Any, reading: Any, given: list[Result]):
        self.steps -= 1
        result = step(facts, state, inbox, given)
        if isinstance(result.command, Extract):
            for proposals in self._readings(result.command, state, reading):
                yield from self._results(facts, state, inbox, reading, [*given, Result((), proposals)])
        elif isinstance(result.command, Perform) and result.command.node.map is not None:
            for run in items_runs(self.flow, result.command, state, writes_of):
                for after, inner in self._results(facts, state, inbox, reading, [*given, run.result]):
                    yield after, (*run.events, *inner)
        elif isinstance(result.command, Perform):
            node, visit = result.command.node, result.command.visit
            known = result.command.content, result.command.confirmed
            started = ActionStarted(node.id, node.run, visit, 1)
            for values in writes_of(node):
                finished = (started, ActionFinished(node.id, node.run, visit, 1, 0.0, *known))
                yield from self._results(facts, state, inbox, reading, [*given, Result(finished, Performed(values))])
            if node.on_error:
                failed = (started, ActionFailed(node.id, node.run, visit, 1, "no", True))
                error = Result(failed, error=ActionError("action_failed", "no"))
                yield from self._results(facts, state, inbox, reading, [*given, error])
        else:
            yield result, ()

    def _readings(self, command: Extract, state: ThreadState, reading: Any) -> Iterator[Proposals]:
        waiting = state.waiting.key if state.waiting else ""
        if reading == "declined":
            yield Proposals(unknown={".".join(state.at.answer_path(waiting)): "Well."})
        if reading == "nothing":
            yield Proposals()
        if reading == "escalate":
            yield Proposals(escalate="Well.")
        for candidate in command.asked.offered if isinstance(reading, tuple) else ():
            if candidate.question.key == reading[0]:
                given = lookup(state.answers, candidate.path)[0]
                yield Proposals((Proposal(candidate, reading[1], "Well.", given),))

    def _watch(self, before: ThreadState, seen: tuple[bool, ...], result: Any, inner: Any) -> tuple[bool, ...]:
        marks = list(seen)
        began = next((n for n, event in enumerate(result.events, 1) if isinstance(event, ActionStarted)), 0)
        places = [(event, place + 1) for place, event in enumerate(result.events)]
        for event, place in [*places[:began], *((event, began) for event in inner), *places[began:]]:
            taken_back = isinstance(result.command, Fail) and not isinstance(event, ActionStarted | ActionFinished)
            now = applied(before, result.events[:place])
            for n, assurance in enumerate(self.flow.assurances):
                if taken_back and assurance.claim != "eventually":
                    continue
                if reaches(self.flow, assurance.of, event):
                    if assurance.claim == "eventually":
                        marks[n] = True
                    elif not marks[n] and not allowed(self.flow, assurance, event, now):
                        self.violated.setdefault(n, f"{assurance.text}: {event}")
                marks[n] = marks[n] or any(passes(self.flow, assurance, name, event, now) for name in assurance.before)
        if any(isinstance(event, Escalated) and event.target == self.flow.on_escalate for event in result.events):
            # A user who asks for a person does not count for `eventually`.
            marks = [seen or a.claim == "eventually" for seen, a in zip(marks, self.flow.assurances, strict=True)]
        stuck = isinstance(result.command, Fail) and result.command.error.code.startswith("stuck_")
        for n, assurance in enumerate(self.flow.assurances):
            if assurance.claim == "eventually" and not marks[n] and (isinstance(result.command, End) or stuck):
                self.violated.setdefault(n, assurance.text)
        return tuple(marks)


def writes_of(node: Action) -> list[dict[str, int]]:
    return [{"c": n} for n in range(3)] if node.run in ("roll", "compute") else [{}]


def reaches(flow: CompiledFlow, of: str, event: Any) -> bool:
    kind = type(flow.nodes[of]).__name__
    if getattr(event, "node", "") != of:
        return False
    wanted = {"Question": Prompted, "Action": ActionStarted}.get(kind, NodeEntered)
    return isinstance(event, wanted)


def passes(flow: CompiledFlow, assurance: Assurance, name: str, event: Any, now: ThreadState) -> bool:
    node = flow.nodes[name]
    if isinstance(node, Question):
        if assurance.claim == "never" or not (isinstance(event, EdgeTaken) and event.source == name):
            return False
        paths = [(node.key,), ("sub", node.key)]
        given, value = next((found for path in paths if (found := lookup(now.answers, path))[0]), (False, None))
        return given and (node.read != "confirm" or value is True)
    if isinstance(event, ActionFinished | SubgraphLeft):
        return event.node == name
    return isinstance(event, EdgeTaken) and event.source == name and type(node).__name__ == "Decision"


def allowed(flow: CompiledFlow, assurance: Assurance, event: Any, now: ThreadState) -> bool:
    if flow.nodes[event.node].graph == "h" and any(guard.reads & {"c", "i"} for guard in assurance.unless):
        return True  # the values of the item are not known here
    scopes = now.at.top.scopes if isinstance(event, ActionStarted | Prompted) else ()
    if (
        flow.nodes[event.node].graph
        and not isinstance(event, ActionStarted | Prompted)
        and "'sub'" in str(flow.document)
    ):
        return True  # the scope is not known here
    values = view(flow, now.values(), scopes)
    for name in assurance.before if assurance.claim == "never" else ():
        node = flow.nodes[name]
        if isinstance(node, Question):
            value = values["answers"].get(node.key)
            action = flow.nodes[event.node] if isinstance(event, ActionStarted) else None
            confirmed = action is not None and action.confirm is not None and action.confirm.by == name
            if confirmed or value is True or (value is not None and node.read != "confirm"):
                return True
    return any(guard.evaluate(values).opens for guard in assurance.unless)


def compiled_with_walk(text: str) -> tuple[CompiledFlow, set[int], dict[int, str], bool]:
    """A flow, the numbers of its assurances that are not proven, those that a walk violates, and if it was whole."""
    compiled = compile_text(text, catalogue=CATALOGUE, assure=True)
    assume(compiled.flow is not None)
    doubted = [assurance for assurance, _ in compiled.unproven]
    walker = Walker(compiled.flow)
    whole = walker.run()
    unproven = {n for n, assurance in enumerate(compiled.flow.assurances) if assurance in doubted}
    return compiled.flow, unproven, walker.violated, whole


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(flows())
def test_no_walk_violates_an_assurance_that_holds(text: str) -> None:
    flow, unproven, violated, _ = compiled_with_walk(text)
    wrong = [violated[n] for n in range(len(flow.assurances)) if n in violated and n not in unproven]
    assert not wrong, f"{wrong}\n{text}"


@pytest.mark.slow
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(flows())
def test_a_counterexample_is_found_only_where_a_walk_violates_the_assurance(text: str) -> None:
    flow, unproven, violated, whole = compiled_with_walk(text)
    for n in sorted(unproven)[:3] if whole else ():
        example = find_counterexample(flow, flow.assurances[n], seconds=0.5)
        assert example is None or n in violated, f"{example.text}\n{text}"
