"""What of the best sentences of the sources an answer lacks: quoted below it, in the sources' own words."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

from graphwright.agents.assistant import citing, signs
from graphwright.agents.assistant.asking import Asked, Kind, asked_in
from graphwright.agents.assistant.grounding import Numbers
from graphwright.agents.assistant.passages import sentences, weights
from graphwright.agents.assistant.question import Question
from graphwright.agents.assistant.words import TELLING, content_words, shares, stem, stems, words
from graphwright.text.folding import without_accents
from graphwright.text.little_words import language_of
from graphwright.tools.sources import Source

MOST_READ = 30
"""Sources whose sentences are looked at."""

MOST_QUOTES = 2
LONGEST_QUOTE = 320
"""Characters."""

_BESIDE, _NEAR = 0.6, 0.3
"""What a word of the question counts that stands in the title or the sentence before, or elsewhere in the source."""

_NOWHERE = 0.15
"""What it counts where it stands in none of the sources."""

_RIGHT_KIND = 0.4
"""What it counts, of all the words together, that a sentence holds the kind of thing that is asked for."""

_SURE, _SURER = 0.35, 0.6
"""The part of the words, by weight, that a sentence with its surroundings must have to be quoted.

More where no unit or form tells that what it holds is what was asked for.
"""

_MEANT, _SHORTEST_SLIP = 0.8, 5
"""How alike two words are of which one is a slip of the pen, and the letters from which on that can be told."""

_FIRST = 0.25
"""What the first of the sources counts more, of all the words together: they are in order."""

_AS_GOOD = 0.75
"""The part of the best sentence's score from which on another one may hold the answer as well."""

_SAID, _SAID_ELSEWHERE = 0.4, 0.5
"""The part of a sentence's own words from which on an answer has said it; of one that bears less on the question."""

_SHORTEST_ROOT = 3
"""Letters of a word that another one may begin with."""

_CONTEXT = 40
"""Characters of a sentence below which it is quoted with the one before it."""

_AND = re.compile(r"\s(?:and|und|&|sowie)\s", re.IGNORECASE)
_LONGEST_GAP = 25
"""Characters between two things that are told together, such as "0.5 mm horizontally and 0.3 mm"."""

_SAYS_WHAT = ("heading", "system", "category", "author")
"""Facts of a source that say what it is about, and of whom, as its title does."""

_REFUSES = re.compile(
    r"\b(?:not|n't|no|never|nicht|keine?[nrms]?)\b(?: [\w'-]+){0,4}? (?:f[io]u?nd|mention\w*|contain\w*|state[ds]?|say|"
    r"said|specif\w*|provide\w*|available|given?|information|details?|data|enough|sufficient|gefunden|enthalten|erwähnt|"
    r"genannt|angegeben|bekannt|verfügbar|angaben?|informationen?)\b",
    re.IGNORECASE,
)
"""Words by which an answer says that the sources do not tell."""

_ANY: frozenset[Kind] = frozenset(("reason", "remedy", "first", "thing", "list", "yes or no"))
"""Kinds of which no form tells them from others."""

_TELLS_MORE: dict[Kind, re.Pattern[str]] = {"reason": signs.BECAUSE, "remedy": signs.MENDED}
"""Kinds whose answer is not what the question says happened, and how a sentence shows that it holds one."""

MOST_ITEMS = 8
_FEW = 0.4
"""The part of the items of a list that an answer may lack."""

_CLOCK = re.compile(r"(?<![\d:])\d{1,2}:\d{2}(?!\d)")
_YES = re.compile(r"\s*(?:yes|ja)\b[\s,.:!]*", re.IGNORECASE)
_FIRST_ITEM = re.compile(r"^\s*1[.)]\s")
_LEANS = re.compile(r"(?:it|this|that|they|these|those|he|she|es|dies\w*|das|sie|er)\b", re.IGNORECASE)
_RULE = re.compile(r"^\|?\s*:?-{2,}")
_ITEM = re.compile(r"^\s*(?:[-*•|]|\d{1,2}[.)])\s?")


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of a source, one or several items, and its place among the sources."""

    place: int
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence of the source at `place`; `number` is its place in the source's text, -1 where it is the title."""

    place: int
    number: int
    text: str
    stems: frozenset[str]
    beside: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Answer:
    text: str
    stems: frozenset[str]
    numbers: Numbers
    language: str
    refuses: bool


