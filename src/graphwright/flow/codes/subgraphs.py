"""Codes of subgraphs and calls: GW6xx."""

from graphwright.flow.codes.table import error, warning

_CALL = """
nodes:
  - {id: sg, type: subgraph, ref: details, as: %s}
  - {id: q.city, type: question, key: city, prompt: Which city?}
  - {id: done, type: terminal, say: "{{ answers.home.name }}, {{ answers.city }}"}
edges:
  - {from: sg, to: q.city}
  - {from: q.city, to: done}
subgraphs:
  details:
    nodes:
      - {id: q.name, type: question, key: name, prompt: Your name?}
    edges:
      - {from: q.name, to: __exit__}
"""
UNKNOWN_SUBGRAPH = error(
    601,
    "Reference to a subgraph that does not exist",
    "A subgraph node or a path names a graph that is not under `subgraphs`.",
    (_CALL % "home").replace("ref: details", "ref: detials"),
    _CALL % "home",
)
UNUSED_SUBGRAPH = warning(
    602,
    "Subgraph that nothing calls",
    "No subgraph node and no path refers to it.",
    """
    nodes:
      - {id: done, type: terminal}
    edges: []
    subgraphs:
      details:
        nodes:
          - {id: bye, type: terminal}
        edges: []
    """,
    """
    nodes:
      - {id: sg, type: subgraph, ref: details}
    edges: []
    subgraphs:
      details:
        nodes:
          - {id: bye, type: terminal}
        edges: []
    """,
)
EXIT_OUTSIDE = error(
    603,
    "Exit outside a subgraph",
    "`__exit__` returns to the caller of a subgraph. The root graph has none; it ends at a terminal.",
    """
    nodes:
      - {id: start, type: decision}
    edges:
      - {from: start, to: __exit__}
    """,
    """
    nodes:
      - {id: start, type: decision}
      - {id: done, type: terminal}
    edges:
      - {from: start, to: done}
    """,
)
SCOPE_NAME = error(
    604,
    "Name of a call that is taken",
    "`as: NAME` puts the answers of a call under `answers.NAME`, so NAME cannot be the key of a question or the name "
    "of a call of another subgraph beside it.",
    _CALL % "city",
    _CALL % "home",
)
_PATHS = """
nodes:
  - {id: sg, type: subgraph, ref: $active_path}
edges: []
%ssubgraphs:
  details:
    nodes:
      - {id: bye, type: terminal}
    edges: []
"""
NO_PATHS = error(
    605,
    "No paths to choose from",
    "`ref: $active_path` enters the subgraph of the chosen path, and the flow declares no `paths`.",
    _PATHS % "",
    _PATHS % "paths: {led: {ref: details, description: Buying lights}}\n",
)
_GRAPH = """  g{0}:
    nodes:
      - {{id: call{0}, type: subgraph, ref: g{1}}}
    edges:
      - {{from: call{0}, to: __exit__}}
"""
_DEEP = """version: v1
id: demo
nodes:
  - {id: sg, type: subgraph, ref: g1}
edges: []
subgraphs:
%s  last:
    nodes:
      - {id: bye, type: terminal}
    edges: []
"""


def _chain(depth: int) -> str:
    graphs = "".join(_GRAPH.format(n, n + 1) for n in range(1, depth))
    return (_DEEP % graphs).replace(f"ref: g{depth}}}", "ref: last}")


CALLS_TOO_DEEP = error(
    606,
    "Calls nest too deep",
    "Calls may be 64 deep. A chain of subgraphs that call one another is better written as edges.",
    _chain(65),
    _chain(3),
)
