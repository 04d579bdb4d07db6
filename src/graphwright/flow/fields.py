"""Every field of the flow document, version 1: one table that checks the shape and publishes its JSON Schema."""

from __future__ import annotations

from typing import Any

from graphwright.flow.scalars import (
    ANYTHING,
    CHANNEL_NAME_JSON,
    EXPRESSION,
    FLAG,
    GUARD,
    ID,
    KEY,
    OBJECT,
    SCHEMA,
    SCHEMA_KEYWORDS,
    TEXT,
    VERSION,
    WHOLE,
    choice,
    number_from,
    refuse_channel,
    refuse_odd_id,
    refuse_version,
)
from graphwright.flow.shape import Field, ListOf, MapOf, Record, Scalar, Variants

_LOOKS = {
    "label": Field(TEXT, "The name that people see."),
    "tags": Field(ListOf(TEXT), "Words for sorting and statistics."),
    "ui": Field(OBJECT, "What an editor keeps here: place, colour, group. Only pictures use it."),
}

_EVERY_NODE = {
    "id": Field(ID, "The node's id, unique in the whole document. Edges name it.", required=True),
    "type": Field(
        choice("question", "decision", "action", "subgraph", "terminal"),
        "The kind of node: `question`, `decision`, `action`, `subgraph` or `terminal`.",
        required=True,
    ),
    **_LOOKS,
}

_QUESTION = {
    "key": Field(KEY, "The name of the answer; guards read it as `answers.KEY`.", required=True),
    "prompt": Field(TEXT, "What is asked. May hold `{{ CEL }}`.", required=True),
    "schema": Field(
        SCHEMA, "JSON Schema of the value. Without one the value is text (with `read: confirm` also true or false)."
    ),
    "read": Field(
        choice("extract", "verbatim", "choice", "confirm"),
        "How a reply becomes a value: `extract` (default, a model reads it), `verbatim` (the reply itself), "
        "`choice` (one of the options), `confirm` (yes or no is read by code; anything else stays text).",
    ),
    "options": Field(
        ID,
        "The channel that holds the options: a list of `{value, title}`, or of plain values. Implies `read: choice`; "
        "with `read: extract` a model may pick one of them, too.",
    ),
    "ask": Field(
        choice("once", "always"),
        "`once` (default) passes over a question that has an answer; `always` drops the old answer and asks again.",
    ),
    "required": Field(FLAG, "Must be answered (default true)."),
    "when": Field(EXPRESSION, "A guard; where it is not true the question is passed over."),
    "validate": Field(
        EXPRESSION, "CEL over `value`, `answers` and the channels, or the name of a registered validator."
    ),
    "invalid_prompt": Field(TEXT, "What is said to an invalid reply. May hold `{{ CEL }}`."),
    "max_invalid": Field(
        number_from("a whole number of at least 1", True, 1),
        "After so many invalid replies the flow goes to `on_invalid`, else to the flow's `on_escalate` (default 3).",
    ),
    "on_invalid": Field(ID, "The node, in the same graph, that is entered after `max_invalid` invalid replies."),
    "priority": Field(WHOLE, "Only for a decision with `pick: question`: the lowest is asked first (default 0)."),
}

_RETRY = Record(
    "`retry`",
    {
        "attempts": Field(
            number_from("a whole number of at least 1", True, 1),
            "How often it is tried, the first time included (default 1).",
        ),
        "backoff": Field(
            number_from("a number of at least 0", False, 0),
            "Seconds before the second attempt; doubled before each further one (default 0).",
        ),
    },
)

_CONFIRM = Record(
    "`confirm`",
    {
        "by": Field(
            ID, "The question, with `read: confirm` and in the same graph, whose yes the action needs.", required=True
        ),
        "over": Field(
            ListOf(ID, min_items=1),
            "The channels and answers (`answers.KEY`) whose content was confirmed. A change after the yes voids it.",
            required=True,
        ),
        "when": Field(
            EXPRESSION,
            "A guard, looked at when the action is about to run; where it is false no confirmation is needed. "
            "Where it cannot be evaluated one is.",
        ),
    },
)

_ACTION = {
    "run": Field(ID, "The name of the registered action.", required=True),
    "retry": Field(_RETRY, "How often, and after what pause, a failed action is tried again."),
    "timeout": Field(number_from("a number above 0", False, 0, above=True), "Seconds that one attempt may take."),
    "on_error": Field(ID, "The node, in the same graph, that is entered when the action has failed for good."),
    "confirm": Field(_CONFIRM, "Runs only with this confirmation, which is spent by it."),
}

_BY_KIND: dict[str, dict[str, Field]] = {
    "question": _QUESTION,
    "decision": {
        "pick": Field(
            choice("question"),
            "`question`: go to the applicable, unanswered question among the targets; `else` when none is left.",
        )
    },
    "action": _ACTION,
    "subgraph": {
        "ref": Field(ID, "The subgraph that is called, or `$active_path` for that of the chosen path.", required=True),
        "as": Field(KEY, "Its answers live under `answers.NAME`; without it they are shared with the caller."),
    },
    "terminal": {"say": Field(TEXT, "What is said at the end. May hold `{{ CEL }}`.")},
}


