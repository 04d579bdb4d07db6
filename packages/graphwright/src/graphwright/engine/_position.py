"""The position of a conversation, a call stack of frames that can be stored as JSON, and the answers by scope."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from graphwright.flow.compiled import ROOT, CompiledFlow


class Scope(NamedTuple):
    """One level of answers: they live under `answers.NAME`; the keys of graph `graph` are looked up there."""

    name: str
    graph: str


class Frame(NamedTuple):
    """One level of the call stack: a node of a graph, with the answer scopes that are open there.

    A `detour` frame was entered for an answer that a constraint needs, or for a question or action that must be
    repeated before the node below. Leaving it returns to the frame below, whose node is entered again, or left if it
    was `done`.
    """

    graph: str
    node: str
    scopes: tuple[Scope, ...] = ()
    detour: bool = False
    done: bool = False


class Position(NamedTuple):
    """The stack, outermost frame first.

    `done` says that the node on top has been answered or performed and is to be left; otherwise it is to be entered.
    `escaped` is set once the conversation left its normal way (`on_stuck`, `on_escalate`, `on_abandon`): it then ends
    without its constraints being checked.
    """

    frames: tuple[Frame, ...]
    done: bool = False
    escaped: bool = False

    @property
    def top(self) -> Frame:
        return self.frames[-1]

    @property
    def node(self) -> str:
        return self.frames[-1].node

    def completed(self) -> Position:
        """The same place, its node answered or performed."""
        return self._replace(done=True)

    def jump(self, node: str) -> Position:
        """Enter another node of the same graph, in the same frame. Out of a detour in the root it leads for good."""
        below = () if self.top.detour and self.top.graph == ROOT else self.frames[:-1]
        return self._replace(frames=(*below, self.top._replace(node=node, detour=False)), done=False)

    def answer_path(self, key: str) -> tuple[str, ...]:
        """Where the answer `key` of the graph on top lives inside `answers`."""
        return (*(scope.name for scope in self.top.scopes), key)

    def to_json(self) -> dict[str, Any]:
        return {"frames": _frames_json(self.frames), "done": self.done, "escaped": self.escaped}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Position:
        return cls(_frames_from(data["frames"]), bool(data["done"]), bool(data["escaped"]))


class Taken(NamedTuple):
    """A decision on the way of a conversation that a correction may change: its place, and where it led.

    `reads` are the names of answers and channels that it read and that had a value, without scopes. `order` is greater
    than that of everything before it.
    """

    frames: tuple[Frame, ...]
    target: str
    reads: tuple[str, ...]
    order: int = 0

    def to_json(self) -> list[Any]:
        return [_frames_json(self.frames), self.target, list(self.reads), *([self.order] if self.order else [])]

    @classmethod
    def from_json(cls, data: Sequence[Any]) -> Taken:
        frames, target, reads, *order = data
        return cls(_frames_from(frames), target, tuple(reads), *order)


def _frames_json(frames: Iterable[Frame]) -> list[Any]:
    return [[f.graph, f.node, [list(s) for s in f.scopes], f.detour, *([True] if f.done else [])] for f in frames]


def _frames_from(data: Iterable[Any]) -> tuple[Frame, ...]:
    return tuple(Frame(graph, node, tuple(Scope(*s) for s in scopes), *rest) for graph, node, scopes, *rest in data)


def entry(flow: CompiledFlow) -> Position:
    """The position of a conversation that begins."""
    return Position((Frame(ROOT, flow.root.entry),))


def escape(node: str) -> Position:
    """Enter a root node outside the normal way, leaving every call behind."""
    return Position((Frame(ROOT, node),), escaped=True)


DECLINED = "$declined"
"""The reserved name under which `values` lists the dotted keys that the user was asked for and would not answer."""


def view(flow: CompiledFlow, values: Mapping[str, Any], scopes: tuple[Scope, ...]) -> Mapping[str, Any]:
    """`values` as the expressions of a graph see them: its own keys from its own scope, all others from around it."""
    if not scopes:
        return values
    answers: Mapping[str, Any] = values.get("answers") or {}
    level: Any = answers
    for scope in scopes:
        level = level.get(scope.name) if isinstance(level, Mapping) else None
        local = level if isinstance(level, Mapping) else {}
        own = flow.graphs[scope.graph].keys
        answers = {**{k: v for k, v in answers.items() if k not in own}, **local}
    return {**values, "answers": answers}


_OBJECTS = (dict, Mapping)
"""First the usual class: the check of an abstract one takes several times as long."""


def lookup(answers: Mapping[str, Any], path: tuple[str, ...]) -> tuple[bool, Any]:
    """Whether there is an answer at `path`, and the answer."""
    level: Any = answers
    for name in path:
        if not isinstance(level, _OBJECTS) or name not in level:
            return False, None
        level = level[name]
    return True, level


def with_answer(answers: Mapping[str, Any], path: tuple[str, ...], value: Any) -> dict[str, Any]:
    """A copy of `answers` in which `path` holds `value`; the original is untouched."""
    head, *rest = path
    inner = answers.get(head)
    new = with_answer(inner if isinstance(inner, Mapping) else {}, tuple(rest), value) if rest else value
    return {**answers, head: new}


def without_answer(answers: Mapping[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    """A copy of `answers` without the value at `path`."""
    head, *rest = path
    if head not in answers:
        return dict(answers)
    if not rest:
        return {k: v for k, v in answers.items() if k != head}
    inner = answers[head]
    return {**answers, head: without_answer(inner, tuple(rest))} if isinstance(inner, Mapping) else dict(answers)
