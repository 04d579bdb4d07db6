"""Writes to all nodes of a kind: one statement, which is shown as a diff and confirmed before it is run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphwright.agents.graph_editor.bulk import bulk_change
from graphwright.agents.graph_editor.conditions import compared, stated
from graphwright.agents.graph_editor.evidence import Evidence, says_key
from graphwright.agents.graph_editor.question import asked_label
from graphwright.agents.graph_editor.sound import Grounded
from graphwright.agents.graph_editor.stated import said_properties
from graphwright.agents.graph_editor.words import forms, means_all, squeezed, tokens
from graphwright.graphstore.names import checked_name


def of_all(tool_name: str, given: Mapping[str, Any], evidence: Evidence) -> Grounded | None:
    """The statement that does to all nodes what a request says of them: "delete the patients that were discharged".

    None where the request names single nodes, says nothing of which nodes it means, or says more than this. A model
    that is to do the same to many nodes stops after the first, or takes the label for a key.
    """
    own = bulk_change(evidence)
    if own is not None:
        return Grounded("cypher_query", {"query": own.query, "parameters": own.parameters}, certain=False)
    mentions = evidence.mentions
    if evidence.only_asks or mentions.nodes or mentions.partly or mentions.keys or mentions.quoted:
        return None
    label = asked_label(evidence)
    if label is None or not _means_several(label, evidence):
        return None
    if tool_name in ("delete_node", "query_graph") and evidence.asked == {"delete"}:
        return _statement(label, stated(label, evidence), {}, evidence)
    if tool_name != "update_props" or "from_key" in given or says_key(str(given.get("key")), evidence.text):
        return None
    changes = {name: value for name, value in (given.get("properties") or {}).items() if value is not None}
    properties, dropped = said_properties(changes, evidence, (label,), labels=(label,))
    if not properties or dropped or "delete" in evidence.asked:
        return None
    where = {name: value for name, value in stated(label, evidence).items() if name not in properties}
    return _statement(label, where, properties, evidence)


def _means_several(label: str, evidence: Evidence) -> bool:
    plural = {
        word for word in tokens(evidence.request) if word.endswith("s") and squeezed(label) in forms(word) - {word}
    }
    return bool(plural) or means_all(evidence.request)


def _statement(
    label: str, where: Mapping[str, Any], properties: Mapping[str, Any], evidence: Evidence
) -> Grounded | None:
    """One statement over the nodes; None where nothing says which, and not all of them are meant."""
    if not where and not means_all(evidence.request):
        return None
    parameters: dict[str, Any] = {}
    conditions = compared("n", where, parameters)
    chosen = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    does = []
    for name, value in properties.items():
        parameter = f"p{len(parameters)}"
        parameters[parameter] = value
        does.append(f"n.`{checked_name(name, 'property name')}` = ${parameter}")
    action = f"SET {', '.join(does)}" if does else "DETACH DELETE n"
    query = f"MATCH (n:`{checked_name(label, 'label')}`){chosen} {action}"
    return Grounded("cypher_query", {"query": query, "parameters": parameters}, certain=False)
