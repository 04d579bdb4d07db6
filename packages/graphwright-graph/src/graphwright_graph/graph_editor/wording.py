"""The fixed sentences of the graph editor, in the language of the conversation, from `wording.json`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from graphwright.text.catalogue import Catalogue
from graphwright_graph import Change
from graphwright_graph._wording import counted

say = Catalogue(Path(__file__).with_suffix(".json")).say_numbers
"""`say(language, sentence, **parts)` returns a sentence in the language with this code, by default in English."""


def counts(language: str, changes: Iterable[Change]) -> str:
    """Return how many nodes and edges change: `2 nodes created, 1 edge deleted`."""
    return ", ".join(say(language, f"{what}_{kind}", n=n) for n, what, kind in counted(changes))
