"""What a message wants to be told about: lists, details, parameters, terms, what was done."""

from __future__ import annotations

import re
from typing import Literal

from graphwright.runtime.reading.words import fold

Topic = Literal[
    "report",
    "health",
    "help",
    "schema",
    "contexts",
    "conditions",
    "decision_points",
    "group_types",
    "experiments",
    "details",
    "terms",
    "greeting",
    "thanks",
]

_ASKS = (
    r"(?:need|what|which|list|show|display|tell|give|are there|is there|any|available|how many|know|see|get|all|every"
    r"|exist|was|welche|welchen|zeig|zeige|liste|gibt|nenne|alle|wie viele|do we have|have)"
)
_REPORT = re.compile(
    r"\b(?:what (?:have|did|had) (?:we|you|i|u) (?:\w+ )?(?:accomplish|achiev|do|done|d[io]d|chang|creat|manag"
    r"|finish|complet)\w*"
    r"|what(?: has| s| is| was)? (?:been )?(?:done|accomplished|achieved|changed)(?: so far| until now| today)?\b"
    r"|(?:summary|recap|overview|report|log|history) (?:of|on|over|about) (?:this |the |our |what |everything "
    r"|all )*(?:session|conversation|"
    r"actions?|changes|work|chat|we|you|done|steps)|summari[sz]e (?:this |the |our |what "
    r"|everything)*(?:session|conversation|work|we|you|chat|actions?|changes)?"
    r"|session (?:summary|report)|execution log|what happened so far|progress (?:report|so far)"
    r"|was (?:haben|hast|habe) (?:wir|du|ich) (?:\w+ )*(?:gemacht|erreicht|geschafft|getan|erledigt)"
    r"|zusammenfassung|bericht)\b"
)
_HEALTH = re.compile(
    r"\b(?:upgrade|server|service|api|connection|verbindung)\b.*\b(?:up|online|running|reachable|alive|working"
    r"|healthy|health|"
    r"version|available|down|respond\w*|connected|status|ok|erreichbar|lauft)\b|\b(?:health|ping"
    r"|which (?:server|version|upgrade)|"
    r"what version|are you connected|which server|welcher server|welche version)\b"
)
_HELP = re.compile(
    r"^(?:help|hilfe|menu|commands|usage|\?+)\W*$|\b(?:what can (?:you|u|i) (?:\w+ )?(?:do|ask|help)"
    r"|how can you help|what do you do|"
    r"who are you|what are you|help me$|can you help(?: me)?\W*$|i need help|was kannst du|wer bist du"
    r"|was machst du|wie kannst du)\b"
)
_SCHEMA = re.compile(
    r"\b(?:parameters?|params?|fields?|schema|arguments?|properties|options|parameter|felder|angaben)\b"
    r"|\b(?:what|which|was)\b.*\b(?:need(?:ed)?|required?|necessary|provide|specify|brauche|brauchst|notig|benotigt)\b"
    r"|\b(?:what|which|was)\b.*\b(?:have to|must|should|shall|do|does|muss|soll)\b.*\b(?:tell|say|give|enter|state"
    r"|include|supply|fill in|know|decide|prepare|sagen|angeben|mitteilen|wissen)\b.*\b(?:create|set up|make|update"
    r"|change|delete|start|stop|initiali[sz]e|mark|simulate|experiment|erstellen|anlegen|andern|starten|simulieren)\b"
    r"|\bhow (?:do|can|would|should|to)\b.*\b(?:create|set up|make|update|change|delete|start|stop"
    r"|initiali[sz]e|mark|simulate|pause|archive|cancel|assign)\b"
    r"|\bwie\b.*\b(?:erstelle|lege|starte|stoppe|losche|andere|simuliere|kann ich|kann man)\b"
)
_CONTEXTS = re.compile(
    rf"\b{_ASKS}\b.*\b(?:contexts|apps|applications|kontexte|kontexten|anwendungen)\b"
    rf"|^(?:available )?(?:contexts|kontexte)\W*$"
    r"|\b(?:which|what|welche[rsn]?) (?:app |application )?(?:context|kontext)s? (?:are|is|exist|can|do|gibt"
    r"|sind|kann)\b"
)
_CONDITIONS = re.compile(
    rf"\b{_ASKS}\b.*\b(?:conditions|condition codes?|codes|bedingungen)\b|\b(?:conditions"
    rf"|bedingungen)\b.*\b(?:available|exist|possible|there|gibt|for|in|of|fur)\b"
)
_POINTS = re.compile(
    rf"\b{_ASKS}\b.*\b(?:decision points?|sites?|targets?|entscheidungspunkte?n?)\b|\b(?:decision points?|sites"
    rf"|targets)\b.*\b(?:available|exist|possible|there|for|in)\b"
    r"|\b(?:where|wo) (?:in \S+ )?(?:can|could|do|may|should|kann|konnen) (?:i|we|you|one|ich|wir|man) "
    r"(?:run|place|put|have|do|set up|make|experiment|use)\b"
)
_GROUP_TYPES = re.compile(
    rf"\b(?:{_ASKS}|types? of)\b.*\b(?:group types?|types? of groups?|groups|gruppentypen|gruppen)\b"
)
_EXPERIMENTS = re.compile(
    rf"\b{_ASKS}\b.*\b(?:experiments|tests|studies|experimente|experimenten|studien)\b|^(?:all "
    rf"|my )?(?:experiments|experimente)\W*$"
    r"|\bwhat(?: s| is)? (?:currently )?running\b|\b(?:anything|something) running\b|\bwas lauft\b"
)
_DETAILS = re.compile(
    r"\b(?:details?|still|over|finished|done|open|paused|archived|completed?|cancell?ed"
    r"|describe|status|state|info|information|more about|about|look like|setup|configur\w*"
    r"|weights?|conditions?|running|"
    r"started|stopped|live|fair|split|inactive|active|enrolled|enrolling|created|decision points?|context|show|display"
    r"|tell me"
    r"|zeig|zeige|zustand|"
    r"beschreib\w*|lauft|einzelheiten|wer|who|when|how many|wie viele|what is|what s|whats|was ist)\b"
)
_TERMS = re.compile(
    r"\b(?:what (?:is|are|s|does|do)|whats|explain|define|definition|meaning|mean|means|difference|differ"
    r"|understand|how (?:does|do|is|are)|why|"
    r"was (?:ist|sind|bedeutet|heisst)|erklar\w*|unterschied|bedeut\w*|wie funktioniert)\b"
)
_GREETING = re.compile(
    r"^\W*(?:hi|hello|hey|hiya|good (?:morning|afternoon|evening|day)|hallo|moin|guten (?:tag|morgen|abend)"
    r"|servus)(?: there| you| all)?\W*$"
)
_THANKS = re.compile(
    r"^\W*(?:(?:(?:many |ok |okay |great |perfect |well )?thanks?(?: you)?(?: so much| very much| a lot)?|thx|ty|cheers"
    r"|danke(?: dir| schon| sehr)?|vielen dank|(?:good |and )?bye(?: bye| now)?|goodbye|see you(?: later| soon)?|ciao"
    r"|that s all|that is all|that was all|that s it|nothing else|tschuss|have a (?:nice|good) (?:day|evening|weekend))"
    r"(?: for now| for today| then| everyone| all)?(?:\W+(?:and\s+)?|$))+$"
)

