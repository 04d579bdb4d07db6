"""The usage of turns: which of them failed."""

from __future__ import annotations

from typing import Any

import pytest

from graphwright.store import EventRow
from graphwright_server._turn_usage import USED, turns_of, usage_of

NOTED = "interaction_noted"


@pytest.mark.parametrize(
    ("events", "failed"),
    [
        ([], False),
        ([{"type": "turn_failed"}], True),
        ([{"type": NOTED, "success": False}], True),
        ([{"type": NOTED, "success": False}, {"type": NOTED}], True),
        ([{"type": NOTED, "success": False}, {"type": NOTED, "success": True}], False),
        ([{"type": "turn_failed"}, {"type": NOTED, "success": True}], True),
        ([{"type": "turn_failed", "code": "stopped"}], False),
    ],
)
def test_a_turn_failed_if_the_interaction_log_says_so(events: list[dict[str, Any]], failed: bool) -> None:
    started = [{"type": "turn_started", "turn": turn} for turn in (1, 2)]
    rows = [
        EventRow(seq, 0, "2026-11-30T12:00:00+00:00", event)
        for seq, event in enumerate([started[0], *events, started[1]])
    ]
    assert {row.event["type"] for row in rows} <= {*USED}
    turns = turns_of(rows)
    assert [turn["failed"] for turn in turns] == [failed, False]
    assert [turn["stopped"] for turn in turns] == [any("code" in each for each in events), False]
    assert usage_of(turns)["failed_turns"] == failed
