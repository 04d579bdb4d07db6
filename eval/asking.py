"""Questions whose right answer is known: asked through the public door of an agent, turn after turn, and what came."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from pydantic import BaseModel, ConfigDict, Field

from eval.measured import Measured
from graphwright import Turn, load
from graphwright.models import (
    BadReply,
    CutReply,
    ModelCall,
    PromptTooLong,
    Usage,
    observe_calls,
)
from graphwright.models.failures import EmptyReply, MalformedReply, RefusedToolCall

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

_ANSWERED = ("", *(f.code for f in (BadReply, CutReply, EmptyReply, MalformedReply, PromptTooLong, RefusedToolCall)))
"""Codes of calls that the model has answered, well or badly, or would not have."""


class Question(BaseModel):
    """What a user asks, turn by turn in one conversation; `files` are given with the first turn.

    A question that somebody who works on the agent has looked at is `seen`: no evidence any more.
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
        """All of it that decides how it goes; what is expected is not told to anybody."""
        return self.model_dump(mode="json", include={"id", "turns", "files", "corpus"})


@dataclass(frozen=True, slots=True)
class Asked(Measured):
    """A question that was asked. It holds no judgement: that is made anew from it each time.

    `answers` holds one mapping a turn, JSON: `text` is the answer, `reply` all that the user was shown, `wrote` what
    the model wrote last; each evaluation adds its own.
    """

    answers: tuple[Mapping[str, Any], ...] = ()

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        return cls(**{**data, "log": tuple(data["log"]), "answers": tuple(data["answers"])})

    def with_usage(self, usage: Usage, seconds: float) -> Self:
        """With what a plain loop took."""
        return replace(
            self.stamped(),
            model_calls=usage.model_calls,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            seconds=seconds,
        )

    def with_answer(self, said: str, answer: Mapping[str, Any], log: Sequence[str] = ()) -> Self:
        """With one more turn of a plain loop."""
        lines = (f"user: {said}", *log, f"loop: {answer['text']}")
        return replace(self, turns=self.turns + 1, answers=(*self.answers, answer), log=(*self.log, *lines))


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether it is right: without `reasons`. `rule` is the first that was broken, else the one that decided.

    `counts` are the figures of the case: how often, whether, or a name to group it by.
    """

    reasons: tuple[str, ...]
    rule: str
    counts: Mapping[str, int | bool | str]
    shown: tuple[str, ...] = ()

    @property
    def right(self) -> bool:
        return not self.reasons


async def ask_agent(
    agent: str,
    question: Question,
    model: BaseChatModel,
    home: Path,
    files: Sequence[Path],
    seen: Callable[[Turn, str], Mapping[str, Any]],
    clock: Callable[[], datetime] | None = None,
) -> Asked:
    """Ask an agent in a session of its own. The clock stands, if given.

    `seen` says what is to be kept of a turn; it is also given the text that the model wrote last.
    """
    asked, calls = Asked(question.id), list[ModelCall]()
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
    # An agent makes the best of a model that cannot be had: such an answer says nothing about either.
    last = calls[-1].error if calls else ""
    return asked if last in _ANSWERED else replace(asked, error=f"{last}: the model could not be asked")


def beside(answer: Mapping[str, Any], piece: str) -> bool:
    """Whether a piece of an answer stands in the reply more often than the model wrote it: a note tells of it."""
    plain = (piece.partition("://")[2] or piece).lstrip("#")
    return bool(answer["reply"].count(plain) > answer["wrote"].count(plain))
