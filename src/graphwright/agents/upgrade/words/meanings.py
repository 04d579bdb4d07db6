"""What a verb means where it stands: "run" starts an experiment or simulates it, "delete" may only change one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from graphwright.agents.upgrade.words.verbs import Piece, Verb
from graphwright.agents.upgrade.words.vocabulary import (
    DETERMINERS,
    EXPERIMENT,
    GROUP,
    LISTING,
    NOT_OURS,
    PART,
    STATE_WORDS,
    STATUS,
    USER,
)
from graphwright.runtime.reading.words import Word, vocabulary

_SIMULATING = vocabulary("simulation simulations simulating sim")
_ENROLMENT = vocabulary("enrollment enrolment enrolling")
_NEW = vocabulary("new another neues")
_VISIT = vocabulary("visit visits visited decision point besuch saw reached")
_MADE = vocabulary("experiment test study new one versuch")
_ENDS_OBJECT = vocabulary("in from of aus von to zu for fur with including and und mit")
_LATER = vocabulary("tomorrow later monday tuesday wednesday thursday friday saturday sunday tonight morgen spater")
_OUT_OF = vocabulary("from off aus von vom")
_TAKING_PART = vocabulary("part participate participants participating join joining")
_RULE = vocabulary("after afterwards everyone rule by per")


def meaning_of(piece: Piece, verb: Verb) -> tuple[str, str] | None:
    """The verb that is meant, and the state that it leads to; None where nothing is asked for."""
    if verb.form == "base" and _is_noun(piece, verb):
        return None
    after = piece.words[verb.at + verb.size :]
    texts = [word.text for word in after]
    following = texts[0] if texts else ""
    state = _state(piece, texts)
    match verb.verb:
        case "start" | "create" if following in ("by", "with", "from", "off") and not _named_after(piece, verb):
            return None
        case "start":
            return _started(piece, verb, texts)
        case "stop" | "cancel" | "complete" | "pause" | "resume":
            return _ended(piece, verb, texts)
        case "archive":
            return "archive", STATUS["archive"]
        case "delete":
            return _deleted(piece, verb), ""
        case "create":
            return _created(piece, verb)
        case "update" | "rename":
            if state and ({"status", "state"} & piece.texts or set(texts) & {"to", "auf", "into", "as"}):
                return _verb_of(state), state
            return _updated(piece, verb)
        case "mark":
            if state and set(texts) & {"as", "als"}:
                return _verb_of(state), state
            return ("mark", "") if _of_visit(piece, verb) else None
        case "simulate":
            return _simulated(piece, verb)
        case "assign":
            return ("update" if _RULE & piece.texts else "assign"), ""
        case "init" | "undo":
            return verb.verb, ""
    return None


def _is_noun(piece: Piece, verb: Verb) -> bool:
    """ "the start of it", "a test": no verb."""
    if verb.at == 0:
        return False
    before = piece.words[verb.at - 1]
    if before.text not in DETERMINERS or before.text == "that":
        return False
    # "What users say about it: stop it" has the determiner in what is kept.
    word = piece.words[verb.at]
    return not any(before.end <= name.start < word.start for name in piece.names)


def _named_after(piece: Piece, verb: Verb) -> bool:
    """Whether the name of an experiment, or a text in quotes, follows the verb at once."""
    end = piece.words[verb.at + verb.size - 1].end
    return any(name.start - end <= 2 and name.start >= end for name in piece.names)


def _state(piece: Piece, texts: Sequence[str]) -> str:
    joined = " ".join(texts).replace("enrollment complete", "enrollmentcomplete")
    joined = joined.replace("enrolment complete", "enrolmentcomplete")
    return next((STATE_WORDS[text] for text in reversed(joined.split()) if text in STATE_WORDS), "")


def _started(piece: Piece, verb: Verb, texts: Sequence[str]) -> tuple[str, str] | None:
    said = piece.words[verb.at].text
    head = set(texts[:4])
    if _SIMULATING & set(texts) or (said == "run" and piece.hints.many):
        return "simulate", ""
    if (
        said in ("enrol", "enroll")
        and not head & EXPERIMENT
        and (head & USER or piece.hints.user)
        and not _named_after(piece, verb)
    ):
        return "mark", ""
    called = {"a", "an", "ein"} & head and {"called", "named", "namens"} & piece.texts
    if (_NEW & head or called) and EXPERIMENT & head:
        return "create", ""
    if said == "run" and head & {"report", "query", "check"}:
        return None
    if said == "run" and "at" in head and piece.hints.parts and texts[:1] in (["it"], ["at"], ["this"], ["that"]):
        # "Run it at X as well" says where, and not that it begins.
        return "update", ""
    if _LATER & piece.texts or {"next", "week"} <= piece.texts:
        return "schedule", ""
    return "start", STATUS["start"]


def _ended(piece: Piece, verb: Verb, texts: Sequence[str]) -> tuple[str, str] | None:
    if _SIMULATING & set(texts):
        return None
    if texts[:1] and texts[0] in ("excluding", "including"):
        return "update", ""
    # Alone it is an answer: "stop", "cancel that", "no, continue".
    short = piece.fragment.end - piece.fragment.start < 40 and len(piece.words) <= 3
    if verb.form == "base" and not texts and not piece.names and short:
        return None
    if verb.verb == "complete" and _ENROLMENT & set(texts):
        return "stop", STATUS["stop"]
    return verb.verb, STATUS[verb.verb]


def _object(texts: Sequence[str]) -> str:
    """What the verb is about: the first of the words behind it that says what kind of thing it is."""
    kinds = ((EXPERIMENT, "experiment"), (LISTING, "list"), (PART, "part"), (USER, "user"), (GROUP, "group"))
    for text in texts:
        for known, kind in (*kinds, (NOT_OURS, "other")):
            if text in known:
                return kind
        if text in _ENDS_OBJECT:
            break
    return ""


def _part_after(piece: Piece, verb: Verb) -> bool:
    """Whether a condition or a decision point follows the verb: "drop hint-first from Foo"."""
    end = piece.words[verb.at + verb.size - 1].end
    part = min((each.start for each in piece.hints.parts if each.start >= end), default=-1)
    between = [word.text for word in piece.all if end <= word.start < part]
    return part >= 0 and all(text in DETERMINERS | PART for text in between)


_SENTENCE_ENDS = re.compile(r"[.!?](?=\s|$)|[;\n]")


def _taken_from(piece: Piece, verb: Verb) -> bool:
    """Whether something is to be taken off a list or out of an experiment: "remove class-A and class-B from Foo"."""
    start = piece.words[verb.at + verb.size - 1].end
    end = _SENTENCE_ENDS.search(piece.saying.text, start)
    behind = piece.saying.between(start, end.start() if end is not None else len(piece.saying.text))
    at = next((n for n, word in enumerate(behind) if word.text in _OUT_OF), 0)
    return at > 0 and not any(word.text in EXPERIMENT for word in behind[:at])


def _deleted(piece: Piece, verb: Verb) -> str:
    if _part_after(piece, verb) or (_taken_from(piece, verb) and not _named_after(piece, verb)):
        return "update"
    kind = _object([word.text for word in _behind(piece, verb)])
    if kind == "experiment":
        return "delete"
    if kind in ("part", "list") or LISTING & piece.texts:
        return "update"
    if _named_after(piece, verb):
        return "delete"
    if kind in ("user", "group", "other"):
        everything = {"everything", "all"} & piece.texts and not NOT_OURS - {"everything"} & piece.texts
        return "delete" if everything and kind == "other" else "cannot"
    named_user = _code_like(piece, verb) and {"from", "aus", "von"} & piece.texts
    return "update" if named_user else "delete"


def _behind(piece: Piece, verb: Verb) -> list[Word]:
    """The words behind a verb; in German, where it stands at the end, those before it."""
    after = piece.words[verb.at + verb.size :]
    return after or ([] if _named_after(piece, verb) else piece.words[: verb.at])


def _code_like(piece: Piece, verb: Verb) -> bool:
    """Whether the first word behind the verb is written like the id of a user: `stu-1`."""
    end = piece.words[verb.at + verb.size - 1].end
    raw = next((each.text for each in piece.saying.raw if each.start >= end), "")
    return any(c.isdigit() for c in raw) and not _named_after(piece, verb)


def _created(piece: Piece, verb: Verb) -> tuple[str, str] | None:
    said = piece.words[verb.at].text
    behind = [word.text for word in _behind(piece, verb)]
    if said in ("make", "mache") and not _MADE & set(behind):
        changed = (PART | {"it"}) & piece.texts or piece.hints.weighted
        return ("update", "") if changed else ("create", "") if _named_after(piece, verb) else None
    kind = _object(behind)
    if kind == "experiment":
        return "create", ""
    if said in ("add", "fuge", "hinzufugen") and _part_after(piece, verb):
        return "update", ""
    if LISTING & piece.texts or (kind == "part" and (said in ("add", "fuge", "hinzufugen") or "to" in behind)):
        return "update", ""
    if said in ("add", "fuge", "hinzufugen") and piece.hints.listed and (piece.names or _TAKING_PART & piece.texts):
        return "update", ""
    if kind == "user":
        return "init", ""
    if kind == "other" and not piece.names:
        return "cannot", ""
    if said == "add" and kind == "" and not _names_something(piece, verb):
        return None
    return "create", ""


def _names_something(piece: Piece, verb: Verb) -> bool:
    end = piece.words[verb.at + verb.size - 1].end
    return _named_after(piece, verb) or any(quote.start >= end for quote in piece.saying.quotes)


def _updated(piece: Piece, verb: Verb) -> tuple[str, str] | None:
    said = piece.words[verb.at].text
    if verb.verb == "rename":
        return "rename", ""
    if said in ("move", "switch", "change") and piece.hints.single and piece.hints.grouped and not piece.names:
        return "init", ""
    if "working" in piece.texts or (said in ("move", "change") and USER & piece.texts and not LISTING & piece.texts):
        return "init", ""
    if said in ("take", "strike", "pull", "nimm") and not (LISTING & piece.texts or _part_after(piece, verb)):
        # "Take Foo out of maths-practice".
        gone = _named_after(piece, verb) and {"out", "off", "away", "down"} & piece.texts
        return ("delete", "") if gone else None
    if said in ("use", "put", "give", "move", "shift") and not ((PART | {"it"}) & piece.texts or piece.hints.weighted):
        return None
    return "update", ""


def _of_visit(piece: Piece, verb: Verb) -> bool:
    said = piece.words[verb.at].text
    if said not in ("log", "record", "note"):
        return True
    return bool(_VISIT & piece.texts) or bool(piece.hints.user and piece.hints.parts)


def _simulated(piece: Piece, verb: Verb) -> tuple[str, str] | None:
    said = piece.words[verb.at].text
    sure = said in ("simulate", "simuliere", "simulieren", "simulated", "simulating", "dry") or verb.slip
    return ("simulate", "") if sure or piece.hints.many or {"simulated", "fake", "virtual"} & piece.texts else None


def means_all(piece: Piece) -> bool:
    """Whether all experiments are meant, or both."""
    texts = [word.text for word in piece.words]
    for at, text in enumerate(texts):
        if text in ("all", "every", "both", "alle", "everything", "alles"):
            rest = texts[at + 1 : at + 5]
            if rest and rest[0] in PART | LISTING | {"the"} and PART & set(rest):
                # "Delete all conditions of Foo".
                continue
            if text in ("everything", "alles", "both") or not rest or set(rest) & (EXPERIMENT | {"of", "them"}):
                return True
    return False


def _verb_of(state: str) -> str:
    return next((verb for verb, leads in STATUS.items() if leads == state), "status")
