"""Folders of documents for the tests of the index, and a deterministic embedder."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from graphwright.tools.sources import Findings
from graphwright_assistant.retrieval import Embedder, KnowledgeIndex
from graphwright_assistant.retrieval._configured import SAMPLE

PUMP = """\
---
title: Vacuum pumps
url: https://docs.example/vacuum
accelerator: aurora
language: en
updated: 2026-01-31
---
# Vacuum pumps

Pumps hold the pressure.

## Exchange of a pump

Close the valve before the pump is unscrewed.

## Spare parts

Gaskets lie in room 12.
"""

PUMPE = """\
---
title: Vakuumpumpen
accelerator: booster
language: de
---
# Vakuumpumpen

## Störungen

Die Vakuumpumpe wird bei einer Störung vom Kühlwasser getrennt. Größe und Druck der Pumpe stehen am Schild.

## Vakuum

Das Vakuum ist gut, wenn das Wasser kalt ist und die Pumpen laufen.
"""


def folder_of(place: Path, files: Mapping[str, str | bytes]) -> Path:
    """A folder with these files."""
    for path, content in files.items():
        file = place / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
    return place


def titles(found: Findings) -> list[str]:
    """The titles of the results, each once, in order."""
    return list(dict.fromkeys(source.title for source in found.sources))


def sample_index(file: Path) -> KnowledgeIndex:
    """An index of the sample corpus."""
    index = KnowledgeIndex(file)
    index.update(SAMPLE, "sample")
    return index


class WordsEmbedder(Embedder):
    """A vector with a dimension for each meaning of a word; words with the same meaning share one."""

    def __init__(self, same: Mapping[str, str] | None = None) -> None:
        super().__init__("tests:words")
        self._same = dict(same or {})
        self.asked: list[str] = []
        self.broken = False

    def documents(self, texts: Sequence[str]) -> list[list[float]]:
        return [self.query(text) for text in texts]

    def query(self, text: str) -> list[float]:
        if self.broken:
            raise RuntimeError("the server is down, api_key=sk-abcdefgh12345678")
        self.asked.append(text)
        vector = [0.0] * 64
        for word in re.findall(r"\w+", text.lower()):
            place = hashlib.sha256(self._same.get(word, word).encode()).digest()[0] % 64
            vector[place] += 1.0
        length = math.sqrt(sum(value * value for value in vector)) or 1.0
        return [value / length for value in vector]
