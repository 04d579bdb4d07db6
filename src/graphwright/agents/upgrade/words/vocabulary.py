"""The words by which users of the UpGrade agent say what is to be done, in English and German, folded."""

from __future__ import annotations

from collections.abc import Mapping

from graphwright.runtime.reading.words import phrases, vocabulary

# All of it is folded as `words.fold` does it: no case, no umlauts, no apostrophes ("don't" is `don t`).

ACTIONS = (
    "create_experiment",
    "update_experiment",
    "delete_experiment",
    "update_experiment_status",
    "init_experiment_user",
    "get_decision_point_assignments",
    "mark_decision_point",
    "simulate_experiment",
)
"""What the agent can do."""

STATUS: Mapping[str, str] = {
    "start": "enrolling",
    "resume": "enrolling",
    "stop": "enrollmentComplete",
    "pause": "enrollmentComplete",
    "cancel": "cancelled",
    "complete": "cancelled",
    "archive": "archived",
}
"""The state that each verb of status puts an experiment into."""

ACTION_OF: Mapping[str, str] = {
    **dict.fromkeys((*STATUS, "status"), "update_experiment_status"),
    "delete": "delete_experiment",
    "create": "create_experiment",
    "update": "update_experiment",
    "rename": "update_experiment",
    "simulate": "simulate_experiment",
    "init": "init_experiment_user",
    "assign": "get_decision_point_assignments",
    "mark": "mark_decision_point",
}

STATE_WORDS: Mapping[str, str] = {
    "enrolling": "enrolling",
    "running": "enrolling",
    "active": "enrolling",
    "live": "enrolling",
    "enrollmentcomplete": "enrollmentComplete",
    "enrolmentcomplete": "enrollmentComplete",
    "paused": "enrollmentComplete",
    "stopped": "enrollmentComplete",
    "cancelled": "cancelled",
    "canceled": "cancelled",
    "completed": "cancelled",
    "archived": "archived",
    "inactive": "inactive",
    "laufend": "enrolling",
    "aktiv": "enrolling",
    "pausiert": "enrollmentComplete",
    "gestoppt": "enrollmentComplete",
    "abgebrochen": "cancelled",
    "abgeschlossen": "cancelled",
    "archiviert": "archived",
    "inaktiv": "inactive",
}
"""Names of states as users write them, by internal name: "stopped" means what the verb "stop" does."""

