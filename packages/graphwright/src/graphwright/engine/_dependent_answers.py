"""The answers and channels that a change of answers makes stale: ask or compute them again before they are read."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, NamedTuple

from graphwright.engine._constraints import find_questions
from graphwright.engine._position import (
    DECLINED,
    Scope,
    lookup,
    view,
    with_answer,
    without_answer,
)
from graphwright.engine.events import AnswerDropped, ChannelsStale, QuestionsReopened
from graphwright.flow._dependencies import (
    answer_needs,
    answer_reads,
    dependencies,
    is_answer,
    is_read,
    signature_of,
    unscoped,
)
from graphwright.flow.compiled import CHOSEN_PATH, EXIT, Action, Call, CompiledFlow, Decision, Node, Question
from graphwright.flow.guards import Guard
from graphwright.flow.guards._vocabulary import ACTIVE_PATH, ANSWERS

REOPENED = "$reopened"
PASSED = "$passed"
SOURCES = "$sources"

UNDECIDED = "undecided"
"""The reason for dropping an answer whose `validate` reads an answer that may still be given."""

_PREFIX = f"{ANSWERS}."


class Source(NamedTuple):
    """The action that computed a channel, the answer scopes it ran in, and the names of what it read that changed."""

    node: str
    scopes: tuple[Scope, ...]
    changed: tuple[str, ...] = ()

    def to_json(self) -> list[Any]:
        return [self.node, [list(scope) for scope in self.scopes], list(self.changed)]

    @classmethod
    def from_json(cls, data: list[Any]) -> Source:
        node, scopes, changed = data
        return cls(node, tuple(Scope(*scope) for scope in scopes), tuple(changed))


Reconsidered = AnswerDropped | QuestionsReopened | ChannelsStale
"""The events of reconsidering answers and channels after a change."""


@dataclass(frozen=True, slots=True)
class Changes:
    """The names that changed: channels, `active_path`, or `answers.` and a dotted key.

    `replaced` had another value before, `added` are answers that were volunteered or given again, `answered` is the one
    that the user was asked for the first time.
    """

    replaced: Collection[str] = ()
    added: Collection[str] = ()
    answered: Collection[str] = ()

    @property
    def names(self) -> frozenset[str]:
        return frozenset((*self.replaced, *self.added, *self.answered))


def reconsider(
    flow: CompiledFlow, values: Mapping[str, Any], changes: Changes, *, reopens: bool = True
) -> tuple[Reconsidered, ...]:
    """Check again what depends on names that changed. `values` are those after the change, and are only read.

    Answers that no longer hold are dropped and reopened, until all that are left hold. Channels computed from an answer
    that was replaced, withdrawn or dropped become stale; an answer that was volunteered makes those stale that can be
    computed again. With `reopens`, questions that were passed over and apply now are asked as well.
    """
    check = _Check(flow, values, changes.names)
    drops = check.drop()
    replaced = {*changes.replaced, *(_PREFIX + ".".join(drop.path) for drop in drops)}
    applying = check.applying(values.get(PASSED, ())) if reopens else []
    again = (QuestionsReopened(tuple(applying)),) if applying else ()
    return *drops, *again, *_stale(flow, values.get(SOURCES) or {}, replaced, changes.added)


class _Check:
    """Names that changed, and the answers that are left over these changes."""

    def __init__(self, flow: CompiledFlow, values: Mapping[str, Any], changed: Collection[str]) -> None:
        self.flow = flow
        self.values = values
        self.changed = {unscoped(name) for name in changed}
        self.answers: Mapping[str, Any] = values.get("answers") or {}
        self._readers = dependencies(flow).readers

    def drop(self) -> list[AnswerDropped]:
        found: list[AnswerDropped] = []
        todo = sorted(self.changed)
        while todo:
            name = todo.pop(0)
            for question in self._readers.get(name, ()):
                for drop in self._dropped(question):
                    found.append(drop)
                    self.answers = without_answer(self.answers, drop.path)
                    todo.append(_PREFIX + question.key)
                    self.changed.add(_PREFIX + question.key)
        return found

    def _dropped(self, question: Question) -> Iterator[AnswerDropped]:
        """The answers to a question that no longer hold, wherever it is asked."""
        for path in [path for path in _all_paths(self.answers) if path[-1] == question.key]:
            value = lookup(self.answers, path)[1]
            values = {**self.values, "answers": self.answers}
            found = [
                (asking, *self._violation(asking, scopes, value, values))
                for asking, scopes in find_questions(self.flow, path)
            ]
            # Where several questions ask for one answer, one of them is enough.
            if found and all(reason for _, reason, _ in found):
                asking, reason, decisive = min(found, key=lambda each: (each[1] != UNDECIDED, each[0] is not question))
                reads = set(map(unscoped, answer_reads(asking)))
                because = self.changed & set(map(unscoped, decisive)) or self.changed & reads
                yield AnswerDropped(asking.id, path, reason, value, tuple(sorted(because)))

    def _violation(
        self, question: Question, scopes: tuple[Scope, ...], value: Any, values: Mapping[str, Any]
    ) -> tuple[str, Collection[str]]:
        reason, decisive = violation(self.flow, question, scopes, value, values)
        # The answer is checked again when the channel has its value.
        waits = reason and not without_value(self.flow, values.get(SOURCES) or {}).isdisjoint(decisive)
        return ("", ()) if waits else (reason, decisive)

    def applying(self, passed: Collection[str]) -> list[str]:
        """Those questions, passed over before, that apply now and have no answer."""
        found = []
        values = {**self.values, "answers": self.answers}
        for key in passed:
            path = tuple(key.split("."))
            if key in self.values.get(DECLINED, ()) or lookup(self.answers, path)[0]:
                continue
            for question, scopes in find_questions(self.flow, path):
                if question.when is None or question.ask_always:
                    continue
                depends = self.changed & set(map(unscoped, question.when.reads))
                if depends and question.when.evaluate(view(self.flow, values, scopes)).opens:
                    found.append(key)
                    break
        return found


def _all_paths(answers: Mapping[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The paths of all answers, also of what lies inside the value of an answer."""
    for name, value in answers.items():
        yield (*above, name)
        if isinstance(value, Mapping):
            yield from _all_paths(value, (*above, name))


