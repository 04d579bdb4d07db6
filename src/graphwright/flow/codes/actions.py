"""Codes of actions, confirmations and channels: GW5xx."""

from graphwright.flow.catalogue import ActionSignature, Catalogue
from graphwright.flow.codes.table import error, warning

_QUOTE = Catalogue(actions={"make_quote": ActionSignature("make_quote", ("answers.watts",), ("quote",))})
_ACTION = """
state:
  quote: {type: [string, "null"]}
nodes:
  - {id: q.watts, type: question, key: watts, prompt: How many watts?, schema: {type: integer}}
  - {id: offer, type: action, run: make_quote}
  - {id: done, type: terminal}
edges:
  - {from: q.watts, to: offer}
  - {from: offer, to: done}
"""
UNKNOWN_ACTION = error(
    501,
    "Unknown action",
    "No function of the agent is registered under this name.",
    _ACTION.replace("make_quote", "make_qoute"),
    _ACTION,
    _QUOTE,
)
ACTION_READS = error(
    502,
    "Action reads what is not there",
    "The action declares to read a channel that the flow does not have, or an answer that no question here asks for.",
    _ACTION.replace("key: watts", "key: wattage"),
    _ACTION,
    _QUOTE,
)
ACTION_WRITES = error(
    503,
    "Action writes what is not there",
    "Actions write channels, and every channel is declared under `state`.",
    _ACTION.replace("  quote:", "  price:"),
    _ACTION,
    _QUOTE,
)
_CHANNEL = """
state:
  log: {%s}
nodes:
  - {id: done, type: terminal}
edges: []
"""
BAD_DEFAULT = error(
    504,
    "Default that does not fit",
    "A channel begins with its default, so the default must fit the channel's own schema.",
    _CHANNEL % "type: integer, default: none",
    _CHANNEL % "type: integer, default: 0",
)
APPEND_NOT_LIST = error(
    505,
    "Append to something that is no list",
    "With `reduce: append` what actions write is added to the list in the channel.",
    _CHANNEL % "type: string, reduce: append",
    _CHANNEL % "type: array, reduce: append",
)
_CONFIRM = """
state:
  offer: {type: string}
nodes:
  - {id: q.sure, type: question, key: sure, prompt: "Send {{ offer }}?"%s}
  - {id: send, type: action, run: send_offer, confirm: {by: q.sure, over: [%s]}}
  - {id: done, type: terminal}
edges:
  - {from: q.sure, to: send, guard: "answers.sure == %s"}
  - {from: q.sure, to: done, guard: else}
  - {from: send, to: done}
"""
CONFIRM_BY = error(
    506,
    "Confirmed by something that cannot confirm",
    "`confirm.by` names a question of the same graph that reads yes or no by code (`read: confirm`), so that no model "
    "can talk itself into a yes.",
    _CONFIRM % ("", "offer", "'yes'"),
    _CONFIRM % (", read: confirm", "offer", "true"),
)
CONFIRM_OVER = error(
    507,
    "Confirmed over something that is not there",
    "`confirm.over` names the channels and answers whose content the user saw and agreed to.",
    _CONFIRM % (", read: confirm", "ofer", "true"),
    _CONFIRM % (", read: confirm", "offer", "true"),
)
CONFIRM_WHEN = warning(
    509,
    "Confirming question that may not apply",
    "Where the `when` of the question is false, nobody is asked, so there is no yes: the action is not performed and "
    "the turn fails. Where a yes is needed only sometimes, `confirm` itself has a `when`.",
    _CONFIRM % (', read: confirm, when: "size(offer) > 0"', "offer", "true"),
    _CONFIRM.replace("[%s]}", '[%s], when: "size(offer) > 0"}') % (", read: confirm", "offer", "true"),
)
_STATE = """
state:
  plan: {type: string}
%snodes:
  - {id: done, type: terminal}
edges: []
"""
STATE_VIEW = error(
    508,
    "Field of the state view that the flow does not declare",
    "The document is the truth about the state; the typed view in Python may name only channels that it declares.",
    _STATE % "",
    _STATE % "  steps: {type: array}\n",
    Catalogue(state_fields=frozenset({"plan", "steps"})),
)
