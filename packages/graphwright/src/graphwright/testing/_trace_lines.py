"""The events of a trace as lines of text, one line per event, for people and for golden traces."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphwright.engine._paths import PathState

LONGEST = 100
"""Maximum length of a value, in characters."""

Event = Mapping[str, Any]
ValueText = Callable[[Any], str]
"""Returns a value as a short text."""

_UNINDENTED = ("node_entered", "turn_started", "branched")


def value_text(value: Any, longest: int = LONGEST) -> str:
    """Return a value as JSON of at most `longest` characters."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= longest else text[: longest - 1] + "…"


def event_text(event: Event, value: ValueText = value_text) -> str:
    """Return a text for an event with its place and values. Missing fields are left out."""
    kind = str(event.get("type"))
    try:
        line = _TEXTS.get(kind, _plain)(event, value)
    except KeyError:
        # An event of another version may lack a field.
        line = _plain(event, value)
    return " ".join(line.splitlines())


def trace_line(event: Event) -> str:
    """Return one event as a line, indented below its node or turn."""
    kind = event.get("type")
    depth = event.get("depth", 0) if kind == "node_entered" else kind in _TEXTS and kind not in _UNINDENTED
    return "  " * depth + event_text(event)


def trace_lines(events: Iterable[Event]) -> Iterator[str]:
    """Yield a line per event, indented by its depth in subgraphs."""
    depth = 0
    for event in events:
        kind = event.get("type")
        if kind in _UNINDENTED:
            depth = event.get("depth", 0)
            yield trace_line(event)
        else:
            depth = max(depth - (kind == "subgraph_left"), 0)
            yield "  " * depth + trace_line(event)


def _pairs(values: Mapping[str, Any], value: ValueText) -> str:
    return ", ".join(f"{name} = {value(each)}" for name, each in values.items())


def _words(code: Any) -> str:
    return str(code).replace("_", " ")


def _plain(e: Event, v: ValueText) -> str:
    words = _words(e.get("type", "event"))
    rest = {name: value for name, value in e.items() if name != "type" and value not in (None, "", [], {})}
    return f"{words}: {_pairs(rest, v)}" if rest else words


def _guard_checked(e: Event, v: ValueText) -> str:
    verdict = "opens" if e["opened"] else "stays closed"
    if e.get("missing"):
        why = f", {', '.join(e['missing'])} has no value yet"
    elif e.get("error"):
        why = f", {e['error']}"
    else:
        why = f", with {_pairs(e['saw'], v)}" if e.get("saw") else ""
    return f"guard of {e['of']} {verdict}: {e['guard']}{why}"


def _edge_taken(e: Event, _: ValueText) -> str:
    otherwise = " (else)" if e.get("else") else ""
    ambiguous = f", also open: {', '.join(e['also_open'])}" if e.get("also_open") else ""
    return f"{e['source']} -> {e['target']}{otherwise}{ambiguous}"


def _turn_started(e: Event, v: ValueText) -> str:
    said = f": {v(e['message'])}" if e.get("message") is not None else ""
    resumed = f": resumed by {v(e['value'])}" if e.get("resumed") else said
    return f"turn {e['turn']} begins{' afresh' if e['afresh'] else ''}{resumed}"


def _model_called(e: Event, v: ValueText) -> str:
    offered = f" for {', '.join(e['offered'])}" if e.get("offered") else ""
    seconds = f"{e['seconds']:.1f} s" if "seconds" in e else ""
    cost = f" ({e['input_tokens']} tokens in, {e['output_tokens']} out, {seconds})" if seconds else ""
    failed = f", failed: {e['error']}" if e.get("error") else ""
    model = f"model {e['model']}" if "model" in e else "model"
    return f"{model} at {e['node']}{offered}{cost}{failed}{_answer(e.get('answer'), v)}"


def _answer(answer: Any, v: ValueText) -> str:
    """Return the answer of a model: calls by name, or its text."""
    if not isinstance(answer, Mapping):
        return f": {answer}" if answer else ""
    calls = answer.get("call")
    if calls is None:
        text = answer.get("text") or answer.get("raw")
        return f": {v(text)}" if text else ""
    each = calls if isinstance(calls, list) else [{name: given} for name, given in calls.items()]
    return ": " + ", ".join(f"{name} {v(given)}" for call in each for name, given in call.items())


def _tool_called(e: Event, _: ValueText) -> str:
    given = f" with {', '.join(e['arguments'])}" if e.get("arguments") else ""
    seconds = f" ({e['seconds']:.2f} s)" if "seconds" in e else ""
    failed = "" if e["ok"] else f", {_words(e['kind'])}: {e['error']}"
    code = f" [{e['code']}]" if e.get("code") else ""
    return f"tool {e['tool']}{given}{seconds}{failed}{code}"


