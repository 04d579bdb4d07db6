"""Ready-made actions: their compiled parameters from the `with` of a node, and the names that they read and write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from graphwright.flow._draft import DraftNode
from graphwright.flow._source import Path
from graphwright.flow.compiled import Action, ActionSignature
from graphwright.flow.guards import Template
from graphwright.flow.guards._templates import Parameters
from graphwright.flow.guards._vocabulary import NOW, words

WITH = "with"

TEMPLATED: Mapping[str, frozenset[str]] = {
    "ask_model": words("instruction inputs"),
    "call_tool": words("arguments"),
    "http_request": words("url headers body"),
    "record": words("value"),
    "hand_over": words("to summary say"),
    "say": words("text"),
}
"""The ready-made actions, and their parameters whose texts may contain `{{ CEL }}`, also inside lists and objects."""

TEXTS = frozenset({"url", "headers"})
"""The parameters whose expressions must be texts, numbers or flags."""

SAFE_METHODS = ("GET", "HEAD")
"""The methods of HTTP that change nothing."""

_REPEATABLE_METHODS = (*SAFE_METHODS, "PUT", "DELETE")


def texts_in(node: DraftNode) -> Iterator[tuple[Path, str]]:
    """The texts with expressions in the parameters of a ready-made action, and their places in the document."""
    for name in TEMPLATED[node.data["run"]] & node.parameters.keys():
        yield from _texts((*node.path, WITH, name), node.parameters[name])


def compiled_parameters(node: DraftNode, templates: Mapping[Path, Template]) -> Parameters:
    """The parameters of a ready-made action, with its compiled templates by their places."""

    def compiled(path: Path, value: Any) -> Any:
        if path in templates:
            return templates[path]
        if isinstance(value, dict):
            return {name: compiled((*path, name), part) for name, part in value.items()}
        return (
            [compiled((*path, place), part) for place, part in enumerate(value)] if isinstance(value, list) else value
        )

    return Parameters({name: compiled((*node.path, WITH, name), value) for name, value in node.parameters.items()})


def signature_from(node: DraftNode, templates: Mapping[Path, Template]) -> ActionSignature:
    """Return the names that a ready-made action reads and writes, computed from its parameters."""
    own = [templates[path] for path, _ in texts_in(node) if path in templates]
    # A date with an offset is converted to the time zone of the turn.
    dated = {NOW} if any("dateTime" in template.text for template in own) else set()
    reads = sorted(dated.union(*(template.reads for template in own)))
    into = node.parameters.get("into")
    writes = (into,) if isinstance(into, str) else ()
    effects = has_effects(node.parameters, node.data["run"])
    return ActionSignature(node.id, tuple(reads), writes, effects=effects, always=frozenset(writes))


def has_effects(parameters: Mapping[str, Any], run: str) -> bool:
    """Whether a ready-made action changes more than the channel that it writes."""
    match run:
        case "ask_model" | "say":
            return False
        case "call_tool":
            return parameters.get("read_only") is not True
        case "http_request":
            return parameters.get("method", "GET") not in SAFE_METHODS
    return True


def is_repeatable(node: Action) -> bool:
    """Whether doing it twice under one idempotency key has the effect of doing it once."""
    assert node.parameters is not None
    parameters = node.parameters.values
    if node.run == "http_request":
        return parameters.get("method", "GET") in _REPEATABLE_METHODS
    return node.run != "call_tool" or not has_effects(parameters, node.run)


def _texts(path: Path, value: Any) -> Iterator[tuple[Path, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for name, part in value.items():
            yield from _texts((*path, name), part)
    elif isinstance(value, list):
        for place, part in enumerate(value):
            yield from _texts((*path, place), part)
