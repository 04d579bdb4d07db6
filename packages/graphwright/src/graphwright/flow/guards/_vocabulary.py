"""Names in expressions, and the data types of the guards interface: verdicts, problems, vocabularies."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

ANSWERS = "answers"
VALUE = "value"
ACTIVE_PATH = "active_path"
MESSAGE = "message"
NOW = "now"


def words(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())


TYPE_NAMES = words("bool bytes double duration dyn google int list map null_type string timestamp type uint")
KEYWORDS = words("in true false null")
RESERVED_WORDS = words(
    "as break const continue else for function if import let loop package namespace return var void while"
)
FUNCTIONS = words(
    """addDays all bool bytes contains date dateTime daysUntil double duration dyn endsWith exists exists_one filter
    format getDate getDayOfMonth getDayOfWeek getDayOfYear getFullYear getHours getMilliseconds getMinutes getMonth
    getSeconds has int map matches size startsWith string timestamp type uint weekday"""
)

RESERVED_CHANNELS = frozenset({ANSWERS, VALUE, ACTIVE_PATH, MESSAGE, NOW})
"""Names that every flow already has."""

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


def is_answer_key(name: str) -> bool:
    """Whether `answers.NAME` can be written: an identifier other than `in`, `true`, `false` and `null`."""
    return _IDENTIFIER.fullmatch(name) is not None and name not in KEYWORDS


def is_variable(name: str) -> bool:
    """Whether a channel or predicate can have this name: not a reserved word, a type or `answers`."""
    return is_answer_key(name) and name not in RESERVED_WORDS and name not in TYPE_NAMES and name != ANSWERS


ProblemKind = Literal[
    "syntax",
    "unknown_name",
    "unknown_function",
    "type",
    "not_boolean",
    "enum_literal",
    "regex",
    "reserved",
    "too_long",
    "too_deep",
    "template",
    "predicate",
    "cycle",
]
"""The kinds of error in an expression; `docs/guards.md` describes each."""


@dataclass(frozen=True, slots=True)
class Problem:
    """An error in an expression. `line` and `column` count from 1, in code points, inside its own text."""

    kind: ProblemKind
    message: str
    line: int = 1
    column: int = 1
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The answer keys that the expressions of one graph may use.

    `answers` maps a key to the JSON Schema of its value (an empty schema: anything). `scopes` maps the `as` name of a
    call to the id of the graph that is the vocabulary of its answers, so that recursion stays finite.
    """

    answers: Mapping[str, Mapping[str, Any]]
    scopes: Mapping[str, str] = field(default_factory=dict)
