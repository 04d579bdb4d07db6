"""Notes for people on how a file was read: a code with its facts, and a sentence for each code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from graphwright.text.catalogue import ENGLISH, Catalogue, numeral
from graphwright_files.errors import few, quotable

_say = Catalogue(Path(__file__).with_name("notes.json")).load().say
_FEW = 5


class Note(NamedTuple):
    """A note. `code` is stable; `facts` are the numbers and names in the sentence."""

    code: str
    facts: Mapping[str, Any]

    @property
    def text(self) -> str:
        """The sentence in English."""
        return self.text_in(ENGLISH)

    def text_in(self, language: str) -> str:
        """The sentence in a language of `notes.json`, or in English."""

        def part(name: str, value: Any) -> str:
            match value:
                case int():
                    return numeral(f"{value:,}", language)
                case list() if name == "columns":
                    return few(value, _FEW) + ", ..." * bool(self.facts["more"])
                case list():
                    return ", ".join(f"{place:,}" for place in value) + ", ..." * bool(self.facts["count"] > len(value))
                case dict():
                    return "; ".join(f"`{column}`: {counts(texts)}" for column, texts in value.items())
            return str(value)

        def counts(texts: Mapping[str, int]) -> str:
            named = {f'"{text}"' if text else _say(language, "empty"): times for text, times in texts.items()}
            return ", ".join(f"{text} ({numeral(f'{times:,}', language)})" for text, times in named.items())

        return _say(language, self.code, **{name: part(name, value) for name, value in self.facts.items()})


def note(code: str, **facts: Any) -> Note:
    """A note on a file or a table."""
    return Note(code, facts)


def note_on_columns(code: str, names: Sequence[str], **facts: Any) -> Note:
    """A note on columns: its facts have the first of them, and the number of the others as `more`."""
    first = [quotable(name) for name in names[:_FEW]]
    return Note(code, {"columns": first, "more": len(names) - len(first), **facts})