_WANTED = re.compile(
    r"(?:please )?(?:i|we) (?:just |only |also )?(?:need|want|would like|d like)(?: to (?:know|see|have))? "
    r"(?:the|all|a list of|an overview of|every)\b"
)

_FIRST: tuple[tuple[Topic, re.Pattern[str]], ...] = (
    ("greeting", _GREETING),
    ("thanks", _THANKS),
    ("help", _HELP),
    ("report", _REPORT),
)
_LISTS: tuple[tuple[Topic, re.Pattern[str]], ...] = (
    ("contexts", _CONTEXTS),
    ("conditions", _CONDITIONS),
    ("decision_points", _POINTS),
    ("group_types", _GROUP_TYPES),
    ("experiments", _EXPERIMENTS),
)


def topics_of(text: str, *, names_experiment: bool, asks: bool) -> tuple[Topic, ...]:
    """What a message wants to be told about, the most telling first.

    `text` is the message without the names and values in it; `asks` says whether it asks something at all.
    """
    folded = " ".join(fold(text).replace("'", " ").split())
    found: list[Topic] = []
    found += [topic for topic, pattern in _FIRST if pattern.search(folded)]
    if found:
        return tuple(found)
    if not (asks or _WANTED.match(folded)):
        listed = tuple(topic for topic, pattern in _LISTS if pattern.search(folded))
        return listed if re.fullmatch(r"(?:all |my |available )?\w+", folded) else ()
    if _HEALTH.search(folded) and not names_experiment and "experiment" not in folded:
        found.append("health")
    if _SCHEMA.search(folded):
        found.append("schema")
    if names_experiment and _DETAILS.search(folded):
        found.append("details")
    if not names_experiment:
        found += [topic for topic, pattern in _LISTS if pattern.search(folded)]
    if _TERMS.search(folded):
        found.append("terms")
    return tuple(found)
