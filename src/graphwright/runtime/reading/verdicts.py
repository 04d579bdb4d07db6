"""The two outcomes of grounding a proposed value: Grounded in the user's words, or Refused with a reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from graphwright.runtime.reading.words import Stretch

Kind = Literal[
    "empty",
    "not_said",
    "type",
    "unit",
    "relative",
    "negated",
    "ambiguous",
    "fraction",
    "no_evidence",
    "not_an_option",
    "format",
    "contradicted",
    "mentioned",
    "unsure",
]


@dataclass(frozen=True, slots=True)
class Grounded:
    """A value that may be committed, and the words it follows from: `quote` is `message[start:end]`."""

    value: Any
    quote: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Refused:
    """Why a value is not committed: `reason` is a sentence for the user, `suggestion` a value to ask about."""

    reason: str
    kind: Kind
    suggestion: Any | None = None


def grounded(message: str, place: Stretch, value: Any) -> Grounded:
    """`value`, resting on the words of `message` at `place`."""
    return Grounded(value, message[place.start : place.end], place.start, place.end)


def shown(value: object, most: int = 60) -> str:
    """`value` in quotation marks on one line, shortened to `most` characters."""
    text = " ".join(str(value).split())
    return f"“{text if len(text) <= most else text[: most - 1].rstrip() + '…'}”"
