"""The CEL environments: one that knows every type and checks, one of plain maps that evaluates."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from graphwright.flow.guards.messages import MOST_FIELDS, PACKAGE, SCALARS, MessageTypes, Part, Shards
from graphwright.flow.guards.names import (
    ACTIVE_PATH,
    ANSWERS,
    MESSAGE,
    VALUE,
    is_variable,
)
from graphwright.flow.guards.shapes import TEXT, Shape, shape_of
from graphwright.flow.walk import reachable

_GRAPH = re.compile(rf"{PACKAGE}\.G(\d+)")
_KEPT = 64
"""So many sets of types are kept at once."""

_FINDING = re.compile(r"^ERROR: <input>:(-?\d+):(-?\d+): (.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Finding:
    """One complaint of the CEL library, in its own words. Line and column count from 1."""

    line: int
    column: int
    text: str

    @property
    def speaks_of_answers(self) -> bool:
        return _GRAPH.search(self.text) is not None


class RejectedError(Exception):
    """The CEL library does not accept an expression."""

    def __init__(self, findings: tuple[Finding, ...]) -> None:
        super().__init__(findings)
        self.findings = findings


class Environments:
    """Builds and keeps the environments of one flow. Nothing is built before it is needed."""

    def __init__(
        self,
        answers: Mapping[str, Shape],
        channels: Mapping[str, Shape],
        predicates: frozenset[str],
    ) -> None:
        self._answers = answers
        self._channels = {name: shape for name, shape in channels.items() if is_variable(name)}
        self._predicates = frozenset(name for name in predicates if is_variable(name))
        self._messages = {graph: f"{PACKAGE}.G{number}" for number, graph in enumerate(answers)}
        self._graphs = {message: graph for graph, message in self._messages.items()}
        self._shards: Shards | None = None
        if any(len(shape.properties) > MOST_FIELDS for shape in answers.values()):
            self._shards = Shards(answers)
        self._checking: dict[tuple[Part | None, str, object], Any] = {}
        self._types: dict[tuple[Part | None, str], MessageTypes] = {}
        self._kept: list[Shape] = []
        self._running: Any = None

    def graph_of(self, message: str) -> str | None:
        """The graph whose answers a type name in a finding stands for, or None when it is another object."""
        return self._graphs.get(message)

    def check(self, text: str, graph: str, value: Shape | None = None) -> tuple[str, bytes]:
        """Type-checks a text and gives its result type with the serialized tree. Raises `RejectedError`."""
        environment = self._checker(text, graph, value)
        try:
            expression = environment.compile(text)
        except RuntimeError as error:
            raise RejectedError(_findings(error)) from None
        return str(expression.return_type()), expression.serialize()

    def parse(self, text: str) -> bytes:
        """The serialized tree of a text without regard to names and types. Raises `RejectedError`."""
        try:
            serialized: bytes = self._runner().compile(text, disable_check=True).serialize()
        except RuntimeError as error:
            raise RejectedError(_findings(error)) from None
        return serialized

    def program(self, text: str) -> Any:
        """What evaluates a text over plain maps."""
        return self._runner().compile(text)

    def _runner(self) -> Any:
        if self._running is None:
            from cel_expr_python import cel

            kind = cel.Type
            names = {ACTIVE_PATH, MESSAGE, VALUE, *self._channels, *self._predicates}
            variables = dict.fromkeys(names, kind.DYN)
            variables[ANSWERS] = kind.Map(kind.STRING, kind.DYN)
            self._running = cel.NewEnv(variables=variables)
        return self._running

    def _checker(self, text: str, graph: str, value: Shape | None) -> Any:
        from cel_expr_python import cel

        part = None if self._shards is None else self._shards.part_for(text, graph)
        key = (part, graph, _key(value))
        if key not in self._checking:
            types = self._types_of(part, graph)
            variables = {name: types.type_of(shape) for name, shape in self._channels.items()}
            variables.update({ACTIVE_PATH: cel.Type.STRING, MESSAGE: cel.Type.STRING})
            variables.update(dict.fromkeys(self._predicates, cel.Type.BOOL))
            variables[ANSWERS] = cel.Type(self._messages[graph])
            if value is not None:
                self._kept.append(value)  # an id is only unique while its owner lives
                variables[VALUE] = types.type_of(value)
            self._checking[key] = cel.NewEnv(types.pool, variables=variables)
        return self._checking[key]

    def _types_of(self, part: Part | None, graph: str) -> MessageTypes:
        """The types that a graph can speak of: the library copies all of them when an environment is first used."""
        key = (part, "" if part is not None else graph)
        if key not in self._types:
            if len(self._types) >= _KEPT:
                self._types.clear()
                self._checking.clear()
            held: Mapping[str, Mapping[str, Shape]]
            if part is None or self._shards is None:
                held = {name: self._answers[name].properties for name in sorted(reachable([graph], self._called))}
            else:
                held = self._shards.properties(part)
            self._types[key] = MessageTypes(held, self._messages)
        return self._types[key]

    def _called(self, graph: str) -> list[str]:
        return [shape.graph for shape in self._answers[graph].properties.values() if shape.graph is not None]


def _key(value: Shape | None) -> object:
    """Equal for shapes that have the same type as a variable."""
    if value is None or value.kind not in SCALARS:
        return value and id(value)
    return value.kind, value.nullable


def answer_shapes(
    answers: Mapping[str, Mapping[str, Any]], scopes: Mapping[str, str], graph: str, known: frozenset[str]
) -> Shape:
    """The shape of `answers` in one graph: its keys, and a shape without properties for every scope.

    A scope names its graph instead of holding it, because graphs may call each other in a circle.
    """
    properties = {key: shape_of(schema) for key, schema in answers.items()}
    properties.update({name: Shape("answers", graph=ref) for name, ref in scopes.items() if ref in known})
    return Shape("answers", properties=properties, graph=graph)


def channel_shapes(channels: Mapping[str, Mapping[str, Any]], paths: Collection[str]) -> dict[str, Shape]:
    """The shapes of all channels, the two that every flow has included. `paths` are those that a flow chooses from."""
    return {
        ACTIVE_PATH: Shape("text", allowed=("", *paths)) if paths else TEXT,
        MESSAGE: TEXT,
        **{name: shape_of(schema) for name, schema in channels.items()},
    }


def _findings(error: RuntimeError) -> tuple[Finding, ...]:
    text = str(error).removeprefix("INVALID_ARGUMENT: ")
    found = [Finding(int(line), int(column), said) for line, column, said in _FINDING.findall(text)]
    if not found:
        return (Finding(1, 1, text),)
    return tuple(Finding(max(f.line, 1), max(f.column, 1), f.text.removesuffix(" [INVALID_ARGUMENT]")) for f in found)
