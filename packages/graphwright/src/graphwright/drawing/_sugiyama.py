"""The steps of the Sugiyama method: cycle removal, layer assignment, crossing reduction, coordinate assignment."""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

Arc = tuple[int, int]
"""A directed edge between two vertices, by their numbers; never from a vertex to itself."""

Neighbours = Sequence[Sequence[int]]
"""The neighbours of each vertex in the next layer above, or below."""

_MOST_SWEEPS = 24
"""The maximum number of times that the layers are sorted."""

_WORK = 400_000
"""The maximum number of edges that all sweeps together examine, so that a large picture takes seconds."""

_MOST_SWAPPED = 1_500
"""The maximum number of vertices for which neighbours are also swapped to remove crossings."""

_FEW = 3
"""The maximum number of edges down from a vertex for which only the edge with the longest way ahead is kept straight.
"""


@dataclass(frozen=True, slots=True)
class Vertex:
    """A box or the bend of an edge in a layer. Sizes are pixels from its middle, `height` is the whole height."""

    layer: int
    left: float
    right: float
    height: float = 0.0
    is_bend: bool = False


def back_edges(count: int, arcs: Sequence[Arc]) -> set[int]:
    """The indexes of the arcs that close a cycle in a depth-first search from vertex 0.

    Reversing them removes all cycles.
    """
    leaving: list[list[int]] = [[] for _ in range(count)]
    for number, (source, _) in enumerate(arcs):
        leaving[source].append(number)
    back: set[int] = set()
    state = [0] * count  # 0 is new, 1 is on the stack, 2 is finished
    for start in range(count):
        if state[start]:
            continue
        state[start] = 1
        stack = [(start, iter(leaving[start]))]
        while stack:
            vertex, rest = stack[-1]
            for number in rest:
                target = arcs[number][1]
                if state[target] == 1:
                    back.add(number)
                elif not state[target]:
                    state[target] = 1
                    stack.append((target, iter(leaving[target])))
                    break
            else:
                state[vertex] = 2
                stack.pop()
    return back


def assign_layers(count: int, arcs: Sequence[Arc], most: int | None = None) -> list[int]:
    """The layer of each vertex, from 0, without empty layers. The arcs must not form a cycle; all lead downwards.

    A vertex is directly below the lowest one that leads to it (longest path). A vertex with more leaving than arriving
    arcs is directly above the highest one that it leads to, because that makes its arcs shorter. Vertex 0 stays at the
    top. If a layer has more than `most` vertices, those without leaving arcs move further down.
    """
    below: list[list[int]] = [[] for _ in range(count)]
    missing = [0] * count
    for upper, lower in arcs:
        below[upper].append(lower)
        missing[lower] += 1
    reached = list(missing)
    layer = [0] * count
    order = [vertex for vertex in range(count) if not missing[vertex]]
    for vertex in order:
        for lower in below[vertex]:
            layer[lower] = max(layer[lower], layer[vertex] + 1)
            missing[lower] -= 1
            if not missing[lower]:
                order.append(lower)
    for vertex in reversed(order):
        if vertex and len(below[vertex]) > reached[vertex]:
            layer[vertex] = min(layer[lower] for lower in below[vertex]) - 1
    number = {old: new for new, old in enumerate(sorted(set(layer)))}
    layer = [number[old] for old in layer]
    if most is not None:
        _split_layers(layer, below, most)
    return layer


def _split_layers(layer: list[int], below: Neighbours, most: int) -> None:
    members: list[list[int]] = [[] for _ in range(max(layer) + 1)]
    for vertex, found in enumerate(layer):
        members[found].append(vertex)
    for number, own in enumerate(members):
        ends = [vertex for vertex in own if not below[vertex]]
        surplus = ends[max(most - len(own) + len(ends), 1) :]
        if surplus and number + 1 == len(members):
            members.append([])
        for vertex in surplus:
            layer[vertex] = number + 1
            members[number + 1].append(vertex)


