"""Early answers: volunteered values that are kept until their options exist and their guards can be evaluated."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from graphwright.engine import applies, is_outdated, undecided, with_answer
from graphwright.engine.changed_answers import names_of
from graphwright.engine.channels import seen_values
from graphwright.engine.events import AnswerRefused, Said
from graphwright.engine.exact_replies import is_offered, lacks_options, offered
from graphwright.engine.host_interface import Asked, Extract, UnreadReply
from graphwright.engine.questions import Candidate, every_candidate
from graphwright.engine.reply import EARLY, Accepted, Rejected, not_applicable, read_proposals, validated
from graphwright.engine.wording import name_of, say, value_text
from graphwright.flow.guards.vocabulary import ANSWERS

if TYPE_CHECKING:
    from graphwright.engine.host_interface import Recorder
    from graphwright.engine.state import Early, ThreadState


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
    if is_offered(accepted.value, offered(question, values)):
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
    asked = Asked(early.words, candidate, prompt, (candidate,), state.answers, {}, log.facts.now)
    try:
        proposals = log.need(Extract(candidate.question.id, asked))
    except UnreadReply:
        return None
    found = read_proposals(early.words, candidate.key, proposals, state, (candidate,)).accepted
    return next((each for each in found if is_offered(each.value, candidate.options)), None)


def refuse_closed(log: Recorder, state: ThreadState, node: str, *, ended: bool) -> ThreadState:
    """Refuse the kept values whose questions cannot apply any more: all of them where the conversation `ended`."""
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
