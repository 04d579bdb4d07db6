"""Codes of constraints and paths: GW7xx."""

from graphwright.flow.codes.table import error, warning

_CONTACT = """
nodes:
  - {id: q.email, type: question, key: email, prompt: Your e-mail?}
  - {id: done, type: terminal}
edges:
  - {from: q.email, to: done}
predicates: {has_contact: "has(answers.email)"}
constraints:
  - {%s}
"""
CONSTRAINT_KEY = error(
    701,
    "Constraint on a key that nobody asks for",
    "A constraint that is not met makes the flow ask the missing question, so there must be one.",
    _CONTACT % "one_of: [[email], [phone]]",
    _CONTACT % "one_of: [[email]]",
)
UNKNOWN_PREDICATE = error(
    702,
    "Unknown predicate",
    "`require` names an entry of `predicates`.",
    _CONTACT % "require: has_contacts",
    _CONTACT % "require: has_contact",
)
_PATHS = """
nodes:
  - {id: start, type: subgraph, ref: %s}
edges: []
paths: {led: {ref: details, description: Buying lights}}
subgraphs:
  details:
    nodes:
      - {id: bye, type: terminal}
    edges: []
"""
UNUSED_PATHS = warning(
    703,
    "Paths that make no difference",
    "A path is chosen, but no guard reads `active_path` and no subgraph node enters `$active_path`.",
    _PATHS % "details",
    _PATHS % "$active_path",
)
CONSTRAINT_FORM = error(
    704,
    "Constraint that says two things",
    "A constraint has groups of keys (`one_of`, perhaps `exactly`) or a predicate (`require`).",
    _CONTACT % "one_of: [[email]], require: has_contact",
    _CONTACT % "require: has_contact",
)
