"""What a message asks to be done: its deeds in order, each with its clause and its mood."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from graphwright.agents.upgrade.words.meanings import meaning_of, means_all
from graphwright.agents.upgrade.words.moods import Mood, asks, mood_of, permitted
from graphwright.agents.upgrade.words.saying import Fragment, Saying, trimmed
from graphwright.agents.upgrade.words.verbs import Hints, Piece, lead_of, verbs_in
from graphwright.agents.upgrade.words.vocabulary import (
    ACTION_OF,
    BASE,
    EXPERIMENT,
    NUMBER_WORDS,
    PART,
    SOFT,
    STATUS,
    USER,
)
from graphwright.runtime.reading.words import Stretch, vocabulary

_GIVEN = vocabulary("get gets receive receives see sees assigned bekommt erhalt")
_ASSIGNED = vocabulary("condition conditions variant assignment assignments bedingung assigned zuweisung")
_MANY_USERS = vocabulary("users students people participants learners kids children")
_BEING_THERE = vocabulary("visited reached saw seen besuchte erreichte")
_WISHES = frozenset(
    f"{who} {wish}"
    for who, wishes in {
        "i": ("want", "need", "would like", "d like", "want to have", "would like to have", "d like to have"),
        "we": ("want", "need", "would like", "d like", "want to have", "would like to have", "d like to have"),
        "ich": ("mochte", "will", "brauche", "hatte gern", "hatte gerne"),
        "wir": ("mochten", "wollen", "brauchen", "hatten gern", "hatten gerne"),
    }.items()
    for wish in wishes
)
_ANOTHER = EXPERIMENT | NUMBER_WORDS.keys() | vocabulary("one other last latest previous both")
_DESIGNED = vocabulary("in with for called named on at that where namens im mit fur")
_FOREIGN = vocabulary("""
    send email mail notify invite book translate export download upload import print publish tweet hire buy order
    deploy install write phone message forward pay sing sende schicke ubersetze buche drucke schreibe
""")
_WISHED = vocabulary("should must may can needs need let allow allowed want like keep bar ban block soll sollen")
_TAKING_PART = vocabulary("join participate part in out list lists on included excluded")
_PLAIN = EXPERIMENT | SOFT | vocabulary("from on percent per cent to")
_SHARING = vocabulary("gets get goes go takes receives rest remainder twice double thrice more less fewer mehr weniger")
_OF_NUMBERS = vocabulary("how wie weight weights percent")
_BELONGING = re.compile(
    r"\b(?:joined|belongs? to|(?:is|are) (?:now |also )?(?:in|at|a member of|a student of|a pupil of|part of)"
    r"|moved|moves|switched|changed|transferred|works? (?:now )?in|goes to|attends|comes from|is from"
    r"|gehort|ist (?:jetzt )?in)\b"
)
_GOOD_TO_GO = re.compile(
    r"^(?:now )?(?:(?:is|looks) (?:now |all )?(?:good to go|ready to go|ready for (?:launch|take off|students|users)"
    r"|set to go)|should (?:now )?be (?:running|live|active|enrolling))(?: now| please)?$"
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A deed that a message speaks of, with the clause that belongs to it.

    `action` is one of the agent's, empty for what it cannot do ("delete the user s1"); `verb` is one of the vocabulary.
    `status` is the internal state that a change of status leads to. `every`: "delete all experiments".
    """

    action: str
    verb: str
    mood: Mood
    clause: str
    start: int
    end: int
    said: str = ""
    status: str = ""
    every: bool = False


def deeds(saying: Saying, kept: Sequence[Stretch], names: Sequence[Stretch], hints: Hints) -> list[Asked]:
    """What a message speaks of doing, in order.

    In `kept` (names, quotes, codes, points) no verb is looked for; `names` are the experiments among them.
    """
    found: list[tuple[Fragment, Asked]] = []
    before: tuple[Fragment, Asked] | None = None
    for fragment in saying.fragments(kept):
        piece = Piece(saying, fragment, kept, names, hints)
        deed = _asked(piece)
        if deed is not None:
            own = any(permitted(piece, verb) for verb in verbs_in(piece))
            deed = replace(deed, mood=_inherited(deed, fragment, before, own=own))
            found.append((fragment, deed))
            before = fragment, deed
        elif fragment.joint == "end":
            before = None
    return _with_clauses(saying, _absorbed(saying, found, names, kept, single=hints.single))


