"""Conversion of a checklist to a flow document that asks the same questions in the same order."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from graphwright.flow._checklist import FIELDS, Checklist, ChecklistQuestion, read_checklist
from graphwright.flow._compiler import compile_document
from graphwright.flow._document import VERSION
from graphwright.flow._python_expressions import to_cel
from graphwright.flow._schema_validation import BUILT_IN_VALIDATORS
from graphwright.flow._source import Path, Source, pointer
from graphwright.flow._text_edits import written
from graphwright.flow.compiled import CHOSEN_PATH, EXIT
from graphwright.flow.diagnostics import Diagnostic, Span
from graphwright.flow.guards._vocabulary import is_variable

REQUEST = "request"
"""The key of the question that is added if all questions of a checklist belong to paths."""


@dataclass(frozen=True, slots=True)
class Loss:
    """A part of a checklist that the flow does not express, or expresses differently; its place in the checklist."""

    message: str
    span: Span
    pointer: str

    def to_json(self) -> dict[str, Any]:
        place = {"line": self.span.line, "column": self.span.column, "pointer": self.pointer}
        return {"message": self.message, **place}


@dataclass(frozen=True, slots=True)
class Conversion:
    """The flow as data and as text (JSON if the checklist is JSON), or None and the diagnostics that say why."""

    document: Mapping[str, Any] | None
    text: str
    losses: tuple[Loss, ...]
    diagnostics: tuple[Diagnostic, ...]


def convert(text: str | bytes, name: str = "checklist", *, flow_id: str = "") -> Conversion:
    """Convert a checklist to a flow document that compiles.

    `name` becomes the id of a checklist without one; `flow_id` is the id of any checklist.
    """
    checklist, source, found = read_checklist(text)
    if checklist is None or source is None:
        return Conversion(None, "", (), found)
    maker = _Maker(checklist, source, flow_id or checklist.data.get("id") or f"flow.{name}")
    document = maker.document()
    errors = compile_document(document).errors
    if errors:
        # A condition that looks like an expression and does not compile is Python, too.
        document = maker.without_python(document, {found.pointer for found in errors})
        errors = compile_document(document).errors
    if errors:
        return Conversion(None, "", tuple(maker.losses), errors)
    return Conversion(document, written(document, as_json=source.is_json), tuple(maker.losses), ())


@dataclass
class _Maker:
    checklist: Checklist
    source: Source
    flow_id: str
    losses: list[Loss] = field(default_factory=list)
    keys: dict[str, str] = field(default_factory=dict)
    told: set[tuple[Path, str]] = field(default_factory=set)

    def lose(self, path: Path, message: str) -> None:
        if (path, message) not in self.told:
            self.told.add((path, message))
            self.losses.append(Loss(message, self.source.span(path), pointer(path)))

    def document(self) -> dict[str, Any]:
        data, paths = self.checklist.data, self.checklist.paths
        made: dict[str, Any] = {"version": VERSION, "id": self.flow_id}
        made |= {name: data[name] for name in ("title", "description") if data.get(name)}
        for name in data:
            if name not in ("id", "title", "description", "questions", "paths", "path_policy"):
                self.lose((name,), f"`{name}` has no meaning in a flow, and was left out.")
        self._name_keys()
        if paths:
            made["paths"] = {
                name: {"ref": f"path.{name}", "description": data["paths"][name].get("description") or name}
                for name in paths
            }
            made["path_policy"] = {"lock_threshold": 1, **data.get("path_policy", {})}
        return made | self._root() | self._subgraphs()

    def _root(self) -> dict[str, Any]:
        done = {"id": "t.done", "type": "terminal"}
        nodes, edges = self._questions(self.checklist.questions, "", "t.done")
        if not self.checklist.paths:
            return {"nodes": [*nodes, done], "edges": edges}
        if not self.checklist.questions:
            prompt = "What can I do for you?"
            nodes = [{"id": f"q.{REQUEST}", "type": "question", "key": REQUEST, "prompt": prompt, "ask": "always"}]
            edges = []
            self.lose((), f"A path is chosen by what the user says, so the question `{REQUEST}` was added.")
        first = nodes[0]["id"]
        chosen = {"id": "d.path", "type": "decision"}
        call = {"id": "s.path", "type": "subgraph", "ref": CHOSEN_PATH}
        enter = [
            {"from": "d.path", "to": "s.path", "guard": "active_path != ''"},
            {"from": "d.path", "to": first, "guard": "else"},
            {"from": "s.path", "to": "t.done"},
        ]
        back = [{**edge, "to": "d.path"} if edge["to"] == "d.next" else edge for edge in edges]
        back += [{"from": first, "to": "d.path"}] if not edges else []
        return {"nodes": [chosen, *nodes, call, done], "edges": [*enter, *back]}

    def _subgraphs(self) -> dict[str, Any]:
        made = {}
        for name, questions in self.checklist.paths.items():
            nodes, edges = self._questions(questions, f"{name}.", EXIT)
            if not questions:
                decision = f"d.{name}"
                nodes, edges = [{"id": decision, "type": "decision"}], [{"from": decision, "to": EXIT}]
            made[f"path.{name}"] = {"nodes": nodes, "edges": edges}
        return {"subgraphs": made} if made else {}

    def _questions(
        self, questions: tuple[ChecklistQuestion, ...], prefix: str, end: str
    ) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """A decision that picks the next question, the questions, and the edges to them and back."""
        if not questions:
            return [], []
        decision = f"d.{prefix}next"
        nodes: list[dict[str, Any]] = [{"id": decision, "type": "decision", "pick": "question"}]
        edges: list[dict[str, Any]] = []
        for each in questions:
            node = self._question(each, prefix)
            nodes.append(node)
            edge: dict[str, Any] = {"from": decision, "to": node["id"]}
            if guard := self._guard(each):
                edge["guard"] = guard
            edges.append(edge)
        edges.append({"from": decision, "to": end, "guard": "else"})
        edges += [{"from": node["id"], "to": decision} for node in nodes[1:]]
        return nodes, edges

    def _question(self, each: ChecklistQuestion, prefix: str) -> dict[str, Any]:
        key = self.keys[each.key]
        made: dict[str, Any] = {"id": f"q.{prefix}{key}", "type": "question", "key": key}
        made["prompt"] = each.prompt.replace("{{", "{{ '{{' }}")
        if each.priority:
            made["priority"] = each.priority
        if not each.required:
            made["required"] = False
        if each.data.get("validate") is not None and (check := self._check(each)):
            made["validate"] = check
        for name in each.data:
            if name not in FIELDS:
                self.lose((*each.path, name), f"`{name}` of `{each.key}` is not part of a checklist, and was left out.")
        if re.search(r"(?<!\{)\{\w+\}(?!\})", each.prompt):
            text = (
                f"The prompt of `{each.key}` contains a name in braces, which is shown as it is: write an expression."
            )
            self.lose((*each.path, "prompt"), text)
        return made

    def _check(self, each: ChecklistQuestion) -> str:
        value = each.data["validate"]
        if isinstance(value, str) and value in BUILT_IN_VALIDATORS:
            return value
        made = to_cel(value) if isinstance(value, str) and not re.fullmatch(r"[\w.:]+", value) else None
        if made is None:
            self._lose_check(each)
            return ""
        if made != value:
            path = (*each.path, "validate")
            self.lose(path, f"`validate` of `{each.key}` was Python and is now `{made}`; check that it means the same.")
        return made

    def _lose_check(self, each: ChecklistQuestion) -> None:
        value = each.data["validate"]
        shown = f"`{value}`" if isinstance(value, str) else "not a text"
        text = (
            f"`validate` of `{each.key}` is {shown}, which does not compile as CEL, and was left out: every value is "
            "accepted. Define a validator in nodes.py and name it."
        )
        self.lose((*each.path, "validate"), text)

    def _lose_condition(self, each: ChecklistQuestion) -> None:
        text = f"`when` of `{each.key}` is Python that a guard cannot express, and was left out."
        self.lose((*each.path, "when"), text)

    def without_python(self, document: dict[str, Any], wrong: Container[str]) -> dict[str, Any]:
        """The document without the checks and conditions at the pointers `wrong`."""
        graphs = [("", "", document)]
        for name, graph in document.get("subgraphs", {}).items():
            graphs.append((f"{name.removeprefix('path.')}.", pointer(("subgraphs", name)), graph))
        places = {f"q.{prefix}{self.keys[each.key]}": each for prefix, each in self._placed()}
        for _, start, graph in graphs:
            for place, node in enumerate(graph["nodes"]):
                if f"{start}/nodes/{place}/validate" in wrong:
                    self._lose_check(places[node["id"]])
                    del node["validate"]
            for place, edge in enumerate(graph["edges"]):
                each = places.get(edge["to"])
                if f"{start}/edges/{place}/guard" in wrong and each is not None:
                    self._lose_condition(each)
                    edge["guard"] = self._dependencies(each) or None
        return document

    def _placed(self) -> Iterator[tuple[str, ChecklistQuestion]]:
        yield from (("", each) for each in self.checklist.questions)
        for name, questions in self.checklist.paths.items():
            yield from ((f"{name}.", each) for each in questions)

    def _guard(self, each: ChecklistQuestion) -> str:
        """The guard of the edge to a question. `when` would also refuse answers that the user gives unasked."""
        if not each.required:
            text = (
                f"`{each.key}` is not required, so a checklist never asks it. The flow does not ask it either: the "
                "guard of its edge opens only if it has an answer."
            )
            self.lose(each.path, text)
            return f"has(answers.{self.keys[each.key]})"
        guard, when = self._dependencies(each), each.data.get("when")
        if not when:
            return guard
        made = to_cel(when)
        if made is None:
            self._lose_condition(each)
            return guard
        return f"{guard} && ({made})" if guard else made

    def _dependencies(self, each: ChecklistQuestion) -> str:
        return " && ".join(f"has(answers.{self.keys[key]})" for key in each.dependencies)

    def _name_keys(self) -> None:
        """Give each key a name that guards can read."""
        taken = {each.key for _, each in self._placed() if is_variable(each.key)}
        for _, each in self._placed():
            if each.key in self.keys:
                continue
            name = each.key
            if not is_variable(name):
                name = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_") or "answer"
                name = f"_{name}" if name[0].isdigit() or not is_variable(name) else name
                while name in taken:
                    name += "_"
                self.lose((*each.path, "key"), f"The key `{each.key}` cannot be read by guards; it is `{name}` now.")
            taken.add(name)
            self.keys[each.key] = name
