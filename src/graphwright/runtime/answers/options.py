"""Options: what a question offers, from its schema or a channel, and a choice among them by number, title or value."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphwright.errors import GraphwrightError
from graphwright.flow.compiled import Question

_AROUND = " \t\n.,;:!\"'`()[]#“”„«»‚‘’。、！"
"""What may stand around a choice without being part of it."""


@dataclass(frozen=True, slots=True)
class Option:
    """One value that a question offers; `title` is what people read."""

    value: Any
    title: str

    def to_json(self) -> dict[str, Any]:
        return {"value": self.value, "title": self.title}


class NoOptions(GraphwrightError):
    """The channel from which a question takes its options holds none, or no options at all."""

    def __init__(self, question: Question, why: str) -> None:
        super().__init__(
            "no_options",
            f"question {question.id!r} takes its options from channel {question.options!r}, {why}",
            f"Let an action write a list of {{value, title}} there before, or pass the question over where there is "
            f"none: when: size({question.options}) > 0",
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


def options_of(schema: Mapping[str, Any]) -> tuple[Option, ...]:
    """The options that a JSON Schema offers, in its order; none when it does not offer a closed choice.

    Understands `enum` (with `x-titles: {value: title}`), `const`, `oneOf`/`anyOf` whose branches all have a `const` or
    an `enum`, and booleans. Null is no option.
    """
    titles = schema.get("x-titles")
    named: Mapping[str, Any] = titles if isinstance(titles, Mapping) else {}
    if schema.get("type") == "boolean" and "const" not in schema and "enum" not in schema:
        return Option(True, title_of(True)), Option(False, title_of(False))
    found = _listed(schema)
    return tuple(Option(v, str(title or named.get(str(v)) or title_of(v))) for v, title in found if v is not None)


def _listed(schema: Mapping[str, Any]) -> list[tuple[Any, Any]]:
    if "const" in schema:
        return [(schema["const"], schema.get("title"))]
    if isinstance(schema.get("enum"), list):
        return [(value, None) for value in schema["enum"]]
    for word in ("oneOf", "anyOf"):
        branches = schema.get(word)
        if isinstance(branches, list) and branches:
            branches = [b for b in branches if not (isinstance(b, Mapping) and b.get("type") == "null")]
            if not all(isinstance(b, Mapping) and ("const" in b or "enum" in b) for b in branches):
                return []
            return [pair for branch in branches for pair in _listed(branch)]
    return []


def title_of(value: Any) -> str:
    """A value as people read it where nobody gave it a title."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " ".join(str(value).replace("_", " ").split()) or str(value)


def folded(text: str) -> str:
    """The text for comparing: full-width signs as plain ones, without case and superfluous spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def numbered(options: Iterable[Option]) -> bool:
    """Whether a number chooses by place: not where an option is itself a number."""
    return not any(_is_number(name) for option in options for name in (str(option.value), option.title))


def chosen(text: str, options: Sequence[Option]) -> Option | None:
    """The one option whose value or title the text is, or whose number; None when it is none or could be several."""
    for form in (folded, bare):
        said = form(text)
        for names in (_values, _titles):
            same = [option for option in options if said in {form(name) for name in names(option)}] if said else []
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


def _values(option: Option) -> tuple[str, ...]:
    return (title_of(option.value), str(option.value)) if isinstance(option.value, str | int | float) else ()


def _titles(option: Option) -> tuple[str, ...]:
    return (option.title,)


def bare(text: str) -> str:
    """The text folded, without the punctuation around it."""
    return folded(text).strip(_AROUND)


def _is_number(text: str) -> bool:
    try:
        float(folded(text))
    except ValueError:
        return False
    return True