def violation(
    flow: CompiledFlow, question: Question, scopes: tuple[Scope, ...], value: Any, values: Mapping[str, Any]
) -> tuple[str, Collection[str]]:
    """Return the check that a committed answer does not pass, and the names that decide it; empty if it holds.

    The check is `when`, `options`, `validate`, or UNDECIDED.
    """
    seen = {**view(flow, values, scopes), "value": value}
    if question.when is not None and not applies(flow, question, scopes, values):
        return "when", question.when.deciding_reads(seen)
    if question.options and not is_option(value, values.get(question.options)):
        return "options", [question.options]
    if question.validate is not None and not question.validate.evaluate(seen).opens:
        missing = awaited(flow, question, scopes, value, values)
        return (UNDECIDED, missing) if missing else ("validate", question.validate.deciding_reads(seen))
    return "", ()


def awaited(
    flow: CompiledFlow, question: Question, scopes: tuple[Scope, ...], value: Any, values: Mapping[str, Any]
) -> list[str]:
    """Return the answers that decide whether `value` is valid, if all of them may still be given."""
    place = scopes, ".".join((*(scope.name for scope in scopes), question.key))
    keys = undecided(flow, question.validate, place, {**values, "value": value}, ())
    askable = (
        any(applies(flow, asking, inner, values) for asking, inner in find_questions(flow, tuple(key.split("."))))
        for key in keys
    )
    return [_PREFIX + key for key in keys] if all(askable) else []


def as_before(values: Mapping[str, Any], path: tuple[str, ...]) -> Mapping[str, Any]:
    """The values over which the `when` of a question is evaluated: with its old answer, if that is asked again.

    `when: has(answers.x) || ...` of `x` itself is not false just because the answer was withdrawn.
    """
    old = (values.get(REOPENED) or {}).get(".".join(path))
    return values if old is None else {**values, "answers": with_answer(values.get("answers") or {}, path, old)}


def without_value(flow: CompiledFlow, sources: Mapping[str, Source]) -> frozenset[str]:
    """The channels that a migration reset, and whose actions compute them again before something reads them."""
    reset = (name for name, source in sources.items() if name in source.changed)
    return frozenset(name for name in reset if not signature_of(flow, flow.action(sources[name].node)).effects)


