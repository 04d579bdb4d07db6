"""The engine: pure, synchronous functions that decide the steps of a turn. Exports the walk, dependencies and votes."""

from graphwright.engine.advance import MAX_DEPTH, advance, way_on
from graphwright.engine.answers import DECLINED, lookup, view, with_answer, without_answer
from graphwright.engine.constraints import find_questions
from graphwright.engine.outcomes import Ask, End, Outcome, Perform, Step, Stuck, StuckReason
from graphwright.engine.paths import PathState, reenter, vote, with_event
from graphwright.engine.position import Frame, Position, Scope, entry, escape
from graphwright.engine.reconsider import (
    PASSED,
    REOPENED,
    SOURCES,
    Changes,
    Reconsidered,
    Source,
    applies,
    computed,
    is_outdated,
    reads_behind,
    reconsider,
    undecided,
)
from graphwright.engine.redo import after_detour, opened_questions

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
    "opened_questions",
    "PASSED",
    "REOPENED",
    "SOURCES",
    "Changes",
    "Reconsidered",
    "Source",
    "applies",
    "computed",
    "is_outdated",
    "reads_behind",
    "reconsider",
    "undecided",
    # answers
    "DECLINED",
    "find_questions",
    "lookup",
    "view",
    "with_answer",
    "without_answer",
]
