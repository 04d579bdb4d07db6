"""The sentences of the replies in the languages of `wording.json`."""

from __future__ import annotations

from pathlib import Path

from graphwright.text.catalogue import Catalogue

say = Catalogue(Path(__file__).with_suffix(".json")).say
"""A sentence in the language of the question, as the plan states it; see `Catalogue.say`."""
