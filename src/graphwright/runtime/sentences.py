"""What the engine itself says to users, in the language of the conversation: English or German."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

ENGLISH, GERMAN = "en", "de"

_SENTENCES: Mapping[str, tuple[str, str]] = {
    # what came of a reply
    "noted": ("Noted: {noted}.", "Notiert: {noted}."),
    "not_found": (
        "Sorry, I did not find an answer to my question in that.",
        "Darin habe ich leider keine Antwort auf meine Frage gefunden.",
    ),
    "nothing_to_change": ("I found nothing in that to change.", "Darin habe ich nichts gefunden, was zu ändern wäre."),
    "no_person": (
        "I cannot pass you on to a person from here.",
        "Ich kann Sie von hier aus nicht an einen Menschen weitergeben.",
    ),
    # prompts of the engine's own
    "what_to_do": ("What can I do for you?", "Was kann ich für Sie tun?"),
    "try_again": ("Send any message to try again.", "Schreiben Sie irgendetwas, um es noch einmal zu versuchen."),
    "go_on": ("Send any message to go on.", "Schreiben Sie irgendetwas, um weiterzumachen."),
    "in_doubt": (
        "{why} during {node}, and I cannot tell whether it was done. Doing it again could do it twice. Please look, "
        "and say {done} if it was done, or {again} to do it.",
        "{why} bei {node}, und ich weiß nicht, ob es geschehen ist. Noch einmal könnte es doppelt geschehen. Bitte "
        "sehen Sie nach, und schreiben Sie {done}, wenn es geschehen ist, oder {again}, damit ich es tue.",
    ),
    # why something was not taken
    "no_such_option": ("I could not match that to one of: {names}.", "Das ist keine dieser Möglichkeiten: {names}."),
    "several_options": (
        "Several are called that. Please give the number of the one you mean.",
        "So heißen mehrere. Bitte nennen Sie die Nummer.",
    ),
    "no_option": ("{value} is none of the options.", "{value} ist keine der Möglichkeiten."),
    "not_applicable": (
        "I did not note the {name} {value}: it does not apply here.",
        "{name} {value} habe ich nicht notiert: das kommt hier nicht in Betracht.",
    ),
    "cannot_be_taken": ("{value} cannot be taken: {why}.", "{value} geht nicht: {why}."),
    "not_checked": ("{value} could not be checked: {why}.", "{value} ließ sich nicht prüfen: {why}."),
    "not_acceptable": ("{value} is not acceptable here.", "{value} geht hier nicht."),
    "not_valid": ("{value} is not a valid {name}.", "{value} ist nicht gültig ({name})."),
    # what a value must be, as parts of a sentence about it
    "enum": ("it must be one of {limit}", "es muss eines davon sein: {limit}"),
    "const": ("it must be {limit}", "es muss {limit} sein"),
    "type": ("it must be {limit}", "es muss {limit} sein"),
    "required": ("it lacks {limit}", "es fehlt {limit}"),
    "minimum": ("it must be at least {limit}", "es muss mindestens {limit} sein"),
    "maximum": ("it must be at most {limit}", "es darf höchstens {limit} sein"),
    "exclusiveMinimum": ("it must be more than {limit}", "es muss mehr als {limit} sein"),
    "exclusiveMaximum": ("it must be less than {limit}", "es muss weniger als {limit} sein"),
    "multipleOf": ("it must be a multiple of {limit}", "es muss ein Vielfaches von {limit} sein"),
    "minLength": ("it must have at least {limit} characters", "es muss mindestens {limit} Zeichen haben"),
    "maxLength": ("it must have at most {limit} characters", "es darf höchstens {limit} Zeichen haben"),
    "minItems": ("it must have at least {limit} entries", "es muss mindestens {limit} Einträge haben"),
    "maxItems": ("it must have at most {limit} entries", "es darf höchstens {limit} Einträge haben"),
    "uniqueItems": ("it must not have an entry twice", "kein Eintrag darf zweimal vorkommen"),
    "format": ("it must be a valid {limit}", "es muss gültig sein ({limit})"),
    "pattern": ("it does not have the expected form", "es hat nicht die erwartete Form"),
    "additionalProperties": (
        "it holds something that is not expected",
        "es enthält etwas, das nicht vorgesehen ist",
    ),
    "oneOf": ("it is none of the allowed values", "es ist keiner der erlaubten Werte"),
    "anyOf": ("it is none of the allowed values", "es ist keiner der erlaubten Werte"),
    "integer": ("a whole number", "eine ganze Zahl"),
    "number": ("a number", "eine Zahl"),
    "string": ("a text", "ein Text"),
    "boolean": ("yes or no", "ja oder nein"),
    "array": ("a list", "eine Liste"),
    "object": ("a set of named values", "eine Menge benannter Werte"),
    "null": ("nothing", "nichts"),
    "or": (" or ", " oder "),
    "yes": ("yes", "ja"),
    "no": ("no", "nein"),
    "done": ("done", "erledigt"),
    "again": ("again", "noch einmal"),
}


def say(language: str, sentence: str, **parts: Any) -> str:
    """A sentence of the catalogue with its parts filled in. `language` is a tag such as `de-AT`; else it is English."""
    english, german = _SENTENCES[sentence]
    return (german if language.lower().split("-")[0] == GERMAN else english).format(**parts)


def has(sentence: str) -> bool:
    """Whether the catalogue has this sentence."""
    return sentence in _SENTENCES


def shown(value: Any) -> str:
    """A value in a sentence for the user."""
    text = str(value) if not isinstance(value, bool) else ("yes" if value else "no")
    return f"“{text if len(text) <= 80 else text[:79] + '…'}”"
