"""What users call an answer: its key, and the words that its author listed. Amounts that stand beside such a name."""

from __future__ import annotations

from collections.abc import Sequence

from graphwright.flow.compiled import Question
from graphwright.runtime.reading.candidates import Candidate
from graphwright.runtime.reading.evidence import EMPTY_WORDS
from graphwright.runtime.reading.numbers import Mention, convert, numbers_in
from graphwright.runtime.reading.options import listed_words
from graphwright.runtime.reading.words import Stretch, Word, fold, fold_keeping_places, is_form_of, vocabulary, words_of

# What may stand between a name and its amount: `the budget is about 500`, `power should be 150`, `3000 to spend`.
_LINKS = vocabulary("""
    is are of at be to should would will must can about around roughly approximately approx say its it s up max
    maximum most now only just exactly the our my for in as ist sind liegt liegen bei betragt soll sollte sein auf von
    ca etwa ungefahr rund hochstens maximal jetzt nur genau zum zur fur als unser mein
""")
# What may stand right behind a bare amount. Another word there is what the number counts: `12 lamps`.
_GOING_ON = (
    _LINKS
    | EMPTY_WORDS
    | vocabulary("""
    each apiece per every all together altogether total tops least less more so ish then please thanks thank but because
    since if unless not no would could may might was were maybe perhaps probably they he she there here net gross incl
    inclusive including excl excluding plus minus give take sounds seems looks enough ok okay fine good right instead
    before again today monthly yearly limit top pro jeweils insgesamt circa danke aber weil wenn nicht ware war waren
    konnte sollen reicht reichen genug gut mindestens zusammen sagen glaube denke gerne gern netto brutto inklusive
    statt dann wohl pi nach rather guess think hope what which how when who lol haha
""")
)
_MOST_BETWEEN = 5
_LONGEST = 2000


def names_in(text: str, question: Question) -> list[Stretch]:
    """Where `text` names the answer to `question`: by a word of its key, or a word or phrase of its `x-words`."""
    words = list(fold_keeping_places(text).words())
    names: list[tuple[str, ...]] = [(word,) for word in words_of(question.key.replace("_", " "))]
    names += [tuple(words_of(listed)) for listed in listed_words(question.schema)]
    return [
        Stretch(words[at].start, words[at + len(name) - 1].end)
        for name in names
        if name
        for at in range(len(words) - len(name) + 1)
        if all(is_form_of(word.text, meant) for word, meant in zip(words[at : at + len(name)], name, strict=True))
    ]


def goes_on(word: str) -> bool:
    """Whether a word right behind a bare amount says nothing of what it counts."""
    return fold(word) in _GOING_ON


def fits(mention: Mention, question: Question) -> bool:
    """Whether an amount is bare, or in a unit that converts to the question's `x-unit`."""
    return not mention.unit or convert(mention, str(question.schema.get("x-unit") or "")) is not None


def named_amounts(text: str, offered: Sequence[Candidate]) -> list[tuple[Candidate, Mention]]:
    """Amounts right beside the name of an answer with a unit, one an answer: `power should be 150`.

    Reads the first 2,000 characters of `text`.
    """
    text = text[:_LONGEST]
    mentions = numbers_in(text)
    words = list(fold_keeping_places(text).words()) if mentions else []
    found: list[tuple[Candidate, Mention]] = []
    for candidate in offered:
        question = candidate.question
        if not question.schema.get("x-unit") or not mentions:
            continue
        names = names_in(text, question)
        beside = [m for m in mentions if fits(m, question) and any(_linked(words, name, m) for name in names)]
        if len(beside) == 1:
            found.append((candidate, beside[0]))
    return found


def _linked(words: Sequence[Word], name: Stretch, mention: Mention) -> bool:
    left, right = (name.end, mention.start) if name.end <= mention.start else (mention.end, name.start)
    between = [word.text for word in words if word.start >= left and word.end <= right]
    return left <= right and len(between) <= _MOST_BETWEEN and _LINKS.issuperset(between)
