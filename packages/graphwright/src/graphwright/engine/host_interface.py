"""The interface between a step and its host: the message, facts, commands, their results, and the recorded events.

A step is a synchronous function of the thread's state, its input, its facts and the results it was given. If the result
of Extract or Perform is missing it raises `Needs`; the host executes the command and runs the step again with the
result. The second run produces the events of the first run again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from graphwright.engine._paths import Selection
from graphwright.engine._questions import Candidate, UserQuestion
from graphwright.engine._shown_values import said_value
from graphwright.engine._wording import say
from graphwright.engine.events import PathSwitched, Prompted, TraceEvent
from graphwright.engine.state import CHANGING, ThreadState, applied, blob_key
from graphwright.errors import GraphwrightError, UsageError, exception_text
from graphwright.flow._json_schemas import Option
from graphwright.flow._schema_validation import plain_json
from graphwright.flow.compiled import Action, CompiledFlow, Path, Question

__all__ = [
    "LONGEST_MESSAGE",
    "Inbox",
    "plain_value",
    "CONSENT",
    "Proposal",
    "Proposals",
    "ExtractionRequest",
    "Extract",
    "Perform",
    "Continue",
    "Wait",
    "End",
    "Fail",
    "Command",
    "Performed",
    "Result",
    "Needs",
    "ActionContractError",
    "ActionError",
    "InDoubt",
    "UnreadReply",
    "TimedOut",
    "safe_message",
    "KnownOutcome",
    "ValidatorFailed",
    "Shared",
    "TurnMemory",
    "Facts",
    "Recorder",
    "loaded",
    "seen_values",
]

LONGEST_MESSAGE = 100_000
"""Characters: a longer message is refused, since no question could use it and every prompt would carry it."""


@dataclass(frozen=True, slots=True)
class Inbox:
    """The input of a turn: a text, a value for the pending question (`resume`), or neither (`start`); and files.

    `approves` is the hash of the content that a yes confirms. If it is empty, a yes confirms nothing; if it is None, a
    yes confirms the present content.
    """

    text: str | None = None
    value: Any = None
    has_value: bool = False
    files: tuple[dict[str, Any], ...] = ()
    approves: str | None = None

    @classmethod
    def of_text(cls, text: str, approves: str | None = None) -> Inbox:
        """A message. Raises UsageError for one that is empty or too long."""
        if not text.strip():
            raise UsageError("empty_message", "The message is empty.", "Say something.")
        if len(text) > LONGEST_MESSAGE:
            raise UsageError(
                "long_message",
                f"The message has {len(text):,} characters; at most {LONGEST_MESSAGE:,} are accepted.",
                "Shorten it, or say it in parts.",
            )
        # Databases and providers take no lone surrogates, and some end a text at a NUL.
        return cls(text=text.encode("utf-8", "replace").decode().replace("\0", "\ufffd"), approves=approves)

    @classmethod
    def of_value(cls, value: Any, approves: str | None = None) -> Inbox:
        """A value that answers the waiting question. Raises UsageError for one that is not JSON."""
        return cls(value=plain_value(value), has_value=True, approves=approves)

    def to_json(self) -> dict[str, Any]:
        full = {"text": self.text, "value": self.value, "has_value": self.has_value}
        bound = {} if self.approves is None else {"approves": self.approves}
        return {**full, **bound, "files": list(self.files)} if self.files else full | bound

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Inbox:
        return cls(**{**data, "files": tuple(data.get("files", ()))})

    @property
    def skips(self) -> bool:
        """Whether it leaves the waiting question open."""
        return self.has_value and self.value is None

    @property
    def message(self) -> str | None:
        return self.message_in("")

    def message_in(self, language: str, options: Sequence[Option] = ()) -> str | None:
        """The text of the message; that of a value in the words of a language, or the title of one of the options."""
        if self.skips:
            return say(language, "skip")
        return self.text if not self.has_value else said_value(self.value, options, language)


def plain_value(value: Any) -> Any:
    """The value as JSON has it. Raises UsageError (`not_json`)."""
    try:
        return json.loads(plain_json(value))
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(
            "not_json", f"The value is not JSON: {error}.", "Give a text, a number or other JSON."
        ) from None


CONSENT = ("agrees", "agrees_with_changes", "declines", "unclear")
"""The model's classification of a reply to a confirmation."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A value that the model read, the words it says it came from, and whether it replaces an earlier answer."""

    candidate: Candidate
    value: Any
    quote: str
    correction: bool


