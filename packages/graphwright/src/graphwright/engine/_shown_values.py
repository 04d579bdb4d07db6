"""Values in texts for people: a chosen option is shown by its title."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

from graphwright.engine._exact_replies import lacks_options, question_options
from graphwright.engine._position import Scope, view
from graphwright.engine._wording import option_title, say
from graphwright.engine.state import ThreadState
from graphwright.flow._json_schemas import Option, options_of
from graphwright.flow.compiled import CompiledFlow, Question
from graphwright.flow.guards import Template
from graphwright.flow.guards._templates import format_value
from graphwright.flow.guards._vocabulary import ANSWERS


def rendered(
    template: Template, flow: CompiledFlow, values: Mapping[str, Any], scopes: tuple[Scope, ...], language: str
) -> str:
    """A template for people, filled in with the values that a graph sees."""
    seen = view(flow, values, scopes)
    return template.render(seen, partial(_title_at, flow, seen, language))


def said_value(value: Any, options: Sequence[Option], language: str) -> str:
    """The message that a value stands for: the titles of options, yes or no, otherwise the value itself."""
    if isinstance(value, list):
        return ", ".join(said_value(each, options, language) for each in value)
    title = _title(value, options, language)
    if title is None and isinstance(value, bool):
        return say(language, "yes" if value else "no")
    return format_value(value) if title is None else title


def waiting_options(flow: CompiledFlow, state: ThreadState) -> list[Option]:
    """The options that a thread waits with."""
    waiting = state.waiting
    if waiting is None:
        return []
    own = [Option(option["value"], option["title"]) for option in waiting.options]
    question = flow.nodes.get(waiting.node)
    return all_options(question, own) if isinstance(question, Question) else own


def all_options(question: Question, options: Iterable[Option]) -> list[Option]:
    """The options of a question, and those of the items of a list."""
    items = question.schema.get("items")
    return [*options, *options_of(items if isinstance(items, Mapping) else {})]


def _title_at(
    flow: CompiledFlow, values: Mapping[str, Any], language: str, path: tuple[str, ...], value: Any
) -> str | None:
    """The words for an answer that is a choice; None if its questions have no option, or several words, for it."""
    if path[0] != ANSWERS or value is None:
        return None
    found = {said_value(value, options, language) for options in _offered(flow, values, path[-1])}
    return found.pop() if len(found) == 1 else None


def _offered(flow: CompiledFlow, values: Mapping[str, Any], key: str) -> Iterator[list[Option]]:
    """The options of each question that asks for an answer and has any."""
    for question in _asking(flow).get(key, ()):
        if not lacks_options(question, values):
            own = question_options(question, values)
            if options := all_options(question, own):
                yield options


@lru_cache(maxsize=64)
def _asking(flow: CompiledFlow) -> Mapping[str, Sequence[Question]]:
    """The questions by the keys of their answers."""
    found: dict[str, list[Question]] = {}
    for question in flow.questions:
        found.setdefault(question.key, []).append(question)
    return found


def _title(value: Any, options: Sequence[Option], language: str) -> str | None:
    # True and 1 are not the same.
    same = (o for o in options if o.value == value and isinstance(o.value, bool) == isinstance(value, bool))
    return next((option_title(option, language) for option in same), None)
