"""Dependent answers in a thread: reconsider a change, and report dropped answers to the user."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from graphwright.engine import Changes, lookup, reconsider
from graphwright.engine.answer_wording import name_of, value_text
from graphwright.engine.channels import seen_values
from graphwright.engine.events import AnswerCommitted, AnswerUnknown, Said
from graphwright.engine.exact_replies import NoOptions, offered
from graphwright.engine.sentences import say
from graphwright.engine.walk_events import AnswerDropped, ChannelsStale
from graphwright.flow.compiled import CompiledFlow, Question
from graphwright.flow.dependencies import dependencies, unscoped
from graphwright.flow.guards.vocabulary import ANSWERS

if TYPE_CHECKING:
    from graphwright.engine.recorder import Recorder
    from graphwright.engine.state import ThreadState

Reconsideration = AnswerDropped | ChannelsStale


def reconsidered(
    log: Recorder, state: ThreadState, changes: Changes, *, reopens: bool = True
) -> tuple[ThreadState, tuple[Reconsideration, ...]]:
    """Return the state after `engine.reconsider`, and its events.

    The caller records the events.
    """
    flow = log.flow
    if not (state.reopened or state.passed or state.sources) and dependencies(flow).readers.keys().isdisjoint(
        map(unscoped, changes.names)
    ):
        return state, ()
    values = seen_values(log, state)
    found = reconsider(flow, values, changes, reopens=reopens)
    state = replace(state, answers=found.answers, reopened=found.reopened, passed=found.passed, sources=found.sources)
    return state, found.events


def note_dropped(log: Recorder, before: ThreadState, events: Collection[object]) -> None:
    """Keep how the values of dropped answers read, by the options of the state `before` the change."""
    for event in events:
        if isinstance(event, AnswerDropped) and event.reason:
            log.facts.memory.dropped[".".join(event.path)] = _value_text(log, before, event.node, event.value)


def tell_dropped(log: Recorder, state: ThreadState, node: str) -> None:
    """Tell the user, in one message, which answers the turn dropped, and after which changes of the user."""
    flow, language = log.flow, state.language
    ours = (
        event.to_json() for event in log.events if isinstance(event, AnswerDropped | AnswerCommitted | AnswerUnknown)
    )
    events = [*log.facts.earlier, *ours]
    drops = {event["key"]: event for event in events if event["type"] == AnswerDropped.type and event.get("reason")}
    drops = {key: event for key, event in drops.items() if not lookup(state.answers, tuple(key.split(".")))[0]}
    if not drops:
        return
    texts = log.facts.memory.dropped
    dropped = "; ".join(
        f"{name_of(_question(flow, event['node']))}: "
        f"{texts.get(key) or _value_text(log, state, event['node'], event['value'])}"
        for key, event in drops.items()
    )
    causes = {name for event in drops.values() for name in event["because"]}
    # What changed in a channel, or was itself dropped, says nothing to users.
    because = names_of(flow, [name for name in _changed(events) if name in causes])
    kind = next(iter(drops.values()))["reason"] if len(drops) == 1 else "several"
    since = say(language, "dropped_since", because=because) if because else ""
    log.emit(Said(node, say(language, "dropped", dropped=dropped, why=say(language, f"dropped_{kind}"), since=since)))


def _changed(events: Iterable[Mapping[str, Any]]) -> dict[str, None]:
    """The answers that the user changed or took back, without their scopes."""
    committed, unknown = AnswerCommitted.type, AnswerUnknown.type
    return {
        unscoped(f"{ANSWERS}.{event['key']}"): None
        for event in events
        if event["type"] == unknown or (event["type"] == committed and event["value"] != event["replaced"])
    }


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
