"""The agent at work on a question, through the public door: a session that is given the files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eval.data_scientist.cases import Case
from eval.data_scientist.outcome import MOST_NUMBERS, Outcome
from eval.data_scientist.pictures import Trace, of_matplotlib, of_page
from eval.data_scientist.workspace import workspace
from graphwright import load
from graphwright.agents.data_scientist.results import numbers_of_text

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from graphwright import Turn


async def work_by_agent(case: Case, model: BaseChatModel) -> Outcome:
    """Ask the agent the question over its data, and look at what it made of it."""
    with workspace(case) as (home, files):
        async with load(case.agent).session("question", model=model, home=home) as session:
            turn = await session.send(case.text, files)
            outcome = Outcome(case.id).with_turn(turn, case.text)
            values: Mapping[str, Any] = turn.values
            package = values.get("final_output")
            if package is None:
                return replace(outcome, text=turn.reply)
            result = values["execution_result"] or {}
            found = [*result.get("numbers", ())]
            for name in ("stdout", "shown"):
                found += numbers_of_text(result.get(name, ""))
            return replace(
                outcome,
                text=package["explanation"],
                result=package["result_str"] or "",
                numbers=tuple(dict.fromkeys(found))[:MOST_NUMBERS],
                attempts=values["attempts"],
                succeeded=values["execution_success"],
                failure=values["error"] or "",
                planned=values["plan"]["needs_code"],
                drawn=tuple(await _drawn(turn)),
                log=(*outcome.log, *_tried(values)),
            )


async def _drawn(turn: Turn) -> list[Trace]:
    pages = [artifact.path for artifact in turn.artifacts if artifact.kind == "figure"]
    found = [trace for page in pages for trace in of_page(Path(page))]
    if len(pages) < len(turn.values["final_output"]["figures"]):
        places = {id: dataset["parquet"] for id, dataset in turn.values["datasets"].items()}
        found += await of_matplotlib(turn.values["code"], places)
    return found


def _tried(values: Mapping[str, Any]) -> list[str]:
    tried = [f"code: {each['code']}\nerror: {each['error']}" for each in values["failed_attempts"]]
    return [*tried, f"code: {values['code']}"] if values["execution_success"] else tried