# What an order begins with: imperatives and infinitives.
_BASE = {
    "start": """
        start, launch, begin, kick off, activate, run, enrol, enroll, turn on, switch on, go live with, go live,
        fire up, put live, starte, starten, aktiviere, aktivieren, schalte frei, einschalten, loslegen mit
    """,
    "stop": "stop, halt, turn off, switch off, deactivate, stoppe, stoppen, anhalten, stopp, deaktiviere, deaktivieren",
    "pause": "pause, suspend, freeze, put on hold, pausiere, pausieren, unterbrich, unterbrechen",
    "resume": """
        resume, unpause, restart, continue, reopen, reactivate, start again, fortsetzen, weiterfuhren,
        wieder aufnehmen, reaktiviere, reaktivieren
    """,
    "cancel": "cancel, abort, kill, call off, abbrechen, storniere, stornieren",
    "complete": "complete, end, finish, terminate, conclude, close, shut down, wrap up, beende, beenden, abschliessen",
    "archive": "archive, archiviere, archivieren",
    "delete": """
        delete, remove, erase, drop, destroy, get rid of, discard, wipe, purge, trash, scrap, nuke, throw away,
        losche, loschen, loesche, loeschen, entferne, entfernen, verwirf, verwerfen
    """,
    "create": """
        create, set up, build, define, make, add, draft, setup, erstelle, erstellen, anlegen, erzeuge, erzeugen,
        leg an, hinzufugen, mache
    """,
    "update": """
        update, change, edit, modify, adjust, alter, set, reweight, rebalance, switch, raise, increase, lower,
        decrease, reduce, include, exclude, replace, put, give, move, shift, use, split, tag, fix, correct,
        distribute, clear, unset, take, strike, pull, nimm, streiche, leere, leeren, unexclude, uninclude, empty,
        ersetze, ersetzen, tausche,
        swap, aktualisiere, aktualisieren, andere, andern, aendere, aendern, setze, setz, setzen, passe, anpassen,
        verteile, schliesse aus, ausschliessen, erhohe, erhohen, senke, senken
    """,
    "rename": """
        rename, retitle, call it, call that, call the, call this, benenne, umbenennen, nenne es, nenn es, nenne das
    """,
    "simulate": "simulate, dry run, try out, simuliere, simulieren, durchspielen, test, try, teste, testen",
    "init": """
        init, initialise, initialize, register, sign up, onboard, initialisiere, initialisieren, registriere,
        registrieren
    """,
    "assign": "assign, weise zu, zuweisen",
    "mark": "mark, log, record, note, markiere, markieren, vermerke, vermerken, erfasse, erfassen",
    "undo": "undo, revert, roll back, take back, restore, undelete, ruckgangig machen, wiederherstellen",
}
# What was done, or is to be done to something: participles.
_DONE = {
    "start": "started, launched, begun, activated, enrolled, gestartet, aktiviert",
    "stop": "stopped, halted, deactivated, gestoppt, angehalten",
    "pause": "paused, suspended, frozen, pausiert, unterbrochen",
    "resume": "resumed, unpaused, restarted, continued, reopened, fortgesetzt",
    "cancel": "cancelled, canceled, aborted, abgebrochen",
    "complete": "completed, ended, finished, terminated, concluded, closed, beendet, abgeschlossen",
    "archive": "archived, archiviert",
    "delete": "deleted, removed, erased, destroyed, discarded, geloscht, geloescht, entfernt",
    "create": "created, built, erstellt, angelegt, erzeugt",
    "update": """
        updated, changed, edited, modified, adjusted, excluded, included, geandert, aktualisiert, ausgeschlossen
    """,
    "rename": "renamed, umbenannt",
    "simulate": "simulated, simuliert",
    "init": "initialised, initialized, registered, initialisiert, registriert",
    "assign": "assigned, zugewiesen",
    "mark": "marked, recorded, logged, markiert, erfasst",
}
# What is only spoken of: "before starting it", "how about deleting it".
_DOING = {
    "start": "starting, launching, beginning, activating",
    "stop": "stopping, halting, deactivating",
    "pause": "pausing, suspending",
    "resume": "resuming, restarting, continuing, reopening",
    "cancel": "cancelling, canceling, aborting",
    "complete": "completing, ending, finishing, terminating, closing",
    "archive": "archiving",
    "delete": "deleting, removing, erasing, dropping, destroying",
    "create": "creating, building, adding, making",
    "update": "updating, changing, editing, modifying, adjusting",
    "rename": "renaming",
    "simulate": "simulating",
    "init": "initialising, initializing, registering",
    "assign": "assigning",
    "mark": "marking, recording, logging",
}


def _table(words: Mapping[str, str]) -> dict[tuple[str, ...], str]:
    return {phrase: verb for verb, text in words.items() for phrase in phrases(text)}


BASE, DONE, DOING = _table(_BASE), _table(_DONE), _table(_DOING)
"""Folded words of each verb, by what the form says."""

LONGEST_VERB = max(map(len, (*BASE, *DONE, *DOING)))

SEPARABLE: Mapping[tuple[str, str], str] = {
    **dict.fromkeys((("lege", "an"), ("leg", "an"), ("legen", "an"), ("fuge", "hinzu")), "create"),
    **dict.fromkeys((("halte", "an"), ("halt", "an")), "stop"),
    **dict.fromkeys((("brich", "ab"), ("breche", "ab"), ("brechen", "ab")), "cancel"),
    **dict.fromkeys((("setze", "fort"), ("setz", "fort"), ("fuhre", "weiter"), ("nimm", "auf")), "resume"),
    **dict.fromkeys((("schliesse", "ab"), ("schliess", "ab")), "complete"),
    **dict.fromkeys((("benenne", "um"), ("benenn", "um"), ("nenne", "um")), "rename"),
    **dict.fromkeys((("melde", "an"), ("meld", "an")), "init"),
    **dict.fromkeys((("weise", "zu"), ("weis", "zu")), "assign"),
    **dict.fromkeys(
        (
            *((first, last) for first in ("make", "set") for last in ("active", "running")),
            *((first, "live") for first in ("put", "set", "make", "get", "bring", "take", "push")),
            *((first, last) for first in ("get", "set") for last in ("going", "running", "started", "rolling")),
            *(("kick", "off"), ("fire", "up"), ("schalte", "ein"), ("schalt", "ein")),
        ),
        "start",
    ),
    **dict.fromkeys((("schalte", "aus"), ("schalt", "aus")), "stop"),
    **dict.fromkeys((("schliesse", "aus"), ("schliess", "aus"), ("nimm", "aus")), "update"),
    **dict.fromkeys((("turn", "on"), ("switch", "on")), "start"),
    **dict.fromkeys((("turn", "off"), ("switch", "off")), "stop"),
    **dict.fromkeys((("call", "off"),), "cancel"),
}
"""Verbs in two parts: the first, and the last word of the clause."""

