"""The events of a trace: those of `_walk_events`, then reading, performing, speaking, waiting and ending."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal

from graphwright.engine._walk_events import (
    AnswerDropped,
    ChannelsStale,
    ConstraintUnmet,
    EdgeTaken,
    Event,
    GuardChecked,
    Jumped,
    NodeEntered,
    PathCorrected,
    PathEvent,
    PathLocked,
    PathRefused,
    PathSwitched,
    PathVoted,
    QuestionPassed,
    QuestionsReopened,
    SubgraphEntered,
    SubgraphLeft,
    WalkEvent,
)

__all__ = [
    "PRIVATE",
    "NodeEntered",
    "QuestionPassed",
    "GuardChecked",
    "EdgeTaken",
    "SubgraphEntered",
    "SubgraphLeft",
    "AnswerDropped",
    "QuestionsReopened",
    "ChannelsStale",
    "ConstraintUnmet",
    "Jumped",
    "PathVoted",
    "PathSwitched",
    "PathLocked",
    "PathCorrected",
    "PathRefused",
    "PathEvent",
    "WalkEvent",
    "TurnEvent",
    "TurnStarted",
    "FileGiven",
    "TurnResumed",
    "ModelCalled",
    "AnswerCommitted",
    "AnswerRefused",
    "AnswerUnknown",
    "AnswersCleared",
    "ChannelsReset",
    "StateAdapted",
    "FlowMigrated",
    "NotUnderstood",
    "Escalated",
    "Said",
    "Saying",
    "Prompted",
    "ConfirmationGiven",
    "ConfirmationMissing",
    "ActionStarted",
    "ActionFinished",
    "ActionFailed",
    "OutcomeUnknown",
    "OutcomeDecided",
    "ToolCalled",
    "ChannelsWritten",
    "ArtifactMade",
    "InteractionNoted",
    "TurnFailed",
    "ShadowCompared",
    "Branched",
    "LanguageRead",
    "ChannelsComputed",
    "Moved",
    "TraceEvent",
    "event_from_json",
    "events_from_json",
    "KINDS",
    "WaitingKind",
]

PRIVATE = "<private>"
"""Replaces the value of a private channel in a trace."""


class TurnEvent(Event):
    """The base of the frozen events, which the walk does not create."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class TurnStarted(TurnEvent):
    """A turn began. `afresh`: the thread was new or had ended, so that the flow starts at its entry.

    `resumed`: the turn answers with `value`, and `message` is its text. `without_model`: the model is `none`. `born` is
    the random token of a new thread; otherwise empty. `now` is the time at which the turn began, in the local zone
    (ISO 8601): the value of `now` in expressions.
    """

    sparse: ClassVar[bool] = True
    turn: int
    message: str | None
    afresh: bool
    flow: str
    flow_hash: str
    resumed: bool = False
    value: Any = None
    without_model: bool = False
    born: str = ""
    now: str = ""

    def to_json(self) -> dict[str, Any]:
        value = {"value": self.value} if self.resumed else {}
        return {**Event.to_json(self), **value}


@dataclass(frozen=True, slots=True)
class HandedOver(TurnEvent):
    """An action left the conversation to a person: `to` whom, if it is said, and the `summary` for them."""

    node: str
    to: str
    summary: str


@dataclass(frozen=True, slots=True)
class FileGiven(TurnEvent):
    """The user gave a file with the message. `sha256` is the hash of its content, `bytes` its size.

    `folder` distinguishes it from other files of the same name; empty if there are none.
    """

    name: str
    sha256: str
    bytes: int
    folder: str = ""


@dataclass(frozen=True, slots=True)
class TurnResumed(TurnEvent):
    """An interrupted turn continues."""

    turn: int


@dataclass(frozen=True, slots=True)
class ModelCalled(TurnEvent):
    """A model answered, or failed. `offered` names the tools or the schema that the request offered.

    `answer` is what it answered, in the form of a rule of the scripted model: `{call: {NAME: {arguments}}}`, `{text}`,
    `{raw}` or `{fail}`. `private` says that the node writes private channels, so that the answer is not shown.
    """

    sparse: ClassVar[bool] = True
    node: str
    model: str
    offered: tuple[str, ...]
    input_tokens: int
    output_tokens: int
    seconds: float
    error: str = ""
    answer: dict[str, Any] = field(default_factory=dict)
    private: bool = False


@dataclass(frozen=True, slots=True)
class AnswerCommitted(TurnEvent):
    """A value became an answer. `quote` holds the user's words it came from; `replaced` the former value."""

    node: str
    key: str
    value: Any
    quote: str = ""
    replaced: Any = None


@dataclass(frozen=True, slots=True)
class AnswerRefused(TurnEvent):
    """A proposed value was not committed. `stage` names the check that refused it: `quotation` (its words
    are not in the message), `correction`, `options`, `schema`, `validate`, `when`, `approval`, `consent`,
    `superseded` or `early`."""

    node: str
    key: str
    value: Any
    quote: str
    stage: str
    reason: str


