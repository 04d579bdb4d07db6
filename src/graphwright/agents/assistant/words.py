"""Words of questions and texts, English and German: which carry meaning, and which of two texts share them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache

from graphwright.text.folding import without_accents
from graphwright.text.little_words import LITTLE_WORDS, OTHER_LITTLE_WORDS
from graphwright.text.places import canonical, shortened

_WORD = re.compile(r"[^\W_]+(?:[-'’_./][^\W_]+)*")
_APART = re.compile(r"[_./]")


def listed(text: str) -> frozenset[str]:
    """The words of a text, parted by blanks."""
    return frozenset(text.split())


_ENGLISH = """
above again aren't because below can't didn't doesn't doing don't down during else ever few further get having
here hers him i'd i'm i've isn't it's kindly know like look may might need nor now own per same that's through
use used using want wasn't what's without search explain describe say list thanks thank hello hi question answer
information info details getan gemacht unternommen made steht stehen work works working funktioniert
funktionieren anything something everything nothing someone there's happen happened happening happens going
currently exactly possible one ones much ago every whats whos take took taken come came some again long said twice
whether anybody anyone somebody nobody whoever whatever whichever whenever wherever however therefore though although
get gets got gotten already yet still maybe perhaps actually really probably apparently apart meanwhile else's
that'd they'd they're they've we'd we're we've you'd you're you've he'd he's she'd she's it'd it'll i'll we'll you'll
they'll haven't hasn't hadn't weren't won't wouldn't couldn't shouldn't mustn't how's when's where's who's why's
"""
_GERMAN = """
andere anderen bist dasselbe dazu deine dich dir einig einige euer eure gegen gewesen geben hab hatten hin
hinter ihnen ihre ihrem ihren ins jedem jeden jedes jetzt könnten mal meine nichts seine seinem seinen seit
sollen sonst unsere viel wegen weil wieder woher zeig zeige sag sage suche suchen finden erkläre erklär nenne
danke hallo frage antwort informationen passiert passierte geschehen geschah los genau gerade eigentlich
damals neulich jemand jemanden irgendwo irgendwann immer wenig ab fest weg los brach ging kam schon überhaupt paar
irgendein irgendeine irgendeinen irgendeinem irgendeiner irgendwas irgendetwas irgendwer irgendwie irgendwelche
irgendwelchen irgendwelcher niemand niemanden nie niemals seitdem nachdem während obwohl solange sobald gibt's gab's
geht's ist's war's hat's wird's meinem meinen meiner meines deinem deinen deiner unserem unseren unserer unseres
denen deren dessen dieselbe derselbe denselben bloß vielleicht wohl halt etwa eben
"""
_ASKING = LITTLE_WORDS | OTHER_LITTLE_WORDS | listed(_ENGLISH + _GERMAN)
# "Whats" and "dont" are typed as often as not; "i'd" is left out, an "id" is something else.
STOP_WORDS = _ASKING | {word.replace("'", "") for word in _ASKING if word != "i'd"}
"""The little words, and those of which questions are made besides, with their apostrophes and without."""

TELLING = 2
"""Little words by which the language of a text is told: many a question has no more."""

META_WORDS = listed("""
    eingetragen entered recorded registered elog log logs logbook logbooks logbuch entry entries eintrag
    einträge einträgen eintragung eintragungen logeintrag logeinträge logbucheintrag logbucheinträge logbucheinträgen
    reported report reports berichtet bericht
    documentation docs document documents doku dokumentation wiki knowledge wissensbasis handbuch manual manuals
    page pages seite seiten shift shifts schicht schichten recent recently latest newest last letzte letzten
    letzter letztes neueste neuesten neuste neusten aktuell aktuelle kürzlich thread replies reply antworten
    wrote written write geschrieben schrieb logged noted notiert operators operator operateure events event
    ereignisse ereignis today yesterday tomorrow heute gestern vorgestern übermorgen tonight week weeks woche wochen
    month months monat monaten monate day days tag tage tagen night nacht morning morgen evening abend monday tuesday
    category categories kategorie kategorien wednesday
    thursday active aktiv aktive derzeit friday saturday sunday montag dienstag mittwoch donnerstag
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
    return without_accents(word).replace("’", "'")


RELATIONS = frozenset(
    map(
        folded,
        listed("""
    cause causes caused reason reasons root trigger triggered culprit origin explanation ursache ursachen grund gründe
    auslöser auslöste ausgelöst schuld erklärung verursacht solution solutions remedy remedies cure fix fixes fixed
    repair repairs repaired repairing solve solved resolve resolved mend mended cleared rectified lösung abhilfe
    maßnahme maßnahmen behebung reparatur behoben repariert gelöst beseitigt beheben reparieren lösen folge folgen
    konsequenz konsequenzen auswirkung auswirkungen consequence consequences effect effects impact result results
    outcome ergebnis ausgang status progress fortschritt duration dauer downtime ausfallzeit action actions measure
    measures taken follow-up followup end ended ende geendet recur recurred again wiederholt replaced exchanged
    ausgetauscht ersetzt found gefunden finden find responsible verantwortlich zuständig involved beteiligt affected
    betroffen
    """),
    )
)
"""Words that ask for the cause, the end, or whoever did it, and leave open of what; folded."""

