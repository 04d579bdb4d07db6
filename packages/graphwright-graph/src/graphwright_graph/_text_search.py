"""Text search by trigrams, independent of the language: normalization of words, and ranking of nodes.

Words are compared without case, accents and punctuation, by their common trigrams, with a blank at both ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from unicodedata import combining, normalize

from graphwright_graph._elements import Node

MOST_CHARACTERS = 4000
"""The maximum number of characters of a text, from its beginning, that are compared."""

MOST_WORDS = 60
"""The maximum number of words that are searched."""

MOST_COMPARED = 150
"""The maximum number of nodes that are compared word by word."""

LEAST_OVERLAP = 0.5
"""The minimum proportion of common trigrams for a word to match another one: of the shorter word in the longer one."""

SHORTEST = 6
"""The minimum number of trigrams of a word that is searched in longer ones; a shorter one would match too many."""

_BETWEEN = re.compile(r"[\W_]+")

# Chinese and Japanese have no blanks: each character is a word.
_ALONE = re.compile("([\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])")


def folded(text: str) -> str:
    """The normalised words of a text, with a blank before and after each: ` kundin muller `."""
    text = text[:MOST_CHARACTERS]
    if not text.isascii():
        parts = normalize("NFKD", text.casefold())
        text = normalize("NFKC", "".join(character for character in parts if not combining(character)))
        text = _ALONE.sub(r" \1 ", text)
    return f" {_BETWEEN.sub(' ', text.casefold()).strip()} "


def words_of(text: str) -> list[str]:
    """The different normalised words of a text, in order."""
    return list(dict.fromkeys(folded(text).split()))[:MOST_WORDS]


def trigrams(word: str) -> list[str]:
    """The different groups of three characters of a word with its ends: ` bo`, `bo `."""
    ended = f" {word} "
    return list(dict.fromkeys(ended[place : place + 3] for place in range(len(ended) - 2)))


def index_text(node: Node) -> str:
    """The normalised words of a node's texts, for the search index of an engine."""
    return "".join(map(folded, _texts(node)))


def rank(text: str, nodes: Iterable[Node], weights: Mapping[str, float], most: int) -> tuple[Node, ...]:
    """The nodes most similar to the words of a text, the best first; equally good ones by identity.

    `weights` is the weight of each trigram: rare trigrams have higher weights.
    """
    wanted = {word: set(trigrams(word)) for word in words_of(text)}
    whole = folded(text)
    scored = []
    for node in nodes:
        score = _score(node, wanted, whole, weights)
        if score > 0:
            scored.append((-score, node.identity, node))
    return tuple(node for _, _, node in sorted(scored, key=lambda each: each[:2])[:most])


def _score(node: Node, wanted: Mapping[str, set[str]], whole: str, weights: Mapping[str, float]) -> float:
    texts = [folded(text) for text in _texts(node)]
    held = {word: set(trigrams(word)) for text in texts for word in text.split()}
    score = 0.0
    for word, parts in wanted.items():
        if word in held:
            score += _weight(parts, weights)
        else:
            score += max((_similarity(parts, others, weights) for others in held.values()), default=0.0)
    # A name of several words counts more if the text contains it as a whole.
    named = [text for text in texts if text in whole and text.strip()]
    return score + sum(_weight({part for word in text.split() for part in trigrams(word)}, weights) for text in named)


def _texts(node: Node) -> Iterator[str]:
    yield node.key
    for value in node.properties.values():
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str):
                yield text


def _similarity(parts: set[str], others: set[str], weights: Mapping[str, float]) -> float:
    shared = parts & others
    whole_of = min(len(parts), max(len(others), SHORTEST))
    if len(shared) < LEAST_OVERLAP * whole_of:
        return 0.0
    return _weight(shared, weights) * 2 * len(shared) / (len(parts) + len(others))


def _weight(parts: Iterable[str], weights: Mapping[str, float]) -> float:
    return sum(weights.get(part, 0.0) for part in parts)


def bigrams(key: str) -> list[str]:
    """At most 12 pairs of neighbouring characters of a key in lower case, to search for similar keys."""
    low = key.lower()
    return list(dict.fromkeys(low[i : i + 2] for i in range(len(low) - 1)))[:12] or [low]