def lacking(answer: str, parts: Sequence[Question], sources: Sequence[Source]) -> list[Quote]:
    """What bears most on each part of a question, where the answer has nothing of what it holds; at most two quotes."""
    plain = citing.without_marks(answer)
    whole = " ".join(part.text for part in parts)
    language = language_of(plain, TELLING) or language_of(whole, TELLING)
    said = _Answer(plain, stems(plain), Numbers([plain]), language, bool(_REFUSES.search(plain)))
    found: list[Quote] = []
    unit: re.Pattern[str] | None = None
    for part in parts:
        places = [place for place, source in enumerate(sources) if not part.wants or source.kind == part.wants]
        read = _Read(part, whole, sources, _nearest(part, sources, places or range(len(sources))))
        for asked in asked_in(part.text, part.terms):
            if asked.kind == "value" and asked.unit is None and not asked.counted:
                # "The limit of the pressure, and how high was it?"
                asked = replace(asked, unit=unit)
            unit = asked.unit
            quote = read.items(asked, said) if asked.kind == "list" else None
            quote = quote or read.missing(asked, said)
            if quote is not None and not any(_within(quote, each) for each in found):
                found.append(quote)
    return found[:MOST_QUOTES]


def denied(answer: str, parts: Sequence[Question], sources: Sequence[Source]) -> str:
    """The sentence that surely holds what an answer begins with saying that the sources do not tell; empty for none."""
    plain_text = citing.without_marks(answer)
    if len(parts) != 1 or not _REFUSES.search((sentences(plain_text) or [""])[0]):
        return ""
    question = parts[0]
    read = _Read(question, question.text, sources, _nearest(question, sources, range(len(sources))))
    for asked in asked_in(question.text, question.terms):
        sign = _TELLS_MORE.get(asked.kind)
        told = sign is not None or (asked.kind not in _ANY and (asked.kind != "value" or asked.unit is not None))
        for sentence in read.best(asked)[:1] if told else ():
            holds = sign.search(sentence.text) if sign is not None else read.definite(asked, sentence)
            if holds and read.covers(asked, sentence) >= _SURER:
                return plain(sentence.text)
    return ""


def _nearest(part: Question, sources: Sequence[Source], places: Sequence[int]) -> Sequence[int]:
    """The places to read: of a long file only the pages that have most of the words."""
    if len(places) <= MOST_READ:
        return places
    own = [stem(term) for term in part.terms]
    low = {place: without_accents(f"{sources[place].title} {sources[place].text}") for place in places}
    best = sorted(places, key=lambda place: (-sum(word in low[place] for word in own), place))
    return sorted(best[:MOST_READ])


def only_agrees(answer: str, parts: Sequence[Question], sources: Sequence[Source]) -> bool:
    """Whether an answer says yes in the words of the question, and no source speaks of that in its language."""
    plain = citing.without_marks(answer)
    if len(parts) != 1 or not _YES.match(plain) or not parts[0].terms:
        return False
    question = parts[0]
    language = language_of(question.text, TELLING)
    there = stems(question.text)
    if any(not shares(word, there) for word in content_words(_YES.sub("", plain))):
        return False
    if not any(language and language_of(source.text, TELLING) == language for source in sources):
        return False
    read = _Read(question, question.text, sources, _nearest(question, sources, range(len(sources))))
    whole = Asked("yes or no", question.terms, ())
    return all(read.covers(whole, sentence) < _SURER for sentence in read.sentences)


def _tells(said: frozenset[str], text: str, least: float, asked: Collection[str] = ()) -> bool:
    """Whether an answer has so many of the words of a text, without those that are asked about."""
    own = [word for word in content_words(text) if not shares(word, asked)]
    return sum(shares(word, said) for word in own) >= least * len(own)


def _within(quote: Quote, other: Quote) -> bool:
    """Whether one of two quotes of a source has the words of the other."""
    one, two = " ".join(quote.items), " ".join(other.items)
    return quote.place == other.place and (one in two or two in one)


