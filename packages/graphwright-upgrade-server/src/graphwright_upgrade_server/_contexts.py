"""Contexts from a file: the applications of experiments, and the known sites, targets and codes of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from graphwright_upgrade_server.failures import ServiceError, exception_text

FIELDS = ("CONDITIONS", "GROUP_TYPES", "EXP_IDS", "EXP_POINTS")
"""The fields of a context: condition codes, group types, targets, sites."""

ROOT = "contextMetadata"

DEFAULT = Path(__file__).with_name("contexts.yaml")
"""The contexts of the package."""

MAX_BYTES = 1024 * 1024
"""The maximum size of a file, in bytes."""

_MAX_DEPTH = 20
_MAX_VALUES = 200_000
_LONGEST = 100
_EXAMPLE = f"{ROOT}: {{maths: {{CONDITIONS: [a, b], GROUP_TYPES: [], EXP_IDS: [target], EXP_POINTS: [site]}}}}"

Contexts = Mapping[str, Mapping[str, list[str]]]


def read(file: Path = DEFAULT) -> Contexts:
    """The contexts of a YAML or JSON file: `contextMetadata: {NAME: {CONDITIONS: [...], GROUP_TYPES: ..., ...}}`.

    The answer of any server to `GET /api/experiments/contextMetaData` has the same form. Names and codes are texts as
    written (`007`, `no`). Raises ServiceError, which names the file, the line and the field.
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


def _parsed(content: bytes) -> Any:
    """The root of the YAML document. Scalars are texts as written, whatever types YAML gives them."""
    if len(content) > MAX_BYTES:
        raise _Wrong(1, f"the file has more than {MAX_BYTES // 1024} KiB")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _Wrong(1, "the file is not UTF-8") from None
    # YAML can read JSON, except tabs between its parts. JSON texts do not contain tabs.
    text = text.expandtabs() if text.lstrip().startswith("{") else text
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        _bounded(yaml.parse(text, Loader=loader))
        root = yaml.compose(text, Loader=loader)
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        why = str(getattr(error, "problem", None) or exception_text(error))[:_LONGEST]
        raise _Wrong(mark.line + 1 if mark else 1, f"it is not valid YAML: {why}") from None
    if root is None:
        raise _Wrong(1, "the file is empty")
    return root


def _bounded(events: Iterable[Any]) -> None:
    """Reject documents that would take too long to parse: aliases, deep nesting, too many values."""
    depth = values = 0
    for event in events:
        line = event.start_mark.line + 1
        if isinstance(event, yaml.AliasEvent):
            raise _Wrong(line, f"the alias `*{str(event.anchor)[:_LONGEST]}` is not read; write its value out")
        values += isinstance(event, yaml.NodeEvent)
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _MAX_DEPTH:
            raise _Wrong(line, f"mappings and lists nest more than {_MAX_DEPTH} deep")
        if values > _MAX_VALUES:
            raise _Wrong(line, f"the file holds more than {_MAX_VALUES:,} values")


def _contexts(root: Any) -> Contexts:
    data = _mapping(root, 1, "the file")
    if ROOT not in data:
        raise _Wrong(1, f"`{ROOT}` is missing")
    for name, (line, _) in data.items():
        if name != ROOT:
            raise _Wrong(line, f"{_named(name)} is not known here; the file holds `{ROOT}` alone")
    line, node = data[ROOT]
    found = _mapping(node, line, f"`{ROOT}`")
    if not found:
        raise _Wrong(line, f"`{ROOT}` names no context")
    return {name: _context(name, *entry) for name, entry in found.items()}


def _context(name: str, line: int, node: Any) -> dict[str, list[str]]:
    # Experiments store their context in lower case, so that a name with capitals would never match.
    if not name.strip() or name != name.lower():
        raise _Wrong(line, f"the context {_named(name)} must be a name in lower case")
    fields = _mapping(node, line, f"the context {_named(name)}")
    for field, (at, _) in fields.items():
        if field not in FIELDS:
            raise _Wrong(at, f"the context {_named(name)} has an unknown field {_named(field)}")
    for field in FIELDS:
        if field not in fields:
            raise _Wrong(line, f"the context {_named(name)} lacks `{field}`")
    return {field: _texts(*fields[field], f"`{field}` of the context {_named(name)}") for field in FIELDS}


def _mapping(node: Any, line: int, what: str) -> dict[str, tuple[int, Any]]:
    """The values of a mapping by key, each with the line of the key, because the value may be on a later line."""
    if not isinstance(node, yaml.MappingNode):
        raise _Wrong(line, f"{what} must be a mapping")
    found: dict[str, tuple[int, Any]] = {}
    for key, value in node.value:
        at = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode):
            raise _Wrong(at, "a key must be a text")
        if key.value in found:
            raise _Wrong(at, f"the key {_named(key.value)} is there a second time")
        found[key.value] = (at, value)
    return found


def _texts(line: int, node: Any, what: str) -> list[str]:
    if not isinstance(node, yaml.SequenceNode):
        raise _Wrong(line, f"{what} must be a list")
    for item in node.value:
        if not isinstance(item, yaml.ScalarNode) or not item.value.strip():
            raise _Wrong(item.start_mark.line + 1, f"{what} must hold texts that are not empty")
    return [item.value for item in node.value]


def _named(name: str) -> str:
    return f"`{name if len(name) <= _LONGEST else name[:_LONGEST] + '…'}`"