@dataclass(frozen=True, slots=True)
class Proposals:
    """The model's reading of a reply.

    `unknown` maps keys to the words of the user that they have no answer; `withdrawn` maps keys of earlier answers to
    the words that withdraw them; `unfit` are values that no answer can take: the key each is meant for, else an empty
    key, and its words. `consent` is one of `CONSENT`, empty without a pending confirmation. `language` is a
    tag such as `de`, as the model gave it. `asks` are the questions of the user: the key of the answer that each is
    about, else an empty key, and its words. `escalate` is the reason why the user wants a person, `abandon` why they
    give up the request; None if they do not. `further` are the words of a reply to a confirmation that ask for
    something else besides it, such as another order or a question.
    """

    answers: tuple[Proposal, ...] = ()
    unknown: Mapping[str, str] = field(default_factory=dict)
    withdrawn: Mapping[str, str] = field(default_factory=dict)
    escalate: str | None = None
    selected: tuple[Selection, ...] = ()
    consent: str = ""
    language: str = ""
    asks: tuple[tuple[str, str], ...] = ()
    abandon: str | None = None
    unfit: tuple[tuple[str, str], ...] = ()
    further: str = ""


@dataclass(frozen=True, slots=True)
class ExtractionRequest:
    """The request to a model: find the `offered` answers and the `paths` in `text`, the reply to `prompt`.

    `waiting` is the answer that is asked for, or None. `answers` are those given so far; `now` is the time of the turn
    in the local zone. `abandonable`: the flow has a node for a request that is given up.
    """

    text: str
    waiting: Candidate | None
    prompt: str
    offered: Sequence[Candidate]
    answers: Mapping[str, Any]
    paths: Mapping[str, Path]
    now: datetime
    abandonable: bool = False

    @property
    def confirms(self) -> bool:
        """Whether a confirmation waits."""
        return self.waiting is not None and self.waiting.question.read == "confirm"


@dataclass(frozen=True, slots=True)
class Extract:
    """Let a model read a message for `node`. The result is `Proposals`, or UnreadReply."""

    node: str
    asked: ExtractionRequest


@dataclass(frozen=True, slots=True)
class Perform:
    """Perform an action under the number `visit`. The result is `Performed`, InDoubt, or the exception of the action.

    `settled`: the user took the items of a list as done whose outcome is unknown. `content` and `confirmed` are for the
    event `ActionFinished`.
    """

    node: Action
    visit: int
    settled: bool = False
    content: str = ""
    confirmed: str = ""


@dataclass(frozen=True, slots=True)
class Continue:
    """Store the step, and run the next one: an action is due."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Wait for the user."""


@dataclass(frozen=True, slots=True)
class End:
    """The conversation has ended."""


@dataclass(frozen=True, slots=True)
class Fail:
    """The turn failed with `error`, which is for people; the thread waits. `cause` is what was raised."""

    error: GraphwrightError
    cause: BaseException | None


Command = Extract | Perform | Continue | Wait | End | Fail


@dataclass(frozen=True, slots=True)
class Performed:
    """The result of an action: channel values (large ones by hash), texts for the user, files `{kind, name, path}`.

    `failed` is the error of the items of a list that failed while the others were done.
    """

    values: Mapping[str, Any]
    said: tuple[str, ...] = ()
    artifacts: tuple[Mapping[str, str], ...] = ()
    failed: GraphwrightError | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """The value or the error of a command, and the events that were recorded while it was executed."""

    observed: tuple[TraceEvent, ...]
    value: Any = None
    error: Exception | None = None


class Needs(BaseException):
    """Ends the run of a step that needs the result of a command. Not an Exception, so that no step can handle it."""

    def __init__(self, command: Extract | Perform) -> None:
        super().__init__(command)
        self.command = command


class ActionContractError(GraphwrightError):
    """An action did what its declaration does not allow. It is not retried, because a retry would fail again."""


class ActionError(GraphwrightError):
    """An action failed at its last attempt."""


class InDoubt(Exception):
    """It is unknown whether an action that must not be repeated was done. The message begins the question about it."""

    def __init__(self, why: str, attempt: int) -> None:
        super().__init__(why)
        self.attempt = attempt


class UnreadReply(Exception):
    """The model that was to read a reply failed with `error`, which is for people."""

    def __init__(self, error: GraphwrightError) -> None:
        super().__init__(error)
        self.error = error


class TimedOut(TimeoutError):
    """The action did not end within the time limit of its node."""


def safe_message(error: BaseException) -> str:
    """The message of an exception on one line of at most 300 characters, with likely secrets removed.

    An exception that is not an error for people says its class, too: the text of a KeyError is a bare key.
    """
    text = exception_text(error)
    name = type(error).__name__
    if not (isinstance(error, GraphwrightError) or name.startswith("_") or text == name):
        text = f"{name}: {text}"
    return text if len(text) <= 300 else f"{text[:299]}…"


@dataclass(frozen=True, slots=True)
class Shared:
    """The values that another flow took from a message, by dotted keys; no code and no model reads the message again.

    `values` maps keys to a value and its quotation. `unknown`, `withdrawn`, `escalate`, `abandon`, `selected` and
    `language` are as in `Proposals`. `owed`: the other flow counted the message as a reply without an answer.
    """

    values: Mapping[str, tuple[Any, str]] = field(default_factory=dict)
    unknown: Mapping[str, str] = field(default_factory=dict)
    withdrawn: Mapping[str, str] = field(default_factory=dict)
    escalate: str | None = None
    abandon: str | None = None
    selected: tuple[Selection, ...] = ()
    language: str = ""
    owed: bool = False


