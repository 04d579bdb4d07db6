"""Values that a request wants kept, or wants twice: "set it to cancelled ... the order has to stay open"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from graphwright.agents.graph_editor.evidence import DIGITS, Evidence, like, numbers_in
from graphwright.agents.graph_editor.places import Place, around, clauses_of, quotes, sentences_of, things, words_at
from graphwright.agents.graph_editor.told import told_numbers
from graphwright.agents.graph_editor.values import values_said
from graphwright.agents.graph_editor.words import STATES, forms, has, listed, plain, tokens

_STAYING = re.compile(
    r"(?<!\w)(?:stay|stays|staying|remain|remains|keep|keeps|leave|leaves"
    r"|(?:be|is|are) (?:kept|left)|still (?:be|have)|continues? to be"
    r"|bleib|bleibt|bleiben|belasse|belassen|lass|lasst|lassen|behalte|behält|behalten|weiterhin|nach wie vor"
    r"|reste|restent|rester|demeurer|garde|gardez|garder|laisse|laissez|laisser|conserver|toujours être"
    r"|sigue|siguen|seguir|siga|permanece|permanecer|permanezca|queda|quedar|quede|quedarse|mantener|mantén|mantenga"
    r"|mantiene|mantenerse|deja|dejar|deje)(?!\w)"
)
_UNCHANGED = re.compile(
    r"(?<!\w)(?:(?:must|may|should|shall|can|is|are|do|does|to)\s*(?:not|n't|never)\s+(?:ever\s+|to\s+)?(?:be\s+|get\s+)?"
    r"(?:chang\w+|touch\w*|alter\w*|modif\w+|updat\w+)|cannot\s+(?:be\s+)?chang\w+|(?:remain|stay|keep|leave)\w*\b[^.;!?]{0,30}\b"
    r"(?:unchanged|untouched|as it is|the same)"
    r"|nicht\s+(?:ge|ver)ändert\s+werden|sich\s+nicht\s+ändern|unverändert|nicht\s+(?:ändern|anfassen)"
    r"|ne\s+(?:doit|peut|faut)\s+pas\s+(?:être\s+)?(?:chang|modifi)\w+|inchangée?"
    r"|no\s+(?:debe|puede|hay que)\s+(?:ser\s+)?(?:cambi|modific)\w+)(?!\w)"
)
_NOT = re.compile(
    r"(?<!\w)(?:not|never|no longer|cannot|nicht|kein\w*|ne|no)(?!\w)|n't(?!\w)"
    r"|(?<!\w)(?:pas|plus)(?=\s+(?:rester|être))"
)
_OTHERS = listed("""
    other, others, rest, else, otherwise, everything, remaining, anderen, andere, übrigen, rest, sonst, autres, autre,
    reste du, otros, otras, otra, demás, restantes
""")
"""Words of a clause about what is not written anyway."""

_WAS = re.compile(
    r"(?<!\w)(?:was|were|had been|has been|used to be|formerly|until now|war|waren|était|estaba|era)(?:\s+\w+)?\s*$"
)
_NOT_THIS = re.compile(r"(?<!\w)(?:not|never|nicht|statt|instead of|rather than)(?:\s+(?:to|be|auf|as))?\s*$")
_ORDERED = re.compile(
    r"(?:^|\W)(?:please\s+|bitte\s+)?(?:(?:can|could|would|will)\s+you\s+(?:please\s+)?)?"
    r"(?:set|change|update|put|mark|make|move|switch|turn|setze?|stelle?|ändere|markiere|mets|passe|change|pon|cambia|marca)\s"
)
_MODAL = re.compile(
    r"(?<!\w)(?:has to|have to|must|should|shall|needs? to|ought to|is to)\s+(?:be|become|get)\s+(?:\w+\s+){0,2}$"
    r"|(?<!\w)(?:muss|soll|doit être|debe ser|debe estar|tiene que ser|tiene que estar)\s+(?:\w+\s+){0,2}$"
)
_CORRECTING = listed("""
    instead, actually, rather, correction, sorry, wait, then, later, afterwards, now, until, first, finally, oder, or,
    stattdessen, später, danach, jetzt, zuerst
