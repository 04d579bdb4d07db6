"""Options: what a question offers, from its schema or a channel, and a choice among them by number, title or value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from graphwright.errors import GraphwrightError
from graphwright.flow.compiled import Question
from graphwright.flow.options import Option, options_of, title_of
from graphwright.text.folding import normalised

_AROUND = " \t\n.,;:!\"'`()[]#“”„«»‚‘’。、！"
"""What may stand around a choice without being part of it."""


class NoOptions(GraphwrightError):
    """The channel from which a question takes its options holds none, or no options at all."""

    def __init__(self, question: Question, why: str) -> None:
        super().__init__(
            "no_options",
            f"question {question.id!r} takes its options from channel {question.options!r}, {why}",
            f"Let an action write {{value, title}} there, or pass it over: when: size({question.options}) > 0",
        )


def offered(question: Question, values: Mapping[str, Any]) -> tuple[Option, ...]:
    """The options of a question, from its channel in `values` or else from its schema; none where it has none.

    Raises NoOptions for a channel that holds none.
    """
    if not question.options:
        return options_of(question.schema)
    items = values.get(question.options)
    if not isinstance(items, list) or not items:
        raise NoOptions(question, "which is empty")
    return tuple(_option_in(question, item) for item in items)


def _option_in(question: Question, item: Any) -> Option:
    if not isinstance(item, Mapping):
        return Option(item, title_of(item))
    if "value" not in item:
        raise NoOptions(question, "where one has no `value`")
    return Option(item["value"], " ".join(str(item.get("title") or "").split()) or title_of(item["value"]))


def numbered(options: Iterable[Option]) -> bool:
    """Whether a number chooses by place: not where an option is itself a number."""
    return not any(_is_number(name) for option in options for name in (str(option.value), option.title))


def chosen(text: str, options: Sequence[Option]) -> Option | None:
    """The one option whose value or title the text is, or whose number; None when it is none or could be several."""
    for form in (normalised, bare):
        same = [option for option in options if form(text) and form(text) in {form(name) for name in _names(option)}]
        if same:
            return same[0] if len({repr(option.value) for option in same}) == 1 else None
    said = bare(text)
    if said.isdecimal() and len(said) < 7 and numbered(options):
        return options[int(said) - 1] if 1 <= int(said) <= len(options) else None
    return None


def is_offered(value: Any, options: Iterable[Option]) -> bool:
    """Whether a value is that of an option. True and 1 are not the same."""
    return any(
        option.value == value and isinstance(option.value, bool) == isinstance(value, bool) for option in options
    )


def _names(option: Option) -> set[str]:
    scalar = isinstance(option.value, str | int | float)
    return {option.title, str(option.value), title_of(option.value)} if scalar else {option.title}


def bare(text: str) -> str:
    """The text folded, without the punctuation around it."""
    return normalised(text).strip(_AROUND)


def _is_number(text: str) -> bool:
    try:
        float(normalised(text))
    except ValueError:
        return False
    return True
