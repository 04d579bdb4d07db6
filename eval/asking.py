"""Questions with known right answers: asked in a session of an agent, turn by turn, with the collected answers."""

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
from graphwright.models._failures import EmptyReply, MalformedReply, RefusedToolCall

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

_ANSWERED = ("", *(f.code for f in (BadReply, CutReply, EmptyReply, MalformedReply, PromptTooLong, RefusedToolCall)))
"""Codes of calls that the model answered, well or badly, or would have refused."""


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

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        return cls(**{**data, "log": tuple(data["log"]), "answers": tuple(data["answers"])})

    def with_usage(self, usage: Usage, seconds: float) -> Self:
        """Add the usage of a plain loop."""
        return replace(
            self.stamped(),
            model_calls=usage.model_calls,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            seconds=seconds,
        )

    def with_answer(self, said: str, answer: Mapping[str, Any], log: Sequence[str] = ()) -> Self:
        """Add one more turn of a plain loop."""
        lines = (f"user: {said}", *log, f"loop: {answer['text']}")
        return replace(self, turns=self.turns + 1, answers=(*self.answers, answer), log=(*self.log, *lines))


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict: right if it has no `reasons`. `rule` is the first broken rule, or the deciding one.

    `counts` are the figures of the case: a number, a flag, or the name of a group.
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


def beside(answer: Mapping[str, Any], piece: str) -> bool:
    """Whether a piece of an answer occurs more often in the reply than in the model's text, as in a note about it."""
    plain = (piece.partition("://")[2] or piece).lstrip("#")
    return bool(answer["reply"].count(plain) > answer["wrote"].count(plain))
