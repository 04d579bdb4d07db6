"""The kernel: the pure functions that move a position and count votes for a path, with their outcomes and events."""

from graphwright.kernel.advance import MAX_DEPTH, advance, way_on
from graphwright.kernel.answers import DECLINED, lookup, view, with_answer, without_answer
from graphwright.kernel.constraints import find_questions
from graphwright.kernel.outcomes import Ask, End, Outcome, Perform, Step, Stuck, StuckReason
from graphwright.kernel.paths import PathState, reenter, vote, with_event
from graphwright.kernel.position import Frame, Position, Scope, entry, escape
from graphwright.kernel.reconsider import (
    PASSED,
    REOPENED,
    SOURCES,
    Changes,
    Reconsidered,
    Source,
    applies,
    computed,
    reconsider,
    settled,
)
from graphwright.kernel.redo import after_detour

__all__ = [
    # the function
    "advance",
    "way_on",
    "MAX_DEPTH",
    # outcomes
    "Ask",
    "End",
    "Outcome",
    "Perform",
    "Step",
    "Stuck",
    "StuckReason",
    # positions
    "Frame",
    "Position",
    "Scope",
    "entry",
    "escape",
    # paths
    "PathState",
    "reenter",
    "vote",
    "with_event",
    # dependent answers
    "after_detour",
    "PASSED",
    "REOPENED",
    "SOURCES",
    "Changes",
    "Reconsidered",
    "Source",
    "applies",
    "computed",
    "reconsider",
    "settled",
    # answers
    "DECLINED",
    "find_questions",
    "lookup",
    "view",
    "with_answer",
    "without_answer",
]
