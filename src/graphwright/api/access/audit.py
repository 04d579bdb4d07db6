"""The audit of approvals, derived from the events of a run: every yes is recorded, whichever protocol it used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from graphwright.store import AuditEntry

if TYPE_CHECKING:
    from graphwright.api.access.principal import Principal

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

    def see(self, event: Mapping[str, Any]) -> list[AuditEntry]:
        """Return the audit entries for an event of the run, given as JSON."""
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
        """Return the entry of a yes for `content` while something else was pending: nothing was done."""
        return self._entry("changed", self._actions, content, self._waiting)

    def _entry(self, event: str, action: str, content: str, node: str) -> AuditEntry:
        return replace(self._base, event=event, action=action, content=content, node=node)
