"""The goals: what a user asks of a graph, what the user answers when asked back, and what must come of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from eval.graph_editor.graphs import State, read_graph
from eval.graph_editor.wishes import Wish, changed
from eval.reading import read_named
from eval.replies import Reply
from graphwright.errors import UsageError

GOALS = "goals.yaml"
LANGUAGES = {"en": "English", "de": "German", "es": "Spanish", "fr": "French", "ja": "Japanese"}


class Goal(BaseModel):
    """One goal. The head of goals.yaml says what each field means."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    set: Literal["tuning", "test"]
    graph: str
    kind: str
    language: Literal["en", "de", "es", "fr", "ja"] = "en"
    agent: str = "graph_editor"
    given: Wish = Field(default_factory=Wish)
    text: str
    replies: tuple[Reply, ...] = ()
    expect: tuple[Wish, ...]
    withdrawn: Wish = Field(default_factory=Wish)

    @field_validator("expect", mode="before")
    @classmethod
    def _alternatives(cls, value: Any) -> Any:
        return value if isinstance(value, list) else [value]

    @property
    def bad(self) -> bool:
        """Whether nothing can be done for it as it is: it must be refused, or asked about."""
        return any(wish.refuse for wish in self.expect)

    def reply_to(self, question: str) -> str | None:
        """What the user has to say to a question; None for one that the user has no answer to."""
        return next((reply.say for reply in self.replies if reply.fits(question)), None)

    def begin(self, folder: Path) -> State:
        """The graph as it is when the goal is given. Raises UsageError."""
        try:
            return changed(read_graph(folder, self.graph), self.given)
        except ValueError as error:
            raise UsageError("bad_case", f"goal {self.id}: given: {error}", "Mend the goal.") from error

    def decides(self) -> dict[str, Any]:
        """All of it that decides how it is worked on: the user agrees to what is expected."""
        return self.model_dump(mode="json", exclude={"set", "kind", "language", "withdrawn"})


def read_goals(folder: Path) -> list[Goal]:
    """The goals in `folder`, in the order of the file. Raises UsageError naming what cannot be read."""
    return read_named(Goal, folder / GOALS)
