"""The rows of a layered layout: which links run upwards, and the row of every box."""

from __future__ import annotations

from collections.abc import Sequence

Pair = tuple[int, int]
"""A link between two boxes, by their numbers; never from a box to itself."""


def upward(count: int, pairs: Sequence[Pair], first: int) -> set[int]:
    """The numbers of the links that close a cycle when one walks from `first`: drawn upwards, they leave no cycle."""
    leaving: list[list[int]] = [[] for _ in range(count)]
    for number, (source, _) in enumerate(pairs):
        leaving[source].append(number)
    back: set[int] = set()
    state = [0] * count
    for start in (first, *range(count)):
        if state[start]:
            continue
        state[start] = 1
        stack = [(start, iter(leaving[start]))]
        while stack:
            box, rest = stack[-1]
            for number in rest:
                target = pairs[number][1]
                if state[target] == 1:
                    back.add(number)
                elif not state[target]:
                    state[target] = 1
                    stack.append((target, iter(leaving[target])))
                    break
            else:
                state[box] = 2
                stack.pop()
    return back


def rows(count: int, pairs: Sequence[Pair], first: int) -> list[int]:
    """The row of each of `count` boxes, from 0 and with no row left out, every link leading downwards.

    A box stands right below the lowest one that leads to it; what hardly anything leads to, right above the highest
    that it leads to.
    """
    below: list[list[int]] = [[] for _ in range(count)]
    missing = [0] * count
    for upper, lower in pairs:
        below[upper].append(lower)
        missing[lower] += 1
    reached = list(missing)
    row = [0] * count
    order = [box for box in range(count) if not missing[box]]
    for box in order:
        for lower in below[box]:
            row[lower] = max(row[lower], row[box] + 1)
            missing[lower] -= 1
            if not missing[lower]:
                order.append(lower)
    for box in reversed(order):
        # Further down its links get shorter: those that leave it are more than those that reach it.
        if box != first and len(below[box]) > reached[box]:
            row[box] = min(row[lower] for lower in below[box]) - 1
    number = {old: new for new, old in enumerate(sorted(set(row)))}
    return [number[old] for old in row]
