"""Dependent answers in a thread: reconsider a change, and report dropped answers to the user."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any, TypeVar

from graphwright.engine import Changes, Reconsidered, lookup, reads_behind, reconsider, view
from graphwright.engine.channels import seen_values
from graphwright.engine.events import AnswerCommitted, AnswerDropped, AnswerUnknown, Said, TraceEvent
from graphwright.engine.exact_replies import NoOptions, lacks_options, offered
from graphwright.engine.questions import every_candidate
from graphwright.engine.reply import EARLY, Accepted, validated
from graphwright.engine.state import ThreadState, applied, apply
from graphwright.engine.wording import name_of, say, value_text
from graphwright.flow.compiled import CompiledFlow, Question
from graphwright.flow.dependencies import dependencies, is_read, unscoped
from graphwright.flow.guards.vocabulary import ANSWERS

if TYPE_CHECKING:
    from graphwright.engine.host_interface import Recorder

E = TypeVar("E", bound=TraceEvent)

Reconsideration = Reconsidered | AnswerCommitted | Said


def reconsidered(
    log: Recorder, state: ThreadState, changes: Changes, *, reopens: bool = True
) -> tuple[ThreadState, tuple[Reconsideration, ...]]:
    """Return the state after `engine.reconsider`, and its events, which the caller records.

    The answers of a branch that closes are put aside. They are restored, and checked again, when it opens.
    """
    flow = log.flow
    if not (state.reopened or state.passed or state.sources) and dependencies(flow).readers.keys().isdisjoint(
        map(unscoped, changes.names)
    ):
        return state, ()
    events = reconsider(flow, seen_values(log, state), changes, reopens=reopens)
    dropped = {event.key for event in events if isinstance(event, AnswerDropped)}
    state, restored = _restored(log, applied(state, events), dropped)
    if not restored:
        return state, events
    added = Changes(added=[f"{ANSWERS}.{event.key}" for event in restored])
    texts = (f"{name_of(q := _question(flow, e.node))}: {_value_text(log, state, q.id, e.value)}" for e in restored)
    noted = Said(restored[0].node, say(state.language, "as_before", noted="; ".join(texts)))
    state, follow_up = reconsidered(log, state, added, reopens=reopens)
    return state, (*events, *restored, noted, *follow_up)


def _restored(log: Recorder, state: ThreadState, dropped: Collection[str]) -> tuple[ThreadState, list[AnswerCommitted]]:
    """Return the state with the answers that were put aside and hold again, except those just `dropped`."""
    restored: list[AnswerCommitted] = []
    found = True
    while found:
        found = False
        for each in every_candidate(log.flow) if state.aside.keys() - dropped else ():
            if each.key not in state.aside or each.key in dropped or each.key in state.declined:
                continue
            if lacks_options(each.question, seen_values(log, state)):
                continue
            event = AnswerCommitted(each.question.id, each.key, state.aside[each.key])
            with_it = apply(state, event)
            values = seen_values(log, with_it)
            when = each.question.when
            if when is not None and not when.evaluate(view(log.flow, values, each.scopes)).opens:
                continue
            if isinstance(validated(log.facts, Accepted(each, event.value, ""), values), Accepted):
                state, found = with_it, True
                restored.append(event)
    return state, restored


def note_dropped(log: Recorder, before: ThreadState, events: Collection[object]) -> None:
    """Keep how the values of dropped answers read, by the options of the state `before` the change."""
    for event in events:
        if isinstance(event, AnswerDropped) and event.reason not in ("", EARLY):
            log.facts.memory.dropped[event.key] = _value_text(log, before, event.node, event.value)


def tell_dropped(log: Recorder, state: ThreadState, node: str) -> None:
    """Tell the user, in one message, which answers the turn dropped, and after which changes of the user.

    Answers of an earlier conversation of the thread that this one does not need are only named.
    """
    flow, language = log.flow, state.language
    dropped = (event for event in turn_events(log, AnswerDropped) if event.reason not in ("", EARLY))
    drops = {event.key: event for event in dropped if not lookup(state.answers, event.path)[0]}
    if not drops:
        return
    texts = log.facts.memory.dropped
    changed, added = _changed(log, state)
    others = {unscoped(f"{ANSWERS}.{key}"): name_of(_question(flow, event.node)) for key, event in drops.items()}
    groups: dict[tuple[str, str], list[str]] = {}
    needless: list[str] = []
    for key, event in drops.items():
        if event.reason == "when" and lookup(state.carried, event.path) == (True, event.value):
            needless.append(name_of(_question(flow, event.node)))
            continue
        # What the user changed, else another dropped answer; behind a channel stands what it was computed from.
        reads = reads_behind(flow, state.sources, event.because)
        causes = [text for name, text in changed.items() if is_read(name, reads)]
        causes = causes or [text for name, text in added.items() if is_read(name, reads)]
        causes = causes or [text for name, text in others.items() if is_read(name, event.because)]
        because = ", ".join(causes)
        value = texts.get(key) or _value_text(log, state, event.node, event.value)
        groups.setdefault((event.reason, because), []).append(f"{name_of(_question(flow, event.node))}: {value}")
    sentences = []
    for (reason, because), gone in groups.items():
        since = say(language, "dropped_since", because=because) if because else ""
        sentences.append(say(language, f"dropped_{reason}", dropped="; ".join(gone), since=since))
    if needless:
        sentences.append(say(language, "not_needed", names=", ".join(needless)))
    log.emit(Said(node, "\n".join(sentences)))


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
            changed[unscoped(name)] = _change_text(log, state, node, value, withdrawn=not given)
    for event in (*log.facts.earlier, *log.events):
        match event:
            case AnswerCommitted() if event.value != event.replaced:
                known = added if event.replaced is None else changed
                known[unscoped(f"{ANSWERS}.{event.key}")] = _change_text(log, state, event.node, event.value)
            case AnswerUnknown():
                text = _change_text(log, state, event.node, None, withdrawn=True)
                changed[unscoped(f"{ANSWERS}.{event.key}")] = text
    return changed, added


def _change_text(log: Recorder, state: ThreadState, node: str, value: Any, *, withdrawn: bool = False) -> str:
    text = "" if withdrawn else _value_text(log, state, node, value)
    sentence = "taken_back" if withdrawn else "changed_to"
    return say(state.language, sentence, name=name_of(_question(log.flow, node)), value=text)


def _question(flow: CompiledFlow, node: str) -> Question:
    question = flow.nodes[node]
    assert isinstance(question, Question)
    return question


def _value_text(log: Recorder, state: ThreadState, node: str, value: Any) -> str:
    question = _question(log.flow, node)
    try:
        options = offered(question, state.values())
    except NoOptions:
        options = ()
    return value_text(question, options, value, state.language)


def names_of(flow: CompiledFlow, names: Collection[str]) -> str:
    """Answers and channels that changed, as users call them."""
    labels = {f"{ANSWERS}.{question.key}": name_of(question) for question in flow.questions}
    return ", ".join(dict.fromkeys(labels.get(unscoped(name), name.replace("_", " ")) for name in names))
