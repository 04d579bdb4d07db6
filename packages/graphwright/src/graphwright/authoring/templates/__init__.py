"""Templates of agents that consist of ready-made actions only: a flow and its scripted conversations.

Those with German texts are in the folder `de`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from graphwright.errors import UsageError
from graphwright.text.near_names import Names

__all__ = ["TEMPLATES", "Language", "agent_id", "filled", "template_files"]

Language = Literal["en", "de"]
"""The languages of the texts of templates."""

TEMPLATES: Mapping[str, str] = {
    "empty": "One question and an end: a beginning for what you describe or draw",
    "collect": "Collects a request, shows it, and hands it over to a team",
    "ask_model": "Lets a language model summarise and rate what the user has written, and keeps it after a yes",
    "http_api": "Looks something up at an HTTP service, and changes it after a yes; the operator allows the host",
    "booking": "Takes a booking with rules for people and days, and records it after a yes",
    "support": "Sorts support requests: a subgraph asks who it is, urgent ones go to a person, others become tickets",
}
"""The purpose of each template, by its name."""


def template_files(template: str, agent: str, title: str = "", language: Language = "en") -> dict[str, str]:
    """Return the files of a new agent of this name, by their paths in its folder. Raises UsageError (`no_template`)."""
    if template not in TEMPLATES:
        hint = Names(TEMPLATES).hint(template, f"There are: {', '.join(TEMPLATES)}.")
        raise UsageError("no_template", f"There is no template {template[:60]!r}.", hint)
    folder = Path(__file__).parent / ("" if language == "en" else language) / template
    found = sorted(file for file in folder.rglob("*") if file.is_file() and "__pycache__" not in file.parts)
    return {file.relative_to(folder).as_posix(): filled(file.read_text("utf-8"), agent, title) for file in found}


def agent_id(name: str) -> str:
    """Return a flow id for a folder's name: `My agent (2)` becomes `flow.my_agent_2`."""
    words = "".join(c.lower() if c.isascii() and c.isalnum() else " " for c in name).split()
    return "flow." + ("_".join(words) or "agent")


def filled(text: str, name: str, title: str = "") -> str:
    """Return the text of a template's file for an agent of this name. Without a title, it is made from the name."""
    words = " ".join("".join(c if c.isalnum() else " " for c in name).split())
    title = title.strip() or words[:1].upper() + words[1:] or "Agent"
    # A JSON string is a valid YAML string, for any name of the folder.
    return (
        text.replace("@ID@", agent_id(name))
        .replace("@TITLE@", json.dumps(title, ensure_ascii=False))
        .replace("@NAME@", title)
    )
