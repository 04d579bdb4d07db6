"""The state of the flow as its actions see it, and what its channels are where there is nothing to tell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

State: TypeAlias = Mapping[str, Any]
"""The channels that `flow.yaml` declares, and `answers`."""

Goal: TypeAlias = dict[str, Any]
"""The goal in hand: a GoalSpec, its `text`, and `notes`, what was asked and said since: `{asked, said}`."""

Failure: TypeAlias = dict[str, Any]
"""What went wrong: `message` for people, `findings` for the model, `options` that the user could choose.

What is `transient` may go well as it is later.
"""

Escalation: TypeAlias = dict[str, Any]
"""A question to the user; an option is `{value, title}`."""

NO_PLAN: dict[str, Any] = {"step": "", "tools": [], "is_final": False, "rationale": ""}
"""No step; its `tools` are calls: `{because, tool_name, arguments}`."""

NO_PREVIEW: dict[str, Any] = {"needed": False, "text": "", "binding": ""}
"""No difference to show; `binding` is the hash that binds a yes to it."""

NO_FAILURE: Failure = {"code": "", "message": "", "findings": [], "options": [], "transient": False}
NO_QUESTION: Escalation = {"question": "", "options": [], "code": ""}
NOTHING_STAGED: dict[str, Any] = {"staged": [], "changes": [], "preview": NO_PREVIEW}
