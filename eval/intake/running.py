"""Runs one case in a session on a separate thread, in a separate data folder."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from eval.intake.cases import Conversation, Utterance
from eval.intake.scoring import Score, score
from eval.measured import Measured
from graphwright import Agent, Session, load
from graphwright.errors import UsageError

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

_MOST_TURNS = 20
_loaded = cache(load)
"""An agent by its name; compiling it takes longer than a case."""
_LEADS, _CALLS = "intake.leads", "intake.calls"


@dataclass(frozen=True, slots=True)
class Result(Measured):
    """The result of a case. `reason` says why it is not `right`; usage counts the turns that the case is about."""

    right: bool = False
    reason: str = ""
    score: Score = field(default_factory=Score)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        return cls(**{**data, "score": Score.from_json(data["score"]), "log": tuple(data["log"])})


async def run_utterance(case: Utterance, model: BaseChatModel) -> Result:
    """Bring a thread into the situation of the case, send the message, and compare the answers.

    Raises UsageError if the flow does not reach the question that the case waits for.
    """
    agent = _loaded(case.agent)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        async with agent.session("case", model=model, home=Path(home)) as session:
            if case.waiting:
                await _brought_to(session, case)
            before = (await session.state())["values"]["answers"]
            turn = await session.send(case.message)
    counted = score(_lasting(agent, before), _lasting(agent, turn.values["answers"]), case.expect, case.may)
    asked = turn.waiting_for.key if turn.waiting_for else turn.status
    reasons = [f"missed {key}" for key in counted.missed]
    reasons += [f"{key} became {value!r}" for key, value in counted.wrong.items()]
    reasons += [f"invented {key}: {value!r}" for key, value in counted.invented.items()]
    if case.then and asked != case.then:
        reasons.append(f"asked for {asked} instead of {case.then}")
    result = Result(case.id, right=not reasons, reason="; ".join(reasons), score=counted)
    return _unless_failed(result.with_turn(turn, case.message))


async def _brought_to(session: Session, case: Utterance) -> None:
    """Answer with values, which needs no model, until the flow asks the question of the case."""
    turn = await session.start()
    while turn.waiting_for is not None and turn.waiting_for.key != case.waiting and turn.error is None:
        key = turn.waiting_for.key
        if key not in case.answers:
            raise UsageError("bad_case", f"case {case.id}: the flow asks for {key!r} first", "Add its answer.")
        turn = await session.resume(case.answers[key])
    if turn.waiting_for is None or turn.error is not None or turn.values["answers"] != case.answers:
        detail = turn.error.message if turn.error else f"the answers are {turn.values['answers']}"
        raise UsageError("bad_case", f"case {case.id}: {case.waiting!r} is not reached: {detail}", "Mend the case.")


async def run_conversation(case: Conversation, model: BaseChatModel) -> Result:
    """Talk to the agent as the simulated user until it ends, and check the data that it stored."""
    agent = _loaded(case.agent)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        async with agent.session("case", model=model, home=Path(home)) as session:
            result, end = await _talk(session, case)
        left = await _left_behind(agent, Path(home))
    reason = result.reason or _wrong_end(case, end, left)
    return _unless_failed(replace(result, right=not reason, reason=reason))


async def _talk(session: Session, case: Conversation) -> tuple[Result, str]:
    """The conversation up to its end, and its last node."""
    spoken: dict[str, int] = {}
    result = Result(case.id, right=True)
    said = case.opens
    while True:
        turn = await session.send(said)
        result = result.with_turn(turn, said)
        if turn.status == "failed":
            return replace(result, reason=f"failed: {result.error}"), ""
        if turn.waiting_for is None:
            return result, turn.path[-1]
        key = turn.waiting_for.key
        lines = case.says.get(key)
        if lines is None:
            return replace(result, reason=f"asked for {key}, to which the user has no line"), ""
        said = lines[min(spoken.get(key, 0), len(lines) - 1)]
        spoken[key] = spoken.get(key, 0) + 1
        if result.turns == _MOST_TURNS:
            return replace(result, reason=f"not over after {_MOST_TURNS} turns; asked for {key} last"), ""


async def _left_behind(agent: Agent, home: Path) -> dict[str, list[dict[str, Any]]]:
    from graphwright.store import open_store

    async with open_store(home) as store:
        leads = [dict(record.value) for record in await store.records.list(_LEADS)]
        calls = [dict(record.value["answers"]) for record in await store.records.list(_CALLS)]
    kept = [{k: v for k, v in lead.items() if k not in ("number", "received")} for lead in leads]
    return {"lead": kept, "call": [_lasting(agent, call) for call in calls]}


def _wrong_end(case: Conversation, end: str, left: Mapping[str, list[dict[str, Any]]]) -> str:
    """The difference between the end and the right one; '' if there is none."""
    if end != case.ends:
        return f"ended at {end} instead of {case.ends}"
    for kind, wanted in (("lead", case.lead), ("call", case.call)):
        found = left[kind]
        if len(found) != (wanted is not None):
            return f"left {len(found)} {kind}s behind"
        if wanted is None:
            continue
        may = case.call_may if kind == "call" else {}
        counted = score({}, found[0], wanted, may)
        if not counted.perfect:
            differing = {**dict.fromkeys(counted.missed), **counted.wrong, **counted.invented}
            return f"the {kind} differs: " + ", ".join(f"{key} is {value!r}" for key, value in differing.items())
    return ""


def _lasting(agent: Agent, answers: Mapping[str, Any]) -> dict[str, Any]:
    """The answers without those to questions that are always asked again, such as "shall I?"."""
    fleeting = {question.key for question in agent.flow.questions if question.ask_always}
    return {key: value for key, value in answers.items() if key not in fleeting}


def _unless_failed(result: Result) -> Result:
    if not result.error:
        return result
    return replace(result, right=False, reason=f"failed: {result.error}")
