"""What is known about the chosen path in the subgraphs of paths."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import or_
from typing import Any

from graphwright.flow.checks._truth_tables import FlowContext
from graphwright.flow.compiled import CHOSEN_PATH, Call


def path_facts(context: FlowContext, values: Iterable[tuple[Any, int]]) -> dict[str, int]:
    """For the graph of each path the facts that no other path is chosen, as long as only the chosen path enters it.

    `values` are those of `active_path`, each with the bit that says that it is not this one. A reply that chooses
    another path enters that one at once.
    """
    flow, known = context.flow, list(values)
    found: dict[str, int] = {}
    for path in flow.paths.values():
        calls = (flow.nodes[name] for name in context.control.callers[path.ref])
        if all(isinstance(call, Call) and call.ref == CHOSEN_PATH for call in calls):
            others = reduce(or_, (bit for value, bit in known if value != path.id), 0)
            found[path.ref] = found.get(path.ref, others) & others
    return found
