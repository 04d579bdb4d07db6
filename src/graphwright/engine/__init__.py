"""The engine: pure, synchronous functions that decide the steps of a turn. Exports the walk, dependencies and votes."""

from graphwright.engine.advance import MAX_DEPTH, Ask, End, Outcome, Perform, Step, Stuck, StuckReason, advance, way_on
from graphwright.engine.constraints import find_questions
from graphwright.engine.dependent_answers import (
    PASSED,
    REOPENED,
    SOURCES,
    Changes,
    Reconsidered,
    Source,
    after_detour,
    applies,
    computed,
    is_outdated,
    opened_questions,
    reads_behind,
    reconsider,
    undecided,
)
from graphwright.engine.paths import PathState, reenter, vote, with_event
from graphwright.engine.position import (
    DECLINED,
    Frame,
    Position,
    Scope,
    entry,
    escape,
    lookup,
    view,
    with_answer,
    without_answer,
)

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