def _article(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def _node_records() -> dict[str, Record]:
    owners: dict[str, list[str]] = {}
    for kind, fields in _BY_KIND.items():
        for name in fields:
            owners.setdefault(name, []).append(_article(kind))
    made = {}
    for kind, fields in _BY_KIND.items():
        elsewhere = {name: " or ".join(kinds) for name, kinds in owners.items() if name not in fields}
        elsewhere["guard"] = "an edge"
        article = _article(kind)
        made[kind] = Record(article[0].upper() + article[1:], {**_EVERY_NODE, **fields}, elsewhere)
    return made


NODE = Variants("A node", "type", _node_records())

EDGE = Record(
    "An edge",
    {
        "from": Field(ID, "The node it leaves.", required=True),
        "to": Field(ID, "The node it leads to, in the same graph; in a subgraph also `__exit__`.", required=True),
        "guard": Field(GUARD, "A CEL expression, or `else`. Without one (or null) the edge is always open."),
        "id": Field(ID, "An id of its own, unique among the edges (default: made of the two nodes)."),
        "priority": Field(
            WHOLE, "Among several open edges the highest wins, then the order of the document (default 0)."
        ),
        **_LOOKS,
    },
    elsewhere={"when": "a question; an edge has a `guard`", "condition": "no part; an edge has a `guard`"},
)

_GRAPH = {
    "entry": Field(ID, "The node where it begins (default: the first one)."),
    "nodes": Field(ListOf(NODE, keep_places=True), "The nodes.", required=True),
    "edges": Field(ListOf(EDGE, keep_places=True), "The transitions between them.", required=True),
}

CHANNEL_OPTIONS = {
    "default": Field(ANYTHING, "The value in the beginning (null when left out; an empty list with `reduce: append`)."),
    "scope": Field(
        choice("thread", "turn"), "`turn`: back to the default when a turn begins afresh (default `thread`)."
    ),
    "reduce": Field(
        choice("replace", "append"), "`append`: what actions write is added to the list (default `replace`)."
    ),
    "large": Field(FLAG, "Kept apart from the checkpoints, by content hash."),
    "private": Field(FLAG, "Left out of `--json`."),
}
"""The fields of a channel that are not JSON Schema."""

CHANNEL = Record(
    "A channel",
    {
        "type": Field(ANYTHING, "The JSON Schema type, or a list of types. Further JSON Schema keywords may follow."),
        **{name: Field(ANYTHING, "As in JSON Schema.") for name in sorted(SCHEMA_KEYWORDS - {"type", "default"})},
        **CHANNEL_OPTIONS,
    },
    any_of=("type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref"),
)

CONSTRAINT = Record(
    "A constraint",
    {
        "one_of": Field(
            ListOf(ListOf(ID, min_items=1), min_items=1),
            "Groups of answer keys (`email`, `led.wattage`); all keys of at least one group must be answered.",
        ),
        "exactly": Field(FLAG, "With `one_of`: exactly one group, not several (default false)."),
        "require": Field(ID, "The name of a predicate that must be true."),
        "message": Field(TEXT, "What is said when it is not met."),
    },
    any_of=("one_of", "require"),
)

PATH = Record(
    "A path",
    {
        "ref": Field(ID, "The subgraph that `ref: $active_path` then enters.", required=True),
        "description": Field(TEXT, "What it is for; the model chooses by it."),
    },
)

PATH_POLICY = Record(
    "`path_policy`",
    {
        "lock_threshold": Field(
            number_from("a number above 0", False, 0, above=True),
            "The weight of votes that makes the choice final (default 2).",
        ),
        "allow_switch_before_lock": Field(
            FLAG, "May the leading path change before the choice is final (default true)?"
        ),
        "decay": Field(
            number_from("a number from 0 to 1", False, 0, at_most=1),
            "What is left of the votes for the other paths after a vote (default 0.5).",
        ),
        "min_confidence": Field(
            number_from("a number from 0 to 1", False, 0, at_most=1),
            "Votes with less confidence do not count (default 0).",
        ),
    },
)

SUBGRAPH = Record(
    "A subgraph",
    {
        **_GRAPH,
        "title": Field(TEXT, "The name that people see."),
        "label": Field(TEXT, "A short name that people see."),
        "ui": _LOOKS["ui"],
    },
)

DOCUMENT = Record(
    "The document",
    {
        "version": Field(
            Scalar("`v1`", {"const": VERSION}, lambda v: v == VERSION and v.__class__ is str, refuse_version),
            "The version of the language: `v1`.",
            required=True,
        ),
        "id": Field(ID, "The flow's id, such as `flow.sales`.", required=True),
        "title": Field(TEXT, "The name that people see."),
        "restart": Field(
            choice("keep", "clear"),
            "What a message to an ended thread does with the answers: `clear` (default) or `keep`.",
        ),
        "max_actions": Field(
            number_from("a whole number of at least 1", True, 1),
            "So many actions may be performed in one turn (default 500); a turn that comes to more fails.",
        ),
        "state": Field(
            MapOf(CHANNEL, refuse_channel, CHANNEL_NAME_JSON), "The channels: typed state beside the answers, by name."
        ),
        **_GRAPH,
        "predicates": Field(
            MapOf(EXPRESSION, refuse_channel, CHANNEL_NAME_JSON),
            "Named guards, usable in guards, templates and constraints.",
        ),
        "constraints": Field(
            ListOf(CONSTRAINT, keep_places=True),
            "What must hold at a root terminal; unmet, the first askable unanswered key is asked, else `on_stuck`.",
        ),
        "paths": Field(MapOf(PATH, refuse_odd_id), "The alternatives that the path policy chooses from, by id."),
        "path_policy": Field(PATH_POLICY, "When the choice of a path counts as made."),
        "on_stuck": Field(ID, "The root node that is entered when no edge is open."),
        "on_escalate": Field(ID, "The root node that is entered when a person must take over."),
        "deterministic": Field(FLAG, "Two open edges are an error instead of a recorded ambiguity (default false)."),
        "subgraphs": Field(MapOf(SUBGRAPH, refuse_odd_id), "Graphs that subgraph nodes call, by id."),
        "ui": _LOOKS["ui"],
    },
)


def json_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a flow document, for editors; made from the table that checks it."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Graphwright flow document, version 1",
        **DOCUMENT.schema(),
    }
