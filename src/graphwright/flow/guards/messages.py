"""The types that the checker knows: a message for the answers of each graph, and for objects within them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from graphwright.flow.guards.names import is_answer_key
from graphwright.flow.guards.shapes import ANY, Shape

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
"""One message holds some 8,000 fields; more names than this are never put into one."""

_SHARD = 2_000
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

Part = tuple[int, frozenset[tuple[str, frozenset[int]]]]
"""How many keys a shard has; the graphs of which the answers are held, with the numbers of the shards of each."""


class Shards:
    """The answers of all graphs, cut into shards.

    Texts of neighbouring nodes mostly need the same few shards, so that they share the types made of them.
    """

    def __init__(self, answers: Mapping[str, Shape]) -> None:
        self._answers = answers
        self._keys = {graph: list(shape.properties) for graph, shape in answers.items()}
        self._places = {graph: {key: place for place, key in enumerate(keys)} for graph, keys in self._keys.items()}

    def part_for(self, text: str, graph: str) -> Part:
        """A part that holds every name a text may mean."""
        words = set(_WORD.findall(text))
        spoken = self._spoken(words, graph)
        for size in (_SHARD, 1):
            part = {place: frozenset(key // size for key in keys) for place, keys in spoken.items()}
            if all(len(shards) * size <= MOST_FIELDS for shards in part.values()):
                break
        return size, frozenset(part.items())

    def _spoken(self, words: set[str], graph: str) -> dict[str, list[int]]:
        """The keys, by their places, that these words may mean in a graph and in those it calls by them."""
        found: dict[str, list[int]] = {}
        todo = [graph]
        for place in todo:
            if place not in found:
                properties, places = self._answers[place].properties, self._places[place]
                known = [word for word in words if word in properties]
                found[place] = [places[word] for word in known]
                todo += [inner for word in known if (inner := properties[word].graph) is not None]
        return found

    def properties(self, part: Part) -> dict[str, dict[str, Shape]]:
        """The keys of a part by graph; calls of graphs that are not in it are left out."""
        size, shards_of = part
        graphs = {graph for graph, _ in shards_of}
        held: dict[str, dict[str, Shape]] = {}
        for graph, shards in shards_of:
            keys = [key for shard in shards for key in self._keys[graph][shard * size : (shard + 1) * size]]
            shapes = {key: self._answers[graph].properties[key] for key in keys}
            held[graph] = {key: shape for key, shape in shapes.items() if shape.graph is None or shape.graph in graphs}
        return held


class MessageTypes:
    """Types for the answers of some graphs, in a descriptor pool of their own."""

    def __init__(self, properties: Mapping[str, Mapping[str, Shape]], names: Mapping[str, str]) -> None:
        """`properties` are the answers of each graph, `names` the full names of their messages."""
        from google.protobuf import descriptor_pool, struct_pb2, wrappers_pb2

        self._names = names
        self._objects: dict[int, str] = {}
        self._kept: list[Shape] = []
        self.pool = descriptor_pool.DescriptorPool()
        self.pool.AddSerializedFile(wrappers_pb2.DESCRIPTOR.serialized_pb)
        self.pool.AddSerializedFile(struct_pb2.DESCRIPTOR.serialized_pb)
        file = self._new_file("graphs")
        for graph, shapes in properties.items():
            self._add_message(file, names[graph].removeprefix(f"{PACKAGE}."), shapes)
        self.pool.Add(file)

    def _new_file(self, name: str) -> Any:
        from google.protobuf import descriptor_pb2, struct_pb2, wrappers_pb2

        # proto2, because proto3 demands that foo_bar and fooBar do not meet in one message.
        needs = [wrappers_pb2.DESCRIPTOR.name, struct_pb2.DESCRIPTOR.name]
        if name != "graphs":
            needs.append("gwflow/graphs.proto")
        return descriptor_pb2.FileDescriptorProto(
            name=f"gwflow/{name}.proto", package=PACKAGE, syntax="proto2", dependency=needs
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
            if label == _REPEATED and element.kind in SCALARS and not element.nullable:
                field.type = SCALARS[element.kind][1]
            else:
                field.type, field.type_name = _MESSAGE_FIELD, "." + self._message_name(element, file)

    def _message_name(self, shape: Shape, file: Any) -> str:
        """The full name of the message type that holds one such value."""
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

    def _object(self, shape: Shape, file: Any) -> str:
        if id(shape) not in self._objects:
            name = f"O{len(self._objects)}"
            self._objects[id(shape)] = f"{PACKAGE}.{name}"
            self._kept.append(shape)  # an id is only unique while its owner lives
            self._add_message(file, name, shape.properties)
        return self._objects[id(shape)]

    def type_of(self, shape: Shape) -> Any:
        """The type of a variable that holds such values."""
        from cel_expr_python import cel

        kind = cel.Type
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
