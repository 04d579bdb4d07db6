"""All ways that a conversation may take, over sets of values. An assurance that no way violates holds.

The ways include more than those that conversations can take: where a result is unknown both ways are followed, and a
reply may change every answer that free text corrects. Only turns that fail are not followed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from graphwright.flow._dependencies import action_reads, dependencies, graphs_called, leaving_reads
from graphwright.flow._graph_algorithms import components, is_cyclic, reachable
from graphwright.flow.assurances._decisions import Decisions
from graphwright.flow.assurances._items import mapped_graph, may_be_empty, own_channels
from graphwright.flow.assurances._value_sets import Env, Scopes, ValueSets
from graphwright.flow.checks._truth_tables import MISSING, FlowContext, conditions_of, takes
from graphwright.flow.compiled import CHOSEN_PATH, EXIT, ROOT, Action, Assurance, Call, Decision, Edge, Node, Question
from graphwright.flow.guards import Guard, Verdict
from graphwright.flow.guards._vocabulary import ACTIVE_PATH, ANSWERS

_MOST_REPEATED = 6
"""If corrections may lead back to more nodes than this, they do so from one place, whose values are joined."""

_MOST_CALLS = 500
"""The maximum number of nested calls that a correction may lead back to."""

_NAMED = 8
_DEMANDED = Verdict(True)

Calls = tuple[tuple[str, str], ...]
"""The open calls, outermost first: pairs of node and called graph."""

Frame = tuple[Calls, str]
"""A node, with the calls in which it is entered."""


class Place(NamedTuple):
    """A place on a way. `phase` is `enter`, `wait`, `leave`, `mapped`, `again`, `end` or `stuck`.

    `seen`: the event that the assurance demands before has happened. At `mapped` the items of a node with `map` are
    done. At `again`, a place without a node, a correction leads back.
    """

    calls: Calls
    node: str
    phase: str = "enter"
    seen: bool = False
    escaped: bool = False

    @property
    def frame(self) -> Frame:
        return self.calls, self.node


@dataclass(frozen=True, slots=True)
class Next:
    """A place that may follow. `chosen`: the user can choose it by a plain answer, without luck. `back`: a correction
    leads back to it."""

    place: Place
    env: Env
    chosen: bool = False
    back: bool = False


class ViolatedError(Exception):
    """Some way may violate the assurance."""


class TooLargeError(Exception):
    """There are too many ways."""


Key = tuple[Place, frozenset[tuple[str, int]]]


@dataclass
class Ways:
    """The ways of one flow, for one assurance."""

    context: FlowContext
    assurance: Assurance
    before: dict[Key, Key | None] = field(default_factory=dict)
    again: dict[Place, frozenset[Frame]] = field(default_factory=dict)
    """At each place the nodes on the ways to it that a correction may lead back to."""
    here: Key = (Place((), ""), frozenset())
    """The place that is visited."""

    def __post_init__(self) -> None:
        self.flow = flow = self.context.flow
        assurance = self.assurance
        self.targets = self._nodes_named(assurance.of)
        self.answer = tuple(assurance.of.split(".")[1:]) if assurance.of.startswith(f"{ANSWERS}.") else ()
        nodes = [flow.nodes[name] for other in assurance.before for name in self._nodes_named(other)]
        self.given = [name for name in assurance.before if name.startswith(f"{ANSWERS}.")]
        self.answered = [n for n in nodes if isinstance(n, Question) and assurance.claim == "never"]
        self.marks = {node.id for node in nodes if node not in self.answered}
        if self.answer and assurance.claim == "eventually":
            self.given.append(assurance.of)
        # An answer counts from the moment at which one of its questions is left with it.
        giving = {question.id for name in self.given for question in self.context.askers(name)}
        self._marked = [flow.question(name) for name in self.marks | giving if isinstance(flow.nodes[name], Question)]
        graph = next((flow.nodes[name].graph for name in sorted(self.targets)), ROOT)
        asked = [node.key for node in nodes if isinstance(node, Question)]
        asked += [name.rpartition(".")[2] for name in (*self.given, *([assurance.of] if self.answer else ()))]
        self.values = ValueSets(self.context, [(guard, graph) for guard in assurance.unless], asked)
        free = [q for q in flow.questions if q.read in ("extract", "choice") and not q.ask_always]
        self.free_keys = {question.key for question in free}
        self.optional = {question.key for question in flow.questions if not question.required}
        called = reachable([ROOT], lambda graph: graphs_called(flow, graph))
        # Nothing is performed again alone of what a node with `map` does.
        actions = [node for node in flow.nodes.values() if isinstance(node, Action) and node.graph in called]
        computing = [action for action in actions if self._computes(action)]
        options = {question.options for question in flow.questions if question.options}
        self.computed = {channel for action in computing for channel in self.context.written_by(action)}
        self.first = {a.id for a in computing if not options.isdisjoint(self.context.written_by(a))}
        repeatable = {question.id for question in free if question.on_invalid or question.id in self.targets}
        self.repeatable = repeatable | {action.id for action in computing}
        always_open = self._always_open()
        self.opened = repeatable - always_open
        self.decisions = Decisions(self.context, self.values, assurance, always_open)

    def _computes(self, action: Action) -> bool:
        """Whether a correction may make an action run again."""
        signature = self.context.signature(action)
        if signature is None or not signature.complete:
            return True
        return bool(signature.writes) and action.id in dependencies(self.flow).computing

    def _nodes_named(self, name: str) -> set[str]:
        if name in self.flow.nodes:
            return {name}
        return {node.id for node in self.flow.nodes.values() if isinstance(node, Action) and node.run == name}

    def _always_open(self) -> set[str]:
        """The nodes that no guard over answers can close: no correction opens a way to them."""
        found: set[str] = set()
        todo = [self.flow.root.entry]
        while todo:
            name = todo.pop()
            if name in found:
                continue
            found.add(name)
            node = self.flow.nodes[name]
            if isinstance(node, Call) and node.ref != CHOSEN_PATH:
                todo.append(self.flow.graphs[node.ref].entry)
            for edge in node.all_edges:
                if edge.guard is not None and any(read.startswith(f"{ANSWERS}.") for read in edge.guard.reads):
                    break
                if edge.target != EXIT:
                    todo.append(edge.target)
        return found

    def _again_here(self) -> frozenset[Frame]:
        """The nodes that a correction may lead back to, with the present one."""
        place = self.here[0]
        own = {place.frame} if place.node in self.repeatable else set()
        return self.again.get(place, frozenset()) | own

    def _again_after(self) -> frozenset[Frame]:
        """The same for the places that follow; an action is among them once it is done."""
        place = self.here[0]
        is_due = place.phase == "enter" and isinstance(self.flow.nodes.get(place.node), Action)
        return self.again.get(place, frozenset()) if is_due else self._again_here()

    @property
    def _is_crowded(self) -> bool:
        return len(self.repeatable) > _MOST_REPEATED

    def _gathering(self, place: Place) -> Place:
        """The place from which corrections lead back in a crowded flow."""
        return Place((), "", "again", place.seen, place.escaped)

    def _way(self) -> str:
        """The nodes of the way to the present place."""
        names: list[str] = []
        key: Key | None = self.here
        while key is not None:
            name = key[0].node
            names += [name] if name and (not names or names[-1] != name) else []
            key = self.before.get(key)
        names.reverse()
        return " -> ".join(names if len(names) <= _NAMED else [*names[:3], "...", *names[-4:]])

    def _violated(self, why: str) -> ViolatedError:
        return ViolatedError(f"{why} ({self._way()})")

    def _scopes(self, calls: Calls) -> Scopes:
        found = []
        for name, graph in calls:
            call = self.flow.nodes[name]
            found += [(call.scope, graph)] if isinstance(call, Call) and call.scope else []
        return tuple(found)

    def _key_of(self, calls: Calls, question: Question) -> str:
        return f"{ANSWERS}." + ".".join((*(name for name, _ in self._scopes(calls)), question.key))

    # what the assurance asks at a place

    def _reach(self, place: Place, env: Env, confirmed: str = "") -> Place:
        """Check that the assurance allows to reach a node here. Returns the place, which may have `seen` it."""
        if place.node not in self.targets:
            return place
        if self.assurance.claim == "eventually":
            return place._replace(seen=True)
        self._check(place, env, confirmed, f"`{place.node}` may be reached")
        return place

    def _check(self, place: Place, env: Env, confirmed: str, what: str) -> None:
        if place.seen or any(question.id == confirmed for question in self.answered):
            return
        left: list[Env] = [env]
        scopes = () if self.answer else self._scopes(place.calls)
        for question in self.answered:
            name = self.values.absolute(f"{ANSWERS}.{question.key}", scopes)
            left = self._without(left, name, [True] if question.read == "confirm" else None)
        for name in self.given:
            left = self._without(left, name, None)
        for guard in self.assurance.unless:
            left = [
                after
                for each in left
                for verdict, after in self.values.results(guard, each, scopes)
                if not verdict.opens
            ]
        if left:
            raise self._violated(what)

    def _without(self, envs: Iterable[Env], name: str, values: list[bool] | None) -> list[Env]:
        """The values in which an answer has none of `values`; without them: in which it is missing."""
        domain = self.values.domain(name)
        if domain is None:
            return list(envs)
        mask = domain.mask(MISSING) if values is None else domain.everything & ~domain.mask(*values)
        return [left for env in envs if (left := self.values.limited(env, name, mask)) is not None]

    def _given_at(self, place: Place, env: Env, key: str) -> Place:
        """Check the assurance for an answer that a reply gives."""
        if self.answer and key == ".".join((ANSWERS, *self.answer)):
            if self.assurance.claim == "eventually":
                return place._replace(seen=True)
            self._check(place, env, "", f"`{key}` may be answered at `{place.node}`")
        return place

    def _passed(self, place: Place, env: Env) -> Iterator[Next]:
        """The places to leave a node at: a node that the assurance demands before has been passed."""
        node = self.flow.nodes[place.node]
        name = self._key_of(place.calls, node) if isinstance(node, Question) else ""
        if place.seen or not (node.id in self.marks or name in self.given):
            yield Next(place, env)
        elif not isinstance(node, Question):
            yield Next(place._replace(seen=True), env)
        else:
            domain = self.values.domain(name)
            if domain is None:
                yield Next(place, env)
                return
            counts = domain.mask(True) if node.read == "confirm" else domain.everything & ~domain.mask(MISSING)
            for seen, mask in ((True, counts), (False, domain.everything & ~counts)):
                if (limited := self.values.limited(env, name, mask)) is not None:
                    yield Next(place._replace(seen=seen), limited)

    # the places that may follow

    def _following(self, place: Place, env: Env) -> Iterator[Next]:
        if place.phase == "end":
            if self.assurance.claim == "eventually" and not place.seen:
                raise self._violated(f"a conversation may end without `{self.assurance.of}`")
            return
        if place.phase == "stuck":
            if self.assurance.claim == "eventually" and not place.seen:
                raise self._violated("a conversation may get stuck")
            return
        if place.phase == "again":
            yield from self._led_back(place, env)
            return
        node = self.flow.nodes[place.node]
        if place.phase == "wait":
            assert isinstance(node, Question)
            yield from self._answers(node, place, env)
        elif place.phase == "leave":
            for each in self._passed(place, env):
                yield from self._left(node, each.place, each.env)
        elif isinstance(node, Question):
            yield from self._question(node, place, env)
        elif isinstance(node, Action):
            if place.phase == "mapped":
                yield from self._done(node, place, env, again=False)
            else:
                yield from (self._item_action if self._is_in_item(place) else self._action)(node, place, env)
        elif isinstance(node, Call):
            yield from self._call(node, self._reach(place, env), env)
        elif isinstance(node, Decision):
            yield Next(self._reach(place, env)._replace(phase="leave"), env)
        else:
            yield from self._end(self._reach(place, env), env)

    def _question(self, node: Question, place: Place, env: Env) -> Iterator[Next]:
        name, scopes = self._key_of(place.calls, node), self._scopes(place.calls)
        domain = self.values.domain(name)
        leaving = place._replace(phase="leave")
        for opens, each in self._tried(node.when, env, scopes):
            if not opens:
                yield Next(leaving, each)
                continue
            waits: Env | None = each
            if node.when is not None and f"{ANSWERS}.{node.key}" in node.when.reads and domain is not None:
                # An answer that is asked for again counts in the condition as it was before.
                yield Next(leaving, each)
                waits = {**each, name: domain.mask(MISSING)}
            elif node.ask_always:
                waits = {**each, name: domain.mask(MISSING)} if domain is not None else each
            elif domain is None:
                yield Next(leaving, each)
            else:
                given = self.values.limited(each, name, domain.everything & ~domain.mask(MISSING))
                waits = self.values.limited(each, name, domain.mask(MISSING))
                if given is not None:
                    yield Next(leaving, self.decisions.with_given(given, name))
                # A question that was declined is passed over.
                yield from (Next(leaving, waits),) if waits is not None and node.key in self.optional else ()
            if waits is not None:
                asked = self._reach(place, waits)
                yield Next(asked._replace(phase="wait"), self.decisions.without_round(node, waits))

    def _tried(self, guard: Guard | None, env: Env, scopes: Scopes) -> Iterator[tuple[bool, Env]]:
        return self.values.tried(guard, env, scopes)

    def _answers(self, node: Question, place: Place, env: Env) -> Iterator[Next]:
        """The places that may follow a waiting question."""
        key = self._key_of(place.calls, node)
        domain = self.values.domain(key)
        leaving = place._replace(phase="leave")
        if self.assurance.claim == "eventually":
            # The plain answers, of which the user can choose each.
            plain = self._without_dependents(env, [f"{ANSWERS}.{node.key}"])
            if domain is None or node.options:
                given = self.values.limited(plain, key, domain.everything & ~domain.mask(MISSING)) if domain else plain
                if given is not None and node.validate is None and not node.validator:
                    yield Next(self._given_at(leaving, given, key), given, chosen=True)
            else:
                for value in (each for each in domain.values if each is not MISSING and takes(node, each)):
                    after = {**plain, key: domain.mask(value)}
                    yield Next(self._given_at(leaving, after, key), after, chosen=True)
        changed = self._corrected(env)
        answered = {**changed, key: domain.everything & ~domain.mask(MISSING)} if domain is not None else changed
        answered = self.decisions.with_given(answered, key)
        asked = place._replace(phase="enter")
        for name in self._correctable:
            self._given_at(asked, changed, name)
        self._given_at(leaving, answered, key)
        for each in self.decisions.agreeing(answered):
            yield Next(self._given_at(leaving, each, key), each)
        yield from (Next(asked, each) for each in self.decisions.agreeing(changed))
        if not node.required:
            declined = {**changed, key: domain.mask(MISSING)} if domain is not None else changed
            yield from (Next(leaving, each) for each in self.decisions.agreeing(declined))
        if node.on_invalid:
            yield Next(place._replace(node=node.on_invalid, phase="enter"), changed)
        yield from self._other_ways(node, place, changed)
        yield from self._repeated(asked, {name: mask for name, mask in changed.items() if name != key})

    @cached_property
    def _correctable(self) -> list[str]:
        """The answer that the assurance is about, if a reply to any question may give it."""
        return [self.assurance.of] if self.answer and self.answer[-1] in self.free_keys else []

    def _without_dependents(self, env: Env, names: Iterable[str]) -> Env:
        """The values without those of answers that are checked again when one of `names` changes."""
        readers = dependencies(self.flow).readers
        found = reachable(names, lambda name: (f"{ANSWERS}.{question.key}" for question in readers.get(name, ())))
        keys = {name.rpartition(".")[2] for name in found if name not in names}
        return {n: m for n, m in env.items() if not (n.startswith(f"{ANSWERS}.") and n.rpartition(".")[2] in keys)}

    def _corrected(self, env: Env) -> Env:
        """The values after a reply that may change all answers from free text, what they compute, and the path."""
        changed = {
            name: mask
            for name, mask in env.items()
            if not (name.rpartition(".")[2] in self.free_keys and name.startswith(f"{ANSWERS}."))
            and name != ACTIVE_PATH
            and name.partition(".")[0] not in self.computed
        }
        # A conversation that has a path may take another one, but never none.
        domain = self.values.domain(ACTIVE_PATH) if ACTIVE_PATH in env else None
        has_path = domain is not None and not env[ACTIVE_PATH] & domain.mask("")
        return {**changed, ACTIVE_PATH: domain.everything & ~domain.mask("")} if domain and has_path else changed

    def _other_ways(self, node: Question, place: Place, env: Env) -> Iterator[Next]:
        """The ways on which a reply leaves the normal course, or enters another path."""
        flow, escaped = self.flow, self._escaped(place)
        if self.assurance.claim != "eventually":
            # A user who gives up or asks for a person is free to do so.
            targets = [name for name in (flow.on_escalate, flow.on_abandon) if name]
            yield from (Next(escaped._replace(node=name), env) for name in targets)
        if node.options:
            yield from self._stuck(place, env)
        for depth, (call, _) in enumerate(place.calls):
            entered = flow.nodes[call]
            if isinstance(entered, Call) and entered.ref == CHOSEN_PATH:
                yield Next(place._replace(calls=place.calls[:depth], node=call, phase="enter"), env)
                return

    def _escaped(self, place: Place) -> Place:
        return place._replace(calls=(), phase="enter", escaped=True)

    def _stuck(self, place: Place, env: Env) -> Iterator[Next]:
        """Where the flow continues if no edge is open; an item fails there."""
        if self._is_in_item(place):
            return
        target = self.flow.on_stuck
        if target and not (place.escaped and place.node == target):
            yield Next(self._escaped(place)._replace(node=target), env)
        if not target or place.escaped:
            yield Next(place._replace(phase="stuck"), env)

    def _repeated(self, place: Place, env: Env) -> Iterator[Next]:
        """The places to which a correction may lead back: questions asked again, and actions performed again."""
        if self._is_crowded:
            yield Next(self._gathering(place), env)
        else:
            yield from self._led_back(place, env)

    def _led_back(self, place: Place, env: Env) -> Iterator[Next]:
        new = {
            (calls, name) for name in self.opened | self.first for calls in self._calls_of(self.flow.nodes[name].graph)
        }
        for calls, name in sorted(new | self._again_here()):
            node, there = self.flow.nodes[name], place._replace(calls=calls, node=name, phase="enter")
            if isinstance(node, Action):
                signature = self.context.signature(node)
                if place.escaped and signature is not None and signature.effects:
                    # Outside of its normal course a conversation repeats no effects.
                    continue
                yield from self._action(node, there, env, again=True)
            else:
                self._reach(there, env)
                if isinstance(node, Question) and node.on_invalid:
                    yield Next(there._replace(node=node.on_invalid), env)

    def _calls_of(self, graph: str) -> list[Calls]:
        """The calls with which a graph may be entered, without recursion."""
        return self._all_calls.get(graph, [])

    @cached_property
    def _all_calls(self) -> dict[str, list[Calls]]:
        found: dict[str, list[Calls]] = {ROOT: [()]}
        todo: list[tuple[str, Calls]] = [(ROOT, ())]
        for graph, calls in todo:
            for node in self.flow.graphs[graph].nodes.values():
                mapped = mapped_graph(node)
                for callee in self.flow.callees(node) if isinstance(node, Call) else [mapped] if mapped else ():
                    if callee != ROOT and all(callee != entered for _, entered in calls):
                        if len(todo) > _MOST_CALLS:
                            raise TooLargeError
                        found.setdefault(callee, []).append((*calls, (node.id, callee)))
                        todo.append((callee, (*calls, (node.id, callee))))
        return found

    def _action(self, node: Action, place: Place, env: Env, *, again: bool = False) -> Iterator[Next]:
        envs: Iterable[Env] = (env,)
        if not place.escaped and node.id not in self.first:
            envs = self.decisions.with_asked(action_reads(self.flow, node), self._scopes(place.calls), env)
        for each in envs:
            yield from self._due(node, place, each, again=again)

    def _due(self, node: Action, place: Place, env: Env, *, again: bool) -> Iterator[Next]:
        if node.confirm is None:
            yield from self._performed(node, place, env, "", again=again)
            return
        scopes = self._scopes(place.calls)
        by = self.flow.question(node.confirm.by)
        name = self._key_of(place.calls, by)
        domain = self.values.domain(name)
        results: list[tuple[Verdict, Env]] = [(_DEMANDED, env)]
        if node.confirm.when is not None:
            results = [*self.values.results(node.confirm.when, env, scopes)]
        for verdict, each in results:
            if verdict.closes:
                yield from self._performed(node, place, each, "", again=again)
                continue
            # A yes inside a scope may have been given in another one.
            said = self.values.limited(each, name, domain.mask(True)) if domain is not None and not scopes else each
            if said is not None:
                yield from self._performed(node, place, said, by.id, again=again)
            unsaid = {**each, name: domain.mask(MISSING)} if domain is not None else each
            yield Next(place._replace(node=by.id, phase="enter"), unsaid)

    def _performed(self, node: Action, place: Place, env: Env, confirmed: str, *, again: bool) -> Iterator[Next]:
        reached = self._reach(place, env, confirmed)
        graph = mapped_graph(node)
        if graph:
            calls = (*reached.calls, (node.id, graph))
            yield Next(reached._replace(calls=calls, node=self.flow.graphs[graph].entry), self._without_item(node, env))
        if not graph or may_be_empty(self.context, node):
            yield from self._done(node, reached, env, again=again)
        if node.on_error:
            yield Next(reached._replace(node=node.on_error, phase="enter"), env)

    def _done(self, node: Action, reached: Place, env: Env, *, again: bool) -> Iterator[Next]:
        """The places that may follow once an action, or all its items, are done."""
        written = frozenset(self.context.written_by(node))
        after: Env = {name: mask for name, mask in env.items() if name.partition(".")[0] not in written}
        after = self.decisions.without_readers(after, written)
        readers = [each for name in written for each in dependencies(self.flow).readers.get(name, ())]
        if readers:
            # Answers that no longer hold are asked again; a reply may then correct others.
            after = self._corrected(after)
            for question in readers:
                yield from self._other_ways(question, reached, after)
        for each in self.decisions.agreeing(after) if readers else (after,):
            yield Next(reached._replace(phase="leave"), each)
        if not again:
            yield from self._repeated(reached, after)

    # the items of a node with `map`: each begins with the values before, and what it writes is its own

    def _is_in_item(self, place: Place) -> bool:
        return any(isinstance(self.flow.nodes[name], Action) for name, _ in place.calls)

    def _without_item(self, node: Action, env: Env) -> Env:
        """The values without those that belong to one item of a node."""
        if node.id not in self._own:
            self._own[node.id] = own_channels(self.context, node)
        return {name: mask for name, mask in env.items() if name.partition(".")[0] not in self._own[node.id]}

    @cached_property
    def _own(self) -> dict[str, frozenset[str]]:
        return {}

    def _item_action(self, node: Action, place: Place, env: Env) -> Iterator[Next]:
        reached = self._reach(place, env)
        written = frozenset(self.context.written_by(node))
        after = {name: mask for name, mask in env.items() if name.partition(".")[0] not in written}
        yield Next(reached._replace(phase="leave"), after)
        if node.on_error:
            yield Next(reached._replace(node=node.on_error, phase="enter"), env)

    def _call(self, node: Call, place: Place, env: Env) -> Iterator[Next]:
        if node.ref != CHOSEN_PATH:
            graph = self.flow.graphs[node.ref]
            yield Next(place._replace(calls=(*place.calls, (node.id, graph.id)), node=graph.entry), env)
            return
        domain, env = self.values.domain(ACTIVE_PATH), self.decisions.without_round(node, env)
        for name, path in (("", None), *self.flow.paths.items()):
            chosen = self.values.limited(env, ACTIVE_PATH, domain.mask(name)) if domain is not None else env
            if chosen is None:
                continue
            if path is None:
                yield from self._stuck(place, chosen)
            else:
                entry = self.flow.graphs[path.ref].entry
                yield Next(place._replace(calls=(*place.calls, (node.id, path.ref)), node=entry), chosen)

    def _end(self, place: Place, env: Env) -> Iterator[Next]:
        """The end of the conversation, unless a constraint asks for an answer first, or cannot be met."""
        yield Next(place._replace(phase="end"), env)
        if self.flow.nodes[place.node].graph != ROOT or place.escaped or not self.flow.constraints:
            return
        changed = self._corrected(env)
        for key in dict.fromkeys(key for constraint in self.flow.constraints for key in constraint.keys):
            for question in self.context.askers(f"{ANSWERS}.{key}"):
                asking = place._replace(node=question.id)
                if question.id in self.targets and question.graph != ROOT:
                    raise TooLargeError
                self._reach(asking, env)
                self._given_at(asking, changed, f"{ANSWERS}.{key}")
                # An invalid reply leads on from inside the question's graph, as from the question itself.
                if question.on_invalid and question.graph == ROOT:
                    yield Next(place._replace(node=question.on_invalid, phase="enter"), changed)
                elif question.on_invalid:
                    raise TooLargeError
                yield from self._other_ways(question, place, changed)
        again = place._replace(phase="leave" if place.phase == "leave" else "enter")
        yield from (Next(again, each) for each in self.decisions.agreeing(changed))
        yield from self._stuck(place, env)

    def _left(self, node: Node, place: Place, env: Env) -> Iterator[Next]:
        if isinstance(node, Call) and node.graph == ROOT and not node.all_edges:
            yield from self._end(place, env)
            return
        if node.id in self._circular:
            yield from self._stuck(place, env)
        in_item = self._is_in_item(place)
        corrected = node.id in dependencies(self.flow).retaken and not place.escaped and not in_item
        if corrected:
            yield from (
                Next(place, each, back=True) for each in self.decisions.agreeing(self.decisions.lasting(env, node))
            )
        if isinstance(node, Decision) and node.pick_question:
            yield from self._picked(node, place, self.decisions.without_following(node, env))
            return
        scopes = self._scopes(place.calls)
        own = self._key_of(place.calls, node) if isinstance(node, Question) and node.key in self._brief else ""
        left: list[Env] = [env]
        if corrected:
            left = self.decisions.with_asked(leaving_reads(self.flow, node), scopes, env)
        taken: set[str] = set()
        for number, edge in enumerate(node.edges):
            closed: list[Env] = []
            for each in left:
                for opens, after in self._tried(edge.guard, each, scopes):
                    if opens:
                        taken.add(edge.id)
                        noted = after if in_item else self.decisions.with_taken(node, scopes, after, number)
                        yield self._along(edge, place, _dropped(noted, own))
                    else:
                        closed.append(after)
            left = closed
        if len(taken) > 1 and self.flow.deterministic:
            yield from self._stuck(place, env)
        for each in left:
            if node.otherwise is not None:
                noted = each if in_item else self.decisions.with_taken(node, scopes, each, len(node.edges))
                yield self._along(node.otherwise, place, _dropped(noted, own))
            else:
                yield from self._stuck(place, each)

    @cached_property
    def _brief(self) -> set[str]:
        """The keys of answers that only edges of their questions read: afterwards they do not matter."""
        asked = {question.key for question in self.flow.questions if question.ask_always}
        asked -= {question.key for question in self.flow.questions if not question.ask_always}
        asked -= {question.key for question in (*self.answered, *self._marked)}
        asked -= {name.rpartition(".")[2] for name in (*self.given, *self.answer)}
        read = [(node, guard) for node in self.flow.nodes.values() for guard in conditions_of(node)]
        guards = [g for n, g in read if not isinstance(n, Question)] + [*self.assurance.unless]
        guards += [each.require for each in self.flow.constraints if each.require is not None]
        names = {name.rpartition(".")[2] for guard in guards for name in guard.reads}
        for node, guard in read:
            own = node.key if isinstance(node, Question) else ""
            names |= {name.rpartition(".")[2] for name in guard.reads} - {own}
        names |= {n.key for n, g in read if isinstance(n, Question) and g is n.when}
        confirming = {node.confirm.by for node in self.flow.nodes.values() if isinstance(node, Action) and node.confirm}
        return asked - names - {self.flow.question(name).key for name in confirming}

    def _along(self, edge: Edge, place: Place, env: Env) -> Next:
        if edge.target != EXIT:
            return Next(place._replace(node=edge.target, phase="enter"), env)
        outside = place._replace(calls=place.calls[:-1], node=place.calls[-1][0], phase="leave")
        node = self.flow.nodes[outside.node]
        if isinstance(node, Action):
            return Next(outside._replace(phase="mapped"), self._without_item(node, env))
        return Next(outside, env)

    def _picked(self, node: Decision, place: Place, env: Env) -> Iterator[Next]:
        """The questions that may be picked, and the `else` edge if the mandatory ones among them are answered."""
        scopes = self._scopes(place.calls)
        rest: Env | None = env
        after = place
        for edge in node.edges:
            question = self.flow.question(edge.target)
            name = self._key_of(place.calls, question)
            domain = self.values.domain(name)
            mask = domain.mask(MISSING) if domain is not None else 0
            unanswered = self.values.limited(env, name, mask) if domain is not None else env
            if unanswered is not None:
                for opens, each in self._tried(edge.guard, unanswered, scopes):
                    if opens:
                        yield self._along(edge, place, each)
            asked = edge.guard is None and question.when is None and question.key not in self.optional
            if asked and domain is not None and rest is not None:
                rest = self.values.limited(rest, name, domain.everything & ~mask)
                rest = self.decisions.with_given(rest, name) if rest is not None else None
                counts = name in self.given or (question.id in self.marks and question.read != "confirm")
                after = after._replace(seen=True) if counts else after
        if rest is None:
            return
        if node.otherwise is not None:
            yield self._along(node.otherwise, after, rest)
        else:
            yield from self._stuck(place, rest)

    @cached_property
    def _circular(self) -> set[str]:
        """The nodes at which a walk may loop without asking or doing anything."""
        control = self.context.control
        successors: dict[str, list[str]] = {}
        for name, node in self.flow.nodes.items():
            waits = isinstance(node, Question) and node.ask_always and node.when is None
            picks = isinstance(node, Decision) and node.pick_question
            if not (waits or isinstance(node, Action)):
                edges = [node.otherwise] if picks and node.otherwise is not None else [] if picks else node.all_edges
                inside = [edge.target for edge in edges if edge.target != EXIT]
                successors[name] = [*inside, *control.entries(name)]
                if any(edge.target == EXIT for edge in edges):
                    successors[name] += control.past_exit(node.graph)
        found: set[str] = set()
        for component in components(successors):
            if is_cyclic(component, successors):
                found.update(component)
        return found


def _dropped(env: Env, name: str) -> Env:
    return {other: mask for other, mask in env.items() if other != name} if name in env else env
