"""What the engine itself says to users, by `sentences.json`; and the words for the events of choosing a path."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

ENGLISH = "en"


@cache
def _sentences() -> Mapping[str, Mapping[str, str]]:
    """By name, the sentence in each language; `{name}` stands for a part of it."""
    found: dict[str, dict[str, str]] = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
    return found


def say(language: str, sentence: str, **parts: Any) -> str:
    """A sentence of the catalogue with its parts filled in. `language` is a tag such as `de-AT`; else it is English."""
    forms = _sentences()[sentence]
    return forms.get(language.lower().split("-")[0], forms[ENGLISH]).format(**parts)


def has(sentence: str) -> bool:
    """Whether the catalogue has this sentence."""
    return sentence in _sentences()


def shown(value: Any) -> str:
    """A value in a sentence for the user."""
    text = str(value) if not isinstance(value, bool) else ("yes" if value else "no")
    return f"“{text if len(text) <= 80 else text[:79] + '…'}”"


_Fields = Mapping[str, Any]
_Write = Callable[[Any], str]

_NO_VOTE = {"unsure": "not sure enough", "locked": "the choice is made"}


def votes_text(votes: Mapping[str, float]) -> str:
    """Votes by path, the most first."""
    return ", ".join(f"{path} {number:g}" for path, number in sorted(votes.items(), key=lambda item: -item[1]))


def _path_voted(e: _Fields, write: _Write) -> str:
    sure = f" ({e['confidence']:g})" if e.get("confidence") is not None else ""
    why = f", because {write(e['rationale'])}" if e.get("rationale") else ""
    if not e["counted"]:
        return f"vote for {e['path']}{sure} does not count, {_NO_VOTE.get(e['reason'], e['reason'])}{why}"
    return f"vote for {e['path']}{sure}{why}: {votes_text(e['votes'])} of {e['threshold']:g}"


def _path_refused(e: _Fields, write: _Write) -> str:
    why = "there is no such path" if e["reason"] == "unknown" else "the reply was read as several paths"
    return f"no vote for {write(e['path'])}, {why}"


PATH_WORDS: Mapping[str, Callable[[_Fields, _Write], str]] = {
    "path_voted": _path_voted,
    "path_switched": lambda e, write: f"path {e['path']} takes the lead from {e['before']}",
    "path_locked": lambda e, write: f"path {e['path']} is chosen",
    "path_corrected": lambda e, write: f"path {e['path']} is chosen instead of {e['before']}, by the user's correction",
    "path_refused": _path_refused,
}
"""By the type of event: its words, made of the event and of what writes a value as a short text."""
