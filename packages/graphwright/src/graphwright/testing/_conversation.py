"""The file of a scripted conversation: messages, model replies and expectations; and the errors in it."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from graphwright.errors import GraphwrightError
from graphwright.flow._source import MAX_BYTES, Source, read_plain
from graphwright.testing._stubs import ActionStub, Failure, ServerTool, Stubs, ToolStub
from graphwright.text.near_names import Names
from graphwright.text.sentences import many

SUFFIX = ".conversation.yaml"

MAX_PROBLEMS = 20
"""Maximum number of listed problems of one file."""

Status = Literal["waiting", "ended", "failed"]


_CENTURY = 36_525 * 86_400
_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
_DURATION = re.compile(r"(\d+(?:\.\d+)?) ?([smhd])", re.ASCII)


def _seconds(value: Any) -> float:
    found = _DURATION.fullmatch(value) if isinstance(value, str) else None
    seconds = float(found[1]) * _UNITS[found[2]] if found else value
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or seconds <= 0:
        raise ValueError(f"{value!r} is not a duration: write 90s, 15m, 25h or 2d, or a number of seconds above 0")
    return float(seconds)


def _moment(value: Any) -> Any:
    try:
        return datetime.fromisoformat(value).astimezone()
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{value!r} is not a date and time: write it as 2026-01-31T09:00") from None


def duration_text(seconds: int) -> str:
    """Return a duration as a file writes it, in the largest unit with a whole number."""
    size, unit = max((size, unit) for unit, size in _UNITS.items() if not seconds % size)
    return f"{seconds // size}{unit}"


class Expect(BaseModel):
    """Expectations after a turn. Only the given fields are compared.

    `node` is where the thread waits or ended. `answers` are compared key by key (null: no such answer); `values` are
    channels. `reply` and `not_reply` are texts, or lists of texts, that the reply must or must not contain, ignoring
    case. `path` is the whole list of nodes entered; `passes` are nodes among them, in this order. `active_path` is the
    locked path, empty for none. `options` are those of the pending question, by value or title, in order. `error` is
    the code of a turn that fails.
    """

    model_config = ConfigDict(extra="forbid")

    status: Status | None = None
    node: str | None = None
    answers: dict[str, Any] | None = None
    values: dict[str, Any] | None = None
    reply: str | list[str] | None = None
    not_reply: str | list[str] | None = None
    path: list[str] | None = None
    passes: list[str] | None = None
    active_path: str | None = None
    options: list[Any] | None = None
    error: str | None = None
    model_calls: int | None = None


class ScriptedTurn(BaseModel):
    """One turn: a message (`user`), a value for the pending question (`resume`), or a start without either.

    `files` are sent with the message: paths relative to the conversation file. `model` are the only replies of the
    model in this turn, strictly in order, each once; `none`: the turn has no model. `after` is the time before the
    turn, in seconds or written as `25h`.
    """

    model_config = ConfigDict(extra="forbid")

    user: Annotated[str, Field(min_length=1)] | None = None
    resume: Any = None
    start: bool = False
    files: list[str] = Field(default_factory=list)
    after: Annotated[float, BeforeValidator(_seconds)] = 0.0
    model: list[Any] | Literal["none"] | None = None
    expect: Expect = Field(default_factory=Expect)

    @model_validator(mode="after")
    def _one_kind(self) -> ScriptedTurn:
        given = [self.user is not None, "resume" in self.model_fields_set, self.start]
        if sum(given) != 1:
            raise ValueError("A turn has exactly one of user, resume and start")
        if self.files and self.user is None:
            raise ValueError("Files come with a message: the turn needs user")
        return self

    @property
    def label(self) -> Any:
        """The name of the turn in messages: the user's message, `start`, or the value."""
        return self.user if self.user is not None else "start" if self.start else self.resume