def _state_adapted(e: Event, _: ValueText) -> str:
    gone = [f"{what} {', '.join(e[what])}" for what in ("answers", "channels") if e[what]]
    return f"does not fit the flow as it is now, dropped: {'; '.join(gone)}"


def _flow_migrated(e: Event, _: ValueText) -> str:
    who = f"{e['by']} " if e.get("by") else ""
    what = "takes the migration back" if e.get("undoes") else "migrates the thread" if who else "carries over"
    why = f": {'; '.join(e['reasons'])}" if e.get("reasons") else ""
    return f"{who}{what} from version {e['before'][:12]} of the flow to {e['after'][:12]}{why}"


def _branched(e: Event, _: ValueText) -> str:
    changed = f", with {', '.join(e['answers'])} changed" if e.get("answers") else ""
    return f"branch: goes on after event {e['at']} of thread {e['thread']}{changed}"


BOOKKEEPING = ("moved", "language_read", "questions_reopened", "channels_computed")
"""The types of events that only complete the state; a trace for people leaves them out."""


def _channels_computed(e: Event, _: ValueText) -> str:
    forgotten = f"; no longer computed: {', '.join(e['forgotten'])}" if e["forgotten"] else ""
    return f"computed from answers: {', '.join(e['sources']) or 'nothing'}{forgotten}"


def _moved(e: Event, _: ValueText) -> str:
    visit = f", visit {e['visit']}" if e["mode"] == "performing" else ""
    return f"moved: {e['mode']} at {e['position']['frames'][-1][1]}{visit}"


def _answer_committed(e: Event, v: ValueText) -> str:
    quote = f", from {v(e['quote'])}" if e.get("quote") not in (None, "", e["value"]) else ""
    before = f", before {v(e['replaced'])}" if e.get("replaced") is not None else ""
    return f"answer {e['key']} = {v(e['value'])}{quote}{before}"


def _prompted(e: Event, v: ValueText) -> str:
    titles = [option["title"] for option in e.get("options") or ()] if e.get("kind") == "choice" else []
    return f"waits at {e['node']}: {v(e['text'])}" + (f", options {v(titles)}" if titles else "")


def _action_finished(e: Event, _: ValueText) -> str:
    seconds = f"{e['seconds']:.2f} s, " if "seconds" in e else ""
    return f"{e['run']} is done ({seconds}attempt {e['attempt']})"


def _outcome_decided(e: Event, _: ValueText) -> str:
    if e["decision"] == "kept":
        return f"{e['node']} was done already, passed over"
    return f"{e['node']}: the user says {_words(e['decision'])}"


def _action_failed(e: Event, _: ValueText) -> str:
    last = ", the last attempt" if e.get("final") else ""
    return f"{e['run']} failed (attempt {e['attempt']}{last}): {e['error']}"


def _interaction_noted(e: Event, v: ValueText) -> str:
    said = {name: value for name, value in e.items() if name not in ("type", "node", "seq", "visit", "time")}
    return f"for the interaction log: {_pairs(said, v)}" if said else "for the interaction log"


def _answer_unknown(e: Event, v: ValueText) -> str:
    before = f" (was {v(e['replaced'])})" if e.get("replaced") is not None else ""
    return f"no answer to {e['key']}{', declined' if e.get('declined') else ''}{before}: {e['reason']}"


def _answer_dropped(e: Event, v: ValueText) -> str:
    if not e.get("reason"):
        return f"answer {e['key']} dropped, to be asked again"
    return f"answer {e['key']} dropped ({e['reason']}, changed: {', '.join(e['because'])}), was {v(e['value'])}"


_NO_VOTE = {"unsure": "not sure enough", "locked": "the choice is made"}


def _votes(votes: Mapping[str, float]) -> str:
    return ", ".join(f"{path} {number:g}" for path, number in sorted(votes.items(), key=lambda item: -item[1]))


def _path_voted(e: Event, v: ValueText) -> str:
    sure = f" ({e['confidence']:g})" if e.get("confidence") is not None else ""
    why = f", because {v(e['rationale'])}" if e.get("rationale") else ""
    if not e["counted"]:
        return f"vote for {e['path']}{sure} does not count, {_NO_VOTE.get(e['reason'], e['reason'])}{why}"
    return f"vote for {e['path']}{sure}{why}: {_votes(e['votes'])} of {e['threshold']:g}"


