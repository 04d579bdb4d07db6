"""Guards and templates: CEL behind a small interface (compile, check, evaluate, explain, names read)."""

from graphwright.flow.guards._language import Language
from graphwright.flow.guards._program import Guard, Verdict
from graphwright.flow.guards._templates import Template
from graphwright.flow.guards._vocabulary import Problem, Vocabulary, is_answer_key, is_variable

__all__ = [
    # compile
    "Language",
    "Vocabulary",
    "Problem",
    # run
    "Guard",
    "Template",
    "Verdict",
    # names
    "is_answer_key",
    "is_variable",
]
