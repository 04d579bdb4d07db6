"""Log entries that a text names by their numbers, in the many ways of doing so; and those that an answer may name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from graphwright.agents.assistant.words import META_WORDS, STOP_WORDS, listed, words
from graphwright.tools.sources import Source

_NUMBERED = r"(?:no\.?|nr\.?|numbers?|nummern?|ids?)"
_ENTRY = r"(?:entry|entries|eintrag(?:e?s)?|eintr[äa]gen?|eintragung(?:en)?)"
_LOG = r"(?:e-?log|log\s?book|logbuch|schichtbuch|log)"
_NUMBER = r"\d{1,7}(?!\w)(?![.,:]\d|-\d+[-.:]\d)"
_MENTION = re.compile(
    rf"(?:\b(?:(?P<sure>{_LOG}[ -]?{_ENTRY}(?:(?:\s(?:with|mit)(?:\s(?:the|der))?)?[ -]?{_NUMBERED})?"
    rf"|{_ENTRY}(?:\s(?:with|mit)(?:\s(?:the|der))?)?[ -]?{_NUMBERED}"
    rf"|e-?log(?:[ -]?{_NUMBERED}|\s\w{{1,30}}/)?)"
    rf"|{_ENTRY}|message|thread|ids?|log(?=[\s#:]))"
    rf"[\s:#№*_`\"'„“(\[]{{0,4}}(?:-(?=\d))?|(?<![\w&/#])(?P<hash>#\s?))(?P<number>{_NUMBER})",
    re.IGNORECASE,
)
_NEXT = re.compile(
    rf"\s?(?:,|;|/|&|–|-|\band\b|\bund\b|\bor\b|\boder\b|\bto\b|\bbis\b)\s?(?:(?:and|und)\s)?#?\s?({_NUMBER})",
    re.IGNORECASE,
)
_ENDS = re.compile(r"\s?(?:[,;.:!?)\]/&–*`-]|\Z|\n)|\s(\w+)")
_OTHER_THING = re.compile(
    r"\s?(?:%|°|(?:[kMGmµunp]?(?:A|V|W|Hz|Pa|eV|J|T|s|m|bar)|K|h|min|sec|seconds?|minutes?|hours?|days?|weeks?|months?|"
    r"years?|times|entries|of them|Sekunden?|Minuten?|Stunden?|Tagen?|Wochen?|Monaten?|Jahren?|mal|Einträgen?)\b)"
    r"|\.?\s?(?:Jan(?:uary|uar)?|Feb(?:ruary|ruar)?|March|März|Apr(?:il)?|May|Mai|June?|Juni|July?|Juli|Aug(?:ust)?|"
    r"Sept?(?:ember)?|O[ck]t(?:ober)?|Nov(?:ember)?|De[cz](?:ember)?)\b"
)
_LOGARITHM = re.compile(r"\s(?:of|x|to)\b", re.IGNORECASE)
_REFERRED = re.compile(r"#\s?(\d{1,7})\b|\b(?:see|siehe|vgl\.?|cf\.?)\s(?:also\s|auch\s)?(\d{1,7})\b(?![.,:]\d)", re.I)
_BEFORE = re.compile(r"(\w+)[ \t]$")
_LEADS = STOP_WORDS | META_WORDS | listed("see siehe vgl cf per laut gemäß gemass ref")

_MOST_OF_A_KIND = 99
"""Up to here `klystron #2` counts devices, and names no entry."""


@dataclass(frozen=True, slots=True)
class Mention:
    """Entries as a text names them together: `Einträge 212 und 214`. `sure` says that nothing else can be meant."""

    text: str
    start: int
    numbers: tuple[int, ...]
    sure: bool


def mentioned(text: str) -> list[Mention]:
    """The entries that a text names, in order."""
    found = []
    at = 0
    while match := _MENTION.search(text, at):
        at = end = match.end()
        if _OTHER_THING.match(text, end) or _counts_devices(text, match):
            continue
        if match.group().casefold().startswith("log ") and _LOGARITHM.match(text, end):
            continue
        numbers = [int(match["number"])]
        while (more := _NEXT.match(text, end)) and _stands_alone(text, more.end()):
            numbers.append(int(more[1]))
            at = end = more.end()
        found.append(Mention(text[match.start() : end], match.start(), tuple(numbers), match["sure"] is not None))
    return found


def _stands_alone(text: str, end: int) -> bool:
    """Whether a number that ends here is no figure of what comes behind it."""
    behind = None if _OTHER_THING.match(text, end) else _ENDS.match(text, end)
    return behind is not None and (behind[1] is None or behind[1].casefold() in STOP_WORDS)


def _counts_devices(text: str, match: re.Match[str]) -> bool:
    before = _BEFORE.search(text, max(0, match.start() - 60), match.start()) if match["hash"] else None
    return before is not None and int(match["number"]) <= _MOST_OF_A_KIND and before[1].casefold() not in _LEADS


def known_entries(sources: Sequence[Source], said: Iterable[str]) -> frozenset[int]:
    """The entries that an answer may name: those among its sources, those of which these speak, and what users wrote.

    Of sources of other kinds than pages and log entries nobody knows where such numbers stand: there it is any of them.
    """
    found = {int(number) for text in said for number in re.findall(r"(?<!\d)\d{1,7}(?!\d)", text)}
    for source in sources:
        text = f"{source.title}\n{source.text}"
        if source.kind not in ("elog", "knowledge"):
            whole = f"{text} {source.id} {source.url} {' '.join(source.metadata.values())}"
            found |= {int(number) for number in re.findall(r"(?<!\d)\d{1,7}(?!\d)", whole)}
            continue
        if source.kind == "elog":
            own = [source.metadata.get("id", ""), source.metadata.get("reply_to", ""), *words(source.id)]
            own += re.findall(r"\d{1,7}$", source.id)
            found |= {int(number) for number in own if number.isdecimal()}
        found |= {number for mention in mentioned(text) for number in mention.numbers}
        found |= {int(one or other) for one, other in _REFERRED.findall(text)}
    return frozenset(found)
