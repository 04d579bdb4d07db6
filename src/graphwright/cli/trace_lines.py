"""The events of a trace as lines for people: one event, one line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from graphwright.runtime.sentences import PATH_WORDS, votes_text

if TYPE_CHECKING:
    from graphwright.kernel import PathState

LONGEST = 100
"""How many characters of a value are shown."""

Event = Mapping[str, Any]


def trace_line(event: Event) -> str:
    """One event on one line: what happened, where, and with which values."""
    write = _LINES.get(str(event.get("type")), _plain)
    try:
        line = write(event)
    except KeyError:
        # An event written by another version may lack a field that this one expects.
        line = _plain(event)
    return " ".join(line.splitlines())


def trace_lines(events: Iterable[Event]) -> Iterator[str]:
    """The events one after the other, each indented by how deep in subgraphs it happened."""
    depth = 0
    for event in events:
        if event.get("type") == "node_entered":
            depth = event.get("depth", 0)
            yield trace_line(event)
        elif event.get("type") in ("turn_started", "branched"):
            depth = 0
            yield trace_line(event)
        else:
            if event.get("type") == "subgraph_left":
                depth = max(depth - 1, 0)
            yield "  " * depth + trace_line(event)


def without_private(event: Event) -> dict[str, Any]:
    """The event with what is private taken out: values of private channels, and answers of models that may hold them.

    What guards saw of them is never written down.
    """
    private = event.get("private")
    if not private:
        return dict(event)
    # The kernel takes a while to import, and a command line that only helps needs none of it.
    from graphwright.kernel.events import PRIVATE

    if event.get("type") == "model_called":
        return {**event, "answer": PRIVATE}
    values = event.get("values")
    if not isinstance(values, Mapping):
        return dict(event)
    return {**event, "values": {name: PRIVATE if name in private else v for name, v in values.items()}}


def value_text(value: Any, longest: int = LONGEST) -> str:
    """A value as JSON of at most `longest` characters."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _pairs(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {value_text(value)}" for name, value in values.items())


def _plain(event: Event) -> str:
    words = str(event.get("type", "event")).replace("_", " ")
    rest = {name: value for name, value in event.items() if name != "type" and value not in (None, "", [], {})}
    return f"{words}: {_pairs(rest)}" if rest else words


def _node_entered(e: Event) -> str:
    return f"{'  ' * e['depth']}{e['node']} ({e['kind']})"


def _guard_checked(e: Event) -> str:
    verdict = "opens" if e["opened"] else "stays closed"
    if e.get("missing"):
        why = f", {', '.join(e['missing'])} has no value yet"
    elif e.get("error"):
        why = f", {e['error']}"
    else:
        why = f", with {_pairs(e['saw'])}" if e.get("saw") else ""
    return f"  guard of {e['of']} {verdict}: {e['guard']}{why}"


def _edge_taken(e: Event) -> str:
    otherwise = " (else)" if e.get("else") else ""
    ambiguous = f", also open: {', '.join(e['also_open'])}" if e.get("also_open") else ""
    return f"  {e['source']} -> {e['target']}{otherwise}{ambiguous}"


def _turn_started(e: Event) -> str:
    said = f": {value_text(e['message'])}" if e.get("message") is not None else ""
    return f"turn {e['turn']} begins{' afresh' if e['afresh'] else ''}{said}"


def _model_called(e: Event) -> str:
    offered = f" for {', '.join(e['offered'])}" if e.get("offered") else ""
    cost = f"{e['input_tokens']} tokens in, {e['output_tokens']} out, {e['seconds']:.1f} s"
    failed = f", failed: {e['error']}" if e.get("error") else ""
    return f"  model {e['model']} at {e['node']}{offered} ({cost}){failed}{_answer(e.get('answer'))}"


def _answer(answer: Any) -> str:
    """What a model answered: calls by name, or its text."""
    if not isinstance(answer, Mapping):
        return f": {answer}" if answer else ""
    calls = answer.get("call")
    if calls is None:
        text = answer.get("text") or answer.get("raw")
        return f": {value_text(text)}" if text else ""
    each = calls if isinstance(calls, list) else [{name: given} for name, given in calls.items()]
    return ": " + ", ".join(f"{name} {value_text(given)}" for call in each for name, given in call.items())


def _tool_called(e: Event) -> str:
    given = f" with {', '.join(e['arguments'])}" if e.get("arguments") else ""
    failed = "" if e["ok"] else f", {str(e['kind']).replace('_', ' ')}: {e['error']}"
    code = f" [{e['code']}]" if e.get("code") else ""
    return f"  tool {e['tool']}{given} ({e['seconds']:.2f} s){failed}{code}"


def _state_adapted(e: Event) -> str:
    gone = [f"{what} {', '.join(e[what])}" for what in ("answers", "channels") if e[what]]
    return f"  does not fit the flow as it is now, dropped: {'; '.join(gone)}"


