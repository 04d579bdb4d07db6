"""Which node a key means, and which keys and labels new nodes may have."""

from __future__ import annotations

import re
from collections.abc import Sequence

from graphwright.agents.graph_editor.described import described
from graphwright.agents.graph_editor.evidence import (
    Evidence,
    canonical_label,
    canonical_type,
    near_names,
    says_key,
)
from graphwright.agents.graph_editor.mentions import key_like, names_label
from graphwright.agents.graph_editor.places import named_at
from graphwright.agents.graph_editor.problems import Option, Problem
from graphwright.agents.graph_editor.topics import about
from graphwright.agents.graph_editor.words import forms, is_question, plain, singular, squeezed, tokens, writes_asked
from graphwright.graphstore import Ambiguous, GraphStore, Node, NotFound, Schema


def new_label(label: str, evidence: Evidence) -> str:
    """A label of the graph, or one that the user said."""
    known = canonical_label(label, evidence.schema)
    if known is not None:
        return known
    words = {*tokens(evidence.text), *(singular(token) for token in tokens(evidence.text))}
    if not evidence.says(label) and not names_label(label, words, squeezed(evidence.text)):
        names = [one.label for one in evidence.schema.labels]
        raise Problem(
            "unsaid_label", f"Neither the user nor the graph knows the label {label}. {near_names(label, names)}"
        )
    return label if evidence.text.find(label) >= 0 and label[:1].isupper() else label[:1].upper() + label[1:]


def existing(key: str, label: str | None, evidence: Evidence, *, exact: bool = False) -> Node | None:
    """The node that a key means: the key itself, the same in another case, or the whole name of a node.

    Unless it must be `exact`, a label or an article may stand before the key of a node that the user named.
    """
    try:
        return evidence.store.node(key, label, near=False)
    except NotFound:
        pass
    bare = key
    if not exact:
        labels = "|".join(re.escape(one.label) for one in evidence.schema.labels) or "(?!)"
        bare = (
            re.sub(rf"^(?:the\s+)?(?:(?:{labels})\s+)?['\"]?(.*?)['\"]?$", r"\1", key.strip(), flags=re.IGNORECASE)
            or key
        )
    wanted = {plain(key), plain(bare)}
    found = [
        node
        for node in evidence.store.find([key, bare])
        if (label is None or node.label == label)
        and any(plain(str(name)) in wanted for name in (node.key, *(node.properties.get(n) for n in ("name", "title"))))
    ]
    if len(found) > 1:
        same = [node for node in found if plain(node.key) in wanted]
        if len(same) != 1:
            raise Problem(
                "ambiguous_key",
                f"Several nodes are called {key}: {', '.join(node.name for node in found)}.",
                options=tuple(Option(node.name, {"key": node.key, "label": node.label}) for node in found),
                about=key,
            )
        found = same
    return found[0] if found else None


MOST_NAMED = 500
"""Names of a label among which a part of one is looked for."""


def partly_named(text: str, named: Sequence[Node], schema: Schema, store: GraphStore) -> tuple[Node, ...]:
    """The nodes beside those `named` of which a text says a part of the name ("Dr Haddad") that no other has."""
    taken = {token for node in named for part in (node.key, *node.properties.values()) for token in tokens(str(part))}
    words = {re.sub(r"['’]s$", "", token) for token in tokens(text)}
    said = {word for word in words if len(word) > 2 and word not in taken}
    owners: dict[str, set[str]] = {}
    for one in schema.labels:
        for name in ("name", "title"):
            if name not in one.properties:
                continue
            found = store.values(one.label, name, most=MOST_NAMED + 1)
            if len(found) > MOST_NAMED:
                continue
            for value, _ in found:
                for token in set(tokens(str(value))) & said:
                    owners.setdefault(token, set()).add(str(value))
    # Words of the schema ("drug") and of requests ("new") are no names of anything.
    known = {token for one in schema.labels for token in tokens(one.label)}
    whole = [
        next(iter(names))
        for token, names in owners.items()
        if len(names) == 1 and singular(token) not in known and not writes_asked(token) and not is_question(token)
    ]
    nodes = store.find(list(dict.fromkeys(whole))) if whole else ()
    names = [plain(str(node.properties.get("name", node.properties.get("title", "")))) for node in nodes]
    parted = [node for node, name in zip(nodes, names, strict=True) if names.count(name) == 1]
    told = (*described(text, schema, store), *about(text, schema, store))
    more = {each.node.identity: each.node for each in told}
    return (*parted, *(node for node in more.values() if node not in named and node not in parted))


