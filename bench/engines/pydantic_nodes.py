"""The flow in pydantic-graph, one node class for each node. It has no persistence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pydantic_graph import BaseNode, End, GraphBuilder, GraphRunContext

from bench.engines.shared import REPLY, STATE, chosen, holds
from bench.flows import PURE
from bench.measure import Case, Sample, steady
from bench.scale import Scale


@dataclass
class Values:
    """The state."""

    values: dict[str, Any]


def cases(scale: Scale) -> Iterator[Case]:
    """One run of the graph for each turn."""
    yield Case("ten/pydantic", "pydantic-graph", steady(_graph()), samples=scale.samples)


class Rest(BaseNode[Values, None, str]):
    """The target if a guard is false."""

    async def run(self, ctx: GraphRunContext[Values, None]) -> End[str]:
        return End("rest")


def _node(number: int, after: type[BaseNode[Values, None, str]] | None) -> type[BaseNode[Values, None, str]]:
    """A class whose node continues with `after`, or ends the run."""

    async def run(self: Any, ctx: GraphRunContext[Values, None]) -> Any:
        if not holds(ctx.state.values):
            return Rest()
        return End("ask") if after is None else after()

    # The library reads the possible targets of the node from the annotation.
    run.__annotations__["return"] = End[str] | Rest if after is None else after | Rest
    return type(f"N{number}", (BaseNode,), {"run": run})


def _graph() -> Sample:
    nodes: list[type[BaseNode[Values, None, str]]] = []
    for number in range(PURE, 0, -1):
        nodes.append(_node(number, nodes[-1] if nodes else None))
    first = nodes[-1]

    class Ask(BaseNode[Values, None, str]):
        async def run(self, ctx: GraphRunContext[Values, None]) -> Any:
            ctx.state.values["colour"] = chosen(REPLY)
            return first()

    Ask.run.__annotations__["return"] = first
    builder = GraphBuilder(name="ten", state_type=Values, output_type=str, input_type=Ask)
    every: list[type[BaseNode[Values, None, str]]] = [Ask, *nodes, Rest]
    builder.add(*(builder.node(node) for node in every))
    builder.add(builder.edge_from(builder.start_node).to(Ask))
    graph = builder.build()
    state = Values(dict(STATE))

    async def sample() -> None:
        assert await graph.run(state=state, inputs=Ask()) == "ask"

    return sample
