"""Contexts from a file: the applications that experiments run in, and which sites, targets and codes each one knows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from graphwright.errors import UsageError, said

FIELDS = ("CONDITIONS", "GROUP_TYPES", "EXP_IDS", "EXP_POINTS")
"""What a context lists: condition codes, group types, targets, sites."""

ROOT = "contextMetadata"

DEFAULT = Path(__file__).with_name("contexts.yaml")
"""The contexts that come with the service."""

_EXAMPLE = f"{ROOT}: {{maths: {{CONDITIONS: [a, b], GROUP_TYPES: [], EXP_IDS: [target], EXP_POINTS: [site]}}}}"

Contexts = Mapping[str, Mapping[str, list[str]]]


def read(file: Path = DEFAULT) -> Contexts:
    """The contexts of a YAML or JSON file: `contextMetadata: {NAME: {CONDITIONS: [...], GROUP_TYPES: ..., ...}}`.

    This is also what `GET /api/experiments/contextMetaData` of any server answers. Raises UsageError, which names the
    file, the line and the field.
    """
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            "contexts", f"The contexts file {file} cannot be read: {_why(error)}.", "Name a YAML or JSON file in UTF-8."
        ) from None
    try:
        # The parser in C: the one in Python takes no tabs, which JSON may be indented with.
        root = yaml.compose(text, Loader=yaml.CSafeLoader)
    except (yaml.YAMLError, RecursionError) as error:
        raise UsageError(
            "contexts", f"{file} is not YAML: {said(error)}", "Mend the file at the place named."
        ) from None
    return _Reader(file).contexts(root)


class _Reader:
    def __init__(self, file: Path) -> None:
        self._file = file

    def contexts(self, root: Any) -> Contexts:
        if root is None:
            raise self._error(None, "the file is empty")
        names = self._mapping(root, "the file")
        if ROOT not in names:
            raise self._error(root, f"`{ROOT}` is missing")
        for name, (key, _) in names.items():
            if name != ROOT:
                raise self._error(key, f"`{name}` is not known here; the file holds `{ROOT}` alone")
        found = self._mapping(names[ROOT][1], f"`{ROOT}`")
        if not found:
            raise self._error(names[ROOT][0], f"`{ROOT}` names no context")
        return {name: self._context(name, key, value) for name, (key, value) in found.items()}

    def _context(self, name: str, key: Any, value: Any) -> dict[str, list[str]]:
        # Experiments keep their context in lower case: one with capitals could never be met again.
        if not name.strip() or name != name.lower():
            raise self._error(key, f"the context `{name}` must be a name in lower case")
        fields = self._mapping(value, f"the context `{name}`")
        for field, (place, _) in fields.items():
            if field not in FIELDS:
                raise self._error(place, f"the context `{name}` has an unknown field `{field}`")
        missing = [field for field in FIELDS if field not in fields]
        if missing:
            raise self._error(key, f"the context `{name}` lacks `{missing[0]}`")
        return {field: self._texts(fields[field][1], f"`{field}` of the context `{name}`") for field in FIELDS}

    def _mapping(self, node: Any, what: str) -> dict[str, tuple[Any, Any]]:
        if not isinstance(node, yaml.MappingNode):
            raise self._error(node, f"{what} must be a mapping")
        found: dict[str, tuple[Any, Any]] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise self._error(key, f"a name in {what} must be a text")
            if key.value in found:
                raise self._error(key, f"`{key.value}` stands twice in {what}")
            found[key.value] = (key, value)
        return found

    def _texts(self, node: Any, what: str) -> list[str]:
        if not isinstance(node, yaml.SequenceNode):
            raise self._error(node, f"{what} must be a list")
        for item in node.value:
            # A code is a text even where it looks like a number or a yes: what stands in the file is taken as it is.
            if not isinstance(item, yaml.ScalarNode) or not item.value.strip():
                raise self._error(item, f"{what} must hold texts that are not empty")
        return [item.value for item in node.value]

    def _error(self, node: Any, problem: str) -> UsageError:
        place = f"{self._file}:{node.start_mark.line + 1}" if node is not None else str(self._file)
        return UsageError("contexts", f"{place}: {problem}.", f"The file looks like this: {_EXAMPLE}")


def _why(error: OSError | UnicodeDecodeError) -> str:
    return "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else error.strerror or type(error).__name__