def _inherited(asked: Asked, fragment: Fragment, before: tuple[Fragment, Asked] | None, *, own: bool) -> Mood:
    """ "How do I create and start one": the second verb is asked about like the first."""
    if before is None or before[0].sentence_start != fragment.sentence_start or asked.mood != "order":
        return asked.mood
    mood = before[1].mood
    if mood == "told" and own:
        # "All is set up, so Foo can start."
        return "order"
    if fragment.joint in ("or", "nor", "oder") and mood != "order":
        return mood
    if mood == "told" and tuple(before[1].said.split()) not in BASE:
        # "Before starting it, change the weights."
        return "order"
    return mood if mood in ("question", "supposed", "told") and fragment.joint in ("and", "und", "comma") else "order"


def _absorbed(
    saying: Saying,
    found: Sequence[tuple[Fragment, Asked]],
    names: Sequence[Stretch],
    kept: Sequence[Stretch],
    *,
    single: bool,
) -> list[tuple[Fragment, Asked]]:
    """Without the changes that only say more of what is to be created or changed: "create one. Call it Foo, with
    weights 70/30."""
    left: list[tuple[Fragment, Asked]] = []
    for fragment, asked in found:
        before = left[-1][1] if left else None
        creating = before is not None and before.verb == "create" and before.mood == asked.mood == "order"
        own = any(fragment.start <= name.start < fragment.end for name in names)
        if creating and asked.action == "update_experiment" and (asked.verb == "rename" or not own):
            continue
        same = before is not None and before.action == asked.action and before.mood == asked.mood
        if single and same and asked.action in ("init_experiment_user", "mark_decision_point"):
            # "Dan is in school north, please init him".
            continue
        if (
            before is not None
            and before.mood == asked.mood == "order"
            and _same_change(saying, fragment, before, asked, names, kept)
        ):
            continue
        left.append((fragment, asked))
    return left


def _same_change(
    saying: Saying,
    fragment: Fragment,
    before: Asked,
    asked: Asked,
    names: Sequence[Stretch],
    kept: Sequence[Stretch],
) -> bool:
    """ "Remove the point X from Foo and add Y" is one change: the second names no experiment of its own."""
    if not before.action == asked.action == "update_experiment" or asked.every:
        return False
    own = [name for name in names if fragment.start <= name.start < fragment.end]
    words = {word.text for word in saying.between(fragment.start, fragment.end, [*own, *kept])}
    # The name in "rename it to X" is the new one.
    named_later = asked.verb == "rename" or bool(words & {"rest", "remainder"})
    return len(own) <= named_later and not words & _ANOTHER


def _with_clauses(saying: Saying, found: Sequence[tuple[Fragment, Asked]]) -> list[Asked]:
    """Each deed with its words, and those around it in which there is no other: they belong to it, too."""
    made = []
    for place, (fragment, asked) in enumerate(found):
        start = fragment.start if place else 0
        end = found[place + 1][0].start if place + 1 < len(found) else len(saying.text)
        made.append(replace(asked, start=start, end=end, clause=trimmed(saying.text[start:end])))
    return made


def _asked(piece: Piece) -> Asked | None:
    """What the fragment speaks of doing, the first thing that it has a verb for."""
    if _foreign(piece):
        return Asked("", "foreign", "order", "", 0, 0, piece.words[0].text)
    verbs = verbs_in(piece)
    for place, verb in enumerate(verbs):
        meaning = meaning_of(piece, verb)
        if meaning is None:
            continue
        mood = mood_of(piece, verb)
        if mood == "told" and any(
            mood_of(piece, other) == "order" and meaning_of(piece, other) for other in verbs[place + 1 :]
        ):
            continue
        name, status = meaning
        if name == "assign" and mood == "question" and _asks_assignment(piece, [word.text for word in piece.words]):
            mood = "order"
        action = ACTION_OF.get(name, "")
        said = " ".join(word.text for word in piece.words[verb.at : verb.at + verb.size])
        return Asked(action, name, mood, "", 0, 0, said, status, means_all(piece))
    return _without_verb(piece)


def _foreign(piece: Piece) -> bool:
    """Whether an order begins with what no agent for experiments does: "send an e-mail", "please book a room"."""
    at = next((n for n, word in enumerate(piece.words) if word.text in _FOREIGN), -1)
    if at < 0 or len(piece.words) < 2 or (piece.saying.sentence_end(piece.fragment) == "?" and at == 0):
        return False
    return at == piece.all.index(piece.words[at]) and lead_of(piece, at) in ("first", "polite", "wish")


