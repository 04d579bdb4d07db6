"""`graphwright threads stats`: how often the nodes, edges and guards of the flows were used, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphwright.cli.console import columns, result, shown

if TYPE_CHECKING:
    from graphwright.runtime.telemetry.counters import FlowCount, GuardCount


def show_counts(flow: FlowCount) -> None:
    """The counts of one flow, the busiest first."""
    shown((flow.flow, "bold"))
    result(
        f"  {_many(flow.conversations, 'conversation')}, {_many(flow.turns, 'turn')} "
        f"({flow.failed} failed, {flow.escalated} escalated)"
    )
    result(
        f"  {_many(flow.model_calls, 'model call')} ({flow.model_failures} failed), {flow.input_tokens:,} tokens in, "
        f"{flow.output_tokens:,} out, {flow.seconds:.1f} s"
    )
    if flow.tool_calls:
        result(f"  {_many(flow.tool_calls, 'tool call')} ({flow.tool_failures} failed)")
    nodes = sorted(flow.nodes.items(), key=lambda item: (-item[1].entered, item[0]))
    edges = sorted(flow.edges.items(), key=lambda item: (-item[1].taken, item[0]))
    guards = sorted(flow.guards.items(), key=lambda item: (-_checked(item[1]), item[0]))
    if nodes:
        result()
        columns(
            [
                (str(n.entered), str(n.passed), str(n.waited), str(n.performed), str(n.failed), f"{name} ({n.kind})")
                for name, n in nodes
            ],
            ("ENTERED", "PASSED", "WAITED", "DONE", "FAILED", "NODE"),
        )
    if edges:
        result()
        columns(
            [(str(e.taken), str(e.ambiguous), _edge(name, e.source, e.target)) for name, e in edges],
            ("TAKEN", "AMBIGUOUS", "EDGE"),
        )
    if guards:
        result()
        columns(
            [(str(g.opened), str(g.closed), str(g.missing), str(g.failed), f"{name}: {g.guard}") for name, g in guards],
            ("OPENED", "CLOSED", "MISSING", "FAILED", "GUARD"),
        )


def _checked(guard: GuardCount) -> int:
    return guard.opened + guard.closed + guard.missing + guard.failed


def _edge(name: str, source: str, target: str) -> str:
    way = f"{source} -> {target}"
    return way if name == f"{source}->{target}" else f"{way} ({name})"


def _many(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
