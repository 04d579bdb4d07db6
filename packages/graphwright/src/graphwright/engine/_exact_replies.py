"""Replies that code reads: an option, a number, an amount, an address, a date."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from graphwright.errors import GraphwrightError
from graphwright.extras import PackageMissing
from graphwright.flow._json_schemas import Option, options_of, title_of
from graphwright.flow._schema_validation import FORMATS, UNITS
from graphwright.flow.compiled import Question
from graphwright.text._dates import dates_in
from graphwright.text.folding import normalised, with_plain_signs
from graphwright.text.yes_no import bare, read_yes_no

if TYPE_CHECKING:
    from pint import UnitRegistry


class NoOptions(GraphwrightError):
    """The channel from which a question takes its options holds none, or no options at all."""

    def __init__(self, question: Question, why: str) -> None:
        super().__init__(
            "no_options",
            f"Question {question.id!r} takes its options from channel {question.options!r}, {why}.",
            f"Let an action write {{value, title}} there, or pass it over: when: size({question.options}) > 0",
        )


def question_options(question: Question, values: Mapping[str, Any]) -> tuple[Option, ...]:
    """The options of a question, from its channel in `values` or from its schema; empty if it has none.

    Raises NoOptions if its channel is empty.
    """
    if not question.options:
        return options_of(question.schema)
    items = values.get(question.options)
    if not isinstance(items, list) or not items:
        raise NoOptions(question, "which is empty")
    return tuple(_option_in(question, item) for item in items)


def lacks_options(question: Question, values: Mapping[str, Any]) -> bool:
    """Whether a question takes its options from a channel that holds none yet."""
    try:
        question_options(question, values)
    except NoOptions:
        return True
    return False


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


def named_option(said: Iterable[Any], options: Sequence[Option]) -> Option | None:
    """The option that the first of these texts that does so names, by value or title and not by its number."""
    texts = [text for text in said if isinstance(text, str) and not bare(text).isdecimal()]
    return next((option for text in texts if (option := chosen(text, options)) is not None), None)


def is_offered(value: Any, options: Iterable[Option]) -> bool:
    """Whether a value is that of an option. True and 1 are not the same."""
    return any(
        option.value == value and isinstance(option.value, bool) == isinstance(value, bool) for option in options
    )


def _names(option: Option) -> set[str]:
    scalar = isinstance(option.value, str | int | float)
    return {option.title, str(option.value), title_of(option.value)} if scalar else {option.title}


def _is_number(text: str) -> bool:
    try:
        float(normalised(text))
    except ValueError:
        return False
    return True


NOTHING = object()
"""The reply as a whole is no such value; null would be one."""

_LONGEST_VALUE = 300
_NUMBER = re.compile(r"([+-]?)(\d[\d.,\u00a0\u202f' ]*)(.*)")


def whole_value(schema: Mapping[str, Any], options: Sequence[Option], text: str) -> Any:
    """The value that the whole of `text` is for this schema, or NOTHING.

    An option, yes or no, a number (with a unit where the schema has `x-unit`), or what its `format` asks for.
    """
    said = text.strip()
    if not said or len(said) > _LONGEST_VALUE:
        return NOTHING
    if options:
        return _option(options, said)
    kinds = schema.get("type", "string")
    if kinds in ("integer", "number"):
        return number_in(said, str(schema.get("x-unit") or ""), whole=kinds == "integer")
    fits = FORMATS.get(str(schema.get("format"))) if kinds == "string" else None
    return said if fits is not None and fits(said) else NOTHING


def guided_value(schema: Mapping[str, Any], options: Sequence[Option], text: str) -> Any:
    """Like `whole_value`, for use without a model: free text is taken unchanged, commas separate list items, and a date
    may stand in another order, such as `24.12.2026`.
    """
    value = whole_value(schema, options, text)
    if value is not NOTHING or options:
        return value
    kind = schema.get("type", "string")
    if kind == "array":
        items = schema.get("items")
        parts = [part for part in re.split(r"[,;\n]", text) if part.strip()]
        found = [guided_value(items if isinstance(items, Mapping) else {}, (), part) for part in parts]
        return NOTHING if NOTHING in found or not found else found
    if kind == "string" and schema.get("format") == "date":
        return _written_date(text.strip())
    return text.strip() if kind == "string" and "format" not in schema and text.strip() else NOTHING


def _written_date(text: str) -> Any:
    """The one day that the whole of a text writes in digits, as ISO 8601, or NOTHING: `3/4/2027` may be two days."""
    days = [day for each in dates_in(text) if each.end - each.start == len(text) for day in each.days]
    return days[0].isoformat() if len(days) == 1 else NOTHING


def _option(options: Sequence[Option], text: str) -> Any:
    option = chosen(text, options)
    if option is None and {o.value for o in options if isinstance(o.value, bool)} == {True, False}:
        answer = read_yes_no(text)
        return NOTHING if answer is None else answer
    return NOTHING if option is None else option.value


def number_in(text: str, unit: str = "", *, whole: bool = False) -> Any:
    """The number in a text that is a number as a whole, converted to `unit`; otherwise NOTHING.

    `1,500` may be 1500 or 1.5: one separator before three digits is not read.
    """
    # Keep the case, which distinguishes mW and MW.
    match = _NUMBER.fullmatch(unicodedata.normalize("NFKC", with_plain_signs(text)).strip())
    number = _unseparated(match[2].strip()) if match is not None else None
    if match is None or number is None:
        return NOTHING
    factor = _factor(match[3].strip(" ."), unit) if match[3].strip() else 1.0
    if factor is None:
        return NOTHING
    value = round(float(f"{match[1]}{number}") * factor, 9)
    if not abs(value) < 1e15:
        return NOTHING
    return int(value) if value == int(value) and (whole or "." not in number) else value if not whole else NOTHING


def _unseparated(digits: str) -> str | None:
    """The digits as Python writes a number; None if a separator is ambiguous."""
    text = re.sub(r"(?<=\d)[ \u00a0\u202f'](?=\d{3}(?!\d))", "", digits)
    match = re.fullmatch(r"(\d+)(?:[.,](\d+))?", text)
    if match is None or (match[2] and len(match[2]) == 3 and match[1] != "0"):
        return None
    return f"{match[1]}.{match[2]}" if match[2] else match[1]


def _factor(named: str, unit: str) -> float | None:
    """The factor from the unit `named` to `unit`; None if they do not measure the same quantity."""
    if not unit:
        return None
    if normalised(named) == normalised(unit):
        return 1.0
    # Reject expressions that pint would evaluate, such as powers of powers: they are not unit names.
    if len(named) > 30 or any((sign.isdigit() and sign.isascii()) or sign in "*^()" for sign in named):
        return None
    units = _units()
    for spelling in (named, named.lower()):
        try:
            return float(units.Quantity(1, units.parse_units(spelling)).to(unit).magnitude)
        # pint raises errors of its tokenizer, too. After any error, this is not a unit.
        except Exception:
            continue
    return None


@lru_cache(maxsize=1)
def _units() -> UnitRegistry[float]:
    # It takes 0.4 s to load, and most conversations never need it.
    try:
        from pint import UnitRegistry
    except ImportError as error:
        raise PackageMissing("A number with a unit", UNITS, "formats") from error

    return UnitRegistry()
