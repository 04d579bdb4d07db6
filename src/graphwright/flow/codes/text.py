"""Codes of the text and the shape of a document: GW1xx."""

from graphwright.flow.codes.table import error

_SMALL = """
nodes:
  - {id: done, type: terminal}
edges: []
"""

NOT_TEXT = error(
    101,
    "Not a text",
    "A flow document is UTF-8 text. This file is in another encoding, or holds bytes that no text holds.",
    "version: v1\nid: demo\x00\n",
    _SMALL,
)
EMPTY = error(102, "Empty document", "There is nothing in the document.", "# nothing yet\n", _SMALL)
TOO_LARGE = error(
    103,
    "Document too large",
    "A flow document may have 8 MiB. Data such as price lists belongs into channels and actions, not into the flow.",
    lambda: "# " + "x" * (8 * 1024 * 1024),
    _SMALL,
)
SYNTAX = error(
    104,
    "Not valid YAML or JSON",
    "The text cannot be read, so nothing else could be checked. The place is where the reader gave up; the cause "
    "often stands shortly before it.",
    """
    nodes:
      - {id: done, type: terminal
    edges: []
    """,
    _SMALL,
)
DUPLICATE_FIELD = error(
    105,
    "Key given twice",
    "One of the two values would silently be lost.",
    """
    title: First
    title: Second
    nodes:
      - {id: done, type: terminal}
    edges: []
    """,
    _SMALL,
)
ALIASES = error(
    106,
    "Alias that cannot be followed",
    "An alias refers to an anchor that is not there or contains itself, or the aliases written out would fill the "
    "memory.",
    """
    nodes:
      - {id: done, type: terminal, ui: *nowhere}
    edges: []
    """,
    """
    nodes:
      - {id: start, type: decision, ui: &look {colour: red}}
      - {id: done, type: terminal, ui: *look}
    edges:
      - {from: start, to: done}
    """,
)
YAML_FEATURE = error(
    107,
    "YAML feature that flows do not use",
    "Tags, merge keys and several documents in one file would make a flow mean different things to different readers.",
    """
    title: !shout hello
    nodes:
      - {id: done, type: terminal}
    edges: []
    """,
    _SMALL,
)
TOO_DEEP = error(
    108,
    "Nested too deep",
    "Mappings and lists may nest 100 deep.",
    "version: v1\nid: demo\nui: {a: " + "[" * 100 + "]" * 100 + "}\n",
    _SMALL,
)
KEY_NOT_TEXT = error(
    109,
    "Key that is not a text",
    "All keys are texts, as in JSON. YAML reads 1, true and null as other things unless they stand in quotes.",
    """
    ui: {1: left}
    nodes:
      - {id: done, type: terminal}
    edges: []
    """,
    """
    ui: {"1": left}
    nodes:
      - {id: done, type: terminal}
    edges: []
    """,
)
NOT_JSON = error(
    110,
    "Value that JSON cannot hold",
    "Flow documents and the state of a conversation are JSON: no infinite numbers, no dates, no objects of a program.",
    """
    ui: {zoom: .inf}
    nodes:
      - {id: done, type: terminal}
    edges: []
    """,
    """
    ui: {zoom: 4.0}
    nodes:
      - {id: done, type: terminal}
    edges: []
    """,
)
NOT_A_MAPPING = error(
    111,
    "Not a mapping of fields",
    "A flow document has fields such as `version`, `id`, `nodes` and `edges`; this one is a list or a single value.",
    "- version: v1\n",
    _SMALL,
)
UNKNOWN_FIELD = error(
    120,
    "Unknown field",
    "A field that nobody reads is most often misspelt, or stands in the wrong place.",
    """
    nodes:
      - {id: done, type: terminal, lable: Done}
    edges: []
    """,
    """
    nodes:
      - {id: done, type: terminal, label: Done}
    edges: []
    """,
)
MISSING_FIELD = error(
    121,
    "Missing field",
    "Without this field the part cannot work.",
    """
    nodes:
      - {id: q.name, type: question, prompt: Your name?}
      - {id: done, type: terminal, say: "Thank you, {{ answers.name }}."}
    edges:
      - {from: q.name, to: done}
    """,
    """
    nodes:
      - {id: q.name, type: question, key: name, prompt: Your name?}
      - {id: done, type: terminal, say: "Thank you, {{ answers.name }}."}
    edges:
      - {from: q.name, to: done}
    """,
)
WRONG_TYPE = error(
    122,
    "Wrong type of value",
    "The field holds a text where a number belongs, a list where a mapping belongs, or the like.",
    """
    deterministic: maybe
    nodes:
      - {id: done, type: terminal}
    edges: []
    """,
    """
    deterministic: true
    nodes:
      - {id: done, type: terminal}
    edges: []
    """,
)
UNKNOWN_VALUE = error(
    123,
    "Unknown value",
    "The field takes one of a few words, and this is none of them.",
    """
    restart: wipe
    nodes:
      - {id: done, type: terminal}
    edges: []
    """,
    """
    restart: clear
    nodes:
      - {id: done, type: terminal}
    edges: []
    """,
)
VERSION = error(
    124,
    "Unknown version",
    "The version tells which rules the document follows. This program knows version v1.",
    "version: v2\nid: demo\nnodes:\n  - {id: done, type: terminal}\nedges: []\n",
    _SMALL,
)
BAD_NAME = error(
    125,
    "Unusable name",
    "Ids need at least one visible character; keys and channel names must be usable in guards: letters, digits and _.",
    """
    state:
      max-price: {type: number}
    nodes:
      - {id: done, type: terminal}
    edges: []
    """,
    """
    state:
      max_price: {type: number}
    nodes:
      - {id: done, type: terminal}
    edges: []
    """,
)
RESERVED_NAME = error(
    126,
    "Name that is taken",
    "`answers`, `message`, `active_path` and `value` exist in every flow, and the guard language keeps some words "
    "for itself. Channels and predicates share one set of names.",
    """
    state:
      message: {type: string}
    nodes:
      - {id: done, type: terminal}
    edges: []
    """,
    """
    state:
      greeting: {type: string}
    nodes:
      - {id: done, type: terminal}
    edges: []
    """,
)
OUT_OF_RANGE = error(
    127,
    "Value out of range",
    "The number is too small or too large, or something is empty that must hold something.",
    """
    nodes:
      - {id: look, type: action, run: look_up, retry: {attempts: 0}}
      - {id: done, type: terminal}
    edges:
      - {from: look, to: done}
    """,
    """
    nodes:
      - {id: look, type: action, run: look_up, retry: {attempts: 3}}
      - {id: done, type: terminal}
    edges:
      - {from: look, to: done}
    """,
)
