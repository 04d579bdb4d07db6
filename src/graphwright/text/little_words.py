"""Little words, English and German: they say nothing of what a text is about, but they tell its language."""

from __future__ import annotations

import re

_GERMAN_WORDS = """
    aber alle allem allen aller alles als also am an auch auf aus bei beim bin bis bitte da dabei damit dann das dass
    dein dem den denn der des dessen die dies diese diesem diesen dieser dieses doch dort du durch ein eine einem einen
    einer eines er es etwas euch finde für gab gibt haben habe hat hatte hier ich ihm ihn ihr im immer in ist ja jede
    jeder kann kannst kein keine können könnte lautet man mehr mein mich mir mit muss müssen nach nicht noch nun nur ob
    oder ohne sehr sein sich sie sind so soll sollte über um und uns unser unter vom von vor wann war waren warum was
    weiter welche welchem welchen welcher welches wenn wer werden wie wieso wieviel wieviele wir wird wo wohin wurde
    wurden zu zum zur zwischen
"""
_ENGLISH_WORDS = """
    a about after all also am an and any are as at be been before being between both but by can could did do does
    done each find for from give had has have he her his how i if in into is it its just let many me more most much must
    my no not of off on once only or other our out over please s shall she should show so some such t tell than that the
    their them then there these they this those to too under until up upon us very was we were what when where which
    while who whom whose why will with would you your
"""
_OTHER_WORDS = """
    la le les las los una uno des du dans sur sous avec sans que qui quel quelle quels quelles quand pourquoi comment
    combien est sont était ont et où hier ce cette ces il elle el del qué cuál cuándo cómo dónde quién está están fue
    hubo gli della dei nel nella sul che cosa quale quali è ieri questo questa het een voor wat welke
    waarom hoe zijn gisteren są był była było dlaczego wczoraj jak jaka qual foi não são ontem às aux au pas
    sa ses
"""
_GERMAN, _ENGLISH = frozenset(_GERMAN_WORDS.split()), frozenset(_ENGLISH_WORDS.split())

LITTLE_WORDS = _GERMAN | _ENGLISH
"""Of both languages, in small letters."""

OTHER_LITTLE_WORDS = frozenset(_OTHER_WORDS.split()) - LITTLE_WORDS
"""Of languages that questions are asked in now and then: French, Spanish, Italian, Dutch, Polish and Portuguese."""

_LETTERS = re.compile(r"[^\W\d_]+")
_SAMPLE = 4_000
"""Characters by which the language of a text is told."""


def is_plain(word: str) -> bool:
    """Whether it is one of the little words that every text has."""
    return word.casefold() in LITTLE_WORDS


def language_of(text: str, fewest: int = 3) -> str:
    """`de` or `en` by the little words in its beginning, of which it takes `fewest`; empty where they do not tell."""
    words = [word.casefold() for word in _LETTERS.findall(text[:_SAMPLE])]
    german = sum(word in _GERMAN and word not in _ENGLISH for word in words)
    english = sum(word in _ENGLISH and word not in _GERMAN for word in words)
    if max(german, english) < fewest or german == english:
        return ""
    return "de" if german > english else "en"
