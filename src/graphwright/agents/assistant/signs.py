"""What in a sentence is of the kind that a question asks for: figures, names, times, places, reasons, remedies."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection

from graphwright.agents.assistant.asking import Asked
from graphwright.agents.assistant.grounding import Numbers
from graphwright.agents.assistant.words import TELLING, stem, stems, words
from graphwright.text.little_words import language_of
from graphwright.tools.sources import Source

_FIGURE = re.compile(
    r"(?<![\w.,#:/-])[±+~≈-]?(\d+(?:[.,]\d+)*(?:e[+-]?\d+)?)(?![\w:/]*\d)(?:\s?([A-Za-zµμ°%Ω][A-Za-zµμ°%Ω/²³·]{0,14}))?"
)
_NAMED = re.compile(r"\b(?=\w*[A-Za-z])(?=[\w./-]*\d)[A-Za-z][\w./-]*\w\b|#\d+")
_CLOCK = re.compile(
    r"\b\d{1,2}:\d{2}\b|\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}\.\d{1,2}\.(?:\d{4})?"
    r"|\b\d+(?:[.,]\d+)?\s?(?:s|min|h|seconds?|minutes?|hours?|days?|weeks?|months?|years?|sekunden?|minuten?|stunden?|"
    r"tagen?|wochen?|monaten?|jahren?)\b"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)\b",
    re.IGNORECASE,
)
BECAUSE = re.compile(
    r"\b(?:because|due to|caused?|causes|reason|root|owing|result of|comes? from|in order to|came from|explains?|"
    r"therefore|so that|weil|wegen|da (?:der|die|das|er|sie|es|eine?)|ursache|grund|durch|"
    r"kommt von|kam von|stammt|deshalb|daher|folge|aufgrund|um .{3,60} zu)\b",
    re.IGNORECASE,
)
MENDED = re.compile(
    r"\b(?:re)?(?:placed|paired|set|started|tightened|aligned|adjusted|calibrated|soldered|terminated|wired|welded)\b"
    r"|\b(?:exchanged|swapped|cleaned|fix|fixed|repair|repairs|mended|solved|cured|changed|removed|closed|opened|raised|lowered|added|"
    r"installed|corrected|updated|restored|flushed|filled|refilled|sealed|helped|cleared|moved|limited|"
    r"ersetzt|getauscht|ausgetauscht|repariert|behoben|gereinigt|neu gestartet|nachgezogen|eingestellt|justiert|"
    r"erneuert|gewechselt|geändert|entfernt|geschlossen|geöffnet|erhöht|gesenkt|eingebaut|korrigiert|zurückgesetzt|"
    r"nachgefüllt|gespült|abgedichtet|geholfen|hilft|helps)\b",
    re.IGNORECASE,
)
"""How a sentence says what was done against a fault."""

_FULL_NAME = re.compile(r"\b[A-ZÄÖÜ][a-zäöüß]+ [A-ZÄÖÜ][a-zäöüß]{2,}\b")
_NAME = re.compile(
    rf"{_FULL_NAME.pattern}|\b[A-ZÄÖÜ][a-zäöüß]{{2,}}(?=(?:,| and| und| &) [A-ZÄÖÜ])|"
    r"(?<=[\w,;:|] )[A-ZÄÖÜ][a-zäöüß]{2,}\b"
)
_COUNTS = {
    word: str(number)
    for number, both in enumerate(
        (
            *("two zwei", "three drei", "four vier", "five fünf", "six sechs", "seven sieben", "eight acht"),
            *("nine neun", "ten zehn", "eleven elf", "twelve zwölf"),
        ),
        2,
    )
    for word in both.split()
}

_QUANTITIES = """
temperature temperatur; pressure druck; current strom; energy energie; power leistung; voltage spannung
speed geschwindigkeit; frequency frequenz; length länge; width breite; height höhe; size größe
diameter durchmesser; circumference umfang; limit grenzwert grenze; threshold schwelle; dose dosis
gap spalt lücke; duration dauer; distance abstand; angle winkel; lifetime lebensdauer; efficiency wirkungsgrad
resolution auflösung; flow durchfluss förderstrom; field feld; charge ladung; conductivity leitfähigkeit
tolerance toleranz; harmonic harmonische; number zahl anzahl; emittance emittanz; loss verlust
coupling kopplung; bandwidth bandbreite; delay verzögerung; weight gewicht masse; volume volumen; depth tiefe
level pegel stand; gain verstärkung; offset versatz; period periode; repetition wiederholrate
maximum höchstwert; minimum mindestwert
"""
OTHER_NAMES: dict[str, tuple[str, ...]] = {
    stem(name): tuple(other for other in names if other != name)
    for group in re.split(r"[;\n]", _QUANTITIES.strip())
    for names in [group.split()]
    for name in names
}
"""What quantities are called in the other language, by their stems."""


def definite(
    part: Asked, text: str, source: Source, *, persons: Collection[str], asked: Collection[str], known: Numbers
) -> list[str]:
    """What of a sentence of a source is of the kind that is asked for, without what the question says itself.

    `persons` are names that are known, `asked` the stems of the whole question, `known` its numbers.
    """
    kind = part.kind
    if kind == "author":
        return source.metadata.get("author", "").split()[-1:] if source.kind == "elog" else []
    if kind == "person":
        # In German every noun begins with a capital letter.
        called = _FULL_NAME if language_of(text, TELLING) == "de" else _NAME
        names = [*(name for name in persons if name in text), *called.findall(text)]
        return [name for name in dict.fromkeys(names) if stems(name).isdisjoint(asked)]
    if kind == "time":
        own = [source.metadata.get("date", ""), source.metadata.get("time", "")] if source.kind == "elog" else []
        return [*_CLOCK.findall(text), *filter(None, own)]
    if kind == "place":
        return [name for name in _NAMED.findall(text) if stem(name) not in asked]
    figures = [(found[1], found[2] or "") for found in _FIGURE.finditer(_NAMED.sub(" ", text))]
    if kind == "number":
        return [figure for figure, unit in figures if figure.isdigit() and len(figure) >= 3 and not unit]
    if part.counted:
        figures += [(_COUNTS[word], "") for word in words(text.casefold()) if word in _COUNTS]
    elif part.unit is not None:
        # "Six hours" has no figure.
        pairs = itertools.pairwise(words(text))
        figures += [(_COUNTS[one.casefold()], other) for one, other in pairs if one.casefold() in _COUNTS]
        figures = [(figure, unit) for figure, unit in figures if part.unit.fullmatch(unit)]
    return [figure for figure, _ in figures if not known.has(figure)]
