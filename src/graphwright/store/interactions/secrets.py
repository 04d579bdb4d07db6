"""Secrets: which there are in this process, how they may be written, and taking them out of texts."""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote, quote_plus, unquote

from graphwright.errors import HIDDEN, redact
from graphwright.store.jsontext import storable

_SECRET_VARIABLE = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL", re.IGNORECASE)
_PASSWORD_IN_ADDRESS = re.compile(r"://[^\s/:@]*:([^\s/@]+)@")
_SHORTEST = 8

_WORD_BREAK = 4_000
"""Characters within which a cut looks for white space, since a word may be half of a password."""


class Redactor:
    """Takes secrets out of texts: those of the environment as it is now, and what `redact` knows by its shape."""

    def __init__(self) -> None:
        self._spellings = _spellings()

    def text(self, text: str) -> str:
        """The text without secrets, and without what no database takes: NUL and halves of surrogate pairs."""
        for spelling in self._spellings:
            if spelling in text:
                text = text.replace(spelling, HIDDEN)
        return storable(redact(text)).replace("\0", "\N{REPLACEMENT CHARACTER}")

    def value(self, value: Any) -> Any:
        """A JSON value with no secret in any of its texts, keys included, nor below a key named like one."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {
                self.text(name): HIDDEN if isinstance(inner, str) and _names_secret(name) else self.value(inner)
                for name, inner in value.items()
            }
        if isinstance(value, list):
            return [self.value(inner) for inner in value]
        # A password may be a number.
        return self.value(str(value)) if str(value) in self._spellings else value


def before_a_secret(text: str, limit: int) -> int:
    """Where to cut a text that is longer than `limit`: at white space if there is some, and in no secret."""
    end = limit
    broken = re.search(r"\s\S*\Z", text[max(end - _WORD_BREAK, 0) : end])
    if broken is not None and not text[end].isspace():
        end = max(end - _WORD_BREAK, 0) + broken.start()
    moved = True
    while moved:
        moved = False
        for spelling in _spellings():
            start = text.find(spelling, max(end - len(spelling) + 1, 0), end + len(spelling) - 1)
            if 0 <= start < end:
                end, moved = start, True
    return end


def _spellings() -> list[str]:
    """The secrets of the environment as they may be written, the longest first, so that no half is left of one."""
    found = {spelling for secret in _secrets(os.environ) for spelling in _written(secret)}
    return sorted((each for each in found if each not in HIDDEN), key=lambda each: (-len(each), each))


def _secrets(environment: Mapping[str, str]) -> Iterator[str]:
    for name, value in environment.items():
        for password in _PASSWORD_IN_ADDRESS.findall(value):
            yield from _long_enough((password, unquote(password)))
        # The path of a file with credentials is no secret.
        if _SECRET_VARIABLE.search(name) and not (os.path.isabs(value) and os.path.exists(value)):
            yield from _long_enough((value, value.strip()))


def _long_enough(values: Iterable[str]) -> Iterator[str]:
    return (value for value in values if len(value) >= _SHORTEST)


def _written(secret: str) -> Iterator[str]:
    raw = secret.encode("utf-8", "surrogateescape")
    yield secret
    yield json.dumps(secret)[1:-1]
    yield json.dumps(secret, ensure_ascii=False)[1:-1]
    yield repr(secret)[1:-1]
    yield quote(raw, safe="")
    yield quote_plus(raw)
    yield base64.b64encode(raw).decode().rstrip("=")


def _names_secret(name: str) -> bool:
    return HIDDEN in redact(f'{name}="x"')
