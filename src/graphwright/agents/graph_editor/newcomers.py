"""New nodes: whether the request wants one of just this label under just this key."""

from __future__ import annotations

import re

from graphwright.agents.graph_editor.bindings import stands_for_a_value
from graphwright.agents.graph_editor.evidence import Evidence
from graphwright.agents.graph_editor.mentions import names_label
from graphwright.agents.graph_editor.places import Place, around, quotes, sentences_of, words_at
from graphwright.agents.graph_editor.problems import Problem
from graphwright.agents.graph_editor.words import SMALL, forms, plain, squeezed, writes_asked

_CALLING = re.compile(
    r"(?<!\w)(?:key|keys|id|named|called|name|number|namens|schlüssel|nummer|heißt|clé|clef|nommée?|appelée?|clave|llamad[oa]"
    r"|キー)\W*$",
    re.IGNORECASE,
)
_LIKE_A_KEY = re.compile(r"\d|[^\W_][._-][^\W_]|[^\W_][A-Z]")
_SCRIPT = re.compile(r"[\u3040-\u9fff]")


def require_name(label: str, key: str, evidence: Evidence) -> None:
    """Raises Problem for a key that only is a word of the sentence: "the", a verb, the name of a kind or property."""
    schema = evidence.schema
    kinds = {squeezed(label), *(squeezed(one.label) for one in schema.labels)}
    kinds |= {squeezed(one.type) for one in schema.types} | {squeezed(name) for name in evidence.property_names()}
    told = key in evidence.agreed or key in evidence.mentions.quoted or _called(key, evidence.text)
    common = key[-1:] in ".,;:!?" or plain(key) in SMALL or bool(writes_asked(key))
    common = common or not kinds.isdisjoint(squeezed(form) for form in forms(plain(key)))
    if common and not told:
        raise Problem("missing_key", f"The request does not say which key the new {label} should have.", about=label)


def sure_newcomer(label: str, key: str, evidence: Evidence) -> bool:
    """Whether the request surely wants a new node of this label with this key.

    Raises Problem `unsaid_label` where the words around the key are about another label.
    """
    if key in evidence.agreed:
        return True
    others = {node.label for node in evidence.store.find([key]) if plain(node.key) == plain(key)} - {label}
    before = _label_before(key, evidence)
    if before is not None and before != label:
        message = f"The request calls {key} a {before}, not a {label}. It names: {evidence.names()}."
        raise Problem("unsaid_label", message, about=label)
    if others and before != label:
        # It is there already, as something else.
        return False
    return _label_said(label, key, evidence) and _introduced(label, key, evidence)


def _labels_at(evidence: Evidence) -> list[tuple[Place, str]]:
    """Where the request says labels, outside of quotes unless they are all that stands in them."""
    text = evidence.text
    inside = quotes(text)
    found = []
    for label in {one.label for one in evidence.schema.labels}:
        for spoken in {label, re.sub(r"(?<=[a-z])(?=[A-Z])", " ", label)}:
            for place in words_at(spoken, text):
                if not any(q.start < place.start and place.end < q.end - 1 for q in inside):
                    found.append((place, label))
    for word in re.finditer(r"[^\W_]+", text):
        words = forms(word.group().casefold())
        meant = [one.label for one in evidence.schema.labels if names_label(one.label, words, "")]
        if len(meant) == 1 and not any(p.start == word.start() for p, _ in found):
            found.append((Place(*word.span()), meant[0]))
    return sorted(found)


def _label_before(key: str, evidence: Evidence) -> str | None:
    """The label that stands directly before the key: "the user x"."""
    labels = _labels_at(evidence)
    for place in words_at(key, evidence.text):
        for at, label in labels:
            between = evidence.text[at.end : place.start] if at.end <= place.start else "-"
            if not between.strip(" '\"`“„«"):
                return label
    return None


def _label_said(label: str, key: str, evidence: Evidence) -> bool:
    """Whether the label nearest to the key is this one, or the one that the sentence wants created."""
    labels, text, parts = _labels_at(evidence), evidence.text, sentences_of(evidence.text)
    if label not in {one.label for one in evidence.schema.labels} or not labels:
        # A new label is in the request, or it would have been refused.
        return not labels or evidence.says(label)
    if label not in {each for _, each in labels}:
        return False
    for place in words_at(key, text):
        part = parts[around(place, parts)]
        here = [(at, each) for at, each in labels if part.start <= at.start < part.end]
        before = [(at, each) for at, each in here if at.end <= place.start]
        wanted = [each for at, each in here if _creates(text[part.start : at.start])]
        nearest = (
            before[-1][1]
            if before
            else here[0][1]
            if here
            else next((each for at, each in reversed(labels) if at.end <= place.start), None)
        )
        if label == nearest or wanted[:1] == [label]:
            return True
    return False


def _creates(text: str) -> bool:
    return "create" in writes_asked(text)


def _introduced(label: str, key: str, evidence: Evidence) -> bool:
    """Whether the request uses the word as a key: behind a label or "key", in quotes, or because it looks like one."""
    if stands_for_a_value(key, evidence) and not _called(key, evidence.text):
        return False
    if _LIKE_A_KEY.search(key) or key in evidence.mentions.quoted or _SCRIPT.search(evidence.text):
        return True
    return _called(key, evidence.text) or _behind_label(label, key, evidence)


def _called(key: str, text: str) -> bool:
    return any(_CALLING.search(text[: place.start]) for place in words_at(key, text))


def _behind_label(label: str, key: str, evidence: Evidence) -> bool:
    """Behind the label, or behind the one before it in a list: "the users ann, bob and carl"."""
    text = evidence.text
    ends = [at.end for at, each in _labels_at(evidence) if each == label]
    ends += [place.end for place in words_at(label, text)]
    joint = r"(?:\s*,\s*(?:(?:and|und)\s+)?|\s+(?:and|und|et|y)\s+)"
    before = rf"[\s:]*(?:(?:the|a|an|key)\s+)?['\"`]?(?:[\w.-]+['\"`]?{joint}['\"`]?)*"
    listed = re.compile(before + re.escape(key) + r"(?![\w-]|\.\w)", re.IGNORECASE)
    return any(listed.match(text, end) for end in ends)
