"""The state of a thread: position, answers, channels and a few counters. Messages live in the store."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, NamedTuple

from graphwright.engine import DECLINED, PASSED, REOPENED, SOURCES, PathState, Position, Source
from graphwright.flow.compiled import Action, CompiledFlow

Mode = Literal["new", "waiting", "performing", "ended"]


class Early(NamedTuple):
    """A value that the user volunteered before it could be checked, its quotation, and the message that holds it."""

    value: Any
    quote: str
    words: str


@dataclass(frozen=True, slots=True)
class ThreadState:
    """The state of a thread as it is written down. Immutable: a step makes a new one, one that fails changes nothing.

    `visit` counts performs and is the idempotency number of the present one; `seq` and `messages` are the numbers
    that the next event and the next message get; `turn_seq` is where the present turn began. `confirmed` maps an
    action to the hash of what the user said yes to. `invalid` counts, by dotted key, the replies without an answer.
    `failed` maps an action to the visit in which it failed although it was confirmed, and to what was confirmed.
    `born` is random and made by the first turn: it tells this thread from an earlier one of the same id. `files` are
    those that the user gave, each with name, sha256 and bytes. `language` is the tag of the language that the user
    writes, as the last model that read a reply saw it; empty until then. `replied_to` is the hash of the confirmation's
    prompt that this turn's message answered with something other than yes or no; empty at other times. `reopened`,
    `passed` and `sources` are what `engine.reconsider` keeps: answers to ask again, questions that did not apply, and
    what computed which channel. `early` maps dotted keys to volunteered values that cannot be checked yet, because
    their options do not exist or a guard of their question reads another such value. `aside` maps dotted keys to the
    answers of closed branches.
    """

    born: str = ""
    flow_hash: str = ""
    mode: Mode = "new"
    position: Position | None = None
    answers: Mapping[str, Any] = field(default_factory=dict)
    channels: Mapping[str, Any] = field(default_factory=dict)
    message: str = ""
    language: str = ""
    files: tuple[dict[str, Any], ...] = ()
    paths: PathState = field(default_factory=PathState)
    declined: tuple[str, ...] = ()
    reopened: Mapping[str, Any] = field(default_factory=dict)
    passed: tuple[str, ...] = ()
    sources: Mapping[str, Source] = field(default_factory=dict)
    early: Mapping[str, Early] = field(default_factory=dict)
    aside: Mapping[str, Any] = field(default_factory=dict)
    invalid: Mapping[str, int] = field(default_factory=dict)
    confirmed: Mapping[str, str] = field(default_factory=dict)
    failed: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    visit: int = 0
    seq: int = 0
    messages: int = 0
    turn: int = 0
    turn_seq: int = 0
    waiting: Mapping[str, Any] | None = None
    replied_to: str = ""

    def to_json(self) -> dict[str, Any]:
        """Plain JSON; what is at its default is left out, so that it stays small."""
        full: dict[str, Any] = {name: getattr(self, name) for name in _FIELDS} | {
            "position": self.position.to_json() if self.position else None,
            "files": list(self.files),
            "paths": self.paths.to_json(),
            "declined": list(self.declined),
            "passed": list(self.passed),
            "sources": {channel: source.to_json() for channel, source in self.sources.items()},
            "early": {key: list(entry) for key, entry in self.early.items()},
            "failed": {name: list(entry) for name, entry in self.failed.items()},
        }
        return {k: v for k, v in full.items() if v not in (None, "", 0, [], {})}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ThreadState:
        known = dict(data)
        if "position" in known:
            known["position"] = Position.from_json(known["position"])
        known["paths"] = PathState.from_json(known.get("paths", {}))
        known["files"] = tuple(known.get("files", ()))
        for name in ("declined", "passed"):
            known[name] = tuple(known.get(name, ()))
        known["sources"] = {name: Source.from_json(source) for name, source in known.get("sources", {}).items()}
        known["early"] = {key: Early(*entry) for key, entry in known.get("early", {}).items()}
        known["failed"] = {name: (visit, content) for name, (visit, content) in known.get("failed", {}).items()}
        return cls(**known)

    @property
    def at(self) -> Position:
        """The position of a thread that has begun."""
        assert self.position is not None
        return self.position

    def values(self, loaded: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """What guards, templates and actions see. `loaded` holds the contents of large channels that were fetched."""
        return {
            **self.channels,
            **(loaded or {}),
            "answers": self.answers,
            "message": self.message,
            "active_path": self.paths.locked,
            DECLINED: self.declined,
            REOPENED: self.reopened,
            PASSED: self.passed,
            SOURCES: self.sources,
        }

    def without_confirmations(self, flow: CompiledFlow, questions: Collection[str]) -> ThreadState:
        """The state without the confirmations that these questions gave."""
        if not self.confirmed or not questions:
            return self
        kept = {}
        for name, content in self.confirmed.items():
            node = flow.nodes[name]
            if not (isinstance(node, Action) and node.confirm is not None and node.confirm.by in questions):
                kept[name] = content
        return replace(self, confirmed=kept)

    def begun_afresh(self, flow: CompiledFlow) -> ThreadState:
        """The state when a new or ended thread gets a message: turn channels and, as the flow says, answers reset."""
        channels = {
            name: channel.default if channel.per_conversation or name not in self.channels else self.channels[name]
            for name, channel in flow.channels.items()
        }
        # The choice of a path ends with the conversation: its lock would withstand whatever the user begins the next
        # one with.
        fresh = replace(
            self,
            flow_hash=flow.hash,
            channels=channels,
            reopened={},
            passed=(),
            sources={},
            early={},
            paths=PathState(),
            invalid={},
            waiting=None,
            confirmed={},
            failed={},
        )
        return fresh if flow.keep_answers else replace(fresh, answers={}, aside={}, declined=())


_FIELDS = tuple(each.name for each in fields(ThreadState))


def content_hash(content: Any) -> str:
    """SHA-256 of the canonical JSON of a value."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
