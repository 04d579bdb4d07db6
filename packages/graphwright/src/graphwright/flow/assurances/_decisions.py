"""The decisions on a way that corrections cannot contradict: where one would lead elsewhere, the flow goes back to it.

They are kept among the values of a place: `@NUMBER` has one bit for each edge that the decision may have taken, and
`given:NAME` says that an answer was given on every way there, and would be asked for again before anything reads it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from graphwright.flow._dependencies import dependencies, is_answer, leaving_reads, nodes_behind, unscoped
from graphwright.flow._graph_algorithms import reachable
from graphwright.flow.assurances._value_sets import Env, Scopes, ValueSets
from graphwright.flow.checks._truth_tables import MISSING, FlowContext
from graphwright.flow.compiled import CHOSEN_PATH, Assurance, Call, Node, Question
from graphwright.flow.guards._vocabulary import ANSWERS

_MOST_SETS = 8
"""If decisions leave more sets of values than this, the further ones are not considered."""

_TAKEN, _GIVEN = "@", "given:"


class Decisions:
    """The decisions that matter for an assurance: those that read answers which its conditions read."""

    def __init__(
        self, context: FlowContext, values: ValueSets, assurance: Assurance, always_open: Collection[str]
    ) -> None:
        """`always_open` are the nodes that no guard over answers can close."""
        self._context, self._flow, self._values = context, context.flow, values
        self._wanted = {unscoped(name) for guard in assurance.unless for name in guard.reads if is_answer(name)}
        self._wanted |= {unscoped(name) for name in assurance.before if is_answer(name)}
        asking: dict[str, list[Question]] = {}
        for question in self._flow.questions:
            asking.setdefault(question.key, []).append(question)
        self._asked = {
            f"{ANSWERS}.{key}"
            for key, questions in asking.items()
            if all(q.required and not q.ask_always and q.when is None and q.id in always_open for q in questions)
        }
        """The answers without scopes that are asked for again whenever they are missing."""
        self._places: dict[str, tuple[Node, Scopes]] = {}
        self._names: dict[tuple[str, Scopes], str] = {}
        self._following: dict[str, set[str]] = {}
        self._ending: dict[str, set[str]] = {}

    def _name(self, node: Node, scopes: Scopes) -> str:
        place = node.id, scopes
        if place not in self._names:
            self._names[place] = f"{_TAKEN}{len(self._names)}"
            self._places[self._names[place]] = node, scopes
        return self._names[place]

    def _after(self, node: Node) -> set[str]:
        """The nodes that may be entered after a node."""
        if node.id not in self._following:
            self._following[node.id] = self._context.control.reached(self._context.control.after(node.id))
        return self._following[node.id]

    def _round(self, node: Node) -> set[str]:
        """The nodes whose decisions leave the way when a question is asked, or a call of the chosen path is entered."""
        if node.id not in self._ending:
            inside = nodes_behind(self._flow, node) if isinstance(node, Question) else frozenset({node.id})
            graphs = reachable(self._called(inside), lambda graph: self._called(self._flow.graphs[graph].nodes))
            inner = (self._flow.graphs[graph].nodes for graph in graphs)
            self._ending[node.id] = set(inside).union(*inner)
        return self._ending[node.id]

    def _called(self, nodes: Collection[str]) -> list[str]:
        entries = (entry for name in nodes for entry in self._context.control.entries(name))
        return [self._flow.nodes[entry].graph for entry in entries]

    def without_round(self, node: Node, env: Env) -> Env:
        """The values where a question is asked, or a call of the chosen path is entered: a round begins again there."""
        return self._without_taken(env, self._round(node)) if any(each in self._places for each in env) else env

    def without_following(self, node: Node, env: Env) -> Env:
        """The values where a decision is taken: if it is taken again after a correction, the way behind it ends."""
        if node.id not in dependencies(self._flow).retaken or not any(each in self._places for each in env):
            return env
        return self._without_taken(env, self._after(node))

    def _without_taken(self, env: Env, nodes: Collection[str]) -> Env:
        places = self._places
        return {each: mask for each, mask in env.items() if each not in places or places[each][0].id not in nodes}

    def with_given(self, env: Env, name: str) -> Env:
        """The values after a reply gave an answer."""
        return {**env, f"{_GIVEN}{name}": 1} if name in self._asked and name in self._wanted else env

    def with_asked(self, reads: Collection[str], scopes: Scopes, env: Env) -> list[Env]:
        """The values where something reads names: an answer that was given and withdrawn has been asked again."""
        names = {self._values.absolute(read, scopes) for read in reads}
        asked: dict[str, int] = {}
        for name in (each.removeprefix(_GIVEN) for each in env if each.startswith(_GIVEN)):
            domain = self._values.domain(name)
            if domain is None or not (name in names or ANSWERS in names):
                continue
            if env.get(name, domain.everything) & domain.mask(MISSING):
                asked[name] = domain.everything & ~domain.mask(MISSING)
        return self.agreeing({**env, **asked}) if asked else [env]

    def with_taken(self, node: Node, scopes: Scopes, env: Env, edge: int) -> Env:
        """The values after a decision, with its edge if corrections cannot contradict it: it read answers alone."""
        reads, name = leaving_reads(self._flow, node), self._name(node, scopes)
        if env.get(name) != 1 << edge:
            env = self.without_following(node, env)
        if self._wanted.isdisjoint(map(unscoped, reads)):
            return env
        if all(self._is_compared(self._values.absolute(read, scopes), env) for read in reads):
            return {**env, name: 1 << edge}
        return {other: mask for other, mask in env.items() if other != name}

    def _is_compared(self, name: str, env: Env) -> bool:
        """Whether a decision is compared again after a change of a name: of an answer that was given."""
        if not is_answer(name):
            channel = name.partition(".")[0]
            known = channel in self._flow.channels
            computing = (self._context.written_by(self._flow.action(n)) for n in dependencies(self._flow).computing)
            return known and not any(channel in written for written in computing)
        domain = self._values.domain(name)
        lasting = unscoped(name).removeprefix(f"{ANSWERS}.") in dependencies(self._flow).lasting
        return lasting and domain is not None and not env.get(name, domain.everything) & domain.mask(MISSING)

    def without_readers(self, env: Env, written: Collection[str]) -> Env:
        """The values after an action wrote channels: a decision that read one of them may be contradicted."""
        if not written:
            return env
        return {name: mask for name, mask in env.items() if name not in self._places or not self._read(name, written)}

    def _read(self, name: str, channels: Collection[str]) -> bool:
        return any(read.partition(".")[0] in channels for read in leaving_reads(self._flow, self._places[name][0]))

    def lasting(self, env: Env, node: Node) -> Env:
        """What is known after any time and any correction where a correction led back to the decision of a node."""
        if any(each in self._places for each in env):
            begun = (each for each in map(self._flow.nodes.__getitem__, self._after(node)) if _begins_rounds(each))
            rounds = (ended for each in begun if node.id not in (ended := self._round(each)))
            env = self._without_taken(env, set[str]().union(*rounds))
        fixed = {name for name in self._flow.channels if not self._context.writers(name)}
        changing = self._flow.channels.keys() - fixed
        return {
            name: mask
            for name, mask in env.items()
            if name.startswith(_GIVEN)
            or name.partition(".")[0] in fixed
            or (name in self._places and not self._read(name, changing))
        }

    def agreeing(self, env: Env) -> list[Env]:
        """The values with which all decisions lead where they led."""
        left: list[Env] = [env]
        for name in sorted(name for name in env if name in self._places):
            node, scopes = self._places[name]
            agreeing = [
                each for one in left for edge, each in self._outcomes(node, one, scopes) if env[name] >> edge & 1
            ]
            if len(agreeing) <= _MOST_SETS:
                left = agreeing
        return left

    def _outcomes(self, node: Node, env: Env, scopes: Scopes) -> Iterator[tuple[int, Env]]:
        left: list[Env] = [env]
        for number, edge in enumerate(node.edges):
            closed: list[Env] = []
            for each in left:
                for opens, after in self._values.tried(edge.guard, each, scopes):
                    if opens:
                        yield number, after
                    else:
                        closed.append(after)
            left = closed
        yield from ((len(node.edges), each) for each in left)


def _begins_rounds(node: Node) -> bool:
    return isinstance(node, Question) or (isinstance(node, Call) and node.ref == CHOSEN_PATH)