""")
_NEAR = 40
"""How many characters from the word for staying its value may stand."""


class _Said(NamedTuple):
    """A value that a request says of a property of things, by their keys, and in which of its clauses."""

    name: str
    value: Any
    place: Place
    of: frozenset[str]
    clause: int


def excluded(evidence: Evidence) -> tuple[str, str, str] | None:
    """Two values that exclude each other and the name of their property; None where the request has no such demands.

    One has to stay as it is and the other is to be written, or both are ordered, of one property of one thing.
    """
    if evidence.only_asks:
        return None
    said = list(_said(evidence))
    return _against_kept(said, evidence) or _against_unchanged(said, evidence) or _ordered_twice(said, evidence)


def _against_kept(said: list[_Said], evidence: Evidence) -> tuple[str, str, str] | None:
    text, parts = evidence.text, clauses_of(evidence.text)
    for number, part in enumerate(parts):
        words = plain(text[part.start : part.end])
        if any(has(words, word) for word in _OTHERS):
            continue
        kept = [each for each in said if each.clause == number and _stays(each, part, text)]
        for each in kept:
            rivals = [o for o in said if o.clause != number and o.name == each.name and not like(o.value, each.value)]
            for rival in rivals:
                ahead = plain(text[: rival.place.start])
                if _same_thing(each, rival) and not _WAS.search(ahead) and not _NOT_THIS.search(ahead):
                    return str(rival.value), str(each.value), each.name
            if verb := _verb_against(each, number, evidence):
                return verb, str(each.value), each.name
        if not kept and (found := _number_kept(part, number, evidence)):
            return found
    return None


def _stays(each: _Said, part: Place, text: str) -> bool:
    """Whether the words around a value say that it has to stay, and not that it has not to."""
    clause = text[part.start : part.end].casefold()
    if len(clause) != part.end - part.start or _NOT.search(clause):
        return False
    at = Place(each.place.start - part.start, each.place.end - part.start)
    return any(
        0 <= at.start - cue.end() <= _NEAR or 0 <= cue.start() - at.end <= _NEAR for cue in _STAYING.finditer(clause)
    )


def _same_thing(one: _Said, other: _Said) -> bool:
    return not one.of or not other.of or bool(one.of & other.of)


def _verb_against(kept: _Said, number: int, evidence: Evidence) -> str:
    """The state that a verb of another clause puts the same thing into: "cancel O-7. It has to stay open."."""
    text, parts = evidence.text, clauses_of(evidence.text)
    for at, part in enumerate(parts):
        words = text[part.start : part.end]
        if at == number or _NOT.search(plain(words)):
            continue
        for verbs, states in STATES:
            spoken = next((verb for verb in verbs if has(words, verb)), None)
            if spoken is None or plain(str(kept.value)) in states or plain(str(kept.value)) == spoken:
                continue
            # "close" says it of what its own clause names.
            of = _things_in(part, evidence)
            if of and (not kept.of or of & kept.of) and next(iter(tokens(words)), "") in (*verbs, "please", "bitte"):
                known = {plain(str(v)) for v, _ in _stored(kept, evidence)}
                return next(iter(sorted(states & known) or sorted(states)))
    return ""


def _stored(said: _Said, evidence: Evidence) -> list[tuple[Any, int]]:
    having = [one.label for one in evidence.schema.labels if said.name in one.properties]
    return [pair for label in having for pair in evidence.store.values(label, said.name)]


def _number_kept(part: Place, number: int, evidence: Evidence) -> tuple[str, str, str] | None:
    """A number that has to stay, where another one is told: "set the quantity to 7. It has to stay at 5."."""
    clause = evidence.text[part.start : part.end]
    amounts = _amounts(part, evidence)
    if not _STAYING.search(plain(clause)) or _NOT.search(plain(clause)) or len(amounts) != 1:
        return None
    stays = numbers_in(evidence.text[amounts[0].start : amounts[0].end])
    names = {name for name in evidence.property_names() if words_at(name, clause)}
    of = _subject(part, number, evidence)
    for each in _numbers(evidence):
        fits = each.clause != number and (each.name in names or not names)
        if fits and stays and each.value not in stays and (not of or not each.of or of & each.of):
            return f"{each.value:g}", f"{stays[0]:g}", each.name
    return None


def _amounts(part: Place, evidence: Evidence) -> list[Place]:
    """Where a part of the text has numbers that belong to no name."""
    named = [place for places in things(evidence).values() for place in places]
    found = [Place(*each.span()) for each in DIGITS.finditer(evidence.text, part.start, part.end)]
    return [each for each in found if not any(each.meets(place) for place in named)]


def _against_unchanged(said: list[_Said], evidence: Evidence) -> tuple[str, str, str] | None:
    """A value that is ordered for what "must not change", or for the property that must not."""
    text, parts = evidence.text, clauses_of(evidence.text)
    for number, part in enumerate(parts):
        words = plain(text[part.start : part.end])
        if not _UNCHANGED.search(words) or any(has(words, word) for word in _OTHERS):
            continue
        names = {name for name in evidence.property_names() if words_at(name, text[part.start : part.end])}
        of = _subject(part, number, evidence)
        for each in (*said, *_numbers(evidence)):
            if each.clause == number or (names and each.name not in names) or not (of & each.of):
                continue
            if not _orders(each, evidence):
                continue
            nodes = [n for n in (*evidence.mentions.nodes, *evidence.mentions.partly) if n.key in of & each.of]
            now = [node.properties[each.name] for node in nodes if each.name in node.properties]
            if not any(like(value, each.value) for value in now):
                return str(each.value), str(now[0]) if len(now) == 1 else "no change", each.name
    return None


def _numbers(evidence: Evidence) -> Iterator[_Said]:
    parts = clauses_of(evidence.text)
    for told in told_numbers(evidence):
        at = around(told.place, parts)
        value = int(told.value) if told.value.is_integer() else told.value
        yield _Said(told.name, value, told.place, _subject(parts[at], at, evidence), at)
    for at, part in enumerate(parts):
        clause = evidence.text[part.start : part.end]
        names = [name for name in evidence.property_names() if words_at(name, clause)]
        amounts = _amounts(part, evidence)
        if len(names) == len(amounts) == 1 and _ORDERED.match(plain(clause) + " "):
            for value in numbers_in(evidence.text[amounts[0].start : amounts[0].end])[:1]:
                value = int(value) if value.is_integer() else value
                yield _Said(names[0], value, amounts[0], _subject(part, at, evidence), at)


def _ordered_twice(said: list[_Said], evidence: Evidence) -> tuple[str, str, str] | None:
    orders = [each for each in said if _orders(each, evidence)]
    for one in orders:
        for other in orders:
            if one.clause >= other.clause or one.name != other.name or like(one.value, other.value):
                continue
            between = plain(evidence.text[one.place.end : other.place.end])
            if (
                one.of & other.of
                and len(one.of) == len(other.of) == 1
                and not any(has(between, w) for w in _CORRECTING)
            ):
                return str(one.value), str(other.value), one.name
    return None


def _orders(each: _Said, evidence: Evidence) -> bool:
    """Whether a value is the aim of its clause: behind "set ... to", or behind "has to be"."""
    text, part = evidence.text, clauses_of(evidence.text)[each.clause]
    before = plain(text[part.start : each.place.start]) + " "
    if _NOT.search(before) or has(before, "from"):
        return False
    aim = re.search(r"(?:^|\s)(?:to|as|be|on|at|auf|als|zu|à|a|en|it|him|her|them)\s+(?:\w+\s+)?['\"]?$", before)
    verb = re.match(r"\s*" + _ORDERED.pattern, before) is not None
    return (verb and aim is not None) or _MODAL.search(before) is not None


def _said(evidence: Evidence) -> Iterator[_Said]:
    """The values of properties with few of them that stand in the request, outside of quotes and names."""
    text, parts = evidence.text, clauses_of(evidence.text)
    inside = quotes(text)
    named = [place for places in things(evidence).values() for place in places]
    for name, value, place in values_said(evidence):
        if any(place.meets(q) and place != Place(q.start + 1, q.end - 1) for q in inside):
            continue
        if any(p.start <= place.start and place.end <= p.end for p in named):
            continue
        at = around(place, parts)
        yield _Said(name, value, place, _subject(parts[at], at, evidence), at)


def _things_in(part: Place, evidence: Evidence) -> frozenset[str]:
    return frozenset(k for k, places in things(evidence).items() if any(p.meets(part) for p in places))


def _subject(part: Place, number: int, evidence: Evidence) -> frozenset[str]:
    """What a clause is about: the things it names, else those of its label, else those that were named last."""
    here = _things_in(part, evidence)
    if here:
        return here
    parts = clauses_of(evidence.text)
    words = {form for token in tokens(evidence.text[part.start : part.end]) for form in forms(token)}
    labels = {one.label for one in evidence.schema.labels if plain(one.label) in words}
    sentences = sentences_of(evidence.text)
    begin = sentences[around(part, sentences)].start
    same = frozenset[str]().union(*(_things_in(each, evidence) for each in parts[:number] if each.start >= begin))
    if same and not labels:
        return same
    label_of = {n.key: n.label for n in (*evidence.mentions.nodes, *evidence.mentions.partly)}
    for wanted in ((labels,) if labels else ()) + (set(),):
        for before in (*reversed(parts[:number]), *parts[number + 1 :]):
            found = _things_in(before, evidence)
            fitting = frozenset(key for key in found if not wanted or label_of.get(key) in wanted)
            if fitting:
                return fitting
    return frozenset()
