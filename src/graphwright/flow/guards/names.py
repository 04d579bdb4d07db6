"""Names in expressions: which are reserved, and which may be declared."""

from __future__ import annotations

import re

ANSWERS = "answers"
VALUE = "value"
ACTIVE_PATH = "active_path"
MESSAGE = "message"


def words(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())


TYPE_NAMES = words("bool bytes double duration dyn google int list map null_type string timestamp type uint")
KEYWORDS = words("in true false null")
RESERVED_WORDS = words(
    "as break const continue else for function if import let loop package namespace return var void while"
)
FUNCTIONS = words(
    """all bool bytes contains double duration dyn endsWith exists exists_one filter getDate getDayOfMonth getDayOfWeek
    getDayOfYear getFullYear getHours getMilliseconds getMinutes getMonth getSeconds has int map matches size
    startsWith string timestamp type uint"""
)

RESERVED_CHANNELS = frozenset({ANSWERS, VALUE, ACTIVE_PATH, MESSAGE})
"""Names that every flow has already."""

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


def is_answer_key(name: str) -> bool:
    """Whether `answers.NAME` can be written: an identifier other than `in`, `true`, `false` and `null`."""
    return _IDENTIFIER.fullmatch(name) is not None and name not in KEYWORDS


def is_variable(name: str) -> bool:
    """Whether a channel or predicate can be written by this name: no reserved word, no type, not `answers`."""
    return is_answer_key(name) and name not in RESERVED_WORDS and name not in TYPE_NAMES and name != ANSWERS
