"""In doubt: an action that may not be repeated was begun, and nobody can tell whether it was done. The user can."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from graphwright.flow.compiled import Action
from graphwright.flow.options import Option
from graphwright.runtime.answers.options import chosen
from graphwright.runtime.events import OutcomeDecided, OutcomeUnknown, Said
from graphwright.runtime.sentences import say
from graphwright.runtime.state import ThreadState
from graphwright.runtime.turn import WaitingFor
from graphwright.runtime.walk import prompt

if TYPE_CHECKING:
    from graphwright.runtime.receive import Inbox
    from graphwright.runtime.run import StepLog

DONE, AGAIN = "done", "again"


def ask_whether_done(log: StepLog, state: ThreadState, node: Action, visit: int, attempt: int, why: str) -> ThreadState:
    """Wait for the user to say whether the action was done. `why` says how it came that nobody knows."""
    log.emit(OutcomeUnknown(node.id, node.run, visit, attempt, why))
    done, again = (say(state.language, each) for each in (DONE, AGAIN))
    text = say(
        state.language, "in_doubt", why=why, node=repr(node.label or node.id), done=repr(done), again=repr(again)
    )
    options = (Option(DONE, done).to_json(), Option(AGAIN, again).to_json())
    waiting = WaitingFor(node.id, "", text, "choice", options)
    prompt(log, waiting)
    return replace(state, waiting=waiting.to_json())


def in_doubt(state: ThreadState) -> bool:
    """Whether the thread waits to hear whether an action was done."""
    return state.mode == "performing" and state.waiting is not None and state.waiting["kind"] == "choice"


def decide(log: StepLog, state: ThreadState, visit: int, inbox: Inbox) -> str:
    """What the user says: `done`, `again`, or nothing when the reply is neither; then the question stands again."""
    assert state.waiting is not None
    options = [Option(each["value"], each["title"]) for each in state.waiting["options"]]
    option = None if inbox.has_value else chosen(inbox.text or "", options)
    said = inbox.value if inbox.has_value else option.value if option else ""
    if said not in (DONE, AGAIN):
        log.emit(Said(state.waiting["node"], say(state.language, "not_found")))
        prompt(log, WaitingFor.from_json(state.waiting))
        return ""
    log.emit(OutcomeDecided(state.waiting["node"], visit, said))
    return str(said)