def _path_refused(e: Event, v: ValueText) -> str:
    why = "there is no such path" if e["reason"] == "unknown" else "the reply was read as several paths"
    return f"no vote for {v(e['path'])}, {why}"


def _shadow_compared(e: Event, v: ValueText) -> str:
    from graphwright.engine._shadow import difference

    if e["verdict"] == "same":
        return f"shadow of {e['flow']}: same"
    return f"shadow of {e['flow']}: {e['verdict']}: {difference(e['answering'], e['shadow'], e['reason'])}"


def path_text(paths: PathState) -> str:
    """Return the path of a thread, the votes, and the reason of the last one."""
    which = f"{paths.locked}, chosen" if paths.locked else f"{paths.tentative}, not chosen yet"
    why = f"; the last because {value_text(paths.rationale)}" if paths.rationale else ""
    return f"{which} (votes: {_votes(paths.votes)}{why})"


_TEXTS: dict[str, Callable[[Event, ValueText], str]] = {
    "node_entered": lambda e, v: f"{e['node']} ({e['kind']})",
    "guard_checked": _guard_checked,
    "edge_taken": _edge_taken,
    "subgraph_entered": lambda e, v: f"{e['node']} calls {e['ref']}",
    "subgraph_left": lambda e, v: f"{e['ref']} returns to {e['node']}",
    "question_passed": lambda e, v: f"passed over, {_words(e['reason'])}",
    "answer_dropped": _answer_dropped,
    "channels_stale": lambda e, v: f"{', '.join(e['channels'])} no longer fit, changed: {', '.join(e['because'])}",
    "constraint_unmet": lambda e, v: f"not done yet: {e['message'] or ', '.join(e['keys'])}",
    "jumped": lambda e, v: f"{e['source']} -> {e['target']}, jumped: {_words(e['reason'])}",
    "turn_started": _turn_started,
    "file_given": lambda e, v: f"given {e['name']} ({e['bytes']:,} bytes)",
    "handed_over": lambda e, v: f"{e['node']}: handed over{' to ' + e['to'] if e['to'] else ''}: {v(e['summary'])}",
    "turn_resumed": lambda e, v: f"turn {e['turn']} goes on after an interruption",
    "model_called": _model_called,
    "tool_called": _tool_called,
    "answers_cleared": lambda e, v: "all answers are forgotten",
    "channels_reset": lambda e, v: f"begins with {_pairs(e['values'], v)}",
    "state_adapted": _state_adapted,
    "flow_migrated": _flow_migrated,
    "answer_committed": _answer_committed,
    "answer_refused": lambda e, v: f"refused {e['key']} = {v(e['value'])} ({e['stage']}): {e['reason']}",
    "answer_unknown": _answer_unknown,
    "not_understood": lambda e, v: f"no answer in the reply to {e['key']} ({e['count']} of {e['limit']})",
    "escalated": lambda e, v: f"{e['node']} -> {e['target']}, escalated: {e['reason']}",
    "said": lambda e, v: f"says {v(e['text'])}",
    "prompted": _prompted,
    "confirmation_given": lambda e, v: f"confirmed: {e['action']}",
    "confirmation_missing": lambda e, v: f"{e['action']} needs a yes first ({_words(e['reason'])})",
    "path_voted": _path_voted,
    "path_switched": lambda e, v: f"path {e['path']} takes the lead from {e['before']}",
    "path_locked": lambda e, v: f"path {e['path']} is chosen",
    "path_corrected": lambda e, v: f"path {e['path']} is chosen instead of {e['before']}, by the user's correction",
    "path_refused": _path_refused,
    "action_started": lambda e, v: f"{e['run']} starts (attempt {e['attempt']})",
    "action_finished": _action_finished,
    "action_failed": _action_failed,
    "channels_written": lambda e, v: f"writes {_pairs(e['values'], v)}",
    "artifact_made": lambda e, v: f"made {e['name']} ({e['kind']})" + (f": {e['path']}" if "path" in e else ""),
    "interaction_noted": _interaction_noted,
    "outcome_unknown": lambda e, v: f"whether {e['run']} was done is not known: {e['reason']}",
    "outcome_decided": _outcome_decided,
    "branched": _branched,
    "shadow_compared": _shadow_compared,
    "language_read": lambda e, v: f"the user writes {e['language']}",
    "questions_reopened": lambda e, v: f"to be asked now: {', '.join(e['keys'])}",
    "channels_computed": _channels_computed,
    "moved": _moved,
    "turn_failed": lambda e, v: f"failed: {e['message']} [{e['code']}]",
}
