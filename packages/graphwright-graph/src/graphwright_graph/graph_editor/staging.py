"""The calls of a step, checked and tried: look-ups run, writes are staged, and what is wrong becomes findings."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from graphwright.context import shortened
from graphwright.errors import GraphwrightError
from graphwright.models import ModelFailure
from graphwright.tools import ToolRegistry
from graphwright_graph import Change, GraphError, GraphStore, NotFound, Preview, Transient, write_from_json
from graphwright_graph._elements import quote
from graphwright_graph._wording import element_text
from graphwright_graph.graph_editor.schemas import MOST_CALLS, NO_FAILURE
from graphwright_graph.graph_editor.state import Call, FailedStep, Failure, MadeCall, Quote, Result, Table
from graphwright_graph.graph_editor.tools import NOT_THERE, TOOLS, Workspace, using_workspace
from graphwright_graph.graph_editor.view import LONGEST_KEPT, MOST_ROWS

MOST_STAGED = 500  # writes of one goal
MOST_FINDINGS = 5  # wrong calls of a step that are reported

_KEYS = ("key", "from_key", "to_key")


class Problem(NamedTuple):
    """The problem of a call, with its number, and the existing alternatives."""

    number: int
    text: str
    code: str
    near: tuple[str, ...] = ()


@dataclass(slots=True)
class TrialResult:
    """The result of trying a step.

    `staged` are all writes of the goal as JSON, `quotes` the words that the model quotes for each, `changes` their net
    changes.
    """

    staged: list[dict[str, Any]]
    quotes: list[Quote] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    binding: str = ""
    results: list[Result] = field(default_factory=list)
    failure: Failure = field(default_factory=lambda: NO_FAILURE)


def failure_of(error: GraphwrightError) -> Failure:
    """An error as a failure."""
    transient = isinstance(error, Transient) or (isinstance(error, ModelFailure) and error.transient)
    return {**failure(error.code, [error.full_text]), "transient": transient}


def failure(code: str, findings: Sequence[str], options: Sequence[str] = ()) -> Failure:
    """A failure. Findings are shortened: a model may have made up a megabyte."""
    shown: list[str] = shortened(list(findings[:MOST_FINDINGS]))
    return {**NO_FAILURE, "code": code, "message": "\n".join(shown), "findings": shown, "options": list(options)}


def rejected_calls(tools: ToolRegistry, calls: Sequence[Call]) -> Failure | None:
    """Why a step may not be tried: a tool that does not exist, arguments that fit none, too many calls."""
    if len(calls) > MOST_CALLS:
        text = f"{len(calls):,} calls are too many for one step: at most {MOST_CALLS} are taken."
        return failure("too_many_calls", [f"{text} One cypher_query can change many nodes."])
    wrong = [(call, tools.check(call["tool_name"], call["arguments"])) for call in calls]
    unknown = next((call["tool_name"] for call, why in wrong if why and why.kind == "unknown_tool"), None)
    if unknown is not None:
        name = shortened(unknown, 60)
        there = ", ".join(each.name for each in TOOLS)
        return failure("unknown_tool", [f"I do not have a tool `{name}`. My tools are: {there}."])
    findings = [f"{_named(call)}: {why.error}" for call, why in wrong if why]
    return failure("bad_arguments", findings) if findings else None


def _named(call: Call) -> str:
    arguments = call["arguments"]
    ends = [str(arguments[name]) for name in ("key", "from_key", "type", "to_key") if name in arguments]
    return " ".join([str(call["tool_name"]), *ends])


def quoted(call: Call) -> Quote:
    """The words of the user that the model quotes for a call, and for its arguments."""
    return {"because": call["because"], "words": call.get("words") or {}}


def undone_by(staged: Sequence[Mapping[str, Any]]) -> list[str]:
    """The goals that the staged step undoes; empty if it writes."""
    return [str(each["undo"]) for each in staged if "undo" in each]


def made_call(call: Call) -> MadeCall:
    """The identity of a call: repeating it has the same outcome."""
    return {"tool_name": call["tool_name"], "arguments": call["arguments"]}


def not_there(failures: Sequence[FailedStep]) -> list[MadeCall]:
    """The calls of steps that failed because a call named or matched nothing that exists."""
    return [made_call(call) for each in failures if each["code"] in NOT_THERE for call in each["calls"]]


async def try_calls(
    tools: ToolRegistry,
    store: GraphStore,
    calls: Sequence[Call],
    before: TrialResult,
    *,
    made: Sequence[MadeCall] = (),
    insisted: Sequence[MadeCall] = (),
) -> TrialResult:
    """Try the calls of a step after the writes staged `before`. All are accepted or none.

    `made` are look-ups made before, `insisted` calls that failed because they name or match nothing that exists. Raises
    GraphError if the graph cannot be opened, or no longer accepts the staged writes.
    """
    staged = before.staged
    undoing = [call for call in calls if call["tool_name"] == "undo"]
    if undone_by(staged) or (undoing and (staged or len(undoing) < len(calls))):
        findings = ["undo: nothing else can be done beside it, except other undos."]
        return TrialResult(staged, failure=failure("bad_arguments", findings))
    trial = _Trial(store, [write_from_json(each) for each in staged], before=len(staged))
    new: list[dict[str, Any]] = []
    quotes: list[Quote] = []
    out = TrialResult(staged, before.quotes)
    for number, call in enumerate(calls):
        name, arguments = call["tool_name"], call["arguments"]
        if name in ("query_graph", "cypher_query") and await asyncio.to_thread(trial.check):
            # Nothing is read after writes that cannot be done.
            continue
        trial.repeated = made_call(call) in insisted
        with using_workspace(trial):
            called = await tools.call(name, arguments)
        if not called.ok:
            trial.problems.append(Problem(number, f"{_named(call)}: {called.error}", called.code or called.kind))
        elif "table" in called.value:
            # As much as answers and later steps need.
            table: Table = called.value["table"]
            rows = table["rows"]
            cut = [[shortened(value, LONGEST_KEPT) for value in row] for row in rows[:MOST_ROWS]]
            kept: Table = {**table, "rows": cut, "count": len(rows)}
            tried = bool(trial.staged)
            out.results.append({"call": made_call(call), "because": call["because"], "table": kept, "tried": tried})
        elif "undo" not in called.value:
            trial.calls.append((number, call))
            new.append(called.value["staged"])
            quotes.append(quoted(call))
    if trial.undone and not trial.problems:
        return await asyncio.to_thread(_undo, store, trial.undone, quoted(undoing[0]))
    preview = None if await asyncio.to_thread(trial.check) else trial.preview
    if trial.problems:
        problems = sorted(trial.problems)
        near = [each for problem in problems for each in problem.near]
        out.results = []
        out.failure = failure(problems[0].code, [each.text for each in problems], near[:4])
    elif len(staged) + len(new) > MOST_STAGED:
        out.failure = failure("too_many_calls", [f"A goal takes at most {MOST_STAGED} writes; use one cypher_query."])
    elif out.results and not new and all(each["call"] in made for each in out.results):
        out.failure = failure("no_progress", ["These look-ups were made before; their results stand above."])
    else:
        out.staged, out.quotes = [*staged, *new], [*before.quotes, *quotes]
        if preview is not None:
            out.changes, out.binding = list(preview.changes), preview.binding
    return out


def _undo(store: GraphStore, goals: Sequence[str], quote: Quote) -> TrialResult:
    """Preview the undo of goals. An earlier goal may have made what a later one changed, so the latest is first."""
    # Their ids are numbered in the order of creation.
    first, *also = sorted(goals, key=lambda id: int(id[1:]), reverse=True)
    undone = list(store.preview_undo(first, also))
    return TrialResult([{"undo": id} for id in (first, *also)], [quote] * len(goals), undone, ", ".join([first, *also]))


@dataclass(slots=True)
class _Trial(Workspace):
    """Writes tried together in a transaction that is rolled back; those that cannot be done become problems.

    The writes of these `calls` come after those staged `before`.
    """

    before: int = 0
    calls: list[tuple[int, Call]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    preview: Preview | None = None
    checked: int = -1

    def check(self) -> bool:
        """Whether there is any problem, after trying what has not been tried yet."""
        while self.staged and self.checked != len(self.staged) and len(self.problems) < MOST_FINDINGS:
            self.checked = len(self.staged)
            try:
                self.preview = self.store.preview(self.staged)
            except GraphError as error:
                place = error.at
                if place is None or place < self.before or isinstance(error, Transient):
                    raise
                del self.staged[place]
                number, call = self.calls.pop(place - self.before)
                near = getattr(error, "near", getattr(error, "labels", ()))
                text = f"{_named(call)}: {error.full_text}{self._resembling(call, error)}"
                self.problems.append(Problem(number, text, error.code, near))
        return bool(self.problems)

    def _resembling(self, call: Call, error: GraphError) -> str:
        """The nodes that a text search finds for a key that does not exist: it may be a name."""
        if not isinstance(error, NotFound):
            return ""
        keys = [str(call["arguments"][name]) for name in _KEYS if name in call["arguments"]]
        found = [node for key in keys if quote(key) in error.message for node in self.store.search(key, most=3)]
        found = [node for node in found if node.key not in error.near]
        return f" By its words there is {'; '.join(map(element_text, found))}." if found else ""