def reduce_crossings(vertices: Sequence[Vertex], above: Neighbours, below: Neighbours) -> list[list[int]]:
    """The vertices of each layer from left to right, so that few edges cross.

    It starts with the order in which a walk down the edges visits the vertices, which is that of the document. Then it
    sorts layers by the barycentre of the neighbours, downwards and upwards, as long as that helps; then it swaps.
    """
    layers = _first_order(vertices, below)
    sweeps = max(2, min(_MOST_SWEEPS, _WORK // max(sum(map(len, below)), 1)))
    best, fewest = [list(layer) for layer in layers], _crossings(layers, below)
    since = 0
    for sweep in range(sweeps):
        if not fewest or since == 4:
            break
        _sort_by_barycentre(layers, below if sweep % 2 else above, downwards=sweep % 2 == 0)
        found = _crossings(layers, below)
        since += 1
        if found < fewest:
            best, fewest, since = [list(layer) for layer in layers], found, 0
    if fewest and len(vertices) <= _MOST_SWAPPED:
        _swap(best, above, below)
    return best


def _first_order(vertices: Sequence[Vertex], below: Neighbours) -> list[list[int]]:
    layers: list[list[int]] = [[] for _ in range(max(vertex.layer for vertex in vertices) + 1)]
    seen = [False] * len(vertices)
    for start in sorted(range(len(vertices)), key=lambda i: vertices[i].layer):
        stack = [start]
        while stack:
            vertex = stack.pop()
            if not seen[vertex]:
                seen[vertex] = True
                layers[vertices[vertex].layer].append(vertex)
                stack.extend(reversed(below[vertex]))
    return layers


def _sort_by_barycentre(layers: list[list[int]], neighbours: Neighbours, *, downwards: bool) -> None:
    step = 1 if downwards else -1
    for number in range(1, len(layers)) if downwards else range(len(layers) - 2, -1, -1):
        position = {vertex: i for i, vertex in enumerate(layers[number - step])}
        middle = {
            vertex: sum(position[n] for n in neighbours[vertex]) / len(neighbours[vertex])
            for vertex in layers[number]
            if neighbours[vertex]
        }
        moved = iter(sorted(middle, key=middle.__getitem__))
        # A vertex without a neighbour in that layer keeps its place.
        layers[number] = [next(moved) if vertex in middle else vertex for vertex in layers[number]]


def _crossings(layers: Sequence[Sequence[int]], below: Neighbours) -> int:
    count = 0
    for upper, lower in pairwise(layers):
        position = {vertex: i for i, vertex in enumerate(lower)}
        seen: list[int] = []
        for vertex in upper:
            reached = sorted(position[n] for n in below[vertex])
            count += sum(len(seen) - bisect_right(seen, end) for end in reached)
            for end in reached:
                insort(seen, end)
    return count


def _swap(layers: list[list[int]], above: Neighbours, below: Neighbours) -> None:
    """Swap neighbours in a layer as long as that removes crossings."""
    position = {vertex: i for layer in layers for i, vertex in enumerate(layer)}

    def gain(left: int, right: int, neighbours: Neighbours) -> int:
        """The number of crossings of the two vertices' edges, minus the number after swapping them."""
        balance = 0
        for a in neighbours[left]:
            for b in neighbours[right]:
                balance += (position[a] > position[b]) - (position[a] < position[b])
        return balance

    for _ in range(8):
        improved = False
        for layer in layers:
            for i in range(len(layer) - 1):
                left, right = layer[i], layer[i + 1]
                if gain(left, right, above) + gain(left, right, below) > 0:
                    layer[i], layer[i + 1] = right, left
                    position[left], position[right] = i + 1, i
                    improved = True
        if not improved:
            break


def assign_coordinates(
    vertices: Sequence[Vertex], layers: Sequence[Sequence[int]], above: Neighbours, below: Neighbours, gap: float
) -> list[float]:
    """The x of the middle of every vertex, `gap` pixels between neighbours, the leftmost edge at 0 (Brandes and Köpf).

    Every vertex is aligned with the median of its neighbours, in each of four directions; each vertex gets the mean of
    the two middle values of the four layouts. Long edges are vertical.
    """
    conflicts = _crossing_bends(vertices, layers, above) | _shorter_ways(layers, below)
    drawn: list[list[float]] = []
    for upwards in (False, True):
        for mirrored in (False, True):
            turned = [list(reversed(row)) if mirrored else row for row in (reversed(layers) if upwards else layers)]
            roots = _aligned(len(vertices), turned, below if upwards else above, conflicts)
            sides = [(v.right, v.left) if mirrored else (v.left, v.right) for v in vertices]
            x = _compacted(sides, turned, roots, gap)
            drawn.append([-value for value in x] if mirrored else x)
    x = _balanced(vertices, drawn)
    # Bends outside of the range of their neighbours move back as far as the space allows.
    for layer in (*layers, *layers[::-1]):
        for i, bend in enumerate(layer):
            if vertices[bend].is_bend:
                joined = [x[n] for n in (*above[bend], *below[bend])]
                x[bend] = min(max(x[bend], min(joined)), max(joined))
                for before, after in pairwise(layer[max(i - 1, 0) : i + 2]):
                    apart = vertices[before].right + gap + vertices[after].left
                    x[bend] = max(x[bend], x[before] + apart) if after == bend else min(x[bend], x[after] - apart)
    return x


def _crossing_bends(vertices: Sequence[Vertex], layers: Sequence[Sequence[int]], above: Neighbours) -> set[Arc]:
    """The edges that cross an edge between two bends, which must stay vertical; as (upper, lower)."""
    found: set[Arc] = set()
    for upper, lower in pairwise(layers):
        position = {vertex: i for i, vertex in enumerate(upper)}
        left = done = 0
        for i, vertex in enumerate(lower):
            bends = [n for n in above[vertex] if vertices[vertex].is_bend and vertices[n].is_bend]
            if not bends and i < len(lower) - 1:
                continue
            right = position[bends[0]] if bends else len(upper)
            for other in lower[done : i + 1]:
                for n in above[other]:
                    outside = position[n] < left or position[n] > right
                    if outside and not (vertices[n].is_bend and vertices[other].is_bend):
                        found.add((n, other))
            done, left = i + 1, right
    return found


def _shorter_ways(layers: Sequence[Sequence[int]], below: Neighbours) -> set[Arc]:
    """For a vertex with few edges down: all except the edge with the longest way ahead; as (upper, lower)."""
    length: dict[int, int] = {}
    found: set[Arc] = set()
    for layer in reversed(layers):
        for vertex in layer:
            longest = max((length[n] for n in below[vertex]), default=0)
            length[vertex] = longest + 1
            if len(below[vertex]) <= _FEW:
                found |= {(vertex, n) for n in below[vertex] if length[n] < longest}
    return found


def _aligned(count: int, layers: Sequence[Sequence[int]], neighbours: Neighbours, conflicts: set[Arc]) -> list[int]:
    """For each vertex, the first vertex of its vertical block."""
    root = list(range(count))
    extended = [False] * count
    for fixed, layer in pairwise(layers):
        position = {vertex: i for i, vertex in enumerate(fixed)}
        taken = -1
        for vertex in layer:
            near = sorted(neighbours[vertex], key=position.__getitem__)
            for median in near[(len(near) - 1) // 2 : len(near) // 2 + 1]:
                free = (median, vertex) not in conflicts and (vertex, median) not in conflicts
                if not extended[vertex] and taken < position[median] and free:
                    root[vertex] = root[median]
                    extended[vertex] = True
                    taken = position[median]
    return root


def _compacted(
    sides: Sequence[tuple[float, float]], layers: Sequence[Sequence[int]], root: Sequence[int], gap: float
) -> list[float]:
    """Blocks as far to the left as possible, then each as far to the right as the next one allows."""
    before: dict[int, dict[int, float]] = {block: {} for block in root}
    after: dict[int, dict[int, float]] = {block: {} for block in root}
    for layer in layers:
        for left, right in pairwise(layer):
            a, b = root[left], root[right]
            apart = max(sides[left][1] + gap + sides[right][0], before[b].get(a, 0.0))
            before[b][a] = after[a][b] = apart
    missing = {block: len(earlier) for block, earlier in before.items()}
    order = [block for block, count in missing.items() if not count]
    x: dict[int, float] = {}
    for block in order:
        x[block] = max((x[a] + apart for a, apart in before[block].items()), default=0.0)
        for b in after[block]:
            missing[b] -= 1
            if not missing[b]:
                order.append(b)
    for block in reversed(order):
        if after[block]:
            x[block] = max(x[block], min(x[b] - apart for b, apart in after[block].items()))
    return [x[block] for block in root]


def _balanced(vertices: Sequence[Vertex], drawn: Sequence[Sequence[float]]) -> list[float]:
    """The four layouts aligned with the narrowest of them, and the middle of them."""
    edges = []
    for xs in drawn:
        lefts = min(x - v.left for x, v in zip(xs, vertices, strict=True))
        edges.append((lefts, max(x + v.right for x, v in zip(xs, vertices, strict=True))))
    left, right = min(edges, key=lambda edge: edge[1] - edge[0])
    moved = []
    for i, xs in enumerate(drawn):
        # Every second layout was made from the right.
        shift = right - edges[i][1] if i % 2 else left - edges[i][0]
        moved.append([x + shift for x in xs])
    middle = [sum(sorted(values)[1:3]) / 2 for values in zip(*moved, strict=True)]
    start = min(x - v.left for x, v in zip(middle, vertices, strict=True))
    return [x - start for x in middle]
