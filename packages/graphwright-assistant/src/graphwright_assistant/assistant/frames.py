"""The assistant's own sentences around answers, in the language of the conversation, from `frames.json`."""

from __future__ import annotations

from pathlib import Path

from graphwright.text.catalogue import Catalogue

say = Catalogue(Path(__file__).with_suffix(".json")).say
"""`say(language, sentence, **parts)`: a sentence in the language with this code, or in English if it is missing."""
