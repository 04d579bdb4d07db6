"""The figures of runs: a file for each model, the tables made of them, and the summary for the package."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic_evals.reporting import EvaluationReport, ReportCase

from eval.measured import Count, Measured
from eval.page import machine, table
from graphwright.errors import UsageError
from graphwright.host.discovery import find

MEASURED = "measured.json"
"""The file in an agent's folder that `graphwright agents` reads: the number of right and of all cases, by model."""


COUNTED: Mapping[str, str] = {
    "shown": "a wrong difference shown, and declined",
    "done": "something done that was not wanted",
    "questions": "questions",
    "needless": "of these needless",
    "refused": "refused, although it can be answered",
    "invented": "something invented",
    "unnoted": "of these without a note",
    "recognised": "recognised that there is no answer",
    "cited": "a right source cited",
    "first": "a right source cited first",
    "slipped": "in another language",
    "looked": "calls of tools or programs",
    "values": "values that the messages hold",
    "exact": "exact",
    "missed": "missed",
    "wrong": "wrong",
    "made_up": "invented",
}
"""The counts of a case; a table adds them up, or shows the number of cases with one, or of those asked."""

_SUMS = ("questions", "needless", "looked", "values", "exact", "missed", "wrong", "made_up")
_GROUPS = ("kind", "language", "corpus", "style", "words")
_OWN = ("id", "kind", "seen", "right", "calls", "read", "written", "seconds")


@dataclass(frozen=True, slots=True)
class Row:
    """The figures of a case. `counts` are those of its evaluation: see COUNTED; others are groups of the case."""

    id: str
    kind: str
    seen: bool
    right: bool
    calls: int
    read: int
    written: int
    seconds: float
    counts: Mapping[str, Count] = field(default_factory=dict)

    @classmethod
    def of(cls, each: ReportCase[Any, Any, Any]) -> Row:
        """The figures of a case, without the reasons of a wrong one."""
        case, played = each.inputs, each.output
        found = {**each.labels, **each.scores, **each.assertions}
        return cls(
            id=case.id,
            kind=case.kind,
            seen=case.seen,
            right=each.assertions["right"].value,
            calls=played.model_calls,
            read=played.input_tokens,
            written=played.output_tokens,
            seconds=round(played.seconds, 1),
            counts={name: result.value for name, result in found.items() if name != "right"},
        )

    def to_json(self) -> dict[str, Any]:
        """All figures in one object."""
        own = {name: getattr(self, name) for name in _OWN}
        places = list(own)
        return {**{k: own[k] for k in places[:4]}, **self.counts, **{k: own[k] for k in places[4:]}}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Row:
        counts = {name: value for name, value in data.items() if name not in _OWN}
        return cls(**{name: data[name] for name in _OWN}, counts=counts)

    def group(self, by: str) -> str:
        """Its group by one of the groupings, or an empty text."""
        return self.kind if by == "kind" else str(self.counts.get(by, ""))


@dataclass(frozen=True, slots=True)
class Figures:
    """The results of one model for the cases of one agent, by the agent or by the plain loop (`who`)."""

    model: str
    name: str
    who: str
    day: str
    machine: str
    load: float
    rows: Sequence[Row] = field(default_factory=tuple)

    @property
    def title(self) -> str:
        return self.model if self.who == "agent" else f"{self.model}, plain loop"

    @property
    def unseen(self) -> list[Row]:
        return [row for row in self.rows if not row.seen]


