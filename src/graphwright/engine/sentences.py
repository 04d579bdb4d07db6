"""What the engine itself says to users, by `sentences.json`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from graphwright.text.catalogue import Catalogue

_SENTENCES = Catalogue(Path(__file__).with_suffix(".json"))


def say(language: str, sentence: str, **parts: Any) -> str:
    """A sentence of the catalogue with its parts filled in. `language` is a tag such as `de-AT`; else it is English."""
    return _SENTENCES.say(language, sentence, **parts)


def has(sentence: str) -> bool:
    """Whether the catalogue has this sentence."""
    return sentence in _SENTENCES


def shown(value: Any) -> str:
    """A value in a sentence for the user."""
    text = str(value) if not isinstance(value, bool) else ("yes" if value else "no")
    return f"“{text if len(text) <= 80 else text[:79] + '…'}”"
