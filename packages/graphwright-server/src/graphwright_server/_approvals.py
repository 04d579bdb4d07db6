"""Approvals: details for the person who decides, and the audit, derived from the events of a run, of every yes."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

from graphwright.errors import exception_text
from graphwright.hooks import APPROVALS, ApprovalCard, CardKind
from graphwright.proposals import Sources, supports
from graphwright.store import DRAFT, AuditEntry, Message
from graphwright_server.shapes._threads import Mark

if TYPE_CHECKING:
    from graphwright_server.access.principal import Principal

logger = logging.getLogger("graphwright.server")

WINDOW = 50
"""Number of messages that are searched for the source of a value."""


_MARKS = {"quoted": "said", "contradicted": "unsupported"}
"""Supports that clients show as another one."""

_KNOWN_MARKS = get_args(Mark)
_KINDS = get_args(CardKind)


def described(approval: Mapping[str, Any], messages: Sequence[Message], agent: str = "") -> dict[str, Any]:
    """Return an approval with the card of its agent, and the support (`marks`) of each argument, by its path in `over`.

    `agent` is the address of the agent: its name, or a path. Only packages have cards, by the names of their agents.

    If the approval covers a channel `supports`, the agent's own marks are used: the agent knows defaults and existing
    values. Otherwise values are looked up in `messages`, the last ones of the thread, including the question. The
    question does not support the values that it shows: of the agent's messages, only those before the user's last one
    count.
    """
    over = approval["over"]
    card = _card(agent, over)
    text = {"text": card.text} if card.text else {}
    shown = {**approval, "kind": card.kind, "plain": is_plain(agent), **text}
    if isinstance(over.get("supports"), Mapping):
        # The channel is the agent's own, so it may contain anything.
        own = ((path, _MARKS.get(str(support), support)) for path, support in over["supports"].items())
        return {**shown, "marks": {path: mark for path, mark in own if mark in _KNOWN_MARKS}}
    spoke = max((place for place, each in enumerate(messages) if each.role == "user"), default=0)
    given = tuple(each.text for each in messages if each.role == "user")
    asked = tuple(each.text for each in messages[:spoke] if each.role != "user")
    marks = {
        f"{path}.{name}": support
        for path, arguments in _arguments(over)
        for name, support in supports(arguments, Sources(given, asked)).items()
    }
    return {**shown, "marks": marks}


def is_plain(agent: str) -> bool:
    """Return whether no package describes the approvals of the agent: each is a yes to the question of its flow."""
    return agent.removeprefix(DRAFT) not in APPROVALS.entries()


def _card(agent: str, over: Mapping[str, Any]) -> ApprovalCard:
    """Return the card of an agent. If its package fails, the approval is shown as one without a card."""
    try:
        # A draft of an agent shows what the agent does.
        made = APPROVALS.get(agent.removeprefix(DRAFT))
        card = ApprovalCard() if made is None else made(over)
        if not isinstance(card, ApprovalCard):
            raise TypeError(f"it returned {type(card).__name__}, not ApprovalCard")
        if card.kind not in _KINDS or not isinstance(card.text, str):
            raise ValueError(f"its kind is not one of {', '.join(_KINDS)}, or its text is not a string")
    except Exception as error:
        logger.warning("the approval card of the agent %s cannot be used: %s", agent, exception_text(error))
        return ApprovalCard()
    return card


def _arguments(over: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the arguments in what is approved, each with its path: those of calls, and those of an action.

    The changes of a graph are marked in the text of their difference instead.
    """
    for name, value in over.items():
        if name.endswith("_params") and isinstance(value, Mapping):
            yield name, value
        for place, call in enumerate(value if isinstance(value, list) else ()):
            if isinstance(call, Mapping) and isinstance(call.get("arguments"), Mapping):
                yield f"{name}.{place}.arguments", call["arguments"]


_DECISIONS = ("approved", "rejected", "superseded")

_BECAME = {"action_finished": "performed", "action_failed": "failed", "outcome_unknown": "unknown"}


class ApprovalWatch:
    """Watches the events of one run, and returns audit entries.

    `waiting` is the node of the confirmation that is pending when the run begins, `actions` are the actions that a yes
    to it allows, `content` is the hash of what it is about. All are empty if no confirmation is pending.
    """

    def __init__(
        self,
        principal: Principal,
        *,
        door: str,
        run: str,
        agent: str,
        thread: str,
        waiting: str = "",
        actions: Sequence[str] = (),
        content: str = "",
    ) -> None:
        self._base = AuditEntry(
            user=principal.user,
            key=principal.key,
            door=door,
            run=run,
            agent=agent,
            thread=thread,
            event="",
            action="",
            content="",
        )
        self._waiting = waiting
        self._actions = ", ".join(actions)
        self._content = content
        self._approved: dict[str, str] = {}
        self._decided: set[tuple[str, str, str]] = set()

    def know(self, entries: Sequence[AuditEntry]) -> None:
        """Take stored entries into account: a decision of this run is not audited again when its turn is repeated."""
        own = [each for each in entries if each.run == self._base.run and each.event in _DECISIONS]
        self._decided = {(each.event, each.action, each.content) for each in own}

    def see(self, event: Mapping[str, Any]) -> list[AuditEntry]:
        """Return the audit entries for an event of the run, given as JSON."""
        found = self._entries(event)
        return [each for each in found if (each.event, each.action, each.content) not in self._decided]

    def _entries(self, event: Mapping[str, Any]) -> list[AuditEntry]:
        kind, node = event["type"], event.get("node", "")
        if kind == "confirmation_given":
            # What was shown is more than the values that the action is bound to: its words count, too.
            content = self._content if node == self._waiting and self._content else event["content"]
            self._approved[event["action"]] = content
            return [self._entry("approved", event["action"], content, node)]
        if kind == "answer_committed" and node == self._waiting and event["value"] is False:
            return [self._entry("rejected", self._actions, self._content, node)]
        if kind == "answer_refused" and event["stage"] == "superseded":
            decision = "approved" if event["value"] else "rejected"
            return [self._entry(each, self._actions, self._content, node) for each in (decision, "superseded")]
        if kind == "confirmation_missing" and event["reason"] == "content_changed":
            given = self._approved.pop(event["action"], "")
            return [self._entry("changed", event["action"], given, event["by"])]
        if kind in _BECAME and node in self._approved and event.get("final", True):
            return [self._entry(_BECAME[kind], node, self._approved.pop(node), node)]
        return []

    def refused(self, content: str) -> AuditEntry:
        """Return the entry of a yes for `content` while something else was pending: nothing was done."""
        return self._entry("changed", self._actions, content, self._waiting)

    def _entry(self, event: str, action: str, content: str, node: str) -> AuditEntry:
        return replace(self._base, event=event, action=action, content=content, node=node)
