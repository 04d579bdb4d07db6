"""Replace the names of an earlier flow version in a thread by the present ones, and find what does not fit."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from graphwright.engine._advance import decided_by
from graphwright.engine._changed_answers import reconsidered
from graphwright.engine._constraints import find_questions
from graphwright.engine._dependent_answers import (
    Changes,
    Place,
    Source,
    absolute,
    reads_behind,
    violation,
    without_value,
)
from graphwright.engine._edited_way import edited_way, may_concern
from graphwright.engine._exact_replies import lacks_options
from graphwright.engine._flow_versions import FlowVersions
from graphwright.engine._missing_answers import is_missing, is_named, is_on_open_way, missing_before
from graphwright.engine._paths import PathState
from graphwright.engine._position import Position, Scope, Taken, lookup, with_answer
from graphwright.engine._questions import Candidate
from graphwright.engine._replaced import replaced
from graphwright.engine._reply import Accepted, Rejected, validated
from graphwright.engine._shown_values import rendered
from graphwright.engine._walk import waiting_for
from graphwright.engine._walked_way import EDITED
from graphwright.engine._wording import name_of, say, value_text
from graphwright.engine.events import AnswerDropped, FlowMigrated, Said, TraceEvent
from graphwright.engine.host_interface import Recorder, loaded, seen_values
from graphwright.engine.state import EVERY, Aside, Effect, ThreadState, WaitingFor, changed_fields
from graphwright.flow._dependencies import dependencies, is_read, leaving_reads, signature_of, unscoped
from graphwright.flow._schema_validation import first_violation
from graphwright.flow.compiled import EXIT, Action, CompiledFlow, Question
from graphwright.flow.guards._vocabulary import ANSWERS, MESSAGE

ONLY_TEXTS = "only texts changed"


class MappedThread:
    """A thread with every name of the earlier version replaced: position, answers, channels, paths.

    `performed` are the present ids of the actions that it performed, or None if they are not known. `needs_past` says
    that they matter.
    """

    def __init__(
        self,
        log: Recorder,
        pair: FlowVersions,
        state: ThreadState,
        position: Position,
        performed: Collection[str] | None,
        since: Position | None,
    ) -> None:
        """`since` is the place in the earlier version that `position` stands for; None if that is not known."""
        self.log = log
        self.pair = pair
        self.before = state
        self.unfit: list[str] = []
        self.notes: list[str] = []
        self.told: list[str] = []
        self.gone: list[str] = []
        self.values: dict[str, Any] = {}
        self.taken_over: dict[str, str] = {}
        self.performed = performed
        self.needs_past = False
        self.old_keys = dict(self._keys())
        answers = self._answers()
        channels = self._channels()
        self.other_action = self._is_other_action(position)
        if self.other_action:
            self.unfit.append(f"action {position.node!r} runs something else")
        locked = state.paths.locked
        if locked and locked not in pair.new.paths:
            self.unfit.append(f"path {locked!r} is gone")
        self.after = replaced(
            state,
            flow_hash=pair.new.hash,
            position=position,
            answers=answers,
            channels=channels,
            pinned="",
            performed=tuple(node.id for name in state.performed if (node := pair.node(name)) is not None),
            effects=self._effects(),
            changes=pair.unscoped(state.changes),
            paths=_kept_paths(pair, state.paths),
            sources=self._sources(),
            failed=self._failed(),
            reopened=self._renamed(state.reopened),
            early=self._renamed(state.early),
            invalid=self._renamed(state.invalid),
            aside={**self._renamed(state.aside, keep=True), **self.lost},
            declined=self._renamed_all(state.declined),
            passed=self._renamed_all(state.passed),
            waiting=self._waiting(position),
            held=self._held(),
        )
        if state.confirmed:
            self.after = replaced(self.after, confirmed=self._confirmed())
        self.elsewhere: Position | None = None
        """The decision on its way from which the thread goes on, because it leads elsewhere now."""
        self.led_to = self._retrace(since) if since is not None else ()
        goes_on = self.elsewhere or position
        keys = self._compute_added(goes_on)
        ahead = reads_behind(pair.new, self.after.sources, pair.reads_ahead(goes_on))
        invalid = [(each, is_read(unscoped(f"{ANSWERS}.{each.key}"), ahead)) for each in self._invalid()]
        self.dropped = tuple(each for each, is_needed in invalid if is_needed)
        for each in (each for each, is_needed in invalid if not is_needed):
            why = "does not apply any more" if each.reason == "when" else "is no longer valid"
            self.notes.append(f"{each.key} {why}, but nothing ahead reads it: it is kept")
        self.notes += [
            f"{each.key} does not apply any more: it is dropped" for each in self.dropped if each.reason == "when"
        ]
        self.unfit += [f"answer {each.key!r} is no longer valid" for each in self.dropped if each.reason != "when"]
        empty = [*self._not_written_again(ahead)]
        self.notes += empty
        self.unfit += empty
        self.notes += self._may_come_again(ahead)
        state = self.after
        unanswered = [key for key in keys if not lookup(answers, tuple(key.split(".")))[0]]
        needed = dict.fromkeys((*unanswered, *self._missing(goes_on, ahead)))
        self.opened = tuple(key for key in needed if key not in state.aside and key not in state.reopened)
        self.notes += [f"{key} is asked before something reads it" for key in self.opened]
        self._await(self.opened)
        if self.opened:
            self.after = replaced(self.after, passed=(*self.after.passed, *self._closed(goes_on)))

    def _compute_added(self, goes_on: Position) -> tuple[str, ...]:
        """Have actions without effects that were added before a position compute what something ahead reads.

        Returns the dotted keys of the questions that were added there.
        """
        keys, writers = self.pair.passed(goes_on)
        self.skipped: list[str] = []
        self.computed: list[str] = []
        state, new = self.after, self.flow.channels
        sources = dict(state.sources)
        values = self._seen(state) if writers else {}
        for name, actions in writers.items():
            for action in actions if state.channels.get(name) == new[name].default else ():
                places = [place.top.scopes for place in self.pair.free_places(action, state.at, state.paths.locked)]
                passed = [scopes for scopes in places if is_on_open_way(self.flow, values, (action.id, scopes))]
                signature = signature_of(self.flow, action)
                if (
                    len(passed) == 1
                    and name not in sources
                    and not signature.effects
                    and MESSAGE not in signature.reads
                ):
                    sources[name] = Source(action.id, passed[0], (name,))
                    self.computed.append(name)
                    self.notes.append(
                        f"{action.id} was added before its position: it is performed before {name} is read"
                    )
                elif passed or not places:
                    self.skipped.append(f"action {action.id!r} was added before its position")
        if self.computed:
            self.after = replaced(state, sources=sources)
        return keys

    def _retrace(self, since: Position) -> tuple[Candidate, ...]:
        """Decide again what the edit changed behind the position; the next walk goes on from what leads elsewhere.

        Returns the questions to which other changed decisions lead.
        """
        state = self.after
        way, found = state.way if self.pair.same_ways else tuple(self._way()), None
        changed: dict[str, Any] = {}
        if may_concern(self.pair, since, state.at):
            values = seen_values(self.log, self.before), self._seen(state)
            found = edited_way(self.pair, self.before, since, state, way, values)
        if found is not None:
            way = found.way
            if any(EDITED in each.reads for each in found.way):
                changed["changes"] = tuple(dict.fromkeys((*state.changes, EDITED)))
            if found.elsewhere:
                self.elsewhere = Position(found.elsewhere, done=True)
                self.notes.append(f"{self.elsewhere.node} leads elsewhere now: it goes on from there")
                # An action that failed is tried again only if the flow comes by it.
                changed["mode"] = "waiting" if state.mode == "performing" else state.mode
            if found.stuck:
                self.unfit.append(f"no edge of {found.elsewhere[-1].node} is open any more")
        if changed or way != state.way:
            self.after = replaced(state, way=way, **changed)
        return found.questions if found is not None else ()

    def _not_written_again(self, ahead: Collection[str]) -> Iterator[str]:
        """The channels without a value that something ahead reads, although the effect that writes them was done."""
        for done in dict.fromkeys(each.node for each in self.after.effects if self.values):
            for name in signature_of(self.flow, self.flow.action(done)).writes:
                if name in self.values and name in ahead and name not in self.after.sources:
                    yield f"channel {name} has no value: {done}, which writes it, was done and is not done again"

    def _may_come_again(self, ahead: Collection[str]) -> Iterator[str]:
        """Warnings about effects that were done and read what is computed again, if something ahead needs them."""
        state = self.after
        # A channel that was reset is among its own sources that changed.
        lost = (each.node for name, each in state.sources.items() if {*each.changed} - {name})
        for due in dict.fromkeys(lost):
            signature = signature_of(self.flow, self.flow.action(due))
            if signature.effects and not set(signature.writes).isdisjoint(ahead):
                yield f"{due} was done, and reads something else now: the user is asked whether to do it again"
        stale = without_value(self.flow, state.sources)
        for done in dict.fromkeys(each.node for each in state.effects if stale):
            signature = signature_of(self.flow, self.flow.action(done))
            read = sorted(stale.intersection(reads_behind(self.flow, state.sources, signature.reads)))
            if read and not set(signature.writes).isdisjoint(ahead):
                yield (
                    f"{done} was done, and reads {', '.join(read)}, which is computed again: "
                    "with another value the user is asked whether to do it again"
                )

    def _await(self, keys: Collection[str]) -> None:
        """Take the decisions on the way again that read answers which are asked for only now."""
        asked = {unscoped(f"{ANSWERS}.{key}") for key in keys}
        way = []
        for each in self.after.way if asked else ():
            reads = map(unscoped, leaving_reads(self.flow, self.flow.nodes[each.frames[-1].node]))
            new = sorted({name for name in reads if name in asked}.difference(each.reads))
            way.append(each._replace(reads=(*each.reads, *new)))
        if way:
            self.after = replaced(self.after, way=tuple(way))

    def _missing(self, position: Position, ahead: Collection[str]) -> Iterator[str]:
        """The keys of the questions before the position that have no answer, but need one in the present version.

        One with a `when` that the earlier version also had there did not apply when the thread passed it. One with
        `ask: always` is needed only if something ahead names its answer.
        """
        if not self.pair.reshaped:
            return
        values_now = self._seen(self.after)
        found = missing_before(self.flow, values_now, position)
        known = {each.path for each in found}
        led_to = (each for each in self.led_to if each.path not in known)
        found += [each for each in led_to if is_missing(self.flow, values_now, each.question, each.scopes)]
        guarded = any(each.question.when is not None for each in found)
        values = seen_values(self.log, self.before)
        before = missing_before(self.pair.old, values, self.before.at) if guarded else []
        passed = {(self.pair.nodes.get(each.question.id), self.pair.path(each.path)) for each in before}
        for each in found:
            if each.question.ask_always and not is_named(each.question, ahead):
                continue
            if each.question.when is None or (each.question.id, each.path) not in passed:
                yield each.key

    def _closed(self, position: Position) -> Iterator[str]:
        """The keys of the questions before the position that may apply once those in `opened` are answered."""
        asked = {unscoped(f"{ANSWERS}.{key}") for key in self.opened}
        if not any(
            each.when is not None and not asked.isdisjoint(map(unscoped, each.when.reads))
            for each in self.flow.questions
        ):
            return
        values = self._seen(self.after)
        found = missing_before(self.flow, values, position, closed=True)
        found += (e for e in self.led_to if is_missing(self.flow, values, e.question, e.scopes, closed=True))
        state = self.after
        for each in {each.key: each for each in found}.values():
            known = each.key in self.opened or each.key in state.passed or each.key in state.reopened
            if not (known or each.key in state.aside or each.question.ask_always):
                yield each.key

    def _waiting(self, position: Position) -> WaitingFor | None:
        """Return the question or approval that the thread waits for, with the present names."""
        waiting = self.before.waiting
        if waiting is None:
            return None
        node = self.pair.node(waiting.node)
        key = node.key if isinstance(node, Question) and waiting.key else waiting.key
        name = node.id if node is not None else position.node
        return waiting if (name, key) == (waiting.node, waiting.key) else replace(waiting, node=name, key=key)

    def _is_other_action(self, position: Position) -> bool:
        """Whether the thread waits to retry an action that was replaced by another one, which needs a new number."""
        was, now = self.pair.old.nodes[self.before.at.node], self.pair.new.nodes[position.node]
        failed = self.before.mode == "performing"
        return failed and not (isinstance(was, Action) and isinstance(now, Action) and was.run == now.run)

    @property
    def flow(self) -> CompiledFlow:
        return self.pair.new

    def leave_answered(self) -> None:
        """Continue after the question at the position if it is answered, also if each entry asks it again.

        A confirmation with a yes is asked again: the confirmed action may have been performed.
        """
        position, node = self.after.at, self.flow.nodes[self.after.at.node]
        if isinstance(node, Question):
            path = position.answer_path(node.key)
            given, value = lookup(self.after.answers, path)
            given = given and (node.read != "confirm" or value is False)
            dropped = any(each.path == path for each in self.dropped)
            if given and not dropped and not first_violation(node.schema, value):
                self.after = replaced(self.after, position=position.completed())

    def applies(self) -> bool:
        """Whether the question at which the thread waits still applies to it."""
        state, node = self.after, self.flow.nodes[self.after.at.node]
        if state.at.done or not isinstance(node, Question) or node.when is None or node.id not in self.pair.checked:
            return True
        values = self._seen(state)
        return violation(self.flow, node, state.at.top.scopes, None, values)[0] != "when"

    def event(self, by: str, reasons: Sequence[str], performed: tuple[str, ...] = ()) -> FlowMigrated:
        """The event that replaces the names of the earlier version."""
        after = self.after
        if performed:
            again = tuple(dict.fromkeys((*after.performed, *performed)))
            confirmed = {name: each for name, each in after.confirmed.items() if name not in performed}
            after = replaced(after, performed=again, confirmed=confirmed)
        values = {**self.values, **{now: after.channels[now] for now in self.taken_over.values()}}
        private = tuple(name for name in values if self.flow.channels[name].private)
        state = changed_fields(self.before, after)
        return FlowMigrated(
            self.before.flow_hash,
            self.flow.hash,
            tuple(filter(None, reasons)),
            by,
            state=state,
            gone=(*self.gone, *self.taken_over),
            values=values,
            private=private,
        )

    def reconsidered(self, state: ThreadState) -> tuple[ThreadState, tuple[TraceEvent, ...]]:
        """Return the state after the checks of everything that depends on dropped answers and removed channels."""
        names = [*(f"{ANSWERS}.{each.key}" for each in self.dropped), *self.gone, *self.values]
        back = [key for key in state.aside if key not in self.lost and any(self._asking(tuple(key.split("."))))]
        if not names and not back:
            return state, ()
        return reconsidered(self.log, state, Changes(replaced=names, added=[f"{ANSWERS}.{key}" for key in back]))

    def asks_again(self) -> bool:
        """As `asks_again`."""
        return asks_again(self.log, self.pair, self.before, self.after)

    def changes_text(self) -> str:
        return ONLY_TEXTS if self.pair.only_text else ""

    def _keys(self) -> Iterator[tuple[str, str]]:
        if not self.pair.steady:
            state = self.before
            names = {*state.reopened, *state.early, *state.invalid, *state.aside, *state.declined, *state.passed}
            for key in names:
                path = self.pair.path(tuple(key.split(".")))
                yield key, ".".join(path) if path is not None else ""

    def _renamed(self, entries: Mapping[str, Any], *, keep: bool = False) -> Mapping[str, Any]:
        if self.pair.steady:
            return entries
        renamed = ((self.old_keys.get(key, key) or (key if keep else ""), value) for key, value in entries.items())
        return {key: value for key, value in renamed if key}

    def _renamed_all(self, keys: tuple[str, ...]) -> tuple[str, ...]:
        if self.pair.steady:
            return keys
        return tuple(dict.fromkeys(filter(None, (self.old_keys.get(key, key) for key in keys))))

    def _answers(self) -> Mapping[str, Any]:
        """Return the answers at their present paths. Answers that no question asks for any more are put aside."""
        self.lost: dict[str, Aside] = {}
        if self.pair.steady:
            return self.before.answers
        given = given_answers(self.pair.old, self.before.answers)
        found = [(path, value, *self.pair.new_path(path)) for path, value in given]
        answers: Mapping[str, Any] = {}
        # An answer that keeps its question comes before one that only keeps its key.
        for path, value, now, _ in sorted(found, key=lambda each: (not each[3], each[0] != each[2])):
            key = ".".join(path)
            if now is not None and not lookup(answers, now)[0]:
                answers = with_answer(answers, now, value)
                if now != path:
                    self.notes.append(f"answer {key} is now {'.'.join(now)}")
                continue
            self.notes.append(f"nothing asks for {key} any more")
            if not any(self._asking(path)):
                self.lost[key] = Aside(value, True)
                self.told += self._lost_text(path, value)
        return answers

    def _lost_text(self, path: tuple[str, ...], value: Any) -> list[str]:
        """The answer of a removed question for the user, unless it was used up when it was given."""
        question = next((each for each, _ in find_questions(self.pair.old, path)), None)
        if question is None or question.ask_always or question.read == "confirm":
            return []
        return [f"{name_of(question)}: {value_text(question, (), value, self.before.language)}"]

    def lost_answers(self) -> tuple[Said, ...]:
        """The message to the user about the answers that the present version has no question for; empty if none."""
        if not self.told:
            return ()
        text = say(self.before.language, "no_longer_asked", dropped="; ".join(self.told))
        return (Said(self.after.at.node, text),)

    def _channels(self) -> Mapping[str, Any]:
        old, new = self.pair.old.channels, self.flow.channels
        if self.pair.same_channels and self.before.channels.keys() == new.keys():
            return self.before.channels
        found: dict[str, Any] = {}
        contents = self._contents()
        for earlier, value in self.before.channels.items():
            name = self.pair.renamed_channels.get(earlier, earlier)
            is_set = earlier not in old or value != old[earlier].default or self._was_written(earlier)
            if name != earlier:
                self.taken_over[earlier] = name
                self.notes += [f"channel {earlier} is now {name}"] if is_set else []
            if name not in new:
                self.gone.append(name)
                self.notes += [f"the value of channel {name} is dropped: the channel is gone"] if is_set else []
                continue
            if not is_set and new[name].default != value:
                self.values[name] = new[name].default
                continue
            same = earlier in old and old[earlier].schema == new[name].schema
            if same or not first_violation(new[name].schema, contents.get(earlier, value)):
                found[name] = value
                continue
            self.values[name] = new[name].default
            self.unfit.append(f"channel {name!r} no longer fits")
            self.notes.append(f"the value of channel {name} is reset: it is not valid any more")
        for name, channel in new.items():
            if name not in self.before.channels and name not in found:
                self.values[name] = channel.default
        return {**found, **self.values}

    def _was_written(self, channel: str) -> bool:
        """Whether an action may have written a channel of the earlier version that has its default."""
        if channel in self.before.sources:
            return True
        done = {each.node for each in self.before.effects}
        for node in self.pair.old.nodes.values():
            if isinstance(node, Action) and channel in self.pair.earlier_signature(node.id).writes:
                # What an action computes from answers would be among the sources.
                known = node.id in dependencies(self.pair.old).computing
                has_effects = self.pair.earlier_signature(node.id).effects
                if node.id in done if has_effects else not known:
                    return True
        return False

    def _contents(self) -> Mapping[str, Any]:
        old, new = self.pair.old.channels, self.flow.channels
        now = {name: new.get(self.pair.renamed_channels.get(name, name)) for name in self.before.channels}
        names = [n for n, c in now.items() if c is not None and (n not in old or old[n].schema != c.schema)]
        return loaded(self.log.facts.contents, self.before, names)

    def _sources(self) -> Mapping[str, Source]:
        """The actions that computed channels. Those channels are stale whose values, or what they are computed from,
        the present version does not have."""
        found: dict[str, Source] = {}
        for earlier, source in self.before.sources.items():
            name = self.pair.renamed_channels.get(earlier, earlier)
            node, scopes = self.pair.node(source.node), self.pair.scopes(source.scopes)
            if not isinstance(node, Action) or scopes is None or name not in self.flow.channels:
                continue
            if name not in signature_of(self.flow, node).writes:
                continue
            changed = tuple(self.pair.renamed_channels.get(each, each) for each in source.changed)
            changed = changed or ((name,) if name in self.values else self._no_longer_read(source, node))
            found[name] = source._replace(node=node.id, scopes=scopes, changed=changed)
        new = {
            name: Source(*place, (name,)) for name in self.values if name not in found for place in self._doing(name)
        }
        return {**found, **new}

    def _no_longer_read(self, source: Source, node: Action) -> tuple[str, ...]:
        """What a channel was computed from that the present version does not have.

        An action with effects is not done again because a channel that it read was renamed, or because it reads less.
        """
        signature, earlier = signature_of(self.flow, node), self.pair.earlier_signature(source.node).reads
        if signature.effects and set(map(unscoped, signature.reads)) <= {*self.pair.unscoped(earlier)}:
            return ()
        lasting = dependencies(self.pair.old).lasting
        lost = [f"{ANSWERS}.{key}" for key in self.lost if key.rpartition(".")[2] in lasting]
        if not signature.effects:
            lost += self.gone
        if not lost:
            return ()
        reads = [absolute(self.pair.old, source.scopes, each) for each in earlier]
        return tuple(name for name in lost if is_read(name, reads))

    def _doing(self, channel: str) -> Iterator[tuple[str, tuple[Scope, ...]]]:
        """The actions without effects, and their answer scopes, that were performed and also write a channel now."""
        for action in map(self.flow.nodes.get, sorted(set(self.pair.nodes.values()))):
            signature = signature_of(self.flow, action) if isinstance(action, Action) else None
            if action is None or signature is None or channel not in signature.writes or signature.effects:
                continue
            then = {each.scopes for each in self.before.sources.values() if self.pair.node(each.node) is action}
            known = [scopes for each in then if (scopes := self.pair.scopes(each)) is not None]
            if MESSAGE in signature.reads:
                # The message is another one now.
                continue
            if not known and self.performed is None:
                self.needs_past = True
            elif not known and action.id in (self.performed or ()):
                places = self.pair.every_place(action, self.before.paths.locked)
                known = [place.top.scopes for place in places]
            if len(known) == 1:
                yield action.id, known[0]

    def _confirmed(self) -> Mapping[str, tuple[str, str]]:
        found = {}
        for action, (content, question) in self.before.confirmed.items():
            node, by = self.pair.node(action), self.pair.node(question)
            was = self.pair.old.nodes.get(question)
            if node is None or not isinstance(by, Question) or by.id in self.pair.reworded:
                continue
            if isinstance(was, Question) and _is_retitled(self.log, self.pair, self.before, self.after, was, by):
                continue
            found[node.id] = content, by.id
        return found

    def _effects(self) -> tuple[Effect, ...]:
        """The effects at their present places; those of a node that was moved to another graph at all its places."""
        if self.pair.same_places:
            return self.before.effects
        found: dict[Place, Effect] = {}
        for each in self.before.effects:
            node, scopes = self.pair.node(each.node), self.pair.scopes(each.scopes)
            if not isinstance(node, Action):
                continue
            was, places = self.pair.old.nodes.get(each.node), [scopes] if scopes is not None else []
            if was is not None and was.graph != node.graph:
                now = [place.top.scopes for place in self.pair.every_place(node, self.before.paths.locked)]
                places = places if scopes in now else now
            found |= {(node.id, place): each._replace(node=node.id, scopes=place) for place in places}
        return tuple(found.values())

    def _way(self) -> Iterator[Taken]:
        """The decisions on the way whose places still exist. One to a node that is gone leads elsewhere now.

        What a decision reads only in the present version counts as read.
        """
        values: dict[str, Any] | None = None
        retaken = dependencies(self.flow).retaken
        for taken in self.before.way:
            frames, target = self.pair.frames(taken.frames), self.pair.node(taken.target)
            if frames is None or frames[-1].node not in retaken:
                continue
            to = taken.target if taken.target == EXIT else target.id if target is not None else ""
            reads = self.pair.unscoped(taken.reads)
            if taken.frames[-1].node in self.pair.reads_more:
                values = values if values is not None else self._seen(self.after)
                before = self.pair.old.nodes[taken.frames[-1].node]
                old = self.pair.unscoped(leaving_reads(self.pair.old, before))
                reads += tuple(name for name in decided_by(self.flow, frames, values) if name not in old)
            yield Taken(frames, to, tuple(dict.fromkeys(reads)), taken.order)

    def _held(self) -> tuple[str, ...]:
        names = (
            name if name == EVERY else node.id if (node := self.pair.node(name)) is not None else ""
            for name in self.before.held
        )
        return tuple(dict.fromkeys(filter(None, (*names, *self.pair.freed))))

    def _failed(self) -> Mapping[str, tuple[int, str]]:
        found = {}
        for action, failed in self.before.failed.items():
            node, was = self.pair.node(action), self.pair.old.nodes.get(action)
            if isinstance(node, Action) and isinstance(was, Action) and node.run == was.run:
                found[node.id] = failed
        return found

    def _asking(self, path: tuple[str, ...]) -> Iterator[tuple[Question, tuple[Scope, ...]]]:
        return find_questions(self.flow, path)

    def _seen(self, state: ThreadState) -> dict[str, Any]:
        return seen_values(self.log, state)

    def _invalid(self) -> Iterator[AnswerDropped]:
        """The answers that the present version does not accept, checked only where their questions changed."""
        state, values = self.after, None
        if not self.pair.checked:
            return
        for path, value in given_answers(self.flow, state.answers, self.pair.checked_keys):
            asking = [*self._asking(path)]
            if not any(question.id in self.pair.checked for question, _ in asking):
                continue
            if any(question.ask_always for question, _ in asking):
                # The flow has used it up: the question is asked at each entry.
                continue
            values = values if values is not None else self._seen(state)
            reasons = [(question, self._violation(question, scopes, value, values)) for question, scopes in asking]
            if all(reason for _, reason in reasons):
                question, reason = min(reasons, key=lambda each: each[1] != "when")
                yield AnswerDropped(question.id, path, reason, value)

    def _violation(self, question: Question, scopes: tuple[Scope, ...], value: Any, values: Mapping[str, Any]) -> str:
        if lacks_options(question, values):
            return ""
        reason, decisive = violation(self.flow, question, scopes, value, values)
        if reason and not without_value(self.flow, self.after.sources).isdisjoint(decisive):
            return ""
        if reason:
            return "when" if reason == "undecided" else reason
        found = validated(self.log.facts, Accepted(Candidate(question, scopes), value, ""), values)
        if not isinstance(found, Rejected):
            return ""
        return "options" if found.stage == "options" else "validate"


def asks_again(log: Recorder, pair: FlowVersions, before: ThreadState, after: ThreadState) -> bool:
    """Whether a thread waits for a reply to a question other than the one that the user has seen."""
    waiting, node = before.waiting, pair.new.nodes[after.at.node]
    if waiting is None or waiting.kind == "message" or not isinstance(node, Question):
        return False
    if (waiting.kind == "confirm") != (node.read == "confirm") or node.id in pair.reworded:
        return True
    if node.options in without_value(pair.new, after.sources):
        return True
    if waiting.kind == "confirm":
        return _is_retitled(log, pair, before, after, pair.old.question(waiting.node), node)
    if node.id not in pair.checked:
        return False
    return waiting_for(log, after, node).options != waiting.options


def _is_retitled(
    log: Recorder, pair: FlowVersions, before: ThreadState, after: ThreadState, was: Question, now: Question
) -> bool:
    """Whether the same confirmation reads otherwise, because an option that it shows has another title."""
    if pair.checked_keys.isdisjoint(each.rpartition(".")[2] for each in now.prompt.reads):
        return False
    texts = (
        rendered(each.prompt, flow, seen_values(log, state), state.at.top.scopes, before.language)
        for each, flow, state in ((was, pair.old, before), (now, pair.new, after))
    )
    return next(texts) != next(texts)


def given_answers(
    flow: CompiledFlow, answers: Mapping[str, Any], keys: Collection[str] | None = None
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every answer of a flow with its path, or those to questions with certain keys."""
    todo: list[tuple[tuple[str, ...], Any]] = [((name,), value) for name, value in answers.items()]
    while todo:
        path, value = todo.pop(0)
        if keys is not None and path[-1] not in keys and not isinstance(value, Mapping):
            continue
        if any(find_questions(flow, path)):
            yield path, value
        elif isinstance(value, Mapping):
            todo += [((*path, name), inner) for name, inner in value.items()]


def _kept_paths(pair: FlowVersions, paths: PathState) -> PathState:
    """The votes for paths that the present version still has."""
    known = pair.new.paths
    if all(name in known for name in (*paths.votes, *filter(None, (paths.tentative, paths.locked)))):
        return paths
    votes = {name: votes for name, votes in paths.votes.items() if name in known}
    tentative, locked = (name if name in known else "" for name in (paths.tentative, paths.locked))
    return PathState(votes, tentative, locked, paths.rationale if tentative else "")
