"""What the engine itself says to users, by `sentences.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping
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
