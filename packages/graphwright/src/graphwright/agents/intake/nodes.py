"""The actions of the intake flow: sum up, pass the lead on, leave a note for a colleague."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphwright import ActionContext, action
from graphwright.agents.intake.state import Answers, State

LEADS = "intake.leads"
"""The collection of the store that holds one record a lead."""

CALLS = "intake.calls"
"""The collection that holds the conversations in which a person is needed."""

_INTENTIONS = {"buy": "You want to buy lights", "repair": "You need a repair", "other": "You have another request"}
_ENQUIRIES = {"buy": "your purchase enquiry", "repair": "your repair enquiry", "other": "your other enquiry"}
_VENUES = {"sports_court": "a sports court", "warehouse": "a warehouse", "office": "an office", "home": "a home"}

_OF_LIGHTS = ("product", "venue", "court_size", "wattage", "budget", "details")

_DETAILS = (
    *_OF_LIGHTS,
    "problem",
    "matter",
    "email",
    "phone",
)


def _relevant(answers: Answers) -> dict[str, Any]:
    """The answers that belong to this enquiry: a correction may have left others behind."""
    intention = answers.get("intention", "buy")
    dropped = {
        "buy": {"problem", "matter"},
        "repair": {*_OF_LIGHTS, "matter"},
    }
    skip = set(dropped.get(intention, {*_OF_LIGHTS, "problem"}))
    if answers.get("venue") != "sports_court":
        skip.add("court_size")
    return {"intention": intention} | {k: answers.get(k) for k in _DETAILS if k in answers and k not in skip}


def _line(key: str, value: Any) -> str:
    match key:
        case "venue":
            return f"Place: {_VENUES.get(value, value)}"
        case "wattage":
            return f"Power of each light: {value:,} W"
        case "budget":
            return f"Budget: {value:,.0f} EUR"
        case "email":
            return f"E-mail: {value}"
        case "matter":
            return f"Subject: {value}"
    return f"{key.replace('_', ' ').capitalize()}: {value}"


def _earlier(state: State) -> dict[str, str]:
    """The number of the last lead of the same kind, by what this enquiry is to it: `amends` or `beside`."""
    leads: Mapping[str, Any] = state["leads"]
    number = leads.get(state["answers"].get("intention", "buy"))
    return {"beside" if state["answers"].get("separate") else "amends": number} if number else {}


_RELATIONS = {
    "amends": "This amends your enquiry {number}. If it is a separate one, please say so.",
    "beside": "This is a separate enquiry beside {number}. If it amends that one, please say so.",
}


@action(reads=["answers", "leads"], writes=["summary", "relation"], effects=False)
def summarise(state: State, ctx: ActionContext) -> State:
    """Put what was understood into words that the user can check."""
    details = _relevant(state["answers"])
    head = _INTENTIONS.get(str(details.pop("intention", "")), "Your request")
    lines = [f"- {_line(key, value)}" for key, value in details.items()]
    relation = " ".join(_RELATIONS[kind].format(number=number) for kind, number in _earlier(state).items())
    return {"summary": "\n".join([f"{head}:", *lines]), "relation": relation}


@action(reads=["answers", "summary", "sent", "leads"], writes=["lead", "passed_on", "sent", "leads"])
async def send_lead(state: State, ctx: ActionContext) -> State:
    """Write the lead to the store, once: the same confirmed visit gives the same lead however often it is tried."""
    number = f"L-{ctx.key.replace(':', '-')}"
    received = ctx.now.isoformat(timespec="seconds")
    lead = {"number": number, "received": received, **_earlier(state), **_relevant(state["answers"])}
    kept, _ = await ctx.store.put_once(LEADS, lead)
    amends = f", amends {kept['amends']}" if "amends" in kept else ""
    this = f"{_ENQUIRIES[kept['intention']]} ({kept['number']}{amends})"
    sent = f"{state['sent'].removesuffix('.')}; {this}." if state["sent"] else f"Passed on so far: {this}."
    leads: Any = {**state["leads"], kept["intention"]: kept["number"]}
    return {"lead": kept["number"], "passed_on": state["summary"], "sent": sent, "leads": leads}


@action(reads=["answers"])
async def request_call(state: State, ctx: ActionContext) -> None:
    """Leave a note that a person has to take over."""
    note = {"asked": ctx.now.isoformat(timespec="seconds"), "answers": dict(state["answers"])}
    await ctx.store.put_once(CALLS, note)


@action(reads=["message"], writes=["farewell"], effects=False)
def keep_farewell(state: State, ctx: ActionContext) -> State:
    """Keep the message that gave up: an enquiry that was passed on may have to be cancelled."""
    return {"farewell": state["message"]}


@action(reads=["answers", "sent", "farewell"], writes=["sent"])
async def request_withdrawal(state: State, ctx: ActionContext) -> State:
    """Leave a note that asks to cancel an enquiry that was passed on, with the user's words."""
    note = {"asked": ctx.now.isoformat(timespec="seconds"), "cancel": state["farewell"], "sent": state["sent"]}
    await ctx.store.put_once(CALLS, {**note, "answers": dict(state["answers"])})
    return {"sent": f"{state['sent'].removesuffix('.')}; a note to cancel, with your words “{state['farewell']}”."}
