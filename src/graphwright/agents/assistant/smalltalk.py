"""Messages that need no tool, told by code: greetings and thanks, what was said before, and the files at hand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from graphwright.agents.assistant.state import ContextFile
from graphwright.agents.assistant.words import content_words, folded, listed, shared, stem, words

Kind = Literal["greeting", "thanks", "farewell", "conversation", "files"]

_GREETING = listed("""
    hello hi hey hallo moin servus tag morgen abend guten gutentag good morning afternoon evening day greetings
    greeting there grüß gruß grüezi gott dich willkommen welcome howdy zusammen
    """)
_THANKS = listed("""
    thanks thank thx danke dankeschön merci vielen dank besten herzlichen ok okay great perfect super prima toll
    cool nice good gut schön sehr very much many so you lot that's this was helpful helped hilfreich das war und
    and got it verstanden understood alles klar fine bestens a for the your help deine ihre hilfe für die dir
    ihnen
    """)
_FAREWELL = listed(
    "bye goodbye tschüss tschüß ciao see you later bis bald später wiedersehen auf good night gute nacht"
)
_SAYS_THANKS = re.compile(r"\b(?:thank|thanks|thx|danke|dankeschön|dank|merci)\b", re.IGNORECASE)
_SAYS_FAREWELL = re.compile(
    r"\b(?:bye|goodbye|tschü(?:ss|ß)|ciao|wiedersehen|see you|bis (?:bald|später))", re.IGNORECASE
)
_ACKNOWLEDGES = re.compile(
    r"^\W*(?:ok(?:ay)?|great|perfect|super|prima|toll|cool|nice|good|gut|fine|alles klar|verstanden|"
    r"understood|got it|bestens)\b",
    re.IGNORECASE,
)
_HOW_ARE_YOU = re.compile(
    r"^\W*(?:(?:hello|hi|hey|hallo)\W+)?(?:how are you(?: doing)?(?: today)?|wie geht(?:'s|s| es)(?: dir|"
    r" ihnen)?(?: heute)?"
    r"|who are you|wer bist du|wer sind sie|what can you do|was kannst du|what are you|what is your name|"
    r"wie hei(?:ß|ss)t du)\W*$",
    re.IGNORECASE,
)

_CONVERSATION = re.compile(
    r"""
    \b(?:
        (?:did|have)\s+(?:i|we|you)\s+(?:just|already|previously|first|last)?\s*(?:ask|asked|say|said|mention
            |mentioned|talk|talked
            |tell|told|discuss|discussed|answer|answered|write|written)\b
      | (?:my|your|the)\s+(?:last|previous|first|earlier|second)\s+(?:question|questions|answer|answers|message
          |messages|reply|response)
      | (?:habe|hab|hatte|haben)\s+(?:ich|wir)\s+(?:dich|dir|sie|ihnen|gerade|eben|vorhin|zuletzt|zuerst
          |als\s+erstes|schon|denn|\s)*
            (?:gefragt|gesagt|erwähnt|geschrieben)
      | (?:hast|haben)\s+(?:du|sie)\s+(?:mir|gerade|eben|vorhin|zuletzt|als\s+erstes|schon|\s)*(?:gesagt
          |geantwortet|geschrieben|erwähnt)
      | (?:meine|deine|ihre)r?\s+(?:letzten?|vorigen?|vorherigen?|ersten?)\s+(?:frage|fragen|antwort|antworten
          |nachricht)
      | (?:this|our|the|unser\w*|dies\w*|das)\s+(?:conversation|chat|gespräch|unterhaltung)
      | what\s+(?:were|are|have)\s+we\s+(?:been\s+)?(?:talk|discuss)\w*
    )\b
    | ^\W*(?:please\s+|bitte\s+)?(?:repeat|rephrase|shorten|translate|summari[sz]e|wiederhole?|kürze|übersetze?
        |fasse?)\s+
        (?:me\s+)?(?:that|this|it|your\s+answer|das|es|deine\s+antwort|die\s+antwort|deine\s+letzte\s+antwort)\b
        (?!\s+\w+\s+\w+\s+\w+\s+\w+)
    """,
    re.IGNORECASE | re.VERBOSE,
)

_LOOK_ELSEWHERE = re.compile(
    r"\b(?:e-?log\w*|log\s?books?|logbuch|logbuches|logbüchern?|log\s+entr(?:y|ies)|logeintr\w*|"
    r"knowledge\s+base|wissensbasis|"
    r"documentation|dokumentation|wiki)\b",
    re.IGNORECASE,
)
_SHIFT = re.compile(r"\b(?:shift|schicht)\b", re.IGNORECASE)
_THE_FILE = re.compile(
    r"\b(?:file|files|document|documents|pdf|attachment|attachments|attached|upload|uploaded|paper|image|"
    r"images|picture|pictures|"
    r"photo|screenshot|figure|slides?|presentation|spreadsheet|datei|dateien|dokument|dokumente|anhang|"
    r"anhänge|angehängten?|"
    r"hochgeladenen?|bild|bilder|foto|folien?|präsentation|tabelle)\b",
    re.IGNORECASE,
)
_WHOLE_FILE = re.compile(
    r"^\W*(?:please\s+|bitte\s+|can you\s+|kannst du\s+)?(?:summari[sz]e|summary|fasse?|zusammenfassung|"
    r"was steht|what does it say"
    r"|what is (?:this|it|shown|that)|was ist (?:das|zu sehen)|translate|übersetze)",
    re.IGNORECASE,
)


def kind_of(message: str, *, files: Sequence[ContextFile], given_now: Sequence[str]) -> Kind | None:
    """Why a message needs no tool; None where that is not plain.

    `files` are those of the thread, `given_now` the names of those that came with the message.
    """
    said = [folded(word) for word in words(message)]
    if not said:
        return None
    if kind := _phatic(message, said):
        return kind
    # A shift is also what a file may be about; whoever gives one with a question on shifts asks about the file.
    elsewhere = _LOOK_ELSEWHERE.search(message) or (not given_now and _SHIFT.search(message))
    if files and not elsewhere and _is_about(message, files, given_now):
        return "files"
    if _CONVERSATION.search(message):
        return "conversation"
    return None


def _phatic(message: str, said: Sequence[str]) -> Kind | None:
    if _HOW_ARE_YOU.match(message):
        return "greeting"
    if len(said) > 10:
        return None
    if set(said) <= _folded(_FAREWELL | _THANKS | _GREETING):
        if _SAYS_FAREWELL.search(message):
            return "farewell"
        if _SAYS_THANKS.search(message) or (_ACKNOWLEDGES.match(message) and set(said) <= _folded(_THANKS)):
            return "thanks"
        if set(said) <= _folded(_GREETING):
            return "greeting"
    return None


def _folded(of: frozenset[str]) -> set[str]:
    return {folded(word) for word in of}


def _is_about(message: str, files: Sequence[ContextFile], given_now: Sequence[str]) -> bool:
    """Whether a message is about the files: it names one or speaks of them, or their texts have what it asks for."""
    low = message.casefold()
    names = [file["name"].casefold() for file in files]
    stems_of_names = [name.rpartition(".")[0] or name for name in names]
    if any(name in low for name in names) or any(len(name) > 3 and name in low for name in stems_of_names):
        return True
    if _THE_FILE.search(message):
        return True
    if given_now:
        # Whoever gives a file with a question asks about it, unless he says where else to look.
        return True
    wanted = content_words(message)
    if not wanted:
        return bool(_WHOLE_FILE.match(message))
    text = "\n".join(part["text"] for file in files for part in file["parts"])
    found = {stem(word) for word in shared(wanted, text)}
    return len(wanted) >= 2 and len(found) == len(wanted)