def is_option(value: Any, items: Any) -> bool:
    """Whether a value is among the options in a channel. True and 1 are not the same."""
    for item in items if isinstance(items, list) else ():
        each = item.get("value") if isinstance(item, Mapping) else item
        if each == value and isinstance(each, bool) == isinstance(value, bool):
            return True
    return False


def applies(flow: CompiledFlow, question: Question, scopes: tuple[Scope, ...], values: Mapping[str, Any]) -> bool:
    """Whether a question may apply: its `when` holds, or needs an answer that may still be given.

    A question that other answers only make needless (`!has(answers.phone)`) applies as well.
    """
    when = question.when
    if when is None:
        return True
    seen = view(flow, values, scopes)
    answers = seen.get("answers") or {}
    for name in when.reads - when.needs:
        if is_answer(name):
            answers = without_answer(answers, tuple(name.split(".")[1:]))
    declined = values.get(DECLINED, ())
    for verdict in (when.evaluate(each) for each in (seen, {**seen, "answers": answers})):
        missing = [".".join(flow.resolve(scopes, name.removeprefix(_PREFIX))) for name in verdict.missing]
        if verdict.opens or (missing and not set(missing) & set(declined)):
            return True
    return False


def undecided(
    flow: CompiledFlow,
    guard: Guard | None,
    place: tuple[tuple[Scope, ...], str],
    values: Mapping[str, Any],
    kept: Collection[str],
) -> tuple[str, ...]:
    """Return the dotted keys of the answers on which the outcome of a question's guard still depends.

    Those are values that are `kept` until they can be checked, and answers that may still be given. `place` has the
    scopes and the dotted key of the question. The result is empty if the guard has the same value for all of them.
    """
    if guard is None:
        return ()
    scopes, own = place
    seen = view(flow, values, scopes)
    keys = {name: ".".join(flow.resolve(scopes, name.removeprefix(_PREFIX))) for name in guard.reads if is_answer(name)}
    settled = (own, *values.get(DECLINED, ()), *values.get(PASSED, ()))
    answers = values.get("answers") or {}
    waits = {name: key for name, key in keys.items() if key in kept and key != own}
    outcome = guard.outcome(seen, waits) if waits else guard.evaluate(seen).opens or None
    if outcome is None and waits:
        return tuple(waits.values())
    if outcome:
        return ()
    waits |= {
        name: key for name, key in keys.items() if key not in settled and not lookup(answers, tuple(key.split(".")))[0]
    }
    return tuple(waits.values()) if waits and guard.outcome(seen, waits) is None else ()


def is_outdated(
    flow: CompiledFlow, values: Mapping[str, Any], channel: str, changed: Collection[str], *, asked: bool
) -> bool:
    """Return whether an action will compute a channel again after answers `changed`, or for the first time.

    A channel from which the question that is `asked` now takes its options was computed, or never will be.
    """
    sources: Mapping[str, Source] = values.get(SOURCES) or {}
    source = sources.get(channel)
    if source is None:
        computing = (flow.nodes[name] for name in dependencies(flow).computing)
        return not asked and any(isinstance(n, Action) and channel in signature_of(flow, n).writes for n in computing)
    node = flow.action(source.node)
    upstream = _upstream(flow, sources, node)
    for each in sources.values():
        above = flow.action(each.node)
        if above.id in upstream and not signature_of(flow, above).effects:
            reads = [absolute(flow, each.scopes, name) for name in signature_of(flow, above).reads]
            if (each.changed and not asked) or any(is_read(name, reads) for name in changed):
                return True
    return False


def _stale(
    flow: CompiledFlow, sources: Mapping[str, Source], replaced: Collection[str], added: Collection[str]
) -> list[ChannelsStale]:
    """One event for each action that computed channels from a changed answer."""
    if not sources:
        return []
    lasting = dependencies(flow).lasting
    # Of the changes of channels only those that follow from a correction count; `computed` knows them.
    replaced, added = (
        [name for name in names if name == ACTIVE_PATH or (is_answer(name) and name.rpartition(".")[2] in lasting)]
        for names in (replaced, added)
    )
    stale: dict[str, list[str]] = {}
    causes: dict[str, tuple[str, ...]] = {}
    for channel, source in sources.items():
        node = flow.action(source.node)
        signature = signature_of(flow, node)
        reads = [absolute(flow, source.scopes, name) for name in signature.reads]
        changed = [name for name in (*replaced, *(() if signature.effects else added)) if is_read(name, reads)]
        new = tuple(dict.fromkeys((*source.changed, *changed)))
        if new != source.changed:
            stale.setdefault(node.id, []).append(channel)
            causes[node.id] = new
    return [ChannelsStale(node, tuple(channels), causes[node]) for node, channels in stale.items()]