class _Read:
    """The sentences of those sources that stand in `places`, held against a part of the `whole` question."""

    def __init__(self, question: Question, whole: str, sources: Sequence[Source], places: Sequence[int]) -> None:
        self.known = Numbers([whole])
        self.asked = stems(whole)
        self.sources = sources
        self.places = places
        self.persons = {name for source in sources for name in source.metadata.get("author", "").split()}
        lines = {place: _lines(sources[place].text) for place in places}
        self.texts = {place: [text for text, _ in each] for place, each in lines.items()}
        self.heads = {place: [head for _, head in each] for place, each in lines.items()}
        self.wholes = {place: stems(sources[place].text) for place in places}
        self.titles = {place: self._title(place) for place in places}
        self.sentences = [each for place in places for each in self._of(place)]
        there = frozenset().union(*self.wholes.values(), *self.titles.values())
        self.meant = {term: _meant(term, there) for term in question.terms}
        self.worth = {
            term: worth * (1.0 if _has(there, self.meant[term]) else _NOWHERE)
            for term, worth in weights(question.terms, [each.stems for each in self.sentences]).items()
        }

    def _title(self, place: int) -> frozenset[str]:
        facts = self.sources[place].metadata
        return stems(" ".join((self.sources[place].title, *(facts.get(name, "") for name in _SAYS_WHAT))))

    def _of(self, place: int) -> Iterator[_Sentence]:
        source, title = self.sources[place], self.titles[place]
        if source.kind == "elog" and source.title:
            yield _Sentence(place, -1, source.title, title, frozenset())
        before: frozenset[str] = frozenset()
        for number, (text, head) in enumerate(zip(self.texts[place], self.heads[place], strict=True)):
            # Each sentence of a log entry is about what its title says.
            own = stems(text) | (title if source.kind == "elog" else frozenset())
            yield _Sentence(place, number, text, own, title | before | stems(head))
            before = own

    def covers(self, part: Asked, sentence: _Sentence) -> float:
        """The part of the words, by weight, that a sentence with its surroundings has."""
        total = got = 0.0
        for terms, counts in ((part.own, 1.0), (part.rest, 0.5)):
            for term in terms:
                worth = counts * self.worth[term]
                total += worth
                names = self.meant[term]
                if _has(sentence.stems, names):
                    got += worth
                elif _has(sentence.beside, names):
                    got += worth * _BESIDE
                elif _has(self.wholes[sentence.place], names):
                    got += worth * _NEAR
        return got / total if total else float(sentence.place == self.places[0])

    def best(self, part: Asked) -> list[_Sentence]:
        """The sentences that may hold what is asked for, the best first; none where none surely does."""
        if part.kind in _ANY:
            return self._of_best_sources(part)
        return self._holding(part, _SURER if part.kind == "value" and part.unit is None else _SURE)

    def _of_best_sources(self, part: Asked) -> list[_Sentence]:
        """Where no form tells what is asked for: the sentences of the sources that bear on it most."""
        covers: dict[int, float] = {}
        for place in self.places:
            title = self.titles[place]
            covers[place] = self.covers(part, _Sentence(place, -1, "", self.wholes[place] | title, frozenset()))
            covers[place] += _BESIDE * self.covers(part, _Sentence(place, -1, "", title, frozenset()))
        best = max(covers, key=lambda place: (round(covers[place], 6), -place), default=None)
        if best is None or covers[best] < _SURER:
            return []
        good = [place for place in self.places if covers[place] >= _AS_GOOD * covers[best]]
        if part.kind == "remedy":
            # The entry of the repair, not that of the fault.
            best = next((place for place in good if self._of_repair(place)), best)
        own = [each for each in self.sentences if each.number >= 0 and each.place in good]
        if part.kind in _TELLS_MORE:
            told_again = [self._told_again(part, place) for place in good]
            own = [each for each in own if each not in told_again]
        sign = _TELLS_MORE.get(part.kind)
        return sorted(
            own,
            key=lambda each: (
                each.place != best,
                -self.covers(part, each) - _RIGHT_KIND * (sign is not None and bool(sign.search(each.text))),
                each.number,
            ),
        )

    def _of_repair(self, place: int) -> bool:
        source = self.sources[place]
        return bool(signs.MENDED.search(f"{source.title} {source.metadata.get('category', '')}"))

    def _told_again(self, part: Asked, place: int) -> _Sentence | None:
        """The sentence of a source that only tells what the question says happened, which is no reason for it."""
        own = [each for each in self.sentences if each.place == place and each.number >= 0]
        if len(own) < 2:
            return None
        most = max(own, key=lambda each: (self.covers(part, each), -each.number))
        return None if _TELLS_MORE[part.kind].search(most.text) else most

    def _holding(self, part: Asked, sure: float) -> list[_Sentence]:
        """The sentences that hold the kind of thing that is asked for and bear on it most."""
        scored = []
        for sentence in self.sentences:
            if self.definite(part, sentence):
                covered = self.covers(part, sentence)
                bound = part.bound is not None and part.bound.search(sentence.text) is not None
                scored.append((covered + _FIRST / (1 + sentence.place) + _RIGHT_KIND * bound, covered, sentence))
        # The title of an entry stands in the list of sources: where its text says the same, that is quoted.
        scored.sort(key=lambda each: (-round(each[0], 6), each[2].place, each[2].number < 0, each[2].number))
        if not scored or scored[0][1] < sure:
            return []
        return [sentence for score, _, sentence in scored if score >= _AS_GOOD * scored[0][0]]

    def definite(self, part: Asked, sentence: _Sentence) -> list[str]:
        """What of a sentence is of the kind that is asked for, without what the question says itself."""
        source = self.sources[sentence.place]
        return signs.definite(part, sentence.text, source, persons=self.persons, asked=self.asked, known=self.known)

    def missing(self, part: Asked, said: _Answer) -> Quote | None:
        """The sentence that is to be quoted for a part of the question; None where the answer says it."""
        agrees = part.kind == "yes or no" and not said.refuses
        if agrees and not self._restated(said):
            return None
        best = self.best(part)
        if agrees and not (best and self._speaks_of_all(part, best[0].place)):
            return None
        if best and (agrees or part.kind == "thing") and (gist := self._gist(best[0].place, said)) is not None:
            return gist
        if best and part.kind == "first":
            first = [text for text in self.texts[best[0].place] if _FIRST_ITEM.match(text)]
            if first:
                told = _tells(said.stems, first[0], _SAID, self.asked)
                return None if told else Quote(best[0].place, (plain(first[0]),))
        if not best or any(self._says(part, each, said, _SAID) for each in best):
            return None
        if part.kind in _ANY and any(self._says(part, each, said, _SAID_ELSEWHERE) for each in self._others(best)):
            return None
        # Where nothing tells that it holds the answer, it must speak of the same thing itself, or its title must.
        titled = _Sentence(best[0].place, -1, "", best[0].stems | self.titles[best[0].place], frozenset())
        if part.kind in _ANY and self.covers(part, titled) < _SURE and not said.refuses:
            return None
        return Quote(best[0].place, (self._quoted(best[0]),))

    def _adds(self, said: _Answer, sign: re.Pattern[str], place: int) -> bool:
        """Whether an answer has such a sign, and words of its own besides those of the question and of a title."""
        own = [word for word in words(said.text) if not shares(word, self.asked)]
        new = [word for word in content_words(" ".join(own)) if not shares(word, self.titles[place])]
        return bool(new) and sign.search(" ".join(own)) is not None

    def _restated(self, said: _Answer) -> bool:
        """Whether an answer says nothing but what the question said, and who wrote of it."""
        own = content_words(_YES.sub("", said.text))
        # "Fixed" has no stem that "fix" shares.
        asked = [each for each in self.asked if len(each) >= _SHORTEST_ROOT]
        return all(
            word in self.persons or shares(word, self.asked) or any(word.casefold().startswith(each) for each in asked)
            for word in own
        )

    def _speaks_of_all(self, part: Asked, place: int) -> bool:
        there = self.wholes[place] | self.titles[place]
        return all(_has(there, self.meant[term]) for term in (*part.own, *part.rest))

    def _gist(self, place: int, said: _Answer) -> Quote | None:
        """The title of a log entry, where an answer tells neither that nor half of what stands below it."""
        source = self.sources[place]
        own = [word for word in content_words(source.title) if not shares(word, self.asked)]
        if source.kind != "elog" or not own or _foreign(f"{source.title} {source.text}", said.language):
            return None
        told = [_tells(said.stems, sentence, _SAID_ELSEWHERE) for sentence in self.texts[place]]
        if 2 * sum(told) >= len(told) or any(shares(word, said.stems) for word in own):
            return None
        return Quote(place, (plain(source.title),))

    def _others(self, best: Sequence[_Sentence]) -> list[_Sentence]:
        """The sentences of the other sources, from which an answer may be as well."""
        good = {each.place for each in best}
        return [each for each in self.sentences if each.place not in good and each.number >= 0]

    def _says(self, part: Asked, sentence: _Sentence, said: _Answer, least: float) -> bool:
        if part.kind not in _ANY:
            low = said.text.casefold()
            figures = part.kind in ("value", "number")
            definite = self.definite(part, sentence)
            told = {each for each in definite if (said.numbers.has(each) if figures else each.casefold() in low)}
            return bool(told) and not any(
                (one in told) != (other in told) for one, other in _together(definite, sentence.text)
            )
        own = [word for word in content_words(_CLOCK.sub(" ", sentence.text)) if not shares(word, self.asked)]
        if not own:
            return True
        # A time is told as a whole: another one of the same hour is another time.
        times = set(_CLOCK.findall(sentence.text))
        shared = [*(word for word in own if shares(word, said.stems)), *(times & set(_CLOCK.findall(said.text)))]
        own += times
        new = [word for word in content_words(said.text) if not shares(word, self.asked)]
        if part.kind == "thing" and new and all(shares(word, sentence.stems) for word in new):
            # A short answer need not say all of the sentence that it is from.
            return True
        if _foreign(sentence.text, said.language):
            # Of a translation only names and figures can be told again, and that there is a reason or a remedy.
            sign = _TELLS_MORE.get(part.kind)
            if sign is not None and not self._adds(said, sign, sentence.place):
                return False
            telling = [word for word in own if any(c.isdigit() for c in word)]
            return not telling or any(word in shared for word in telling)
        return len(shared) >= least * len(own)

    def items(self, part: Asked, said: _Answer) -> Quote | None:
        """The items of the list that is asked for, where the answer lacks many of them; None where there is no list."""
        best = self.best(part)
        if not best:
            return None
        place = best[0].place
        listed = [plain(line) for line in self.texts[place] if _ITEM.match(line)]
        listed = [item for item in listed if item][:MOST_ITEMS]
        if len(listed) < 2:
            return None
        lacks = [item for item in listed if not _tells(said.stems, item, _SAID)]
        return Quote(place, tuple(listed)) if len(lacks) > _FEW * len(listed) else None

    def _quoted(self, sentence: _Sentence) -> str:
        text = plain(sentence.text)
        around = self.texts[sentence.place]
        leans = (len(text) < _CONTEXT and " | " not in sentence.text) or _LEANS.match(text)
        if sentence.number > 0 and leans and not _ITEM.match(sentence.text):
            before = plain(around[sentence.number - 1])
            if len(before) + len(text) < LONGEST_QUOTE:
                text = f"{before} {text}"
        return text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE].rstrip()}…"


