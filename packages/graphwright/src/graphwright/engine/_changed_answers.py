"""Dependent answers in a thread: answers that a change affects, answers before their time, and what users hear."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, TypeVar

from graphwright.engine._constraints import find_questions
from graphwright.engine._dependent_answers import (
    SOURCES,
    UNDECIDED,
    Changes,
    Reconsidered,
    applies,
    is_outdated,
    reads_behind,
    rechecks,
    reconsider,
    undecided,
    violation,
)
from graphwright.engine._exact_replies import NoOptions, is_offered, lacks_options, question_options
from graphwright.engine._position import lookup, view, with_answer
from graphwright.engine._questions import Candidate, every_candidate
from graphwright.engine._reply import EARLY, Accepted, Rejected, not_applicable, read_proposals, validated
from graphwright.engine._wording import name_of, say, value_text
from graphwright.engine.events import (
    AnswerCommitted,
    AnswerDropped,
    AnswerRefused,
    AnswerUnknown,
    ChannelsStale,
    Said,
    StateAdapted,
    TraceEvent,
)
from graphwright.engine.host_interface import Extract, ExtractionRequest, Recorder, UnreadReply, loaded, seen_values
from graphwright.engine.state import Early, ThreadState, applied, apply
from graphwright.flow._dependencies import answer_reads, dependencies, is_read, unscoped
from graphwright.flow._schema_validation import first_violation
from graphwright.flow.compiled import CompiledFlow, Question
from graphwright.flow.guards._vocabulary import ANSWERS

E = TypeVar("E", bound=TraceEvent)

Reconsideration = Reconsidered | AnswerCommitted | Said

_UNTOLD = ("", EARLY, UNDECIDED)
"""The reasons for dropping an answer that are not reported to the user."""


def reconsidered(
    log: Recorder, state: ThreadState, changes: Changes, *, reopens: bool = True
) -> tuple[ThreadState, tuple[Reconsideration, ...]]:
    """Return the state after `reconsider`, and its events, which the caller records.

    The answers of a branch that closes are put aside, and so are those that cannot be checked for now. They are
    restored, and checked again, when the branch opens or the answers that their checks need are there. A correction
    that was refused is taken when it has become valid.
    """
    flow = log.flow
    if not (state.reopened or state.passed or state.sources) and dependencies(flow).readers.keys().isdisjoint(
        map(unscoped, changes.names)
    ):
        return state, ()
    events = reconsider(flow, seen_values(log, state), changes, reopens=reopens)
    dropped = {event.key for event in events if isinstance(event, AnswerDropped)}
    state, restored, refused = _restored(log, applied(state, events), dropped, set(map(unscoped, changes.names)))
    if not restored:
        return state, (*events, *refused)
    noted = list[Said]()
    corrected = [event for event in restored if event.replaced is not None]
    again = [event for event in restored if event.replaced is None]
    for sentence, found in (("as_before", again), ("noted", corrected)):
        texts = (f"{name_of(q := flow.question(e.node))}: {_value_text(log, state, q.id, e.value)}" for e in found)
        if found:
            noted.append(Said(found[0].node, say(state.language, sentence, noted="; ".join(texts))))
    replaced, added = ([f"{ANSWERS}.{event.key}" for event in each] for each in (corrected, again))
    state, follow_up = reconsidered(log, state, Changes(replaced, added), reopens=reopens)
    return state, (*events, *refused, *restored, *noted, *follow_up)


def _restored(
    log: Recorder, state: ThreadState, dropped: Collection[str], changed: Collection[str]
) -> tuple[ThreadState, list[AnswerCommitted], list[AnswerDropped]]:
    """Return the state with the answers that were put aside and hold again, except those just `dropped`.

    The last part of the result drops those that cannot return, now that this can be checked.
    """
    restored: list[AnswerCommitted] = []
    found = True
    while found:
        found = False
        for each in _put_aside(log, state):
            if each.key in dropped:
                continue
            old = lookup(state.answers, each.path)[1]
            event = AnswerCommitted(each.question.id, each.key, state.aside[each.key].value, "", old)
            with_it = apply(state, event)
            values = seen_values(log, with_it)
            when = each.question.when
            if when is not None and not when.evaluate(view(log.flow, values, each.scopes)).opens:
                continue
            if isinstance(validated(log.facts, Accepted(each, event.value, ""), values), Accepted):
                state, found = with_it, True
                restored.append(event)
    names = [f"{ANSWERS}.{event.key}" for event in restored]
    refused: list[AnswerDropped] = []
    for each in _put_aside(log, state):
        if lookup(state.answers, each.path)[0]:
            # A refused correction: the answer that it should replace still holds.
            continue
        if each.key in state.aside and not (state.aside[each.key].told and each.key in dropped):
            for drop in _lost(log, state, each, {*changed, *map(unscoped, names)}, names):
                refused.append(drop)
                state = apply(state, drop)
    return state, restored, refused


def _put_aside(log: Recorder, state: ThreadState) -> list[Candidate]:
    """The answers that are put aside, were not declined or given again since, and whose options exist."""
    keys = state.aside.keys() - {*state.declined, *state.early}
    values = seen_values(log, state)
    return (
        [e for e in every_candidate(log.flow) if e.key in keys and not lacks_options(e.question, values)]
        if keys
        else []
    )


def _lost(
    log: Recorder, state: ThreadState, candidate: Candidate, changed: Collection[str], restored: Collection[str]
) -> Iterator[AnswerDropped]:
    """Drop an answer that is put aside if no question for it can accept it.

    The user was told of the answers of a closed branch when it closed, and of those that read them. Where options or
    channels that the check reads will be computed again, first of all after the answers that were just `restored`, it
    is not decided.
    """
    flow, aside = log.flow, state.aside[candidate.key]
    others = {unscoped(f"{ANSWERS}.{key}") for key in state.aside if key != candidate.key}
    values = seen_values(log, apply(state, AnswerCommitted(candidate.question.id, candidate.key, aside.value)))
    reasons = []
    for question, scopes in find_questions(flow, candidate.path):
        reason, decisive = violation(flow, question, scopes, aside.value, values)
        result = validated(log.facts, Accepted(candidate, aside.value, ""), values) if not reason else None
        if isinstance(result, Rejected):
            reason, decisive = "validate", ()
        if reason in ("", UNDECIDED) or (reason != "when" and _awaits_channel(flow, question, values, restored)):
            return
        if aside.told and reason == "validate" and others & set(map(unscoped, answer_reads(question))):
            return
        reasons.append((question, reason, set(map(unscoped, decisive))))
    question, reason, decides = min(reasons, key=lambda each: each[1] == "when")
    if not (aside.told and reason == "when"):
        # Why a branch opens is not why an option is gone.
        reads = set(map(unscoped, answer_reads(question))) if reason != "options" else set[str]()
        because = set(changed) & decides or set(changed) & reads
        yield AnswerDropped(question.id, candidate.path, reason, aside.value, tuple(sorted(because)))


def _awaits_channel(
    flow: CompiledFlow, question: Question, values: Mapping[str, Any], restored: Collection[str]
) -> bool:
    """Return whether a channel that the check of an answer reads is still to be computed, for all that is known."""
    sources = values.get(SOURCES) or {}
    if any(sources[name].changed for name in answer_reads(question) if name in sources):
        return True
    channel = question.options
    return bool(channel) and (channel not in sources or is_outdated(flow, values, channel, restored, asked=False))


def drop_unchecked(log: Recorder, state: ThreadState) -> ThreadState:
    """Drop, at an end, the answers that were put aside without a message: nothing needed the check that they await."""
    for each in every_candidate(log.flow) if state.aside else ():
        aside = state.aside.get(each.key)
        if aside is not None and not (aside.told or each.key in (*state.declined, *state.early)):
            event = AnswerDropped(each.question.id, each.path, "when", aside.value)
            note_dropped(log, state, [event])
            state = log.record(state, event)
    return state


def note_dropped(log: Recorder, before: ThreadState, events: Collection[object]) -> None:
    """Keep how the values of dropped answers read, by the options of the state `before` the change."""
    for event in events:
        if isinstance(event, AnswerDropped) and event.reason not in _UNTOLD:
            log.facts.memory.dropped[event.key] = _value_text(log, before, event.node, event.value)


def tell_dropped(log: Recorder, state: ThreadState, node: str) -> None:
    """Tell the user, in one message, which answers the turn dropped, and after which changes of the user.

    Answers of an earlier conversation of the thread that this one does not need are only named.
    """
    flow, language = log.flow, state.language
    dropped = (event for event in turn_events(log, AnswerDropped) if event.reason not in _UNTOLD)
    drops = {event.key: event for event in dropped if not lookup(state.answers, event.path)[0]}
    if not drops:
        return
    texts = log.facts.memory.dropped
    changed, added = _changed(log, state)
    others = {unscoped(f"{ANSWERS}.{key}"): name_of(flow.question(event.node)) for key, event in drops.items()}
    groups: dict[tuple[str, str], list[str]] = {}
    needless: list[str] = []
    for key, event in drops.items():
        if event.reason == "when" and lookup(state.carried, event.path) == (True, event.value):
            needless.append(name_of(flow.question(event.node)))
            continue
        # The answer that the user changed, else another dropped answer; for a channel, its sources.
        reads = reads_behind(flow, state.sources, event.because)
        causes = [text for name, text in changed.items() if is_read(name, reads)]
        causes = causes or [text for name, text in added.items() if is_read(name, reads)]
        causes = causes or [text for name, text in others.items() if is_read(name, event.because)]
        because = ", ".join(causes)
        value = texts.get(key) or _value_text(log, state, event.node, event.value)
        groups.setdefault((event.reason, because), []).append(f"{name_of(flow.question(event.node))}: {value}")
    sentences = []
    for (reason, because), gone in groups.items():
        since = say(language, "dropped_since", because=because) if because else ""
        sentences.append(say(language, f"dropped_{reason}", dropped="; ".join(gone), since=since))
    if needless:
        sentences.append(say(language, "not_needed", names=", ".join(needless)))
    log.emit(Said(node, "\n".join(sentences)))


def tell_unchecked(log: Recorder, state: ThreadState, asked: str) -> None:
    """Tell the user which answers the turn made uncertain, and which open questions other than `asked` decide."""
    stale = {channel for event in turn_events(log, ChannelsStale) for channel in event.channels}
    for question, path, redo in rechecks(log.flow, seen_values(log, state)) if stale else ():
        if isinstance(redo.node, Question) and redo.node.id != asked and stale & answer_reads(question):
            value = _value_text(log, state, question.id, lookup(state.answers, path)[1])
            parts = {"value": value, "name": name_of(question), "names": name_of(redo.node)}
            log.emit(Said(asked, say(state.language, "early_until", **parts)))


def turn_events(log: Recorder, kind: type[E]) -> list[E]:
    """Return the events of this kind that the turn has recorded so far."""
    return [event for event in (*log.facts.earlier, *log.events) if isinstance(event, kind)]


def _changed(log: Recorder, state: ThreadState) -> tuple[dict[str, str], dict[str, str]]:
    """The answers that the user changed or took back, and those given for the first time, for messages to the user.

    Both are by name without scopes. The changes include those of earlier turns after which channels were computed
    again.
    """
    changed, added = dict[str, str](), dict[str, str]()
    questions = {f"{ANSWERS}.{question.key}": question.id for question in log.flow.questions}
    for name in log.facts.memory.stale:
        if node := questions.get(unscoped(name)):
            given, value = lookup(state.answers, tuple(name.split(".")[1:]))
            # Without a value it was taken back in an earlier turn, or dropped after another change.
            sentence = "changed_to" if given else "not_given"
            changed[unscoped(name)] = _change_text(log, state, node, value, sentence)
    for event in (*log.facts.earlier, *log.events):
        match event:
            case AnswerCommitted() if event.value != event.replaced:
                known = added if event.replaced is None else changed
                known[unscoped(f"{ANSWERS}.{event.key}")] = _change_text(log, state, event.node, event.value)
            case AnswerUnknown():
                text = _change_text(log, state, event.node, None, "taken_back")
                changed[unscoped(f"{ANSWERS}.{event.key}")] = text
    return changed, added


def _change_text(log: Recorder, state: ThreadState, node: str, value: Any, sentence: str = "changed_to") -> str:
    text = _value_text(log, state, node, value) if sentence == "changed_to" else ""
    return say(state.language, sentence, name=name_of(log.flow.question(node)), value=text)


def _value_text(log: Recorder, state: ThreadState, node: str, value: Any) -> str:
    question = log.flow.question(node)
    try:
        options = question_options(question, state.values())
    except NoOptions:
        options = ()
    return value_text(question, options, value, state.language)


def names_of(flow: CompiledFlow, names: Collection[str]) -> str:
    """Answers and channels that changed, as users call them."""
    labels = {name: str(each.schema.get("title") or _plain(name)) for name, each in flow.channels.items()}
    labels |= {f"{ANSWERS}.{question.key}": name_of(question) for question in flow.questions}
    return ", ".join(dict.fromkeys(labels.get(unscoped(name), _plain(name)) for name in names))


def _plain(name: str) -> str:
    """A name without a question in this version of the flow."""
    return unscoped(name).removeprefix(f"{ANSWERS}.").replace("_", " ")


def judged(
    log: Recorder,
    accepted: Accepted,
    values: Mapping[str, Any],
    *,
    waiting: str,
    kept: Collection[str],
    changed: Collection[str],
    language: str,
) -> Accepted | Rejected:
    """Check a value of a reply over the `values` as they are with all other values of the reply.

    A value that cannot be checked yet is rejected at the stage `early`. `waiting` is the key that was asked for, `kept`
    are those of values that wait to be checked, and `changed` are the names of the answers that the reply changes.
    """
    flow, candidate = log.flow, accepted.candidate
    question, asked = candidate.question, candidate.key == waiting
    if _awaits_options(log, accepted, values, changed, asked=asked):
        return _kept(accepted, language, "early")
    place = candidate.scopes, candidate.key
    if not asked:
        open_keys = undecided(flow, question.when, place, values, kept)
        applicable = applies(flow, question, candidate.scopes, values)
        if open_keys and not (applicable and set(open_keys).isdisjoint(kept)):
            return _kept(accepted, language, "early_until", names_of(flow, [f"{ANSWERS}.{key}" for key in open_keys]))
        if not applicable:
            return not_applicable(log.facts, accepted, values, language)
        seen = {**values, "value": accepted.value}
        if open_keys := undecided(flow, question.validate, place, seen, kept):
            return _kept(accepted, language, "early_until", names_of(flow, [f"{ANSWERS}.{key}" for key in open_keys]))
    return validated(log.facts, accepted, values, language)


def _awaits_options(
    log: Recorder, accepted: Accepted, values: Mapping[str, Any], changed: Collection[str], *, asked: bool
) -> bool:
    """Return whether the options of a value do not exist yet, or others may come with the changes of the reply."""
    question = accepted.candidate.question
    if not question.options or lacks_options(question, values):
        return bool(question.options)
    if is_offered(accepted.value, question_options(question, values)):
        return False
    return is_outdated(log.flow, values, question.options, changed, asked=asked)


def _kept(accepted: Accepted, language: str, sentence: str, names: str = "") -> Rejected:
    """Return the rejection of a value that is kept. Its reason says so to the user."""
    question = accepted.candidate.question
    value = value_text(question, (), accepted.value, language)
    reason = say(language, sentence, name=name_of(question), value=value, names=names)
    return Rejected(accepted.candidate, accepted.value, accepted.quote, EARLY, reason)


def waits(log: Recorder, state: ThreadState, key: str) -> bool:
    """Return whether a value is kept that still cannot be checked. Others are checked when their question comes up."""
    if key not in state.early:
        return False
    values = seen_values(log, state)
    for candidate in every_candidate(log.flow):
        if candidate.key == key:
            question, place = candidate.question, (candidate.scopes, key)
            seen = {**values, "value": state.early[key].value}
            if (
                (question.options and lacks_options(question, values))
                or undecided(log.flow, question.when, place, values, state.early)
                or undecided(log.flow, question.validate, place, seen, state.early)
            ):
                return True
    return False


def read_again(log: Recorder, state: ThreadState, candidate: Candidate, early: Early, prompt: str) -> Accepted | None:
    """Return the option that a model reads in the message of a kept value, or None. Without a model it is None."""
    if log.facts.without_model:
        return None
    asked = ExtractionRequest(early.words, candidate, prompt, (candidate,), state.answers, {}, log.facts.now)
    try:
        proposals = log.need(Extract(candidate.question.id, asked))
    except UnreadReply:
        return None
    found = read_proposals(early.words, candidate.key, proposals, state, (candidate,)).accepted
    return next((each for each in found if is_offered(each.value, candidate.options)), None)


def refuse_closed(log: Recorder, state: ThreadState, node: str, *, ended: bool) -> ThreadState:
    """Refuse the kept values whose questions cannot apply any more: all of them if the conversation `ended`."""
    for candidate in every_candidate(log.flow) if state.early else ():
        if candidate.key not in state.early:
            continue
        kept, place = state.early[candidate.key], (candidate.scopes, candidate.key)
        values = seen_values(log, state)
        values["answers"] = with_answer(state.answers, candidate.path, kept.value)
        when = candidate.question.when
        if ended or not (
            applies(log.flow, candidate.question, candidate.scopes, values)
            or undecided(log.flow, when, place, values, state.early)
        ):
            accepted = Accepted(candidate, kept.value, kept.quote)
            refused = not_applicable(log.facts, accepted, values, state.language)
            event = AnswerRefused(node, candidate.key, kept.value, kept.quote, refused.stage, refused.reason)
            state = log.record(state, event, Said(node, refused.reason))
    return state


def adapted(log: Recorder, state: ThreadState) -> ThreadState:
    """The state without the answers and channels that the flow does not have, or whose schemas they violate."""
    flow = log.flow
    answers: Mapping[str, Any] = {}
    for asked in every_candidate(flow):
        there, value = lookup(state.answers, asked.path)
        if there and not first_violation(asked.question.schema, value):
            answers = with_answer(answers, asked.path, value)
    contents = {**state.channels, **loaded(log.facts.contents, state, state.channels)}
    channels = {
        name: value
        for name, value in state.channels.items()
        if name in flow.channels and not first_violation(flow.channels[name].schema, contents[name])
    }
    dropped = tuple(_dropped(state.answers, answers))
    gone = tuple(name for name in state.channels if name not in channels)
    return log.record(state, StateAdapted(dropped, gone)) if dropped or gone else state


def _dropped(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    """The dotted keys of the answers that are gone."""
    for key, value in before.items():
        if key not in after:
            yield key
        elif value != after[key]:
            yield from (f"{key}.{inner}" for inner in _dropped(value, after[key]))
