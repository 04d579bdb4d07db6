"""Messages that need no tool, told by code: greetings and thanks, what was said before, and the files at hand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Literal

from graphwright.agents.assistant.dates import period_in
from graphwright.agents.assistant.state import ContextFile
from graphwright.agents.assistant.words import content_words, folded, listed, shared, stem, words

Kind = Literal["greeting", "thanks", "farewell", "conversation", "files"]

_GREETING = listed("""
    hello hi hey hallo moin servus tag morgen abend guten gutentag good morning afternoon evening day greetings
    greeting there grüß gruß grüezi gott dich willkommen welcome howdy zusammen
    """)
_THANKS = listed("""
    thanks thank thx danke dankeschön merci vielen dank besten herzlichen ok okay great perfect super prima toll
    cool nice good gut schön sehr very much many so you lot that that's this was helpful helped hilfreich das war und
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

_ADVERBS = r"(?:(?:just|already|previously|first|last|earlier|actually|really|ever|also)\s+)*"
_SAID_NOW = re.compile(
    rf"""
    \b(?:
        # What the user asked and what the assistant said is nowhere else.
        (?:did|have|had)\s+i\s+{_ADVERBS}
          (?:ask(?:ed)?(?!\s+for\b)|(?:say|said|tell|told|mention|mentioned)\s+(?:to\s+)?you)
      | (?:did|have|had)\s+you\s+{_ADVERBS}(?:say|said|tell|told|answer|answered|mention|mentioned|reply|replied|mean
          |meant)
      | (?:did|have|had)\s+you\s+just\s+(?:write|written)
      | what\s+(?:you|i)\s+(?:just\s+)?(?:said|asked|told\s+(?:me|you)|answered)
      | (?:my|your)\s+(?:very\s+)?(?:last|previous|first|earlier|second)\s+(?:questions?|answers?|messages?|reply
          |replies|responses?)(?!\s*(?::|,|[-–]|is\b|would\b))
      | (?:habe|hab|hatte)\s+ich\s+(?:[^\s?.!,;]+\s+){{0,6}}gefragt
      | (?:habe|hab|hatte)\s+ich\s+(?:dich|dir|sie|ihnen)\s+(?:[^\s?.!,;]+\s+){{0,5}}(?:gesagt|geschrieben|erzählt)
      | (?:hast|hattest)\s+du\s+(?:[^\s?.!,;]+\s+){{0,6}}(?:gesagt|geantwortet|erwähnt|erklärt|gemeint|erzählt)
      | hast\s+du\s+(?:mir\s+)?(?:gerade|eben)\s+geschrieben
      | (?:sagtest|meintest|erwähntest)\s+du
      | (?:meine|deine|ihre)[rn]?\s+(?:letzten?|vorigen?|vorherigen?|ersten?|zweiten?)\s+(?:fragen?|antwort(?:en)?
          |nachricht(?:en)?)(?!\s*(?::|,|[-–]|ist\b|lautet\b|wäre\b))
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SAID_PERHAPS = re.compile(
    rf"""
    \b(?:
        (?:did|have|had)\s+(?:i|we)\s+{_ADVERBS}
          (?:ask(?:ed)?(?!\s+for\b)|say|said|mention|mentioned|talk|talked|discuss|discussed)
      | the\s+(?:last|previous|first|earlier|second)\s+(?:questions?|answers?|messages?|reply|replies|responses?)
          (?=\s*(?:$|[?.!])|\s+(?:again|of\s+(?:this|our)|in\s+(?:this|our))\b)
      | (?:habe|hab|hatte|haben|hatten)\s+(?:ich|wir)\s+(?:dich|dir|gerade|eben|vorhin|zuletzt|zuerst|als\s+erstes|schon
          |denn|über|das|die|den|dem|\s)*(?:[^\s?.!,;]+\s+)?(?:gefragt|gesagt|erwähnt|gesprochen|geredet|diskutiert)
      | haben\s+sie\s+(?:mir|gerade|eben|vorhin|zuletzt|schon|\s)*(?:[^\s?.!,;]+\s+){{0,3}}
          (?:gesagt|geantwortet|erwähnt)
      | (?:this|our|the|unser\w*|dies\w*|das)\s+(?:conversation|chat|gespräch|unterhaltung)
      | what\s+(?:were|are|have)\s+we\s+(?:been\s+)?(?:talk|discuss)\w*
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""What may have been said here as well as in the control room: here, unless a time or a place is named."""

_AGAIN = re.compile(
    r"""
    ^\W*(?:(?:please|bitte|can\s+you|could\s+you|would\s+you|ok(?:ay)?)\W+)*
    (?:repeat|rephrase|shorten|translate|summari[sz]e|say|explain|wiederhole?|kürze|übersetze?|fasse?|erkläre?|sage?)
    \s+(?:me\s+)?(?:that|this|it|(?:your|the)\s+(?:last\s+)?answer|das|es|(?:deine|die)\s+(?:letzte\s+)?antwort)
    (?=\W*$|\s+(?:again|please|once|for\s+me|in|into|to|as|with|more|shorter|simpler|briefly|bitte|noch|nochmal|auf|ins
        |kürzer|kurz|einfacher|zusammen)\b)
    | ^\W*(?:bitte\s+)?(?:kannst|könntest|können|könnten)\s+(?:du|sie)\s+(?:mir\s+)?
      (?:das|es|(?:deine|die)\s+(?:letzte\s+)?antwort)\s+
      (?:(?:bitte|noch|einmal|mal|nochmal|kürzer|auf|ins|in|deutsch\w*|englisch\w*)\s+)*
      (?:wiederholen|kürzen|übersetzen|zusammenfassen|umformulieren|sagen|erklären)\W*$
    | ^\W*(?:wie\s+bitte|pardon|what\s+was\s+that)\W*$
    """,
    re.IGNORECASE | re.VERBOSE,
)

_DOCUMENT = (
    r"(?:papers?|documents?|manuals?|reports?|publications?|procedures?|dokumente?|handb[uü]ch(?:er)?|berichte?|"
    r"veröffentlichung(?:en)?|anleitung(?:en)?)"
)
_LOOK_ELSEWHERE = re.compile(
    r"\b(?:e-?log\w*|log\s?books?|logbuch|logbuches|logbüchern?|log\s+entr(?:y|ies)|logeintr\w*|"
    r"knowledge\s+base|wissensbasis|"
    r"documentation|dokumentation|wiki"
    r"|(?:other|another|andere[rsn]?|weitere[rsn]?)\s+"
    rf"{_DOCUMENT})\b",
    re.IGNORECASE,
)
_SOME_DOCUMENT = re.compile(rf"\b(?:which|what|any|an?|welche[rsnm]?|irgendeine?|eine?)\s+{_DOCUMENT}\b", re.IGNORECASE)
_IN_THE_LOG = re.compile(
    r"\b(?:entry|entries|eintrag|einträge|handovers?|übergaben?|shifts?|schicht|schichten|protokoll|"
    r"written\s+down|write\s+down|wrote\s+down)\b",
    re.IGNORECASE,
)
_ABOUT_THE_LOG = re.compile(
    r"\b(?:about|concerning|über|nach|zu)\s+(?:the\s+|our\s+|das\s+|dem\s+)?(?:e-?log\w*|log\s?books?|logbuch|"
    r"documentation|dokumentation|shifts?|wiki)\b",
    re.IGNORECASE,
)
_SHIFT = re.compile(r"\b(?:shift|schicht)\b", re.IGNORECASE)

_FILE_WORD = (
    r"(?:file|document|pdf|attachment|upload|paper|image|picture|photo|screenshot|figure|plot|graph|chart|diagram|table|"
    r"slide|presentation|spreadsheet|datei|dokument|anhang|bild|foto|folie|präsentation|tabelle|abbildung|grafik|"
    r"diagramm|anlage)"
)
_THE_FILE = re.compile(
    rf"\b(?:(?:the|this|that|these|those|my|your|our|both|all|der|die|das|dem|den|des|dies\w*|mein\w*|dein\w*|unser\w*|"
    rf"beide\w*|alle\w*|im|vom|zum|zur)\s+(?:[\w-]+\s+)?{_FILE_WORD}(?:s|n|en|er|e|es)?"
    r"|files|dateien|anhänge|attachments?|uploads?|attached|uploaded|angehängt\w*|hochgeladen\w*|beigefügt\w*"
    r"|(?:summari[sz]e|describe|translate)\s+(?:pdf|file|document|image|picture))\b",
    re.IGNORECASE,
)
_QUESTIONS = re.compile(
    r"(?<=[?.!;])\s+|(?:\s*,\s*|\s+)(?:and|und|but|aber)\s+(?=(?:also\s+|auch\s+)?(?:does|do|did|is|are|was|were|what|"
    r"which|who|how|why|when|where|can|has|have|welche[rsnm]?|wer|wie|warum|wieso|wann|wo|ist|sind|war|waren|zeigt|steht|"
    r"gibt|gab|hat|haben|kann)\b)",
    re.IGNORECASE,
)
_LEANS = re.compile(
    r"\b(?:it|its|this|that|these|those|they|them|there|here|one|es|das|dies\w*|sie|ihn|er|dort|darin|davon|dazu|hier)\b",
    re.IGNORECASE,
)
_ANY_DAY = date(2100, 1, 1)
"""Whether a text names a time hangs on no clock; years that have not been are none."""
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
    if files and _is_about(message, files, given_now):
        return "files"
    if _is_said_here(message):
        return "conversation"
    return None


def _is_said_here(message: str) -> bool:
    """Whether a message asks for what was said in the conversation, and not for what was written down elsewhere."""
    if _AGAIN.search(message):
        return True
    # Whether a question was about the logbook is not in the logbook.
    in_log = (_LOOK_ELSEWHERE.search(message) or _IN_THE_LOG.search(message)) and not _ABOUT_THE_LOG.search(message)
    if in_log:
        return False
    return bool(_SAID_NOW.search(message) or (_SAID_PERHAPS.search(message) and not _names_a_time(message)))


def _names_a_time(text: str) -> bool:
    return period_in(text, _ANY_DAY) is not None


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
    """Whether a message is about the files and nothing else: each question that it asks is."""
    pieces = [piece for piece in _QUESTIONS.split(message) if piece and words(piece)]
    spoken_of = [_speaks_of(piece, files) for piece in pieces]
    for piece, there in zip(pieces, spoken_of, strict=True):
        # A shift is also what a file may be about; whoever gives one with a question on shifts asks about the file.
        if _LOOK_ELSEWHERE.search(piece) or (not given_now and _SHIFT.search(piece)):
            return False
        if not there and (_names_a_time(piece) or _SOME_DOCUMENT.search(piece)):
            return False
        if not there and any(spoken_of) and _asks_else(piece, files):
            return False
    if any(spoken_of):
        return True
    if given_now:
        # Whoever gives a file with a question asks about it, unless he says where else to look.
        return True
    wanted = content_words(message)
    if not wanted:
        return bool(_WHOLE_FILE.match(message))
    return len(wanted) >= 2 and _has(wanted, files)


def _speaks_of(message: str, files: Sequence[ContextFile]) -> bool:
    """Whether a message names a file, or speaks of "this plot" or "the document"."""
    low = message.casefold()
    names = [file["name"].casefold() for file in files]
    stems_of_names = [name.rpartition(".")[0] or name for name in names]
    named = any(name in low for name in names) or any(len(name) > 3 and name in low for name in stems_of_names)
    return named or _THE_FILE.search(message) is not None


def _asks_else(piece: str, files: Sequence[ContextFile]) -> bool:
    """Whether a question beside one on a file stands for itself, and asks for what no file has."""
    wanted = content_words(piece)
    return len(wanted) >= 2 and piece.rstrip().endswith("?") and not _LEANS.search(piece) and not _has(wanted, files)


def _has(wanted: Sequence[str], files: Sequence[ContextFile]) -> bool:
    """Whether the texts of the files have all of the words."""
    text = "\n".join(part["text"] for file in files for part in file["parts"])
    found = {stem(word) for word in shared(wanted, text)}
    return len(found) == len({stem(word) for word in wanted})