def new_key(label: str, key: str, evidence: Evidence) -> str:
    """The key of a node that is to be made: the user has to have said it, and to have asked for the node."""
    if key in evidence.agreed:
        return key
    named = says_key(key, evidence.text)
    if not named:
        keys = [each for each in evidence.mentions.keys if each not in evidence.shown]
        unknown = [each for each in keys if not evidence.store.find([each])]
        if unknown:
            raise Problem("unsaid_key", f"The request names {', '.join(unknown)}; it does not name {key}.", about=key)
    if not named or plain(key) == plain(label):
        # One that the model made of a name is worth proposing.
        made = [key] if evidence.says(key) and plain(key) != plain(label) else []
        raise Problem(
            "missing_key",
            f"The request does not say which key the new {label} should have.",
            options=tuple(Option(each, {"key": each}) for each in [*made, *proposed_keys(label, evidence)]),
            about=label,
        )
    if not evidence.asked_for(key) & {"create"} and (evidence.asked or key in " ".join(evidence.mentions.quoted)):
        near = evidence.store.find([key])
        raise Problem(
            "not_found",
            f"There is no {label} {key}, and the request does not ask for one to be created.",
            options=(
                *(Option(node.name, {"key": node.key, "label": node.label}) for node in near[:3]),
                Option(f"create {label} {key}", {"label": label}, agree=key),
            ),
            about=key,
        )
    return _as_said(key, evidence.text)


def _as_said(key: str, text: str) -> str:
    """The key in the user's spelling, where it stands in the text whatever the case."""
    found = re.search(re.escape(key), text, re.IGNORECASE)
    return found.group() if found else key


def proposed_keys(label: str, evidence: Evidence) -> list[str]:
    """Keys for a new node of a label: the next number, where its keys are numbered."""
    highest: tuple[int, str, int] | None = None
    result = evidence.store.read(f"MATCH (n:`{label}`) RETURN n.key AS key ORDER BY key DESC", max_rows=500)
    for (key,) in result.rows:
        found = re.fullmatch(r"(.*?)(\d{1,9})", str(key))
        if found and (highest is None or int(found[2]) > highest[0]):
            highest = (int(found[2]), found[1], len(found[2]))
    return [] if highest is None else [f"{highest[1]}{highest[0] + 1:0{highest[2]}d}"]


def end(key: str, label: str | None, evidence: Evidence, *, kind: str = "") -> Node:
    """An existing node that a call names. Raises Problem where there is none, or several, or nobody named it.

    `kind` is the type of the edge whose end it is: it tells which label a node would have that does not exist yet.
    """
    wanted = canonical_label(label, evidence.schema) if label else None
    told = _label_before(key, evidence)
    if told is not None and told != wanted and existing(key, told, evidence, exact=True) is not None:
        # "the user x" is no Ticket x, whatever the model says.
        wanted = told
    try:
        found = existing(key, wanted, evidence)
        if found is None and wanted is not None:
            found = existing(key, None, evidence)
    except Ambiguous as error:
        found = _told_apart(key, error.labels, kind, evidence)
        if found is not None:
            return found
        raise Problem(
            "ambiguous_key",
            f"Several nodes have the key {key}: {', '.join(error.labels)}.",
            options=tuple(Option(f"{one} {key}", {"key": key, "label": one}) for one in error.labels),
            about=key,
        ) from error
    if found is None:
        found = _by_value(key, wanted, evidence)
    if found is None:
        raise missing_node(key, wanted or label or _likely_label(key, kind, evidence), evidence)
    twins = _twins(found, evidence)
    if twins:
        raise Problem(
            "ambiguous_key",
            f"Several nodes are called {_name(found)}: {', '.join(node.name for node in twins)}.",
            options=tuple(
                Option(
                    node.name,
                    {"key": node.key, "label": node.label},
                    settles={other.key: node.key for other in twins if other != node},
                )
                for node in twins
            ),
            about=_name(found),
        )
    if found.key not in evidence.shown and not evidence.surely(found.key):
        raise Problem(
            "unsaid_key", f"The user did not name {found.name}. The request names: {evidence.names()}.", about=key
        )
    return found


