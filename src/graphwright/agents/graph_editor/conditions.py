"""The conditions that a question states: values that the graph has, comparisons, what is so and what is not."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from graphwright.agents.graph_editor.evidence import Evidence, number_of
from graphwright.agents.graph_editor.values import words_for
from graphwright.agents.graph_editor.words import QUOTED, listed, plain, same_stem, singular, tokens
from graphwright.graphstore.names import checked_name

MOST_VALUES = 12
"""A property with more values than this is no kind of things, but a name or a text."""

_SIGNS = {
    "lte": "at most, no more than, not more than, up to, höchstens, maximal, bis zu",
    "gte": "at least, no less than, not less than, mindestens, minimum",
    "lt": """
        below, under, less than, fewer than, smaller than, lower than, lighter than, cheaper than, before, earlier than,
        unter, weniger als, kleiner als, vor
    """,
    "gt": """
        above, over, more than, greater than, larger than, higher than, heavier than, bigger than, exceeding, after,
        later than, über, mehr als, größer als, nach
    """,
}
_SIGN_OF = {word: sign for sign, words in _SIGNS.items() for word in listed(words)}
_SIGN = "|".join(re.escape(word) for word in sorted(_SIGN_OF, key=len, reverse=True)) + "|<=|>=|<|>|≤|≥"
_SIGN_OF |= {"<": "lt", ">": "gt", "<=": "lte", ">=": "gte", "≤": "lte", "≥": "gte"}
_DATE = r"\d{4}(?:-\d{2}-\d{2})?"
_AMOUNT = r"(?P<amount>\d{4}-\d{2}-\d{2}|\d[\d.,]*)(?!\w*-\w)"
_BETWEEN = r"(?:\W+(?!and\b|or\b|und\b|oder\b|with\b|mit\b)\w+){0,3}?\W+"
_BEHIND = (
    r"\W+(?:(?!with\b|and\b|or\b|mit\b|und\b|oder\b)\w+\W+)?"
    r"(?:(?:in|on|of|at|auf|im|an)\W+(?:(?:the|their)\W+)?)?"
)
_OR_MORE = {
    **dict.fromkeys(("more", "higher", "above", "over", "later", "mehr", "höher"), "gte"),
    **dict.fromkeys(("less", "fewer", "lower", "below", "under", "earlier", "weniger", "niedriger"), "lte"),
}
"""What stands behind an amount: "90 or more in stock"."""

_NOT_BEFORE = re.compile(
    r"(?<!\w)(?:not|but|except|other than|non|no|isn't|aren't|nicht|kein\w*|außer|ohne|without)"
    r"(?:\s+(?:for|in|the|a|an|als))?\s*$"
)


def stated(label: str, evidence: Evidence) -> dict[str, Any]:
    """The conditions on nodes of a label that the request states, as `where` of `query_graph` has them."""
    schema = evidence.label_schema(label)
    if schema is None:
        return {}
    text = QUOTED.sub(lambda quote: f" {quote.group(1) or quote.group(2)} ", plain(evidence.request))
    found: dict[str, Any] = {}
    for name, kinds in schema.properties.items():
        condition = _compared(label, name, kinds, text, evidence)
        if condition is None:
            condition = _valued(label, name, kinds, text, evidence)
        if condition is not None:
            found[name] = condition
    return found


def _compared(label: str, name: str, kinds: Sequence[str], text: str, evidence: Evidence) -> dict[str, Any] | None:
    """`{lt: 100}` for "a stock below 100" and for "below 100 in stock"."""
    words = [word for word in re.split(r"[^a-z0-9äöüß]+", name.casefold()) if len(word) > 2]
    if not words:
        return None
    called = rf"(?<!\w){re.escape(singular(words[0]))}\w{{0,2}}(?!\w)"
    sign = rf"(?P<sign>{_SIGN})\s*"
    more = rf"{_AMOUNT}\s+(?:or|and|oder|und)\s+(?P<sign>{'|'.join(_OR_MORE)})(?!\w)"
    found = next(
        (
            match
            for form in (
                rf"{called}(?:{_BETWEEN}|\W*){sign}{_AMOUNT}",
                rf"(?<!\w){sign}{_AMOUNT}{_BEHIND}{called}",
                rf"{called}(?:{_BETWEEN}|\W*){more}",
                rf"(?<![\w.-]){more}{_BEHIND}{called}",
            )
            if (match := re.search(form, text))
        ),
        None,
    )
    if found is None:
        return None
    said = found["sign"]
    amount, kind = found["amount"].rstrip(".,"), _OR_MORE.get(said) or _SIGN_OF[said]
    if "number" in kinds:
        value = number_of(amount)
        return {kind: value} if isinstance(value, int | float) else None
    dates = [value for value, _ in evidence.store.values(label, name, most=3)]
    if not re.fullmatch(_DATE, amount) or not all(re.match(_DATE, str(value)) for value in dates):
        return None
    if len(amount) == 4 and kind in ("gt", "lte"):
        # Dates as text: all of the year 1975 comes behind "1975".
        return {"gte" if kind == "gt" else "lt": str(int(amount) + 1)}
    return {kind: amount}


def _valued(label: str, name: str, kinds: Sequence[str], text: str, evidence: Evidence) -> Any:
    """A value of the property that the text names, `{ne: value}` where it names it as what is not meant."""
    if set(kinds) == {"boolean"}:
        return _so_or_not(name, text)
    if set(kinds) != {"text"}:
        return None
    values = [value for value, _ in evidence.store.values(label, name, most=MOST_VALUES + 1)]
    if len(values) > MOST_VALUES:
        return None
    said = [value for value in values if isinstance(value, str) and _said_at(value, text) is not None]
    # "in progress" is said, and "progress" with it.
    said = [value for value in said if not any(value != other and plain(value) in plain(other) for other in said)]
    if not said:
        return None
    if len(said) > 1:
        return {"in": said}
    place = _said_at(said[0], text)
    assert place is not None
    return {"ne": said[0]} if _NOT_BEFORE.search(text[:place]) else said[0]


def _said_at(value: str, text: str) -> int | None:
    """Where a text names a value, in whatever language."""
    places = (_place(word, text) for word in words_for(value))
    return next((place for place in places if place is not None), None)


def _so_or_not(name: str, text: str) -> Any:
    words = name.casefold().replace("_", " ").replace("-", " ")
    place = _place(words, text)
    if place is None:
        return None
    return {"ne": True} if _NOT_BEFORE.search(text[:place]) else True


def _place(value: str, text: str) -> int | None:
    """Where a text names a value, by whole words, in the singular or the plural; None where it does not."""
    sought = tokens(value.replace("_", " ").replace("-", " "))
    if not sought or (len(sought) == 1 and len(sought[0]) < 3):
        return None
    words = list(re.finditer(r"[^\W_]+", text))
    for start in range(len(words) - len(sought) + 1):
        spoken = [word.group() for word in words[start : start + len(sought)]]
        if spoken[:-1] == sought[:-1] and singular(spoken[-1]) in (sought[-1], singular(sought[-1])):
            return words[start].start()
    return None


_COMPARING = {word for phrase in (*_SIGN_OF, *_OR_MORE) for word in tokens(phrase)}.union(
    listed("""
        not, isn't, aren't, non, but, other, except, yet, have, having, where, value, values, units, pieces, items,
        amount, number, nicht, kein, keine, außer, ohne, stück
    """)
)


def condition_words(where: Mapping[str, Any]) -> set[str]:
    """The words with which a request states these conditions, in the forms that they may have there."""
    said = set(_COMPARING)
    for name, condition in where.items():
        compared = condition if isinstance(condition, Mapping) else {"eq": condition}
        texts = [name.replace("_", " ")]
        for value in compared.values():
            texts += [str(each) for each in (value if isinstance(value, list) else [value])]
        words = {word for text in texts for word in tokens(text.replace("_", " ").replace(".", " "))}
        said |= words | {f"{word}s" for word in words}
    return said


_OPERATORS = {"eq": "=", "ne": "<>", "lt": "<", "lte": "<=", "gt": ">", "gte": ">=", "in": "IN"}


def compared(name: str, where: Mapping[str, Any], parameters: dict[str, Any]) -> list[str]:
    """Stated conditions as Cypher over a variable; their values go to the parameters."""
    found = []
    for property, condition in where.items():
        for sign, value in (condition if isinstance(condition, Mapping) else {"eq": condition}).items():
            parameter = f"p{len(parameters)}"
            parameters[parameter] = value
            found.append(f"{name}.`{checked_name(property, 'property name')}` {_OPERATORS[sign]} ${parameter}")
    return found


def with_stated(where: Mapping[str, Any], label: str | None, evidence: Evidence) -> dict[str, Any]:
    """The conditions of a call with those that the request states and the model left out or got wrong.

    An equal value that nobody said is taken out.
    """
    said = {} if label is None else stated(label, evidence)
    kept = {}
    for name, condition in where.items():
        compared = isinstance(condition, Mapping)
        if name in said and (isinstance(said[name], Mapping) or not compared):
            continue
        if isinstance(condition, str) and name != "key" and not _is_said(condition, evidence):
            continue
        kept[name] = condition
    return {**kept, **said}


def _is_said(value: str, evidence: Evidence) -> bool:
    """Whether any word of a value stands in what the user said, in whatever form."""
    if not value.isascii() or not evidence.text.isascii():
        # Said in another language, perhaps.
        return True
    words = tokens(evidence.text)
    return evidence.says(value) or any(same_stem(part, word) for part in tokens(value) for word in words)
