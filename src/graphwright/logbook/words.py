"""What people call things: values of a category, a system or an author told by synonym, part and near spelling."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path
from typing import Any

from graphwright.logbook.cleaning import one_line
from graphwright.logbook.errors import LogbookError, Refused
from graphwright.text import folding

SAMPLE = Path(__file__).parent / "sample"
"""The folder of the sample logbook and of the words for what it speaks of."""

MOST_NAMED = 30

_ALIKE = 0.6
_SURE = 0.8
_EVERYTHING = frozenset(("all", "any", "alle", "none", "null", "*", "-", "beliebig"))
_TITLES = frozenset(("dr", "prof", "mr", "mrs", "ms", "herr", "frau", "von", "by"))
_LIST = re.compile(r"\s*[|,;]\s*|\s+(?:or|oder)\s+")
_WORD = re.compile(r"\w+")


def fold(text: str) -> str:
    """The text for comparing: without case, accents and the two ways to write German umlauts apart, on one line."""
    return folding.fold(one_line(text))


@cache
def groups() -> tuple[tuple[str, ...], ...]:
    """Words that mean the same, in English and German, as the sample logbook lists them."""
    import yaml

    file = SAMPLE / "words.yaml"
    try:
        data: Any = yaml.safe_load(file.read_text("utf-8"))
        return tuple(
            (str(item["name"]), *map(str, item.get("synonyms", ())))
            for section in ("categories", "systems")
            for item in data[section]
        )
    except (OSError, ValueError, yaml.YAMLError, KeyError, TypeError) as error:
        raise LogbookError("bad_sample", f"{file} cannot be read: {error}.", "Install Graphwright again.") from error


def same_meaning(word: str) -> tuple[str, ...]:
    """Other words for this one, none where no list has it."""
    folded = fold(word)
    found = (group for group in groups() if folded in map(fold, group))
    return tuple(dict.fromkeys(other for group in found for other in group if fold(other) != folded))


def values_for(kind: str, asked: str, known: Sequence[str], complete: bool) -> tuple[tuple[str, ...], list[str]]:
    """The known values that somebody means by `asked`, and sentences about what was taken for what.

    `kind` is `category` or `system`. Nothing for an empty `asked` and for words like "all". Where the known values are
    not complete, one that is not among them is given back as it is. Raises Refused (`unknown_value`) with the nearest.
    """
    whole = one_line(asked)[:200]
    if not whole or fold(whole) in _EVERYTHING:
        return (), []
    by_fold = {fold(value): value for value in known}
    parts = [whole] if fold(whole) in by_fold else [part for part in _LIST.split(whole) if part]
    if len(parts) > 1 and _value(whole, by_fold):
        parts = [whole]
    values: list[str] = []
    notes: list[str] = []
    for part in parts:
        found = _value(part, by_fold)
        if found:
            if fold(part) not in by_fold:
                notes.append(f"{kind} {part!r} was taken for {_either(found)}.")
            values += found
            continue
        spellings = _spellings(by_fold)
        near_words = nearest(part, spellings)
        near = list(dict.fromkeys(spellings[word] for word in near_words))
        if (
            near
            and _likeness(part, near_words[0]) >= _SURE
            and (len(near) == 1 or _likeness(part, near_words[1]) < _likeness(part, near_words[0]))
        ):
            notes.append(f"There is no {kind} {part!r}: {near[0]!r} was taken.")
            values.append(near[0])
        elif not complete:
            notes.append(f"No entry of late has the {kind} {part!r}; known are {_list(known)}.")
            values.append(part)
        else:
            hint = f"Did you mean {_either(near)}? " if near else ""
            raise Refused("unknown_value", f"there is no {kind} {part!r}.", f"{hint}There are: {_list(known)}.")
    return tuple(dict.fromkeys(values)), notes


def authors_for(asked: str, known: Sequence[str], complete: bool) -> tuple[tuple[str, ...], list[str]]:
    """The authors whose names hold the words of `asked`, and sentences about what was taken for what.

    As `values_for`; an initial stands for every name that begins with it. Raises Refused (`unknown_author`).
    """
    text = one_line(asked)[:200]
    words = [word for word in _WORD.findall(fold(text)) if word not in _TITLES]
    if not words or fold(text) in _EVERYTHING:
        return (), []
    found = [name for name in known if fold(name) == fold(text)] or [name for name in known if _named(words, name)]
    if len(found) > 1:
        return tuple(found), [f"author {text!r} fits {_list(found)}: entries of all of them."]
    if found:
        return tuple(found), []
    parts = {part: name for name in known for part in (name, *name.split()) if len(part) > 2}
    near = list(dict.fromkeys(parts[part] for part in nearest(text, parts)))
    if len(near) == 1 and max(_likeness(text, part) for part, name in parts.items() if name == near[0]) >= _SURE:
        return tuple(near), [f"There is no author {text!r}: {near[0]!r} was taken."]
    if not complete:
        return (text,), [f"No entry of late is by {text!r}; known are {_list(known)}."]
    hint = f"Did you mean {_either(near)}? " if near else ""
    raise Refused("unknown_author", f"there is no author {text!r}.", f"{hint}There are: {_list(known)}.")


def nearest(word: str, candidates: Iterable[str]) -> list[str]:
    """Up to three of the candidates that resemble the word, the nearest first."""
    scored = sorted((-_likeness(word, candidate), candidate) for candidate in set(candidates))
    return [candidate for score, candidate in scored if -score >= _ALIKE][:3]


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, fold(one), fold(other), autojunk=False).ratio()


def _value(asked: str, by_fold: dict[str, str]) -> list[str]:
    folded = fold(asked)
    if folded in by_fold:
        return [by_fold[folded]]
    meant = {fold(word) for group in groups() if folded in map(fold, group) for word in group}
    return [value for other, value in by_fold.items() if other in meant]


def _spellings(by_fold: dict[str, str]) -> dict[str, str]:
    """Every word that stands for one of the values, with that value."""
    spellings = {
        word: by_fold[fold(name)] for group in groups() for name in group if fold(name) in by_fold for word in group
    }
    return {**spellings, **{value: value for value in by_fold.values()}}


def _named(words: Sequence[str], name: str) -> bool:
    parts = _WORD.findall(fold(name))
    return all(
        any(word in part or (len(part) == 1 and len(words) > 1 and word.startswith(part)) for part in parts)
        for word in words
    ) and any(word in part for word in words for part in parts if len(word) > 1 or len(words) == 1)


def _either(values: Sequence[str]) -> str:
    return " or ".join(repr(value) for value in values)


def _list(values: Sequence[str]) -> str:
    more = f" and {len(values) - MOST_NAMED} more" if len(values) > MOST_NAMED else ""
    return (", ".join(values[:MOST_NAMED]) or "none") + more
