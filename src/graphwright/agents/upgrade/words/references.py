"""Experiments that a message speaks of without their names: "it", "that experiment", "the second one"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from graphwright.agents.upgrade.words.saying import Saying, covered
from graphwright.agents.upgrade.words.vocabulary import NUMBER_WORDS, STOP_WORDS
from graphwright.runtime.reading.words import Stretch, fold_keeping_places


@dataclass(frozen=True, slots=True)
class Recent:
    """An experiment that the conversation has touched. `deed` says how: `created`, `started`, `shown`, ..."""

    id: str
    name: str
    deed: str = ""


@dataclass(frozen=True, slots=True)
class Reference:
    """Words that stand for an experiment, and the one that they stand for; `means` is empty where there is none.

    A `pronoun` stands for what was spoken of last: "it", "that experiment", "its".
    """

    said: str
    start: int
    end: int
    means: tuple[Recent, ...] = ()
    pronoun: bool = False


_THING = r"(?:experiment|test|study|one|versuch|studie)"
_PLACE = "|".join(sorted(NUMBER_WORDS, key=len, reverse=True))
_DEED = re.compile(
    rf"\b(?:the|that|das|die)\s+(?:new\s+|neue\s+)?{_THING}?\s*(?:that\s+|which\s+|das\s+)?(?:we|i|you|wir|ich|du)\s+"
    r"(?:have\s+|haben\s+|habe\s+|hast\s+|ve\s+)?(?:just\s+|gerade\s+|last\s+|zuletzt\s+|eben\s+)?"
    r"(?P<deed>created|made|set up|added|started|launched|stopped|paused|changed|updated|simulated|renamed"
    r"|erstellt|angelegt|gestartet|gestoppt|pausiert|geandert|simuliert)(?:\s+(?:haben|habe|hast))?\b"
)
_PLACED = re.compile(rf"\b(?:the|das|die|den|dem|number|nr|no|#)\s*(?P<place>{_PLACE})(?:\s+(?P<thing>{_THING}))?\b")
_NUMBERED = re.compile(r"(?:\b(?:number|option|nr|nummer)\.?\s*|(?<!\w)#\s*)(?P<number>\d{1,3})\b")
_LAST = re.compile(
    rf"\b(?:the|das|die|den)\s+(?P<which>last|latest|newest|most recent|previous|letzte|letzten|neueste|neuesten)"
    rf"\s+{_THING}?\b"
)
_THAT = re.compile(
    rf"\b(?:(?:that|this|the same|dieses|diesen|diese|dasselbe|the new|das neue)\s+{_THING}"
    r"|(?:the|das)\s+(?:experiment|test|study|versuch)"
    r"|its|their|dessen|deren|seine|seinen|ihre|ihren)\b"
)
_IT = re.compile(
    r"(?<!gibt )(?<!forget )(?<!forget about )(?<!do )(?<!got )(?<!vergiss )\b(?:it|that|this|es|das|dieses|ihn)\b"
    r"(?!\s+(?:is|was|would|will|should|looks|seems|ist|war|ware)\b)"
)
_DEEDS = {
    "made": "created",
    "set up": "created",
    "added": "created",
    "erstellt": "created",
    "angelegt": "created",
    "launched": "started",
    "gestartet": "started",
    "gestoppt": "stopped",
    "pausiert": "paused",
    "changed": "updated",
    "renamed": "updated",
    "geandert": "updated",
    "simuliert": "simulated",
}
_POSSESSIVE = ("its", "their", "dessen", "deren", "seine", "seinen", "ihre", "ihren")
_NAMED_AFTER = re.compile(r"\s+(?:called|named|namens|with the name|with id)\b|\s*[\"“„]|\s+['‘]")
# "The experiment By School": a name may begin with a word that ends other phrases.
_CAPITALS = re.compile(r"\s+[A-ZÄÖÜ][\w-]*(?:\s+[A-ZÄÖÜ\d][\w-]*)*\s*(?:$|[.,;!?])")
_ENDS = re.compile(rf"\s*(?:$|[.,;:!?)]|'s\b|(?:{'|'.join(sorted(STOP_WORDS))}|one|called|named|s|has|with)\b)")


def references(
    saying: Saying, recent: Sequence[Recent], shown: Sequence[Recent], taken: Sequence[Stretch]
) -> list[Reference]:
    """The words of a message that stand for an experiment, in order.

    `recent` is the newest first; `shown` is the list that the user has last seen, in its order. What lies in `taken`
    (names, values in quotes) is not looked at.
    """
    folded = fold_keeping_places(saying.text)
    found: list[Reference] = []

    def add(match: re.Match[str], means: Sequence[Recent], *, pronoun: bool = False) -> None:
        place = Stretch(folded.places[match.start()], folded.end(match.end()))
        if not covered(place, taken) and not covered(place, [Stretch(each.start, each.end) for each in found]):
            said = saying.text[place.start : place.end].strip()
            found.append(Reference(said, place.start, place.end, tuple(means), pronoun))

    for match in _DEED.finditer(folded.text):
        deed = _DEEDS.get(match["deed"], match["deed"])
        add(match, [each for each in recent if each.deed == deed][:1])
    for match in _LAST.finditer(folded.text):
        add(match, _last(match["which"], recent, shown))
    for match in _PLACED.finditer(folded.text):
        if match["thing"] or _ends(folded.text, match.end()):
            add(match, _at(NUMBER_WORDS[match["place"]], shown or recent))
    for match in _NUMBERED.finditer(folded.text):
        add(match, _at(int(match["number"]) - 1, shown))
    for match in _THAT.finditer(folded.text):
        # "the experiment called Foo" and "the experiment Foo" name one.
        possessive = match[0].split()[-1] in _POSSESSIVE
        behind = saying.text[folded.end(match.end()) :]
        named = _NAMED_AFTER.match(folded.text, match.end()) or _CAPITALS.match(behind)
        if possessive or (_ends(folded.text, match.end()) and not named):
            add(match, recent[:1], pronoun=True)
    for match in _IT.finditer(folded.text):
        if match[0] in ("that", "this", "das", "dieses") and not _ends(folded.text, match.end()):
            continue
        add(match, recent[:1], pronoun=True)
    return sorted(found, key=lambda each: each.start)


def _at(place: int, listed: Sequence[Recent]) -> Sequence[Recent]:
    return listed[place : place + 1] if place >= 0 else ()


def _last(which: str, recent: Sequence[Recent], shown: Sequence[Recent]) -> Sequence[Recent]:
    if which == "previous":
        return recent[1:2]
    # The last line of a list that is still before the user's eyes, else what was touched last.
    return shown[-1:] if shown and which in ("last", "letzte", "letzten") else recent[:1]


def _ends(text: str, at: int) -> bool:
    """Whether nothing that the word could belong to follows: "delete that" but not "that experiment"."""
    return _ENDS.match(text, at) is not None
