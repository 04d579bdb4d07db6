"""The sentences of the replies in the languages of `wording.json`."""

from __future__ import annotations

from pathlib import Path

from graphwright.text.catalogue import Catalogue

say = Catalogue(Path(__file__).with_suffix(".json")).say_numbers
"""`say(language, sentence, **parts)` returns a sentence in a language, with whole numbers in its notation."""
