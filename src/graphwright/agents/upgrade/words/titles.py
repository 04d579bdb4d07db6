"""Names that a message gives or says: what is to be called how, and what it calls experiments nobody knows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from graphwright.agents.upgrade.words.saying import Quote, Saying, covered
from graphwright.agents.upgrade.words.vocabulary import (
    BASE,
    COMMON,
    DETERMINERS,
    EXPERIMENT,
    GENERIC,
    GROUP,
    LONGEST_VERB,
    NOT_SLIPS,
    PART,
    SLIPS,
    SOFT,
    STOP_WORDS,
    USER,
)
from graphwright.runtime.reading.words import Stretch, Word, fold_keeping_places, is_typo_of, vocabulary, words_of

MOST_WORDS = 10
"""Words of a name that does not stand in quotes."""

Role = Literal["name", "new_name", "said", "description", "value"]


@dataclass(frozen=True, slots=True)
class Title:
    """A name in a message. `new_name` is what something is to be called from now on, `name` what it is called, `said`
    what seems to be the name of an experiment, `description` what describes one, and `value` a text in quotes that
    belongs to something else."""

    text: str
    start: int
    end: int
    role: Role
    quoted: bool = False


_CALLED = re.compile(
    r"\b(?:called|named|titled|entitled|by the name(?: of)?|with (?:the )?(?:name|title)(?: of)?|"
    r"(?:the |its |whose )?name (?:is|should be|shall be|will be)|name[:=]|name it|call it|call that|call this|namens|"
    r"mit (?:dem )?(?:namen|titel)|genannt|heisst|heissen soll|nenne es|nenn es|nenne das)\s*:?\s*(?P<here>)"
)
_RENAMED = re.compile(
    r"\b(?:(?:rename|retitle|renamed|umbenennen|benenne|benenn|nenne|nenn|change the name|change its name|set the name"
    r"|name)\b[^.!?\n]{0,200}?"
    r"\s(?:to|into|as|in|auf)\s*:?\s*(?P<here>)"
    r"|\bname of\b[^.!?\n]{1,160}?\s(?:should|shall|must|is to) be\s*:?\s*(?P<there>))"
)
_VALUE_BEFORE = re.compile(
    r"\b(?:conditions?|codes?|variants?|arms?|context|app|site|target|point|points|user|users|student|students|"
    r"description|described as|tags?|tagged|hypothesis|group|school|class|bedingung(?:en)?|kontext|nutzer|beschreibung)"
    r"\b[^.!?\n\"'“”]{0,24}$"
)
_DESCRIBING = re.compile(
    r"(?:descri\w*|beschreib\w*)(?:[^\n\"'“]{0,20}"
    r"|\s(?:of|for|von|fur)\s[^\n]{1,200}?\s(?:to|as|is|be|auf|als)\s?:?\s*|\s[^\n]{1,200}?(?:\sas|\sals|:)\s*)$"
)
_LISTED = re.compile(r"\s*(?:\(?\d+(?:[.,]\d+)?\s*%?\)?)?\s*(?:,|/|&|and|und|,\s*(?:and|und))\s*(?:\d+\s*%?\s*)?")
# Only in small letters: "call it rather Foo", but "call it Rather Good".
_RATHER = re.compile(r"\s*(?:rather|just|simply|better|lieber|besser|doch|einfach|bitte|jetzt|nun)\s+(?=\S)")
_IN_CAPITALS = re.compile(r"(?<=[^\s.!?;:] )(?:[A-Z][\w-]*)(?: (?:[A-Z][\w-]*|v?\d+))+")
_NAME_BEFORE = re.compile(r"\b(?:experiments?|test|study|studie|versuch)\s*$")
# Behind a name that is not in quotes these begin something else.
_ENDS_NAME = re.compile(
    r"\s+(?:in\s+(?:the\s+)?(?:context\b|app\b|kontext\b)|in\s+(?:the\s+)?\S+\s+context\b"
    r"|with\s+(?:the\s+)?(?:condition|weight|"
    r"decision|site|context|user|a\b|two|three|four|\d|control|tag|description|equal)|using\s"
    r"|at\s+(?:the\s+)?(?:site|decision|point)|"
    r"on\s+(?:the\s+)?(?:target|site)|for\s+(?:the\s+)?(?:context|app|users?|students?)\b|and\s+(?:then\s+)?|then\s|"
    r"but\s|instead\b|please\b|im\s+kontext|mit\s+(?:den\s+)?(?:bedingung|gewicht)|und\s|bitte\b|um$"
    r"|um\s+und\b)|[,;!?\n]|\.(?=\s|$)",
    re.IGNORECASE,
)


# Kinds of experiments: "a group experiment" has no name.
_KINDS = GROUP | vocabulary("""
    individual a b ab little small big quick short long random randomised randomized controlled factorial level gruppe
    gruppen kleines grosses weiteres further brand dummy demo