def absolute(flow: CompiledFlow, scopes: tuple[Scope, ...], name: str) -> str:
    """A name that an action reads, as it is called from the root."""
    return _PREFIX + ".".join(flow.resolve(scopes, name.removeprefix(_PREFIX))) if is_answer(name) else name


def computed(
    flow: CompiledFlow,
    sources: Mapping[str, Source],
    node: Action,
    scopes: tuple[Scope, ...],
    written: Collection[str],
    changed: Collection[str],
) -> tuple[Mapping[str, Source], bool]:
    """The sources after an action wrote channels, and whether it was computed again because of a correction.

    `changed` are those with another value than before. If the action was stale, the channels computed from them are now
    stale, except for those that the action itself depends on: that would be a cycle.
    """
    again = any(source.changed for source in sources.values() if source.node == node.id)
    if node.id not in dependencies(flow).computing:
        return {name: source for name, source in sources.items() if name not in written}, again
    own = {name: Source(node.id, scopes) for name in written}
    # A channel that it left alone this time is as good as written.
    own |= {name: Source(node.id, scopes) for name, source in sources.items() if source.node == node.id}
    new: dict[str, Source] = {**sources, **own}
    if again and changed:
        upstream = _upstream(flow, new, node)
        for channel, source in new.items():
            above = flow.action(source.node)
            reads = signature_of(flow, above).reads
            caused = tuple(name for name in changed if name in reads and name not in source.changed)
            if caused and above.id not in upstream:
                new[channel] = source._replace(changed=(*source.changed, *caused))
    return new, again


def _upstream(flow: CompiledFlow, sources: Mapping[str, Source], node: Action) -> set[str]:
    """The ids of an action and of those whose channels it reads, directly or over others."""
    found = {node.id}
    todo = [node]
    while todo:
        for name in signature_of(flow, todo.pop()).reads:
            source = sources.get(name)
            if source is not None and source.node not in found:
                found.add(source.node)
                above = flow.action(source.node)
                todo.append(above)
    return found


def reads_behind(flow: CompiledFlow, sources: Mapping[str, Source], names: Collection[str]) -> set[str]:
    """Return `names`, and what the actions read that computed the channels among them; answers without their scopes."""
    found = set(map(unscoped, names))
    for name in names:
        for each in _upstream(flow, sources, flow.action(sources[name].node)) if name in sources else ():
            found |= set(map(unscoped, signature_of(flow, flow.action(each)).reads))
    return found


Place = tuple[str, tuple[Scope, ...]]
"""A node and the answer scopes in which it is entered."""


class Redo(NamedTuple):
    """A question to ask again, or an action to perform again, and the scopes to do it in."""

    node: Question | Action
    scopes: tuple[Scope, ...]


def is_pending(values: Mapping[str, Any]) -> bool:
    """Whether any answer is to be asked again, or any channel to be computed again."""
    sources: Mapping[str, Source] = values.get(SOURCES) or {}
    return bool(values.get(REOPENED)) or any(source.changed for source in sources.values())


def first_redo(
    flow: CompiledFlow,
    values: Mapping[str, Any],
    reads: Collection[str],
    scopes: tuple[Scope, ...],
    *,
    busy: Collection[Place],
    escaped: bool,
) -> Redo | None:
    """Return what to do first so that `reads`, names as a node with these scopes reads them, are up to date.

    Dependencies come before what depends on them. Places in `busy` are skipped: they are being asked or computed.
    A conversation that left its normal way (`escaped`) asks nothing again, and repeats no effects.
    """
    return next(_Search(flow, values, busy, escaped).names(reads, scopes), None)


def rechecks(
    flow: CompiledFlow, values: Mapping[str, Any], *, busy: Collection[Place] = ()
) -> Iterator[tuple[Question, tuple[str, ...], Redo]]:
    """The given answers that an outdated channel may make invalid, with their paths, and what to do first to check."""
    for path in _all_paths(values.get("answers") or {}):
        for question, scopes in find_questions(flow, path):
            channels = [name for name in answer_reads(question) if not is_answer(name)]
            redo = next(_Search(flow, values, busy, False).names(channels, scopes), None)
            if redo is not None and not question.ask_always:
                yield question, path, redo