def save(folder: Path, name: str, who: str, model: str, report: EvaluationReport[Any, Any, Any]) -> None:
    """Write the results of a run into the file of its model, replacing the previous ones.

    The report itself is not written, because it says why unseen cases are wrong.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{re.sub(r'[^A-Za-z0-9.-]+', '-', model).strip('-')}.json"
    data: dict[str, Any] = json.loads(file.read_text("utf-8")) if file.is_file() else {"model": model}
    played: list[Measured] = [each.output for each in report.cases]
    data.setdefault(name, {})[who] = {
        "day": max(each.day for each in played),
        "machine": machine(),
        "load": round(sum(each.load for each in played) / len(played), 1),
        "cases": [Row.of(each).to_json() for each in report.cases],
    }
    cases = json.dumps(data, ensure_ascii=False, indent=1)
    # One line for each case, so that a difference shows which cases a later run changed.
    flat = re.sub(r"\{\n\s+(\"id\": [^}]*?)\n\s+\}", lambda found: "{" + re.sub(r"\n\s+", " ", found[1]) + "}", cases)
    file.write_text(flat + "\n", "utf-8")


def read_all(folder: Path, name: str) -> list[Figures]:
    """The figures of all models for the cases of an agent. Raises UsageError for an unreadable file."""
    found = []
    for file in sorted(folder.glob("*.json")):
        try:
            data = json.loads(file.read_text("utf-8"))
            for who, run in sorted(data.get(name, {}).items()):
                rows = tuple(map(Row.from_json, run["cases"]))
                found.append(Figures(data["model"], name, who, run["day"], run["machine"], run["load"], rows))
        except (ValueError, KeyError, TypeError) as error:
            raise UsageError("bad_results", f"{file} cannot be read: {error}", "Run the evaluation anew.") from error
    return found


def markdown(figures: Sequence[Figures]) -> str:
    """The figures of an agent as tables, a column for each model; examined cases have separate tables."""
    if not figures:
        return "Not measured yet."
    told = [f"`{each.title}`: {each.day}, {each.machine}, load {each.load}." for each in figures]
    parts = ["  \n".join(told), _totals(figures, [each.unseen for each in figures])]
    parts += filter(None, (_split(figures, by) for by in _GROUPS))
    seen = [[row for row in each.rows if row.seen] for each in figures]
    if any(seen):
        parts += ["Cases that were looked at, and are regression tests since:", _totals(figures, seen)]
    return "\n\n".join(parts)


def _totals(figures: Sequence[Figures], rows: Sequence[Sequence[Row]]) -> str:
    def a_case(count: Callable[[Row], float]) -> Callable[[Sequence[Row]], str]:
        return lambda rows: f"{sum(map(count, rows)) / len(rows):,.1f}" if rows else ""

    def counted(name: str) -> Callable[[Sequence[Row]], str]:
        def cell(rows: Sequence[Row]) -> str:
            values = [row.counts[name] for row in rows if name in row.counts]
            if all(isinstance(value, bool) for value in values):
                return f"{sum(map(bool, values))} of {len(values)}" if values else ""
            return str(sum(int(value) if name in _SUMS else value != 0 for value in values)) if values else ""

        return cell

    there = {name for each in rows for row in each for name in row.counts}
    lines: Mapping[str, Callable[[Sequence[Row]], object]] = {
        "cases": len,
        "right": lambda rows: f"{sum(row.right for row in rows)} ({_share(rows):.0%})" if rows else "",
        **{title: counted(name) for name, title in COUNTED.items() if name in there},
        "model calls a case": a_case(lambda row: row.calls),
        "prompt tokens a case": a_case(lambda row: row.read),
        "tokens written a case": a_case(lambda row: row.written),
        "seconds a case": a_case(lambda row: row.seconds),
    }
    heads = ("", *(f"`{each.title}`" for each in figures))
    return table(heads, [(name, *(cell(each) for each in rows)) for name, cell in lines.items()])


def _split(figures: Sequence[Figures], by: str) -> str:
    """The numbers of right cases of each group; empty if no case has one."""

    def cell(rows: Iterable[Row], group: str) -> str:
        of = [row.right for row in rows if row.group(by) == group]
        return f"{sum(of)} of {len(of)}" if of else ""

    groups = dict.fromkeys(name for each in figures for row in each.unseen if (name := row.group(by)))
    heads = (f"right, by {by}", *(f"`{each.title}`" for each in figures))
    return table(heads, [(name, *(cell(each.unseen, name) for each in figures)) for name in groups]) if groups else ""


def _share(rows: Sequence[Row]) -> float:
    return sum(row.right for row in rows) / len(rows)


def _folder(agent: str) -> Path:
    return find(agent).parent


def publish(figures: Iterable[Figures], folder: Callable[[str], Path] = _folder) -> None:
    """Write the summaries into the agents' folders: by model, the numbers of right and of all unseen cases."""
    counts: dict[str, dict[str, Any]] = {}
    for each in figures:
        if each.who == "agent" and each.unseen:
            counts.setdefault(each.name, {})[each.model] = [sum(row.right for row in each.unseen), len(each.unseen)]
    for name, models in counts.items():
        (folder(name) / MEASURED).write_text(json.dumps(models, indent=2, sort_keys=True) + "\n", "utf-8")
