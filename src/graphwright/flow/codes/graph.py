"""Codes of nodes, edges and the ways through the graph: GW2xx."""

from graphwright.flow.codes.table import error, warning

_ASK_AND_END = """
nodes:
  - {id: q.name, type: question, key: name, prompt: Your name?}
  - {id: done, type: terminal, say: "Thank you, {{ answers.name }}."}
edges:
  - {from: q.name, to: done}
"""

DUPLICATE_NODE = error(
    201,
    "Node id used twice",
    "Edges and positions name nodes by id, so an id stands for one node in the whole document, subgraphs included.",
    """
    nodes:
      - {id: q, type: question, key: name, prompt: Your name?}
      - {id: q, type: terminal, say: "Thank you, {{ answers.name }}."}
    edges:
      - {from: q, to: q}
    """,
    _ASK_AND_END,
)
UNKNOWN_NODE = error(
    202,
    "Reference to a node that does not exist",
    "An edge, an `entry` or a jump names a node that is not in the document.",
    """
    nodes:
      - {id: q.name, type: question, key: name, prompt: Your name?}
      - {id: done, type: terminal, say: "Thank you, {{ answers.name }}."}
    edges:
      - {from: q.name, to: dome}
    """,
    _ASK_AND_END,
)
_CROSSING = """
nodes:
  - {id: start, type: decision}
  - {id: sg, type: subgraph, ref: details}
edges:
  - {from: start, to: %s}
subgraphs:
  details:
    nodes:
      - {id: q.name, type: question, key: name, prompt: Your name?}
    edges:
      - {from: q.name, to: __exit__, guard: "answers.name != ''"}
      - {from: q.name, to: __exit__, guard: else}
"""
OTHER_GRAPH = error(
    203,
    "Reference into another graph",
    "A graph is entered by a subgraph node and left by `__exit__`, so that the flow knows where to return to.",
    _CROSSING % "q.name",
    _CROSSING % "sg",
)
DUPLICATE_EDGE = error(
    204,
    "Edge id used twice",
    "Traces and tests name edges by id.",
    """
    nodes:
      - {id: q.name, type: question, key: name, prompt: Your name?}
      - {id: done, type: terminal}
    edges:
      - {id: e, from: q.name, to: done, guard: "answers.name == 'Ann'"}
      - {id: e, from: q.name, to: done, guard: else}
    """,
    """
    nodes:
      - {id: q.name, type: question, key: name, prompt: Your name?}
      - {id: done, type: terminal}
    edges:
      - {id: known, from: q.name, to: done, guard: "answers.name == 'Ann'"}
      - {id: other, from: q.name, to: done, guard: else}
    """,
)
NO_NODES = error(
    205,
    "Graph without nodes",
    "A conversation needs a place to begin.",
    """
    nodes: []
    edges: []
    """,
    """
    nodes:
      - {id: done, type: terminal}
    edges: []
    """,
)
UNREACHABLE = warning(
    210,
    "Node that cannot be reached",
    "No edge leads here from the entry, and no jump or constraint either. An edge may be missing.",
    """
    nodes:
      - {id: q.name, type: question, key: name, prompt: Your name?}
      - {id: help, type: terminal, say: Ask us.}
      - {id: done, type: terminal, say: "Thank you, {{ answers.name }}."}
    edges:
      - {from: q.name, to: done}
    """,
    """
    nodes:
      - {id: q.name, type: question, key: name, prompt: Your name?}
      - {id: help, type: terminal, say: Ask us.}
      - {id: done, type: terminal, say: "Thank you, {{ answers.name }}."}
    edges:
      - {from: q.name, to: help, guard: "answers.name == 'help'"}
      - {from: q.name, to: done, guard: else}
    """,
)
NO_END = warning(
    211,
    "No end can be reached",
    "Once here, the conversation can never end: every way goes round in circles.",
    """
    nodes:
      - {id: q.more, type: question, key: more, prompt: What else?, ask: always}
      - {id: work, type: action, run: do_work}
    edges:
      - {from: q.more, to: work}
      - {from: work, to: q.more}
    """,
    """
    nodes:
      - {id: q.more, type: question, key: more, prompt: What else?, ask: always}
      - {id: work, type: action, run: do_work}
      - {id: done, type: terminal}
    edges:
      - {from: q.more, to: done, guard: "answers.more == 'nothing'"}
      - {from: q.more, to: work, guard: else}
      - {from: work, to: q.more}
    """,
)
DEAD_END = error(
    212,
    "Dead end",
    "The flow would stop here without having ended. Only terminals, and subgraph nodes of the root graph, need no "
    "edge.",
    """
    nodes:
      - {id: q.name, type: question, key: name, prompt: Your name?}
    edges: []
    """,
    _ASK_AND_END,
)
ENDLESS_CYCLE = error(
    213,
    "Cycle in which nothing happens",
    "Decisions and calls are walked at once. On a cycle without a question or an action nothing can change, so the "
    "walk would never stop.",
    """
    nodes:
      - {id: left, type: decision}
      - {id: right, type: decision}
      - {id: done, type: terminal}
    edges:
      - {from: left, to: right}
      - {from: right, to: left, guard: "message == 'again'"}
      - {from: right, to: done, guard: else}
    """,
    """
    nodes:
      - {id: left, type: question, key: name, prompt: Your name?, ask: always}
      - {id: right, type: decision}
      - {id: done, type: terminal}
    edges:
      - {from: left, to: right}
      - {from: right, to: left, guard: "answers.name == 'again'"}
      - {from: right, to: done, guard: else}
    """,
)
EDGE_FROM_TERMINAL = error(
    214,
    "Edge out of a terminal",
    "A terminal ends the conversation; nothing comes after it.",
    """
    nodes:
      - {id: bye, type: terminal}
      - {id: done, type: terminal}
    edges:
      - {from: bye, to: done}
    """,
    """
    nodes:
      - {id: bye, type: decision}
      - {id: done, type: terminal}
    edges:
      - {from: bye, to: done}
    """,
)
OPEN_TOGETHER = warning(
    215,
    "Edges that always open together",
    "Two edges of one node have no guard, or the same one. The first by priority and order wins every time.",
    """
    nodes:
      - {id: start, type: decision}
      - {id: one, type: terminal}
      - {id: two, type: terminal}
    edges:
      - {from: start, to: one}
      - {from: start, to: two}
    """,
    """
    nodes:
      - {id: start, type: decision}
      - {id: one, type: terminal}
      - {id: two, type: terminal}
    edges:
      - {from: start, to: one, guard: "message != ''"}
      - {from: start, to: two, guard: else}
    """,
)
ELSE_TWICE = error(
    216,
    "More than one else",
    "`else` opens when nothing else does; there can be one such edge.",
    """
    nodes:
      - {id: start, type: decision}
      - {id: one, type: terminal}
      - {id: two, type: terminal}
    edges:
      - {from: start, to: one, guard: else}
      - {from: start, to: two, guard: else}
    """,
    """
    nodes:
      - {id: start, type: decision}
      - {id: one, type: terminal}
      - {id: two, type: terminal}
    edges:
      - {from: start, to: one, guard: "message != ''"}
      - {from: start, to: two, guard: else}
    """,
)
_PICK = """
nodes:
  - {id: next, type: decision, pick: question}
  - {id: q.name, type: question, key: name, prompt: Your name?}
  - {id: done, type: terminal, say: "Thank you, {{ answers.name }}."}
edges:
  - {from: next, to: q.name}
  - {from: next, to: done%s}
  - {from: q.name, to: next}
"""
PICK_NOT_QUESTION = error(
    217,
    "Pick leads to something that is no question",
    "A decision with `pick: question` goes to the applicable, unanswered question among its targets. Only its `else` "
    "edge, for when none is left, may lead elsewhere.",
    _PICK % "",
    _PICK % ", guard: else",
)
SAME_EDGE_TWICE = warning(
    218,
    "The same edge twice",
    "From, to and guard are the same; the second edge never counts.",
    """
    nodes:
      - {id: start, type: decision}
      - {id: done, type: terminal}
    edges:
      - {from: start, to: done}
      - {from: start, to: done}
    """,
    """
    nodes:
      - {id: start, type: decision}
      - {id: done, type: terminal}
    edges:
      - {from: start, to: done}
    """,
)