def first_recheck(flow: CompiledFlow, values: Mapping[str, Any], busy: Collection[Place]) -> Redo | None:
    """Return the first action without effects that a check of a given answer waits for, and no question before it."""
    for _, _, redo in rechecks(flow, values, busy=busy):
        if isinstance(redo.node, Action) and not signature_of(flow, redo.node).effects:
            return redo
    return None


@lru_cache(maxsize=64)
def _order(flow: CompiledFlow) -> Mapping[str, int]:
    """The places of the questions in the document by their keys."""
    return {question.key: place for place, question in enumerate(flow.questions)}


def _place(order: Mapping[str, int], name: str) -> tuple[bool, int, str]:
    """Sorts names: answers in the order of their questions, then channels."""
    return not name.startswith(ANSWERS), order.get(name.rpartition(".")[2], -1), name


class _Search:
    """A search through the dependencies, depth first; each answer and channel is visited once."""

    def __init__(self, flow: CompiledFlow, values: Mapping[str, Any], busy: Collection[Place], escaped: bool) -> None:
        self.flow = flow
        self.values = values
        self.busy = busy
        self.escaped = escaped
        self.seen: set[str | tuple[str, ...]] = set()
        self.waiting: set[str] = set()
        """Answers that are being asked for again, and channels that are computed from them."""
        self.reachable: frozenset[Place] | None = None

    def names(self, names: Collection[str], scopes: tuple[Scope, ...]) -> Iterator[Redo]:
        for name in sorted(names, key=partial(_place, _order(self.flow))):
            if name == "answers":
                for path in self._every_answer():
                    yield from self.answer(path)
            elif is_answer(name):
                yield from self.answer(self.flow.resolve(scopes, name.removeprefix("answers.")))
            else:
                yield from self.channel(name)

    def _every_answer(self) -> Iterator[tuple[str, ...]]:
        yield from _all_paths(self.values.get("answers") or {})
        order = _order(self.flow)
        lasting = dependencies(self.flow).lasting
        reopened = (tuple(key.split(".")) for key in self.values.get(REOPENED, ()))
        yield from sorted((path for path in reopened if path[-1] in lasting), key=lambda path: order.get(path[-1], 0))

    def answer(self, path: tuple[str, ...]) -> Iterator[Redo]:
        if path in self.seen:
            return
        self.seen.add(path)
        given = lookup(self.values.get("answers") or {}, path)[0]
        reopened = ".".join(path) in self.values.get(REOPENED, ())
        for question, scopes in find_questions(self.flow, path):
            if not (given or reopened) or (question.ask_always and (given or question.read == "confirm")):
                continue
            if question.when is not None:
                yield from self.names(question.when.needs, scopes)
            # Do not compute the needs of an answer in a closed branch, which will not be asked for.
            if given:
                yield from self.names(answer_needs(question), scopes)
            elif (question.id, scopes) in self.busy:
                self.waiting.add(_PREFIX + ".".join(path))
            elif not self.escaped and self._askable(question, scopes):
                yield from self.names(answer_needs(question), scopes)
                yield from self._options(question, scopes)
                yield Redo(question, scopes)

    def _askable(self, question: Question, scopes: tuple[Scope, ...]) -> bool:
        """Whether the question applies, and lies on a way that the flow may take as things are now."""
        values = as_before(self.values, (*(scope.name for scope in scopes), question.key))
        if question.when is not None and not question.when.evaluate(view(self.flow, values, scopes)).opens:
            return False
        if self.reachable is None:
            self.reachable = _reachable(self.flow, self.values)
        return (question.id, scopes) in self.reachable

    def _options(self, question: Question, scopes: tuple[Scope, ...]) -> Iterator[Redo]:
        """The actions that compute the options of a question for the first time: the flow has not come by them."""
        if not question.options or question.options in (self.values.get(SOURCES) or {}):
            return
        for node in self.flow.graphs[question.graph].nodes.values():
            if not isinstance(node, Action) or node.id not in dependencies(self.flow).computing:
                continue
            signature = signature_of(self.flow, node)
            if question.options in signature.writes and not signature.effects and (node.id, scopes) not in self.busy:
                yield from self.names(signature.reads, scopes)
                yield Redo(node, scopes)

    def channel(self, name: str) -> Iterator[Redo]:
        source = (self.values.get(SOURCES) or {}).get(name)
        if source is None or name in self.seen:
            return
        self.seen.add(name)
        node = self.flow.action(source.node)
        signature = signature_of(self.flow, node)
        yield from self.names(signature.reads, source.scopes)
        reads = [absolute(self.flow, source.scopes, each) for each in signature.reads]
        if any(is_read(each, reads) for each in self.waiting):
            self.waiting.add(name)
        elif source.changed and (node.id, source.scopes) not in self.busy and not (self.escaped and signature.effects):
            yield Redo(node, source.scopes)


