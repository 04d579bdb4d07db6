"""The cases: the user's message, the situation, and the expected answers. Read from YAML."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from eval.reading import checked, read_cases, read_yaml
from graphwright.errors import UsageError

UTTERANCES = "utterances.yaml"
CONVERSATIONS = "conversations"


class Case(BaseModel):
    """The common fields of every case."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    kind: str
    seen: bool = False

    def decides(self) -> dict[str, Any]:
        """The fields that determine the conversation; expectations are not included."""
        return self.model_dump(mode="json", include={"id", "waiting", "answers", "message", "opens", "says"})


class Utterance(Case):
    """One message in one situation. The head of utterances.yaml describes each field."""

    waiting: str = ""
    answers: dict[str, Any] = Field(default_factory=dict)
    message: str
    expect: dict[str, Any]
    may: dict[str, Any] = Field(default_factory=dict)
    then: str = ""


class Conversation(Case):
    """A whole conversation with a simulated user.

    `opens` is the first message. For each possible question, `says` has the user's replies; the last one is repeated.
    "Did you mean" is answered with the wanted value from `lead` or `call`. `ends` is the expected last node, `lead` the
    only expected lead, `call` the answers of the only expected note for a colleague; if one is omitted, there must be
    none.
    """

    kind: str = "conversation"
    about: str
    opens: str
    says: dict[str, list[str]]
    ends: str
    lead: dict[str, Any] | None = None
    call: dict[str, Any] | None = None
    call_may: dict[str, Any] = Field(default_factory=dict)


def read_utterances(folder: Path) -> list[Utterance]:
    """The utterances in `folder`, in the order of the file. Raises UsageError for an unreadable file."""
    return read_cases(Utterance, folder / UTTERANCES)


def read_conversations(folder: Path) -> list[Conversation]:
    """The conversations in `folder`, one in each file, by name. Raises UsageError for an unreadable file."""
    files = sorted((folder / CONVERSATIONS).glob("*.yaml"))
    return [checked(Conversation, {"id": file.stem, **_mapping(read_yaml(file), file)}, file) for file in files]


def _mapping(data: Any, file: Path) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise UsageError("bad_case", f"{file} is no mapping of fields", "Correct the file.")
    return data
