"""The engine's texts for users, from `sentences.json`: sentences, names of questions, values, expected formats."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any

from graphwright.flow._json_schemas import Option, options_of, title_of
from graphwright.flow.compiled import Action, Question
from graphwright.text._dates import MONTHS
from graphwright.text.catalogue import Catalogue, amount_text

_SENTENCES = Catalogue(Path(__file__).with_name("sentences.json"))


def say(language: str, sentence: str, **parts: Any) -> str:
    """A sentence of the catalogue with its parts filled in. `language` is a tag such as `de-AT`; else it is English."""
    return _SENTENCES.say(language, sentence, **parts)


def has(sentence: str) -> bool:
    """Whether the catalogue has this sentence."""
    return sentence in _SENTENCES


def in_all_languages(sentence: str) -> list[str]:
    """A sentence without parts in each language of the catalogue."""
    return _SENTENCES.in_all_languages(sentence)


def quoted_value(value: Any) -> str:
    """A value in a sentence for the user."""
    text = str(value) if not isinstance(value, bool) else ("yes" if value else "no")
    return f"“{text if len(text) <= 80 else text[:79] + '…'}”"


_LISTED = 8


def name_of(question: Question) -> str:
    """Return what users call the answer: the `title` of its schema, else its key with spaces.

    A label names the question in pictures and for the model, often from outside: "What the user wants".
    """
    return str(question.schema.get("title") or "") or question.key.replace("_", " ")


def action_name(action: Action) -> str:
    """Return what users call an action, quoted: its label, else its id with spaces."""
    return repr(action.label or action.id.replace("_", " "))


def heading(question: Question) -> str:
    """Return the name of the answer with a capital, for the beginning of a sentence."""
    name = name_of(question)
    return name[:1].upper() + name[1:]


def value_text(question: Question, options: Iterable[Option], value: Any, language: str) -> str:
    """Return a value as it reads in a sentence: an option by its title, a date in words, a list with commas.

    Only free text is quoted.
    """
    found = (o for o in (*options, *options_of(question.schema)) if o.value == value)
    title = next((option_title(option, language) for option in found), None)
    return title if title is not None else _text(question.schema, value, language)


def _text(schema: Mapping[str, Any], value: Any, language: str) -> str:
    if isinstance(value, bool):
        return say(language, "yes" if value else "no")
    if isinstance(value, int | float):
        return amount_text(value, schema.get("x-unit", ""), language)
    if isinstance(value, list):
        items = schema.get("items")
        return ", ".join(_text(items if isinstance(items, Mapping) else {}, item, language) for item in value)
    if isinstance(value, Mapping):
        fields = schema.get("properties", {})
        return ", ".join(f"{name}: {_text(fields.get(name, {}), part, language)}" for name, part in value.items())
    if isinstance(value, str) and schema.get("format") in ("date", "date-time"):
        return moment_text(value, language)
    return quoted_value(value)


def moment_text(value: str, language: str) -> str:
    """Return an ISO date, or date and time, with the name of the month; another text stays as it is."""
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return value
    month = MONTHS.get(language.lower().split("-")[0], MONTHS["en"])[moment.month - 1]
    day = say(language, "day", day=moment.day, month=month, year=moment.year)
    return f"{day}, {moment:%H:%M}" if len(value) > len("2026-01-31") else day


def option_title(option: Option, language: str) -> str:
    """Return the title of an option; true and false without titles are yes and no in this language."""
    named = not isinstance(option.value, bool) or option.title != title_of(option.value)
    return option.title if named else say(language, "yes" if option.value else "no")


def titles_of(options: Sequence[Option], language: str) -> str:
    """Return the titles of the first options with commas."""
    shown = ", ".join(option_title(option, language) for option in options[:_LISTED])
    return shown + (", …" if len(options) > _LISTED else "")


def expected_format(question: Question, day: date, language: str) -> str:
    """Return a sentence that says how to write the answer, with an example; empty for free text and for options.

    `day` is the example of a date.
    """
    schema = question.schema
    kind = schema.get("format") if schema.get("type", "string") == "string" else schema.get("type")
    sentence = f"expected_{kind}"
    listed = kind != "boolean" and (question.options or options_of(schema))
    if listed or not isinstance(kind, str) or not has(sentence):
        return ""
    unit = str(schema.get("x-unit") or "")
    example = f"{_example_number(schema)} {unit}".rstrip()
    return say(language, sentence, example=example, day=day.isoformat())


def _example_number(schema: Mapping[str, Any]) -> int | float:
    """Return a number that the limits of the schema allow: 12 if it is within the limits."""
    low = schema.get("minimum", schema.get("exclusiveMinimum", 0) + 1)
    high = schema.get("maximum", schema.get("exclusiveMaximum", low + 13) - 1)
    number: int | float = min(max(12, low), high)
    return number
