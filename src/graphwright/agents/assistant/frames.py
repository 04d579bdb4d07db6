"""What the assistant itself says around answers, in the language of the conversation, by `frames.json`."""

from __future__ import annotations

from pathlib import Path

from graphwright.text.catalogue import Catalogue

say = Catalogue(Path(__file__).with_suffix(".json")).say
"""`say(language, sentence, **parts)`: a sentence in a language by its code; English where that is not there."""
