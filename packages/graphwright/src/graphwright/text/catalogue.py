"""Sentences from the program to people, in several languages, from a JSON file.

An agent has one such file next to its module, and one line in that module:

    say = Catalogue(Path(__file__).with_suffix(".json")).say

`say(state["language"], "done", counts="2 nodes created")` is then the sentence in the language of the conversation. The
language is an ISO 639-1 code that the model states in the structured output in which it reads the message; a channel of
scope `thread` stores it. Without a code, or in a language that the file does not have, it is English.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

__all__ = ["ENGLISH", "numeral", "Catalogue"]

ENGLISH = "en"

_MARKS = {"de": ".,", "es": ".,", "fr": "\u202f,"}
"""The thousands separator and the decimal sign of languages that differ from English."""


def numeral(text: str, language: str) -> str:
    """A number written as in English, with the separators of another language: `1.234,5` for `1,234.5`."""
    marks = _MARKS.get(_base(language), ",.")
    return text.translate({ord(","): marks[0], ord("."): marks[1]})


def amount_text(value: float, unit: str, language: str) -> str:
    """A number with its unit, such as `12,000 EUR`. Without a unit it is not grouped: it may be a year."""
    # A whole number has no decimal point, as in templates; above that, a float does not have every digit.
    shown = int(value) if abs(value) < 2**53 and value == int(value) else value
    return f"{numeral(f'{shown:,}', language)} {unit}" if unit else str(shown)


def _base(language: str) -> str:
    """The language of a tag such as `de-AT`."""
    return language.lower().split("-")[0]


_ONE = {"fr": ("0", "1")}
"""The counts that take the singular in languages that differ from English."""


class Catalogue:
    """The sentences of a file `{name: {language: sentence}}`; `{part}` in one is replaced by a part.

    A sentence with a singular and a plural, `{n} row|{n} rows`, takes the one that fits its part `n`.
    """

    def __init__(self, file: Path) -> None:
        self._file = file

    @cached_property
    def _sentences(self) -> Mapping[str, Mapping[str, str]]:
        found: dict[str, dict[str, str]] = json.loads(self._file.read_text("utf-8"))
        return found

    def load(self) -> Catalogue:
        """Read the file now, because a process that confines itself cannot do it later."""
        assert self._sentences
        return self

    def say(self, language: str, sentence: str, **parts: Any) -> str:
        """A sentence with its parts filled in. `language` is a tag such as `de-AT`; the default is English."""
        forms, language = self._sentences[sentence], _base(language)
        one, _, several = forms.get(language, forms[ENGLISH]).partition("|")
        text = several if several and str(parts["n"]) not in _ONE.get(language, ("1",)) else one
        return text.format(**parts)

    def in_all_languages(self, sentence: str) -> list[str]:
        """A sentence without parts in each language of the file."""
        return list(self._sentences[sentence].values())

    def say_numbers(self, language: str, sentence: str, **parts: Any) -> str:
        """The same, with the parts that are whole numbers in the notation of the language."""
        shown = {
            name: numeral(f"{part:,}", language) if isinstance(part, int) else part for name, part in parts.items()
        }
        return self.say(language, sentence, **shown)

    def __contains__(self, sentence: str) -> bool:
        return sentence in self._sentences
