"""Runs one case in a session on a separate thread, in a separate data folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from eval.intake.cases import Conversation, Utterance
from eval.measured import Measured
from graphwright import Agent, Session, load
from graphwright.errors import UsageError

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

AGENT = "intake"
MOST_TURNS = 20

_loaded = cache(load)
"""An agent by its name; compiling it takes longer than a case."""

_LEADS, _CALLS = "intake.leads", "intake.calls"

Answers: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Talked(Measured):
    """A run case, without a verdict, which is computed from it each time; usage counts the turns it is about.

    `before` and `after` are the answers around the message of an utterance. `end` is the last node or the question that
    is asked at the end, `stuck` why a conversation did not end, `left` what it stored: `{lead: [...], call: [...]}`.
    """

    before: Answers = field(default_factory=dict)
    after: Answers = field(default_factory=dict)
    end: str = ""
    stuck: str = ""
    left: Mapping[str, Sequence[Answers]] = field(default_factory=dict)


async def run_utterance(case: Utterance, model: BaseChatModel, home: Path) -> Talked:
    """Bring a thread into the situation of the case, and send the message.

    Raises UsageError if the flow does not reach the question that the case waits for.
    """
    agent = _loaded(AGENT)
    async with agent.session("case", model=model, home=home) as session:
        if case.waiting:
            await _brought_to(session, case)
        before = (await session.state())["values"]["answers"]
        turn = await session.send(case.message)
    before, after = (_lasting(agent, answers) for answers in (before, turn.values["answers"]))
    end = turn.waiting_for.key if turn.waiting_for else turn.status
    return Talked(case.id, before=before, after=after, end=end).with_turn(turn, case.message)


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


async def run_conversation(case: Conversation, model: BaseChatModel, home: Path) -> Talked:
    """Talk to the agent as the simulated user until it ends, and read the data that it stored."""
    from graphwright.store import open_store

    agent = _loaded(AGENT)
    async with agent.session("case", model=model, home=home) as session:
        talked = await _talk(session, case)
    async with open_store(home) as store:
        leads = [record.value for record in await store.records.list(_LEADS)]
        calls = [record.value["answers"] for record in await store.records.list(_CALLS)]
    kept = [{k: v for k, v in lead.items() if k not in ("number", "received")} for lead in leads]
    return replace(talked, left={"lead": kept, "call": [_lasting(agent, call) for call in calls]})


async def _talk(session: Session, case: Conversation) -> Talked:
    spoken: dict[str, int] = {}
    talked, said = Talked(case.id), case.opens
    while True:
        turn = await session.send(said)
        talked = talked.with_turn(turn, said)
        if turn.status == "failed":
            return talked
        if turn.waiting_for is None:
            return replace(talked, end=turn.path[-1])
        key = turn.waiting_for.key
        lines = case.says.get(key)
        if lines is None:
            return replace(talked, stuck=f"asked for {key}, to which the user has no line")
        said = lines[min(spoken.get(key, 0), len(lines) - 1)]
        spoken[key] = spoken.get(key, 0) + 1
        if talked.turns == MOST_TURNS:
            return replace(talked, stuck=f"not over after {MOST_TURNS} turns; asked for {key} last")


def _lasting(agent: Agent, answers: Answers) -> Answers:
    """The answers without those to questions that are always asked again, such as "shall I?"."""
    fleeting = {question.key for question in agent.flow.questions if question.ask_always}
    return {key: value for key, value in answers.items() if key not in fleeting}
