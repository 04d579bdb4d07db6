"""Evidence: which of the options the words of a quote speak for."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from graphwright.runtime.reading.options import Option, names_of, spelled
from graphwright.runtime.reading.words import Stretch, Word, fold_keeping_places, is_form_of, vocabulary, words_of

_LONGEST_QUOTE = 2000
EMPTY_WORDS = vocabulary("""
    a an the and or of for in on at to by with from is are be it its this that i we you my our your me us please
    want need would like have get do does ein eine einen einem einer der die das den dem des und oder von fur in
    im an am auf aus mit zu zum zur ist sind es ich wir sie mein unser bitte will mochte brauche haben
""")
"""Words that say nothing about which option is meant."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """That the words at `place` speak for `option`; `strength` counts the words that match."""

    option: Option
    place: Stretch
    strength: int


def evidence_in(quote: str, options: Sequence[Option]) -> list[Evidence]:
    """For each option that a word of `quote` speaks for, the first and strongest evidence; places are in `quote`.

    An option is borne out by one of its listed words or phrases, or by a word of its value or title that no other
    option shares. Words match by stem, by beginning, as part of a compound and through typos; one that is a name of an
    option speaks for no other (a `warehouse` is no `house`).
    """
    words = list(fold_keeping_places(quote[:_LONGEST_QUOTE]).words())
    names = {name[0] for option in options for name in names_of(option) if len(name) == 1}
    found = [_best(words, option, options, names) for option in options]
    return [evidence for evidence in found if evidence is not None]


def _best(words: Sequence[Word], option: Option, options: Sequence[Option], names: Collection[str]) -> Evidence | None:
    best: Evidence | None = None
    for phrase in _phrases_of(option, options):
        for at in range(len(words) - len(phrase) + 1):
            run = words[at : at + len(phrase)]
            if all(_speaks_for(word.text, meant, names) for word, meant in zip(run, phrase, strict=True)):
                if best is None or len(phrase) > best.strength:
                    best = Evidence(option, Stretch(run[0].start, run[-1].end), len(phrase))
                break
    return best


def _speaks_for(word: str, meant: str, names: Collection[str]) -> bool:
    return word == meant or (word not in EMPTY_WORDS and word not in names and is_form_of(word, meant))


def _phrases_of(option: Option, options: Sequence[Option]) -> list[tuple[str, ...]]:
    phrases = list(names_of(option))
    others = {word for other in options if other is not option for name in names_of(other) for word in name}
    for text in (spelled(option.value), option.title):
        own = [word for word in words_of(text) if word not in EMPTY_WORDS and word not in others]
        phrases.extend((word,) for word in own)
    return list(dict.fromkeys(phrases))
