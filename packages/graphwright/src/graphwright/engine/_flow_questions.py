"""Answers to what users ask about the flow: what an answer means, its options, and the limits that hold now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date, timedelta
from typing import Any

from graphwright.engine._dependent_answers import SOURCES, applies, is_outdated, reads_behind
from graphwright.engine._exact_replies import lacks_options, question_options
from graphwright.engine._position import lookup, view, with_answer
from graphwright.engine._questions import Candidate, UserQuestion, every_candidate
from graphwright.engine._shown_values import rendered
from graphwright.engine._wording import heading, name_of, quoted_value, say, titles_of, value_text
from graphwright.engine.host_interface import Recorder, seen_values
from graphwright.engine.state import ThreadState
from graphwright.flow import _schema_validation as schema_validation
from graphwright.flow._dependencies import dependencies, signature_of, unscoped
from graphwright.flow._json_schemas import options_of
from graphwright.flow.compiled import Action, CompiledFlow, Question
from graphwright.flow.guards import Guard
from graphwright.flow.guards._vocabulary import ANSWERS, VALUE
from graphwright.text.sentences import without_questions

_KEYWORDS = {
    "<=": "maximum", "<": "exclusiveMaximum", ">=": "minimum", ">": "exclusiveMinimum", "==": "const", "in": "enum"
}  # fmt: skip
_LIMITS = ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf", "const", "enum")


def answers_to(log: Recorder, state: ThreadState, asked: Sequence[UserQuestion], *, status: bool) -> str:
    """Answer each question from the flow. Where only some have an answer, the others are named.

    The text that follows, such as a summary, may hold the answer to the others, so they are not called unanswerable.
    With `status` the status text of the flow follows.
    """
    told, open_words = dict[str, None](), dict[str, None]()
    for each in asked:
        facts = facts_of(log.flow, each.about, seen_values(log, state), state.language) if each.about else ""
        if each.about and facts:
            told[say(state.language, "about", name=heading(each.about.question), facts=facts)] = None
        else:
            open_words[each.words] = None
    if open_words:
        words = ", ".join(map(quoted_value, filter(None, open_words))) if told or len(open_words) > 1 else ""
        sentence = "only_status" if status else "no_answer"
        told[say(state.language, sentence, asked=f" ({words})" if words else "")] = None
    return "\n".join(told)


def facts_of(flow: CompiledFlow, candidate: Candidate, values: Mapping[str, Any], language: str) -> str:
    """Return what the flow declares about an answer, and its value.

    The flow declares its meaning, its options, and its limits over `values`.
    """
    question = candidate.question
    schema = question.schema
    outdated = bool(question.options) and is_outdated(flow, values, question.options, (), asked=False)
    options = () if outdated or lacks_options(question, values) else question_options(question, values)
    limits = {name: schema[name] for name in _LIMITS if name in schema and not options}
    given = dict.fromkeys(_named_answers(flow, _computed_from(flow, values, question.options), values, language))
    exact = not question.validator
    for guard, subject, seen in _conditions(flow, candidate, values):
        verdicts = [(each, guard.evaluate(with_answer(seen, subject, each.value))) for each in options]
        options = tuple(each for each, verdict in verdicts if not verdict.closes)
        bounds = guard.bounds(subject, seen, whole=schema.get("type") == "integer")
        given |= dict.fromkeys(_named_answers(flow, bounds.others, seen, language))
        exact &= all(not verdict.error for _, verdict in verdicts) if verdicts else bounds.exact
        for sign, limit in () if verdicts else bounds.found:
            _tighten(limits, _KEYWORDS[sign], limit)
    facts = [str(schema.get("description") or "").rstrip(".")]
    if titles := titles_of(options, language):
        facts.append(schema_validation.say(language, "enum", limit=titles))
    facts += _limit_texts(question, limits, language)
    if given:
        facts.append(say(language, "depends", given="; ".join(given)))
    if not exact:
        facts.append(_rule(flow, candidate, values, language) or ("" if given else say(language, "further_check")))
    known, value = lookup(values["answers"], candidate.path)
    if known:
        facts.append(say(language, "so_far", value=value_text(question, candidate.options, value, language)))
    return "; ".join(filter(None, facts))


def rule_of(flow: CompiledFlow, candidate: Candidate, values: Mapping[str, Any], language: str) -> str:
    """Return the limits that `validate` sets over `values` as a sentence; empty if it sets none that can be named."""
    rule = "; ".join(_limit_texts(candidate.question, _validated(flow, candidate, values), language))
    return f"{rule[:1].upper()}{rule[1:]}." if rule else ""


def example_day(flow: CompiledFlow, candidate: Candidate, values: Mapping[str, Any], today: date) -> date:
    """Return a day that the limits of `validate` allow: today if they do."""
    limits = _validated(flow, candidate, values) if candidate.question.schema.get("format") == "date" else {}
    day = today
    for name, by in (("minimum", 0), ("exclusiveMinimum", 1), ("maximum", 0), ("exclusiveMaximum", -1)):
        with suppress(ValueError, OverflowError):
            edge = date.fromisoformat(str(limits.get(name))[:10]) + timedelta(days=by)
            day = max(day, edge) if name.endswith("inimum") else min(day, edge)
    return day


def _validated(flow: CompiledFlow, candidate: Candidate, values: Mapping[str, Any]) -> dict[str, Any]:
    """The limits that `validate` sets over `values`, by the keywords of schemas."""
    question, limits = candidate.question, dict[str, Any]()
    if question.validate is not None and not (question.options or options_of(question.schema)):
        seen = view(flow, values, candidate.scopes)
        bounds = question.validate.bounds((VALUE,), seen, whole=question.schema.get("type") == "integer")
        for sign, limit in bounds.found:
            _tighten(limits, _KEYWORDS[sign], limit)
    return limits


def _limit_texts(question: Question, limits: Mapping[str, Any], language: str) -> list[str]:
    texts = {
        name: ", ".join(
            value_text(question, (), _plain(item), language) for item in (limit if isinstance(limit, list) else [limit])
        )
        for name, limit in limits.items()
    }
    facts = []
    if "minimum" in texts and "maximum" in texts:
        high, low = texts.pop("maximum"), texts.pop("minimum").removesuffix(f" {question.schema.get('x-unit', '')}")
        facts.append(schema_validation.say(language, "range", low=low, high=high))
    dates = "date_" if question.schema.get("format") == "date" else ""
    names = {name: f"{dates}{name}" if name in _RIVALS else name for name in texts}
    return [*facts, *(schema_validation.say(language, names[name], limit=text) for name, text in texts.items())]


def _computed_from(flow: CompiledFlow, values: Mapping[str, Any], channel: str) -> set[str]:
    """The answers from which actions compute a channel, without their scopes."""
    nodes = [flow.nodes[name] for name in dependencies(flow).computing]
    signatures = [signature_of(flow, node) for node in nodes if isinstance(node, Action)]
    reads = {name for signature in signatures if channel in signature.writes for name in signature.reads}
    return reads_behind(flow, values.get(SOURCES) or {}, [channel, *reads])


def _conditions(
    flow: CompiledFlow, candidate: Candidate, values: Mapping[str, Any]
) -> Iterator[tuple[Guard, tuple[str, ...], Mapping[str, Any]]]:
    """The expressions that must be true of an answer, each with the name by which it reads it, and what it sees."""
    if candidate.question.validate is not None:
        yield candidate.question.validate, (VALUE,), view(flow, values, candidate.scopes)
    for constraint in flow.constraints:
        if constraint.require is not None and f"{ANSWERS}.{candidate.key}" in constraint.require.reads:
            yield constraint.require, (ANSWERS, *candidate.path), values


def _rule(flow: CompiledFlow, candidate: Candidate, values: Mapping[str, Any], language: str) -> str:
    """Return the part of a question's `invalid_prompt` that says which values `validate` accepts, or an empty text."""
    question = candidate.question
    if question.invalid_prompt is None or not (question.validate or question.validator):
        return ""
    rule = without_questions(rendered(question.invalid_prompt, flow, values, candidate.scopes, language)).rstrip(".")
    return say(language, "rule", rule=rule) if rule else ""


