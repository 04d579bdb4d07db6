"""Proposals of a model, and the checks for them: support, review, policy, choices, tool loop, text checks.

No function here interprets language. Model, tools and the user's texts are arguments, so that any agent can use them.
"""

from graphwright.flow._json_schemas import closed
from graphwright.proposals._review import Review, Verdict, second_look
from graphwright.proposals._schema import (
    MOST_CHOICES,
    call_branches,
    choices,
    default_values,
    exact,
    not_found,
    with_fields,
)
from graphwright.proposals._text_checks import code_not_in, ids_not_in, links_not_in, numbers_not_in
from graphwright.proposals._tool_loop import Called, Loop, run_tools
from graphwright.text._provenance import (
    MARKED,
    Policy,
    Quotations,
    Sources,
    Support,
    leaves,
    needs_yes,
    occurs,
    passage_of,
    quoted_support,
    support_of,
    supports,
    values_with,
    with_percentages,
)
from graphwright.text.near_names import nearest

__all__ = [
    "MARKED", "Quotations", "Sources", "Support", "leaves", "occurs", "passage_of", "quoted_support", "support_of",
    "supports", "values_with", "with_percentages",
    "Review", "Verdict", "second_look",
    "Policy", "needs_yes",
    "MOST_CHOICES", "choices", "exact", "nearest", "not_found",
    "call_branches", "closed", "default_values", "with_fields",
    "Called", "Loop", "run_tools",
    "code_not_in", "ids_not_in", "links_not_in", "numbers_not_in",
]  # fmt: skip
