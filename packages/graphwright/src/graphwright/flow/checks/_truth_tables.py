"""Truth tables: the guards of a node over a few representative values of each name that they read."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple, Protocol

from graphwright.flow._answer_scopes import Scopes
from graphwright.flow._dependencies import signature_of
from graphwright.flow._graph_algorithms import components, is_cyclic
from graphwright.flow._json_schemas import certainly_valid
from graphwright.flow._source import Path
from graphwright.flow.checks._control_flow import ControlFlow
from graphwright.flow.compiled import Action, ActionSignature, Catalogue, CompiledFlow, Edge, Node, Question, Terminal
from graphwright.flow.guards import Guard, Verdict
from graphwright.flow.guards._syntax_tree import Call, Expr, children, path_of, show
from graphwright.flow.guards._value_partitions import Literals, comparisons, literals_in, partition, truth
from graphwright.flow.guards._vocabulary import ACTIVE_PATH, ANSWERS, MESSAGE, VALUE

MOST_ROWS = 1_000
"""The maximum number of combinations that are examined."""

_MOST_UNSURE = 200
"""The maximum number of evaluations over unknown values, of all guards together."""

_MOST_VALUES = 40
"""The maximum number of representative values of one name."""

MISSING = object()
"""The value of an answer that does not exist."""

UNKNOWN = object()
"""The value of a name about which too little is known: guards are decided by the other names where they can be."""

UNCERTAIN = Verdict(None, "it depends on a name whose values are unknown", ("?",))
"""The result of a guard that depends on a name with an unknown value."""

A_CORRECTION = "something else"
"""A reply to a confirmation that is neither yes nor no."""

_TEXT: Mapping[str, Any] = {"type": "string"}
_TRUE, _FALSE = Verdict(True), Verdict(False)
_UNKNOWN_ALONE = (UNKNOWN,)


def expressions_of(node: Node) -> Iterator[Guard]:
    """Every expression that is evaluated at a node."""
    yield from conditions_of(node)
    if isinstance(node, Question):
        yield from (node.validate,) if node.validate is not None else ()
        yield from node.prompt.expressions
        yield from node.invalid_prompt.expressions if node.invalid_prompt is not None else ()
    elif isinstance(node, Terminal) and node.say is not None:
        yield from node.say.expressions
    elif isinstance(node, Action) and node.parameters is not None:
        yield from (each for _, template in node.parameters.templates() for each in template.expressions)


def conditions_of(node: Node) -> Iterator[Guard]:
    """The conditions that decide which edge of a node is taken, and whether the flow waits there."""
    yield from (edge.guard for edge in node.edges if edge.guard is not None)
    if isinstance(node, Question) and node.when is not None:
        yield node.when
    elif isinstance(node, Action) and node.confirm is not None and node.confirm.when is not None:
        yield node.confirm.when


def choosing(node: Node) -> Iterator[Guard]:
    """The conditions of a node, and its texts that choose by a condition (`test ? one : other`)."""
    conditions = [*conditions_of(node)]
    yield from conditions
    for each in expressions_of(node):
        if each not in conditions and any(map(_chooses, each.trees)):
            yield each


def _chooses(expr: Expr) -> bool:
    return (isinstance(expr, Call) and expr.function == "?:") or any(map(_chooses, children(expr)))


def all_reads(guards: Iterable[Guard]) -> frozenset[str]:
    """The names that any of them reads."""
    return frozenset().union(*(guard.reads for guard in guards))


class FlowContext:
    """A flow without errors: places in its text, and knowledge about the values of its names."""

    def __init__(self, flow: CompiledFlow, control: ControlFlow, scopes: Scopes, catalogue: Catalogue | None) -> None:
        self.flow = flow
        self.control = control
        self._draft = control.draft
        self._scopes = scopes
        self._catalogue = catalogue
        self._partitions: dict[tuple[str, Literals], tuple[tuple[Any, ...], bool] | None] = {}

    def path(self, node: Node) -> Path:
        """The path of a node in the document."""
        return self._draft.nodes[node.id].path

    @cached_property
    def cyclic(self) -> Mapping[Node, Set[Node]]:
        """The nodes that lie on cycles of edges, each with the nodes that it can reach and that can reach it."""
        nodes = self.flow.nodes
        following = {node: [nodes[each] for each in self.control.following(name)] for name, node in nodes.items()}
        cyclic = [frozenset(each) for each in components(following) if is_cyclic(each, following)]
        return {node: component for component in cyclic for node in component}

    def edge_path(self, node: Node, edge: Edge) -> Path:
        return (*self._draft.graphs[node.graph].path, "edges", edge.index)

    def schema(self, read: str, graph: str) -> Mapping[str, Any] | None:
        """The JSON Schema of a dotted name in a graph, or None if there is none."""
        vocabulary = self._scopes.vocabularies[self._scopes.vocabulary_of[graph]]
        head, _, key = read.partition(".")
        if head != ANSWERS:
            channel = self.flow.channels.get(head)
            if channel is not None:
                return _property(channel.schema, key)
            if head == ACTIVE_PATH and self.flow.paths:
                return {"enum": ["", *self.flow.paths]}
            return _TEXT if head in (MESSAGE, ACTIVE_PATH) else None
        while "." in key:
            step, _, key = key.partition(".")
            if step not in vocabulary.scopes:
                return None
            vocabulary = self._scopes.vocabularies[vocabulary.scopes[step]]
        return vocabulary.answers.get(key)

    def domain(self, schema: Mapping[str, Any], literals: Literals) -> tuple[tuple[Any, ...], bool] | None:
        """Representative values of a schema, and whether these are all; None if too little is known about it."""
        key = repr(schema), literals
        if key not in self._partitions:
            found = partition(schema, literals)
            few = found is not None and len(found.values) <= _MOST_VALUES
            self._partitions[key] = (found.values, found.finite) if found is not None and few else None
        return self._partitions[key]

    def may_be(self, read: str, value: Any) -> bool:
        """Whether a name surely has this value in some conversation in which the user answers every question."""
        head, _, key = read.partition(".")
        channel = self.flow.channels.get(head)
        if channel is not None:
            schema = _property(channel.schema, key)
            return value == self.default(read) or (head in self._written and certainly_valid(value, schema))
        if not read.startswith(f"{ANSWERS}."):
            return True
        return value is MISSING or any(takes(question, value) for question in self.askers(read))

    def possible(self, graph: str, row: Mapping[str, Any]) -> bool:
        """Whether names of a graph surely have all these values at once in some conversation, see `may_be`.

        An answer that is checked against other names needs values of these with which it is accepted.
        """
        judged: dict[str, Guard] = {}
        for name, value in row.items():
            if not self.may_be(name, value):
                judge = self._judge_of(graph, name, value)
                if judge is None:
                    return False
                judged[name] = judge
        return not judged or self._accepted(graph, row, judged)

    def _judge_of(self, graph: str, name: str, value: Any) -> Guard | None:
        """What alone decides about an answer: the `validate` of its only question, if that reads other names."""
        question = self.only_asker(name, graph)
        judge = None if question is None else question.validate
        if question is None or judge is None or judge.reads <= {VALUE}:
            return None
        return judge if certainly_valid(value, question.schema) else None

    def only_asker(self, name: str, graph: str) -> Question | None:
        """The only question for an answer that a graph reads, if it belongs to the same scope and its rule is known."""
        askers = self.askers(name) if name.startswith(f"{ANSWERS}.") else []
        if len(askers) != 1 or askers[0].validator or self._scope(askers[0].graph) != self._scope(graph):
            return None
        return askers[0]

    def _accepted(self, graph: str, row: Mapping[str, Any], judged: Mapping[str, Guard]) -> bool:
        """Whether some values of the names that a row leaves open let all these conditions accept their answers."""
        literals = literals_in(tree for judge in judged.values() for tree in judge.trees)
        literals = literals.with_values(row[name] for name in judged)
        domains: dict[str, Sequence[Any]] = {}
        for name in sorted(names_compared(self, judged.values()) - row.keys() - {VALUE}):
            schema = self.schema(name, graph)
            found = self.domain(schema, literals) if schema is not None else None
            if found is None:
                return False
            default = (self.default(name),) if name.partition(".")[0] in self.flow.channels else ()
            domains[name] = [value for value in (*found[0], *default) if self.may_be(name, value)]
        if math.prod(map(len, domains.values())) > MOST_ROWS:
            return False
        for values in product(*domains.values()):
            state = as_state({**row, **dict(zip(domains, values, strict=True))})
            if all(judge.evaluate({**state, VALUE: row[name]}).opens for name, judge in judged.items()):
                return True
        return False

    def _scope(self, graph: str) -> str:
        return self._scopes.vocabulary_of[graph]

    def default(self, read: str) -> Any:
        """The initial value of a channel, or of a property of one; MISSING if it has no such property."""
        head, *steps = read.split(".")
        value = self.flow.channels[head].default
        for step in steps:
            value = value.get(step, MISSING) if isinstance(value, Mapping) else MISSING
        return value

    @cached_property
    def _written(self) -> dict[str, list[Action]]:
        """The actions that may write each channel; channels that no action writes are not included."""
        found: dict[str, list[Action]] = {}
        for node in self.flow.nodes.values():
            if isinstance(node, Action):
                for name in self.written_by(node):
                    found.setdefault(name, []).append(node)
        return found

    def written_by(self, action: Action) -> Iterable[str]:
        """The channels that an action may write."""
        signature = self.signature(action)
        if signature is None or not signature.complete:
            return self.flow.channels
        return signature.writes if action.map is None else (*signature.writes, action.map.item)

    def signature(self, action: Action) -> ActionSignature | None:
        """The signature of an action (its declared reads and writes), or None without a catalogue."""
        if action.parameters is not None or (action.map is not None and self._catalogue is not None):
            return signature_of(self.flow, action)
        return self._catalogue.actions.get(action.run) if self._catalogue is not None else None

    @cached_property
    def correcting(self) -> Mapping[Node, Edge]:
        """For each confirmation the edge that a correction takes, if a yes takes another one."""
        found: dict[Node, Edge] = {}
        for question in self.flow.questions:
            edge = edge_taken(question, A_CORRECTION) if question.read == "confirm" else None
            if edge is not None and edge is not edge_taken(question, True):
                found[question] = edge
        return found

    def writers(self, channel: str) -> list[Action]:
        """The actions that may write a channel."""
        return self._written.get(channel, [])

    def is_always_empty(self, channel: str) -> bool:
        """Whether no action writes a channel that begins empty. A flag that is false may be meant as a constant."""
        default = self.flow.channels[channel].default
        return not default and default is not False and not self.writers(channel)

    def known_writers(self, channel: str) -> list[Action]:
        """The actions whose `writes` name a channel."""
        found = ((action, self.signature(action)) for action in self.writers(channel))
        return [action for action, signature in found if signature is not None and channel in signature.writes]

    def askers(self, read: str) -> list[Question]:
        """The questions whose answer a dotted name may be."""
        return self._askers.get(read.rpartition(".")[2], [])

    @cached_property
    def _askers(self) -> dict[str, list[Question]]:
        found: dict[str, list[Question]] = {}
        for question in self.flow.questions:
            found.setdefault(question.key, []).append(question)
        return found


def _property(schema: Mapping[str, Any], path: str) -> Mapping[str, Any] | None:
    """The schema of a property of an object; the empty path is the object itself."""
    found: Any = schema
    for step in path.split(".") if path else ():
        properties = found.get("properties") if isinstance(found, Mapping) else None
        found = properties.get(step) if isinstance(properties, Mapping) else None
    return found if isinstance(found, Mapping) else None


def takes(question: Question, value: Any) -> bool:
    """Whether a question surely accepts a value. If its `validate` reads other names, the result is unknown."""
    judge = question.validate
    if question.validator or not certainly_valid(value, question.schema):
        return False
    return judge is None or (judge.reads <= {VALUE} and judge.evaluate({VALUE: value}).opens)


def edge_taken(question: Question, value: Any) -> Edge | None:
    """The edge that is taken with this answer, or None if that is unknown."""
    for edge in question.edges:
        result = True if edge.guard is None else truth(edge.guard.tree, {f"{ANSWERS}.{question.key}": value})
        if result is None and edge.guard is not None and edge.guard.reads == {f"{ANSWERS}.{question.key}"}:
            result = edge.guard.evaluate({ANSWERS: {question.key: value}}).opens
        if result is not False:
            return edge if result else None
    return question.otherwise


class Row(NamedTuple):
    """One combination of values by name, and the verdicts of the guards over it."""

    values: Mapping[str, Any]
    verdicts: tuple[Verdict, ...]

    @property
    def opens(self) -> tuple[bool, ...]:
        return tuple([verdict.opens for verdict in self.verdicts])


class Table:
    """The truth table of several guards of a graph. Each row is evaluated at its first use.

    `unlimited` are names with infinitely many values; those between the literals are represented by a few.
    """

    def __init__(
        self,
        context: FlowContext,
        graph: str,
        guards: Sequence[Guard],
        domains: Mapping[str, Sequence[Any]],
        unlimited: frozenset[str],
    ) -> None:
        self.guards = guards
        self._context = context
        self._graph = graph
        self._domains = domains
        self._unlimited = unlimited
        self._combinations = product(*domains.values())
        self._rows: list[Row] = []

    def __iter__(self) -> Iterator[Row]:
        place = 0
        while True:
            if place == len(self._rows):
                values = next(self._combinations, None)
                if values is None:
                    return
                row = dict(zip(self._domains, values, strict=True))
                self._rows.append(Row(row, tuple([verdict_of(guard, row) for guard in self.guards])))
            yield self._rows[place]
            place += 1

    @property
    def is_whole(self) -> bool:
        """Whether the rows represent every possible combination."""
        if any(values is _UNKNOWN_ALONE for values in self._domains.values()):
            return False
        trees = (tree for guard in self.guards for tree in guard.trees)
        return not self._unlimited or all(comparisons(tree) is not None for tree in trees)

    @cached_property
    def varies(self) -> bool:
        """Whether the only guard is true in some rows and false in others, judged by its comparisons alone.

        That is so if each comparison can be true and false, and no two of them use the same name.
        """
        found = comparisons(self.guards[0].tree) if len(self.guards) == 1 else None
        if not found or len({name for name, _ in found}) < len(found):
            return False
        return all(
            {truth(one, {name: value}) for value in self._domains.get(name, ()) if value is not MISSING}
            == {True, False}
            for name, one in found
        )

    def example(self, holds: Callable[[Row], object]) -> Row | None:
        """The first row that satisfies `holds`, with values that all names surely may have."""
        for row in self:
            if holds(row) and self._possible(row):
                return row
        return None

    def _possible(self, row: Row) -> bool:
        present = {name for name, value in row.values.items() if value is not MISSING and name in self._only_present}
        values = {name: v for name, v in row.values.items() if v is not UNKNOWN and name not in present}
        return all(map(self._context.askers, present)) and self._context.possible(self._graph, values)

    @cached_property
    def _only_present(self) -> frozenset[str]:
        """The answers whose value no guard uses: each occurs in `has` only."""
        used = {".".join(path) for guard in self.guards for tree in guard.trees for path in _whole_paths(tree)}
        return frozenset(name for name in self._domains if name.startswith(f"{ANSWERS}.") and name not in used)

    def row_as_guard(self, row: Row, holds: Callable[[Row], object]) -> str:
        """The values of a row that matter, as a guard: with them, `holds` is true for any values of the others."""
        kept = {name: value for name, value in row.values.items() if value is not UNKNOWN}
        for name in sorted(row.values):
            rest = {other: value for other, value in kept.items() if other != name}
            alike = (r for r in self if all(r.values[other] is value for other, value in rest.items()))
            if rest and all(map(holds, alike)):
                kept = rest
        texts = " ".join(guard.text for guard in self.guards)
        ordered = sorted(kept, key=lambda name: (texts.find(name) % (len(texts) + 1), name))
        parts = [self._as_guard(name, kept[name]) for name in ordered]
        return f"`{' && '.join(parts)}`"

    def _as_guard(self, name: str, value: Any) -> str:
        if value is MISSING:
            return f"!has({name})"
        return f"has({name})" if name in self._only_present else f"{name} == {show(value)}"


class NameFacts(Protocol):
    """The knowledge about the names of a flow at the place of its guards."""

    def has(self, node: Node, name: str) -> bool:
        """Whether the answer `name` (`led.wattage`) surely has a value."""

    def values(self, node: Node, read: str) -> tuple[tuple[Any, ...], bool] | None:
        """The values that a name may have, and whether these are all; None if none is excluded."""


def make_table(
    context: FlowContext,
    node: Node,
    guards: Sequence[Guard],
    known: NameFacts,
    value: Mapping[str, Any] | None = None,
    times: int = 1,
    most_rows: int = MOST_ROWS,
) -> Table | None:
    """The table of guards at a node, or None if nothing is known about the names they read.

    `value` is the schema of the variable `value`, and `times` the number of such tables that the caller makes.
    With more than `most_rows` combinations the names with most values count as unknown.
    """
    literals = literals_in(tree for guard in guards for tree in guard.trees)
    domains: dict[str, Sequence[Any]] = {}
    unlimited: set[str] = set()
    for read in sorted(names_compared(context, guards)):
        schema = value if read == VALUE else context.schema(read, node.graph)
        found = None if schema is None else known.values(node, read) or context.domain(schema, literals)
        if found is None:
            domains[read] = _UNKNOWN_ALONE
            continue
        values, finite = found
        if read.partition(".")[0] in context.flow.channels:
            # A channel without a default is initially null, whatever its schema says.
            default = context.default(read)
            if known.values(node, read) is None and not any(default is v or default == v for v in values):
                values = (*values, default)
        if read.startswith(f"{ANSWERS}.") and not known.has(node, read.removeprefix(f"{ANSWERS}.")):
            values = (*values, MISSING)
        if not finite:
            unlimited.add(read)
        domains[read] = values
    # Guards over unknown values are decided part by part, which takes longer.
    most = max(1, _MOST_UNSURE // (max(len(guards), 1) * times))
    whole = _UNKNOWN_ALONE not in domains.values()
    while (rows := math.prod(map(len, domains.values()))) > most and not (whole and rows <= most_rows):
        whole = False
        domains[max(domains, key=lambda name: len(domains[name]))] = _UNKNOWN_ALONE
    if domains and all(values is _UNKNOWN_ALONE for values in domains.values()):
        return None
    return Table(context, node.graph, guards, domains, frozenset(unlimited))


def names_compared(context: FlowContext, guards: Collection[Guard]) -> set[str]:
    """The names that guards read. An object in a channel is replaced by its properties if guards read only these."""
    found = set(all_reads(guards))
    for head in [name for name in found if _is_object(context, name)]:
        paths = [path for guard in guards for tree in guard.trees for path in _whole_paths(tree) if path[0] == head]
        if all(len(path) > 1 for path in paths):
            found.remove(head)
            found.update(".".join(path) for path in paths)
    return found


def _is_object(context: FlowContext, name: str) -> bool:
    channel = context.flow.channels.get(name)
    return channel is not None and "properties" in channel.schema


def _whole_paths(expr: Expr) -> Iterator[tuple[str, ...]]:
    """Every chain of names in an expression, in full length; `has(a.b)` reads `a`."""
    path = path_of(expr)
    if path is not None:
        yield path
        return
    for part in children(expr):
        yield from _whole_paths(part)


def verdict_of(guard: Guard, row: Mapping[str, Any]) -> Verdict:
    """The result of a guard over values by their dotted names; MISSING stands for a missing value."""
    result = truth(guard.tree, row)
    if result is not None:
        return _TRUE if result else _FALSE
    unknown = {name for name, value in row.items() if value is UNKNOWN}
    if unknown:
        # A guard reads an object as a whole, also where the row has its properties.
        unknown |= {name.partition(".")[0] for name in unknown if not name.startswith(f"{ANSWERS}.")}
        result = guard.outcome(as_state(row), unknown)
        return UNCERTAIN if result is None else _TRUE if result else _FALSE
    return guard.evaluate(as_state(row))


def as_state(row: Mapping[str, Any]) -> dict[str, Any]:
    """The state of a conversation with these values by their dotted names."""
    values: dict[str, Any] = {ANSWERS: {}}
    for name, value in row.items():
        *way, last = name.split(".")
        level = values
        for step in way:
            level = level.setdefault(step, {})
        if value is not MISSING and value is not UNKNOWN:
            level[last] = value
    return values