# Verbs long enough that a slip of the fingers is still the verb.
SLIPS = vocabulary("""
    start launch resume pause cancel archive delete remove create update change rename simulate initialize
    initialise complete finish modify starte starten pausiere losche loschen erstelle erstellen archiviere
    simuliere andere
""")
NOT_SLIPS = vocabulary("""
    clone cause clause chance charge state stare stark mode creature relate related date updates changes others
    anderer andern anderes anderen rest sense cancels deletes removes creates pauses causes complex compete moved
    loving loose ändere parse passe erstellt losung statt anstatt stadt starr state smart
""")
"""Words of their own that are one slip away from a verb."""

EXPERIMENT = vocabulary("""
    experiment experiments exp expt experimente experimenten test tests study studies trial trials studie studien ab
    versuch versuche experimentes
""")
USER = vocabulary("""
    user users student students pupil pupils learner learners participant participants nutzer nutzern nutzerin
    benutzer benutzern benutzerin schuler schulern schulerin studenten studierende teilnehmer kid kids child
    children people person persons visitor visitors lernende
""")
GROUP = vocabulary("group groups gruppe gruppen")
# What an experiment has: "delete the variant condition" changes the experiment and deletes nothing else.
PART = vocabulary("""
    condition conditions code codes point points site sites target targets list lists tag tags description weight
    weights rule rules filter segment segments inclusion exclusion bedingung bedingungen entscheidungspunkt
    entscheidungspunkte liste listen beschreibung gewicht gewichte gewichtung regel arm arms variant variants name
    title payload payloads hypothesis unit consistency split distribution ausschlussliste einschlussliste
    aufteilung
""")
# What the agent has no say over.
NOT_OURS = vocabulary("""
    context contexts app apps application server database token password account accounts metric metrics flag flags
    everything kontext kontexte datenbank konto history conversation log logs file files data
""")
LISTING = vocabulary("list lists inclusion exclusion include exclude liste listen ausschlussliste einschlussliste")

DETERMINERS = vocabulary("""
    the a an this that these those my our your its his her their any some each every no another which what such of
    at in by for from der die das den dem des ein eine einen einem einer eines mein meine meinen unser unsere
    dieses diese dieser diesen im am vom beim welche welches kein keine
""")
SOFT = vocabulary("""
    please pls plz kindly now then also just ok okay hey hi hello well so yes yep yeah no nope sure alright right
    great good thanks fine and next first second third finally lastly afterwards once again actually maybe simply
    quickly immediately directly only additionally too bitte jetzt dann auch mal einfach noch zuerst danach ja nein
    gut nun und super danke hallo eventually instead rather quick go ahead me for us sofort gleich perfect cool
    nice oh ah hm hmm um
""")
"""What may stand before the verb of an order."""

LEADS = phrases("""
    can you, could you, would you, will you, can u, could u, can you please, could you please, would you please,
    i want to, i want you to, i would like to, i would like you to, i d like to, i d like you to, id like to,
    i need to, i need you to, i have to, we want to, we need to, we would like to, we d like to, we have to,
    we should, we must, we can, lets, let s, let us, you should, you can, you may, you must, please, time to,
    its time to, it s time to, help me, help me to, help us, try to, remember to, be sure to, make sure to,
    don t forget to, do not forget to, want to, wanna, i wanna, go ahead and, would you mind to, i wish to,
    feel free to, need to, i am ready to, i m ready to, ready to, can we, could we, like to, you to, i must,
    i should, ask you to, want you to, dont forget to, so kind as to, so kind to,
    kind enough to, ich mochte, ich will, ich wurde gern, ich wurde gerne,
    ich muss, wir mochten, wir wollen, wir mussen, wir sollten, kannst du, konntest du, wurdest du, konnen sie,
    konnten sie, konnen wir, konnten wir, lass uns, bitte, ich mochte gern, vergiss nicht
""")
"""What makes an order of the verb behind it."""

NOT = phrases("""
    don t, dont, do not, never, not, no need to, without, instead of, rather than, avoid, doesn t, didn t,
    shouldn t, must not, mustn t, should not, cannot, can t, cant, won t, wont, will not, please not, nicht,
    niemals, nie, kein, keine, keinen, ohne, statt, anstatt, no longer, neither
""")
NOT_YET_DENIED = phrases("don t forget, do not forget, dont forget, vergiss nicht, why not, why don t, why dont")
"""Where the "not" is none of the verb."""

