"""The cost of the kernel, without a host: guards, and pure steps in flows of any size."""

from __future__ import annotations

from collections.abc import Iterator

import graphwright
from bench.flows import CHANNELS, answered, pure
from bench.measure import Case, repeated
from bench.scale import Scale
from graphwright.engine._advance import Ask, End, advance
from graphwright.engine._position import Frame, Position
from graphwright.flow import CompiledFlow
from graphwright.flow.guards import Guard

WALK = 7
"""The number of pure nodes on the walk in the comparison of flow sizes; the smallest flow has ten nodes.
"""

PLAIN_GUARD = "answers.colour == 'red' && answers.budget >= 1000 && answers.city != 'Paris'"
HARD_GUARD = (
    "answers.colour.startsWith('r') && [1000, 2000].exists(limit, answers.budget > limit) "
    "&& size(answers.city) + answers.width > 20"
)
"""Three terms that need more of CEL: functions, a comprehension, arithmetic."""

VALUES = {"answers": {"colour": "red", **CHANNELS}, **CHANNELS}
"""Ten answers, and the channels that the flows of different sizes read."""

STEPS_A_SAMPLE = 2_000


def cases(scale: Scale) -> Iterator[Case]:
    """Guards alone, walks of ten and of a thousand nodes, and the same walk in flows of different sizes."""
    for key, title, text in (
        ("guard/plain", "guard of three plain terms", PLAIN_GUARD),
        ("guard/cel", "guard of three terms with functions, a comprehension and arithmetic", HARD_GUARD),
    ):
        guard = _compiled(answered(1, text)).nodes["n1"].edges[0].guard
        assert guard is not None
        assert guard.evaluate(VALUES).opens

        def evaluate(guard: Guard = guard) -> object:
            return guard.evaluate(VALUES)

        yield Case(key, title, repeated(evaluate, STEPS_A_SAMPLE), STEPS_A_SAMPLE, scale.samples)
    for walked in (10, 1_000):
        yield _walk(
            f"step/{walked}", f"pure step, in a walk of {walked:,}", answered(walked, PLAIN_GUARD), walked, scale
        )
    for size in scale.nodes:
        yield _walk(f"step/size/{size}", f"pure step, in a flow of {size:,} nodes", pure(WALK, size), WALK, scale)


def _walk(key: str, title: str, text: str, walked: int, scale: Scale) -> Case:
    flow = _compiled(text)
    start = Position((Frame(flow.root.id, "n1"),))
    step = advance(flow, start, VALUES)
    assert isinstance(step.outcome, Ask | End)
    assert step.outcome.node.id in ("ask", "done")
    times = max(1, STEPS_A_SAMPLE // walked)
    return Case(key, title, repeated(lambda: advance(flow, start, VALUES), times), times * walked, scale.samples)


def _compiled(text: str) -> CompiledFlow:
    flow = graphwright.compile_text(text, name="bench.yaml").flow
    assert flow is not None
    return flow
