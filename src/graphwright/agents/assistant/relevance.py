"""How well sources have a question's words: their order, those that are shown, and words that stand nowhere."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import SequenceMatcher

from graphwright.agents.assistant.compounds import SHORTEST_PART, Standing
from graphwright.agents.assistant.known import KNOWLEDGE, LOG, OWN, QUERY
from graphwright.agents.assistant.passages import weights
from graphwright.agents.assistant.question import Question
from graphwright.agents.assistant.state import ToolOutcome
from graphwright.agents.assistant.words import EVERYDAY, RELATIONS, TELLING, folded, listed, shares, stem, stems, words
from graphwright.text.little_words import language_of
from graphwright.tools.sources import Source

COVERED = 0.55
"""The part of a question's words, by weight, from which on a source is enough."""

UNCOVERED = 0.3
"""The part below which a source is not."""

MOST_SHOWN = 4
MOST_LISTED = 8
"""Sources that an answer sees, and those where a question asks for a list."""

MOST_RESULTS = 3
"""Results of tools that an answer sees in any case."""

_MEANT = 0.6
"""What a word of the same meaning counts, of the word itself."""

_END = 0.25
"""What a compound counts of which a text has the end alone: `Wechsel` of `Klystronwechsel`."""

_TYPED = 0.8
"""How alike two words are of which one is a slip of the pen."""

_VALUE = re.compile(
    r"\b(?:what(?:'?s| is| was| are)|how (?:much|many|high|large|long|big|fast|far|tight)|"
    r"(?:at|below|above|from) (?:what|which|how)|"
    r"which|wie (?:hoch|viele?|gro(?:ß|ss)|lang|eng|weit|stark|oft)|(?:ab|bei|unter|über) welche[rm]?|welche[rsn]?)\b",
    re.IGNORECASE,
)
_MOST_MISSING = 0.6
"""The part of a question's words from which on it stands or falls by them."""

_FAR = 0.5
"""The part of the words below which the best source speaks of something else, where a word is in none at all."""

_SPEAKS = 2
"""Telling words from which on one source speaks of what is asked, whatever else was said."""

_WHOLE = 5
"""Letters from which on an English word may stand at the end of another one."""

_OF = frozenset(("of", "des", "der", "vom", "von"))
_ARTICLES = frozenset(("the", "a", "an", "our"))
_OF_OTHERS = listed("""
    avec dans del della dove el elle est gli il la las le les los para pour que quel quelle quelles quels quand sono
    sont sur una une
    """)
"""Little words of languages other than those whose words are told from others."""

_SENTENCE_ENDS = re.compile(r"(?<=[.!?:])\s+")

_INSIDE = "inside of longer words"
_MISSING = re.compile(r"(?:Not in any document|In none is): ([^.]+(?:\.\w[^.]*)*)\.")

GENERAL = listed("""
    number numbers value values amount level kind type name names nummer zahl wert werte art kinds types exact
    """)
"""Words that every text may have or not: by themselves they tell nothing."""


_TOLD = 0.3
"""What a word of telling counts, of one that says what it is about."""

_PAST = re.compile(r"[a-z]{3,}ed")
_PARTICIPLE = re.compile(
    r"(?:[a-zäöüß]{2,5})?(?:ge|be|ver|zer|ent|er|über|unter)[a-zäöüß]{3,}(?:t|en)|[a-zäöüß]{3,}iert"
)
_BEFORE_NOUNS = _ARTICLES | listed("""
    any some no every each all which what this that these those my your his her its their and or of in on at by for from
    with to into about
    """)


