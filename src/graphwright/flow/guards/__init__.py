"""Guards and templates: CEL behind a small interface (compile, check, evaluate, explain, names read)."""

from graphwright.flow.guards.language import Language
from graphwright.flow.guards.model import PROBLEM_KINDS, Problem, Verdict, Vocabulary
from graphwright.flow.guards.names import is_answer_key, is_variable
from graphwright.flow.guards.program import Guard
from graphwright.flow.guards.templates import Template

__all__ = [
    # compile
    "Language",
    "Vocabulary",
    "Problem",
    "PROBLEM_KINDS",
    # run
    "Guard",
    "Template",
    "Verdict",
    # names
    "is_answer_key",
    "is_variable",
]
