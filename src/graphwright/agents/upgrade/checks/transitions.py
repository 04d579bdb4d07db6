"""The states of experiments in both vocabularies, which state may follow which, and why another may not."""

from __future__ import annotations

from collections.abc import Mapping

from graphwright.agents.upgrade.client.experiment import DISPLAY_NAMES, State, internal

SCREENS: Mapping[State, str] = {state: name for name, state in DISPLAY_NAMES.items()}
"""What UpGrade's own screens call the states that have another name there."""

MEANING: Mapping[State, str] = {
    State.INACTIVE: "not started yet, nobody gets a condition",
    State.SCHEDULED: "it starts by itself at its time",
    State.PREVIEW: "only preview users get conditions",
    State.ENROLLING: "users get conditions and are enrolled",
    State.ENROLLMENT_COMPLETE: "nobody new is enrolled; it can be resumed",
    State.CANCELLED: "over for good, nobody gets a condition from it",
    State.ARCHIVED: "over for good and filed away",
    State.DRAFT: "not finished yet, nobody gets a condition",
}
"""What a state is, as half a sentence."""

_NEXT: Mapping[State, State] = {
    State.INACTIVE: State.ENROLLING,
    State.ENROLLING: State.ENROLLMENT_COMPLETE,
    State.ENROLLMENT_COMPLETE: State.ENROLLING,
}
_OVER = (State.CANCELLED, State.ARCHIVED)


def state_of(said: object) -> State | None:
    """The state that a text names in either vocabulary, whatever the case; None where it names none."""
    if not isinstance(said, str):
        return None
    wanted = internal(said.strip().casefold())
    return next((state for state in State if state.value.casefold() == str(wanted).casefold()), None)


def spoken(state: State) -> str:
    """A state in both vocabularies: `enrolling ("running" on UpGrade's screens)`."""
    return f'{state.value} ("{SCREENS[state]}" on UpGrade\'s screens)' if state in SCREENS else state.value


def ways(state: State) -> tuple[State, ...]:
    """The states that may follow."""
    if state in _OVER:
        return ()
    return (*([_NEXT[state]] if state in _NEXT else []), State.CANCELLED)


def refusal(before: State, after: State) -> str:
    """Why an experiment does not go from one state to the other, as sentences about "it"; empty where it may."""
    if after in ways(before):
        return ""
    if before == after:
        return f"It is {spoken(before)} already."
    if before in _OVER:
        why = f"It is {spoken(before)}, and no other state follows on that."
        if after is State.ARCHIVED:
            return f"{why} Archiving is done on UpGrade's own screens."
        return f"{why} Create a new experiment to go on."
    return f"It is {spoken(before)}. {_reason(before, after)} {_possible(before)}"


def _reason(before: State, after: State) -> str:
    if after is State.ENROLLMENT_COMPLETE:
        return "What was never started cannot be stopped."
    if after is State.INACTIVE:
        return "An experiment never becomes inactive again."
    if after is State.ENROLLING:
        own = {State.SCHEDULED: "A scheduled experiment starts by itself at its time."}
        return own.get(before, f"Only an inactive or a stopped experiment is started, and this one is {before.value}.")
    if after is State.ARCHIVED:
        return "Only what is over can be archived, and that is done on UpGrade's own screens."
    return f'The state "{after.value}" is set on UpGrade\'s own screens.'


def _possible(before: State) -> str:
    return f"It can become {' or '.join(spoken(state) for state in ways(before))}."