""")


def titles(saying: Saying, known: Sequence[Stretch], contexts: Sequence[Stretch]) -> list[Title]:
    """The names that a message gives, and what stands in quotes, in order. `known` are names of experiments."""
    folded = fold_keeping_places(saying.text)
    found: list[Title] = []
    for pattern, role in ((_RENAMED, "new_name"), (_CALLED, "name")):
        for match in pattern.finditer(folded.text):
            start = folded.places[match.end()] if match.end() < len(folded.places) else len(saying.text)
            own = next((one for one in known if start <= one.start <= start + 1), None)
            whole = not any(q.start <= own.start and own.end < q.end - 1 for q in saying.quotes) if own else False
            if own is not None and whole and re.match(r"\s*(?:[:,.;!?)]|$)", saying.text[own.end :]):
                found.append(Title(saying.text[own.start : own.end], own.start, own.end, role))  # type: ignore[arg-type]
                continue
            title = _title_at(saying, start, role, contexts)  # type: ignore[arg-type]
            taken = [*_stretches(found), *descriptions(saying)]
            if title is not None and not covered(Stretch(title.start, title.end), taken):
                found.append(title)
    for own in known:
        title = _called_by(saying, own, contexts)
        if title is not None and not covered(Stretch(title.start, title.end), _stretches(found)):
            found.append(title)
    before: Title | None = None
    for quote in saying.quotes:
        if covered(quote, _stretches(found)):
            continue
        title = _quoted(saying, quote)
        if before is not None and before.role == "value" and _LISTED.fullmatch(saying.text[before.end : quote.start]):
            # "conditions 'a', 'b'": the second quote follows the first.
            title = replace(title, role="value")
        found.append(title)
        before = title
    return sorted(found, key=lambda title: title.start)


def _called_by(saying: Saying, own: Stretch, contexts: Sequence[Stretch]) -> Title | None:
    """ "Call Foo The New One": the words in capitals, or in quotes, right behind what gets the name."""
    before = fold_keeping_places(saying.text[: own.start]).text
    if not re.search(r"\b(?:call|name|nenne|nenn)\s+(?:the\s+|das\s+)?(?:experiment\s+)?[\"'“]?$", before):
        return None
    lead = re.match(r"[\"'”]?\s+(?:now\s+|jetzt\s+)?(?=[\"'“A-ZÄÖÜ\d])", saying.text[own.end :])
    title = _title_at(saying, own.end + lead.end(), "new_name", contexts) if lead is not None else None
    if title is None or title.quoted:
        return title
    text = re.sub(r"\s+(?:from now on|in future|instead|ab jetzt)\Z", "", title.text)
    return replace(title, text=text, end=title.start + len(text))


def _stretches(found: Sequence[Title]) -> list[Stretch]:
    return [Stretch(title.start, title.end) for title in found]


def descriptions(saying: Saying) -> list[Stretch]:
    """Where a message describes an experiment: what stands there says nothing else."""
    return [Stretch(quote.start, quote.end) for quote in saying.quotes if _describes(saying, quote)]


def _describes(saying: Saying, quote: Quote) -> bool:
    before = fold_keeping_places(saying.text[max(0, quote.start - 240) : quote.start + 1]).text
    return _DESCRIBING.search(before.rstrip("\"'“„«`")) is not None


def _quoted(saying: Saying, quote: Quote) -> Title:
    if _describes(saying, quote):
        return Title(quote.text, quote.start, quote.end, "description", quoted=True)
    before = fold_keeping_places(saying.text[max(0, quote.start - 60) : quote.start]).text
    value = _VALUE_BEFORE.search(before) is not None and not _NAME_BEFORE.search(before)
    return Title(quote.text, quote.start, quote.end, "value" if value else "said", quoted=True)


def _title_at(saying: Saying, start: int, role: Role, contexts: Sequence[Stretch]) -> Title | None:
    quote = next((each for each in saying.quotes if start <= each.start <= start + 2), None)
    if quote is not None:
        return Title(quote.text, quote.start, quote.end, role, quoted=True)
    rest = saying.text[start:]
    end = len(rest)
    cut = next((each for each in _ENDS_NAME.finditer(" " + rest) if not _in_name(saying, " " + rest, each)), None)
    if cut is not None:
        end = min(end, max(0, cut.start() - 1))
    for context in contexts:
        # "called Foo in maths-practice", "called Foo for reading-club".
        if context.start >= start:
            lead = re.search(
                r"\s+(?:in|for|im|on|fur|für)(?:\s+(?:the|app|context|kontext))*\s*$",
                saying.text[start : context.start],
            )
            if lead is not None:
                end = min(end, lead.start())
    lead = _RATHER.match(rest)
    if lead is not None:
        start, rest, end = start + lead.end(), rest[lead.end() :], end - lead.end()
    text = " ".join(rest[: max(0, end)].split()[:MOST_WORDS]).strip(" .:'\"")
    if not text or text.casefold() in ("it", "that", "this"):
        return None
    at = saying.text.index(text.split()[0], start)
    return Title(text, at, start + end, role)


def _in_name(saying: Saying, rest: str, cut: re.Match[str]) -> bool:
    """Whether a word that ends names is part of one that is written in capitals: "Rock And Roll", "Rock and Roll"."""
    joint = cut[0].split()
    if not joint or saying.text.isupper():
        return False
    behind = rest[cut.end() :].lstrip()
    goes_on = (
        joint[0].casefold() in ("and", "und") and behind[:1].isupper() and (behind.split()[0].casefold(),) not in BASE
    )
    return rest.lstrip()[:1].isupper() and (joint[0][:1].isupper() or goes_on)


def said_name(saying: Saying, start: int, end: int, kept: Sequence[Stretch]) -> Title | None:
    """What a clause seems to call an experiment that nobody knows: "experiment Foo", "the Foo test", "delete Foo".

    `kept` are the words that are something else, such as contexts.
    """
    words = saying.between(start, end)
    for at, word in enumerate(words):
        capitals = _in_capitals(saying, words, at + 1, kept) if _is_experiment(word) else None
        if capitals is not None:
            return capitals
    found = [way(saying, words, kept) for way in (_behind_experiment, _before_experiment, _behind_verb)]
    titles = sorted((title for title in found if title is not None), key=lambda title: title.start)
    return titles[0] if titles else _behind_joint(saying, words, kept)


def name_asked_about(saying: Saying, kept: Sequence[Stretch]) -> Title | None:
    """What a question that names no experiment calls one: "the Spelling Bee test", "is Spelling Bee running?".

    "An Adaptive Test" is none, but a kind of experiments. In `kept` stands something else.
    """
    title = said_name(saying, 0, len(saying.text), kept)
    if title is not None and title.text[:1].isupper() and not covered(Stretch(title.start, title.end), kept):
        before = words_of(saying.text[: title.start])
        beside = {*before[-2:], *words_of(saying.text[title.end :])[:1]} & EXPERIMENT
        if beside and before and before[-1] not in ("a", "an", "any"):
            return title
    for match in _IN_CAPITALS.finditer(saying.text):
        place = Stretch(match.start(), match.end())
        own = words_of(match[0])
        if not covered(place, kept) and not {*own} <= COMMON and "upgrade" not in own:
            return Title(match[0], place.start, place.end, "said")
    return None


def _behind_experiment(saying: Saying, words: Sequence[Word], kept: Sequence[Stretch]) -> Title | None:
    for at, word in enumerate(words):
        if _is_experiment(word):
            title = _run(saying, words, at + 1, kept)
            # "After the experiment assign all to control" does not name it.
            if title is not None and (words_of(title.text)[0],) not in BASE:
                return title
            if title is not None and title.text[:1].isupper():
                return title
    return None


def _in_capitals(saying: Saying, words: Sequence[Word], at: int, kept: Sequence[Stretch]) -> Title | None:
    """The words in capitals from one place on, where others are not: a name, also if its words end other phrases."""
    run: list[Word] = []
    for word in words[at : at + MOST_WORDS]:
        apart = run and re.search(r"[^\s'’&+/_-]", saying.text[run[-1].end : word.start])
        if apart or covered(word, kept) or not (_capital(saying, word) or (run and word.text.isdigit())):
            break
        run.append(word)
    others = [word for word in saying.words if word not in run]
    if not run or not any(saying.text[word.start].islower() for word in others[-3:] + others[:1]):
        return None
    if run[0].text in EXPERIMENT | _KINDS or not (DETERMINERS | STOP_WORDS | SOFT | GENERIC) & {run[0].text}:
        # What ends no phrase is found with the words behind it.
        return None
    return Title(saying.text[run[0].start : run[-1].end], run[0].start, run[-1].end, "said")


def _before_experiment(saying: Saying, words: Sequence[Word], kept: Sequence[Stretch]) -> Title | None:
    for at, word in enumerate(words):
        if not _is_experiment(word):
            continue
        first = at
        while first > 0 and at - first < MOST_WORDS and words[first - 1].text not in DETERMINERS | EXPERIMENT:
            first -= 1
        if first == 0 or first == at:
            continue
        own = words[first:at]
        if not all(each.text in GENERIC | SOFT | STOP_WORDS | _KINDS for each in own) and not _apart(saying, own):
            return Title(saying.text[own[0].start : own[-1].end], own[0].start, own[-1].end, "said")
    return None


def _behind_verb(saying: Saying, words: Sequence[Word], kept: Sequence[Stretch]) -> Title | None:
    for at in range(len(words)):
        for length in range(LONGEST_VERB, 0, -1):
            said = tuple(word.text for word in words[at : at + length])
            if said in BASE or (length == 1 and _is_slip(said[0])):
                title = _run(saying, words, at + length, kept)
                own = words_of(title.text) if title is not None else []
                # "change the weights", "split it evenly": what is changed is no name.
                plain = not own or own[0] in GENERIC or PART.intersection(own) or _KINDS.issuperset(own)
                return None if plain else title
    return None


def _behind_joint(saying: Saying, words: Sequence[Word], kept: Sequence[Stretch]) -> Title | None:
    """ "Simulate 500 users on Foo", "the weights of Foo": only what begins like a name."""
    for at, word in enumerate(words):
        if word.text in ("on", "in", "of", "for", "from", "through", "auf", "von", "fur", "mit"):
            title = _run(saying, words, at + 1, kept)
            if title is not None and title.text[:1].isupper():
                return title
    return None


def _run(saying: Saying, words: Sequence[Word], at: int, kept: Sequence[Stretch]) -> Title | None:
    """The words from one place on that may be a name."""
    while at < len(words) and words[at].text in DETERMINERS | EXPERIMENT | {"called", "named", "namens", "id"}:
        at += 1
    run: list[Word] = []
    for word in words[at : at + MOST_WORDS]:
        joined = not run or not re.search(r"[,.;:!?()\n]\s|[,;:!?()\n]", saying.text[run[-1].end : word.start])
        if word.text in STOP_WORDS or not joined or covered(word, kept):
            break
        run.append(word)
    # "The Zorp experiment" is called Zorp, "the experiment Zorp Study" by both words.
    while (
        run
        and run[-1].text in EXPERIMENT
        and not (len(run) > 1 and _capital(saying, run[0]) and _capital(saying, run[-1]))
    ):
        run.pop()
    if not run or all(word.text in GENERIC | SOFT | USER or word.text.isdigit() for word in run):
        return None
    return Title(saying.text[run[0].start : run[-1].end], run[0].start, run[-1].end, "said")


def _is_experiment(word: Word) -> bool:
    return word.text in EXPERIMENT or is_typo_of(word.text, "experiment")


def _is_slip(word: str) -> bool:
    """Whether a word is a verb with a slip of the fingers, as `verbs` reads one."""
    plain = len(word) > 3 and word not in NOT_SLIPS and word not in GENERIC
    return plain and len({BASE[(each,)] for each in SLIPS if is_typo_of(word, each)}) == 1


def _capital(saying: Saying, word: Word) -> bool:
    return saying.text[word.start].isupper()


def _apart(saying: Saying, words: Sequence[Word]) -> bool:
    return any(re.search(r"[,.;:!?()\n]", saying.text[one.end : other.start]) for one, other in pairwise(words))
