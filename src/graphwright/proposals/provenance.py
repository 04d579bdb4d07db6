"""Where each value of a proposed call comes from, and whether its effect waits for a yes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from graphwright.text.folding import normalised
from graphwright.text.numerals import numbers_in

Support = Literal["said", "default", "shown", "exists", "unsupported"]
"""How well a value is supported. `default`: nobody said it, and code or a schema puts it where nothing is given.
`unsupported` is a mark for people, never a reason to drop or to refuse a value.
"""

Policy = Literal["always", "unsupported", "destructive"]
"""`always`: every write. `unsupported`: a write with a value that the user neither said nor was shown: a value that was
said, put in the wrong place, passes unseen. `destructive`: only what deletes, overwrites or cannot be undone.
"""


@dataclass(frozen=True, slots=True)
class Sources:
    """What values may come from.

    `said` are the user's own messages of this request, `shown` the texts that the user was shown before, `existing` the
    exact ids (keys, codes, columns) of things that exist and that this request names or has looked up.
    """

    said: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    existing: frozenset[str] = frozenset()


def occurs(quote: str, texts: Iterable[str]) -> bool:
    """Whether a quotation stands literally in one of the texts: case, spaces and forms of characters do not count.

    An empty quotation occurs nowhere.

    >>> occurs("Set  the BUDGET", ["please set the budget to 500"])
    True
    >>> occurs("set the budget to 1", ["please set the budget to 500"])
    False
    """
    wanted = normalised(quote)
    return bool(wanted) and any(wanted in normalised(text) for text in texts)


def support_of(value: Any, sources: Sources) -> Support:
    """The support of one scalar. A number is compared as a number, a text as whole words.

    >>> support_of(450, Sources(said=("make it 450 euros",)))
    'said'
    >>> support_of("T-7", Sources(said=("close his ticket",), existing=frozenset({"T-7"})))
    'exists'
    >>> support_of("urgent", Sources(said=("close his ticket",)))
    'unsupported'
    """
    if _stands_in(value, sources.said):
        return "said"
    if _stands_in(value, sources.shown):
        return "shown"
    if isinstance(value, str) and value in sources.existing:
        return "exists"
    return "unsupported"


def supports(
    arguments: Mapping[str, Any], sources: Sources, defaults: Mapping[str, Any] | None = None
) -> dict[str, Support]:
    """The support of every scalar in the arguments, by its dotted path: `to_key`, `properties.status`, `points.0.site`.

    `defaults` are the values that stand at a path when nobody gives one. A null says that something goes, and is left
    out.

    >>> supports({"key": "T-1", "properties": {"status": "done"}}, Sources(said=("T-1 is done",)))
    {'key': 'said', 'properties.status': 'said'}
    >>> supports({"query": "dumps", "limit": 10}, Sources(said=("all dumps",)), {"limit": 10})
    {'query': 'said', 'limit': 'default'}
    """
    found = {path: (value, support_of(value, sources)) for path, value in leaves(arguments)}
    return {
        path: "default" if support != "said" and _is_default(path, value, defaults or {}) else support
        for path, (value, support) in found.items()
    }


def values_with(
    support: Support, arguments: Mapping[str, Any], found: Mapping[str, Support], prefix: str = ""
) -> list[str]:
    """The values of the arguments that have this support in `found` (by path, after `prefix`), each once, for people.

    >>> values_with("default", {"points": [{"weight": 50}, {"weight": 50}]}, {"points.0.weight": "default"})
    ['weight: 50']
    """
    texts = dict[str, None]()
    for path, value in leaves(arguments):
        if found.get(prefix + path) == support:
            name = next(part for part in reversed(path.split(".")) if not part.isdecimal())
            whole = isinstance(value, float) and value.is_integer()
            text = ("no", "yes")[value] if isinstance(value, bool) else int(value) if whole else value
            texts[f"{name.replace('_', ' ')}: {text}"] = None
    return list(texts)


def leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """The scalars in arguments, without nulls, each with its dotted path."""
    parts = enumerate(value) if isinstance(value, Sequence) and not isinstance(value, str) else ()
    if parts or isinstance(value, Mapping):
        for name, item in parts or value.items():
            yield from leaves(item, (*path, str(name)))
    elif value is not None:
        yield ".".join(path), value


def needs_yes(
    policy: Policy,
    *,
    destructive: bool,
    supports: Iterable[Support] = (),
    weak_model: bool = False,
    doubts: bool = False,
) -> bool:
    """Whether a write waits for a yes.

    `destructive` is a deletion, an overwriting, a raw statement, or what cannot be undone: it always asks, and so does
    everything that a weak model proposes or that a review doubts. A policy that there is not is `always`.

    >>> needs_yes("unsupported", destructive=False, supports=["said", "exists"])
    False
    >>> needs_yes("unsupported", destructive=False, supports=["said", "unsupported"])
    True
    """
    if destructive or weak_model or doubts or policy not in ("unsupported", "destructive"):
        return True
    return policy == "unsupported" and "unsupported" in supports


def _is_default(path: str, value: Any, defaults: Mapping[str, Any]) -> bool:
    return path in defaults and defaults[path] == value and isinstance(value, bool) == isinstance(defaults[path], bool)


def _stands_in(value: Any, texts: Sequence[str]) -> bool:
    if isinstance(value, bool):
        return False
    if isinstance(value, int | float):
        return any(value in numbers_in(text) for text in texts)
    if not isinstance(value, str) or not (wanted := normalised(value)):
        return False
    return any(_as_words(wanted, normalised(text)) for text in texts)


def _as_words(wanted: str, text: str) -> bool:
    """Whether the wanted text stands in `text` and does not begin or end inside a word."""
    found = ((each.start(), each.start() + len(wanted)) for each in re.finditer(f"(?={re.escape(wanted)})", text))
    ends = ((text[max(begin - 1, 0) : begin], text[end : end + 1]) for begin, end in found)
    return any(not (_joins(before, wanted[0]) or _joins(wanted[-1], after)) for before, after in ends)


def _joins(left: str, right: str) -> bool:
    """Whether two neighbouring characters belong to one word. Scripts without spaces join nothing."""
    joining = left.isalnum() and right.isalnum()
    return joining and not any(unicodedata.east_asian_width(sign) in "WF" for sign in left + right)
