"""The sentences of the replies in the languages of `wording.json`."""

from __future__ import annotations

from pathlib import Path

from graphwright.text.catalogue import Catalogue, numeral

_CATALOGUE = Catalogue(Path(__file__).with_suffix(".json"))


def say(language: str, sentence: str, **parts: str | int) -> str:
    """A sentence in the language of the question, as the plan states it, and with its signs in whole numbers."""
    shown = {name: numeral(f"{part:,}", language) if isinstance(part, int) else part for name, part in parts.items()}
    return _CATALOGUE.say(language, sentence, **shown)
