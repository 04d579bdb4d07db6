"""The language of an answer: that which the user asks for, that of the question, or that of the conversation."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from graphwright.agents.assistant.settings import setting
from graphwright.agents.assistant.words import listed, words
from graphwright.errors import GraphwrightError
from graphwright.text.little_words import LITTLE_WORDS

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

_SURE = 3.0
"""How many times as likely as the next one a language has to be: terms of the field are alike in all of them."""

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

_BESIDE = listed("""
    and und now jetzt nun then dann also auch please bitte again noch mal nochmal einmal once more same the das dasselbe
    what how about rather lieber instead but aber ok okay oder or
    """)
"""What a message may say beside a language without asking for anything else."""

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

# Of languages that are not offered by default; words that English or German has too tell nothing.
_ELSEWHERE = {
    code: listed(text) - LITTLE_WORDS
    for code, text in {
        "es": """
            el la los las un una unos de del en que qué cuál cuáles cuándo cómo dónde quién por porqué para con sin
            sobre es está están son fue fueron era hay había hubo ha han y o pero ayer hoy semana cuánto cuántos esta
            este esto lo le se su sus mi hola gracias qué desde hasta después
            """,
        "fr": """
            le la les un une des du de et ou où est sont était étaient a ont avait dans sur sous pour par avec sans que
            qui quel quelle quels quelles quoi quand comment pourquoi combien hier aujourd'hui semaine dernière ce cet
            cette ces il elle ils elles nous vous je tu mon ma mes son sa ses leur au aux en ne pas plus depuis après
            avant bonjour merci est-ce qu'est-ce c'est qu'il été
            """,
        "it": """
            il lo la gli le un una uno di del della dei delle dello nel nella sul sulla che chi cosa quale quali quando
            come dove perché quanto quanti è sono era erano ha hanno c'è e o ma ieri oggi settimana con senza per tra
            fra questo questa questi non si ciao grazie dopo prima stato stata successo
            """,
        "nl": """
            de het een van voor met zonder wat welke welk wie waar wanneer waarom hoe hoeveel zijn waren werd werden
            heeft hebben had en maar gisteren vandaag afgelopen deze dit dat niet geen naar bij door over uit ook er ik
            je jij wij zij hallo bedankt gebeurd
            """,
        "pl": """
            jest są był była było były co kto gdzie kiedy dlaczego jak jaki jaka jakie które która który ile i oraz ale
            nie w we z ze na do od po przed dla przez wczoraj dzisiaj dziś tydzień tygodniu się to ten ta te cześć
            dziękuję czy
            """,
        "pt": """
            o os as um uma de do da dos das no na nos nas em que qual quais quando como onde quem porque porquê para
            com sem sobre é são foi foram era há houve tem e ou mas ontem hoje semana quanto quantos este esta isto não
            se seu sua olá obrigado obrigada depois até está
            """,
    }.items()
}


def wished(message: str) -> str:
    """The language that a message asks to be answered in, as a code; empty where it asks for none."""
    code, rest = _named(message)
    # "Where is the manual in German?" names a language and wishes for nothing.
    return code if _SPEAKS.search(rest) or only_wishes(message) else ""


def only_wishes(message: str) -> bool:
    """Whether a message names the language to be answered in and says nothing else: "and in German?"."""
    code, rest = _named(message)
    return bool(code) and {word.casefold() for word in words(rest)} <= _BESIDE


def _named(message: str) -> tuple[str, str]:
    """The language that a message names, as a code, and the rest of the message; empty, and all of it, without one."""
    found = _WISHED.search(message)
    if found is None:
        return "", message
    return _CALLED[found[1].casefold()], message[: found.start()] + message[found.end() :]


def detected(text: str, languages: Sequence[str]) -> str:
    """The language of a text as a code; empty where it cannot be told.

    It is one of the languages, unless the little words of a text say that it is in another one.
    """
    if len(languages) == 1:
        return languages[0]
    if other := _other(text, languages):
        return other
    leans = ""
    if set(languages) <= _TELLING.keys():
        found = {word.casefold() for word in words(text)}
        counts = sorted(((len(found & _TELLING[code]), code) for code in languages), reverse=True)
        first, second = counts[0][0], counts[1][0]
        if (first >= 2 and first >= 3 * second) or (first and not second and len(found) <= 2 * FEWEST_WORDS):
            return counts[0][1]
        leans = counts[0][1] if first > second else ""
    detector, known = _detector(tuple(languages))
    likely = detector.compute_language_confidence_values(text)[:2] if detector is not None else []
    if len(likely) < 2 or likely[0].value <= _SURE * likely[1].value:
        return leans
    return known.get(likely[0].language, "")


def _other(text: str, languages: Sequence[str]) -> str:
    """A language that is not among these, where a text has several words of it and fewer of each of these."""
    found = {part for word in words(text.casefold()) for part in (word, *_ELIDED.findall(word))}
    counts = {code: len(found & telling) for code, telling in (_TELLING | _ELSEWHERE).items()}
    most, code = max((count, code) for code, count in counts.items())
    offered = max((counts.get(each, 0) for each in languages), default=0)
    return code if code not in languages and most >= _FEWEST_TELLING and most > offered else ""


_FEWEST_TELLING = 2
_ELIDED = re.compile(r"(?<=['’])\w+$")


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
    alone, the setting for all; else very short messages keep what was. What is asked in a language that is not offered
    is answered in that of the conversation so far, else in English where that is offered.
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
        spoken = detected(message, languages)
        if spoken and spoken not in languages:
            spoken = before or ("en" if "en" in languages else languages[0])
        spoken = spoken or before or languages[0]
    return spoken, wish or (spoken if fixed == "auto" else fixed)


def name_of(code: str) -> str:
    """A language as a prompt says it."""
    return NAMES.get(code, code)
