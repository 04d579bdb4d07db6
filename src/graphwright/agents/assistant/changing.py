"""Which tools change the world, and whether a message orders that in the user's own words."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from graphwright.agents.assistant.state import ToolInfo, ToolOutcome
from graphwright.agents.assistant.words import listed
from graphwright.errors import redact

LONGEST_SHOWN = 200
"""Characters of the arguments of a call that are told."""

_CHANGING = listed("""
    abort acknowledge activate add adjust allow alter append apply approve archive arm assign attach ban bash block book
    buy bypass calibrate call cancel caput change checkout chmod chown clear click close commit configure connect copy
    cp create cut deactivate decrease delete deny deploy destroy detach disable disarm disconnect discard dispatch drop
    dump edit eject email enable engage erase eval exec execute fire flush force format forward grant halt import
    increase inhibit inject insert install interrupt invite invoke kill launch lock mail merge migrate mkdir mkfs modify
    mount move mute mv notify open order overrule override overwrite patch pause pay post power powershell press
    promote provision publish purchase purge push put python ramp reboot recalibrate reject reload register release
    remove rename repair replace reply rerun resend reserve reset resize resolve restart restore resume retract revert
    revoke rm rmdir rollback rotate run save schedule send set sh shell shutdown sign spawn start stop store submit
    subscribe sudo suspend switch sync tag terminate toggle transfer trigger trip truncate tune turn unassign unblock
    undo uninstall unlink unlock unmount unregister unset unsubscribe update upgrade upload upsert vent wipe withdraw
    write zap
    """)
_READING = listed("""
    check compare count describe diff download explain fetch find get has inspect is list lookup look preview query read
    retrieve search show status summarize view
    """)
_TOLD = listed("""
    count data history info level list log logs measurement number order pattern search state statistics
    status summary value
    """)
"""What comes after a noun that could be a verb, as in `power_status`."""

_NOUNS = listed("""
    block call change copy cut dump email fire format import lock mail mount order power press python ramp release
    repair reply reset run schedule shell sign stop store switch tag trip tune turn
    """)
_THINGS = listed("order schedule trip tune")
"""Nouns of what machines have, behind another word: `ring_tune`."""

_EITHER = listed("call copy dump eval exec execute format import invoke open order python run store")
"""What can be done without changing anything: of these a server may say so."""

_ALSO = {
    "abort": "cancel|stop|brich|abbrech|stopp",
    "acknowledge": "quittier|bestätig",
    "activate": "enable|aktivier|schalt",
    "add": "füg|ergänz|append|insert",
    "append": "add|häng|füg|ergänz",
    "arm": "schärf",
    "bash": "run|execute|führ|ausführ",
    "block": "sperr|blockier",
    "book": "reserve|buch|reservier",
    "bypass": "überbrück|umgeh",
    "calibrate": "kalibrier",
    "call": "ruf|aufruf",
    "cancel": "storn|stornier|brich|abbrech",
    "caput": "set|put|write|setz|stell|schreib",
    "change": "modify|edit|set|änder",
    "clear": "empty|delete|lösch|leer",
    "close": "shut|schließ|schliess|mach",
    "create": "make|erstell|leg|anleg",
    "deactivate": "disable|deaktivier|schalt",
    "decrease": "lower|reduce|senk|verringer",
    "delete": "remove|erase|lösch|entfern",
    "destroy": "delete|zerstör|lösch",
    "disable": "deactivate|deaktivier|schalt|sperr",
    "dump": "verwirf|abwerf",
    "edit": "change|änder|bearbeit",
    "email": "mail|send|schick|send",
    "enable": "activate|aktivier|schalt",
    "erase": "delete|remove|lösch|entfern",
    "exec": "run|execute|führ|ausführ",
    "execute": "run|führ|ausführ",
    "format": "formatier",
    "increase": "raise|erhöh",
    "insert": "add|füg|trag",
    "install": "installier",
    "invite": "lade",
    "kill": "stop|terminate|beend|stopp",
    "lock": "sperr|verriegel",
    "mail": "email|send|schick|send",
    "modify": "change|änder",
    "move": "verschieb|beweg|fahr",
    "mv": "move|verschieb",
    "notify": "tell|inform|benachrichtig",
    "open": "öffn|mach",
    "order": "bestell",
    "override": "overrule|übersteuer|überschreib|überbrück",
    "overwrite": "überschreib",
    "post": "publish|veröffentlich|schreib",
    "power": "turn|switch|schalt",
    "press": "push|drück|betätig",
    "publish": "post|veröffentlich",
    "put": "set|write|setz|stell|leg",
    "ramp": "fahr",
    "reboot": "restart|start",
    "remove": "delete|lösch|entfern",
    "rename": "benenn",
    "replace": "exchange|ersetz|tausch",
    "reserve": "book|reservier|buch",
    "reset": "setz",
    "restart": "reboot|start",
    "restore": "wiederherstell|stell",
    "rm": "delete|remove|erase|lösch|entfern",
    "run": "execute|führ|ausführ|start",
    "save": "store|speicher|sicher",
    "send": "mail|email|schick|send",
    "set": "change|put|stell|setz",
    "sh": "run|execute|führ|ausführ",
    "shell": "run|execute|führ|ausführ",
    "shutdown": "shut|schalt|fahr",
    "start": "start",
    "stop": "stopp|halt|anhalt",
    "store": "save|speicher|sicher",
    "submit": "reich",
    "switch": "turn|schalt",
    "terminate": "end|beend",
    "toggle": "switch|schalt",
    "trigger": "fire|auslös|lös",
    "truncate": "cut|empty|kürz|leer",
    "turn": "switch|schalt",
    "unlock": "entsperr|entriegel",
    "update": "change|änder|aktualisier",
    "upload": "lade|hochlad",
    "wipe": "delete|erase|lösch",
    "write": "save|add|schreib|speicher|trag|eintrag",
}
_APART = "ab|an|auf|aus|durch|ein|frei|herunter|hoch|los|nach|neu|runter|um|vor|weg|weiter|zu|zurück"
"""What German verbs have before them in an infinitive: `zurücksetzen`."""

_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SENTENCES = re.compile(r"(?<=[.!?;])\s+|\n+")
_CLAUSES = re.compile(r"[,;:–—]|(?<!\w)-(?!\w)|\b(?:and|then|und|dann|but|or|oder|aber|sondern)\b", re.IGNORECASE)
_QUOTED = re.compile(
    r"```.*?(?:```|\Z)|`[^`]*(?:`|\Z)|^[ \t]*>[^\n]*|[\"“„«»”][^\"“”„«»]*(?:[\"“”«»]|\Z)|"
    r"(?<!\w)['‘‚][^'‘’‚]+['’‘](?!\w)",
    re.DOTALL | re.MULTILINE,
)
_TELLING = (
    r"sa(?:id|ys?|ying)|told|tells?|wrote|writes|written|ask(?:ed|s)|suggest(?:s|ed)|recommend(?:s|ed)|advise[sd]?|"
    r"wants?|wanted|claim(?:s|ed)|states?|stated|sagte?n?|schrieb(?:en)?|schreibt|meinte?n?|bat(?:en)?|bittet|"
    r"empfiehlt|empfahl|rät|riet|will|wollte[nt]?|verlangte?n?|steht|stand|lautet|hei(?:ß|ss)t"
)
_TOLD_BY = re.compile(rf"\b(?:{_TELLING})\b", re.IGNORECASE)
_SAID_BEHIND = re.compile(
    rf"[,–—-]\s*(?:(?:he|she|they|it|er|sie|es|(?:my|the|our|mein\w*|unser\w*|der|die|das)\s+\w+)\s+(?:{_TELLING})|"
    rf"(?:{_TELLING})\s+(?:he|she|they|it|my|the|our|er|sie|es|mein\w*|unser\w*|der|die|das))\b",
    re.IGNORECASE,
)
_HANDED_ON = re.compile(
    rf"\b(?:{_TELLING}|e?mails?|messages?|texts?|notes?|letters?|entry|comments?|reports?|manuals?|procedures?|"
    r"instructions?|quotes?|following|folgende\w*|translate|summari[sz]e|explain|proofread|paraphrase|rephrase|interpret|Nachricht|Eintrag|"
    r"Notiz|Brief|Anweisung|Befehl|übersetz\w*|erklär\w*|fass\w*|korrigier\w*)\b[^.!?\n]{0,80}:|"
    r"^\s*(?:from|von|subject|betreff|sent|gesendet|date|datum)\s?:",
    re.IGNORECASE | re.MULTILINE,
)
"""What stands before the words of somebody else: `My colleague said:`, `Translate this mail:`, `From:`."""

_IF = re.compile(
    r"\b(?:if|unless|in case|when(?:ever)?|(?<!at )once|as soon as|whether|provided|suppose|supposing|assum(?:e|ing)|"
    r"until|till|would have|falls|wenn|sofern|sobald|solange|ob|angenommen|es sei denn|bevor|nachdem|bis)\b",
    re.IGNORECASE,
)
_NO = re.compile(
    r"\b(?:not|never|no|nothing|none|nobody|neither|nor|without|avoid|refrain|cannot|instead of|rather than|"
    r"kein\w*|nicht|nichts|nie|niemals|niemand\w*|nein|ohne|keinesfalls|statt|anstatt)\b|n['’]t\b|"
    r"\b(?:dont|doesnt|cant|wont|shouldnt|mustnt)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"^\W*(?:who|what|which|when|where|why|how|whose|did|do|does|has|have|had|is|are|was|were|should|shall|may|might|must|"
    r"wer|was|welche\w*|wann|wo|warum|wieso|weshalb|wie|wurden?|hat|haben|hatte|ist|sind|war|waren|soll\w*|darf\w*|"
    r"dürfen|muss|müssen)\b(?!['’]t)",
    re.IGNORECASE,
)
_WITHIN = re.compile(
    r"\b(?:who|what|which|where|why|how|whose|that|I (?:can|could|should|may|must|shall|might|will|would)|"
    r"(?:we|they|he|she|one|people|operators?) \w+|man|wer|was|welche\w*|wann|wo|warum|wieso|wie|dass|ich|wir)\b",
    re.IGNORECASE,
)
"""What leads a clause that hangs on another one, or speaks of what somebody else may do."""

_OPENERS = (
    r"(?:(?:please|pls|kindly|now|then|also|just|ok|okay|hey|hi|hello|so|first|finally|next|yes|well|go ahead|"
    r"bitte|jetzt|nun|also|dann|danach|noch|mal|ja|gut|hallo|zuerst|anschlie(?:ß|ss)end|sofort|immediately)\b\W*)*"
)
_YOU = (
    r"(?:(?:can|could|will|would) you|(?:I|we) (?:want|need|would like|['’]d like) you to|I['’]d like you to)\s+"
    r"(?:(?:please|now|also|just|kindly|then|immediately|go ahead and)\s+)*"
)
_DU = re.compile(r"\bbitte\b|\b(?:kannst|könntest|würdest|magst) du\b|\b(?:können|könnten|würden) sie\b", re.IGNORECASE)
_AFTER = r"(?:\s+(?:bitte|please|jetzt|now|sofort))*\s*[.!?]*\s*$"
_ASKING = re.compile(
    r"^\W*(?:(?:please|ok|okay|hey|hi|hello|so|bitte|und|and)\b\W*)*(?:(?:can|could|will|would) you|"
    r"(?:kannst|könntest|würdest|magst) du|(?:können|könnten|würden) sie)\b",
    re.IGNORECASE,
)
_BACK = re.compile(
    r"^\W*(?:no|nein|stop|wait|halt|don['’]t|do not|doch nicht|lieber nicht|never mind)\b", re.IGNORECASE
)
_NOUN = (
    r"(?!\s+(?:of|is|are|was|were|has|had|does|did|fails?|failed|works?|yesterday|last|since|during|happened|occurred|"
    r"history|issues?|log|mortem|notes|number|rates?|reports?|status|suppl(?:y|ies)|times?|von|der|des|gestern|seit|am)\b)"
    r"(?!\s+\w+\s+(?:is|are|was|were|has|had|does|did|fails?|failed|works?|ist|war|hat|geht)\b)"
)
"""What a verb in an order has not behind it: `stop of the beam`, `open issues`, `power supply`."""

_ANY = "change"
"""The verb of a tool whose server alone says that it changes something."""

_OF_ANSWERS = listed("""
    add append call copy create edit email end format import inform mail make notify order post publish python reply run
    save send store tell write
    """)
"""What may be ordered of an answer itself: `write a summary`."""


def changes_something(name: str, info: ToolInfo | Mapping[str, Any] | None = None) -> str:
    """The verb by which a tool changes the world: of its name, else `change` where its server says so; else empty.

    That a tool only reads is believed where its name may mean that, too.
    """
    hint = (info or {}).get("changes")
    verb = _verb_of(name)
    if hint is False:
        return "" if verb in _EITHER else verb
    return verb or (_ANY if hint else "")


def _verb_of(tool: str) -> str:
    parts: list[str] = [part.casefold() for part in _PARTS.findall(tool.rpartition("__")[2] or tool)]
    if parts and parts[0] in _READING and "and" not in parts:
        return ""
    for place, (part, following) in enumerate(zip(parts, [*parts[1:], ""], strict=True)):
        if part not in _CHANGING:
            continue
        behind = "and" not in parts and (place > 1 or (place == 1 and part in _THINGS))
        # What may be a noun is one before what is told of it, and far behind.
        if part not in _NOUNS or not (following in _TOLD or behind):
            return part
    return ""


def asks_for(message: str, verb: str) -> bool:
    """Whether a message orders what a verb says, in English or German: "delete it", "please delete it".

    No order is what is asked ("should I delete it?"), denied ("don't"), said under a condition, quoted, or told of what
    others said. In doubt it is none: whoever meant it can say it again.
    """
    wanted = _wanted(verb)
    handed = _HANDED_ON.search(message)
    own = _QUOTED.sub(" … ", message[: handed.end()] if handed else message)
    sentences = [each for each in _SENTENCES.split(own) if each.strip()]
    ordered = False
    for sentence in sentences:
        if ordered and _BACK.match(sentence):
            return False
        if wanted.anywhere.search(sentence) and _NO.search(sentence) and not _orders(sentence, wanted):
            return False
        ordered = ordered or _orders(sentence, wanted)
    return ordered


def calls_that_change(outcomes: Sequence[ToolOutcome], tools: Mapping[str, ToolInfo]) -> list[tuple[str, ToolOutcome]]:
    """The calls that were made of tools that change something, written out, each with what came of it."""
    return [
        (_written(each), each)
        for each in outcomes
        if changes_something(each["tool_name"], tools.get(each["tool_name"]))
    ]


def _written(call: ToolOutcome) -> str:
    given = ", ".join(
        f"{name}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        for name, value in call["arguments"].items()
    )
    shown = " ".join(redact(given).split())
    return (
        f"{call['tool_name']} ({shown[:LONGEST_SHOWN]}{'…' if len(shown) > LONGEST_SHOWN else ''})"
        if shown
        else call["tool_name"]
    )


class _Verb:
    """How a verb is found in an order: `first` in a clause, or `last` in it as a German infinitive."""

    def __init__(self, names: str) -> None:
        forms = rf"(?:{names})(?:e|n|en|t)?"
        self.anywhere = re.compile(rf"\b(?:{_APART})?{forms}\b", re.IGNORECASE)
        self.first = re.compile(rf"^\W*{_OPENERS}(?:{_YOU})?{forms}\b{_NOUN}", re.IGNORECASE)
        self.last = re.compile(rf"(?<!\bzu )\b(?:{_APART})?(?:{names})e?n{_AFTER}", re.IGNORECASE)


def _wanted(verb: str) -> _Verb:
    if verb == _ANY:
        known = {*_CHANGING, *(name for also in _ALSO.values() for name in also.split("|"))}
        return _Verb("|".join(sorted(known - _OF_ANSWERS)))
    return _Verb(f"{verb}|{_ALSO[verb]}" if verb in _ALSO else verb)


def _orders(sentence: str, wanted: _Verb) -> bool:
    if _ASKS.match(sentence) or _IF.search(sentence) or _SAID_BEHIND.search(sentence):
        return False
    if sentence.rstrip(" )*_").endswith("?") and not _ASKING.match(sentence):
        return False
    begun = spoiled = False
    for clause in _CLAUSES.split(sentence):
        denied = _NO.search(clause) is not None
        begun = begun or _DU.search(clause) is not None
        within = _WITHIN.search(clause) is not None
        if not (spoiled or denied) and (
            wanted.first.match(clause) or (begun and not within and wanted.last.search(clause))
        ):
            return True
        # What hangs on a clause goes on behind an "and".
        spoiled = spoiled or denied or within or _TOLD_BY.search(clause) is not None
    return False
