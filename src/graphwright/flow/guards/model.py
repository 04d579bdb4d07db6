"""Verdicts, problems and vocabularies: the data that the interface of guards uses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

PROBLEM_KINDS: Mapping[str, str] = MappingProxyType(
    {
        "syntax": "the text is not an expression",
        "unknown_name": "an answer, channel, property or variable that nobody declared",
        "unknown_function": "a function that does not exist, or one given the wrong number of arguments",
        "type": "values that do not go together, or a name used as something it is not",
        "not_boolean": "a guard whose result is not true or false",
        "enum_literal": "a literal that the name it is compared with can never hold",
        "regex": "a literal pattern that is not a regular expression",
        "reserved": "a word that cannot be used as a name",
        "too_long": "more text than an expression may have",
        "too_deep": "more nesting than an expression may have",
        "template": "braces of a template that do not close, or hold nothing",
        "predicate": "a predicate that speaks of names unknown where it is used",
        "cycle": "predicates that are defined by one another",
    }
)
"""Every `Problem.kind`, with what it stands for."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of an evaluation.

    `value` is meaningful only when `error` is empty. `missing` names what the expression needed and nobody has
    said yet (`answers.venue`); then `error` says so too, and the expression does not open anything.
    """

    value: Any
    error: str = ""
    missing: tuple[str, ...] = ()

    @property
    def opens(self) -> bool:
        """True only for the value true: never for an error, a missing name or another type."""
        return not self.error and self.value is True

    @property
    def closes(self) -> bool:
        """True only for the value false. What cannot be evaluated neither opens nor closes."""
        return not self.error and self.value is False


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with an expression. `line` and `column` count from 1, in code points, inside its own text.

    `kind` is one of `PROBLEM_KINDS`.
    """

    kind: str
    message: str
    line: int = 1
    column: int = 1
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The answer keys that the expressions of one graph may use.

    `answers` maps a key to the JSON Schema of its value (an empty schema: anything). `scopes` maps the `as` name of
    a call to the id of the graph whose vocabulary its answers have, so that recursion stays finite.
    """

    answers: Mapping[str, Mapping[str, Any]]
    scopes: Mapping[str, str] = field(default_factory=dict)
