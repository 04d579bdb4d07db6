"""The edges that a request states by the verb of their type, read by code: "Ben Ode leads it"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from graphwright.agents.graph_editor.amounts import amounts
from graphwright.agents.graph_editor.evidence import Evidence
from graphwright.agents.graph_editor.mentions import denied
from graphwright.agents.graph_editor.places import Place, around, clauses_of, named_at, quotes, sentences_of, words_at
from graphwright.agents.graph_editor.verbs import first_of, says_type
from graphwright.agents.graph_editor.words import denies, forms, is_question, plain, same_stem, supposes, tokens
from graphwright.graphstore import Edge, Node
from graphwright.graphstore.elements import TypeSchema

_WORD = re.compile(r"[^\W_]+")
_AUXILIARY = re.compile(
    r"(?<!\w)(?:is|are|was|were|be|been|being|gets?|got|becomes?)(?:\s+\w+){0,2}\s*$", re.IGNORECASE
)
_LEAVING_OPEN = re.compile(
    r"(?<!\w)(?:if|whether|unless|because|although|while|whoever|would|could|might|may|maybe|perhaps|used to|formerly"
    r"|previously|once|until|before|after|every|each|all|any|some|only|or|either|think|thinks|believe|guess|assume|suppose"
    r"|hope|wish|wants?|heard|says?|said|told|soon|yesterday|tomorrow)(?!\w)"
)
"""Words of clauses that state no edge of their own: suppositions, reasons, what was, and what is said of many."""

_RELATIVE = re.compile(r"(?<!\w)(?:that|which|who|whom|whose|where)(?!\w)", re.IGNORECASE)
_THERE = re.compile(r"(?<!\w)there(?:'s| is| are)(?!\w)", re.IGNORECASE)
_SAME = re.compile(
    r"(?<!\w)(?:will|shall|does|do|is going to|takes)\s+(?:do\s+)?(?:that|it|so|this)(?!\w)", re.IGNORECASE
)
"""What stands for the verb of the clause before: "eva will do that"."""

_ONE = re.compile(r"(?<!\w)(?:it|he|she|him|her|this)(?!\w)", re.IGNORECASE)
_MANY = re.compile(r"(?<!\w)(?:both|they|them|these)(?!\w)", re.IGNORECASE)
MOST_NOUNS = 500
"""Values of a property among which a proper noun is looked for."""

_NEEDING = {"needs", "need", "uses", "requires", "contains", "has"}
"""Verbs of a whole that has parts, for edges that lead from the part: `PART_OF`."""


@dataclass(frozen=True, slots=True)
class Claim:
    """An edge that the request states."""

    type: str
    source: Node
    target: Node
    properties: dict[str, Any]

    def arguments(self) -> dict[str, Any]:
        """Those of `add_edge`."""
        return {
            "from_key": self.source.key,
            "type": self.type,
            "to_key": self.target.key,
            "from_label": self.source.label,
            "to_label": self.target.label,
            "properties": self.properties,
        }


@dataclass(frozen=True, slots=True)
class _Verb:
    """A verb of a type in a clause: `turned` where what stands before it is the target."""

    kind: TypeSchema
    place: Place
    turned: bool


def claimed_edges(evidence: Evidence) -> list[Claim]:
    """The edges that the request surely states and that are not there yet, in its order."""
    return [claim for claim in stated_edges(evidence) if not _is_there(claim, evidence)]


def stated_edges(evidence: Evidence) -> list[Claim]:
    """The edges that the request surely states, whether they are there or not."""
    if evidence.only_asks or supposes(evidence.text) or "delete" in evidence.asked:
        return []
    return list(_claims(evidence))


def claimed_end(evidence: Evidence) -> Edge | None:
    """The one edge of which the request says that it is no more: "Norte doesn't supply the power cord any longer"."""
    named, parts = named_at(evidence), clauses_of(evidence.text)
    found = {}
    for part in parts:
        verbs = list(_verbs(part, named, evidence))
        if len(verbs) != 1 or not denies(evidence.text[part.start : part.end]):
            continue
        here = {(node.label, node.key) for place, node in named if place.meets(part)}
        for label, key in here:
            for edge in evidence.store.edges(key, label):
                ends = {(edge.from_label, edge.from_key), (edge.to_label, edge.to_key)}
                if edge.type == verbs[0].kind.type and ends == here:
                    found[edge.identity] = edge
    return next(iter(found.values())) if len(found) == 1 else None


def _is_there(claim: Claim, evidence: Evidence) -> bool:
    edges = evidence.store.edges(claim.source.key, claim.source.label)
    ends = (claim.type, claim.target.label, claim.target.key)
    return any((edge.type, edge.to_label, edge.to_key) == ends for edge in edges)


def _claims(evidence: Evidence) -> Iterator[Claim]:
    text, parts, whole = evidence.text, clauses_of(evidence.text), sentences_of(evidence.text)
    named = named_at(evidence)
    made: list[Claim] = []
    verb: _Verb | None = None
    for number, part in enumerate(parts):
        words = text[part.start : part.end]
        if not words.strip():
            continue
        sentence = whole[around(part, whole)]
        before = next((p for p in reversed(parts[:number]) if text[p.start : p.end].strip()), None)
        if before is None or before.start < sentence.start:
            before, made, verb = None, [], None
        asks = is_question(text[sentence.start : sentence.end])
        if asks or denies(words) or _LEAVING_OPEN.search(plain(words)) or _orders_other(words):
            made, verb = [], None
            continue
        rest = _rest(number, parts, sentence, named, evidence)
        verbs = list(_verbs(part, named, evidence))
        if not verbs and verb is not None and _only_names(part, named, evidence):
            # "They supply P-101 and P-102."
            more = list(
                _stated(_Verb(verb.kind, Place(part.start, part.start), verb.turned), part, part, made, named, evidence)
            )
            made += more
            yield from more
            continue
        if not verbs and before is not None and _SAME.search(words):
            made, verb = list(_same_again(part, before, rest, named, evidence)), None
        elif len(verbs) == 1 and before is not None and not made and _only_names(before, named, evidence):
            # "Ann and Bob lead it" says it of both or of neither.
            made, verb = [], None
        elif len(verbs) == 1:
            made, verb = list(_stated(verbs[0], part, rest, made, named, evidence)), verbs[0]
        elif verbs:
            made, verb = [], None
        else:
            continue
        yield from made


def _only_names(part: Place, named: list[tuple[Place, Node]], evidence: Evidence) -> bool:
    """Whether a clause is nothing but a name in a list, with its label perhaps."""
    here = sorted({place for place, _ in named if place.meets(part)})
    if len(here) != 1:
        return False
    labels = {token for one in evidence.schema.labels for token in tokens(one.label)}
    text = evidence.text
    return set(tokens(text[part.start : here[0].start] + " " + text[here[0].end : part.end])) <= {"the", "dr", *labels}


def _orders_other(words: str) -> bool:
    """Whether a clause begins with an order other than to join: there an edge only describes what is meant."""
    first = next(iter(tokens(words)), "")
    return first in ("set", "change", "update", "mark", "raise", "lower", "rename", "close", "show", "find", "tell")


def _verbs(part: Place, named: list[tuple[Place, Node]], evidence: Evidence) -> Iterator[_Verb]:
    text, inside = evidence.text, quotes(evidence.text)
    labels = {form for one in evidence.schema.labels for token in tokens(one.label) for form in forms(token)}
    seen: set[str] = set()
    for found in _WORD.finditer(text, part.start, part.end):
        word, here = found.group().casefold(), Place(*found.span())
        if any(here.meets(p) for p, _ in named) or any(here.meets(q) for q in inside):
            continue
        passive = _AUXILIARY.search(text[part.start : here.start]) is not None
        spoken = [kind for kind in evidence.schema.types if _means(kind, word, labels)]
        if not spoken:
            spoken = [kind for kind in evidence.schema.types if says_type(kind.type, word)]
        for kind in first_of(spoken, text[here.end : part.end]):
            if kind.type in seen:
                continue
            first = kind.type.casefold().split("_")[0]
            participle = first.endswith("ed")
            if word.endswith("ed") and participle and not passive:
                # "the ticket assigned to ann" only says which one is meant.
                continue
            by = re.match(r"\s+(?:by|von)(?!\w)", text[here.end :]) is not None
            seen.add(kind.type)
            yield _Verb(kind, here, turned=passive and by and not participle)
        whole = [kind for kind in evidence.schema.types if kind.type.casefold().split("_") == ["part", "of"]]
        for kind in whole if word in _NEEDING and not spoken else ():
            if kind.type not in seen:
                seen.add(kind.type)
                yield _Verb(kind, here, turned=True)


def _means(kind: TypeSchema, word: str, labels: set[str]) -> bool:
    first = kind.type.casefold().split("_")[0]
    return len(first) >= 4 and word not in labels and same_stem(first, word)


def _stated(
    verb: _Verb,
    part: Place,
    rest: Place,
    earlier: list[Claim],
    named: list[tuple[Place, Node]],
    evidence: Evidence,
) -> Iterator[Claim]:
    """What a verb says of its clause; where nothing stands before it, what the claims `earlier` were about."""
    text = evidence.text
    ahead, behind = Place(part.start, verb.place.start), Place(verb.place.end, part.end)
    labelled = _THERE.search(text, ahead.start, ahead.end) is not None
    if _RELATIVE.search(text, ahead.start, ahead.end) and not labelled:
        return
    for source_label, target_label in verb.kind.joins:
        first, second = (target_label, source_label) if verb.turned else (source_label, target_label)
        ones = _end(ahead, first, named, evidence)
        if labelled and not ones:
            # "There is one ticket that belongs to it: T-5."
            said = {form for token in tokens(text[ahead.start : ahead.end]) for form in forms(token)}
            ones = _directly(behind, first, named) if plain(first) in said else []
        if not ones and not set(tokens(text[ahead.start : ahead.end])) - {"also", "is", "now", "will", "has"}:
            about = {n.identity: n for each in earlier for n in (each.source, each.target) if n.label == first}
            ones = list(about.values()) if len(about) == 1 else []
        others = _end(behind, second, named, evidence)
        if first == second and len(ones) + len(others) > 2:
            continue
        yield from _joined(verb, (ones, others), rest, evidence, text)


def _same_again(
    part: Place, before: Place, rest: Place, named: list[tuple[Place, Node]], evidence: Evidence
) -> Iterator[Claim]:
    """ "Nobody leads hermes so far, eva klein will do that": the verb and the other end stand in the clause before."""
    verbs = list(_verbs(before, named, evidence))
    if len(verbs) != 1 or verbs[0].turned:
        return
    behind = Place(verbs[0].place.end, before.end)
    other = evidence.text[: before.start] + " " * (before.end - before.start) + evidence.text[before.end :]
    for source_label, target_label in verbs[0].kind.joins:
        ends = _directly(part, source_label, named), _directly(behind, target_label, named)
        yield from _joined(verbs[0], ends, rest, evidence, other)


def _joined(
    verb: _Verb, ends: tuple[list[Node], list[Node]], rest: Place, evidence: Evidence, text: str
) -> Iterator[Claim]:
    values = amounts(verb.kind, rest, verb.place, evidence)
    if values is None:
        return
    for one in ends[0]:
        for other in ends[1]:
            source, target = (other, one) if verb.turned else (one, other)
            if source.identity != target.identity and not denied(text, [source.key, target.key]):
                yield Claim(verb.kind.type, source, target, values)


def _directly(part: Place, label: str, named: list[tuple[Place, Node]]) -> list[Node]:
    """The one node of a label that a part of the text names; none where it names several."""
    found = {node.identity: node for place, node in named if place.meets(part) and node.label == label}
    return list(found.values()) if len(found) == 1 else []


def _end(part: Place, label: str, named: list[tuple[Place, Node]], evidence: Evidence) -> list[Node]:
    """What stands on one side of a verb: a node, or "it", "them" or "both" for what was named before."""
    if any(place.meets(part) and node.label == label for place, node in named):
        return _directly(part, label, named)
    text = evidence.text
    placed = _by_noun(part, label, evidence)
    if placed:
        return placed
    one, many = _ONE.search(text, part.start, part.end), _MANY.search(text, part.start, part.end)
    if one is None and many is None:
        return []
    earlier = {node.identity: node for place, node in named if place.end <= part.start and node.label == label}
    if many is not None and (many.group().casefold() != "both" or len(earlier) == 2):
        return list(earlier.values())
    # Of several, nothing tells which one "it" is.
    return list(earlier.values()) if len(earlier) == 1 else []


def _by_noun(part: Place, label: str, evidence: Evidence) -> list[Node]:
    """The one node of a label that has a proper noun which stands in a part of the text: "it ships from Osaka"."""
    schema = evidence.label_schema(label)
    found = {}
    for name, kinds in ({} if schema is None else schema.properties).items():
        if tuple(kinds) != ("text",) or name in ("name", "title"):
            continue
        for value, count in evidence.store.values(label, name, most=MOST_NOUNS):
            said = [p for p in words_at(str(value), evidence.text) if part.start <= p.start and p.end <= part.end]
            if count != 1 or not said or not evidence.text[said[0].start].isupper():
                continue
            query = f"MATCH (n:`{label}`) WHERE n.`{name}` = $value RETURN n.key"
            for (key,) in evidence.store.read(query, {"value": value}).rows:
                found[key] = evidence.store.node(key, label)
    return list(found.values()) if len(found) == 1 else []


def _rest(
    number: int, parts: tuple[Place, ...], sentence: Place, named: list[tuple[Place, Node]], evidence: Evidence
) -> Place:
    """A clause with what follows it in its sentence and names nothing of its own: "takes ibuprofen, 400 mg"."""
    end = parts[number].end
    for part in parts[number + 1 :]:
        others = (*quotes(evidence.text), *(place for place, _ in named))
        if part.start >= sentence.end or any(p.meets(part) for p in others) or list(_verbs(part, named, evidence)):
            break
        end = part.end
    return Place(parts[number].start, end)
