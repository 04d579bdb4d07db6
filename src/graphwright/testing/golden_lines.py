"""The events of a trace as the lines of a golden trace: what happened, without what differs from run to run."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from graphwright.kernel.events import PRIVATE
from graphwright.runtime.channels import blob_key
from graphwright.runtime.sentences import PATH_WORDS

LONGEST = 400
"""How many characters of a value are written; of a longer one, how many it has."""

Event = Mapping[str, Any]

_SILENT = frozenset({"state_saved", "turn_resumed"})
_VARYING = frozenset({"type", "seconds", "visit", "content", "flow", "flow_hash", "seq"})


def golden_lines(events: Iterable[Event], *, home: str = "", varies: Sequence[str] = ()) -> list[str]:
    """The lines of a thread's events, one line an event, those of a node indented below it.

    The random part of idempotency keys and the data folder `home` stand as BORN and HOME, and what matches one of the
    regular expressions `varies` as `*`. Times, durations, tokens and names of models are left out.
    """
    listed = list(events)
    born = {str(e["state"]["born"]) for e in listed if e["type"] == "state_saved" and e["state"].get("born")}
    hidden: list[tuple[re.Pattern[str], str]] = [(re.compile(re.escape(text)), "BORN") for text in sorted(born)]
    if home:
        hidden.append((re.compile(re.escape(home)), "HOME"))
    hidden += [(re.compile(pattern), "*") for pattern in varies]
    lines: list[str] = []
    indent = 1
    for event in listed:
        kind = event["type"]
        if kind in _SILENT:
            continue
        for line in _LINES.get(kind, _any)(event):
            for pattern, name in hidden:
                line = pattern.sub(name, line)
            if kind == "turn_started":
                lines += ["", line] if lines else [line]
                indent = 1
            elif kind == "node_entered":
                indent = 1 + event["depth"]
                lines.append("  " * indent + line)
            else:
                indent = max(1, indent - (kind == "subgraph_left"))
                lines.append("  " * (indent + 1) + line)
    return lines


def shown(value: Any) -> str:
    """A value as JSON on one line; a long one is cut, and says how long it is."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    # Line ends beside \n would tear the line.
    text = re.sub("[\x7f-\x9f\u2028\u2029]", lambda found: f"\\u{ord(found[0]):04x}", text)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… ({len(text)} characters)"


def _pairs(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {shown(value)}" for name, value in values.items())


def _any(e: Event) -> list[str]:
    """Any other event: its name and its fields."""
    rest = {k: v for k, v in e.items() if k not in _VARYING and v not in (None, "", [], {})}
    words = str(e["type"]).replace("_", " ")
    return [f"{words}: {_pairs(rest)}" if rest else words]


def _turn_started(e: Event) -> list[str]:
    if e.get("resumed"):
        said = f"resume {shown(e['value'])}"
    else:
        said = "start" if e["message"] is None else shown(e["message"])
    return [f"turn {e['turn']}{' (afresh)' if e['afresh'] else ''}: {said}"]


def _guard_checked(e: Event) -> list[str]:
    verdict = "open" if e["opened"] else "closed"
    why = f"without {', '.join(e['missing'])}" if e.get("missing") else e.get("error") or _pairs(e["saw"])
    return [f"{e['of']} {verdict}: {e['guard']}{f' ({why})' if why else ''}"]


def _edge_taken(e: Event) -> list[str]:
    also = f", also open: {', '.join(e['also_open'])}" if e.get("also_open") else ""
    return [f"-> {e['target']}{' (else)' if e.get('else') else ''}{also}"]


def _model_called(e: Event) -> list[str]:
    answer = e.get("answer") or {}
    if e.get("error"):
        came = f"fails: {e['error']}"
    elif e.get("private"):
        came = f"answers {PRIVATE}"
    else:
        calls = answer.get("call") or {}
        parts = [calls] if isinstance(calls, Mapping) else calls
        names = [name for part in parts for name in part]
        came = f"calls {', '.join(names)}" if names else f"answers {_pairs(answer)}"
    return [f"model, offered {', '.join(e['offered']) or 'nothing'}, {came}"]


def _answer_committed(e: Event) -> list[str]:
    quote = f" from {shown(e['quote'])}" if e.get("quote") else ""
    before = f", was {shown(e['replaced'])}" if e.get("replaced") is not None else ""
    return [f"{e['key']} = {shown(e['value'])}{quote}{before}"]


def _answer_refused(e: Event) -> list[str]:
    return [f"refused {e['key']} = {shown(e['value'])} ({e['stage']}): {e['reason']}"]


def _prompted(e: Event) -> list[str]:
    options = f" {shown(e['options'])}" if e["kind"] == "choice" else ""
    return [f"waits at {e['node']} ({e['kind']}): {shown(e['text'])}{options}"]


def _written(e: Event) -> list[str]:
    private = e.get("private") or ()
    verb = "writes" if e["type"] == "channels_written" else "resets"
    return [
        f"{verb} {name} = {PRIVATE if name in private else '<large>' if blob_key(value) else shown(value)}"
        for name, value in e["values"].items()
    ]


def _of_path(kind: str) -> Callable[[Event], list[str]]:
    return lambda e: [PATH_WORDS[kind](e, shown)]


_LINES: dict[str, Callable[[Event], list[str]]] = {
    "turn_started": _turn_started,
    "node_entered": lambda e: [f"{e['node']} ({e['kind']})"],
    "guard_checked": _guard_checked,
    "edge_taken": _edge_taken,
    "question_passed": lambda e: [f"passed over: {e['reason']}"],
    "subgraph_entered": lambda e: [f"calls {e['ref']}" + (f" as {e['scope']}" if e["scope"] else "")],
    "subgraph_left": lambda e: [f"{e['ref']} returns to {e['node']}"],
    "answer_dropped": lambda e: [f"drops {e['key']}"],
    "constraint_unmet": lambda e: [f"not done: {e['message'] or ', '.join(e['keys'])}, asks {e['asks'] or 'nothing'}"],
    "jumped": lambda e: [f"jumps to {e['target']}: {e['reason']}"],
    "model_called": _model_called,
    "answer_committed": _answer_committed,
    "answer_refused": _answer_refused,
    "answer_unknown": lambda e: [f"no answer to {e['key']}{', declined' if e['declined'] else ''}: {e['reason']}"],
    "not_understood": lambda e: [f"no answer to {e['key']} in the reply ({e['count']} of {e['limit']})"],
    "escalated": lambda e: [f"escalates to {e['target']}: {e['reason']}"],
    "said": lambda e: [f"says {shown(e['text'])}"],
    "prompted": _prompted,
    "confirmation_given": lambda e: [f"confirmed: {e['action']}"],
    "confirmation_missing": lambda e: [f"{e['action']} is not confirmed ({e['reason']}), asks {e['by']} again"],
    **{kind: _of_path(kind) for kind in PATH_WORDS},
    "action_started": lambda e: [f"runs {e['run']}" + (f", attempt {e['attempt']}" if e["attempt"] > 1 else "")],
    "action_finished": lambda e: [f"{e['run']} is done"],
    "action_failed": lambda e: [f"{e['run']} fails{' for good' if e['final'] else ''}: {e['error']}"],
    "channels_written": _written,
    "channels_reset": _written,
    "file_given": lambda e: [f"given {e['name']} ({e['bytes']} bytes)"],
    "artifact_made": lambda e: [f"made {e['name']} ({e['kind']})"],
    "turn_failed": lambda e: [f"the turn fails: {e['code']}: {e['message']}"],
}
