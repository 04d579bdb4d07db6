"""What a request says plainly: a value of the one node or edge that it names, or an edge that is to go."""

from __future__ import annotations

import re
from typing import Any

from graphwright.agents.graph_editor.claims import claimed_end
from graphwright.agents.graph_editor.days import days_in
from graphwright.agents.graph_editor.evidence import Evidence, numbers_in
from graphwright.agents.graph_editor.places import words_at
from graphwright.agents.graph_editor.sound import Grounded
from graphwright.agents.graph_editor.told import told_numbers
from graphwright.agents.graph_editor.words import asks_somewhere, denies, plain, supposes
from graphwright.graphstore import Edge, Node

_NO_STATEMENT = re.compile(
    r"(?<!\w)(?:was|were|(?<!has )(?<!have )had|used to|formerly|previously|until|if|whether|unless|maybe|perhaps"
    r"|might|may|could|would|or|than|more|less|below|above|under|over|think|believe|guess|hope|wish|heard|said|says|soon|tomorrow|by)(?!\w)"
)
"""Words with which a value is not plainly what is now so."""

_TAKE_OUT = re.compile(
    r"(?<!\w)(?:(?:take|cut)\s[^.;!?]{0,40}\b(?:out|off|away)|(?:remove|delete|drop|cut)\s+(?:it|that|this|the))(?!\w)"
)
_CONNECTION = re.compile(r"(?<!\w)(?:connections?|links?|edges?|relations?|relationships?)(?!\w)")
_NO_MORE = re.compile(r"(?<!\w)(?:any ?(?:longer|more)|no (?:longer|more))(?!\w)")


def plain_update(evidence: Evidence) -> Grounded | None:
    """The value that a request gives to the only node or the only edge that it names, in words of its own.

    None where it says anything else beside, or what was or may be.
    """
    text = evidence.text
    unclear = asks_somewhere(text) or supposes(text) or denies(text) or _NO_STATEMENT.search(plain(text))
    if unclear or evidence.mentions.quoted or "delete" in evidence.asked:
        return None
    nodes = list({n.identity: n for n in (*evidence.mentions.nodes, *evidence.mentions.partly)}.values())
    keys = {plain(key) for key in evidence.mentions.keys} - {plain(node.key) for node in nodes}
    if keys:
        return None
    return _of_node(nodes[0], evidence) if len(nodes) == 1 else _of_edge(nodes, evidence) if len(nodes) == 2 else None


def _of_node(node: Node, evidence: Evidence) -> Grounded | None:
    schema = evidence.label_schema(node.label)
    told = [each for each in told_numbers(evidence) if schema is not None and each.name in schema.properties]
    if len(told) != 1 or len(set(numbers_in(evidence.text)) - set(numbers_in(node.key))) != 1:
        return None
    value = int(told[0].value) if told[0].value.is_integer() else told[0].value
    if node.properties.get(told[0].name) == value:
        return None
    return Grounded("update_props", {"key": node.key, "label": node.label, "properties": {told[0].name: value}})


def _of_edge(nodes: list[Node], evidence: Evidence) -> Grounded | None:
    days = days_in(evidence.text)
    between = [e for e in evidence.store.edges(nodes[0].key, nodes[0].label) if _joins(e, nodes)]
    if len(days) != 1 or len(between) != 1:
        return None
    edge = between[0]
    # The name of the property stands before its date: "since the 17th of October".
    fitting = [
        name
        for name, value in edge.properties.items()
        if isinstance(value, str)
        and re.fullmatch(r"\d{4}-\d{2}-\d{2}", value)
        and any(
            re.fullmatch(r"\W*(?:(?:the|is|to)\W+)*", evidence.text[at.end : days[0].place.start])
            for at in words_at(name, evidence.text)
            if at.end <= days[0].place.start
        )
    ]
    if len(fitting) != 1 or edge.properties[fitting[0]] == days[0].iso:
        return None
    return Grounded("update_props", {**_identity(edge), "properties": {fitting[0]: days[0].iso}})


def _joins(edge: Edge, nodes: list[Node]) -> bool:
    ends = {(edge.from_label, edge.from_key), (edge.to_label, edge.to_key)}
    return ends == {(node.label, node.key) for node in nodes}


def _identity(edge: Edge) -> dict[str, Any]:
    return {
        "from_key": edge.from_key,
        "type": edge.type,
        "to_key": edge.to_key,
        "from_label": edge.from_label,
        "to_label": edge.to_label,
    }


def plain_cut(evidence: Evidence) -> Grounded | None:
    """The edge that the request says is no more and wants out: "X doesn't supply Y any longer, cut that link"."""
    text = plain(evidence.text)
    if evidence.only_asks or supposes(text) or not _NO_MORE.search(text) or not _TAKE_OUT.search(text):
        return None
    if not _CONNECTION.search(text):
        return None
    found = claimed_end(evidence)
    return None if found is None else Grounded("delete_edge", _identity(found), certain=False)