@dataclass(frozen=True, slots=True)
class AnswerUnknown(TurnEvent):
    """The user has no answer to a question. `declined` says that the question is optional and is passed over now.

    `replaced` is an answer given before that the user took back, with `reason` holding the words.
    """

    node: str
    key: str
    reason: str
    declined: bool
    replaced: Any = None


@dataclass(frozen=True, slots=True)
class AnswersCleared(TurnEvent):
    """A flow with `restart: clear` started again."""


@dataclass(frozen=True, slots=True)
class ChannelsReset(TurnEvent):
    """A new conversation began; these channels have their defaults: those of `scope: conversation`, and new ones."""

    values: dict[str, Any]
    private: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StateAdapted(TurnEvent):
    """The flow changed since the conversation ended, and these `answers` (dotted keys) and `channels` no longer fit.

    The answers are dropped; a channel goes back to its default, or is dropped where the flow has it no more.
    """

    answers: tuple[str, ...]
    channels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FlowMigrated(TurnEvent):
    """The thread moved from version `before` of its flow to version `after` (hashes); `reasons` say what changed in it.

    `by` is the operator who migrated it between two turns; it is empty where the thread carried over at a message.
    `undoes`: the migration before this event is taken back. `state` has the fields of the state that changed, as in
    `ThreadState.to_json`, null for one that has its default again. `gone` are the channels that were removed; `values`
    those that were set.
    """

    sparse: ClassVar[bool] = True
    before: str
    after: str
    reasons: tuple[str, ...] = ()
    by: str = ""
    undoes: bool = False
    state: dict[str, Any] = field(default_factory=dict)
    gone: tuple[str, ...] = ()
    values: dict[str, Any] = field(default_factory=dict)
    private: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NotUnderstood(TurnEvent):
    """A reply gave no answer to the waiting question, for the `count`-th time out of `limit`."""

    node: str
    key: str
    count: int
    limit: int


@dataclass(frozen=True, slots=True)
class Escalated(TurnEvent):
    """The conversation left its normal way for `target`: the user asked for a person, too many replies were invalid,
    or a question has no options to choose from.
    """

    node: str
    target: str
    reason: str


@dataclass(frozen=True, slots=True)
class Said(TurnEvent):
    """Text for the user."""

    node: str
    text: str


@dataclass(frozen=True, slots=True)
class Saying(TurnEvent):
    """A piece of a text that an action is still writing. Sent to listeners during the turn; not part of the trace.

    The final text is the event `said` and may differ. `afresh`: the text starts again with this piece.
    """

    node: str
    text: str
    afresh: bool = False


@dataclass(frozen=True, slots=True)
class Prompted(TurnEvent):
    """The thread waits. `kind` is `question`, `confirm`, `choice` or `message`; `options` are `{value, title}` each.

    `shown` is the hash of the content that a yes would confirm; empty if no action needs it. `unseen`: a migration by
    an operator wrote the prompt, and no turn has shown it to the user.
    """

    node: str
    key: str
    text: str
    kind: WaitingKind
    options: tuple[Mapping[str, Any], ...] = ()
    shown: str = ""
    unseen: bool = False


@dataclass(frozen=True, slots=True)
class ConfirmationGiven(TurnEvent):
    """The user said yes to what `action` is about to do. `content` is the hash of what was confirmed."""

    node: str
    action: str
    content: str


@dataclass(frozen=True, slots=True)
class ConfirmationMissing(TurnEvent):
    """An action was not performed: `reason` is `never_given` or `content_changed`. Question `by` is asked again."""

    action: str
    by: str
    reason: str


@dataclass(frozen=True, slots=True)
class ActionStarted(TurnEvent):
    """An action is being performed. `visit` is its idempotency number in the thread; `attempt` counts from 1."""

    node: str
    run: str
    visit: int
    attempt: int


@dataclass(frozen=True, slots=True)
class ActionFinished(TurnEvent):
    """An action is done.

    For one with effects, `content` is the hash of what it depended on, and `confirmed` the text of its confirmation.
    `recorded` are the collections in which it kept records.
    """

    sparse: ClassVar[bool] = True
    node: str
    run: str
    visit: int
    attempt: int
    seconds: float
    content: str = ""
    confirmed: str = ""
    recorded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ActionFailed(TurnEvent):
    """An attempt failed. `final` says that it was the last one.

    `place` is the file and line of the agent where an unexpected exception was raised; empty for an error for people.
    """

    node: str
    run: str
    visit: int
    attempt: int
    error: str
    final: bool
    place: str = ""


@dataclass(frozen=True, slots=True)
class OutcomeUnknown(TurnEvent):
    """An action that may not be repeated was begun, and a crash or its time limit hides whether it was done."""

    node: str
    run: str
    visit: int
    attempt: int
    reason: str


@dataclass(frozen=True, slots=True)
class OutcomeDecided(TurnEvent):
    """What became of an action whose outcome is unknown, or that was done and comes up again.

    The user said `done`, `again` (it is to be performed), or `leave`, with a no to its confirmation. `kept`: nothing
    that it depends on has changed, or the user left it, so it was passed over.
    """

    node: str
    visit: int
    decision: str


