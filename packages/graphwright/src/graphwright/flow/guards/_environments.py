"""The CEL environments: one with all types checks expressions, one of plain maps evaluates them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from graphwright.flow._graph_algorithms import reachable
from graphwright.flow.guards.__dates import declarations
from graphwright.flow.guards._value_types import ANY, MOMENT, TEXT, ValueType, type_of_schema
from graphwright.flow.guards._vocabulary import ACTIVE_PATH, ANSWERS, MESSAGE, NOW, VALUE, is_answer_key, is_variable

PACKAGE = "gwflow"

_WELL_KNOWN = "google.protobuf."
_WRAPPERS = {
    "text": "StringValue",
    "integer": "Int64Value",
    "number": "DoubleValue",
    "boolean": "BoolValue",
}
SCALARS = {"text": ("STRING", 9), "integer": ("INT", 3), "number": ("DOUBLE", 1), "boolean": ("BOOL", 8)}
_MESSAGE_FIELD, _OPTIONAL, _REPEATED = 11, 1, 3


MOST_FIELDS = 6_000
"""The maximum number of answers in a scope. One message can have about 8,000 fields."""


class MessageTypes:
    """Types for the answers of some graphs, in a separate descriptor pool."""

    def __init__(self, properties: Mapping[str, Mapping[str, ValueType]], names: Mapping[str, str]) -> None:
        """`properties` are the answers of each graph, `names` the full names of their messages."""
        from google.protobuf import descriptor_pool, struct_pb2, wrappers_pb2

        self._names = names
        self._objects: dict[int, str] = {}
        self._kept: list[ValueType] = []
        self.pool = descriptor_pool.DescriptorPool()
        self.pool.AddSerializedFile(wrappers_pb2.DESCRIPTOR.serialized_pb)
        self.pool.AddSerializedFile(struct_pb2.DESCRIPTOR.serialized_pb)
        file = self._new_file("graphs")
        for graph, shapes in properties.items():
            self._add_message(file, names[graph].removeprefix(f"{PACKAGE}."), shapes)
        self.pool.Add(file)

    def _new_file(self, name: str) -> Any:
        from google.protobuf import descriptor_pb2, struct_pb2, wrappers_pb2

        # proto2, because proto3 rejects a message with both foo_bar and fooBar.
        needs = [wrappers_pb2.DESCRIPTOR.name, struct_pb2.DESCRIPTOR.name]
        if name != "graphs":
            needs.append("gwflow/graphs.proto")
        return descriptor_pb2.FileDescriptorProto(
            name=f"gwflow/{name}.proto", package=PACKAGE, syntax="proto2", dependency=needs
        )

    def _add_message(self, file: Any, name: str, properties: Mapping[str, ValueType]) -> None:
        message = file.message_type.add(name=name)
        for number, (key, shape) in enumerate(properties.items(), 1):
            if not is_answer_key(key):
                continue
            # Field numbers 19000 to 19999 are reserved by Protocol Buffers.
            number += 1000 if number >= 19000 else 0
            label = _REPEATED if shape.kind == "list" and not shape.nullable else _OPTIONAL
            field = message.field.add(name=key, number=number, label=label, json_name=f"f{number}")
            element = (shape.items or ANY) if label == _REPEATED else shape
            if label == _REPEATED and element.kind in SCALARS and not element.nullable:
                field.type = SCALARS[element.kind][1]
            else:
                field.type, field.type_name = _MESSAGE_FIELD, "." + self._message_name(element, file)

    def _message_name(self, shape: ValueType, file: Any) -> str:
        """The full name of the message type of one such value."""
        if shape.kind in _WRAPPERS:
            return _WELL_KNOWN + _WRAPPERS[shape.kind]
        if shape.graph is not None:
            return self._names[shape.graph]
        if shape.kind == "object" and 0 < len(shape.properties) <= MOST_FIELDS:
            return self._object(shape, file)
        if shape.kind == "object" and not shape.nullable:
            return _WELL_KNOWN + "Struct"
        if shape.kind == "list" and not shape.nullable:
            return _WELL_KNOWN + "ListValue"
        return _WELL_KNOWN + "Value"

    def _object(self, shape: ValueType, file: Any) -> str:
        if id(shape) not in self._objects:
            name = f"O{len(self._objects)}"
            self._objects[id(shape)] = f"{PACKAGE}.{name}"
            self._kept.append(shape)  # an id is unique only during the lifetime of its object
            self._add_message(file, name, shape.properties)
        return self._objects[id(shape)]

    def type_of(self, shape: ValueType) -> Any:
        """The type of a variable with such values."""
        from cel_expr_python import cel

        kind = cel.Type
        if shape.kind == "moment":
            return kind.TIMESTAMP
        if shape.kind in SCALARS:
            scalar = getattr(kind, SCALARS[shape.kind][0])
            return kind(_WELL_KNOWN + _WRAPPERS[shape.kind]) if shape.nullable else scalar
        if shape.kind == "list" and not shape.nullable:
            return kind.List(self.type_of(shape.items or ANY))
        if shape.kind == "object" and 0 < len(shape.properties) <= MOST_FIELDS:
            file = self._new_file(f"object{len(self._objects)}")
            name = self._object(shape, file)
            if file.message_type:
                self.pool.Add(file)
            return kind(name)
        if shape.kind == "object" and not shape.nullable:
            return kind.Map(kind.STRING, kind.DYN)
        return kind.DYN


_GRAPH = re.compile(rf"{PACKAGE}\.G(\d+)")
_CACHE_SIZE = 64
"""The maximum number of cached sets of types."""

_FINDING = re.compile(r"^ERROR: <input>:(-?\d+):(-?\d+): (.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding of the CEL library, in its own words. Line and column count from 1."""

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
    """Builds and caches the environments of one flow. Each is built at its first use."""

    def __init__(
        self,
        answers: Mapping[str, ValueType],
        channels: Mapping[str, ValueType],
        predicates: frozenset[str],
    ) -> None:
        self._answers = answers
        self._channels = {name: shape for name, shape in channels.items() if is_variable(name)}
        self._predicates = frozenset(name for name in predicates if is_variable(name))
        self._messages = {graph: f"{PACKAGE}.G{number}" for number, graph in enumerate(answers)}
        self._graphs = {message: graph for graph, message in self._messages.items()}
        self._types: dict[str, MessageTypes] = {}
        self._checking: dict[tuple[str, object], Any] = {}
        self._kept: list[ValueType] = []
        self._running: Any = None

    def graph_of(self, message: str) -> str | None:
        """The graph whose answers a type name in a finding denotes, or None for another object."""
        return self._graphs.get(message)

    def check(self, text: str, graph: str, value: ValueType | None = None) -> tuple[str, bytes]:
        """Type-check a text. Returns its result type and the serialized tree. Raises `RejectedError`."""
        environment = self._checker(graph, value)
        try:
            expression = environment.compile(text)
        except RuntimeError as error:
            raise RejectedError(_findings(error)) from None
        return str(expression.return_type()), expression.serialize()

    def parse(self, text: str) -> bytes:
        """The serialized tree of a text, without checks of names and types. Raises `RejectedError`."""
        try:
            serialized: bytes = self._runner().compile(text, disable_check=True).serialize()
        except RuntimeError as error:
            raise RejectedError(_findings(error)) from None
        return serialized

    def program(self, text: str) -> Any:
        """The program that evaluates a text over plain maps."""
        return self._runner().compile(text)

    def _runner(self) -> Any:
        if self._running is None:
            from cel_expr_python import cel

            kind = cel.Type
            names = {ACTIVE_PATH, MESSAGE, VALUE, *self._channels, *self._predicates}
            variables = dict.fromkeys(names, kind.DYN)
            variables[ANSWERS] = kind.Map(kind.STRING, kind.DYN)
            variables[NOW] = kind.TIMESTAMP
            self._running = cel.NewEnv(variables=variables, functions=declarations())
        return self._running

    def _checker(self, graph: str, value: ValueType | None) -> Any:
        from cel_expr_python import cel

        key = (graph, _key(value))
        if key not in self._checking:
            types = self._types_of(graph)
            variables = {name: types.type_of(shape) for name, shape in self._channels.items()}
            variables.update({ACTIVE_PATH: cel.Type.STRING, MESSAGE: cel.Type.STRING, NOW: cel.Type.TIMESTAMP})
            variables.update(dict.fromkeys(self._predicates, cel.Type.BOOL))
            variables[ANSWERS] = cel.Type(self._messages[graph])
            if value is not None:
                self._kept.append(value)  # an id is unique only during the lifetime of its object
                variables[VALUE] = types.type_of(value)
            self._checking[key] = cel.NewEnv(types.pool, variables=variables, functions=declarations())
        return self._checking[key]

    def _types_of(self, graph: str) -> MessageTypes:
        """The types that a graph can refer to. The library copies all of them at the first use of an environment."""
        if graph not in self._types:
            if len(self._types) >= _CACHE_SIZE:
                self._types.clear()
                self._checking.clear()
            held = {name: self._answers[name].properties for name in sorted(reachable([graph], self._called))}
            self._types[graph] = MessageTypes(held, self._messages)
        return self._types[graph]

    def _called(self, graph: str) -> list[str]:
        return [shape.graph for shape in self._answers[graph].properties.values() if shape.graph is not None]


