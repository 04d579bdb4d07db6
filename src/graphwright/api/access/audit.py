"""Approvals, read from the events of a run: whoever says yes, and through whichever door, is written down here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from graphwright.store import AuditEntry

if TYPE_CHECKING:
    from graphwright.api.access.principal import Principal

_BECAME = {"action_finished": "performed", "action_failed": "failed", "outcome_unknown": "unknown"}


class ApprovalWatch:
    """Watches one run. `waiting` is the node of the confirmation that waits as it begins, `actions` are those that a
    yes to it lets run, `content` the hash of what it is about; all are empty where none waits."""

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

    def see(self, event: Mapping[str, Any]) -> list[AuditEntry]:
        """The entries that an event of the run, as JSON, makes."""
        kind, node = event["type"], event.get("node", "")
        if kind == "confirmation_given":
            self._approved[event["action"]] = event["content"]
            return [self._entry("approved", event["action"], event["content"], node)]
        if kind == "answer_committed" and node == self._waiting and event["value"] is False:
            return [self._entry("rejected", self._actions, self._content, node)]
        if kind == "confirmation_missing" and event["reason"] == "content_changed":
            given = self._approved.pop(event["action"], "")
            return [self._entry("changed", event["action"], given, event["by"])]
        if kind in _BECAME and node in self._approved and event.get("final", True):
            return [self._entry(_BECAME[kind], node, self._approved.pop(node), node)]
        return []

    def refused(self, content: str) -> AuditEntry:
        """The entry of a yes that came for `content`, where something else waits: nothing was done."""
        return self._entry("changed", self._actions, content, self._waiting)

    def _entry(self, event: str, action: str, content: str, node: str) -> AuditEntry:
        return replace(self._base, event=event, action=action, content=content, node=node)