def _told_apart(key: str, labels: Sequence[str], kind: str, evidence: Evidence) -> Node | None:
    """The one of several nodes of a key that the request means.

    That is the one whose label the user gave when asked, whose whole name stands there, or which such edges can join.
    """
    told = set(tokens(evidence.text[len(evidence.request) :]))
    said = [label for label in labels if names_label(label, {form for word in told for form in forms(word)}, "")]
    called = {node.label for _, node in named_at(evidence) if node.key == key} & set(labels)
    meant = canonical_type(kind, evidence.schema)
    joins = [join for one in evidence.schema.types if one.type == meant for join in one.joins]
    joined = {label for join in joins for label in join} & set(labels)
    for fitting in (said, called, joined):
        if len(fitting) == 1:
            return evidence.store.node(key, next(iter(fitting)))
    return None


def _by_value(value: str, label: str | None, evidence: Evidence) -> Node | None:
    """The node that the request describes by this value, which a model takes for its key."""
    having = [
        node
        for node in evidence.mentions.partly
        if label in (None, node.label)
        and any(isinstance(own, str) and plain(own) == plain(value) for own in node.properties.values())
    ]
    return having[0] if len(having) == 1 else None


def _name(node: Node) -> str:
    return str(node.properties.get("name", node.properties.get("title", "")))


def _twins(found: Node, evidence: Evidence) -> list[Node]:
    """The nodes that a name in the request may mean as well as this one; none where the user said or chose a key."""
    named = [node for node in evidence.mentions.nodes if _name(node) and plain(_name(node)) == plain(_name(found))]
    chosen = [node for node in named if says_key(node.key, evidence.text) or node.key in evidence.agreed]
    return named if len(named) > 1 and found in named and not chosen else []


def _label_before(key: str, evidence: Evidence) -> str | None:
    labels = "|".join(re.escape(one.label) for one in evidence.schema.labels) or "(?!)"
    before = rf"(?<!\w)({labels})\s+['\"]?{re.escape(key)}(?![\w-])"
    found = re.search(before, evidence.text, re.IGNORECASE)
    return canonical_label(found[1], evidence.schema) if found else None


def _likely_label(key: str, kind: str, evidence: Evidence) -> str | None:
    """The label of a node that is not there: the word before its key, else the only one that such edges leave open."""
    told = _label_before(key, evidence)
    if told is not None:
        return told
    meant = canonical_type(kind, evidence.schema)
    joins = [join for one in evidence.schema.types if one.type == meant for join in one.joins]
    named = {node.label for node in evidence.mentions.nodes}
    open_ends = {other for pair in joins for one, other in (pair, pair[::-1]) if one in named}
    return open_ends.pop() if len(open_ends) == 1 else None


def missing_node(key: str, label: str | None, evidence: Evidence) -> Problem:
    """The problem of a node that does not exist. Only where the user named it is it a question for the user."""
    try:
        evidence.store.node(key, None)
        near: tuple[str, ...] = ()
    except (NotFound, Ambiguous) as error:
        near = error.near if isinstance(error, NotFound) else ()
    what = f"{label} {key}" if label else f"node {key}"
    if not says_key(key, evidence.text) and not evidence.says(key):
        message = (
            f"There is no {what}, and the user did not name it. The request names: {evidence.names()}. "
            "If it does not name the key, find it by query_graph first."
        )
        return Problem("unsaid_key", message, about=key)
    found = _holding(key, label, evidence)
    if found:
        where = f'query_graph with {{"label": "{found[0]}", "where": {{"{found[1]}": {{"contains": "{key}"}}}}}}'
        return Problem(
            "unsaid_key", f"No node has the key {key}; it stands in a property. Find it first: {where}.", about=key
        )
    options = [Option(each, {"key": each}) for each in near]
    if label:
        options.append(Option(f"create {label} {key}", {"label": label}, agree=key))
    return Problem("not_found", f"There is no {what}.", options=tuple(options), about=key)


def _holding(text: str, label: str | None, evidence: Evidence) -> tuple[str, str] | None:
    """The label and the property in which nodes hold this text: "dark mode" is no key, but stands in a summary."""
    if key_like(text) or len(squeezed(text)) < 4:
        return None
    for one in evidence.schema.labels:
        if label is not None and one.label != label:
            continue
        for name, kinds in one.properties.items():
            if "text" not in kinds:
                continue
            query = f"MATCH (n:`{one.label}`) WHERE toLower(n.`{name}`) CONTAINS toLower($text) RETURN n.key LIMIT 1"
            if evidence.store.read(query, {"text": text}).rows:
                return one.label, name
    return None
