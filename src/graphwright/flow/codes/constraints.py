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
_READS_PATH = """
nodes:
  - {id: q, type: question, key: need, prompt: What do you need?}
  - {id: sg, type: subgraph, ref: details}
  - {id: bye, type: terminal, say: "So you need {{ answers.need }}."}
edges:
  - {from: q, to: sg, guard: "active_path == 'led'"}
  - {from: q, to: bye, guard: else}
subgraphs:
  details:
    nodes:
      - {id: done, type: terminal}
    edges: []
%s"""
NO_PATH_TO_READ = warning(
    705,
    "Path read where none can be chosen",
    "`active_path` is the path that was chosen out of `paths`. In a flow without `paths` it is always `''`.",
    _READS_PATH % "",
    _READS_PATH % "paths: {led: {ref: details, description: Buying lights}}\n",
)
_BOTH_PATHS = """
nodes:
  - {id: q.need, type: question, key: need, prompt: What do you need?}
  - {id: go, type: subgraph, ref: $active_path, as: work}
  - {id: bye, type: terminal, say: "{{ answers.need }}: {{ answers.work.size }}"}
edges:
  - {from: q.need, to: go}
  - {from: go, to: bye}
paths:
  bulb: {ref: bulbs, description: Buying a bulb}
  shade: {ref: shades, description: Buying a lampshade}
subgraphs:
  bulbs:
    nodes:
      - {id: q.socket, type: question, key: size, prompt: Which socket?, schema: {enum: [E14, E27]}}
    edges:
      - {from: q.socket, to: __exit__}
  shades:
    nodes:
      - {id: q.width, type: question, key: size, prompt: How wide?, schema: {%s}}
    edges:
      - {from: q.width, to: __exit__}
"""
PATHS_SHARE_KEY = warning(
    706,
    "Paths that keep different answers under one key",
    "Subgraphs entered by `ref: $active_path` with `as` keep their answers in one scope, whichever path is chosen, and "
    "what was answered stays when the choice is corrected. A value of the old path would then stand where the new one "
    "has another schema.",
    _BOTH_PATHS % "type: integer",
    _BOTH_PATHS % "enum: [E14, E27]",
)
