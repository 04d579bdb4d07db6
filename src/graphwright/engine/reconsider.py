"""Dependent answers: which answers no longer hold after a change, and which channels have to be computed again.

`values` carry three reserved entries for this. `REOPENED` holds, by their dotted keys, the answers that were dropped or
withdrawn and have to be asked again, with their old values (None if there was none); `PASSED` the keys of questions
that were passed over because they did not apply; `SOURCES` the action that computed each channel and the changes since.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from graphwright.engine.answers import DECLINED, lookup, resolve, view, with_answer, without_answer
from graphwright.engine.constraints import find_questions
from graphwright.engine.position import Scope
from graphwright.engine.walk_events import AnswerDropped, ChannelsStale, QuestionsReopened
from graphwright.flow.compiled import Action, CompiledFlow, Question
from graphwright.flow.dependencies import (
    answer_reads,
    dependencies,
    is_answer,
    is_read,
    signature_of,
    unscoped,
)
from graphwright.flow.guards import Guard
from graphwright.flow.guards.vocabulary import ACTIVE_PATH, ANSWERS

REOPENED = "$reopened"
PASSED = "$passed"
SOURCES = "$sources"

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
        todo = list(self.changed)
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
        for path in list(_paths(self.answers, question.key)):
            value = lookup(self.answers, path)[1]
            reasons = [
                (asking, violation(self.flow, asking, scopes, value, {**self.values, "answers": self.answers}))
                for asking, scopes in find_questions(self.flow, path)
            ]
            # Where several questions ask for one answer, one of them is enough.
            if reasons and all(reason for _, reason in reasons):
                asking, reason = next((each for each in reasons if each[0] is question), reasons[0])
                reads = set(map(unscoped, answer_reads(asking)))
                because = tuple(sorted(self.changed & reads))
                yield AnswerDropped(asking.id, path, reason, value, because)

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


def _paths(answers: Mapping[str, Any], key: str, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Where `key` may be among the answers; what lies inside the value of an answer counts, too."""
    for name, value in answers.items():
        if name == key:
            yield (*above, name)
        if isinstance(value, Mapping):
            yield from _paths(value, key, (*above, name))


def violation(
    flow: CompiledFlow, question: Question, scopes: tuple[Scope, ...], value: Any, values: Mapping[str, Any]
) -> str:
    """Return the check that a committed answer violates: `options`, `when` or `validate`; empty if it holds."""
    if question.options and not is_option(value, values.get(question.options)):
        return "options"
    if not applies(flow, question, scopes, values):
        return "when"
    if question.validate is not None:
        seen = {**view(flow, values, scopes), "value": value}
        if not question.validate.evaluate(seen).opens:
            return "validate"
    return ""


def as_before(values: Mapping[str, Any], path: tuple[str, ...]) -> Mapping[str, Any]:
    """The values over which the `when` of a question is evaluated: with its old answer, if that is asked again.

    `when: has(answers.x) || ...` of `x` itself is not false just because the answer was withdrawn.
    """
    old = (values.get(REOPENED) or {}).get(".".join(path))
    return values if old is None else {**values, "answers": with_answer(values.get("answers") or {}, path, old)}


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
        missing = [".".join(resolve(flow, scopes, name.removeprefix(_PREFIX))) for name in verdict.missing]
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
    scopes and the dotted key of the question. The result is empty where the guard is true or false whatever they are.
    """
    if guard is None:
        return ()
    scopes, own = place
    seen = view(flow, values, scopes)
    keys = {
        name: ".".join(resolve(flow, scopes, name.removeprefix(_PREFIX))) for name in guard.reads if is_answer(name)
    }
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
    node = flow.nodes[source.node]
    assert isinstance(node, Action)
    upstream = _upstream(flow, sources, node)
    for each in sources.values():
        above = flow.nodes[each.node]
        if isinstance(above, Action) and above.id in upstream and not signature_of(flow, above).effects:
            reads = [_absolute(flow, each.scopes, name) for name in signature_of(flow, above).reads]
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
        node = flow.nodes[source.node]
        assert isinstance(node, Action)
        signature = signature_of(flow, node)
        reads = [_absolute(flow, source.scopes, name) for name in signature.reads]
        changed = [name for name in (*replaced, *(() if signature.effects else added)) if is_read(name, reads)]
        new = tuple(dict.fromkeys((*source.changed, *changed)))
        if new != source.changed:
            stale.setdefault(node.id, []).append(channel)
            causes[node.id] = new
    return [ChannelsStale(node, tuple(channels), causes[node]) for node, channels in stale.items()]


def _absolute(flow: CompiledFlow, scopes: tuple[Scope, ...], name: str) -> str:
    """A name that an action reads, as it is called from the root."""
    return _PREFIX + ".".join(resolve(flow, scopes, name.removeprefix(_PREFIX))) if is_answer(name) else name


def computed(
    flow: CompiledFlow,
    sources: Mapping[str, Source],
    node: Action,
    scopes: tuple[Scope, ...],
    written: Collection[str],
    changed: Collection[str],
) -> tuple[Mapping[str, Source], bool]:
    """The sources after an action wrote channels, and whether it was computed again because of a correction.

    `changed` are those with another value than before. Where the action had been stale, what was computed from them is
    stale now, except for what the action itself depends on: that would go round in circles.
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
            above = flow.nodes[source.node]
            assert isinstance(above, Action)
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
                above = flow.nodes[source.node]
                assert isinstance(above, Action)
                todo.append(above)
    return found


def reads_behind(flow: CompiledFlow, sources: Mapping[str, Source], names: Collection[str]) -> set[str]:
    """Return `names`, and what the actions read that computed the channels among them; answers without their scopes."""
    found = set(map(unscoped, names))
    for name in names:
        node = flow.nodes[sources[name].node] if name in sources else None
        for each in _upstream(flow, sources, node) if isinstance(node, Action) else ():
            above = flow.nodes[each]
            assert isinstance(above, Action)
            found |= set(map(unscoped, signature_of(flow, above).reads))
    return found