def _branched(e: Event) -> str:
    changed = f", with {', '.join(e['answers'])} changed" if e.get("answers") else ""
    return f"branch: goes on after event {e['at']} of thread {e['thread']}{changed}"


def _state_saved(e: Event) -> str:
    state = e["state"]
    frames = (state.get("position") or {}).get("frames") or [["", "nowhere"]]
    return f"  saved: {state.get('mode', 'new')} at {frames[-1][1]}"


def _answer_committed(e: Event) -> str:
    quote = f", from {value_text(e['quote'])}" if e.get("quote") not in (None, "", e["value"]) else ""
    before = f", before {value_text(e['replaced'])}" if e.get("replaced") is not None else ""
    return f"  answer {e['key']} = {value_text(e['value'])}{quote}{before}"


def _answer_refused(e: Event) -> str:
    return f"  refused {e['key']} = {value_text(e['value'])} ({e['stage']}): {e['reason']}"


def _action_failed(e: Event) -> str:
    last = ", the last attempt" if e.get("final") else ""
    return f"  {e['run']} failed (attempt {e['attempt']}{last}): {e['error']}"


def _interaction_noted(e: Event) -> str:
    said = {name: value for name, value in e.items() if name not in ("type", "node", "seq", "visit", "time")}
    return f"  for the interaction log: {_pairs(said)}" if said else "  for the interaction log"


def path_text(paths: PathState) -> str:
    """Which path a thread is on, the votes, and why the last one was cast."""
    which = f"{paths.locked}, chosen" if paths.locked else f"{paths.tentative}, not chosen yet"
    why = f"; the last because {value_text(paths.rationale)}" if paths.rationale else ""
    return f"{which} (votes: {votes_text(paths.votes)}{why})"


def _of_path(kind: str) -> Callable[[Event], str]:
    return lambda e: f"  {PATH_WORDS[kind](e, value_text)}"


_LINES: dict[str, Callable[[Event], str]] = {
    "node_entered": _node_entered,
    "guard_checked": _guard_checked,
    "edge_taken": _edge_taken,
    "subgraph_entered": lambda e: f"  {e['node']} calls {e['ref']}",
    "subgraph_left": lambda e: f"  {e['ref']} returns to {e['node']}",
    "question_passed": lambda e: f"  passed over, {str(e['reason']).replace('_', ' ')}",
    "answer_dropped": lambda e: f"  answer {e['key']} dropped, to be asked again",
    "constraint_unmet": lambda e: f"  not done yet: {e['message'] or ', '.join(e['keys'])}",
    "jumped": lambda e: f"  {e['source']} -> {e['target']}, jumped: {str(e['reason']).replace('_', ' ')}",
    "turn_started": _turn_started,
    "file_given": lambda e: f"  given {e['name']} ({e['bytes']:,} bytes)",
    "turn_resumed": lambda e: f"turn {e['turn']} goes on after an interruption",
    "model_called": _model_called,
    "tool_called": _tool_called,
    "answers_cleared": lambda e: "  all answers are forgotten",
    "channels_reset": lambda e: f"  begins with {_pairs(e['values'])}",
    "state_adapted": _state_adapted,
    "answer_committed": _answer_committed,
    "answer_refused": _answer_refused,
    "answer_unknown": lambda e: f"  no answer to {e['key']}: {e['reason']}",
    "not_understood": lambda e: f"  no answer in the reply to {e['key']} ({e['count']} of {e['limit']})",
    "escalated": lambda e: f"  {e['node']} -> {e['target']}, escalated: {e['reason']}",
    "said": lambda e: f"  says {value_text(e['text'])}",
    "prompted": lambda e: f"  waits at {e['node']}: {value_text(e['text'])}",
    "confirmation_given": lambda e: f"  confirmed: {e['action']}",
    "confirmation_missing": lambda e: f"  {e['action']} needs a yes first ({str(e['reason']).replace('_', ' ')})",
    **{kind: _of_path(kind) for kind in PATH_WORDS},
    "action_started": lambda e: f"  {e['run']} starts (attempt {e['attempt']})",
    "action_finished": lambda e: f"  {e['run']} is done ({e['seconds']:.2f} s, attempt {e['attempt']})",
    "action_failed": _action_failed,
    "channels_written": lambda e: f"  writes {_pairs(e['values'])}",
    "artifact_made": lambda e: f"  made {e['name']} ({e['kind']}): {e['path']}",
    "interaction_noted": _interaction_noted,
    "outcome_unknown": lambda e: f"  whether {e['run']} was done is not known: {e['reason']}",
    "outcome_decided": lambda e: f"  {e['node']}: the user says {e['decision']}",
    "branched": _branched,
    "state_saved": _state_saved,
    "turn_failed": lambda e: f"  failed: {e['message']} [{e['code']}]",
}
