"""What is changed, what a model proposes for it, and the progress on the way: the data, and its JSON."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from graphwright.authoring._commands import Data, all_nodes
from graphwright.authoring._limits import Allowed
from graphwright.flow import Compilation, CompiledFlow, Diagnostic
from graphwright.flow.difference import Difference, Line, text_lines

MOST_ROUNDS = 3
"""The maximum number of replies of the model."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a scripted conversation. `file` is its path in the folder of the agent.

    `events` are the lines of the trace of the first turn with a problem.
    """

    file: str
    passed: bool
    problems: tuple[str, ...] = ()
    events: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {"file": self.file, "passed": self.passed, "problems": list(self.problems)}


OnTested = Callable[[int, int], None]
"""Called before each conversation with its number, and the number of all."""


@dataclass(frozen=True, slots=True)
class Subject:
    """The flow to change, and the functions that check it.

    `text` is the document, empty for a new flow with the id `new_id`. `compile` compiles a text. `test` runs the
    scripted conversations on a text, with added or replaced files by their paths in the folder of the agent.
    `conversations` are the texts of the present files.
    """

    text: str
    compile: Callable[[str], Compilation]
    test: Callable[[str, Mapping[str, str], OnTested], Awaitable[Sequence[Outcome]]]
    allowed: Allowed = field(default_factory=Allowed)
    conversations: Mapping[str, str] = field(default_factory=dict)
    new_id: str = ""
    agent_path: str = ".."
    """How a conversation in the folder `tests` names the agent."""


Status = Literal["proposed", "unproven", "invalid", "question", "cannot"]


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposed change, not yet accepted.

    `status` is `proposed` (the flow compiles, and all its conversations pass), `unproven` (it compiles, but a
    conversation fails or a command was refused), `invalid` (it does not compile), `question` (the model needs
    `question` answered) or `cannot`. `text` is the new document, `before` the present one. `files` are new and
    rewritten conversations by their paths in the folder of the agent. `difference` are the lines of the difference by
    meaning with their styles; `cautions` what a person should look at twice. `rounds` counts the replies of the model.
    """

    status: Status
    before: str
    text: str
    summary: str = ""
    question: str = ""
    cannot: str = ""
    demands: tuple[str, ...] = ()
    commands: tuple[Mapping[str, Any], ...] = ()
    refused: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    difference: tuple[Line, ...] = ()
    cautions: tuple[str, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    rounds: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return the proposal as JSON."""
        return {
            "status": self.status,
            "summary": self.summary,
            "question": self.question,
            "cannot": self.cannot,
            "demands": list(self.demands),
            "commands": [dict(each) for each in self.commands],
            "refused": list(self.refused),
            "diagnostics": [each.to_json() for each in self.diagnostics],
            "difference": [each.to_json() for each in self.difference],
            "cautions": list(self.cautions),
            "conversations": [each.to_json() for each in self.outcomes],
            "files": dict(self.files),
            "text": self.text,
            "rounds": self.rounds,
        }


@dataclass(frozen=True, slots=True)
class Round:
    """The outcome of one reply of the model, for showing progress."""

    number: int
    commands: int
    refused: tuple[str, ...]
    errors: int
    warnings: int
    outcomes: tuple[Outcome, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the round as JSON."""
        return {
            "round": self.number,
            "commands": self.commands,
            "refused": list(self.refused),
            "errors": self.errors,
            "warnings": self.warnings,
            "passed": sum(each.passed for each in self.outcomes),
            "failed": sum(not each.passed for each in self.outcomes),
        }


@dataclass(frozen=True, slots=True)
class Progress:
    """What is being done in a round: `asking` the model, `checking` its commands, or `testing` a conversation."""

    step: Literal["asking", "checking", "testing"]
    round: int
    conversation: int = 0
    conversations: int = 0

    def __str__(self) -> str:
        doing = {
            "asking": "asking the model",
            "checking": "checking the commands",
            "testing": f"running conversation {self.conversation} of {self.conversations}",
        }
        return f"Round {self.round} of {MOST_ROUNDS}: {doing[self.step]}"

    def to_json(self) -> dict[str, Any]:
        """Return the progress as JSON."""
        return {
            "step": self.step,
            "round": self.round,
            "rounds": MOST_ROUNDS,
            "conversation": self.conversation,
            "conversations": self.conversations,
        }


def difference_lines(found: Difference | None, after: CompiledFlow | None, document: Data) -> Iterator[Line]:
    """The lines of the difference with their styles; of a new flow its nodes. Empty if one does not compile."""
    if after is None:
        return
    if found is not None:
        yield from text_lines(found)
        return
    yield Line("heading", "nodes")
    for name, node in all_nodes(document).items():
        yield Line("added", f"  + {name} ({node.get('type')})")