EVERYDAY = frozenset(
    map(
        folded,
        listed("""
    complain complained complains complaint complaints grumble moan moaned whine worry worried worries wonder wondered
    wondering notice noticed notices realise realised realize realized remember remembered recall forget forgot
    forgotten mention mentioned mentions tell told telling say says saying claim claimed claims hear heard listen
    guess guessed suspect suspected suspects believe believed think thought know knew known hope hoped feel felt
    feeling seem seems seemed appear appeared look looked looking see saw seen watch watched ask asked asking reply
    replied answered argue argued discuss discussed explain explained suggest suggested promise promised announce
    announced inform informed warn warned wander wandered wanders wandering drift drifted move moved moves moving jump
    jumped creep crept shake shook wobble wobbled turn turned turns go goes went gone come comes coming keep keeps
    kept leave left let lets put puts set sit sat stand stood stay stayed start started starts begin began begun stop
    stopped stops continue continued happen give gives gave given bring brought carry carried fetch fetched call
    called calls try tried tries manage managed decide decided plan planned need needed needs want wanted wants help
    helped cause caused let's become became becomes make makes making lose lost get getting meet met show showed shown
    pick picked figure figured fit fitted deal dealt bother bothered annoy annoyed upset angry happy unhappy puzzled
    surprised people person persons folks guys crew colleague colleagues man men woman women thing things stuff bit
    lot lots kind sort way ways time times place places case cases idea ideas story matter matters trouble sure right
    wrong good bad better best worse worst nice strange odd weird funny new old big small little quick quickly slow
    slowly soon late later early earlier today's beschweren beschwert beschwerte beschwerten beklagt klagen klagt
    klagte meckern gemeckert jammern ärgern geärgert wundern gewundert merken gemerkt bemerkt bemerken auffallen
    aufgefallen fällt erinnern erinnert vergessen sagen sagt sagte sagten gesagt erzählen erzählt melden gemeldet
    meldete meldeten behaupten behauptet hören gehört glauben glaubt vermuten vermutet denken gedacht wissen weiß
    wusste gewusst hoffen gehofft fühlen scheint schien sehen sieht sah gesehen schauen geschaut fragen fragt gefragt
    antwortet erklärt vorgeschlagen versprochen angekündigt informiert gewarnt wandern wandert wanderte gewandert
    driften driftete gedriftet bewegen bewegt bewegte springen springt sprang wackeln wackelt gewackelt drehen gehen
    geht gegangen kommen kommt gekommen bleiben blieb geblieben lassen lässt ließ stellen stellt gestellt setzen
    gesetzt sitzen stehen gestanden liegen liegt lag gelegen anfangen fing angefangen beginnt begann begonnen aufhören
    aufgehört hört passieren gebracht bringen tragen geholt holen rufen gerufen angerufen versuchen versucht geschafft
    entschieden geplant brauchen braucht gebraucht wollen will wollte wollten möchten möchte helfen geholfen werden
    macht machen machte machten verlieren verliert verlor bekommen bekam kriegen kriegt gekriegt zeigen gezeigt
    kümmern gekümmert stören gestört sauer verärgert genervt unzufrieden zufrieden überrascht leute leuten personen
    kollege kollegen kollegin kolleginnen mann männer frau frauen ding dinge sache sachen zeug bisschen art weise zeit
    zeiten mal ort stelle fall fälle idee problem probleme ärger sicher richtig falsch gut gute guten schlecht besser
    schlimm komisch seltsam merkwürdig neu neue neuen neuer neues alt alte alten groß große großen klein kleine
    kleinen schnell langsam bald spät später früh früher
    """),
    )
)
"""Words of telling, feeling and doing that every text may have or not: no question stands or falls by them; folded."""


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """What a word shares with its inflections, in English and German roughly."""
    text = folded(word)
    if text.endswith("'s"):
        text = text[:-2]
    if any(c.isdigit() for c in text):
        return canonical(text)
    for suffix in _SUFFIXES:
        if text.endswith(suffix) and len(text) - len(suffix) >= 4 and not (suffix == "s" and text.endswith("ss")):
            shorter = text[: -len(suffix)]
            # A plural has the stem of its singular, which may end in what looks like a suffix: `klystrons`.
            return stem(shorter) if suffix == "s" else shorter
    return text


def words(text: str) -> list[str]:
    """The words of a text. What has figures in it, such as `R4.2`, `QF-12` or `499.654`, stays whole."""
    found: list[str] = []
    for word in _WORD.findall(text):
        if not word.isalnum() and any(c in "_./" for c in word) and not any(c.isdigit() for c in word):
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
    short = shortened(text)
    for word in words(text) if short == text else (*words(text), *words(short)):
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
