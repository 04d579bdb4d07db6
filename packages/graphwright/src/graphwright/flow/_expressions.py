"""Compiles every guard, template and predicate of a draft, and reports their problems at their places in the text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from graphwright.flow._answer_scopes import Scopes
from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._draft import Draft, DraftNode, words_in
from graphwright.flow._ready_made import TEXTS, texts_in
from graphwright.flow._source import Path, Reporter
from graphwright.flow.compiled import ROOT, Catalogue, Kind
from graphwright.flow.guards import Guard, Language, Problem, Template, is_answer_key
from graphwright.flow.guards._vocabulary import VALUE
from graphwright.text.near_names import Names, Suggestion

_CODES: Mapping[str, Code] = {
    "syntax": Code.GUARD_SYNTAX,
    "unknown_name": Code.GUARD_NAME,
    "unknown_function": Code.GUARD_NAME,
    "predicate": Code.GUARD_NAME,
    "type": Code.GUARD_TYPE,
    "not_boolean": Code.GUARD_NOT_BOOLEAN,
    "enum_literal": Code.GUARD_LITERAL,
    "too_long": Code.GUARD_LIMIT,
    "too_deep": Code.GUARD_LIMIT,
    "regex": Code.GUARD_PATTERN,
    "reserved": Code.RESERVED_NAME,
    "template": Code.TEMPLATE,
    "cycle": Code.PREDICATE_CYCLE,
}


_SINGLE_BRACES = re.compile(r"(?<!\{)\$?\{\s*([A-Za-z_]\w*(?:\.\w+)*)\s*\}(?!\})")


@dataclass(slots=True)
class Expressions:
    """The compiled expressions by the path of their text. Expressions with errors are not included."""

    guards: dict[Path, Guard] = field(default_factory=dict)
    templates: dict[Path, Template] = field(default_factory=dict)
    validators: dict[Path, str] = field(default_factory=dict)
    predicates: dict[str, Guard] = field(default_factory=dict)
    assurances: dict[Path, Guard] = field(default_factory=dict)
    """The conditions of assurances, which nothing reads at run time."""

    def reads(self) -> frozenset[str]:
        """All names that some guard or template reads."""
        found: set[str] = set()
        for guard in (*self.guards.values(), *self.predicates.values()):
            found |= guard.reads
        for template in self.templates.values():
            found |= template.reads
        return frozenset(found)


CHANNEL_OPTIONS = frozenset({"default", "scope", "reduce", "large", "private", "was"})
"""The fields of a channel that are not JSON Schema."""


def channel_schema(channel: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON Schema of a channel: its entry without the options of the channel."""
    return {name: value for name, value in channel.items() if name not in CHANNEL_OPTIONS}


def compile_expressions(draft: Draft, scopes: Scopes, catalogue: Catalogue | None, out: Reporter) -> Expressions:
    """Compile all expressions of the draft and report problems to `out`."""
    language = Language(
        scopes.vocabularies,
        channels={
            name: {} if name in draft.unsound else channel_schema(channel) for name, channel in draft.state.items()
        },
        predicates=dict(draft.predicates),
        paths=tuple(draft.paths),
    )
    return _Compiler(draft, scopes, catalogue, out, language).run()


