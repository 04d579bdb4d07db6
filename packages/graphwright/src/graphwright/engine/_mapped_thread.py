"""Replace the names of an earlier flow version in a thread by the present ones, and find what does not fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from graphwright.engine._changed_answers import reconsidered
from graphwright.engine._constraints import find_questions
from graphwright.engine._dependent_answers import Changes, violation
from graphwright.engine._exact_replies import lacks_options
from graphwright.engine._flow_versions import FlowVersions
from graphwright.engine._paths import PathState
from graphwright.engine._position import Position, Scope, lookup, with_answer
from graphwright.engine._questions import Candidate
from graphwright.engine._reply import Accepted, Rejected, validated
from graphwright.engine._walk import waiting_for
from graphwright.engine.events import AnswerDropped, FlowMigrated, TraceEvent
from graphwright.engine.host_interface import Recorder, loaded, seen_values
from graphwright.engine.state import Aside, ThreadState, WaitingFor, changed_fields
from graphwright.flow._dependencies import signature_of
from graphwright.flow._schema_validation import first_violation
from graphwright.flow.compiled import Action, CompiledFlow, Question
from graphwright.flow.guards._vocabulary import ANSWERS

ONLY_TEXTS = "only texts changed"


class MappedThread:
    """A thread with every name of the earlier version replaced: position, answers, channels, paths."""

    def __init__(self, log: Recorder, pair: FlowVersions, state: ThreadState, position: Position) -> None:
        self.log = log
        self.pair = pair
        self.before = state
        self.unfit: list[str] = []
        self.notes: list[str] = []
        self.gone: list[str] = []
        self.values: dict[str, Any] = {}
        self.old_keys = dict(self._keys())
        answers = self._answers()
        channels = self._channels()
        self.other_action = self._is_other_action(position)
        if self.other_action:
            self.unfit.append(f"action {position.node!r} runs something else")
        locked = state.paths.locked
        if locked and locked not in pair.new.paths:
            self.unfit.append(f"path {locked!r} is gone")
        self.after = replace(
            state,
            flow_hash=pair.new.hash,
            position=position,
            answers=answers,
            channels=channels,
            pinned="",
            performed=tuple(node.id for name in state.performed if (node := pair.node(name)) is not None),
            paths=_kept_paths(pair, state.paths),
            sources=self._sources(channels),
            confirmed=self._confirmed(),
            failed=self._failed(),
            reopened=self._renamed(state.reopened),
            early=self._renamed(state.early),
            invalid=self._renamed(state.invalid),
            aside={**self._renamed(state.aside, keep=True), **self.lost},
            declined=self._renamed_all(state.declined),
            passed=self._renamed_all(state.passed),
            waiting=self._waiting(position),
        )
        self.dropped = tuple(self._invalid())
        self.unfit += [f"answer {each.key!r} is no longer valid" for each in self.dropped if each.reason != "when"]
        keys, writers = pair.passed(position)
        state = self.after
        unanswered = [key for key in keys if not lookup(answers, tuple(key.split(".")))[0] and key not in state.aside]
        self.opened = tuple(key for key in unanswered if key not in state.reopened)
        unset = {n: actions for n, actions in writers.items() if channels.get(n) == pair.new.channels[n].default}
        self.skipped = [
            f"action {action.id!r} was added before its position" for actions in unset.values() for action in actions
        ]
        self.unset = unset

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

        A confirmation is asked again: the confirmed action may have been performed.
        """
        position, node = self.after.at, self.flow.nodes[self.after.at.node]
        if isinstance(node, Question) and node.read != "confirm":
            path = position.answer_path(node.key)
            dropped = any(each.path == path for each in self.dropped)
            if lookup(self.after.answers, path)[0] and not dropped:
                self.after = replace(self.after, position=position.completed())

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
            after = replace(after, performed=tuple(dict.fromkeys((*after.performed, *performed))))
        private = tuple(name for name in self.values if self.flow.channels[name].private)
        state = changed_fields(self.before, after)
        return FlowMigrated(
            self.before.flow_hash,
            self.flow.hash,
            tuple(filter(None, reasons)),
            by,
            state=state,
            gone=tuple(self.gone),
            values=self.values,
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
        return ONLY_TEXTS if self.pair.changes.only_text else ""

    def _keys(self) -> Iterator[tuple[str, str]]:
        if not self.pair.steady:
            state = self.before
            names = {*state.reopened, *state.early, *state.invalid, *state.aside, *state.declined, *state.passed}
            for key in names:
                path = self.pair.path(tuple(key.split(".")))
                yield key, ".".join(path) if path is not None else ""

    def _renamed(self, entries: Mapping[str, Any], *, keep: bool = False) -> dict[str, Any]:
        renamed = ((self.old_keys.get(key, key) or (key if keep else ""), value) for key, value in entries.items())
        return {key: value for key, value in renamed if key}

    def _renamed_all(self, keys: tuple[str, ...]) -> tuple[str, ...]:
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
        return answers

    def _channels(self) -> Mapping[str, Any]:
        old, new = self.pair.old.channels, self.flow.channels
        if self.pair.same_channels and self.before.channels.keys() == new.keys():
            return self.before.channels
        found: dict[str, Any] = {}
        contents = self._contents()
        for name, value in self.before.channels.items():
            is_set = name not in old or value != old[name].default
            if name not in new:
                self.gone.append(name)
                self.notes += [f"the value of channel {name} is dropped: the channel is gone"] if is_set else []
                continue
            same = name in old and old[name].schema == new[name].schema
            if same or not first_violation(new[name].schema, contents.get(name, value)):
                found[name] = value
                continue
            self.values[name] = new[name].default
            self.unfit.append(f"channel {name!r} no longer fits")
            self.notes += [f"the value of channel {name} is reset: it is not valid any more"] if is_set else []
        for name, channel in new.items():
            if name not in self.before.channels:
                self.values[name] = channel.default
        return {**found, **self.values}

    def _contents(self) -> Mapping[str, Any]:
        old, new = self.pair.old.channels, self.flow.channels
        names = [n for n in self.before.channels if n in new and (n not in old or old[n].schema != new[n].schema)]
        return loaded(self.log.facts.contents, self.before, names)

    def _sources(self, channels: Mapping[str, Any]) -> Mapping[str, Any]:
        found = {}
        for name, source in self.before.sources.items():
            node, scopes = self.pair.node(source.node), self.pair.scopes(source.scopes)
            if not isinstance(node, Action) or scopes is None or name not in self.flow.channels:
                continue
            if name not in signature_of(self.flow, node).writes:
                continue
            changed = source.changed or ((name,) if name in self.values else ())
            found[name] = source._replace(node=node.id, scopes=scopes, changed=changed)
        return found

    def _confirmed(self) -> Mapping[str, tuple[str, str]]:
        found = {}
        for action, (content, question) in self.before.confirmed.items():
            node, by = self.pair.node(action), self.pair.node(question)
            if node is not None and by is not None and by.id not in self.pair.reworded:
                found[node.id] = content, by.id
        return found

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
        for path, value in given_answers(self.flow, state.answers):
            asking = [*self._asking(path)]
            if not any(question.id in self.pair.checked for question, _ in asking):
                continue
            values = values if values is not None else self._seen(state)
            reasons = [(question, self._violation(question, scopes, value, values)) for question, scopes in asking]
            if all(reason for _, reason in reasons):
                question, reason = min(reasons, key=lambda each: each[1] != "when")
                yield AnswerDropped(question.id, path, reason, value)

    def _violation(self, question: Question, scopes: tuple[Scope, ...], value: Any, values: Mapping[str, Any]) -> str:
        if question.ask_always:
            return "validate" if first_violation(question.schema, value) else ""
        if lacks_options(question, values):
            return ""
        reason, _ = violation(self.flow, question, scopes, value, values)
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
    if node.id not in pair.checked or waiting.kind == "confirm":
        return False
    return waiting_for(log, after, node).options != waiting.options


def given_answers(flow: CompiledFlow, answers: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every answer of a flow with its path."""
    todo: list[tuple[tuple[str, ...], Any]] = [((name,), value) for name, value in answers.items()]
    while todo:
        path, value = todo.pop(0)
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
