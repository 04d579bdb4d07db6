"""A scripted conversation: what the user says, what the model answers, and what is expected, in a YAML file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from graphwright.errors import GraphwrightError

SUFFIX = ".conversation.yaml"


class ConversationError(GraphwrightError):
    """A conversation file that cannot be run."""


class Expect(BaseModel):
    """What must hold after a turn. Only what is written is compared.

    `node` is where the thread waits or ended. `answers` are compared key by key (null: no such answer); `values` are
    channels. `reply` and `not_reply` are texts, or lists of texts, that the reply must or must not contain, whatever
    the case. `path` is the whole list of nodes entered; `passes` are nodes among them, in this order.
    """

    model_config = ConfigDict(extra="forbid")

    status: str | None = None
    node: str | None = None
    answers: dict[str, Any] | None = None
    values: dict[str, Any] | None = None
    reply: str | list[str] | None = None
    not_reply: str | list[str] | None = None
    path: list[str] | None = None
    passes: list[str] | None = None
    error: str | None = None
    model_calls: int | None = None


class ScriptedTurn(BaseModel):
    """One turn: a message (`user`), a value for the waiting question (`resume`), or a start without either."""

    model_config = ConfigDict(extra="forbid")

    user: Annotated[str, Field(min_length=1)] | None = None
    resume: Any = None
    start: bool = False
    expect: Expect = Field(default_factory=Expect)

    @model_validator(mode="after")
    def _one_kind(self) -> ScriptedTurn:
        given = [self.user is not None, "resume" in self.model_fields_set, self.start]
        if sum(given) != 1:
            raise ValueError("a turn has exactly one of user, resume and start")
        return self


class Conversation(BaseModel):
    """The file. `agent` is a built-in name or a path from the file's folder; `model` holds the scripted rules."""

    model_config = ConfigDict(extra="forbid")

    agent: str
    model: list[dict[str, Any]] = Field(default_factory=list)
    turns: Annotated[list[ScriptedTurn], Field(min_length=1)]


def read_conversation(path: Path) -> Conversation:
    """Read and check a conversation file. Raises ConversationError naming the file and the place in it."""
    try:
        data = yaml.safe_load(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConversationError("bad_conversation", f"{path} cannot be read: {error}", "Mend the file.") from error
    try:
        return Conversation.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        known: dict[str, type[BaseModel]] = {"": Conversation, "turns": ScriptedTurn, "expect": Expect}
        hint = "Fields: " + "; ".join(f"{name or 'file'}: {', '.join(c.model_fields)}" for name, c in known.items())
        raise ConversationError("bad_conversation", f"{path}: {place}: {first['msg']}", hint) from error


async def run_conversation(path: Path, home: Path) -> list[str]:
    """Run a conversation with its data in `home`; gives what was not as expected, one line a mismatch.

    Raises GraphwrightError for a conversation that cannot be run: an unknown agent, a file that is not one.
    """
    from graphwright.models.scripted import ScriptedModel
    from graphwright.runtime.agent import built_in, load

    conversation = read_conversation(path)
    folder = path.parent / conversation.agent
    # A bare name that is no folder here was meant for a built-in agent: `load` knows which ones there are.
    named = conversation.agent in built_in() or not (folder.exists() or "/" in conversation.agent)
    agent = load(conversation.agent if named else folder)
    model = ScriptedModel.from_rules(conversation.model, f"{path}: model")
    wrong: list[str] = []
    async with agent.session("conversation", model=model, home=home) as session:
        for number, scripted in enumerate(conversation.turns, 1):
            if scripted.user is not None:
                turn = await session.send(scripted.user)
            elif scripted.start:
                turn = await session.start()
            else:
                turn = await session.resume(scripted.resume)
            found = mismatches(scripted.expect, turn.to_json())
            said = scripted.user if scripted.user is not None else "start" if scripted.start else scripted.resume
            wrong += [f"turn {number} ({said!r}): {line}" for line in found]
            if turn.error is not None and scripted.expect.error is None:
                wrong.append(f"turn {number} ({said!r}): failed: {turn.error.code}: {turn.error.message}")
                break
    return wrong + [f"after the last turn: {line}" for line in model.verify()]


def mismatches(expect: Expect, turn: Mapping[str, Any]) -> list[str]:
    """How a turn's JSON differs from what is expected of it."""
    wrong: list[str] = []

    def compare(name: str, wanted: Any, got: Any) -> None:
        if wanted is not None and wanted != got:
            wrong.append(f"{name}: expected {wanted!r}, got {got!r}")

    waiting = turn["waiting_for"]
    compare("status", expect.status, turn["status"])
    compare("node", expect.node, waiting["node"] if waiting else (turn["path"] or [None])[-1])
    for key, value in (expect.answers or {}).items():
        got = _dotted(turn["values"]["answers"], key)
        if got != value:
            wrong.append(f"answer {key}: expected {value!r}, got {got!r}")
    for name, value in (expect.values or {}).items():
        if turn["values"].get(name) != value:
            wrong.append(f"channel {name}: expected {value!r}, got {turn['values'].get(name)!r}")
    reply = turn["reply"]
    for text in _texts(expect.reply):
        if text.casefold() not in reply.casefold():
            wrong.append(f"reply: expected {text!r} in it, got {reply!r}")
    for text in _texts(expect.not_reply):
        if text.casefold() in reply.casefold():
            wrong.append(f"reply: expected no {text!r} in it, got {reply!r}")
    compare("path", expect.path, turn["path"])
    if expect.passes is not None and not _in_order(expect.passes, turn["path"]):
        wrong.append(f"path: expected {expect.passes!r} in this order, got {turn['path']!r}")
    compare("error", expect.error, (turn["error"] or {}).get("code"))
    compare("model_calls", expect.model_calls, turn["usage"]["model_calls"])
    return wrong


def _texts(value: str | list[str] | None) -> list[str]:
    return [] if value is None else [value] if isinstance(value, str) else value


def _dotted(answers: Any, key: str) -> Any:
    for part in key.split("."):
        answers = answers.get(part) if isinstance(answers, Mapping) else None
    return answers


def _in_order(wanted: Sequence[str], path: Sequence[str]) -> bool:
    rest = iter(path)
    return all(node in rest for node in wanted)