class Conversation(BaseModel):
    """The file. `agent` is a built-in name or a path relative to the file; `model` has the rules of the model.

    `stubs` replace actions, tools and MCP servers. `settings` are those of the agent, like its table `[agents.NAME]`.
    `now` is the time of the first turn, by default the current time; then only `after` moves it. `limit` is the maximum
    duration of a turn in seconds. `end` is the status after the last turn. `trace` says that the file has a golden
    trace; `varies` are regular expressions for the parts of it that differ from run to run.
    """

    model_config = ConfigDict(extra="forbid")

    agent: Annotated[str, Field(min_length=1)]
    settings: dict[str, Any] = Field(default_factory=dict)
    now: Annotated[datetime | None, BeforeValidator(_moment)] = None
    limit: Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)] = 60.0
    trace: bool = False
    varies: list[re.Pattern[str]] = Field(default_factory=list)
    model: list[Any] = Field(default_factory=list)
    stubs: Stubs = Field(default_factory=Stubs)
    turns: Annotated[list[ScriptedTurn], Field(min_length=1)]
    end: Status | None = None

    @model_validator(mode="after")
    def _within_a_century(self) -> Conversation:
        # Dates have a maximum.
        if sum(turn.after for turn in self.turns) > _CENTURY:
            raise ValueError("turns: More than a century passes")
        return self


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem in a conversation file. Line and column count from 1; 0 is the file as a whole."""

    code: str
    message: str
    hint: str = ""
    line: int = 0
    column: int = 0


class ConversationError(GraphwrightError):
    """A conversation file cannot be run. `problems` are all problems found; `code` is that of the first one."""

    def __init__(self, file: Path, problems: Sequence[Problem]) -> None:
        self.file = file
        self.problems = tuple(sorted(problems, key=lambda p: (p.line, p.column)))
        lines = []
        for problem in self.problems[:MAX_PROBLEMS]:
            place = f"{file}:{problem.line}:{problem.column}" if problem.line else str(file)
            lines.append(f"{place}: {problem.message} {problem.hint}".rstrip())
        if len(self.problems) > MAX_PROBLEMS:
            lines.append(f"{file}: and {many(len(self.problems) - MAX_PROBLEMS, 'more problem')}.")
        super().__init__(self.problems[0].code, "\n".join(lines))


@dataclass(frozen=True, slots=True)
class ConversationFile:
    """A conversation, its file, and the positions of its fields."""

    path: Path
    conversation: Conversation
    source: Source

    def problem(
        self, code: str, place: tuple[str | int, ...], message: str, hint: str = "", *, key: bool = False
    ) -> Problem:
        """Return a problem at a place in the data, such as `("turns", 2, "expect", "node")`, or at its `key`."""
        span = self.source.span(place, key=key)
        return Problem(code, message, hint, span.line, span.column)

    def line(self, turn: int) -> int:
        """Return the first line of a turn; turns count from 1."""
        return self.source.span(("turns", turn - 1)).line


def with_present_ids(conversation: Conversation, renamed: Mapping[str, str]) -> Conversation:
    """The conversation with the present ids of nodes where it has earlier ones; `renamed` maps these (`was`)."""
    if not renamed:
        return conversation

    def present(name: str) -> str:
        return renamed.get(name, name)

    def expected(expect: Expect) -> Expect:
        named = {"node": expect.node and present(expect.node)}
        lists = {name: list(map(present, ids)) for name in ("path", "passes") if (ids := getattr(expect, name))}
        return expect.model_copy(update={**named, **lists})

    turns = [turn.model_copy(update={"expect": expected(turn.expect)}) for turn in conversation.turns]
    actions = {present(name): stubs for name, stubs in conversation.stubs.actions.items()}
    stubs = conversation.stubs.model_copy(update={"actions": actions})
    return conversation.model_copy(update={"turns": turns, "stubs": stubs})


def with_present_keys(conversation: Conversation, keys: Mapping[str, str], known: Container[str]) -> Conversation:
    """The conversation with the present keys of answers where it expects earlier ones that are not `known`."""

    def present(name: str) -> str:
        scope, dot, key = name.rpartition(".")
        now = f"{scope}{dot}{keys.get(key, key)}"
        return now if name not in known and now in known else name

    def expected(expect: Expect) -> Expect:
        answers = {present(name): value for name, value in (expect.answers or {}).items()}
        return expect.model_copy(update={"answers": answers or None})

    if not keys:
        return conversation
    turns = [turn.model_copy(update={"expect": expected(turn.expect)}) for turn in conversation.turns]
    return conversation.model_copy(update={"turns": turns})


def read_conversation(path: Path) -> ConversationFile:
    """Read and check a conversation file. Raises ConversationError with all problems and their positions."""
    source = _read(path)
    try:
        return ConversationFile(path, Conversation.model_validate(source.data), source)
    except ValidationError as error:
        raise ConversationError(path, list(_problems(error, source))) from None


def _read(path: Path) -> Source:
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        problem = Problem("unreadable", f"It cannot be read: {error.strerror}.", "Check the path.")
        raise ConversationError(path, [problem]) from None
    source, findings = read_plain(content)
    if source is None or findings:
        problems = [Problem("bad_yaml", each.message, each.hint, each.span.line, each.span.column) for each in findings]
        raise ConversationError(path, problems)
    if not isinstance(source.data, dict):
        problem = Problem("bad_conversation", "It is not a mapping of fields.", "Begin with `agent: ...` and `turns:`.")
        raise ConversationError(path, [problem])
    return source


def _problems(error: ValidationError, source: Source) -> Iterator[Problem]:
    for found in error.errors(include_url=False, include_input=False):
        place = tuple(found["loc"])
        unknown = found["type"] == "extra_forbidden"
        span = source.span(place, key=unknown)
        where, hint = _named(place), ""
        if unknown:
            fields = _fields_at(place)
            hint = Names(fields).hint(str(place[-1]), f"Fields there: {', '.join(fields)}.")
            message = f"{where}: There is no such field."
        else:
            message = f"{found['msg'].removeprefix('Value error, ').rstrip('.')}."
            message = f"{where}: {message}" if where else message
        yield Problem("bad_conversation", message, hint, span.line, span.column)


def _fields_at(place: tuple[str | int, ...]) -> list[str]:
    """Return the valid fields at the place of an unknown one."""
    form: type[BaseModel]
    match place:
        case ("stubs", _):
            form = Stubs
        case ("stubs", "mcp", _, _, _):
            form = ServerTool
        case ("stubs", *_, "fails", _):
            form = Failure
        case ("stubs", "actions", *_):
            form = ActionStub
        case ("stubs", *_):
            form = ToolStub
        case (_,):
            form = Conversation
        case _:
            form = Expect if "expect" in place[:-1] else ScriptedTurn
    return list(form.model_fields)


def _named(place: tuple[str | int, ...]) -> str:
    """Return a place in words: `turn 1: expect.node`."""
    if place[:1] == ("turns",) and len(place) > 1 and isinstance(place[1], int):
        rest = ".".join(map(str, place[2:]))
        return f"turn {place[1] + 1}{f': {rest}' if rest else ''}"
    return ".".join(map(str, place))
