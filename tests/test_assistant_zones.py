"""Time zones of calls: the place that a question names decides."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from assistant_support import NOW, World, asked, decides, judges, says, selects, servers, world

from graphwright.agents.assistant import toolbox
from graphwright.agents.assistant.zones import named_zones, zone_of
from graphwright.tools.mcp import McpServer
from graphwright.tools.mcp.library import load as load_mcp

__all__ = ["world"]

TEXT = {"type": "string"}


@pytest.mark.parametrize(
    ("text", "zones"),
    [
        ("What time is it in Tokyo?", ["Asia/Tokyo"]),
        ("Wie spät ist es in Tokio?", ["Asia/Tokyo"]),
        ("Wie spät ist es jetzt in New York?", ["America/New_York"]),
        ("What is the time in Zürich and in São Paulo?", ["Europe/Zurich", "America/Sao_Paulo"]),
        ("Tokyo New York London", ["Asia/Tokyo", "America/New_York", "Europe/London"]),
        ("What time is it in UTC?", ["UTC"]),
        ("What time is it?", []),
        ("Is the North hall open? The Center is.", []),
        # A word that is no name is none.
        ("What is the best phoenix?", []),
    ],
)
def test_places_that_a_question_names(text: str, zones: list[str]) -> None:
    assert named_zones(text) == zones


@pytest.mark.parametrize(
    ("argument", "properties", "text", "zone"),
    [
        ("timezone", {"timezone": TEXT}, "What time is it in Tokyo?", "Asia/Tokyo"),
        ("tz", {"tz": {"enum": ["Asia/Tokyo", "Europe/Zurich"]}}, "What time is it in Tokyo?", "Asia/Tokyo"),
        ("tz", {"tz": {"enum": ["Europe/Zurich"]}}, "What time is it in Tokyo?", ""),
        ("timezone", {"timezone": TEXT}, "What time is it?", ""),
        ("timezone", {"timezone": TEXT}, "In Tokyo or in London?", ""),
        # Which of two is which only a model can tell.
        ("source_timezone", {"source_timezone": TEXT, "target_timezone": TEXT}, "10:00 in Tokyo?", ""),
        ("place", {"place": TEXT}, "The weather in Tokyo?", ""),
    ],
)
def test_the_argument_for_a_zone(argument: str, properties: dict[str, Any], text: str, zone: str) -> None:
    assert zone_of(argument, properties, text) == zone


async def test_the_time_elsewhere_is_that_of_the_place_and_no_instruction_is_told(
    world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    load_mcp()
    from fastmcp import FastMCP

    clock: FastMCP = FastMCP("clock")
    called: list[str] = []

    @clock.tool
    def get_current_time(timezone: str) -> str:
        """The time in a time zone."""
        called.append(timezone)
        return f"{NOW.astimezone(ZoneInfo(timezone)):%Y-%m-%d %H:%M}"

    async def own(*_: Any) -> list[McpServer]:
        return [*servers(world), McpServer("clock", here=clock)]

    monkeypatch.setattr(toolbox, "own_servers", own)
    wrong = selects(("get_current_time", {"timezone": "Europe/Zurich"}))
    text = "The time in Tokyo is 01:00, on the day 2026-11-23 (use 2026-11-22 for date calculations) [1]."
    rules = [decides(), wrong, judges(), says(text)]
    turn = await asked(tmp_path, "What time is it in Tokyo?", rules=rules)
    assert called == ["Asia/Tokyo"]
    assert "The time in Tokyo is 01:00, on the day 2026-11-23" in turn.reply
    assert "date calculations" not in turn.reply
