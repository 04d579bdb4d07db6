"""In doubt: an action that may not be repeated was begun, and nobody can tell whether it was done. The user can."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from graphwright.flow.compiled import Action
from graphwright.runtime.events import OutcomeDecided, OutcomeUnknown, Said
from graphwright.runtime.reading.words import fold, phrases, words_of
from graphwright.runtime.state import ThreadState
from graphwright.runtime.turn import WaitingFor
from graphwright.runtime.walk import prompt

if TYPE_CHECKING:
    from graphwright.runtime.receive import Inbox
    from graphwright.runtime.run import StepLog

DONE, AGAIN = "done", "again"
_OPTIONS = ({"value": DONE, "title": DONE}, {"value": AGAIN, "title": AGAIN})

# Closed, as the words of a yes and a no are, and without them: "no" may mean that it was not done, or that it must not
# be done again, and what is read as "again" by mistake is done twice.
_DONE = phrases("""
    done, it was done, was done, it is done, its done, it has been done, already done, it was already done, it happened,
    yes done, yes it was done, yes it is done, yes its done
""")
_AGAIN = phrases("""
    again, do it again, please do it again, do it again please, again please, do it, please do it, repeat, repeat it,
    try again, not done, it was not done, it wasnt done, it is not done, it isnt done, it has not been done,
    no it was not done, no it wasnt done
""")


def ask_whether_done(log: StepLog, state: ThreadState, node: Action, visit: int, attempt: int, why: str) -> ThreadState:
    """Wait for the user to say whether the action was done. `why` says how it came that nobody knows."""
    log.emit(OutcomeUnknown(node.id, node.run, visit, attempt, why))
    text = (
        f"{why} during {node.label or node.id!r}, and I cannot tell whether it was done. Doing it again could do it "
        f"twice. Please look, and say {DONE!r} if it was done, or {AGAIN!r} to do it."
    )
    waiting = WaitingFor(node.id, "", text, "choice", _OPTIONS)
    prompt(log, waiting)
    return replace(state, waiting=waiting.to_json())


def in_doubt(state: ThreadState) -> bool:
    """Whether the thread waits to hear whether an action was done."""
    return state.mode == "performing" and state.waiting is not None and state.waiting["kind"] == "choice"


def decide(log: StepLog, state: ThreadState, visit: int, inbox: Inbox) -> str:
    """What the user says: `done`, `again`, or nothing when the reply is neither; then the question stands again."""
    assert state.waiting is not None
    said = inbox.value if inbox.has_value else _read(inbox.text or "")
    if said not in (DONE, AGAIN):
        log.emit(Said(state.waiting["node"], "Sorry, I did not find an answer to my question in that."))
        prompt(log, WaitingFor.from_json(state.waiting))
        return ""
    log.emit(OutcomeDecided(state.waiting["node"], visit, said))
    return str(said)


def _read(text: str) -> str:
    said = tuple(words_of(fold(text).replace("'", "")))
    if "?" in text:
        return ""
    return DONE if said in _DONE else AGAIN if said in _AGAIN else ""