_RIVALS = {
    "maximum": "exclusiveMaximum", "exclusiveMaximum": "maximum",
    "minimum": "exclusiveMinimum", "exclusiveMinimum": "minimum",
}  # fmt: skip


def _tighten(limits: dict[str, Any], name: str, limit: Any) -> None:
    """Add a limit; of two for the same end the tighter one stays."""
    rival = _RIVALS.get(name, name)
    for other in (name, rival):
        old = limits.get(other, limit)
        if not isinstance(limit, str | int | float) or isinstance(limit, str) != isinstance(old, str):
            limits.setdefault(name, limit)
            return
        looser = old < limit if name.endswith("aximum") else old > limit
        # At the same number the limit without it is the tighter one.
        if other in limits and (looser or (old == limit and other.startswith("exclusive"))):
            return
    limits.pop(rival, None)
    limits[name] = limit


def _plain(limit: Any) -> Any:
    return int(limit) if isinstance(limit, float) and limit.is_integer() else limit


def _named_answers(flow: CompiledFlow, names: set[str], values: Mapping[str, Any], language: str) -> Iterator[str]:
    """The answers among `names` as users call them, with their values; those without one only if they may apply."""
    every = every_candidate(flow)
    for question in flow.questions:
        for name in sorted(names):
            if unscoped(name) == f"{ANSWERS}.{question.key}":
                given, value = lookup(values["answers"], tuple(name.split(".")[1:]))
                places = [each.scopes for each in every if each.question is question]
                if not given and not any(applies(flow, question, scopes, values) for scopes in places):
                    continue
                options = () if lacks_options(question, values) else question_options(question, values)
                text = f": {value_text(question, options, value, language)}" if given else ""
                yield f"{name_of(question)}{text}"
