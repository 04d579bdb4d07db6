"""The state of a thread, and `apply`: the state after an event. Only `apply` changes a state."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any, Literal, NamedTuple

from graphwright.engine import events as trace
from graphwright.engine._dependent_answers import PASSED, REOPENED, SOURCES, UNDECIDED, Source
from graphwright.engine._paths import PathState, with_event
from graphwright.engine._position import DECLINED, Position, Scope, Taken, lookup, with_answer, without_answer
from graphwright.engine._replaced import replaced
from graphwright.engine.events import WaitingKind
from graphwright.errors import GraphwrightError, UsageError
from graphwright.flow._dependencies import unscoped
from graphwright.flow.guards._vocabulary import ACTIVE_PATH, ANSWERS, NOW

__all__ = [
    "Mode",
    "WORDS",
    "Early",
    "Aside",
    "ThreadState",
    "content_hash",
    "apply",
    "applied",
    "CHANGING",
    "MOST_FILES",
    "WaitingFor",
    "with_files",
    "BLOB",
    "blob_key",
]

Pinned = Literal["", "undone", "chosen"]
"""Why a thread stays in its version of the flow: an operator undid its migration, or chose that version; else empty."""

Mode = Literal["new", "waiting", "performing", "ended"]


REFUSED_OVER_OTHERS = ("validate", "options")
"""The stages that may refuse a value because of another answer."""

WORDS = 1000
"""Characters of a message that is stored with each value kept of it; of a longer one the quotation is stored."""


class Early(NamedTuple):
    """A value that the user volunteered before it could be checked, its quotation, and the message that holds it."""

    value: Any
    quote: str
    words: str


class Aside(NamedTuple):
    """A value that was put aside until it is valid, and whether the user was told that it is not."""

    value: Any
    told: bool


class Effect(NamedTuple):
    """The last time that an action with effects was done in a conversation: its node and answer scopes, and when.

    `content` is the hash of what it depended on, empty if that is not known; `confirmed` the text of its confirmation.
    `kept`: it came up again, and the user leaves it as it is. `order` is greater than that of the decisions and effects
    before it, 0 if that is not known.
    """

    node: str
    scopes: tuple[Scope, ...]
    at: str = ""
    content: str = ""
    confirmed: str = ""
    kept: bool = False
    order: int = 0

    def to_json(self) -> list[Any]:
        scopes, order = [list(scope) for scope in self.scopes], [self.order] if self.order else []
        return [self.node, scopes, self.at, self.content, self.confirmed, self.kept, *order]

    @classmethod
    def from_json(cls, data: list[Any]) -> Effect:
        node, scopes, *rest = data
        return cls(node, tuple(Scope(*scope) for scope in scopes), *rest)


@dataclass(frozen=True)
class ThreadState:
    """The state of a thread. Immutable: `apply` returns a new one.

    `visit` counts performed actions and is the idempotency number of the present one. `confirmed` maps an action to
    the hash of the confirmed content and the confirming question; `shown` is the hash of the content that the user was
    last shown to confirm; `unseen`: no turn has shown the pending question; `failed` maps an action to the visit in
    which it failed after a confirmation, and to that hash. `invalid` counts, by dotted key, the replies without an
    answer.
    `born` is a random token that distinguishes this thread from an earlier one of the same id. `files` are those
    that the user gave, each with name, sha256 and bytes. `now` is the time at which the turn began. `language` is
    the tag of the user's language, empty until a model has read a reply. `reconsider` uses `reopened` (answers to
    ask again), `passed` (questions that did not apply) and `sources` (the action that computed each channel).
    `early` maps dotted keys to volunteered values that cannot be checked yet, because their options do not exist or
    a guard of their question reads another such value. `aside` maps dotted keys to the answers of closed branches,
    to those that cannot be checked for now, and to corrections that were refused, maybe because of another answer.
    `seq` and `messages` are the numbers of the next event and the next message, `turn_seq` is the number of the first
    event of the turn; the host counts them. `performed` are actions
    with effects that were performed before the conversation went back and may come up again: the user is asked first.
    `effects` has what is known of each action with effects that was done. `way` are the decisions that led to the
    position, each place once with its latest decision, without those of rounds that ended; `changes` are the names of
    answers and channels that changed since these decisions were last compared with the values. `held` are actions that
    are announced before they are performed, because a migration leads to them without a yes; `EVERY` stands for all,
    until a question is shown.
    """

    born: str = ""
    flow_hash: str = ""
    mode: Mode = "new"
    position: Position | None = None
    answers: Mapping[str, Any] = field(default_factory=dict)
    channels: Mapping[str, Any] = field(default_factory=dict)
    message: str = ""
    now: str = ""
    language: str = ""
    files: tuple[dict[str, Any], ...] = ()
    paths: PathState = field(default_factory=PathState)
    declined: tuple[str, ...] = ()
    reopened: Mapping[str, Any] = field(default_factory=dict)
    passed: tuple[str, ...] = ()
    sources: Mapping[str, Source] = field(default_factory=dict)
    early: Mapping[str, Early] = field(default_factory=dict)
    aside: Mapping[str, Aside] = field(default_factory=dict)
    carried: Mapping[str, Any] = field(default_factory=dict)
    invalid: Mapping[str, int] = field(default_factory=dict)
    confirmed: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    failed: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    visit: int = 0
    seq: int = 0
    messages: int = 0
    turn: int = 0
    turn_seq: int = 0
    waiting: WaitingFor | None = None
    shown: str = ""
    unseen: bool = False
    pinned: Pinned = ""
    performed: tuple[str, ...] = ()
    effects: tuple[Effect, ...] = ()
    way: tuple[Taken, ...] = ()
    changes: tuple[str, ...] = ()
    held: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Plain JSON without fields at their defaults, so that it stays small."""
        full: dict[str, Any] = {name: getattr(self, name) for name in _FIELDS} | {
            "position": self.position.to_json() if self.position else None,
            "files": list(self.files),
            "paths": self.paths.to_json(),
            "declined": list(self.declined),
            "passed": list(self.passed),
            "sources": {channel: source.to_json() for channel, source in self.sources.items()},
            "early": {key: list(entry) for key, entry in self.early.items()},
            "aside": {key: list(entry) for key, entry in self.aside.items()},
            "confirmed": {name: list(entry) for name, entry in self.confirmed.items()},
            "failed": {name: list(entry) for name, entry in self.failed.items()},
            "waiting": self.waiting.to_json() if self.waiting else None,
            "performed": list(self.performed),
            "effects": [each.to_json() for each in self.effects],
            "way": [each.to_json() for each in self.way],
            "changes": list(self.changes),
            "held": list(self.held),
        }
        return {k: v for k, v in full.items() if v not in (None, "", 0, [], {})}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ThreadState:
        """The state that `to_json` gave. Raises GraphwrightError (`unreadable_state`)."""
        try:
            known = dict(data)
            if "position" in known:
                known["position"] = Position.from_json(known["position"])
            known["paths"] = PathState.from_json(known.get("paths", {}))
            known["files"] = tuple(known.get("files", ()))
            for name in ("declined", "passed", "performed", "changes", "held"):
                known[name] = tuple(known.get(name, ()))
            known["effects"] = tuple(Effect.from_json(each) for each in known.get("effects", ()))
            known["way"] = tuple(Taken.from_json(each) for each in known.get("way", ()))
            known["sources"] = {name: Source.from_json(source) for name, source in known.get("sources", {}).items()}
            known["early"] = {key: Early(*entry) for key, entry in known.get("early", {}).items()}
            known["aside"] = {key: Aside(*entry) for key, entry in known.get("aside", {}).items()}
            known["confirmed"] = {name: (content, by) for name, (content, by) in known.get("confirmed", {}).items()}
            if "waiting" in known:
                known["waiting"] = WaitingFor.from_json(known["waiting"])
            known["failed"] = {name: (visit, content) for name, (visit, content) in known.get("failed", {}).items()}
            return cls(**known)
        except (TypeError, ValueError, KeyError, AttributeError) as error:
            raise GraphwrightError(
                "unreadable_state",
                "The state of this thread cannot be read: it was changed by hand, or written by another version of "
                "Graphwright.",
                "Its messages and its trace are still there. Begin a new thread to go on.",
            ) from error

    @property
    def at(self) -> Position:
        """The position of a thread that has begun."""
        assert self.position is not None
        return self.position

    def waits_for(self, *kinds: WaitingKind) -> bool:
        """Whether the thread waits for a reply of one of these kinds."""
        return self.waiting is not None and self.waiting.kind in kinds

    def values(self, loaded: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The values for guards, templates and actions. `loaded` has the contents of the fetched large channels."""
        return {
            **self.channels,
            **(loaded or {}),
            "answers": self.answers,
            "message": self.message,
            "active_path": self.paths.locked,
            NOW: self.now or None,
            DECLINED: self.declined,
            REOPENED: self.reopened,
            PASSED: self.passed,
            SOURCES: self.sources,
        }

    def confirmed_hash(self, action: str) -> str | None:
        """The hash of the content that the user confirmed for an action, or None."""
        found = self.confirmed.get(action)
        return found[0] if found else None

    def visit_of(self, action: str) -> int:
        """The number under which an action is performed now.

        Where it failed and the user said yes to the very same again, that is the number of the failed visit: the
        attempt may have done its work after all, so it must keep its idempotency key.
        """
        failed = self.failed.get(action)
        return failed[0] if failed is not None and failed[1] == self.confirmed_hash(action) else self.visit


EVERY = "*"
"""Stands in `ThreadState.held` for every action."""

_FIELDS = tuple(each.name for each in fields(ThreadState))
_NEW = ThreadState()
_OF_A_CONVERSATION = (
    *("paths", "reopened", "passed", "sources", "early", "invalid", "confirmed", "failed", "waiting"),
    *("shown", "unseen", "pinned", "performed", "effects", "way", "changes", "held"),
)
"""The fields that a new conversation of the thread begins without."""

_COUNTED = ("flow_hash", "channels", "seq", "messages", "turn", "turn_seq")
"""The fields that are not in the `state` of a migration: other fields of the event, and the counters of the host."""

_MIGRATED = tuple(name for name in _FIELDS if name not in _COUNTED)
_migrated_fields = attrgetter(*_MIGRATED)


def content_hash(content: Any) -> str:
    """SHA-256 of the canonical JSON of a value."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def apply(state: ThreadState, event: trace.TraceEvent) -> ThreadState:
    """The state after an event. Most events of a walk change nothing."""
    change = _CHANGES.get(type(event))
    return state if change is None else change(state, event)


def applied(state: ThreadState, events: Iterable[trace.TraceEvent]) -> ThreadState:
    """The state after several events, in their order."""
    for event in events:
        state = apply(state, event)
    return state


def changed_fields(before: ThreadState, after: ThreadState) -> dict[str, Any]:
    """The fields in which a migration changed a state, as `to_json` has them, null for one at its default.

    The channels, the hash of the flow and what the host counts are not among them.
    """
    values = zip(_MIGRATED, _migrated_fields(before), _migrated_fields(after), strict=True)
    changed = [name for name, old, new in values if old is not new and old != new]
    if not changed:
        return {}
    json_of = after.to_json()
    return {name: json_of.get(name) for name in changed}


def _path(key: str) -> tuple[str, ...]:
    return tuple(key.split("."))


def _without(mapping: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in mapping.items() if key not in keys}


def _unconfirmed(state: ThreadState, question: str) -> Mapping[str, tuple[str, str]]:
    """The confirmations without those that a question gave."""
    return {action: entry for action, entry in state.confirmed.items() if entry[1] != question}


def _turn_started(state: ThreadState, event: trace.TurnStarted) -> ThreadState:
    state = replaced(
        state,
        born=event.born or state.born,
        turn=event.turn,
        message=event.message or "",
        now=event.now,
        flow_hash=event.flow_hash,
    )
    if not event.afresh:
        return state
    # The choice of a path ends with the conversation: its lock would also apply to the next one.
    fresh = {name: getattr(_NEW, name) for name in _OF_A_CONVERSATION}
    return replaced(state, carried=state.answers, **fresh)


def _file_given(state: ThreadState, event: trace.FileGiven) -> ThreadState:
    file = {"name": event.name, "sha256": event.sha256, "bytes": event.bytes}
    return replaced(
        state, files=with_files(state.files, [{**file, **({"folder": event.folder} if event.folder else {})}])
    )


def _state_adapted(state: ThreadState, event: trace.StateAdapted) -> ThreadState:
    answers = state.answers
    for key in event.answers:
        answers = without_answer(answers, _path(key))
    return replaced(state, answers=answers, channels=_without(state.channels, *event.channels))


def _flow_migrated(state: ThreadState, event: trace.FlowMigrated) -> ThreadState:
    if state.flow_hash != event.after:
        # At a message, the event of the turn said so before.
        state = replaced(state, flow_hash=event.after)
    if event.gone or event.values:
        state = replaced(state, channels={**_without(state.channels, *event.gone), **event.values})
    if not event.state:
        return state
    found = ThreadState.from_json({name: value for name, value in event.state.items() if value is not None})
    return replaced(state, **{name: getattr(found, name) for name in event.state})


def _changed(state: ThreadState, *names: str) -> ThreadState:
    return replaced(state, changes=tuple(dict.fromkeys((*state.changes, *names)))) if names else state


def _answer_committed(state: ThreadState, event: trace.AnswerCommitted) -> ThreadState:
    given, before = lookup(state.answers, _path(event.key))
    if not given or before != event.value:
        state = _changed(state, f"{ANSWERS}.{event.key}")
    return replaced(
        state,
        answers=with_answer(state.answers, _path(event.key), event.value),
        declined=tuple(key for key in state.declined if key != event.key),
        reopened=_without(state.reopened, event.key),
        early=_without(state.early, event.key),
        aside=_without(state.aside, event.key),
        invalid={},
        # A new reply takes back what an earlier one confirmed.
        confirmed=_unconfirmed(state, event.node),
    )


def _answer_refused(state: ThreadState, event: trace.AnswerRefused) -> ThreadState:
    kept = state.early.get(event.key)
    if event.stage == "early":
        words = state.message if len(state.message) <= WORDS else event.quote
        early = {**state.early, event.key: Early(event.value, event.quote, words)}
        return replaced(state, early=early, aside=_without(state.aside, event.key))
    if kept is not None and kept.value == event.value:
        state = replaced(state, early=_without(state.early, event.key))
    if event.stage in REFUSED_OVER_OTHERS and lookup(state.answers, _path(event.key))[0]:
        return replaced(state, aside={**state.aside, event.key: Aside(event.value, True)})
    return state


def _answer_unknown(state: ThreadState, event: trace.AnswerUnknown) -> ThreadState:
    key = event.key
    if event.replaced is not None or key in state.reopened:
        state = _changed(state, f"{ANSWERS}.{key}")
    if event.declined:
        return replaced(
            state,
            answers=without_answer(state.answers, _path(key)),
            declined=(*(other for other in state.declined if other != key), key),
            reopened=_without(state.reopened, key),
            early=_without(state.early, key),
            invalid={},
            confirmed=_unconfirmed(state, event.node),
        )
    if event.replaced is None:
        return state
    given = key not in state.early
    return replaced(
        state,
        answers=without_answer(state.answers, _path(key)),
        reopened={**state.reopened, key: event.replaced} if given else state.reopened,
        early=_without(state.early, key),
        aside=_without(state.aside, key),
        invalid={},
        confirmed=_unconfirmed(state, event.node),
    )


def _answer_dropped(state: ThreadState, event: trace.AnswerDropped) -> ThreadState:
    answers = without_answer(state.answers, event.path)
    state = replaced(state, answers=answers, confirmed=_unconfirmed(state, event.node))
    if not event.reason:
        return state
    state = _changed(state, f"{ANSWERS}.{event.key}")
    key, closes = ".".join(event.path), event.reason == "when"
    # The old answer of a closed branch must not open the `when` of its question.
    state = replaced(state, reopened={**state.reopened, key: None if closes else event.value})
    if event.reason == "early":
        return replaced(state, declined=tuple(other for other in state.declined if other != key))
    others = _without(state.aside, key)
    returns = closes or event.reason == UNDECIDED
    returns = returns or any(unscoped(f"{ANSWERS}.{other}") in event.because for other in others)
    entry = Aside(event.value, event.reason != UNDECIDED)
    return replaced(state, aside={**others, key: entry} if returns else others)


def _questions_reopened(state: ThreadState, event: trace.QuestionsReopened) -> ThreadState:
    passed = tuple(key for key in state.passed if key not in event.keys)
    return replaced(state, passed=passed, reopened={**dict.fromkeys(event.keys), **state.reopened})


def _question_passed(state: ThreadState, event: trace.QuestionPassed) -> ThreadState:
    if event.reason != "not_applicable" or event.key in state.passed:
        return state
    return replaced(state, passed=(*state.passed, event.key))


def _not_understood(state: ThreadState, event: trace.NotUnderstood) -> ThreadState:
    others = _without(state.invalid, event.key)
    return replaced(state, invalid=others if event.count >= event.limit else {**others, event.key: event.count})


def _prompted(state: ThreadState, event: trace.Prompted) -> ThreadState:
    options = tuple(dict(option) for option in event.options)
    waiting = WaitingFor(event.node, event.key, event.text, event.kind, options)
    confirmed = _unconfirmed(state, event.node)
    held = state.held
    if EVERY in held and event.kind != "message" and not event.unseen:
        held = tuple(name for name in held if name != EVERY)
    return replaced(state, waiting=waiting, shown=event.shown, unseen=event.unseen, confirmed=confirmed, held=held)


def _confirmation_given(state: ThreadState, event: trace.ConfirmationGiven) -> ThreadState:
    confirmed = {**state.confirmed, event.action: (event.content, event.node)}
    return replaced(state, confirmed=confirmed, held=tuple(name for name in state.held if name != EVERY))


def _without_confirmation(state: ThreadState, action: str) -> ThreadState:
    """The state without the confirmation of an action: it counts for one visit."""
    return replaced(
        state,
        confirmed=_without(state.confirmed, action),
        failed=_without(state.failed, action),
        held=tuple(other for other in state.held if other != action),
        performed=tuple(other for other in state.performed if other != action),
    )


def _action_finished(state: ThreadState, event: trace.ActionFinished) -> ThreadState:
    state = _without_confirmation(state, event.node)
    if not event.content:
        return state
    done = Effect(event.node, state.at.top.scopes, state.now, event.content, event.confirmed, order=_next_order(state))
    return _with_effect(state, done)


def _next_order(state: ThreadState) -> int:
    return 1 + max([0, *(each.order for each in state.way), *(each.order for each in state.effects)])


def _with_effect(state: ThreadState, done: Effect) -> ThreadState:
    others = (each for each in state.effects if (each.node, each.scopes) != (done.node, done.scopes))
    return replaced(state, effects=(*others, done))


def _outcome_decided(state: ThreadState, event: trace.OutcomeDecided) -> ThreadState:
    if event.decision == "again":
        return state
    place = event.node, state.at.top.scopes
    known = next((each for each in state.effects if (each.node, each.scopes) == place), Effect(*place, state.now))
    state = _with_effect(state, known._replace(kept=event.decision == "leave", order=0))
    if event.decision == "leave":
        return state
    sources = {
        name: each._replace(changed=()) if each.node == event.node else each for name, each in state.sources.items()
    }
    return replaced(_without_confirmation(state, event.node), sources=sources)


def _jumped(state: ThreadState, event: trace.Jumped) -> ThreadState:
    if event.reason in ("path_corrected", "went_back"):
        # The flow may come by what was done before. A yes that was given without saying so does not count for that.
        # What was done before the decision was taken lies behind it, unless it is not known when it was done.
        places = [each.order for each in state.way if each.frames[-1].node == event.target != event.source]
        since = min(places, default=0) if event.reason == "went_back" else 0
        again = {each.node for each in state.effects if not 0 < each.order < since}
        effects = tuple(each._replace(order=0) if each.node in again else each for each in state.effects)
        done = tuple(dict.fromkeys((*state.performed, *(each.node for each in effects if not each.order))))
        return replaced(state, performed=done, effects=effects, confirmed=_without(state.confirmed, *done))
    return _without_confirmation(state, event.source) if event.reason == "action_failed" else state


def _turn_failed(state: ThreadState, event: trace.TurnFailed) -> ThreadState:
    content = state.confirmed_hash(event.node)
    if state.mode != "performing" or content is None:
        return state
    # The action needs a new yes: a user who hears that it failed may no longer want it.
    failed = {**state.failed, event.node: (state.visit_of(event.node), content)}
    return replaced(_without_confirmation(state, event.node), failed=failed)


def _channels_computed(state: ThreadState, event: trace.ChannelsComputed) -> ThreadState:
    new = {name: Source.from_json(source) for name, source in event.sources.items()}
    return replaced(state, sources={**_without(state.sources, *event.forgotten), **new})


def _channels_stale(state: ThreadState, event: trace.ChannelsStale) -> ThreadState:
    sources = dict(state.sources)
    for name in event.channels:
        changed = tuple(dict.fromkeys((*sources[name].changed, *event.because)))
        sources[name] = sources[name]._replace(changed=changed)
    return replaced(state, sources=sources)


def _channels_written(state: ThreadState, event: trace.ChannelsWritten) -> ThreadState:
    if any(source.changed for source in state.sources.values() if source.node == event.node):
        # Computed again after a correction. What an action writes on the normal way is not a change.
        state = _changed(state, *(n for n, value in event.values.items() if state.channels.get(n) != value))
    return replaced(state, channels={**state.channels, **event.values})


def _moved(state: ThreadState, event: trace.Moved) -> ThreadState:
    position = Position.from_json(event.position)
    if event.way is not None:
        order = _next_order(state)
        taken = (Taken.from_json(each)._replace(order=order) for each in event.way["taken"])
        new = {each.frames: each for each in taken}
        ended = event.way.get("ended", ())
        left = (each for n, each in enumerate(state.way[: event.way["kept"]]) if n not in ended)
        kept = (each for each in left if each.frames not in new)
        state = replaced(state, way=(*kept, *new.values()), changes=state.changes if event.way["open"] else ())
    return replaced(state, position=position, mode=event.mode, visit=event.visit, waiting=None)


def _branched(state: ThreadState, event: trace.Branched) -> ThreadState:
    return replaced(state, born=event.born, confirmed={}, failed={})


def _path_event(state: ThreadState, event: trace.PathEvent) -> ThreadState:
    return replaced(state, paths=with_event(state.paths, event))


_CHANGES: Mapping[type[Any], Callable[[ThreadState, Any], ThreadState]] = {
    trace.TurnStarted: _turn_started,
    trace.FileGiven: _file_given,
    trace.StateAdapted: _state_adapted,
    trace.FlowMigrated: _flow_migrated,
    trace.AnswersCleared: lambda state, _: replaced(state, answers={}, carried={}, aside={}, declined=()),
    trace.ChannelsReset: lambda state, event: replaced(state, channels={**state.channels, **event.values}),
    trace.LanguageRead: lambda state, event: replaced(state, language=event.language),
    trace.AnswerCommitted: _answer_committed,
    trace.AnswerRefused: _answer_refused,
    trace.AnswerUnknown: _answer_unknown,
    trace.AnswerDropped: _answer_dropped,
    trace.QuestionsReopened: _questions_reopened,
    trace.QuestionPassed: _question_passed,
    trace.NotUnderstood: _not_understood,
    trace.Prompted: _prompted,
    trace.ConfirmationGiven: _confirmation_given,
    trace.ActionFinished: _action_finished,
    trace.OutcomeDecided: _outcome_decided,
    trace.Jumped: _jumped,
    trace.TurnFailed: _turn_failed,
    trace.ChannelsWritten: _channels_written,
    trace.ChannelsComputed: _channels_computed,
    trace.ChannelsStale: _channels_stale,
    trace.Moved: _moved,
    trace.Branched: _branched,
    trace.PathVoted: _path_event,
    trace.PathLocked: _path_event,
    trace.PathCorrected: lambda state, event: _changed(_path_event(state, event), ACTIVE_PATH),
}
"""The state change of each class of event; other classes change nothing."""

CHANGING = tuple(_CHANGES)
"""The classes of the events that change a state."""


MOST_FILES = 50
"""Files that a thread can be given."""


@dataclass(frozen=True, slots=True)
class WaitingFor:
    """The pending question of a thread. Kind `message`: the flow waits at no question and accepts any message.

    `options` are the choices, each `{value, title}`; a reply may name one by its number, from 1.
    """

    node: str
    key: str
    prompt: str
    kind: WaitingKind
    options: tuple[Mapping[str, Any], ...] = ()

    def to_json(self) -> dict[str, Any]:
        options = [dict(option) for option in self.options]
        return {"node": self.node, "key": self.key, "prompt": self.prompt, "kind": self.kind, "options": options}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> WaitingFor:
        """As `to_json` gives it, or as the description of a thread does, which has more fields."""
        options = tuple(dict(option) for option in data["options"])
        return cls(data["node"], data["key"], data["prompt"], data["kind"], options)


def with_files(known: Sequence[dict[str, Any]], new: Sequence[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    """The files of a thread after it was given new ones: one that comes under a known name takes that one's place.

    Files of one message never replace each other, even with equal names. Raises UsageError when there are too many.
    """
    files: list[dict[str, Any]] = []
    coming = [file for place, file in enumerate(new) if file not in new[:place]]
    names = {file["name"] for file in coming}
    for file in known:
        if not file.get("folder"):
            files += [file] if file["name"] not in names else []
            continue
        taking = next((other for other in coming if _is_again(other, file)), file)
        # Code distinguishes files of the same name by their order, so keep it.
        files.append(taking)
        coming = [other for other in coming if other is not taking]
    files += coming
    if len(files) > MOST_FILES:
        raise UsageError(
            "too_many_files",
            f"A thread takes at most {MOST_FILES} files; this would be {len(files)}.",
            "Begin a new thread.",
        )
    return tuple(files)


def _is_again(new: dict[str, Any], known: dict[str, Any]) -> bool:
    """Whether a file is another version of one of several that have its name."""
    origin = f"/{new.get('folder', '')}"
    return bool(new["name"] == known["name"]) and origin.endswith(f"/{known['folder']}")


BLOB = "$blob"
"""The key of the object that replaces the value of a large channel in the state."""


def blob_key(value: Any) -> str:
    """The content hash of a large value; empty for any other value."""
    return str(value[BLOB]) if isinstance(value, Mapping) and set(value) == {BLOB} else ""
