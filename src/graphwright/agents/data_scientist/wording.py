"""The sentences of the replies in the languages of `wording.json`."""

from __future__ import annotations

from pathlib import Path

from graphwright.text.catalogue import Catalogue, numeral

_CATALOGUE = Catalogue(Path(__file__).with_suffix(".json"))


def say(language: str, sentence: str, **parts: str | int) -> str:
    """Return a sentence in the language of the question, with whole numbers in its notation."""
    shown = {name: numeral(f"{part:,}", language) if isinstance(part, int) else part for name, part in parts.items()}
    return _CATALOGUE.say(language, sentence, **shown)
