"""How the values of two layers become one: a strategy for every field of the document, with defaults."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from graphwright.flow._json_schemas import SCHEMA_KEYWORDS


class Strategy(StrEnum):
    """The treatment of a field that two layers set to different values. The higher layer is the one that extends."""

    OVERRIDE = "override"
    """The value of the higher layer replaces the other one."""
    DEEP_MERGE = "deep_merge"
    """Mappings are merged key by key, lists as with `append`; any other value is replaced."""
    APPEND = "append"
    """A list gets the items that it does not have yet; a condition gets the other one by `&&`."""
    CONCAT = "concat"
    """A text or list is followed by that of the higher layer."""
    ERROR = "error"
    """A conflict. The value of the higher layer replaces the other one, unless the merge is strict."""


IDENTITY = "identity"
"""The mark of a field that identifies its record, and is therefore the same in all layers."""

_OVERRIDE, _DEEP, _APPEND, _ERROR = Strategy.OVERRIDE, Strategy.DEEP_MERGE, Strategy.APPEND, Strategy.ERROR
_LOOKS = {"label": _OVERRIDE, "tags": _APPEND, "ui": _DEEP}
_GRAPH = {"entry": _OVERRIDE, "nodes": _DEEP, "edges": _DEEP, "title": _OVERRIDE, "ui": _DEEP}

DEFAULTS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "document": {
            **_GRAPH,
            "version": _ERROR,
            **dict.fromkeys(
                ("id", "description", "examples", "restart", "on_change", "max_actions", "shadow"), _OVERRIDE
            ),
            **dict.fromkeys(("on_stuck", "on_escalate", "on_abandon", "status", "language"), _OVERRIDE),
            "deterministic": _OVERRIDE,
            "assurances": _APPEND,
            **dict.fromkeys(("state", "predicates", "constraints", "paths", "path_policy", "subgraphs"), _DEEP),
        },
        "graph": {**_GRAPH, "label": _OVERRIDE},
        "node": {
            "id": IDENTITY,
            **_LOOKS,
            **dict.fromkeys(("type", "key"), _ERROR),
            **dict.fromkeys(("prompt", "read", "options", "ask", "required", "invalid_prompt"), _OVERRIDE),
            **dict.fromkeys(("max_invalid", "on_invalid", "priority", "pick", "run", "timeout"), _OVERRIDE),
            **dict.fromkeys(("on_error", "ref", "as", "say", "was"), _OVERRIDE),
            **dict.fromkeys(("schema", "with", "map", "retry", "confirm"), _DEEP),
            **dict.fromkeys(("when", "validate"), _APPEND),
        },
        "retry": {"attempts": _OVERRIDE, "backoff": _OVERRIDE},
        "confirm": {"by": _OVERRIDE, "over": _APPEND, "when": _ERROR},
        "map": dict.fromkeys(("over", "as", "result", "into", "errors", "at_once"), _OVERRIDE),
        "edge": {"id": IDENTITY, **_LOOKS, **dict.fromkeys(("from", "to", "guard", "priority"), _OVERRIDE)},
        "channel": {
            **dict.fromkeys(sorted(SCHEMA_KEYWORDS), _DEEP),
            **dict.fromkeys(("type", "default", "scope", "reduce", "large", "private", "was"), _OVERRIDE),
        },
        "constraint": {"id": IDENTITY, **dict.fromkeys(("one_of", "exactly", "require", "message"), _OVERRIDE)},
        "path": {"ref": _OVERRIDE, "description": _OVERRIDE},
        "path_policy": dict.fromkeys(
            ("lock_threshold", "allow_switch_before_lock", "decay", "min_confidence"), _OVERRIDE
        ),
    }
)
"""The strategy of each field, by the kind of its record. The fields of all kinds of node are in `node`."""

LISTS: Mapping[str, str] = {"nodes": "node", "edges": "edge", "constraints": "constraint"}
"""The fields that are lists of records with ids: the kind of their records."""

MAPPINGS: Mapping[str, str] = {"state": "channel", "predicates": "", "paths": "path", "subgraphs": "graph"}
"""The fields that are mappings by name: the kind of their records; empty for texts."""

RECORDS: Mapping[tuple[str, str], str] = {
    ("document", "path_policy"): "path_policy",
    ("node", "retry"): "retry",
    ("node", "confirm"): "confirm",
    ("node", "map"): "map",
}
"""The fields that are one record: its kind."""

CONDITIONS = frozenset({("node", "when"), ("node", "validate"), ("edge", "guard"), ("confirm", "when")})
"""The fields with an expression that is true or false."""

FIXED = frozenset({("node", "type"), ("document", "version")})
"""The fields for which a layer cannot choose a strategy: other kinds of node have other fields."""


def default_strategy(kind: str, field: str) -> str:
    """The strategy of a field if no layer chooses another one."""
    return DEFAULTS[kind].get(field, Strategy.OVERRIDE)
