"""Proofs of assurances: visit all places that conversations may reach, over joined sets of values."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from functools import cached_property

from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._source import Reporter
from graphwright.flow.assurances._every_way import Frame, Key, Place, TooLargeError, ViolatedError, Ways
from graphwright.flow.assurances._value_sets import Env
from graphwright.flow.checks._truth_tables import MISSING, FlowContext
from graphwright.flow.compiled import Action, Assurance, Decision, Question
from graphwright.flow.guards._vocabulary import ANSWERS, VALUE

_MOST_STEPS = 8_000
"""The maximum number of places that are visited for one assurance with sets of values that are kept apart."""

_MOST_JOINED_STEPS = 40_000
"""The same, with all values joined at each place."""

_MOST_SETS = 12
"""The maximum number of sets of values that are kept apart at one place."""

TOO_LARGE = "the flow has too many ways to follow all of them"

_DEEPEST = 16
"""The maximum number of nested calls that are followed."""


@dataclass
class Proof(Ways):
    """The search for a violation of one assurance.

    `sets` are the values at each place, `after` the places that follow, and if the user can choose each.
    """

    most_sets: int = _MOST_SETS
    most_steps: int = _MOST_STEPS
    sets: dict[Place, list[Env]] = field(default_factory=dict)
    after: dict[Key, list[tuple[Key, bool]]] = field(default_factory=dict)
    todo: deque[Key] = field(default_factory=deque)
    later: deque[Key] = field(default_factory=deque)

    def prove(self) -> str:
        """Why the assurance may be violated, with a way; empty if it holds in every conversation."""
        named = (*self.targets, *self.marks)
        if any(self.flow.nodes[name].graph not in self._all_calls for name in named):
            return "it is about a node inside a subgraph that nothing calls"
        try:
            if not self._is_local():
                self._visit_all()
                if self.assurance.claim == "eventually":
                    self._check_progress()
        except ViolatedError as violated:
            return str(violated)
        except TooLargeError:
            return TOO_LARGE
        return ""

    def _is_local(self) -> bool:
        """Whether the assurance holds at its actions after any history, such as because of their `confirm`."""
        nodes = [self.flow.nodes[name] for name in sorted(self.targets)]
        if self.assurance.claim == "eventually" or not all(isinstance(node, Action) for node in nodes) or not nodes:
            return False
        try:
            for node in nodes:
                for calls in self._calls_of(node.graph):
                    place = Place(calls, node.id)
                    self.here = place, frozenset()
                    for _ in self._action(node, place, {}) if isinstance(node, Action) else ():
                        pass
        except ViolatedError:
            return False
        return True

    def _visit_all(self) -> None:
        self._add(Place((), self.flow.root.entry), self._initial(), frozenset(), None)
        steps = 0
        while self.todo or self.later:
            # A place that many others lead to is visited after all of them.
            key = self.todo.popleft() if self.todo else self.later.popleft()
            place, env = key[0], dict(key[1])
            if env not in self.sets[place]:
                continue  # what replaced it is visited
            steps += 1
            if steps > self.most_steps:
                raise TooLargeError
            self.here = key
            again = self._again_after()
            if self._is_crowded and place.node:
                # All nodes that corrections may lead back to are noted at one place.
                self._note(self._gathering(place), again)
                again = frozenset()
            following = [(n, self._add(n.place, n.env, again, key)) for n in self._following(place, env)]
            # A user who corrects answers without end is free to do so.
            self.after[key] = [(follower, n.chosen) for n, follower in following if not n.back]

    def _initial(self) -> Env:
        """The values at the beginning: channels of the thread may hold what an earlier conversation wrote."""
        env: dict[str, int] = {}
        for name in self.values.names:
            domain = self.values.domain(name)
            channel = self.flow.channels.get(name.partition(".")[0])
            if domain is not None and channel is not None:
                if channel.per_conversation or not self.context.writers(channel.name):
                    env[name] = domain.mask(self.context.default(name))
            elif domain is not None and not self.flow.keep_answers and name.startswith(f"{ANSWERS}."):
                env[name] = domain.mask(MISSING)
        return env

    def _add(self, place: Place, env: Env, again: frozenset[Frame], before: Key | None) -> Key:
        """Note a place to visit, unless it was visited with the same values or more. Returns the key of the visit."""
        if len(place.calls) > _DEEPEST:
            raise TooLargeError
        known = self.sets.setdefault(place, [])
        self._note(place, again)
        for other in known:
            if all(name in env and not env[name] & ~mask for name, mask in other.items()):
                return place, frozenset(other.items())
        replaced: list[Env] = []
        if len(known) >= self.most_sets and place.node not in self.targets:
            replaced = [*known]
            known.clear()
            for other in replaced:
                env = self._joined(env, other)
        known.append(env)
        key = place, frozenset(env.items())
        for other in replaced:
            if other != env:
                self.after[place, frozenset(other.items())] = [(key, True)]
        self.before.setdefault(key, before)
        self._queue(key)
        return key

    def _joined(self, env: Env, other: Env) -> Env:
        """Values that include both. With one set at each place, names that differ may have any value."""
        both = env.keys() & other.keys()
        if self.most_sets == 1:
            return {name: env[name] for name in both if env[name] == other[name]}
        return {name: env[name] | other[name] for name in both}

    def _queue(self, key: Key) -> None:
        (self.todo if key[0].node else self.later).append(key)

    def _note(self, place: Place, again: frozenset[Frame]) -> None:
        """Note what corrections may lead back to at a place; if there is something new, visit the place again."""
        if not again <= self.again.get(place, frozenset()):
            self.again[place] = self.again.get(place, frozenset()) | again
            for env in self.sets.get(place, ()):
                self._queue((place, frozenset(env.items())))

    # whether the demanded event can still happen from every place

    def _check_progress(self) -> None:
        """Check that plain answers lead from every place to the end.

        A cycle over a decision that picks questions ends: it picks each question until it has an answer.
        """
        picking = {key for key in self.after if key[0].phase == "leave" and key[0].node in self._picks}
        good: set[Key] = set(self.after)
        while (left := self._leading(good, picking)) != good:
            good = left
        for key in self.after:
            if key not in good:
                self.here = key
                raise self._violated(f"from here the conversation may never come to `{self.assurance.of}`")

    def _leading(self, known: set[Key], picking: set[Key]) -> set[Key]:
        """The places from which plain answers lead to the end, or on from `picking` to a question in `known`."""
        waits = {key for key in self.after if key[0].phase == "wait"}
        good = {key for key in self.after if key[0].seen or key[0].phase == "end"}
        needed: dict[Key, int] = {}
        leads: dict[Key, list[Key]] = {}
        for key, followers in self.after.items():
            counted = {follower for follower, chosen in followers if chosen or key not in waits}
            if key in picking:
                picked = self._picks[key[0].node]
                counted = {each for each in counted if not (each[0].node in picked and each in known)}
            needed[key] = 1 if key in waits else len(counted)
            for follower in counted:
                leads.setdefault(follower, []).append(key)
        todo = [*good, *(key for key, number in needed.items() if not number and key in picking and key not in good)]
        good.update(todo)
        while todo:
            for key in leads.get(todo.pop(), ()):
                needed[key] -= 1
                if key not in good and (needed[key] <= 0):
                    good.add(key)
                    todo.append(key)
        return good

    @cached_property
    def _picks(self) -> dict[str, set[str]]:
        """The decisions that pick questions, each with those that are not asked again once they have an answer."""
        found = {}
        for node in self.flow.nodes.values():
            if isinstance(node, Decision) and node.pick_question:
                asked = [self.flow.question(edge.target) for edge in node.edges]
                found[node.id] = {each.id for each in asked if not self._may_be_dropped(each)}
        return found

    def _may_be_dropped(self, question: Question) -> bool:
        """Whether an answer may be asked for again although nobody corrects it."""
        rule = question.validate
        dependent = rule is not None and any(f"{ANSWERS}.{question.key}" != read != VALUE for read in rule.reads)
        return question.ask_always or dependent or bool(question.options or question.validator)


def report_unproven(context: FlowContext, out: Reporter) -> tuple[tuple[Assurance, str], ...]:
    """Report the assurances of a flow that are not shown to hold; returns them with the messages."""
    found = []
    for place, assurance in enumerate(context.flow.assurances):
        doubt = Proof(context, assurance).prove()
        if doubt == TOO_LARGE:
            doubt = Proof(context, assurance, most_sets=1, most_steps=_MOST_JOINED_STEPS).prove()
        if doubt:
            message = f"It is unknown whether `{assurance.text}` holds: {doubt}."
            hint = (
                "Test the same condition, compared with fixed values, in a guard on the edges that lead there. Where "
            )
            hint += (
                "a correction at a `confirm` keeps it unknown, a conversation file can show it (`graphwright test`)."
            )
            out.add(Code.ASSURANCE_UNKNOWN, ("assurances", place), message, hint)
            found.append((assurance, message))
    return tuple(found)
