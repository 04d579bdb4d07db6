"""Codes of questions, answers and their schemas: GW4xx."""

from graphwright.flow.codes.table import error, info, warning

_TWO = """
nodes:
  - {id: q.amount, type: question, key: amount, prompt: How many?, schema: {type: integer}}
  - {id: q.again, type: question, key: amount, prompt: How many really?, ask: always, schema: {type: %s}}
  - {id: done, type: terminal, say: "{{ answers.amount }} it is."}
edges:
  - {from: q.amount, to: q.again}
  - {from: q.again, to: done}
"""
KEY_TWO_SCHEMAS = error(
    401,
    "One key, two schemas",
    "Questions that share a key share the answer, so they must agree on what it is. Subgraphs called with `as` keep "
    "their answers apart.",
    _TWO % "string",
    _TWO % "integer",
)
_READ = """
nodes:
  - {id: q.name, type: question, key: name, prompt: Your name?}
  - {id: done, type: terminal, say: "%s"}
edges:
  - {from: q.name, to: done}
"""
KEY_NOT_READ = info(
    402,
    "Answer that nothing reads",
    "The answer is collected, but no guard, template, constraint or action of the flow reads it. That is right when "
    "it is collected for whoever reads the result.",
    _READ % "Thank you.",
    _READ % "Thank you, {{ answers.name }}.",
)
_QUESTION = """
nodes:
  - {id: q.size, type: question, key: size, prompt: What size?, %s}
  - {id: done, type: terminal, say: "Size: {{ answers.size }}."}
edges:
  - {from: q.size, to: done}
"""
NO_OPTIONS = error(
    403,
    "Choice without options",
    "`read: choice` offers the options that the schema lists, by `enum` or by `oneOf` with `const` and `title`, or "
    "those that a channel holds, named by `options`.",
    _QUESTION % "read: choice",
    _QUESTION % "read: choice, schema: {enum: [small, large]}",
)
BAD_SCHEMA = error(
    404,
    "Invalid JSON Schema",
    "The schema of a question or channel does not follow JSON Schema, draft 2020-12.",
    _QUESTION % "schema: {type: text}",
    _QUESTION % "schema: {type: string}",
)
SCHEMA_KEYWORD = warning(
    405,
    "Keyword that JSON Schema does not know",
    "Unknown keywords have no effect, so a misspelt one demands nothing. Names that begin with `x-` are left alone.",
    _QUESTION % "schema: {type: integer, minimun: 1}",
    _QUESTION % "schema: {type: integer, minimum: 1}",
)
SCHEMA_ALLOWS_NOTHING = error(
    406,
    "Schema that contradicts itself",
    "No value, or not one of the listed values, can ever fit.",
    _QUESTION % "schema: {type: integer, minimum: 9, maximum: 1}",
    _QUESTION % "schema: {type: integer, minimum: 1, maximum: 9}",
)
CONFIRM_SCHEMA = error(
    407,
    "Confirmation that cannot hold a yes",
    "`read: confirm` stores true for yes and false for no, so the schema must allow them.",
    _QUESTION % "read: confirm, schema: {type: integer}",
    _QUESTION % "read: confirm, schema: {type: boolean}",
)
_ROUTE = """
nodes:
  - {id: q.start, type: question, key: new, prompt: Are you new here?, read: confirm, schema: {type: boolean}}
  - {id: q.venue, type: question, key: venue, prompt: Where is it for?, schema: {enum: [home, office]}}
  - {id: d.route, type: decision}
  - {id: small, type: terminal}
  - {id: large, type: terminal}
edges:
  - {from: q.start, to: q.venue, guard: "answers.new"}
  - {from: q.start, to: d.route, guard: else}
  - {from: q.venue, to: d.route}
  - {from: d.route, to: large, guard: "%sanswers.venue == 'office'"}
  - {from: d.route, to: small, guard: else}
"""
MAY_BE_UNASKED = warning(
    408,
    "Answer that may not be there yet",
    "A guard, template, `when` or `validate` reads an answer, and on some way from the entry nobody has asked for it. "
    "The message shows such a way; a remark behind a node says that its question was passed over or not answered. What "
    "users say before they are asked does not count: they may not say it. Nothing is reported where the answer cannot "
    "matter, as behind `has(answers.x) &&`, or where another edge is open on that way all the same.",
    _ROUTE % "",
    _ROUTE % "has(answers.venue) && ",
)
_OPTIONS = """
state:
  sizes: {type: array, %s, default: []}
nodes:
  - {id: load, type: action, run: load_sizes}
  - {id: q.size, type: question, key: size, prompt: What size?, options: sizes%s}
  - {id: done, type: terminal, say: "Size: {{ answers.size }}."}
edges:
  - {from: load, to: q.size}
  - {from: q.size, to: done}
"""
_SIZES = "items: {type: object, properties: {value: {type: string}, title: {type: string}}}"
OPTIONS_CHANNEL = error(
    409,
    "Options that are no list of options",
    "`options` names a channel that holds a list of objects with `value` and `title`, or of plain values. What the "
    "channel declares is the type of the answer, too.",
    _OPTIONS % ("items: {type: object, properties: {name: {type: string}}}", ""),
    _OPTIONS % (_SIZES, ""),
)
OPTIONS_NOT_READ = error(
    410,
    "Options that nothing chooses from",
    "`options` goes with `read: choice`, which it implies, and with `read: extract`. The other ways of reading a reply "
    "take no option out of it.",
    _OPTIONS % (_SIZES, ", read: verbatim"),
    _OPTIONS % (_SIZES, ", read: extract"),
)