def _key(value: ValueType | None) -> object:
    """A key that is equal for shapes that have the same type as a variable."""
    if value is None or value.kind not in SCALARS:
        return value and id(value)
    return value.kind, value.nullable


def answer_types(
    answers: Mapping[str, Mapping[str, Any]], scopes: Mapping[str, str], graph: str, known: frozenset[str]
) -> ValueType:
    """The type of `answers` in one graph: its keys, and a type without properties for every scope.

    A scope names its graph instead of containing it, because graphs may call each other recursively.
    """
    properties = {key: type_of_schema(schema) for key, schema in answers.items()}
    properties.update({name: ValueType("answers", graph=ref) for name, ref in scopes.items() if ref in known})
    return ValueType("answers", properties=properties, graph=graph)


def channel_types(channels: Mapping[str, Mapping[str, Any]], paths: Collection[str]) -> dict[str, ValueType]:
    """The types of all channels, including the three that every flow has. `paths` are the ids of a flow's paths."""
    return {
        ACTIVE_PATH: ValueType("text", allowed=("", *paths)) if paths else TEXT,
        MESSAGE: TEXT,
        NOW: MOMENT,
        **{name: type_of_schema(schema) for name, schema in channels.items()},
    }


def _findings(error: RuntimeError) -> tuple[Finding, ...]:
    text = str(error).removeprefix("INVALID_ARGUMENT: ")
    found = [Finding(int(line), int(column), said) for line, column, said in _FINDING.findall(text)]
    if not found:
        return (Finding(1, 1, text),)
    return tuple(Finding(max(f.line, 1), max(f.column, 1), f.text.removesuffix(" [INVALID_ARGUMENT]")) for f in found)