def opened_questions(flow: CompiledFlow, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Return the keys of unanswered questions on ways that were closed over `before` and are open over `after`."""
    old_answers, new_answers = before.get("answers") or {}, after.get("answers") or {}
    paths = {*_all_paths(old_answers), *_all_paths(new_answers)}
    changed = {path[-1] for path in paths if lookup(old_answers, path) != lookup(new_answers, path)}
    if before.get("active_path") == after.get("active_path") and changed.isdisjoint(dependencies(flow).branching):
        return []
    old = _reachable(flow, before)
    found = []
    for name, scopes in sorted(_reachable(flow, after) - old):
        node = flow.nodes[name]
        if not isinstance(node, Question) or node.ask_always:
            continue
        path = (*(scope.name for scope in scopes), node.key)
        elsewhere = any((question.id, place) in old for question, place in find_questions(flow, path))
        if not elsewhere and not lookup(new_answers, path)[0]:
            found.append(".".join(path))
    return found


def _reachable(flow: CompiledFlow, values: Mapping[str, Any]) -> frozenset[Place]:
    """Return the questions that the flow may reach from its entry, unless the answers close every way to them."""
    found: set[Place] = set()
    todo: list[Place] = [(flow.root.entry, ())]
    while todo:
        place = todo.pop()
        if place in found:
            continue
        found.add(place)
        name, scopes = place
        node = flow.nodes[name]
        todo += [(target, scopes) for target in open_targets(flow, node, values, scopes) if target != EXIT]
        if isinstance(node, Call):
            todo += callee_entries(flow, node, values, scopes)
    return frozenset(found)


def callee_entries(
    flow: CompiledFlow, node: Call, values: Mapping[str, Any], scopes: tuple[Scope, ...]
) -> Iterator[Place]:
    chosen = flow.paths.get(str(values.get("active_path") or ""))
    for ref in [chosen.ref] if node.ref == CHOSEN_PATH and chosen is not None else flow.callees(node):
        inner = (*scopes, Scope(node.scope, ref)) if node.scope else scopes
        # A recursion is followed as deep as answers were given in it.
        if sum(scope.graph == ref for scope in inner) <= 1 or _is_present(values, inner):
            yield flow.graphs[ref].entry, inner


def _is_present(values: Mapping[str, Any], scopes: tuple[Scope, ...]) -> bool:
    return lookup(values.get("answers") or {}, tuple(scope.name for scope in scopes))[0]


def open_targets(flow: CompiledFlow, node: Node, values: Mapping[str, Any], scopes: tuple[Scope, ...]) -> Iterator[str]:
    """Where a node may lead. Only a guard over answers that are all there can close an edge or make others needless."""
    for name in ("on_invalid", "on_error"):
        if target := getattr(node, name, ""):
            yield target
    if isinstance(node, Action) and node.confirm is not None:
        yield node.confirm.by
    if isinstance(node, Decision) and node.pick_question:
        yield from (edge.target for edge in node.all_edges)
        return
    seen = view(flow, values, scopes)
    lasting = dependencies(flow).lasting
    for edge in node.edges:
        verdict = edge.guard.evaluate(seen) if edge.guard is not None and _is_plain(edge.guard, lasting) else None
        if verdict is not None and verdict.closes:
            continue
        yield edge.target
        if edge.guard is None or (verdict is not None and verdict.opens):
            return
    if node.otherwise is not None:
        yield node.otherwise.target


def _is_plain(guard: Guard, lasting: frozenset[str]) -> bool:
    """Whether a guard reads nothing but the values of lasting answers."""
    names = guard.reads
    return names == guard.needs and all(is_answer(name) and name.rpartition(".")[2] in lasting for name in names)