class Relevance:
    """How well each of some sources covers the words of a question, from 0 to 1."""

    def __init__(
        self, question: Question, sources: Sequence[Source], synonyms: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        self.sources = list(sources)
        self.question = question
        self._texts = [stems(_whole(source)) for source in sources]
        there = {word for text in self._texts for word in text}
        self._meant = {term: (*_same(term, synonyms or {}), *_slips(term, there)) for term in question.terms}
        self.worth = {
            term: worth * (_TOLD if _is_everyday(term) else 1.0)
            for term, worth in weights(question.terms, self._texts).items()
        }
        self.covered = [self._covers(question.terms, text) for text in self._texts]
        if question.goes_on:
            # What was written in reply has other words than what it replies to.
            thread = _thread(question.entries, self.sources)
            best = self.best
            self.covered = [
                best if source.metadata.get("id") in thread else covered
                for source, covered in zip(self.sources, self.covered, strict=True)
            ]

    def _covers(self, terms: Sequence[str], text: frozenset[str]) -> float:
        total = sum(self.worth[term] for term in terms)
        return sum(self.worth[term] * self._has(term, text) for term in terms) / total if total else 0.0

    def _has(self, term: str, text: frozenset[str]) -> float:
        if shares(term, text):
            return _END if _only_its_end(term, text) else 1.0
        return _MEANT if any(shares(other, text) for other in self._meant[term]) else 0.0

    def _gives_a_value(self, place: int) -> bool:
        """Whether a figure stands right behind a word of a question that asks for one."""
        if _VALUE.search(self.question.text) is None:
            return False
        text = folded(self.sources[place].text)
        return any(re.search(rf"\b{re.escape(stem(term))}\w*\W{{1,4}}(?:\w+\W+){{0,3}}\d", text) for term in self.worth)

    @property
    def best(self) -> float:
        """The best coverage of any source."""
        return max(self.covered, default=0.0)

    def ranked(self) -> list[Source]:
        """The sources, the best first: of those alike what was found first, and is of the kind that is asked for."""
        wanted = self.question.wants
        order = sorted(
            range(len(self.sources)),
            key=lambda place: (
                -self.covered[place]
                - 0.3 / (1 + place)
                - (0.3 if wanted and self.sources[place].kind == wanted else 0.0)
                - 0.2 * self._covers(self.question.terms, stems(self.sources[place].title))
                - (0.15 if self._gives_a_value(place) else 0.0)
            ),
        )
        return [self.sources[place] for place in order]


def _thread(entries: Iterable[int], sources: Sequence[Source]) -> set[str]:
    """The numbers of some entries, and of those among the sources that reply to them, or that they reply to."""
    found = set(map(str, entries))
    for _ in sources:
        more = {
            number
            for source in sources
            if source.kind == "elog"
            for number, other in itertools.permutations(
                (source.metadata.get("id", ""), source.metadata.get("reply_to", "")), 2
            )
            if number and other in found
        }
        if more <= found:
            break
        found |= more
    return found


def _only_its_end(term: str, text: Collection[str]) -> bool:
    """Whether a word stands in a text only as another one that it ends with."""
    own = stem(term)
    having = [other for other in text if len(other) >= SHORTEST_PART and (own in other or other in own)]
    return bool(having) and all(own != other and own.endswith(other) for other in having)


def _slips(term: str, known: Collection[str]) -> list[str]:
    """The words that one that stands nowhere was meant to be."""
    own = stem(term)
    return [] if shares(term, known) else [word for word in known if _alike(own, word)]


def _same(term: str, synonyms: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Other single words for a term."""
    own = stem(term)
    found = (group for group in ((name, *others) for name, others in synonyms.items()) if own in map(stem, group))
    return tuple(dict.fromkeys(word for group in found for word in group if " " not in word and stem(word) != own))


def _whole(source: Source) -> str:
    # Every page of an accelerator has its name among its facts.
    facts = " ".join(value for name, value in source.metadata.items() if name != "accelerator")
    return f"{source.title} {facts} {source.text}"


def shown(question: Question, rows: Sequence[tuple[Question, Sequence[Source]]]) -> list[Source]:
    """The sources for an answer, the best first: of each part of the question, given with what was found for it.

    A question for a list keeps what was found in its order.
    """
    if question.lists and len(rows) == 1:
        # Of an account code names the rest.
        most = MOST_LISTED if question.several else MOST_SHOWN
        return _once(source for _, sources in rows for source in sources)[:most]
    ranked = [(Relevance(part, sources), sources) for part, sources in rows if sources]
    chosen: list[list[Source]] = []
    for relevance, _ in ranked:
        order = relevance.ranked()
        covered = {id(source): value for source, value in zip(relevance.sources, relevance.covered, strict=True)}
        # What has much less of the words than the best only leads astray.
        good = [source for source in order if covered[id(source)] >= 0.5 * relevance.best] or order[:1]
        chosen.append(good)
    each = max(2, MOST_SHOWN // max(1, len(chosen)))
    most = max(MOST_SHOWN, len(chosen))
    found = _once(source for place in range(each) for row in chosen for source in row[place : place + 1])[:most]
    # A bare "23.4" has none of the words that it answers.
    among = [source for source in found if source.kind == "tool"]
    others = (source for _, sources in rows for source in sources if source.kind == "tool")
    more = _once([*among, *others])[len(among) : max(MOST_RESULTS, len(among))]
    texts = [source for source in found if source.kind != "tool"]
    left_out = list(map(id, texts[max(0, most - len(among) - len(more)) :]))
    return [*(source for source in found if id(source) not in left_out), *more]


def _once(sources: Iterable[Source]) -> list[Source]:
    return list({id(source): source for source in sources}.values())


def only_logged(question: Question) -> bool:
    """Whether what is asked for can stand in the logbook alone: what happened in a time."""
    return question.period is not None and question.wants == "elog"


def nowhere(
    question: Question,
    outcomes: Sequence[ToolOutcome],
    sources: Sequence[Source],
    synonyms: Mapping[str, Sequence[str]] | None = None,
) -> list[str]:
    """The words of a question that stand nowhere, where it stands or falls by them; else none.

    They are those that all searches said stand nowhere, and that no source has or nearly has, nor a word for the same.
    What happened in a time is told by the logbook alone. What a tool of the operator gave is no text in which the words
    of a question would have to stand: where there is such a result, nothing is told to stand nowhere.
    """
    if any(each["ok"] and each["sources"] and each["tool_name"] not in OWN for each in outcomes):
        return []
    places = {LOG} if only_logged(question) else {KNOWLEDGE, LOG}
    asked = [
        each for each in outcomes if each["ok"] and each["tool_name"] in places and QUERY & each["arguments"].keys()
    ]
    if places == {LOG}:
        sources = [source for source in sources if source.kind == "elog"]
    if not asked or not question.terms or question.goes_on:
        # What goes on about an entry has been found with it.
        return []
    told = [_told_missing([each for each in asked if each["tool_name"] == name]) for name in places]
    texts = [_whole(source) for source in sources]
    language = language_of(question.text, TELLING)
    if sum(word.casefold() in _OF_OTHERS for word in words(question.text)) >= TELLING:
        return []
    abroad = bool(language and texts) and all(
        (found := language_of(text, TELLING)) and found != language for text in texts
    )
    each_text = [stems(text) for text in texts]
    there = frozenset(word for text in each_text for word in text)
    standing = Standing(there)
    # Where words are not written together, a short one at the end of another is another one: "rain" and "drain".
    least = _WHOLE if language == "en" else SHORTEST_PART
    terms = telling_words(question)
    missing = [
        term
        for term in terms
        # Words of one language need not stand in texts of another, but abbreviations are the same in both.
        if not (abroad and term not in _abbreviations(terms))
        and all(said is None or stem(term) in said for said in told)
        and not any(standing.has(word, least=least) for word in (term, *_same(term, synonyms or {})))
        and not _slips(term, there)
    ]
    # What happened to a thing decides nothing by itself, but whoever speaks of the thing alone is far from it.
    told_of = {*terms, *(term for term in question.terms if not _is_everyday(term))}
    had = max((sum(shares(term, text) for term in told_of if term not in missing) for text in each_text), default=0)
    far = had < _FAR * len(told_of)
    standing_terms = [term for term in terms if term not in missing]
    speaks = max((sum(shares(term, text) for term in standing_terms) for text in each_text), default=0) >= _SPEAKS
    falls = bool(missing) and _falls_by(missing, terms, question, standing, language, far=far, speaks=speaks)
    return missing if falls else []


def _falls_by(
    missing: Sequence[str],
    terms: Sequence[str],
    question: Question,
    standing: Standing,
    language: str,
    *,
    far: bool,
    speaks: bool,
) -> bool:
    """Whether a question falls by its missing words; `far` says that the best source has few of its words.

    `speaks` says that a source has several of them: people say the same in other words, but other names are others.
    """
    share = len(missing) / len(terms)
    foreign = [term for term in missing if not standing.first_part(term)]
    # "Fire alarm": an alarm is another thing when no source speaks of fire. Other words have many synonyms.
    qualifying = [term for term in foreign if _qualifies(term, question)]
    named = any(term in _names(terms, question, language) for term in qualifying)
    if speaks:
        return named
    if len(qualifying) >= 2 or (qualifying and (far or share >= 0.5)):
        return True
    if len(foreign) == len(terms) or named:
        # The ring of another site is another one, whatever else is said of it.
        return True
    if far and any(map(standing.last_part, foreign)):
        # "Dollarkurs" is another thing than the courses there are.
        return True
    if len(missing) >= 2 and (share >= _MOST_MISSING or (far and share >= 0.5)):
        return True
    # A German question is about its nouns: where there is none of them, its other words only lead astray.
    nouns = _nouns(terms, question) if language == "de" else []
    return bool(nouns) and set(nouns) <= set(foreign)


def _qualifies(term: str, question: Question) -> bool:
    """Whether a word stands right before another one that is searched for, or behind it and an `of`.

    In German only before a noun: a verb may follow upon anything.
    """
    said = words(question.text)
    own = {stem(each) for each in question.terms}
    german = language_of(question.text, TELLING) == "de"
    if any(
        one == term and stem(other) in own and (not german or other[:1].isupper())
        for one, other in itertools.pairwise(said)
    ):
        return True
    plain = [word for word in said if word.casefold() not in _ARTICLES]
    return any(
        other == term and of.casefold() in _OF and stem(one) in own
        for one, of, other in zip(plain, plain[1:], plain[2:], strict=False)
    )


def _names(terms: Sequence[str], question: Question, language: str) -> list[str]:
    """The words of a question that are names: written in capitals, and in English with one."""
    return [*_abbreviations(terms), *(_nouns(terms, question) if language == "en" else ())]


def _abbreviations(terms: Sequence[str]) -> list[str]:
    return [term for term in terms if term.isalpha() and term.isupper() and len(term) > 2]


def _nouns(terms: Sequence[str], question: Question) -> list[str]:
    """The nouns of a German question: what is written with a capital, but for the first word of a sentence."""
    said = {word for sentence in _SENTENCE_ENDS.split(question.text) for word in words(sentence)[1:]}
    return [term for term in terms if term[:1].isupper() and term in said]


def telling_words(question: Question) -> list[str]:
    """The words of a question by which it stands or falls: what it is about, and not what is told of that."""
    general = [term for term in question.terms if term.casefold() not in GENERAL and any(c.isalpha() for c in term)]
    verbs = _verbs(question.text)
    telling = [term for term in general if not _is_everyday(term) and term.casefold() not in verbs]
    return telling or general or list(question.terms)


def _is_everyday(term: str) -> bool:
    return not (term.isupper() and len(term) > 1) and folded(term) in EVERYDAY | RELATIONS


def _verbs(text: str) -> set[str]:
    """The words of a text that are verbs by their endings and by where they stand: "the spot wandered"."""
    german = language_of(text, TELLING) == "de"
    said = words(text)
    found = set()
    for before, word in itertools.pairwise(["", *said]):
        # "A stolen pump" is another thing, and "has been stolen" is told of it.
        if german:
            is_verb = word.islower() and _PARTICIPLE.fullmatch(word) is not None
        else:
            is_verb = _PAST.fullmatch(word) is not None and before.casefold() not in _BEFORE_NOUNS
        if is_verb:
            found.add(word.casefold())
    return found


def _told_missing(outcomes: Sequence[ToolOutcome]) -> set[str] | None:
    """The stems of the words that the searches of a tool said stand nowhere; None where they found nothing at all."""
    if not any(each["sources"] for each in outcomes):
        return None
    notes = [found[1] for each in outcomes for found in _MISSING.finditer(each["note"])]
    # Within longer words every word may be found: "rain" in "drained".
    notes += [
        str(each["arguments"][name])
        for each in outcomes
        if _INSIDE in each["note"]
        for name in QUERY & each["arguments"].keys()
    ]
    return {stem(word) for note in notes for word in words(note)}


def _alike(one: str, other: str) -> bool:
    if one[:1] != other[:1] or abs(len(one) - len(other)) > 2 or len(one) < 5:
        return False
    return SequenceMatcher(None, one, other).ratio() >= _TYPED