class _Compiler:
    def __init__(
        self, draft: Draft, scopes: Scopes, catalogue: Catalogue | None, out: Reporter, language: Language
    ) -> None:
        self.draft = draft
        self.scopes = scopes
        self.catalogue = catalogue
        self.out = out
        self.language = language
        self.made = Expressions()
        self.validators = Names(catalogue.validators if catalogue else ())
        # An undeclared name may be the missing key of a question, which is one fault and already reported.
        self.keyless = any(
            node.kind is None or (node.kind is Kind.QUESTION and not node.key) for node in draft.nodes.values()
        )
        # An expression that reads a name with two meanings is ambiguous.
        self.ambiguous = {name for name, _, second in scopes.clashes if second.kind is Kind.SUBGRAPH}
        self.ambiguous |= {name for name, first, _ in scopes.clashes if first.kind is Kind.SUBGRAPH}

    def run(self) -> Expressions:
        self._predicates()
        for graph in self.draft.graphs.values():
            for node in graph.nodes.values():
                if node.kind is Kind.QUESTION:
                    self._question(node)
                elif node.kind in (Kind.ACTION, Kind.SUBGRAPH):
                    self._action(node)
                elif node.kind is Kind.TERMINAL:
                    self._template(node, "say")
            for edge in graph.edges:
                if edge.opens is not None:
                    self._guard((*edge.path, "guard"), edge.opens, graph.id)
        self._assurances()
        return self.made

    def _assurances(self) -> None:
        """Compile the conditions of `unless` in the graph of the node that the assurance is about."""
        for place, data in enumerate(self.draft.data.get("assurances", ())):
            about = self.draft.named(data.get("never", "")) if isinstance(data, dict) else []
            for path, text in unless_items(data, place) if isinstance(data, dict) else ():
                if self.draft.named(text):
                    continue
                graph = self.scopes.vocabulary_of[about[0].graph if about else ROOT]
                guard = self.language.guard(text, graph=graph)
                if isinstance(guard, list):
                    self._report(path, guard)
                else:
                    self.made.assurances[path] = guard

    def _predicates(self) -> None:
        broken = self.language.predicate_problems()
        for name, problems in broken.items():
            if name not in self.draft.state:
                self._report(("predicates", name), problems)
        for place, constraint in enumerate(self.draft.data.get("constraints", ())):
            name = constraint.get("require", "") if isinstance(constraint, dict) else ""
            if isinstance(constraint, dict) and "{{" in constraint.get("message", ""):
                message = "The message of a constraint is shown as it is written: it has no expressions."
                hint = "Write it without `{{ }}`, or ask in the prompt of the question."
                self.out.add(Code.SINGLE_BRACES, ("constraints", place, "message"), message, hint)
            if name not in self.draft.predicates or name in broken or name in self.made.predicates:
                continue
            guard = self.language.guard(name, graph=self.scopes.vocabulary_of[ROOT])
            if isinstance(guard, list):
                self._report(("constraints", place, "require"), guard)
            else:
                self.made.predicates[name] = guard

    def _question(self, node: DraftNode) -> None:
        self._template(node, "prompt")
        self._template(node, "invalid_prompt")
        if "when" in node.data:
            self._guard((*node.path, "when"), node.data["when"], node.graph)
        text = node.data.get("validate")
        if text is None:
            return
        path = (*node.path, "validate")
        known = text == "value" or text in self.draft.predicates or text in self.draft.state
        if not is_answer_key(text) or known or text in ("true", "false"):
            self._validate(path, text, node)
            return
        self.made.validators[path] = text
        if self.catalogue is not None and text not in self.catalogue.validators:
            hint = self.validators.hint(text, "Register it in Python, or write an expression over `value`.")
            self.out.add(Code.UNKNOWN_VALIDATOR, path, f"There is no registered validator `{text}`.", hint)

    def _action(self, node: DraftNode) -> None:
        if "when" in node.data.get("confirm", {}):
            self._guard((*node.path, "confirm", "when"), node.data["confirm"]["when"], node.graph)
        for path, text in texts_in(node) if node.is_ready_made else ():
            self._template_at(path, text, node.graph, texts=path[len(node.path) + 1] in TEXTS)

    def _guard(self, path: Path, text: str, graph: str) -> None:
        guard = self.language.guard(text, graph=self.scopes.vocabulary_of[graph])
        if not isinstance(guard, list):
            self.made.guards[path] = guard
        elif not self.ambiguous & words_in(text):
            self._report(path, guard)

    def _validate(self, path: Path, text: str, node: DraftNode) -> None:
        guard = self.language.guard(text, graph=self.scopes.vocabulary_of[node.graph], value=node.schema)
        if not isinstance(guard, list):
            self.made.guards[path] = guard
        elif not self.ambiguous & words_in(text):
            key = node.data.get("key")
            hint = Suggestion(f"the value that is checked is called `{VALUE}`", str(key), VALUE)
            own = [isinstance(each.hint, Suggestion) and each.hint.wanted == key for each in guard]
            self._report(
                path, [replace(each, hint=hint) if its else each for each, its in zip(guard, own, strict=True)]
            )

    def _braces(self, path: Path, text: str, graph: str) -> None:
        """Report a name in single braces, which is shown without being evaluated."""
        for found in _SINGLE_BRACES.finditer(text):
            known = found[1].partition(".")[0] in ("answers", *self.draft.state)
            if known or self.scopes.declares(found[1], graph, self.draft):
                name = found[1] if known else f"answers.{found[1]}"
                message = f"`{found[0]}` is shown as it is written: an expression needs double braces."
                self.out.add(Code.SINGLE_BRACES, path, message, f"Write `{{{{ {name} }}}}`.")
                return

    def _template(self, node: DraftNode, name: str) -> None:
        text = node.data.get(name)
        if text is None:
            return
        self._template_at((*node.path, name), text, node.graph)

    def _template_at(self, path: Path, text: str, graph: str, *, texts: bool = False) -> None:
        self._braces(path, text, graph)
        template = self.language.template(text, graph=self.scopes.vocabulary_of[graph], texts=texts)
        if not isinstance(template, list):
            self.made.templates[path] = template
        elif not self.ambiguous & words_in(text):
            self._report(path, template)

    def _report(self, path: Path, problems: list[Problem]) -> None:
        for problem in problems:
            if problem.kind == "unknown_name" and self.keyless:
                continue
            place = problem.line, problem.column
            message, hint = _sentence(problem.message), _sentence(problem.hint)
            suggested = problem.hint if isinstance(problem.hint, Suggestion) else None
            self.out.add(_CODES[problem.kind], path, message, hint, inside=place, suggested=suggested)


def unless_items(assurance: Mapping[str, Any], place: int) -> list[tuple[Path, str]]:
    """The entries of `unless` of the assurance at a place of the document, each with its path."""
    path: Path = ("assurances", place, "unless")
    items = assurance.get("unless", [])
    return [(path, items)] if isinstance(items, str) else [((*path, n), item) for n, item in enumerate(items)]


def _sentence(text: str) -> str:
    """Return the text with a capital at the beginning and a full stop at the end."""
    if not text:
        return ""
    return text[0].upper() + text[1:] + ("" if text[-1] in ".?!" else ".")
