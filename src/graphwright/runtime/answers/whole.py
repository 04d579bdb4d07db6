"""Values that code reads: the whole reply is an option, a number, an amount, an address or a date."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from graphwright.runtime.answers.consent import read_yes_no
from graphwright.runtime.answers.options import Option, chosen, folded

if TYPE_CHECKING:
    from pint import UnitRegistry

NOTHING = object()
"""The reply as a whole is no such value; null would be one."""

_LONGEST = 300
_NUMBER = re.compile(r"([+-]?)(\d[\d.,\u00a0\u202f' ]*)(.*)")
_SEPARATORS = re.compile(r"[.,']")


def whole_value(schema: Mapping[str, Any], options: Sequence[Option], text: str) -> Any:
    """The value that the whole of `text` is for this schema, or NOTHING.

    An option by number, title or value; yes or no; a number, with a unit where the schema has `x-unit`; an e-mail
    address, a phone number, an ISO date or time where its `format` says so. What could be read in two ways is nothing.
    """
    said = text.strip()
    if not said or len(said) > _LONGEST:
        return NOTHING
    if options:
        return _option(options, said)
    kinds = schema.get("type", "string")
    if kinds in ("integer", "number"):
        return number_in(said, str(schema.get("x-unit") or ""), whole=kinds == "integer")
    return _of_format(str(schema.get("format") or ""), said) if kinds == "string" else NOTHING


def guided_value(schema: Mapping[str, Any], options: Sequence[Option], text: str) -> Any:
    """Like `whole_value`, where no model reads: free text is the answer as it stands, a list has commas between."""
    value = whole_value(schema, options, text)
    if value is not NOTHING or options:
        return value
    kind = schema.get("type", "string")
    if kind == "array":
        items = schema.get("items")
        parts = [part for part in re.split(r"[,;\n]", text) if part.strip()]
        found = [guided_value(items if isinstance(items, Mapping) else {}, (), part) for part in parts]
        return NOTHING if NOTHING in found or not found else found
    return text.strip() if kind == "string" and "format" not in schema and text.strip() else NOTHING


def _option(options: Sequence[Option], text: str) -> Any:
    option = chosen(text, options)
    if option is None and {o.value for o in options if isinstance(o.value, bool)} == {True, False}:
        answer = read_yes_no(text)
        return NOTHING if answer is None else answer
    return NOTHING if option is None else option.value


def number_in(text: str, unit: str = "", *, whole: bool = False) -> Any:
    """The number that a text is, in `unit` where it names another of the same kind; NOTHING where it is none.

    `1,500` may be 1500 or 1.5: one separator before three digits is not read.
    """
    match = _NUMBER.fullmatch(folded(text))
    if match is None:
        return NOTHING
    sign, digits, rest = match[1], match[2].strip(), match[3].strip()
    number = _plain(digits)
    if number is None:
        return NOTHING
    value = float(f"{sign}{number}")
    if rest:
        # Prefixes of units depend on their case: mW is no MW.
        named = re.sub(r"^[^\d]*\d[\d.,\u00a0\u202f' ]*", "", text.strip()).strip(" .")
        factor = _factor(named, unit)
        if factor is None:
            return NOTHING
        value = round(value * factor, 9)
    if not abs(value) < 1e15:
        return NOTHING
    return int(value) if value == int(value) and (whole or "." not in number) else value if not whole else NOTHING


def _plain(digits: str) -> str | None:
    """The digits as Python writes a number; None where the separators can be read in two ways."""
    text = re.sub(r"(?<=\d)[ \u00a0\u202f'](?=\d{3}(?!\d))", "", digits)
    if " " in text or "'" in text:
        return None
    parts, signs = re.split(r"[.,]", text), _SEPARATORS.findall(text)
    if "" in parts:
        return None
    if not signs:
        return parts[0]
    grouped = all(len(part) == 3 for part in parts[1:]) and 0 < len(parts[0]) <= 3 and parts[0] != "0"
    if len(signs) == 1:
        return None if grouped else ".".join(parts)
    if len(set(signs)) == 1:
        return "".join(parts) if grouped else None
    one_decimal = signs[-1] not in signs[:-1] and len(set(signs[:-1])) == 1
    return "".join(parts[:-1]) + "." + parts[-1] if one_decimal and all(len(p) == 3 for p in parts[1:-1]) else None


def _factor(named: str, unit: str) -> float | None:
    """How many `unit` one of `named` is; None where it is none of that kind."""
    if not unit:
        return None
    if folded(named) == folded(unit):
        return 1.0
    if len(named) > 30:
        return None
    for spelling in (named, named.lower()):
        try:
            return float(_units().Quantity(1, _units().parse_units(spelling)).to(unit).magnitude)
        # pint raises what its tokenizer does, too; whatever it cannot take is no unit.
        except Exception:
            continue
    return None


@lru_cache(maxsize=1)
def _units() -> UnitRegistry[float]:
    # It takes 0.4 s to load, and most conversations never need it.
    from pint import UnitRegistry

    return UnitRegistry()


def _of_format(name: str, text: str) -> Any:
    if name == "email":
        return text if is_email(text) else NOTHING
    if name == "phone":
        return text if is_phone(text) else NOTHING
    if name in ("date", "time", "date-time"):
        return text if is_moment(text, name) else NOTHING
    return NOTHING


def is_email(value: object) -> bool:
    """Whether `value` is an e-mail address, by its form."""
    from email_validator import EmailNotValidError, validate_email

    if not isinstance(value, str):
        return False
    try:
        validate_email(value, check_deliverability=False, test_environment=True)
    except EmailNotValidError:
        return False
    return True


def is_phone(value: object) -> bool:
    """Whether `value` is a phone number: 6 to 15 digits and separators; with a country code, a possible one."""
    import phonenumbers

    if not isinstance(value, str) or len(value) > 40 or is_moment(value, "date"):
        return False
    text = folded(value)
    digits = sum(sign.isdecimal() for sign in text)
    if not 6 <= digits <= 15 or not all(sign.isdecimal() or sign in "+()-./ " for sign in text):
        return False
    try:
        number = phonenumbers.parse(text, None if text.startswith("+") else "US")
    except phonenumbers.NumberParseException:
        return False
    return not text.startswith("+") or phonenumbers.is_possible_number(number)


def is_moment(value: object, name: str) -> bool:
    """Whether `value` is an ISO date, time or date and time, as the format `name` says; an offset may be left out."""
    from datetime import date, time

    from dateutil.parser import isoparse

    if not isinstance(value, str):
        return False
    try:
        if name == "date":
            date.fromisoformat(value)
            return len(value) == len("2026-01-31")
        if name == "time":
            time.fromisoformat(value)
            return ":" in value
        isoparse(value)
    except ValueError:
        return False
    return "T" in value or " " in value
