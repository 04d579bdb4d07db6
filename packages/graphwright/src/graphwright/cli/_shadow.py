"""`graphwright shadow report` and `replay-against`: where a new flow decides differently from the answering one."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphwright.cli.commands import CommandGroup
from graphwright.cli.console import note, print_line, result, result_json
from graphwright.cli.conversation import loaded, thread_row, with_store
from graphwright.cli.failures import Debug, json_option
from graphwright.errors import GraphwrightError, exception_text
from graphwright.text.sentences import bounded, many

if TYPE_CHECKING:
    from graphwright.engine._shadow import Comparison
    from graphwright.engine.events import ShadowCompared
    from graphwright.host.agent import Agent
    from graphwright.store import Store, ThreadRow

app = typer.Typer(
    cls=CommandGroup, no_args_is_help=True, help="Compare a new flow with the one that answers in its place."
)

ThreadsOption = Annotated[
    list[str] | None, typer.Option("--threads", metavar="T", help="Only this thread; may be repeated.")
]


async def _rows(store: Store, threads: Iterable[str] | None) -> AsyncIterator[ThreadRow]:
    """The named threads, or all. Raises UsageError (`no_such_thread`)."""
    if threads is None:
        async for row in store.threads.every():
            yield row
    for thread in threads or ():
        yield await thread_row(store, thread)


@dataclass(slots=True)
class _Report:
    """The comparisons with one version of a flow."""

    flow: str
    flow_hash: str
    counts: Counter[str] = field(default_factory=Counter)
    differing: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    def add(self, thread: str, turn: int, event: ShadowCompared) -> None:
        from graphwright.engine._shadow import difference

        self.counts[event.verdict] += 1
        if event.verdict != "same":
            text = difference(event.answering, event.shadow, event.reason)
            self.differing.setdefault((event.verdict, text), []).append(f"{thread} (turn {turn})")

    def to_json(self) -> dict[str, Any]:
        listed = sorted(self.differing.items(), key=lambda item: (item[0][0], -len(item[1])))
        return {
            "flow": self.flow,
            "flow_hash": self.flow_hash,
            **{verdict: self.counts[verdict] for verdict in ("same", "different", "unknown")},
            "differences": [
                {"verdict": verdict, "difference": text, "count": len(turns), "turns": turns}
                for (verdict, text), turns in listed
            ],
        }


@app.command()
def report(
    threads: ThreadsOption = None,
    as_json: Annotated[bool, json_option()] = False,
    debug: Debug = False,
) -> None:
    """Count the recorded comparisons of flows in the shadow, and show the differences.

    One block for each version of a flow that walked in the shadow. 'unknown' are turns in which it is not known what
    the flow in the shadow would have done, with the reason.
    """
    reports = with_store(lambda store: _reports(store, threads))
    if as_json:
        result_json([each.to_json() for each in reports])
        return
    if not reports:
        note("No comparison was recorded. 'graphwright ask AGENT TEXT --shadow FILE' records one with each turn.")
    for each in reports:
        data = each.to_json()
        counts = ", ".join(f"{data[verdict]:,} {verdict}" for verdict in ("same", "different", "unknown"))
        print_line((f"{each.flow} ({each.flow_hash[:12]}): ", "bold"), counts)
        for found in data["differences"]:
            style = "yellow" if found["verdict"] == "different" else "dim"
            print_line("  ", (f"{found['count']:,} {found['verdict']}: ", style), found["difference"])
            result(f"    {bounded(found['turns'], 4)}")


async def _reports(store: Store, threads: list[str] | None) -> list[_Report]:
    from graphwright.engine.events import ShadowCompared, TurnStarted, events_from_json

    found: dict[tuple[str, str], _Report] = {}
    async for row in _rows(store, threads):
        rows = await store.events.of_type(row.thread, ShadowCompared.type)
        if not rows:
            continue
        begun = [each.seq for each in await store.events.of_type(row.thread, TurnStarted.type)]
        for each in rows:
            turn = sum(seq < each.seq for seq in begun)
            for event in events_from_json([each.event]):
                key = event.flow, event.flow_hash  # type: ignore[union-attr]
                found.setdefault(key, _Report(*key)).add(row.thread, turn, event)  # type: ignore[arg-type]
    return [found[key] for key in sorted(found)]


def replay_against(
    flow: Annotated[
        str,
        typer.Argument(metavar="NEW", help="The new flow: an agent, a flow document, or a folder with a flow.yaml."),
    ],
    threads: ThreadsOption = None,
    as_json: Annotated[bool, json_option()] = False,
    debug: Debug = False,
) -> None:
    """Walk a new flow through recorded threads, and show the turns in which it goes another way.

    All stored threads of the flow's id are walked, or those that are named. The recorded answers are shared by key and
    the results of actions by the name of the action; no model is called and nothing is performed or stored. Where that
    does not suffice, the outcome is 'unknown', with the reason.
    """
    agent = loaded(flow, answers_itself=True)
    found = with_store(lambda store: _replayed(store, agent, threads))
    if as_json:
        result_json(
            {"flow": agent.flow.id, "flow_hash": agent.flow.hash, "threads": [each.to_json() for each in found]}
        )
        return
    for each in found:
        _show(each)
    counts = Counter(each.verdict for each in found)
    told = ", ".join(f"{counts[verdict]:,} {verdict}" for verdict in ("same", "different", "unknown"))
    print_line((f"{many(len(found), 'thread')}: ", "bold"), f"{told}.")


@dataclass(frozen=True, slots=True)
class _Replayed:
    """The comparisons of a thread, with the number of each turn; or the reason why its trace cannot be read."""

    thread: str
    turns: list[tuple[int, Comparison]]
    unreadable: str = ""

    @property
    def verdict(self) -> str:
        """`different` if any turn is, else `unknown` if any turn is, else `same`."""
        verdicts = {comparison.verdict for _, comparison in self.turns}
        if self.unreadable or not verdicts:
            return "unknown"
        return next(each for each in ("different", "unknown", "same") if each in verdicts)

    def to_json(self) -> dict[str, Any]:
        turns = [{"turn": number, **_comparison_json(comparison)} for number, comparison in self.turns]
        return {"thread": self.thread, "verdict": self.verdict, "reason": self.unreadable, "turns": turns}


def _comparison_json(comparison: Comparison) -> dict[str, Any]:
    return {
        "verdict": comparison.verdict,
        "reason": comparison.reason,
        "answering": comparison.answering.to_json(),
        "shadow": comparison.shadow.to_json() if comparison.shadow is not None else None,
    }


def _show(replayed: _Replayed) -> None:
    from graphwright.engine._shadow import difference

    style = {"different": "bold yellow", "unknown": "dim", "same": "green"}[replayed.verdict]
    turns = [(number, each) for number, each in replayed.turns if each.verdict != "same"]
    print_line((f"{replayed.verdict:9} ", style), (replayed.thread, "bold"), f" ({many(len(replayed.turns), 'turn')})")
    if replayed.unreadable:
        result(f"  {replayed.unreadable}")
    for number, each in turns:
        shadow = each.shadow.to_json() if each.shadow is not None else {}
        result(f"  turn {number}: {difference(each.answering.to_json(), shadow, each.reason)}")


async def _replayed(store: Store, agent: Agent, threads: list[str] | None) -> list[_Replayed]:
    from graphwright.engine.events import event_from_json
    from graphwright.host._shadow import replayed

    found: list[_Replayed] = []
    async for row in _rows(store, threads):
        if threads is None and row.flow_id != agent.flow.id:
            continue
        try:
            events = [event_from_json(each.event) for each in await store.events.read(row.thread)]
            found.append(_Replayed(row.thread, await replayed(store, agent, events)))
        except (ValueError, TypeError, KeyError, AttributeError, IndexError, GraphwrightError) as error:
            found.append(
                _Replayed(
                    row.thread, [], f"Its trace cannot be walked: {type(error).__name__}: {exception_text(error)}."
                )
            )
    return found
