"""Contexts from a file: the applications that experiments run in, and which sites, targets and codes each one knows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from graphwright_upgrade_server.failures import ServiceError, said

FIELDS = ("CONDITIONS", "GROUP_TYPES", "EXP_IDS", "EXP_POINTS")
"""What a context lists: condition codes, group types, targets, sites."""

ROOT = "contextMetadata"

DEFAULT = Path(__file__).with_name("contexts.yaml")
"""The contexts that come with the service."""

MAX_BYTES = 1024 * 1024
"""The largest file that is read."""

_MAX_DEPTH = 20
_MAX_VALUES = 200_000
_LONGEST = 100
_EXAMPLE = f"{ROOT}: {{maths: {{CONDITIONS: [a, b], GROUP_TYPES: [], EXP_IDS: [target], EXP_POINTS: [site]}}}}"

Contexts = Mapping[str, Mapping[str, list[str]]]


def read(file: Path = DEFAULT) -> Contexts:
    """The contexts of a YAML or JSON file: `contextMetadata: {NAME: {CONDITIONS: [...], GROUP_TYPES: ..., ...}}`.

    This is also what `GET /api/experiments/contextMetaData` of any server answers. Names and codes are texts as they
    stand there (`007`, `no`). Raises ServiceError, which names the file, the line and the field.
    """
    try:
        with file.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise ServiceError(
            "contexts", f"The contexts file {file} cannot be read: {why}.", "Name a YAML or JSON file in UTF-8."
        ) from None
    try:
        return _contexts(_parsed(content))
    except _Wrong as wrong:
        raise ServiceError(
            "contexts", f"{file}:{wrong.line}: {wrong.problem}.", f"The file looks like this: {_EXAMPLE}"
        ) from None


class _Wrong(Exception):
    def __init__(self, line: int, problem: str) -> None:
        self.line = line
        self.problem = problem


@dataclass(frozen=True, slots=True)
class _Node:
    """A value of the file: a text as it stands there, a list of nodes, or nodes by key; and its line, from 1."""

    value: str | list[_Node] | dict[str, _Node]
    line: int


def _parsed(content: bytes) -> _Node:
    if len(content) > MAX_BYTES:
        raise _Wrong(1, f"the file has more than {MAX_BYTES // 1024} KiB")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _Wrong(1, "the file is not UTF-8") from None
    # YAML reads JSON, but for tabs between its parts. Inside its texts JSON has none.
    return _Reader(text.expandtabs() if text.lstrip().startswith("{") else text).read()


def _why(error: Exception) -> str:
    return str(getattr(error, "problem", None) or said(error))[:_LONGEST]


class _Reader:
    """Reads one YAML document from its events, within bounds: no aliases, no deep nesting, no endless lists."""

    def __init__(self, text: str) -> None:
        self._events = yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        self._values = 0

    def read(self) -> _Node:
        try:
            event = next(self._events)
            while isinstance(event, yaml.StreamStartEvent | yaml.DocumentStartEvent):
                event = next(self._events)
            if isinstance(event, yaml.StreamEndEvent):
                raise _Wrong(1, "the file is empty")
            return self._node(event, 0)
        except (yaml.YAMLError, RecursionError) as error:
            mark = getattr(error, "problem_mark", None)
            raise _Wrong(mark.line + 1 if mark else 1, f"it is not valid YAML: {_why(error)}") from None

    def _node(self, event: Any, depth: int) -> _Node:
        line = event.start_mark.line + 1
        self._values += 1
        if depth > _MAX_DEPTH:
            raise _Wrong(line, f"mappings and lists nest more than {_MAX_DEPTH} deep")
        if self._values > _MAX_VALUES:
            raise _Wrong(line, f"the file holds more than {_MAX_VALUES:,} values")
        if isinstance(event, yaml.AliasEvent):
            raise _Wrong(line, f"the alias `*{str(event.anchor)[:_LONGEST]}` is not read; write out what it stands for")
        if isinstance(event, yaml.SequenceStartEvent):
            items = []
            while not isinstance(item := next(self._events), yaml.SequenceEndEvent):
                items.append(self._node(item, depth + 1))
            return _Node(items, line)
        if isinstance(event, yaml.MappingStartEvent):
            return _Node(self._mapping(depth), line)
        return _Node(event.value, line)

    def _mapping(self, depth: int) -> dict[str, _Node]:
        found: dict[str, _Node] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            key = self._node(event, depth + 1)
            if not isinstance(key.value, str):
                raise _Wrong(key.line, "a key must be a text")
            if key.value in found:
                raise _Wrong(key.line, f"the key {_named(key.value)} stands there a second time")
            # A line that is wrong is that of the key: the value may be somewhere below it.
            found[key.value] = _Node(self._node(next(self._events), depth + 1).value, key.line)
        return found


def _contexts(root: _Node) -> Contexts:
    data = _mapping(root, "the file")
    if ROOT not in data:
        raise _Wrong(root.line, f"`{ROOT}` is missing")
    for name, node in data.items():
        if name != ROOT:
            raise _Wrong(node.line, f"{_named(name)} is not known here; the file holds `{ROOT}` alone")
    found = _mapping(data[ROOT], f"`{ROOT}`")
    if not found:
        raise _Wrong(data[ROOT].line, f"`{ROOT}` names no context")
    return {name: _context(name, node) for name, node in found.items()}


def _context(name: str, node: _Node) -> dict[str, list[str]]:
    # Experiments keep their context in lower case: one with capitals could never be met again.
    if not name.strip() or name != name.lower():
        raise _Wrong(node.line, f"the context {_named(name)} must be a name in lower case")
    fields = _mapping(node, f"the context {_named(name)}")
    for field, value in fields.items():
        if field not in FIELDS:
            raise _Wrong(value.line, f"the context {_named(name)} has an unknown field {_named(field)}")
    for field in FIELDS:
        if field not in fields:
            raise _Wrong(node.line, f"the context {_named(name)} lacks `{field}`")
    return {field: _texts(fields[field], f"`{field}` of the context {_named(name)}") for field in FIELDS}


def _mapping(node: _Node, what: str) -> dict[str, _Node]:
    if not isinstance(node.value, dict):
        raise _Wrong(node.line, f"{what} must be a mapping")
    return node.value


def _texts(node: _Node, what: str) -> list[str]:
    if not isinstance(node.value, list):
        raise _Wrong(node.line, f"{what} must be a list")
    texts = []
    for item in node.value:
        if not isinstance(item.value, str) or not item.value.strip():
            raise _Wrong(item.line, f"{what} must hold texts that are not empty")
        texts.append(item.value)
    return texts


def _named(name: str) -> str:
    return f"`{name if len(name) <= _LONGEST else name[:_LONGEST] + '…'}`"
