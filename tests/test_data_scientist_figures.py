"""Figures in conversation: large ones end no turn, and where there is the page alone, the reply says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from runtime_support import scripted
from sandbox_support import needs_sandbox

from graphwright import Turn, load

pytestmark = needs_sandbox


def plan() -> dict[str, Any]:
    steps = {"needs_code": True, "needs_evaluation": False, "needs_explanation": False, "reasoning": "r"}
    return {"offers": "ExecutionPlan", "call": {"ExecutionPlan": steps}}


async def asked(home: Path, question: str, code: str, data: str) -> Turn:
    file = home / "points.csv"
    file.write_text(data, "utf-8")
    model = scripted(plan(), {"text": code, "times": 1})
    async with load("data_scientist").session("t", model=model, home=home) as session:
        return await session.send(question, [file])


async def test_a_large_plot_ends_no_turn(tmp_path: Path) -> None:
    rows = "\n".join(f"{n},{n * 7919 % 1000}" for n in range(200_000))
    turn = await asked(tmp_path, "plot b over a", "fig = px.scatter(df, x='a', y='b')", f"a,b\n{rows}\n")
    output = turn.values["final_output"]
    assert (turn.status, output["output_type"], output["error"]) == ("ended", "visualization", None)
    (figure,) = output["figures"]
    assert figure["html"]
    assert figure["png"]


async def test_a_figure_without_a_picture_is_told(tmp_path: Path) -> None:
    code = "fig = px.choropleth(df, locations='country', color='n')"
    turn = await asked(tmp_path, "plot n by country on a map", code, "country,n\nFRA,1\nITA,2\n")
    (figure,) = turn.values["final_output"]["figures"]
    assert (bool(figure["html"]), figure["png"]) == (True, "")
    said = "There is no PNG of figure-1, only the interactive page: the kind 'choropleth' cannot be drawn"
    assert said in turn.reply
