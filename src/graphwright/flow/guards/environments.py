"""The CEL environments: one that knows every type and checks, one of plain maps that evaluates."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graphwright.flow.guards.names import (
    ACTIVE_PATH,
    ANSWERS,
    MESSAGE,
    VALUE,
    is_answer_key,
    is_variable,
)
from graphwright.flow.guards.shapes import ANY, TEXT, Shape, shape_of

_PACKAGE = "gwflow"
_GRAPH = re.compile(rf"{_PACKAGE}\.G(\d+)")
_WELL_KNOWN = "google.protobuf."
_WRAPPERS = {
    "text": "StringValue",
    "integer": "Int64Value",
    "number": "DoubleValue",
    "boolean": "BoolValue",
}
_SCALARS = {"text": ("STRING", 9), "integer": ("INT", 3), "number": ("DOUBLE", 1), "boolean": ("BOOL", 8)}
_MESSAGE_FIELD, _OPTIONAL, _REPEATED = 11, 1, 3

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
        self._graphs = {graph: number for number, graph in enumerate(answers)}
        self._objects: dict[int, str] = {}
        self._kept: list[Shape] = []
        self._pool: Any = None
        self._channel_types: dict[str, Any] = {}
        self._checking: dict[tuple[str, object], Any] = {}
        self._running: Any = None

    def graph_of(self, message: str) -> str | None:
        """The graph whose answers a type name in a finding stands for, or None when it is another object."""
        found = _GRAPH.fullmatch(message)
        return list(self._graphs)[int(found[1])] if found else None

    def check(self, text: str, graph: str, value: Shape | None = None) -> tuple[str, bytes]:
        """Type-checks a text and gives its result type with the serialized tree. Raises `RejectedError`."""
        environment = self._checker(graph, value)
        try:
            expression = environment.compile(text)
        except RuntimeError as error:
            raise RejectedError(_findings(error)) from None
        return str(expression.return_type()), expression.serialize()

    def parse(self, text: str, graph: str) -> bytes:
        """The serialized tree of a text without regard to types. Raises `RejectedError`."""
        try:
            serialized: bytes = self._checker(graph, None).compile(text, disable_check=True).serialize()
        except RuntimeError as error:
            raise RejectedError(_findings(error)) from None
        return serialized

    def program(self, text: str) -> Any:
        """What evaluates a text over plain maps."""
        if self._running is None:
            from cel_expr_python import cel

            kind = cel.Type
            names = {ACTIVE_PATH, MESSAGE, VALUE, *self._channels, *self._predicates}
            variables = dict.fromkeys(names, kind.DYN)
            variables[ANSWERS] = kind.Map(kind.STRING, kind.DYN)
            self._running = cel.NewEnv(variables=variables)
        return self._running.compile(text)

    def _checker(self, graph: str, value: Shape | None) -> Any:
        from cel_expr_python import cel

        if self._pool is None:
            self._build_pool()
        key = (graph, _key(value))
        if key not in self._checking:
            variables = {ACTIVE_PATH: cel.Type.STRING, MESSAGE: cel.Type.STRING, **self._channel_types}
            variables.update(dict.fromkeys(self._predicates, cel.Type.BOOL))
            variables[ANSWERS] = cel.Type(f"{_PACKAGE}.G{self._graphs[graph]}")
            if value is not None:
                self._kept.append(value)
                variables[VALUE] = self._type(value)
            self._checking[key] = cel.NewEnv(self._pool, variables=variables)
        return self._checking[key]

    def _build_pool(self) -> None:
        from google.protobuf import descriptor_pool, struct_pb2, wrappers_pb2

        pool = descriptor_pool.DescriptorPool()
        pool.AddSerializedFile(wrappers_pb2.DESCRIPTOR.serialized_pb)
        pool.AddSerializedFile(struct_pb2.DESCRIPTOR.serialized_pb)
        file = self._new_file("graphs")
        for graph, number in self._graphs.items():
            self._add_message(file, f"G{number}", self._answers[graph].properties)
        pool.Add(file)
        self._pool = pool
        self._channel_types = {name: self._type(shape) for name, shape in self._channels.items()}

    def _new_file(self, name: str) -> Any:
        from google.protobuf import descriptor_pb2, struct_pb2, wrappers_pb2

        # proto2, because proto3 demands that foo_bar and fooBar do not meet in one message.
        needs = [wrappers_pb2.DESCRIPTOR.name, struct_pb2.DESCRIPTOR.name]
        if name != "graphs":
            needs.append("gwflow/graphs.proto")
        return descriptor_pb2.FileDescriptorProto(
            name=f"gwflow/{name}.proto", package=_PACKAGE, syntax="proto2", dependency=needs
        )

    def _add_message(self, file: Any, name: str, properties: Mapping[str, Shape]) -> None:
        message = file.message_type.add(name=name)
        for number, (key, shape) in enumerate(properties.items(), 1):
            if not is_answer_key(key):
                continue
            # Field numbers 19000 to 19999 are not ours to give.
            number += 1000 if number >= 19000 else 0
            label = _REPEATED if shape.kind == "list" and not shape.nullable else _OPTIONAL
            field = message.field.add(name=key, number=number, label=label, json_name=f"f{number}")
            element = (shape.items or ANY) if label == _REPEATED else shape
            if label == _REPEATED and element.kind in _SCALARS and not element.nullable:
                field.type = _SCALARS[element.kind][1]
            else:
                field.type, field.type_name = _MESSAGE_FIELD, "." + self._message_name(element, file)

    def _message_name(self, shape: Shape, file: Any) -> str:
        """The full name of the message type that holds one such value."""
        if shape.kind in _WRAPPERS:
            return _WELL_KNOWN + _WRAPPERS[shape.kind]
        if shape.kind == "answers" and shape.graph in self._graphs:
            return f"{_PACKAGE}.G{self._graphs[shape.graph]}"
        if shape.kind == "object" and shape.properties:
            return self._object(shape, file)
        if shape.kind == "object" and not shape.nullable:
            return _WELL_KNOWN + "Struct"
        if shape.kind == "list" and not shape.nullable:
            return _WELL_KNOWN + "ListValue"
        return _WELL_KNOWN + "Value"

    def _object(self, shape: Shape, file: Any) -> str:
        if id(shape) not in self._objects:
            name = f"O{len(self._objects)}"
            self._objects[id(shape)] = f"{_PACKAGE}.{name}"
            self._kept.append(shape)  # an id is only unique while its owner lives
            self._add_message(file, name, shape.properties)
        return self._objects[id(shape)]

    def _type(self, shape: Shape) -> Any:
        """The type of a variable that holds such values."""
        from cel_expr_python import cel

        kind = cel.Type
        if shape.kind in _SCALARS:
            scalar = getattr(kind, _SCALARS[shape.kind][0])
            return kind(_WELL_KNOWN + _WRAPPERS[shape.kind]) if shape.nullable else scalar
        if shape.kind == "list" and not shape.nullable:
            return kind.List(self._type(shape.items or ANY))
        if shape.kind == "object" and shape.properties:
            file = self._new_file(f"object{len(self._objects)}")
            name = self._object(shape, file)
            if file.message_type:
                self._pool.Add(file)
            return kind(name)
        if shape.kind == "object" and not shape.nullable:
            return kind.Map(kind.STRING, kind.DYN)
        return kind.DYN


def _key(value: Shape | None) -> object:
    """Equal for shapes that have the same type as a variable."""
    if value is None or value.kind not in _SCALARS:
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


def channel_shapes(channels: Mapping[str, Mapping[str, Any]]) -> dict[str, Shape]:
    """The shapes of all channels, the two that every flow has included."""
    return {
        ACTIVE_PATH: TEXT,
        MESSAGE: TEXT,
        **{name: shape_of(schema) for name, schema in channels.items()},
    }


def _findings(error: RuntimeError) -> tuple[Finding, ...]:
    text = str(error).removeprefix("INVALID_ARGUMENT: ")
    found = [Finding(int(line), int(column), said) for line, column, said in _FINDING.findall(text)]
    if not found:
        return (Finding(1, 1, text),)
    return tuple(Finding(max(f.line, 1), max(f.column, 1), f.text.removesuffix(" [INVALID_ARGUMENT]")) for f in found)