@dataclass(frozen=True, slots=True)
class ToolCalled(TurnEvent):
    """An action called a tool of its node. `arguments` names what was given, without the values.

    When it was not `ok`, `kind` says how it failed (`unknown_tool`, `bad_arguments`, `bad_parameters`, `failed`),
    `error` the message, and `code` the code of a GraphwrightError.
    """

    node: str
    tool: str
    arguments: tuple[str, ...]
    ok: bool
    seconds: float
    kind: str = ""
    error: str = ""
    code: str = ""


@dataclass(frozen=True, slots=True)
class ChannelsWritten(TurnEvent):
    """Channels have new values: complete values, also of a channel that appends; hashes of large values."""

    node: str
    values: dict[str, Any]
    private: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ArtifactMade(TurnEvent):
    """An action made a file."""

    node: str
    kind: str
    name: str
    path: str


@dataclass(frozen=True, slots=True)
class InteractionNoted(TurnEvent):
    """An action, at a failed attempt too, noted something of this turn for the interaction log.

    Later ones of a turn go before earlier ones, field by field. `success` is None where the action did not say.
    """

    sparse: ClassVar[bool] = True
    node: str
    kind: str = ""
    code: str = ""
    result: str = ""
    success: bool | None = None
    error: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TurnFailed(TurnEvent):
    """The turn failed; what it had committed before stays, and the thread can go on."""

    node: str
    code: str
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class ShadowCompared(TurnEvent):
    """The flow that walks in the shadow of the answering one was compared with it after a turn.

    `flow_hash` is the hash of the flow in the shadow. `verdict` is `same`, `different` or `unknown`; `reason` says why
    it is not known. `answering` and `shadow` are the decisions of both flows: `{status, node, key, performed}`.
    """

    flow: str
    flow_hash: str
    verdict: Literal["same", "different", "unknown"]
    answering: Mapping[str, Any]
    shadow: Mapping[str, Any]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Branched(TurnEvent):
    """The thread began as a branch: the events before this one are those of `thread` up to its event `at`.

    `answers` are the dotted keys of the changed answers; the events of the changes follow. `born` is the random token
    of the new thread.
    """

    thread: str
    at: int
    answers: tuple[str, ...] = ()
    born: str = ""


@dataclass(frozen=True, slots=True)
class LanguageRead(TurnEvent):
    """The model that read a reply, or an action, saw another language than before. `language` is a tag such as `de`."""

    language: str


@dataclass(frozen=True, slots=True)
class ChannelsComputed(TurnEvent):
    """An action wrote channels that depend on answers: what computed which channel.

    `sources` has the changed entries, as `Source.to_json`; the channels in `forgotten` have none any more.
    """

    node: str
    sources: Mapping[str, list[Any]]
    forgotten: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Moved(TurnEvent):
    """The thread is at `position`: it waits there, performs the action there as number `visit`, or has ended.

    `position` is as `Position.to_json` gives it, `mode` one of `waiting`, `performing` and `ended`. `way`, if the walk
    changed the decisions that a correction may change: how many of the earlier ones were `kept`, the numbers of those
    among them whose round `ended`, those `taken` (place and target), and whether some are still `open`, because an
    answer or a channel that they read is missing.
    """

    sparse: ClassVar[bool] = True
    position: Mapping[str, Any]
    mode: Literal["waiting", "performing", "ended"]
    visit: int
    way: Mapping[str, Any] | None = None


TraceEvent = WalkEvent | TurnEvent
"""The events of a trace."""


def event_from_json(data: Mapping[str, Any]) -> TraceEvent:
    """An event as `to_json` gave it. Raises ValueError for JSON that this version cannot read."""
    try:
        kind = KINDS[data["type"]]
        return kind(**_arguments(kind, data))  # type: ignore[no-any-return]
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"no event of this version: {error!r}") from error


def events_from_json(rows: Iterable[Mapping[str, Any]]) -> list[TraceEvent]:
    """Events as `to_json` gave them, without those that this version cannot read."""
    found: list[TraceEvent] = []
    for row in rows:
        with suppress(ValueError):
            found.append(event_from_json(row))
    return found


def _arguments(kind: type[Any], data: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments for a class of event: lists as the tuples that its fields are, and fields under their own names."""
    given = {_NAMES.get((kind.type, name), name): value for name, value in data.items() if name not in _DERIVED}
    if kind is AnswerDropped:
        given["path"] = tuple(given["path"].split("."))
    tuples = _TUPLES[kind]
    return {name: tuple(value) if name in tuples else value for name, value in given.items()}


_DERIVED = ("type", "ambiguous")
_NAMES = {("answer_dropped", "key"): "path", ("edge_taken", "else"): "is_else"}
KINDS: dict[str, type[Any]] = {kind.type: kind for kind in (*WalkEvent.__args__, *TurnEvent.__subclasses__())}
_TUPLES = {kind: frozenset(f.name for f in fields(kind) if str(f.type).startswith("tuple")) for kind in KINDS.values()}


WaitingKind = Literal["question", "confirm", "choice", "message"]
