"""What the graph editor itself says, in the language of the conversation, by `wording.json`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from graphwright.graphstore import Change
from graphwright.graphstore.wording import counted
from graphwright.text.catalogue import Catalogue

say = Catalogue(Path(__file__).with_suffix(".json")).say
"""`say(language, sentence, **parts)`: a sentence in a language by its code; English where that is not there."""


def counts(language: str, changes: Iterable[Change]) -> str:
    """How much it is: `2 nodes created, 1 edge deleted`."""
    found = counted(changes)
    return ", ".join(say(language, f"{what}_{kind}", n=f"{n:,}").split("|")[n > 1] for n, what, kind in found)