SUPPOSING = phrases("""
    what if, what would happen, what will happen, what happens if, what happens when, would happen if, if i, if we,
    if you, if one, if it were, if it was, suppose, supposing, assume, assuming, should i, should we, shall i,
    shall we, is it safe to, is it possible to, is it ok to, is it okay to, would it, whether to, whether i,
    whether we, how about, what about, i might, we might, i may, maybe i should, thinking of, thinking about,
    thinking to, i wonder, not sure, hypothetically, unsure, was ware wenn, was passiert, was wurde passieren,
    wenn ich, wenn wir, wenn man, falls ich, falls wir, soll ich, sollte ich, sollen wir, sollten wir, darf ich,
    angenommen, ob ich, ob wir
""")
ASKING = phrases("""
    who, whom, whose, what, whats, which, where, when, why, how, is, are, was, were, do, does, did, has, have, had,
    am, can i, could i, may i, might, tell me, tell us, let me know, i want to know, i d like to know,
    i would like to know, i need to know, i want to see, i d like to see, i would like to see, ich mochte wissen,
    ich will wissen, explain, describe, show, show me, list, display, find, give me a list, give me an overview,
    can you tell, could you tell, can you explain, could you explain, can you show, could you show, can you list,
    could you list, could you describe, can you describe, do you know, any, report, summarise, summarize, should,
    must, may, can one, can an, can a, can the, can it, will the, will it, would the, remind me, wer, wen, wem,
    welche, welcher, welches, welchen, welchem, wo, wann, wie, wieviel, wieviele, warum, wieso, gibt, ist, sind,
    war, hat, haben, darf, sag mir, erklar, erklare, erklar mir, zeig, zeige, zeig mir, zeige mir, liste,
    nenne mir, kann ich, kann man, kann ein, konnte ich, kannst du mir, konntest du mir, beschreibe, beschreib
""")
"""How a question, or a wish to be told something, begins."""

TELLING = phrases("""
    i will, i ll, i am going to, i m going to, we will, we ll, they, he, she, it will, teachers, the teachers,
    somebody, someone, tomorrow, yesterday, later, ich werde, wir werden, morgen, gestern
""")
PASSIVE = phrases("""
    should be, must be, needs to be, need to be, has to be, have to be, can be, to be, shall be, get, want, like,
    have, muss, sollte, soll, mussen
""")
"""What makes an order of the participle behind it: "Foo should be stopped"."""

STOP_WORDS = vocabulary("""
    in with to for at on and or from by using which whose where so because since if unless until but then please
    now again immediately today via into onto of off has have having as auf mit im fur von zu und oder bitte jetzt
    wieder sofort weil wenn aber dann am an ab um aus ein fort be is are was should must needs instead too also
    only right first tagged tags tag description described
""")
"""Where a name that nothing else marks the end of ends."""

GENERIC = vocabulary("""
    it that this them they those these one ones something anything everything all some any experiment experiments
    test tests study a an the my our your its new same first second third last latest next other current previous
    both each me us you i we what which who how user users student students weights weight name status state
    settings conditions condition context es das dieses diese der die den dem ein eine einen neues neuen neue mein
    alle alles beide etwas experimente simple simulation visit nothing nichts ich du wir man sie er school class
    everyone everybody another running paused stopped active inactive archived completed cancelled canceled
    enrolling evenly equal equally id named called there here sure sample quick yes no more less data
""")
"""Words that are no name of an experiment."""

COMMON = GENERIC | STOP_WORDS | SOFT | DETERMINERS | PART | USER | EXPERIMENT | {w for p in BASE for w in p}
"""Words that are read as a name only where something else says that they are one."""

NUMBER_WORDS: Mapping[str, int] = {
    word: place
    for place, words in enumerate(
        (
            "first 1st erste ersten erstes erster",
            "second 2nd zweite zweiten zweites zweiter",
            "third 3rd dritte dritten drittes dritter",
            "fourth 4th vierte vierten viertes",
            "fifth 5th funfte funften funftes",
            "sixth 6th sechste sechsten",
            "seventh 7th siebte siebten",
            "eighth 8th achte achten",
            "ninth 9th neunte neunten",
            "tenth 10th zehnte zehnten",
        )
    )
    for word in words.split()
}
"""Places in a list, counted from 0."""
