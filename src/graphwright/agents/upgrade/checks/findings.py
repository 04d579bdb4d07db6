"""What a check finds: missing pieces, errors and warnings; and the readers of single parameters that note them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from graphwright.agents.upgrade.checks.facts import Members
from graphwright.agents.upgrade.words.naming import Experiments
from graphwright.agents.upgrade.words.places import Contexts
from graphwright.agents.upgrade.words.quoting import listed, quoted

LONGEST_NAME = 250
"""Characters of a name or an id."""
LONGEST_TEXT = 4_000
"""Characters of a description."""


class Findings:
    """Collects what is found. A reader gives a value, or notes why there is none and gives an empty one.

    What stands in parameters was proposed by a model: anything may be there.
    """

    def __init__(self, contexts: Contexts, names: Experiments) -> None:
        self.contexts = contexts
        self.names = names
        self.missing: list[str] = []
        self.errors: dict[str, str] = {}
        self.members: Mapping[str, Members] | None = None
        self.warnings: list[str] = []

    def lacks(self, piece: str) -> None:
        """Note a piece that the user has to be asked for."""
        if piece not in self.missing:
            self.missing.append(piece)

    def invalid(self, sentence: str) -> None:
        """Note what does not fit."""
        self._error("validation", sentence)

    def not_found(self, sentence: str) -> None:
        """Note what is not there."""
        self._error("not_found", sentence)

    def _error(self, type: str, sentence: str) -> None:
        before = self.errors.get(type, "")
        if sentence not in before:
            self.errors[type] = f"{before} {sentence}".strip()

    def text(self, given: Mapping[str, Any], name: str, longest: int = LONGEST_NAME) -> str:
        """A text without white space around it, on one line unless it is a long one; empty where there is none."""
        value = given.get(name, "")
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str):
            self.invalid(f"The {called(name)} must be a text.")
            return ""
        cleaned = "".join(c for c in value if c.isspace() or unicodedata.category(c) != "Cc")
        cleaned = " ".join(cleaned.split()) if longest == LONGEST_NAME else cleaned.strip()
        if any("\ud800" <= c <= "\udfff" for c in cleaned):
            self.invalid(f"The {called(name)} holds half of a character, which cannot be stored.")
            return ""
        if len(cleaned) > longest:
            self.invalid(f"The {called(name)} is too long: {len(cleaned):,} characters, {longest:,} at most.")
            return ""
        return cleaned

    def needed(self, given: Mapping[str, Any], name: str) -> str:
        """A text that has to be there."""
        before = dict(self.errors)
        value = self.text(given, name)
        if not value and self.errors == before:
            self.lacks(name)
        return value

    def user_id(self, given: Mapping[str, Any]) -> str:
        """The id of a user, which travels in a header."""
        id = self.needed(given, "user_id")
        if not id.isascii():
            self.invalid(f"The user id {quoted(id)} holds characters that UpGrade takes in no user id.")
        return id

    def context(self, given: Mapping[str, Any]) -> str:
        """A context of the server, in its own spelling."""
        said = given.get("context")
        if isinstance(said, list | tuple) and len(said) == 1:
            said = said[0]
        name = self.needed({"context": said} if said is not None else {}, "context")
        if not name or name in self.contexts:
            return name
        same = [each for each in self.contexts if each.casefold() == name.casefold()]
        if len(same) == 1:
            return same[0]
        near = nearest(name, self.contexts)
        if near:
            hint = f"The nearest is {quoted(near)}."
        else:
            hint = f"There are: {listed(sorted(self.contexts))}." if self.contexts else "The server has none."
        self.invalid(f"There is no context {quoted(name)}. {hint}")
        return name

    def one_of(self, given: Mapping[str, Any], name: str, options: Mapping[str, str]) -> str:
        """One of some values, whatever the case; `options` say what each means. Empty where it is absent."""
        if name not in given:
            return ""
        said = str(given[name]).strip()
        for option in options:
            if option.casefold() == said.casefold():
                return option
        known = "; ".join(f"{option} ({means})" for option, means in options.items())
        self.invalid(f"{quoted(said)} is no {called(name)}. There are: {known}.")
        return ""

    def whole(self, given: object) -> int | None:
        """A whole number, also as a text such as "1,000"; None for anything else."""
        if isinstance(given, bool):
            return None
        if isinstance(given, int):
            return given
        if isinstance(given, float):
            return int(given) if given.is_integer() else None
        digits = given.strip().replace(",", "") if isinstance(given, str) else ""
        return int(digits) if digits.isascii() and digits.isdecimal() and len(digits) < 10 else None


def called(name: str) -> str:
    """A parameter as people call it."""
    names = {"unit": "unit of assignment", "consistency": "consistency rule", "post_rule": "rule for afterwards"}
    return names.get(name, name.replace("_", " "))


def nearest(said: str, known: Iterable[str]) -> str:
    """The known name that comes nearest to what was said, empty where none is near."""
    by_fold = {each.casefold(): each for each in known}
    found = get_close_matches(said.casefold(), list(by_fold), n=1)
    return by_fold[found[0]] if found else ""
