"""Does the column exist that somebody names: decided by code, and what comes nearest where it does not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from graphwright.files.dataset import Dataset
from graphwright.files.joins import plain

_MOST_NEAR = 5
_ALIKE = 0.6


@dataclass(frozen=True, slots=True)
class Place:
    """A column of a data set, by its id."""

    dataset: str
    column: str


@dataclass(frozen=True, slots=True)
class Found:
    """`exact`: the columns of this name, case, spaces and underscores apart. `near`: others, the nearest first."""

    exact: tuple[Place, ...]
    near: tuple[Place, ...]


def find_column(name: str, datasets: Iterable[Dataset]) -> Found:
    """The columns that a name may mean. Where one has the name to the letter, it alone is `exact`."""
    places = [Place(dataset.id, column.name) for dataset in datasets for column in dataset.columns]
    to_the_letter = tuple(place for place in places if place.column == name)
    if to_the_letter:
        return Found(to_the_letter, ())
    wanted = plain(name)
    exact = tuple(place for place in places if wanted and plain(place.column) == wanted)
    return Found(exact, () if exact else _near(name, places))


def _near(name: str, places: Sequence[Place]) -> tuple[Place, ...]:
    words, low = set(_words(name)), plain(name)
    if not low:
        return ()
    matcher = SequenceMatcher(autojunk=False)
    matcher.set_seq2(low)
    scored = []
    for number, place in enumerate(places):
        other = plain(place.column)
        matcher.set_seq1(other)
        score = 0.0
        # The cheap bounds first: of ten thousand columns nearly all end here.
        if matcher.real_quick_ratio() >= _ALIKE and matcher.quick_ratio() >= _ALIKE:
            score = matcher.ratio()
        shared = words & set(_words(place.column))
        if shared:
            score = max(score, _ALIKE + 0.3 * len(shared) / max(len(words), 1))
        elif other and len(min(other, low, key=len)) > 2 and (other in low or low in other):
            score = max(score, _ALIKE)
        if score >= _ALIKE:
            scored.append((-score, number))
    return tuple(places[number] for _, number in sorted(scored)[:_MOST_NEAR])


def _words(name: str) -> list[str]:
    """The words of a name that are long enough to mean something: `unitPrice` and `unit_price` have the same."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return [word.casefold() for word in re.split(r"[\W_]+", parted) if len(word) > 2]
