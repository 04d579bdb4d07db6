"""Words of questions and texts, English and German: which carry meaning, and which of two texts share them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+(?:[-'’_./][^\W_]+)*")
_APART = re.compile(r"[_./]")


def listed(text: str) -> frozenset[str]:
    """The words of a text, parted by blanks."""
    return frozenset(text.split())


_ENGLISH = """
a about above after again all also am an and any are aren't as at be because been before being below between both
but by can can't could did didn't do does doesn't doing don't down during each else ever few for from further get
give had has have having he her here hers him his how i i'd i'm i've if in into is isn't it it's its just kindly
know let like look many may me might more most much must my need no nor not now of off on once only or other our
out over own per please same shall she should so some such than that that's the their them then there these they
this those through to too under until up us use used using very want was wasn't we were what what's when where
which while who whom whose why will with without would you your tell show find search explain describe say list
please thanks thank hello hi question answer information info details getan gemacht unternommen done made steht
stehen work works working funktioniert funktionieren anything something everything nothing someone there's happen
happened happening happens going currently exactly possible
"""
_GERMAN = """
aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bin bis bist bitte da dabei
damit dann das dass dasselbe dazu dein deine dem den denn der des dessen dich die dies diese diesem diesen dieser
dieses dir doch dort du durch ein eine einem einen einer eines einig einige er es etwas euch euer eure für gegen
gewesen gab gibt geben hab habe haben hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren im
in ins ist jede jedem jeden jeder jedes jetzt kann kannst kein keine können könnte könnten mal man mehr mein meine
mich mir mit muss müssen nach nicht nichts noch nun nur ob oder ohne sehr sein seine seinem seinen seit sich sie
sind so soll sollen sollte sonst über um und uns unser unsere unter viel vom von vor war waren warum was wegen
weil welche welchem welchen welcher welches wenn wer werden wie wieder wieso will wir wird wo woher wohin wurde
wurden zu zum zur zwischen zeig zeige sag sage such suche suchen finde finden erkläre erklär nenne bitte danke
hallo frage antwort informationen passiert passierte geschehen geschah los genau gerade eigentlich
"""
STOP_WORDS = listed(_ENGLISH + _GERMAN)

META_WORDS = listed("""
    eingetragen entered recorded registered elog log logs logbook logbooks logbuch entry entries eintrag
    einträge einträgen eintragung eintragungen logeintrag logeinträge reported report reports berichtet bericht
    documentation docs document documents doku dokumentation wiki knowledge wissensbasis handbuch manual manuals
    page pages seite seiten shift shifts schicht schichten recent recently latest newest last letzte letzten
    letzter letztes neueste neuesten neuste neusten aktuell aktuelle kürzlich thread replies reply antworten
    wrote written write geschrieben schrieb logged noted notiert operators operator operateure events event
    ereignisse ereignis today yesterday heute gestern vorgestern tonight week weeks woche wochen month months
    monat monaten monate day days tag tage tagen night nacht morning morgen evening abend monday tuesday
    wednesday thursday active aktiv aktive derzeit friday saturday sunday montag dienstag mittwoch donnerstag
    freitag samstag sonnabend sonntag weekend wochenende since past
    """)
"""Words that say where or when to look, not for what."""

_SUFFIXES = (
    *("ierungen", "ierung", "ations", "ation", "ungen", "ings", "ung", "ing", "ies", "ers", "eln", "ern", "est", "ten"),
    *("ed", "en", "er", "es", "ly", "te", "st", "s", "e", "n", "y"),
)


@lru_cache(maxsize=8192)
def folded(word: str) -> str:
    """A word without case, accents and umlauts."""
    text = word.casefold().replace("ä", "a").replace("ö", "o").replace("ü", "u").replace("’", "'")
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """What a word shares with its inflections, in English and German roughly."""
    text = folded(word)
    if text.endswith("'s"):
        text = text[:-2]
    if any(c.isdigit() for c in text):
        return text
    for suffix in _SUFFIXES:
        if text.endswith(suffix) and len(text) - len(suffix) >= 4:
            return text[: -len(suffix)]
    return text


def words(text: str) -> list[str]:
    """The words of a text. What has figures in it, such as `R4.2`, `QF-12` or `499.654`, stays whole."""
    found: list[str] = []
    for word in _WORD.findall(text):
        if any(c in "_./" for c in word) and not any(c.isdigit() for c in word):
            found += filter(None, _APART.split(word))
        else:
            found.append(word)
    return found


def content_words(text: str, *, without: Collection[str] = ()) -> list[str]:
    """The words that carry meaning, in order, each once; `without` are further words, in lower case, to leave out."""
    kept: dict[str, str] = {}
    for word in _apart(words(text)):
        low = word.casefold()
        if low in STOP_WORDS or low in META_WORDS or low in without:
            continue
        if len(low) < 2 and not low.isdigit():
            continue
        kept.setdefault(stem(word), word)
    return list(kept.values())


def _apart(found: Iterable[str]) -> Iterator[str]:
    """The words, compounds with hyphens in their parts: `Klystron-Ausfall`, but not `top-up` and `QF-12`."""
    for word in found:
        parts = word.split("-")
        if len(parts) > 1 and all(len(part) >= 4 and part.isalpha() for part in parts):
            yield from parts
        else:
            yield word


def stems(text: str) -> frozenset[str]:
    """The stems of a text's words; parts of hyphenated words stand beside the whole."""
    found = set()
    for word in words(text):
        found.add(stem(word))
        if "-" in word:
            found.update(stem(part) for part in word.split("-") if part)
    return frozenset(found)


def shares(word: str, others: Collection[str]) -> bool:
    """Whether a word, or a longer one that it is a part of, is among these stems: `Verlust` in `strahlverlust`."""
    own = stem(word)
    if own in others:
        return True
    if len(own) < 5 or any(c.isdigit() for c in own):
        return False
    return any(len(other) >= 5 and (own in other or other in own) for other in others)


def shared(wanted: Iterable[str], text: str) -> list[str]:
    """Those of the words that a text has, in any inflection."""
    there = stems(text)
    return [word for word in wanted if shares(word, there)]


_OFTEN_ENGLISH = listed("the of and to is was in for with by on at it that from are be has")
_OFTEN_GERMAN = listed("der die das und ist war im mit von auf für nach den dem bei wurde wird ein eine nicht")


def of_language(text: str) -> str:
    """`en` or `de`, where a text plainly is; else empty."""
    said = [word.casefold() for word in words(text[:4_000])]
    english, german = sum(w in _OFTEN_ENGLISH for w in said), sum(w in _OFTEN_GERMAN for w in said)
    if max(english, german) < 2 or english == german:
        return ""
    return "en" if english > german else "de"
