"""Dependent answers in a thread: reconsider a change, and report dropped answers to the user."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from graphwright.flow.compiled import CompiledFlow, Question
from graphwright.flow.dependencies import dependencies, is_answer, unscoped
from graphwright.flow.guards.vocabulary import ANSWERS
from graphwright.kernel import Changes, reconsider
from graphwright.kernel.events import AnswerDropped, ChannelsStale
from graphwright.runtime.answer_wording import name_of, value_text
from graphwright.runtime.events import Said
from graphwright.runtime.exact_replies import NoOptions, offered
from graphwright.runtime.sentences import say
from graphwright.runtime.walk import seen_values

if TYPE_CHECKING:
    from graphwright.runtime.run import StepLog
    from graphwright.runtime.state import ThreadState

Reconsideration = AnswerDropped | ChannelsStale


async def reconsidered(
    log: StepLog, state: ThreadState, changes: Changes, *, reopens: bool = True
) -> tuple[ThreadState, tuple[Reconsideration, ...]]:
    """Return the state after `kernel.reconsider`, and its events.

    The caller records the events.
    """
    flow = log.run.agent.flow
    if not (state.reopened or state.passed or state.sources) and dependencies(flow).readers.keys().isdisjoint(
        map(unscoped, changes.names)
    ):
        return state, ()
    values = await seen_values(log, state)
    found = reconsider(flow, values, changes, reopens=reopens)
    state = replace(state, answers=found.answers, reopened=found.reopened, passed=found.passed, sources=found.sources)
    return state, found.events


def tell(log: StepLog, node: str, before: ThreadState, events: Collection[object]) -> None:
    """Report to the user which answers were dropped, and why. `before` is the state before the change."""
    flow = log.run.agent.flow
    for event in events:
        if isinstance(event, AnswerDropped) and event.reason:
            question = flow.nodes[event.node]
            assert isinstance(question, Question)
            try:
                options = offered(question, before.values())
            except NoOptions:
                options = ()
            language = before.language
            because = names_of(flow, [name for name in event.because if is_answer(name)])
            parts = {
                "name": name_of(question),
                "value": value_text(question, options, event.value, language),
                "why": say(language, f"dropped_{event.reason}"),
                # What changed in a channel says nothing to users.
                "since": say(language, "dropped_since", because=because) if because else "",
            }
            log.emit(Said(node, say(language, "dropped", **parts)))


def names_of(flow: CompiledFlow, names: Collection[str]) -> str:
    """Answers and channels that changed, as users call them."""
    labels = {f"{ANSWERS}.{question.key}": name_of(question) for question in flow.questions}
    return ", ".join(dict.fromkeys(labels.get(unscoped(name), name.replace("_", " ")) for name in names))
