"""Actions with effects that come up again after a correction or a migration: pass them over, or ask with what was done.

An action comes up again if a detour leads to it, or if the conversation went back behind it (`ThreadState.performed`).
One that the flow reaches by its own edges alone, such as a loop, is performed like the first time.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from graphwright.engine._advance import Ask, Outcome, Perform
from graphwright.engine._dependent_answers import reads_behind
from graphwright.engine._flow_versions import places, reads_ahead
from graphwright.engine._position import Position, Scope, view
from graphwright.engine._shown_values import rendered
from graphwright.engine._wording import action_name, moment_text, name_of, say
from graphwright.engine.events import AnswerCommitted, OutcomeDecided, Said, TraceEvent
from graphwright.engine.host_interface import Recorder, loaded
from graphwright.engine.state import Effect, ThreadState, content_hash
from graphwright.flow._dependencies import action_reads, confirmation_terms, is_answer, signature_of, unscoped
from graphwright.flow.compiled import Action, CompiledFlow, Question
from graphwright.flow.guards._vocabulary import ANSWERS, MESSAGE, NOW

KEPT, LEAVE = "kept", "leave"
"""Decisions about an action that was done and comes up again: nothing it depends on changed; the user leaves it."""

LONGEST = 300
"""The maximum number of characters that are kept of the text of a confirmation."""


def comes_again(flow: CompiledFlow, state: ThreadState, node: Action, position: Position) -> bool:
    """Whether an action with effects is due again at a position because of a correction or of a migration."""
    if not signature_of(flow, node).effects:
        return False
    known = [each for each in state.effects if each.node == node.id]
    if known and done_before(state, node, position.top.scopes) is None:
        # It was done in another call of its graph.
        return False
    return node.id in state.performed or any(frame.detour and frame.node == node.id for frame in position.frames)


def done_before(state: ThreadState, node: Action, scopes: tuple[Scope, ...]) -> Effect | None:
    """What is known of the last time that an action was done with these answer scopes."""
    return next((each for each in state.effects if (each.node, each.scopes) == (node.id, scopes)), None)


def content_over(
    flow: CompiledFlow, state: ThreadState, over: Sequence[str], large: Mapping[str, Any], scopes: tuple[Scope, ...]
) -> dict[str, Any]:
    """The named channels and answers as they are now."""
    values = view(flow, state.values(large), scopes)
    content: dict[str, Any] = {}
    for name in over:
        level: Any = values
        for part in name.split("."):
            level = level.get(part) if isinstance(level, Mapping) else None
        content[name] = level
    return content


def content_of(flow: CompiledFlow, state: ThreadState, node: Action, scopes: tuple[Scope, ...]) -> str:
    """The hash of all that an action and its confirmation depend on: what it runs, reads, confirms and shows."""
    names = set(action_reads(flow, node)) | set(signature_of(flow, node).reads)
    if node.confirm is not None:
        names |= {*node.confirm.over, *flow.question(node.confirm.by).prompt.reads}
    names -= {*signature_of(flow, node).writes, NOW}
    content = _unconfirmed(flow, state, names, scopes)
    files = [file["sha256"] for file in state.files]
    given = node.parameters.to_json() if node.parameters is not None else None
    return content_hash([node.run, given, content, files])


def shown_content(flow: CompiledFlow, state: ThreadState, question: Question) -> str:
    """The hash of all that a yes to a question at the position stands for; empty if no action needs that yes.

    That is what the question shows, what the actions are confirmed over and read, and which of them were done before.
    """
    actions = flow.confirmed_by(question.id)
    if not actions:
        return ""
    names = set(question.prompt.reads)
    for action in actions:
        assert action.confirm is not None
        names |= {*action_reads(flow, action), *signature_of(flow, action).reads, *action.confirm.over}
    content = _unconfirmed(flow, state, names - {MESSAGE, NOW}, state.at.top.scopes)
    again = [action.id for action in repeated_by(flow, state, question)]
    return content_hash([confirmation_terms(flow, question), content, again])


def _unconfirmed(
    flow: CompiledFlow, state: ThreadState, names: Collection[str], scopes: tuple[Scope, ...]
) -> dict[str, Any]:
    """The named channels and answers without those to confirmations. The hash of a large value stands for it."""
    confirms = {question.key for question in flow.questions if question.read == "confirm"}
    answers = {f"{ANSWERS}.{key}" for key in confirms}
    content = content_over(flow, state, sorted(name for name in names if unscoped(name) not in answers), {}, scopes)
    if ANSWERS in content:
        content[ANSWERS] = _without(content[ANSWERS], confirms)
    return content


def _without(answers: Any, keys: Collection[str]) -> Any:
    """Answers without those to confirmations, whose yes is given again."""
    if not isinstance(answers, Mapping):
        return answers
    return {key: _without(value, keys) for key, value in answers.items() if key not in keys}


def confirmed_text(log: Recorder, state: ThreadState, node: Action) -> str:
    """The text of the confirmation of an action, shortened; empty without one."""
    if node.confirm is None:
        return ""
    prompt = log.flow.question(node.confirm.by).prompt
    values = state.values(loaded(log.facts.contents, state, log.flow.guard_reads))
    text = " ".join(rendered(prompt, log.flow, values, state.at.top.scopes, state.language).split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def passing(log: Recorder, state: ThreadState, outcome: Outcome) -> tuple[TraceEvent, ...]:
    """The events with which a walk passes over an action that was done, or its confirmation; empty if it stops there.

    It does so if nothing that the action and its confirmation depend on has changed, or the user leaves it as it is.
    """
    flow = log.flow
    match outcome:
        case Perform(node=node, position=position) if _settled(flow, state, node, position):
            known = done_before(state, node, position.top.scopes)
            told: tuple[TraceEvent, ...] = ()
            if known is not None and not known.kept:
                told = (Said(node.id, say(state.language, "not_repeated", **_when(node, known, state.language))),)
            return (OutcomeDecided(node.id, state.visit, KEPT), *told)
        case Ask(node=question, position=position):
            actions = flow.confirmed_by(question.id)
            if actions and all(_settled(flow, state, action, position) for action in actions):
                # The yes that was given for exactly this still counts.
                return (AnswerCommitted(question.id, ".".join(position.answer_path(question.key)), True),)
    return ()


def _settled(flow: CompiledFlow, state: ThreadState, node: Action, position: Position) -> bool:
    if not comes_again(flow, state, node, position):
        return False
    scopes = position.top.scopes
    known = done_before(state, node, scopes)
    return known is not None and (known.kept or known.content == content_of(flow, state, node, scopes))


def repeated_by(flow: CompiledFlow, state: ThreadState, question: Question) -> tuple[Action, ...]:
    """The actions that were done before and that a yes to this question, at the position, would do again."""
    actions = flow.confirmed_by(question.id) if state.position is not None else ()
    return tuple(action for action in actions if comes_again(flow, state, action, state.at))


def notice(flow: CompiledFlow, state: ThreadState, question: Question) -> str:
    """What a confirmation says about the actions that were done before; empty if there are none."""
    texts = []
    for action in repeated_by(flow, state, question):
        known = done_before(state, action, state.at.top.scopes)
        if known is None or not known.at:
            texts.append(say(state.language, "repeat_unknown", node=action_name(action)))
        else:
            sentence = "repeat_confirmed" if known.confirmed else "repeat"
            texts.append(say(state.language, sentence, **_when(action, known, state.language)))
    if not texts:
        return ""
    return " ".join(dict.fromkeys((*texts, say(state.language, "repeat_or_leave"))))


def too_late(
    flow: CompiledFlow, before: ThreadState, after: ThreadState, committed: Iterable[TraceEvent]
) -> Iterator[Said]:
    """What to say about answers that came after what reads them was done, and that do not repeat it.

    A migration may lead to a question that gives such a first answer; a correction gives another answer.
    """
    given = [each for each in committed if isinstance(each, AnswerCommitted)]
    first = [e for e in given if before.reopened.get(e.key, e) is None and not _begins_round(flow, before, e)]
    changed = [each for each in given if _differs(flow, before, each)]
    for done in after.effects if first or changed else ():
        node = flow.nodes.get(done.node)
        if not isinstance(node, Action) or not done.at or node.id in after.performed:
            continue
        stale = {name for name, each in after.sources.items() if each.node == node.id and each.changed}
        if not stale.isdisjoint(reads_ahead(flow, places(after.at))):
            # It comes up again, and the user is asked.
            continue
        own = action_reads(flow, node)
        reads = {".".join(flow.resolve(done.scopes, n.partition(".")[2])) for n in own if is_answer(n)}
        behind = {n for channel in own if not is_answer(channel) for n in reads_behind(flow, after.sources, [channel])}
        new = [each for each in first if each.key in reads]
        other = [each for each in changed if each.key in reads or unscoped(f"{ANSWERS}.{each.key}") in behind]
        for sentence, late in (("too_late", new), ("done_before_change", other)):
            if late:
                names = ", ".join(name_of(flow.question(each.node)) for each in late)
                told = _when(node, done, after.language) | {"names": names}
                yield Said(node.id, say(after.language, sentence, **told))


def _differs(flow: CompiledFlow, before: ThreadState, given: AnswerCommitted) -> bool:
    """Whether an answer corrects another one. One of `ask: always` begins a round, and corrects none."""
    earlier = before.reopened.get(given.key) if given.replaced is None else given.replaced
    return earlier is not None and earlier != given.value and not flow.question(given.node).ask_always


def _begins_round(flow: CompiledFlow, before: ThreadState, given: AnswerCommitted) -> bool:
    """Whether the flow came by a question of `ask: always`: what reads its answer is done after it in each round."""
    return flow.question(given.node).ask_always and not (before.position is not None and before.at.top.detour)


def _when(node: Action, known: Effect, language: str) -> dict[str, str]:
    return {"node": action_name(node), "time": moment_text(known.at[:19], language), "confirmed": known.confirmed}


def left_as_done(flow: CompiledFlow, state: ThreadState, question: Question) -> tuple[TraceEvent, ...]:
    """The events of a no to a confirmation, if all that a yes would do was done before; otherwise empty.

    What was done stays as it is, and the flow goes on as after the yes that it was done with.
    """
    again = repeated_by(flow, state, question)
    if not again or len(again) < len(flow.confirmed_by(question.id)):
        return ()
    left = (OutcomeDecided(action.id, state.visit, LEAVE) for action in again)
    key = ".".join(state.at.answer_path(question.key))
    return (*left, AnswerCommitted(question.id, key, True, "", False))
