"""The language of an answer: that which the user asks for, that of the question, or that of the conversation."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from graphwright.agents.assistant.settings import setting
from graphwright.agents.assistant.words import listed, words
from graphwright.errors import GraphwrightError

if TYPE_CHECKING:
    from lingua import LanguageDetector

NAMES = {
    "de": "German",
    "en": "English",
    "es": "Spanish",
    "fr": "French",
    "it": "Italian",
    "nl": "Dutch",
    "pl": "Polish",
    "pt": "Portuguese",
}
"""The names of languages as prompts say them; others go by their code."""

FEWEST_WORDS = 3
"""A message of fewer words keeps the language of its conversation."""

_CALLED = {
    **{"english": "en", "englisch": "en", "german": "de", "deutsch": "de", "french": "fr", "französisch": "fr"},
    **{"italian": "it", "italienisch": "it", "spanish": "es", "spanisch": "es", "dutch": "nl", "polish": "pl"},
}
_WISHED = re.compile(
    rf"\b(?:in|auf|into|ins)\s+({'|'.join(_CALLED)})\b(?!\s+(?:text|version|paper|language|name|word)s?\b)",
    re.IGNORECASE,
)
_SPEAKS = re.compile(
    r"\b(?:answer|reply|respond|write|say|explain|speak|tell|summari[sz]e|describe|translate|give|antworte|antworten|"
    r"schreib|schreibe|erklär|erkläre|sag|sage|sprich|übersetze|beschreibe|fass|fasse|bitte|please)\w*\b",
    re.IGNORECASE,
)

_SENTENCE = re.compile(r"(?<=[.!?;:,])\s+")

# Words that are in one of the two and hardly in the other.
_TELLING = {
    "en": listed("""
        the what is are was were which who how why when where does did do has have had and or of to in on for
        with from by there this that these those it you your please about after before since last any hello hi
        thanks thank yes please
        """),
    "de": listed("""
        der die das was ist sind war waren welche welcher welches wer wie warum wann wo hat haben hatte und oder
        von zu im am auf für mit aus bei es gibt gab dies diese dieser ein eine einen einem bitte über nach vor
        seit letzte letzten hallo danke ja nein nicht kein keine ich du wir sie wird wurde werden zum zur dem
        den des
        """),
}


def wished(message: str) -> str:
    """The language that a message asks to be answered in, as a code; empty where it asks for none."""
    found = _WISHED.search(message)
    if found is None:
        return ""
    rest = message[: found.start()] + message[found.end() :]
    # "Where is the manual in German?" names a language and wishes for nothing.
    alone = len(words(message)) <= 2
    return _CALLED[found[1].casefold()] if _SPEAKS.search(rest) or alone else ""


def detected(text: str, languages: Sequence[str]) -> str:
    """Which of the languages (codes) a text is in; empty where that cannot be told."""
    if len(languages) == 1:
        return languages[0]
    if set(languages) <= _TELLING.keys():
        found = {word.casefold() for word in words(text)}
        counts = sorted(((len(found & _TELLING[code]), code) for code in languages), reverse=True)
        first, second = counts[0][0], counts[1][0]
        if (first >= 2 and first >= 3 * second) or (first and not second and len(found) <= 2 * FEWEST_WORDS):
            return counts[0][1]
    detector, known = _detector(tuple(languages))
    language = detector.detect_language_of(text) if detector is not None else None
    return known.get(language, "") if language is not None else ""


def _tells(text: str) -> bool:
    """Whether a text has words that belong to one language."""
    found = {word.casefold() for word in words(text)}
    return any(found & telling for telling in _TELLING.values())


@lru_cache(maxsize=4)
def _detector(languages: tuple[str, ...]) -> tuple[LanguageDetector | None, dict[Any, str]]:
    # Its models take more than a second to load: only where a question does not tell by itself.
    try:
        from lingua import IsoCode639_1, Language, LanguageDetectorBuilder
    except ImportError as error:
        raise GraphwrightError(
            "assistant_missing",
            f"The packages of the assistant are not installed ({error.name or 'lingua'}).",
            "Run `pip install 'graphwright[assistant]'`.",
        ) from error

    known: dict[Any, str] = {}
    for code in languages:
        iso = getattr(IsoCode639_1, code.upper(), None)
        if iso is not None:
            known[Language.from_iso_code_639_1(iso)] = code
    if len(known) < 2:
        return None, known
    return LanguageDetectorBuilder.from_languages(*known).build(), known


def languages_of(message: str, before: str, settings: Mapping[str, Any]) -> tuple[str, str]:
    """The language of the conversation after a message, and that of its answer, as codes.

    `before` is that of the conversation so far, empty at its beginning. A wish in the message counts for its answer
    alone, the setting for all; else very short messages keep what was.
    """
    languages = list(setting(settings, "languages"))
    fixed = str(setting(settings, "language"))
    wish = wished(message)
    if wish:
        # "Please answer in English" says what is wanted, not what is spoken.
        message = " ".join(part for part in _SENTENCE.split(message) if not wished(part)) or message
    count = len(words(message))
    if before and (count < FEWEST_WORDS or (count <= 2 * FEWEST_WORDS and not _tells(message))):
        # Terms and names belong to no language: "RF trip linac" does not change that of a conversation.
        spoken = before
    else:
        spoken = detected(message, languages) or before or languages[0]
    return spoken, wish or (spoken if fixed == "auto" else fixed)


def name_of(code: str) -> str:
    """A language as a prompt says it."""
    return NAMES.get(code, code)
