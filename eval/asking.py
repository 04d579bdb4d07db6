"""Questions with known right answers: asked of an agent or of a plain loop, with the collected answers."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field

import graphwright
import graphwright_confined
import graphwright_files
from eval.evaluation import Evaluation, Verdict
from eval.measured import Count, Measured
from eval.wording import language
from graphwright import Turn, load
from graphwright.models import (
    BadReply,
    CutReply,
    ModelCall,
    ModelFailure,
    PromptTooLong,
    count_usage,
    observe_calls,
)
from graphwright.models._failures import EmptyReply, MalformedReply, RefusedToolCall
from graphwright.proposals import run_tools
from graphwright.tools import ToolRegistry
from graphwright_assistant import retrieval

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

_ANSWERED = ("", *(f.code for f in (BadReply, CutReply, EmptyReply, MalformedReply, PromptTooLong, RefusedToolCall)))
"""Codes of calls that the model answered, well or badly, or would have refused."""

Broken: TypeAlias = tuple[str, str]
"""The rule that an answer breaks, and the reason."""

E = TypeVar("E")

_CORE = Path(graphwright.__file__).parent
_BESIDE = ("agents", "cli", "testing")
_LIBRARIES = tuple(
    Path(module.__file__).parent for module in (graphwright_confined, graphwright_files, retrieval) if module.__file__
)


class Question(BaseModel):
    """The messages of a user, turn by turn in one conversation; `files` are sent with the first turn.

    A question that a developer of the agent has examined is `seen`, and no longer evidence.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    kind: str
    language: str
    turns: tuple[str, ...] = Field(min_length=1)
    files: tuple[str, ...] = ()
    seen: bool = False
    note: str = ""

    def decides(self) -> dict[str, Any]:
        """The fields that determine the conversation; expectations are not included."""
        return self.model_dump(mode="json", include={"id", "turns", "files", "corpus"})


@dataclass(frozen=True, slots=True)
class AskedQuestion(Measured):
    """An asked question. It has no verdict, which is computed from it each time.

    `answers` has one mapping for each turn, as JSON: `text` is the answer, `reply` all that the user was shown, `wrote`
    the last text of the model; each evaluation adds further fields.
    """

    answers: tuple[Mapping[str, Any], ...] = ()


Q = TypeVar("Q", bound=Question)


class Questions(Evaluation[Q, AskedQuestion]):
    """Questions, asked and judged. They depend on most of the package."""

    played_as = AskedQuestion
    code = (
        *sorted(each.parent for each in _CORE.glob("*/__init__.py") if each.parent.name not in _BESIDE),
        *_LIBRARIES,
        Path(__file__),
    )


async def ask_agent(
    agent: str,
    question: Question,
    model: BaseChatModel,
    home: Path,
    files: Sequence[Path],
    seen: Callable[[Turn, str], Mapping[str, Any]],
    clock: Callable[[], datetime] | None = None,
) -> AskedQuestion:
    """Ask an agent in a separate session. The clock is fixed, if given.

    `seen` returns the data to keep of a turn; it also receives the last text of the model.
    """
    asked, calls = AskedQuestion(question.id), list[ModelCall]()
    timed: dict[str, Any] = {"clock": clock} if clock else {}
    async with load(agent).session("question", model=model, home=home, **timed) as session:
        with observe_calls(calls.append):
            for number, text in enumerate(question.turns):
                calls.clear()
                turn = await session.send(text, files if number == 0 else ())
                wrote = next((str(call.answer["text"]) for call in reversed(calls) if "text" in call.answer), "")
                answer = {**seen(turn, wrote), "reply": turn.reply, "wrote": wrote}
                asked = replace(asked.with_turn(turn, text), answers=(*asked.answers, answer))
                if turn.error is not None:
                    return asked
    # An agent handles an unavailable model as well as it can: such an answer is not evidence about either.
    last = calls[-1].error if calls else ""
    return asked if last in _ANSWERED else replace(asked, error=f"{last}: the model could not be asked")


class Desk(Protocol):
    """The place where a plain loop works on a question, with the same tools as the agent."""

    def tools(self) -> ToolRegistry:
        """The tools for the next turn."""

    def answer(self, text: str) -> tuple[Mapping[str, Any], Sequence[str]]:
        """The data kept of the turn with this last text, and its log."""


async def ask_loop(
    question: Question, model: BaseChatModel, system: str, desk: AbstractAsyncContextManager[Desk], *, rounds: int
) -> AskedQuestion:
    """Ask one model that calls tools directly, without the agent. Its last text after these rounds is the answer."""
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

    asked, messages, began = AskedQuestion(question.id), list[Any]([SystemMessage(system)]), time.perf_counter()
    with count_usage() as usage:
        async with desk as at:
            for said in question.turns:
                messages.append(HumanMessage(said))
                try:
                    text = (await run_tools(model, messages, at.tools(), rounds=rounds)).text
                except ModelFailure as failure:
                    asked = replace(asked, error=f"{failure.code}: {failure.message}")
                    break
                messages.append(AIMessage(text or "Done."))
                answer, log = at.answer(text)
                asked = replace(
                    asked,
                    turns=asked.turns + 1,
                    answers=(*asked.answers, answer),
                    log=(*asked.log, f"user: {said}", *log, f"loop: {text}"),
                )
    return asked.with_usage(usage, time.perf_counter() - began)


def beside(answer: Mapping[str, Any], piece: str) -> bool:
    """Whether a piece of an answer occurs more often in the reply than in the model's text, as in a note about it."""
    plain = (piece.partition("://")[2] or piece).lstrip("#")
    return bool(answer["reply"].count(plain) > answer["wrote"].count(plain))


@dataclass(frozen=True, slots=True)
class TurnVerdict:
    """The verdict on one turn.

    `made_up` are the invented pieces of the answer, `flags` are true for a question if they are for each of its turns.
    """

    broken: Sequence[Broken]
    made_up: Sequence[str]
    flags: Mapping[str, bool]
    refused: bool = False


def judged_turns(
    question: Question,
    asked: AskedQuestion,
    expected: Sequence[E],
    judge: Callable[[E, Mapping[str, Any]], TurnVerdict],
    *,
    decided: str,
    groups: Mapping[str, str],
) -> Verdict:
    """The verdict on a question, all of whose turns must be right. `decided` is its rule if no rule is broken."""
    broken: list[Broken] = [("failed", asked.error)] if asked.error else []
    total, flags = Counter[str](), dict[str, bool]()
    for expect, answer in zip(expected, asked.answers, strict=False):
        turn = judge(expect, answer)
        broken += turn.broken
        total["refused"] += turn.refused
        total["invented"] += len(turn.made_up)
        total["unnoted"] += sum(not beside(answer, each) for each in turn.made_up)
        total["slipped"] += language(answer["text"]) not in ("", question.language)
        total["looked"] += answer["looked"]
        flags |= {name: flags.get(name, True) and flag for name, flag in turn.flags.items()}
    missing = range(len(asked.answers), len(expected))
    broken += [("failed", f"turn {number + 1} was not answered") for number in missing]
    counts: dict[str, Count] = {"language": question.language, **groups, "rule": broken[0][0] if broken else decided}
    counts |= {name: total[name] for name in ("refused", "invented", "unnoted")}
    counts |= {**flags, "slipped": total["slipped"], "looked": total["looked"]}
    return Verdict(tuple(f"{rule}: {how}" for rule, how in broken), counts)
