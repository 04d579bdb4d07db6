"""What kind of failure it is, told by evidence, and the remedy: retry, replan, escalate, or end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

TRANSIENT = frozenset(
    (
        *("timeout", "locked", "connection_lost", "conflict", "asked_long_ago"),
        *("model_timeout", "model_rate_limited", "model_server_error", "model_unreachable"),
    )
)
"""Codes of failures after which the same call may go well."""

FOR_USER = frozenset(
    ("ambiguous", "contradiction", "not_found", "ambiguous_key", "missing_key", "identity", "graph_unavailable")
)
"""Codes of failures that only the user can mend: planning again would be guessing."""

FINAL = frozenset(("out_of_scope", "unknown_tool", "too_long", "nothing_there", "undo"))
"""Codes of failures that no answer could mend."""

STEP_RETRIES = 3
"""How often one step is tried again after a failure, whatever its remedy."""

GOAL_FAILURES = 10
"""How many failures a goal may have in all."""

REPLANS = 2
"""How often a step is planned again, with the error shown, before the user is asked."""

LONGEST_PAUSE = 8.0
"""Seconds."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """`kind` says what the evidence shows; `pause` is in seconds, for `retry`."""

    kind: Literal["identical", "random", "systematic"]
    remedy: Literal["retry", "replan", "escalate", "end"]
    reason: str
    pause: float = 0.0

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "remedy": self.remedy, "reason": self.reason}


def diagnose(failures: Sequence[Mapping[str, Any]]) -> Diagnosis:
    """The diagnosis of the last of a goal's failures: `{code, message, tool_name, arguments, step}` each.

    `step` counts the steps that were done before it: failures with the same number stand at the same step.
    """
    last, before = failures[-1], failures[:-1]
    code = last["code"]
    here = [f for f in before if f["step"] == last["step"]]
    same = [f for f in before if _call(f) == _call(last) and f["code"] == code]
    # A model is called several times before its failure is one: waiting for it again takes minutes.
    most = 1 if code.startswith("model_") else STEP_RETRIES
    left = len(here) < most and len(failures) < GOAL_FAILURES
    if code == "timeout" and same:
        return Diagnosis("identical", "escalate", "timeout: the very same call takes too long every time")
    if code in FINAL:
        return Diagnosis("systematic", "end", f"{code}: no other step could help")
    if code in TRANSIENT:
        if not left:
            return Diagnosis("random", "escalate", f"{code}: it did not go away after {len(here) + 1} attempts")
        pause = 0.0 if code in ("conflict", "asked_long_ago") else min(LONGEST_PAUSE, 0.5 * 2 ** len(here))
        return Diagnosis("random", "retry", f"{code}: the same call may go well the next time", pause)
    if same and _call(last) is not None:
        return Diagnosis("identical", "escalate", f"{code}: the very same call failed the same way before")
    if code in FOR_USER:
        return Diagnosis("systematic", "escalate", f"{code}: only the user can say")
    if left and len(here) < REPLANS:
        return Diagnosis("systematic", "replan", f"{code}: another call is needed")
    return Diagnosis("systematic", "escalate", f"{code}: planning again did not help")


def retries_left(failures: Sequence[Mapping[str, Any]], step: int) -> int:
    """How many more failures at this step may be diagnosed before the goal is escalated outright."""
    here = sum(1 for f in failures if f["step"] == step)
    return max(0, min(STEP_RETRIES + 1 - here, GOAL_FAILURES - len(failures)))


def _call(failure: Mapping[str, Any]) -> Any:
    return (failure["tool_name"], failure["arguments"]) if failure["tool_name"] else None
