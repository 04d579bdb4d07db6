"""The state of the flow as its actions see it, and what its channels are where there is nothing to tell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

State: TypeAlias = Mapping[str, Any]
"""The channels that `flow.yaml` declares, and `answers`."""

Content: TypeAlias = dict[str, Any]
"""What a channel holds. The goal is a GoalSpec, its `text`, and `notes`: what was asked and said since."""

NO_PLAN: Content = {"step": "", "tools": [], "is_final": False, "rationale": ""}
"""No step; its `tools` are calls: `{because, tool_name, arguments}`."""

NO_PREVIEW: Content = {"needed": False, "text": "", "binding": ""}
"""No difference to show; `binding` is the hash that binds a yes to it."""

NO_FAILURE: Content = {"code": "", "message": "", "findings": [], "options": [], "transient": False}
"""`message` is for people, `findings` for the model, `options` for a choice; what is `transient` may pass by itself."""

NO_QUESTION: Content = {"question": "", "options": [], "code": ""}
NOTHING_STAGED: Content = {"staged": [], "changes": [], "preview": NO_PREVIEW}
