"""The cases: what a user says, in which situation, and what must be known afterwards. Read from YAML."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from eval.reading import checked, read_yaml, require_own_ids
from graphwright.errors import UsageError

UTTERANCES = "utterances.yaml"
CONVERSATIONS = "conversations"


class Case(BaseModel):
    """What every case has."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    agent: str = "intake"


class Utterance(Case):
    """One message in one situation. The head of utterances.yaml says what each field means."""

    set: Literal["tuning", "test"]
    category: str
    waiting: str = ""
    answers: dict[str, Any] = Field(default_factory=dict)
    message: str
    expect: dict[str, Any]
    may: dict[str, Any] = Field(default_factory=dict)
    then: str = ""


class Conversation(Case):
    """A whole conversation with a simulated user.

    `opens` is the first message; `says` holds, for each answer that may be asked for, what the user says, the last
    line again and again. "Did you mean" is answered by what the user wants, as `lead` or `call` have it. `ends` is
    the node where it must end, `lead` the only lead that must be left behind, `call` the answers of the only note for
    a colleague; where one is not named, there must be none.
    """

    about: str
    opens: str
    says: dict[str, list[str]]
    ends: str
    lead: dict[str, Any] | None = None
    call: dict[str, Any] | None = None
    call_may: dict[str, Any] = Field(default_factory=dict)


def read_utterances(folder: Path) -> list[Utterance]:
    """The utterances in `folder`, in the order of the file. Raises UsageError naming what cannot be read."""
    file = folder / UTTERANCES
    if not file.is_file():
        return []
    found = checked(list[Utterance], read_yaml(file), file)
    require_own_ids((utterance.id for utterance in found), file)
    return found


def read_conversations(folder: Path) -> list[Conversation]:
    """The conversations in `folder`, one a file, by name. Raises UsageError naming what cannot be read."""
    files = sorted((folder / CONVERSATIONS).glob("*.yaml"))
    return [checked(Conversation, {"id": file.stem, **_mapping(read_yaml(file), file)}, file) for file in files]


def _mapping(data: Any, file: Path) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise UsageError("bad_case", f"{file} is no mapping of fields", "Mend the file.")
    return data