_TAKEN_BACK = (*(kind for kind in CHANGING if kind is not Prompted), PathSwitched)


@dataclass(frozen=True, slots=True)
class KnownOutcome:
    """The stored outcome of a visit that was begun before: it may be done, or its contract is `broken` by `error`."""

    broken: bool
    attempt: int
    error: Mapping[str, Any] = field(default_factory=dict)


class ValidatorFailed(Exception):
    """A validator of the agent raised an exception, whose text is the message."""


@dataclass(slots=True)
class TurnMemory:
    """Data that the steps of one turn share and that is not part of the thread's state.

    `repeated` is the visit that the user wants performed again although it may have been done, `settled` the one whose
    items with an unknown outcome the user took as done; `dropped` has the values
    of dropped answers in words, by their dotted keys. The next prompt reports the committed values in `noted`, and
    answers the user's questions in `asked`. `further` is the sentence for the user about an additional request in the
    reply to a confirmation, until it is shown or an action that reads `message` handles the request. `replied_to` is
    the hash of the prompt of the confirmation that the message answered with something other than yes or no; otherwise
    empty.
    `stale` are the names whose changes, also in earlier turns, made channels stale that were computed again in this
    turn.
    """

    repeated: int = 0
    settled: int = 0
    replied_to: str = ""
    further: str = ""
    dropped: dict[str, str] = field(default_factory=dict)
    noted: dict[str, str] = field(default_factory=dict)
    asked: list[UserQuestion] = field(default_factory=list)
    stale: list[str] = field(default_factory=list)

    def copy(self) -> TurnMemory:
        """A copy that can be changed independently."""
        return replace(
            self, dropped=dict(self.dropped), noted=dict(self.noted), asked=list(self.asked), stale=list(self.stale)
        )


@dataclass(frozen=True, kw_only=True)
class Facts:
    """Everything a step reads except the state and the input. Equal arguments give equal events on every machine.

    `now` is the start of the turn, in the zone of the machine; `token` is random and identifies a new thread.
    `contents` maps hashes to large values, or to the errors of reading them. `tries_again`: the last turn failed.
    `outcome` is the stored outcome of the next visit. `performed` counts the actions of the turn so far; `earlier` are
    the events of its earlier steps. `migration` are the events with which the thread carries over to `flow` from an
    earlier version of it; `asks_again`: the shown question is no longer the pending one, so the message is not a reply
    to it. `shared` is what another flow took from the message. `check` runs the validator of a question on a value; it
    raises ValidatorFailed, and GraphwrightError for a validator that does not exist.
    """

    flow: CompiledFlow
    thread: str
    now: datetime
    token: str
    check: Callable[[Question, Any], bool]
    memory: TurnMemory = field(default_factory=TurnMemory)
    contents: Mapping[str, Any] = field(default_factory=dict)
    without_model: bool = False
    tries_again: bool = False
    outcome: KnownOutcome | None = None
    performed: int = 0
    earlier: Sequence[TraceEvent] = ()
    migration: tuple[TraceEvent, ...] = ()
    asks_again: bool = False
    shared: Shared | None = None


@dataclass(slots=True)
class Recorder:
    """The events of one run of a step. `given` are the results of commands that earlier runs of it needed."""

    facts: Facts
    given: list[Result] = field(default_factory=list)
    events: list[TraceEvent] = field(default_factory=list)
    error: GraphwrightError | None = None
    """Why the turn failed."""
    exception: BaseException | None = None
    """The exception behind `error`."""

    @property
    def flow(self) -> CompiledFlow:
        return self.facts.flow

    def need(self, command: Extract | Perform) -> Any:
        """The result of a command. Raises the error of the command, or Needs if it has not been executed yet."""
        if not self.given:
            raise Needs(command)
        result = self.given.pop(0)
        self.emit(*result.observed)
        if result.error is not None:
            raise result.error
        return result.value

    def emit(self, *events: TraceEvent) -> None:
        """Record events."""
        self.events += events

    def record(self, state: ThreadState, *events: TraceEvent) -> ThreadState:
        """Record events, and return the state after them."""
        self.emit(*events)
        return applied(state, events)

    def take_back(self, since: int) -> None:
        """Remove the events since number `since` that change the state. The others explain the failure in the trace."""
        self.events[since:] = [event for event in self.events[since:] if not isinstance(event, _TAKEN_BACK)]


def loaded(contents: Mapping[str, Any], state: ThreadState, names: Iterable[str]) -> dict[str, Any]:
    """The contents of the named channels that are large and written, from `contents` by hash.

    If `contents` has an error in place of a content, raises it.
    """
    found: dict[str, Any] = {}
    for name in names:
        if key := blob_key(state.channels.get(name)):
            found[name] = contents[key]
            if isinstance(found[name], Exception):
                raise found[name]
    return found


def seen_values(log: Recorder, state: ThreadState) -> dict[str, Any]:
    """The values for guards and templates, with the contents of the large channels that any of them reads."""
    flow = log.flow
    return state.values(loaded(log.facts.contents, state, flow.guard_reads))
