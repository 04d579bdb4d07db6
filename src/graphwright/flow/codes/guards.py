"""Codes of guards, templates, predicates and validators: GW3xx."""

from graphwright.flow.catalogue import Catalogue
from graphwright.flow.codes.table import error, warning

_VENUE = """
state:
  attempts: {type: integer, default: 0}
nodes:
  - id: q.venue
    type: question
    key: venue
    prompt: Where is it for?
    schema: {enum: [home, sports_court]}
  - {id: small, type: terminal}
  - {id: large, type: terminal}
edges:
  - {from: q.venue, to: large, guard: "%s"}
  - {from: q.venue, to: small, guard: else}
"""
_GOOD = _VENUE % "answers.venue == 'sports_court' && attempts < 3"

GUARD_SYNTAX = error(
    301,
    "Not an expression",
    "The text is not a CEL expression. Texts stand in single quotes, `and` is written `&&`, `or` `||`, equality `==`.",
    _VENUE % "answers.venue = 'home'",
    _GOOD,
)
GUARD_NAME = error(
    302,
    "Unknown name in an expression",
    "Expressions read answers that some question asks for (`answers.KEY`), channels under `state`, and predicates.",
    _VENUE % "answers.venu == 'home'",
    _GOOD,
)
GUARD_TYPE = error(
    303,
    "Types that do not go together",
    "The types of answers and channels are known from their schemas, so a comparison that can never hold is found "
    "before anything runs.",
    _VENUE % "attempts == 'three'",
    _GOOD,
)
GUARD_NOT_BOOLEAN = error(
    304,
    "Guard that is not true or false",
    "A guard opens an edge when it is true, so it must be a comparison or another yes-or-no expression.",
    _VENUE % "attempts + 1",
    _GOOD,
)
GUARD_LITERAL = error(
    305,
    "Value that can never occur",
    "The expression compares with a value that the schema of the answer or channel does not list.",
    _VENUE % "answers.venue == 'sports_hall'",
    _GOOD,
)
GUARD_LIMIT = error(
    306,
    "Expression too long or too deep",
    "Expressions have limits, so that any flow can be checked and run quickly. Name the parts under `predicates`.",
    _VENUE % ("answers.venue == 'home' || " * 100 + "attempts > 1"),
    _GOOD,
)
GUARD_PATTERN = error(
    307,
    "Not a regular expression",
    "The pattern given to `matches` cannot be used.",
    _VENUE % "answers.venue.matches('[')",
    _VENUE % "answers.venue.matches('^sports')",
)
TEMPLATE = error(
    308,
    "Broken template",
    "`{{` begins an expression inside a text, and `}}` ends it.",
    """
    nodes:
      - {id: q.name, type: question, key: name, prompt: Your name?}
      - {id: done, type: terminal, say: "Thank you, {{ answers.name."}
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
PREDICATE_CYCLE = error(
    309,
    "Predicates defined by each other",
    "A predicate may use others, but not itself by way of them.",
    """
    predicates: {calm: "!loud", loud: "!calm"}
    nodes:
      - {id: done, type: terminal}
    edges: []
    """,
    """
    predicates: {calm: "!loud", loud: "message.endsWith('!')"}
    nodes:
      - {id: done, type: terminal}
    edges: []
    """,
)
_VALIDATED = """
nodes:
  - {id: q.mail, type: question, key: mail, prompt: Your address?, validate: %s}
  - {id: done, type: terminal, say: "Sent to {{ answers.mail }}."}
edges:
  - {from: q.mail, to: done}
"""
UNKNOWN_VALIDATOR = error(
    310,
    "Unknown validator",
    "A single word in `validate` names a validator that the agent registers in Python.",
    _VALIDATED % "is_emial",
    _VALIDATED % "is_email",
    Catalogue(validators=frozenset({"is_email"})),
)
_LIMITED = """
nodes:
  - {id: q.size, type: question, key: size, prompt: How many metres?, schema: {type: integer, minimum: 1, maximum: 40}}
  - {id: small, type: terminal}
  - {id: large, type: terminal}
edges:
  - {from: q.size, to: large, guard: "answers.size > %s"}
  - {from: q.size, to: small, guard: else}
"""
NEVER_TRUE = warning(
    311,
    "Guard that is never true",
    "No value that the schemas allow makes the guard, `when`, `validate` or `confirm.when` true.",
    _LIMITED % 40,
    _LIMITED % 20,
)
