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
_VENUES = """
nodes:
  - {id: q.venue, type: question, key: venue, prompt: Where is it for?, schema: {enum: [home, office, sports_court]}}
  - {id: small, type: terminal}
  - {id: large, type: terminal}
edges:
  - {from: q.venue, to: small, guard: "answers.venue == 'home'"}
  - {from: q.venue, to: large, guard: "answers.venue == 'sports_court'"}
"""
NOT_COVERED = warning(
    219,
    "Case that no edge covers",
    "For some value that the answers and channels may have here, no guard is true, and there is no `else`. The message "
    "gives such a value. The flow then goes to `on_stuck`, or the turn fails.",
    _VENUES,
    _VENUES + "  - {from: q.venue, to: small, guard: else}\n",
)
_SIZES = """
nodes:
  - {id: q.size, type: question, key: size, prompt: How many metres?, schema: {type: integer, minimum: 1}}
  - {id: small, type: terminal}
  - {id: large, type: terminal}
edges:
  - {from: q.size, to: small, guard: "answers.size <= 10"}
  - {from: q.size, to: large, guard: "answers.size %s 10"}
"""
OVERLAP = warning(
    220,
    "Edges that are open together",
    "For some value, which the message gives, more than one edge is open. The first one by order is taken, and the "
    "trace records the ambiguity; under `deterministic: true` the turn fails. Edges of different `priority` are meant "
    "to be tried one after the other and are not reported, and neither are edges to the same node, unless the flow is "
    "deterministic.",
    _SIZES % ">=",
    _SIZES % ">",
)
IDLE_ELSE = warning(
    221,
    "Else that is never open",
    "Some other edge is open whatever the values are. An answer that may be missing keeps `else` alive: a guard that "
    "needs it is not true then.",
    _SIZES % ">" + "  - {from: q.size, to: small, guard: else}\n",
    _SIZES % ">",
)
_FIRST = """
nodes:
  - {id: q.size, type: question, key: size, prompt: How many metres?, schema: {type: integer, minimum: 1}}
  - {id: small, type: terminal}
  - {id: large, type: terminal}
edges:
  - {from: q.size, to: small, guard: "answers.size > %s"}
  - {from: q.size, to: large, guard: "answers.size > %s", priority: %s}
  - {from: q.size, to: small, guard: else}
"""
NEVER_TAKEN = warning(
    222,
    "Edge that is never taken",
    "Whenever it is open, an edge that comes before it by priority and order is open, too.",
    _FIRST % (10, 50, -1),
    _FIRST % (10, 50, 1),
)
ACTIONS_FOR_EVER = error(
    223,
    "Cycle of actions that is never left",
    "A question is asked once, unless it says `ask: always`, and nothing leads out of the cycle. A turn that comes "
    "here performs its actions until `max_actions` fails it.",
    """
    nodes:
      - {id: q.name, type: question, key: name, prompt: Your name?}
      - {id: work, type: action, run: do_work}
    edges:
      - {from: q.name, to: work}
      - {from: work, to: q.name}
    """,
    """
    nodes:
      - {id: q.name, type: question, key: name, prompt: Your name?, ask: always}
      - {id: work, type: action, run: do_work}
      - {id: done, type: terminal}
    edges:
      - {from: q.name, to: done, guard: "answers.name == 'nobody'"}
      - {from: q.name, to: work, guard: else}
      - {from: work, to: q.name}
    """,
)
ENDLESS_TURN = warning(
    224,
    "Cycle on which no question is asked again",
    "What the user said does not change within a turn. A cycle whose questions are answered already, and whose guards "
    "read nothing that its actions write, is walked until `max_actions` fails the turn.",
    """
    nodes:
      - {id: q.more, type: question, key: more, prompt: What else?}
      - {id: work, type: action, run: do_work}
      - {id: done, type: terminal}
    edges:
      - {from: q.more, to: done, guard: "answers.more == 'nothing'"}
      - {from: q.more, to: work, guard: else}
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
