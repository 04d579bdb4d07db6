"""Graph algorithms: reachability, strongly connected components and cycles, iterative and in linear time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

T = TypeVar("T")


def reachable(start: Iterable[T], successors: Callable[[T], Iterable[T]]) -> set[T]:
    """Everything that can be reached from `start`, including `start`."""
    seen = set(start)
    todo = list(seen)
    while todo:
        for following in successors(todo.pop()):
            if following not in seen:
                seen.add(following)
                todo.append(following)
    return seen


def components(successors: Mapping[T, Sequence[T]]) -> list[list[T]]:
    """The strongly connected components (Tarjan), each after the components it leads to.

    Every node must be a key of `successors`; other targets are ignored.
    """
    index: dict[T, int] = {}
    low: dict[T, int] = {}
    on_stack: set[T] = set()
    stack: list[T] = []
    found: list[list[T]] = []
    for root in successors:
        if root in index:
            continue
        work = [(root, iter(successors[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, targets = work[-1]
            for target in targets:
                if target not in successors:
                    continue
                if target not in index:
                    index[target] = low[target] = len(index)
                    stack.append(target)
                    on_stack.add(target)
                    work.append((target, iter(successors[target])))
                    break
                if target in on_stack:
                    low[node] = min(low[node], index[target])
            else:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == index[node]:
                    members = []
                    while True:
                        member = stack.pop()
                        on_stack.discard(member)
                        members.append(member)
                        if member == node:
                            break
                    found.append(members[::-1])
    return found


def is_cyclic(component: Sequence[T], successors: Mapping[T, Sequence[T]]) -> bool:
    """Whether a strongly connected component contains a cycle (more than one node, or a loop)."""
    return len(component) > 1 or component[0] in successors[component[0]]


def cycle_through(start: T, within: set[T], successors: Mapping[T, Sequence[T]]) -> list[T]:
    """A shortest cycle from `start` back to it inside a strongly connected set; `start` appears once."""
    previous: dict[T, T] = {}
    level = [start]
    while level:
        following: list[T] = []
        for node in level:
            for target in successors[node]:
                if target == start:
                    way = [node]
                    while way[-1] != start:
                        way.append(previous[way[-1]])
                    return way[::-1]
                if target in within and target not in previous:
                    previous[target] = node
                    following.append(target)
        level = following
    return [start]
