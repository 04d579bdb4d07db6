"""The agent's sentences, names and numbers in the language of the conversation, from `wording.json`.

The language is that of the running action: `action` declares one, and sets the language before it runs.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from functools import wraps
from inspect import iscoroutinefunction
from pathlib import Path
from typing import Any, TypeVar, cast

import graphwright
from graphwright import ActionContext, proposals
from graphwright.text import sentences
from graphwright.text.catalogue import ENGLISH, Catalogue, numeral

S = TypeVar("S", bound=Mapping[str, object])

_CATALOGUE = Catalogue(Path(__file__).with_name("wording.json"))
_QUOTES = {"de": ("„", "“"), "fr": ("« ", " »"), "es": ("«", "»")}

_language: ContextVar[str] = ContextVar("upgrade_language", default=ENGLISH)


def speak(language: str) -> None:
    """Word everything from here on in the language with this ISO 639-1 code, or in English if it is unknown."""
    _language.set(language.lower().split("-")[0])


def action(
    *, reads: list[str], writes: list[str], effects: bool = True
) -> Callable[[Callable[[S, ActionContext], Any]], Callable[[S, ActionContext], Any]]:
    """Declare an action as `graphwright.action` does. It words everything in the language of the conversation."""

    def declare(function: Callable[[S, ActionContext], Any]) -> Callable[[S, ActionContext], Any]:
        @wraps(function)
        def worded(state: S, ctx: ActionContext) -> S:
            speak(str(state["language"]))
            return cast(S, function(state, ctx))

        @wraps(function)
        async def worded_later(state: S, ctx: ActionContext) -> S:
            speak(str(state["language"]))
            return await cast(Awaitable[S], function(state, ctx))

        spoken = list(dict.fromkeys([*reads, "language"]))
        declared = graphwright.action(reads=spoken, writes=writes, effects=effects)
        return declared(worded_later if iscoroutinefunction(function) else worded)

    return declare


def say(sentence: str, **parts: str | int) -> str:
    """A sentence of the catalogue, with whole numbers in the notation of the language."""
    return _CATALOGUE.say_numbers(_language.get(), sentence, **parts)


def quoted(text: object, longest: int = 100) -> str:
    """The text as `sentences.quoted` returns it, in the quotation marks of the language."""
    plain = sentences.quoted(text, longest)
    begin, end = _QUOTES.get(_language.get(), ("'", "'"))
    return f"{begin}{plain[1:-1].replace(end.strip(), '’')}{end}"


def listed(texts: Sequence[object], most: int = 8) -> str:
    """At most `most` texts, quoted, and the number of the others."""
    return bounded([quoted(text) for text in texts], most)


def bounded(shown: Sequence[str], most: int = 12) -> str:
    """At most `most` texts unchanged, and the number of the others."""
    more = say("and_more", n=len(shown) - most) if len(shown) > most else ""
    return ", ".join(shown[:most]) + more


def figure(text: str) -> str:
    """A number that is written as in English, in the notation of the language."""
    return numeral(text, _language.get())


def number_text(number: float) -> str:
    """A number with at most two digits after the decimal sign of the language."""
    return figure(sentences.number_text(number))


def plain_number(text: str) -> str:
    """A number in the notation of the language as in English, without signs between its thousands."""
    thousands, decimal = map(re.escape, unicodedata.normalize("NFKC", figure(",.")))
    grouped = re.sub(rf"(?<=\d){thousands}(?=\d{{3}}(?!\d))", "", text)
    return re.sub(rf"(?<=\d){decimal}(?=\d)", ".", grouped)


def many(count: int, what: str) -> str:
    """A number of `users` or `groups`: `1 user`, `1,200 users`."""
    return say(what, n=count)


def not_found(kind: str, value: str, known: Iterable[str]) -> str:
    """The sentence about an unknown value of a kind, such as `group type`, with the nearest that exist, or with all."""
    there = list(dict.fromkeys(known))
    near = proposals.nearest(value, there)
    names = say("nearest", names=listed(near)) if near else say("there_are", names=listed(there, 10) or say("none"))
    return f"{say(f'unknown_{kind}'.replace(' ', '_'), value=quoted(value))} {names}"
