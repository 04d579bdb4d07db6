"""The plan of an answer: what the model proposed, mended by what code can see."""

from __future__ import annotations

import re
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from graphwright.agents.data_scientist.mentions import Mentions
from graphwright.agents.data_scientist.words import PLOTTING


class ExecutionPlan(BaseModel):
    """Which steps answer the question."""

    model_config = ConfigDict(extra="ignore")

    reasoning: str = Field(description="one short sentence", max_length=2_000)
    needs_code: bool = Field(description="the answer has to be computed from the data")
    needs_evaluation: bool = Field(description="the computed result has to be judged, not only told")
    needs_explanation: bool = Field(default=True, description="the answer needs words")


_CONCEPT = re.compile(
    r"^\W*(?:please\s+)?(?:can you\s+|could you\s+)?(?:explain|define|describe what|tell me what)\b"
    r"|^\W*what(?:'s|’s| is| are| does| do)\s+(?:an?\s+|the\s+(?:difference|meaning|idea|point|purpose)\b)?"
    r"|^\W*(?:how|when|why)\s+(?:does|do|is|are|should|would|can|to)\b|\bmeans?\s*\?*$|\bdifference between\b",
    re.IGNORECASE,
)
_DEFINED = re.compile(r"^\W*(?:what(?:'s|’s| is| are)\s+an?\s|explain|define)", re.IGNORECASE)
_COUNTED = re.compile(
    r"\b(?:how many|how much|number of|count|list|show|which|compute|calculate|top|first|last)\b", re.IGNORECASE
)
_OF_THIS_DATA = re.compile(
    r"\b(?:the|this|these|my|our|your)\s+"
    r"(?:data|dataset|data set|table|file|columns?|variables?|rows?|features?|sample)\b",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"^\W*(?:what|which|who|whose|where|when|is|are|was|were|do|does|did|has|have|how|find|test|check|fit|regress|compare|"
    r"predict|rank|group|sort|average|mean|median|total|sum|correlat\w+|whats)\b",
    re.IGNORECASE,
)
_JUDGED = re.compile(
    r"\b(?:is it|is this|is that|are they|unusual|significant|significantly|enough|good|bad|too|collinear\w*|"
    r"should|recommend|conclude|interpret|normal(?:ly)?|strong|weak|reliable|evidence)\b",
    re.IGNORECASE,
)


UNPLANNED = ExecutionPlan(reasoning="the model made no plan", needs_code=False, needs_evaluation=False)
"""What code plans from where the model gives nothing that it can read."""


def is_conceptual(question: str, mentions: Mentions) -> bool:
    """Whether it asks for a term, and nothing of this data."""
    if mentions.columns or mentions.values or mentions.missing or _OF_THIS_DATA.search(question):
        return False
    # "What is a histogram?" names a picture and wants none.
    if (mentions.datasets or PLOTTING.search(question)) and not _DEFINED.search(question):
        return False
    return bool(_CONCEPT.search(question)) and not _COUNTED.search(question)


def mended(proposed: ExecutionPlan, question: str, mentions: Mentions, *, data: bool) -> dict[str, Any]:
    """The plan as it is carried out: code runs for questions on the data, never for those on terms."""
    plan = proposed.model_dump()
    if not data or is_conceptual(question, mentions):
        plan["needs_code"] = False
    elif mentions.of_the_data or any(p.search(question) for p in (PLOTTING, _COUNTED, _OF_THIS_DATA, _ASKED)):
        plan["needs_code"] = True
    if not plan["needs_code"]:
        plan["needs_evaluation"] = False
        plan["needs_explanation"] = True
    elif not _JUDGED.search(question) and PLOTTING.search(question):
        # A picture speaks for itself; there is nothing in it that a model could judge.
        plan["needs_evaluation"] = False
    return plan
