"""Version 0 of the flow document, the first draft: its shape, and its migration to version 1."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import ConfigDict, Field

from graphwright.flow._document import NODES, Document, Edge, Graph, Record
from graphwright.flow._python_expressions import to_cel
from graphwright.flow._source import Path, Reporter

VERSION_0 = "v0"


class _Open(Record):
    """A mapping with some known fields; any other field is allowed."""

    model_config = ConfigDict(extra="allow", strict=True, defer_build=True)


class _Node0(_Open):
    called = "A node"

    id: str = Field(description="The node's id.")
    type: Literal["question", "decision", "action", "subgraph", "terminal"] = Field(description="The kind of node.")
    key: str = Field("", description="The name of the answer of a question.")
    prompt: str = Field("", description="The text of a question, or the final text of a terminal.")
    label: str = Field("", description="The name in pictures.")
    ui: dict[str, Any] = Field(default_factory=dict, description="What an editor keeps.")


class _Edge0(_Open):
    called = "An edge"

    from_: str = Field(alias="from", description="The source node.")
    to: str = Field(description="The target node.")
    guard: str | None = Field(None, description="A condition over `answers`, `else`, or null.")


class _Graph0(_Open):
    called = "A subgraph"

    entry: str = Field("", description="The node at which the graph begins.")
    nodes: list[_Node0] = Field(description="The nodes.")
    edges: list[_Edge0] = Field(description="The transitions between them.")
    ui: dict[str, Any] = Field(default_factory=dict, description="What an editor keeps.")


class Document0(_Graph0):
    """A document of version 0. Version 0 allows fields that it does not define, and gives them no meaning."""

    called = "The document"

    version: Literal["v0"] = Field(description="The version of the language.")
    id: str = Field(description="The id of the flow.")
    subgraphs: dict[str, _Graph0] = Field(default_factory=dict, description="Graphs that subgraph nodes call.")


def check_version_0(data: Any, out: Reporter) -> None:
    """Report the parts that do not have the shape of version 0."""
    Document0.checked(data, out)


Notes = list[tuple[Path, str]]
"""Changes of meaning and guesses: the place in the old document, and a sentence."""


def _fields(model: type[Record]) -> frozenset[str]:
    return frozenset(field.alias or name for name, field in model.model_fields.items())


_NODE_FIELDS = {kind: _fields(model) for kind, model in NODES.items()}
_EDGE_FIELDS = _fields(Edge)
_GRAPH_FIELDS = _fields(Graph)
_DOCUMENT_FIELDS = _fields(Document)


def to_version_1(data: Mapping[str, Any], notes: Notes) -> dict[str, Any]:
    """Return the document in version 1. `data` has the shape of version 0 and does not change.

    Version 0 had no types of answers, wrote conditions in Python, let a terminal speak by `prompt`, and allowed any
    further field. Such fields are kept in `ui`, where version 1 allows anything.
    """
    migration = _Migration(notes)
    made = migration.graph(data, (), _DOCUMENT_FIELDS)
    made["version"] = "v1"
    if "subgraphs" in made:
        made["subgraphs"] = {
            name: migration.graph(graph, ("subgraphs", name), _GRAPH_FIELDS)
            for name, graph in data["subgraphs"].items()
        }
    return made


class _Migration:
    def __init__(self, notes: Notes) -> None:
        self.notes = notes

    def note(self, path: Path, text: str) -> None:
        self.notes.append((path, text))

    def graph(self, data: Mapping[str, Any], path: Path, known: frozenset[str]) -> dict[str, Any]:
        """A graph of version 1. The order of fields stays."""
        made: dict[str, Any] = {}
        for name, value in data.items():
            if name == "nodes":
                made[name] = [self.node(each, (*path, name, place)) for place, each in enumerate(value)]
            elif name == "edges":
                made[name] = [self.edge(each, (*path, name, place)) for place, each in enumerate(value)]
            elif name == "oneOf" and "constraints" not in data and not path:
                made["constraints"] = [{"one_of": value}]
            elif name == "label" and not path and "title" not in data:
                made["title"] = value
            elif name == "entry" and not value:
                continue
            else:
                made[name] = value
        return self.unknown_to_ui(made, path, known)

    def node(self, data: Mapping[str, Any], path: Path) -> dict[str, Any]:
        kind = data["type"]
        made = {name: value for name, value in data.items() if not (name in ("key", "label") and value == "")}
        if kind == "question":
            self.question(made, path)
        elif kind == "terminal" and "prompt" in made and "say" not in made:
            made = {"say" if name == "prompt" else name: value for name, value in made.items()}
        elif kind == "action" and "run" not in made:
            made["run"] = made.get("key") or _last_name(data["id"])
            made.pop("key", None)
            self.note(path, f"Version 0 does not name the function of an action; `run: {made['run']}` was added.")
        if isinstance(analytics := made.get("analytics"), list) and "tags" not in made and all_texts(analytics):
            made = {"tags" if name == "analytics" else name: value for name, value in made.items()}
        if "ui" in made:
            made["ui"] = _ui(made["ui"])
        return self.unknown_to_ui(made, path, _NODE_FIELDS[kind])

    def question(self, made: dict[str, Any], path: Path) -> None:
        if "key" not in made:
            made["key"] = _last_name(made["id"])
            self.note(path, f"Version 0 allows a question without a key; `key: {made['key']}` was added.")
        if not made.get("prompt"):
            made["prompt"] = made.get("label") or f"{made['key'].replace('_', ' ').capitalize()}?"
            self.note(path, f"Version 0 allows a question without a prompt; {made['prompt']!r} was added.")
        if isinstance(made.get("when"), str):
            made["when"] = self.condition(made["when"], (*path, "when"))
        if isinstance(made.get("validate"), str) and not made["validate"].isidentifier():
            made["validate"] = self.condition(made["validate"], (*path, "validate"))
        depends = made.get("dependencies")
        if isinstance(depends, list) and all_texts(depends):
            present = [f"has(answers.{key})" for key in depends]
            made["when"] = " && ".join([*present, *([f"({made['when']})"] if "when" in made else [])])
            del made["dependencies"]
            if not depends:
                del made["when"]

    def edge(self, data: Mapping[str, Any], path: Path) -> dict[str, Any]:
        made = dict(data)
        guard = made.get("guard")
        if isinstance(guard, str):
            if not guard.strip():
                del made["guard"]
            elif guard != "else":
                made["guard"] = self.condition(guard, (*path, "guard"))
        return self.unknown_to_ui(made, path, _EDGE_FIELDS)

    def condition(self, text: str, path: Path) -> str:
        """A condition in CEL. One that cannot be translated stays, and the compiler reports it."""
        made = to_cel(text)
        if made is None or made == text:
            return text
        self.note(path, f"The condition {text!r} is `{made}` in version 1.")
        return made

    def unknown_to_ui(self, made: dict[str, Any], path: Path, known: frozenset[str]) -> dict[str, Any]:
        unknown = [name for name in made if name not in known]
        if not unknown:
            return made
        kept = {name: value for name, value in made.items() if name in known}
        kept["ui"] = {**made.get("ui", {}), **{name: made[name] for name in unknown}}
        for name in unknown:
            self.note((*path, name), f"`{name}` has no meaning in version 1; it is kept in `ui`.")
        return kept


def all_texts(values: list[Any]) -> bool:
    return all(isinstance(value, str) for value in values)


def _ui(ui: Mapping[str, Any]) -> dict[str, Any]:
    """Version 0 has no rule for places; `coords: [x, y]` or `coords: {x, y}` becomes the `position` of version 1."""
    coords = ui.get("coords")
    if isinstance(coords, list) and len(coords) == 2:
        coords = {"x": coords[0], "y": coords[1]}
    if not isinstance(coords, Mapping) or "position" in ui:
        return dict(ui)
    return {
        "position" if name == "coords" else name: coords if name == "coords" else value for name, value in ui.items()
    }


def _last_name(identity: str) -> str:
    name = re.sub(r"\W+", "_", identity.rpartition(".")[2], flags=re.ASCII).strip("_") or "answer"
    return f"_{name}" if name[0].isdigit() else name