def _together(things: Sequence[str], text: str) -> Iterator[tuple[str, str]]:
    """Those of the things that a text tells together, in pairs."""
    places = sorted((text.find(thing), thing) for thing in things if thing in text)
    for (start, one), (end, other) in itertools.pairwise(places):
        gap = text[start + len(one) : end]
        if len(gap) <= _LONGEST_GAP and _AND.search(gap):
            yield one, other


def _meant(term: str, there: Collection[str]) -> tuple[str, ...]:
    """What a word may be called among these stems: itself, its name in the other language, or what it is a slip of."""
    names = (term, *signs.OTHER_NAMES.get(stem(term), ()))
    if len(term) < _SHORTEST_SLIP or _has(there, names):
        return names
    return (*names, *get_close_matches(stem(term), there, 1, _MEANT))


def _has(stems_there: Collection[str], names: Sequence[str]) -> bool:
    return any(shares(name, stems_there) for name in names)


def _foreign(text: str, language: str) -> bool:
    found = language_of(text, TELLING)
    return bool(language and found and found != language)


def _lines(text: str) -> list[tuple[str, str]]:
    """The sentences of a text, each with the heads of its columns where it is the row of a table.

    A row of more than two columns has them before its cells.
    """
    found: list[tuple[str, str]] = []
    heads: list[str] = []
    for each in sentences(text):
        if _RULE.match(each):
            heads = _cells(found.pop()[0]) if found else []
        elif not each.startswith("|"):
            heads = []
            found.append((each, ""))
        else:
            cells = _cells(each)
            named = len(cells) > 2 and len(cells) == len(heads)
            row = "; ".join(f"{head}: {cell}" for head, cell in zip(heads, cells, strict=False))
            found.append((f"| {row}" if named else each, " ".join(heads)))
    return found


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip("| ").split("|")]


def plain(sentence: str) -> str:
    """A sentence as it may stand in quotation marks: without Markdown, links and marks; the cells of a row in line."""
    cells = [cell for cell in _cells(_ITEM.sub("", sentence)) if cell]
    text = (": " if len(cells) == 2 else "; ").join(cells)
    text = citing.cited(text.replace("**", "").replace("`", ""), (), marked=0).text
    return re.sub(r"[\"“”„«»]", "'", text).strip("#*•_ ")