def _without_verb(piece: Piece) -> Asked | None:
    """Orders that have no verb, and questions that are one: "new experiment Foo", "which condition does s1 get"."""
    texts = [word.text for word in piece.words]
    some = piece.texts
    said = [text for text in texts if text not in SOFT and text not in ("a", "the", "ein")]
    if said[:1] and said[0] in ("new", "neues", "neue") and said[1:2] and said[1] in EXPERIMENT:
        return _deed("create", "new")
    if _wishes_new(piece):
        return _deed("create", "new")
    if _asks_assignment(piece, texts):
        return _deed("assign", "which condition")
    if some & {"simulation", "simulationslauf"} and piece.hints.many:
        ordered = said[:1] and said[0] in ("do", "run", "make", "start", "simulation")
        return _deed("simulate", "simulation", "order" if ordered or not asks(piece) else "question")
    wishes = any(" ".join(text.text for text in piece.all[:n]) in _WISHES for n in range(2, 5))
    if wishes and piece.hints.weighted and (PART & some or piece.names):
        # "I'd like the weights of Foo to be 60 and 40".
        return _deed("update", "would like")
    if asks(piece):
        return None
    if piece.hints.renamed and piece.names and said[:1] and said[0] in ("call", "name", "nenne", "nenn"):
        return _deed("rename", said[0])
    if piece.hints.user and some & _BEING_THERE:
        return _deed("mark", "visited")
    if piece.names and _GOOD_TO_GO.search(" ".join(texts)):
        return _deed("start", "start", status=STATUS["start"])
    if some & {"should", "must", "sollen", "soll"} and some & {"called", "named", "heissen"} and piece.names:
        return _deed("rename", "should be called")
    if piece.hints.user and piece.hints.grouped and not piece.names and _BELONGING.search(" ".join(texts)):
        # "Dan is in class 7b now".
        return _deed("init", "belongs")
    if piece.hints.listed and piece.names and some & _WISHED and some & _TAKING_PART:
        # "School south should be in Foo as well", "let ann join Foo".
        return _deed("update", "should")
    if piece.hints.weighted and (piece.names or piece.hints.parts) and some & _SHARING:
        # "Foo: control gets 20 %, variant the rest".
        return _deed("update", "gets")
    # "The weights should be 80/20", "Foo: 25/75", "let only u1 take part in it".
    wished = some & {"should", "must", "sollen", "soll"} and (PART & some or piece.hints.weighted)
    bare = piece.names and piece.hints.weighted and all(text.isdigit() or text in _PLAIN for text in texts)
    if wished or bare or ("let" in some and {"take", "part"} <= some):
        return _deed("update", "should")
    return None


def _wishes_new(piece: Piece) -> bool:
    """ "I want a new experiment", "we need another study"."""
    texts = [word.text for word in piece.all if word.text not in SOFT]
    lead = next((n for n in range(min(5, len(texts)), 1, -1) if " ".join(texts[:n]) in _WISHES), 0)
    rest = texts[lead:]
    if not lead or rest[:1] not in (["a"], ["an"], ["another"], ["ein"], ["noch"]):
        return False
    new, rest = rest[0] in ("another", "noch"), rest[1:]
    while rest[:1] and rest[0] in ("new", "neues", "ein", "a", "b", "small", "simple", "second", "further"):
        new, rest = True, rest[1:]
    after = rest[1:2]
    return bool(rest) and rest[0] in EXPERIMENT and (new or not after or after[0] in _DESIGNED)


def _deed(verb: str, said: str, mood: Mood = "order", *, status: str = "") -> Asked:
    return Asked(ACTION_OF[verb], verb, mood, "", 0, 0, said, status)


def _asks_assignment(piece: Piece, texts: Sequence[str]) -> bool:
    """ "Which condition does s1 get?": not how it works, but what a user gets."""
    some = set(texts)
    given = some & _GIVEN
    if piece.hints.user and given and some & {"what", "which", "was", "welche"}:
        return True
    if "assignments" in some and some & {"show", "get", "list", "check", "fetch", "zeige"}:
        return True
    if not some & _ASSIGNED:
        return False
    one = some & USER - _MANY_USERS
    return (
        bool(given or some & {"for", "of", "in", "fur"}) and (bool(one) or piece.hints.user) and not some & _OF_NUMBERS
    )
