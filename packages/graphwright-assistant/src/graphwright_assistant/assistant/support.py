"""Find the sources that contain the numbers and phrases of an answer."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from graphwright.proposals import numbers_not_in
from graphwright.text.folding import words_of
from graphwright.text.full_text import ranked_texts
from graphwright.tools.sources import Source
from graphwright_assistant.assistant.citations import described, same_document

PHRASE = 5
"""Number of consecutive words that an answer without numbers must share with a source."""

MOST_COMPARED = 20
"""Maximum number of sources that are compared with an answer: those that share the most words with it."""

MOST_ADDED = 3
"""Maximum number of listed sources that the answer does not cite."""

_LINE = re.compile(r"\n|(?<=[.!?;])\s+")
_FACT = re.compile(r"(\d[\d.,]*)\s+([^\W\d_]+)")
_SMALL = re.compile(r"(?<![\d.,])(\d)\s+([^\W\d_]+)")


def sources_behind(
    text: str, cited: Sequence[Source], candidates: Sequence[Source], said: Iterable[str]
) -> list[Source]:
    """Return the cited sources, and those with numbers of the answer that no cited source contains.

    The lines with such a number must have a word in common. A file of the user is added if the answer repeats two of
    its facts. For an answer without citations and numbers, return the sources with phrases of it. Texts in `said` need
    no source.
    """
    said = list(said)
    others = [each for each in candidates if each not in cited]
    nearest = [others[place] for place in ranked_texts([_text(each) for each in others], text)[:MOST_COMPARED]]
    missing, documents = _claims(text, [*said, *map(_text, cited)]), {same_document(each) for each in cited}
    files = [each for each in others if each.kind == "file" and same_document(each) not in documents]
    added = [each for each in files if len(_shared(text, each)) > 1][:1]
    while missing and len(added) < MOST_ADDED:
        held = {place: _supported_claims(missing, text, each, said) for place, each in enumerate(nearest)}
        best = max(held, key=lambda place: len(held[place]), default=None)
        if best is None or not held[best]:
            break
        missing -= held[best]
        added.append(nearest[best])
    if cited or added:
        return [*cited, *(each for each in others if each in added)]
    phrases = _phrases([text]) - _phrases(said)
    shared = {place: len(phrases & _phrases([each.text])) for place, each in enumerate(nearest)}
    found = sorted((place for place in shared if shared[place]), key=lambda place: -shared[place])
    return [nearest[place] for place in found[:MOST_ADDED]]


def _claims(text: str, known: Sequence[str]) -> set[str]:
    """Return the numbers of a text that are not in the known texts; one-digit numbers with the word after them."""
    found = numbers_not_in(text, list(known), derived=False)
    large = {each for each in found if sum(sign.isdecimal() for sign in each) > 1}
    return large | {" ".join(each) for each in _SMALL.findall(text)}.difference(
        *({" ".join(pair) for pair in _SMALL.findall(each)} for each in known)
    )


def _supported_claims(claims: set[str], text: str, source: Source, said: Sequence[str]) -> set[str]:
    """Return the claims of a text that a source contains, in a line that shares a word with that of the text."""
    held = claims - _claims(text, [*said, _text(source)])
    mine = {each: _words(line for line in _LINE.split(text) if each in line) for each in held}
    lines = [(line, _words([line])) for line in _text(source).split("\n")]
    return {
        each
        for each in held
        if any(words & mine[each] and not numbers_not_in(each, [line], derived=False) for line, words in lines)
    }


def _words(lines: Iterable[str]) -> set[str]:
    return {word for line in lines for word in words_of(line) if len(word) > 1 and word.isalpha()}


def _shared(text: str, source: Source) -> set[tuple[str, str]]:
    """Return the numbers, with the word after them, that both have."""
    first, second = ({*_FACT.findall(each.casefold())} for each in (text, source.text))
    return first & second


def _phrases(texts: Collection[str]) -> set[tuple[str, ...]]:
    words = [words_of(text) for text in texts]
    return {tuple(each[at : at + PHRASE]) for each in words for at in range(len(each) - PHRASE + 1)}


def _text(source: Source) -> str:
    return f"{described(source)}\n{source.text}"
