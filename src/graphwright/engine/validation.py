"""JSON Schema at run time: does a value fit, and if not, why, in words; and the formats that libraries check."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from graphwright.engine.sentences import has, say
from graphwright.flow.json_schemas import validator_class
from graphwright.flow.quick_fits import Fits, quick_test
from graphwright.text.folding import normalised

if TYPE_CHECKING:
    from jsonschema.protocols import Validator


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
    text = normalised(value)
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
    from datetime import date, datetime, time

    if not isinstance(value, str):
        return False
    try:
        if name == "date":
            date.fromisoformat(value)
            return len(value) == len("2026-01-31")
        if name == "time":
            time.fromisoformat(value)
            return ":" in value
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return "T" in value or " " in value


FORMATS: Mapping[str, Callable[[Any], bool]] = {
    "email": is_email,
    "phone": is_phone,
    **{name: partial(is_moment, name=name) for name in ("date", "time", "date-time")},
}
"""What checks a text by the `format` of its schema. It is read by code where the whole reply is one."""

BUILT_IN_VALIDATORS: Mapping[str, Callable[[Any], bool]] = {"email": is_email, "phone": is_phone}


@lru_cache(maxsize=4096)
def _validator(schema: str) -> Validator:
    from jsonschema import FormatChecker

    checker = FormatChecker()
    for name, fits in FORMATS.items():
        checker.checks(name)(lambda value, fits=fits: not isinstance(value, str) or fits(value))
    return validator_class()(json.loads(schema), format_checker=checker)


DEEPEST = 200
"""How deep a value may be nested: what reads JSON holds a little more."""

# What stands before a number, so that few texts and no hexadecimal ones are taken for one.
_MAYBE_HUGE = re.compile(r"[\[ -][0-9]{19}")


def plain_json(value: Any) -> str:
    """The JSON text of a value. Raises TypeError, ValueError or RecursionError for what cannot be kept as JSON."""
    text = json.dumps(value, allow_nan=False, ensure_ascii=False)
    text.encode()  # half of a surrogate pair is no text
    if text.count("[") + text.count("{") > DEEPEST or _MAYBE_HUGE.search(f" {text}"):
        level = [value]
        for _ in range(DEEPEST + 1):
            # Guards reckon with whole numbers of 64 bits.
            if any(isinstance(part, int) and not -(2**63) <= part < 2**63 for part in level):
                raise ValueError("a whole number has more than 64 bits")
            inside = (part.values() if isinstance(part, dict) else part for part in level if not _is_scalar(part))
            level = [part for parts in inside for part in parts]
        if level:
            raise ValueError(f"it is nested more than {DEEPEST} levels deep")
    return text


def _is_scalar(value: Any) -> bool:
    return not isinstance(value, dict | list | tuple)


def writable(value: Any) -> Any:
    """What a model gave, as JSON that can be written down: some say Infinity."""
    return json.loads(json.dumps(value, default=str), parse_constant=str)


def first_violation(schema: Mapping[str, Any], value: Any, language: str = "") -> str:
    """Why `value` does not fit `schema`, or an empty string. A value that is not JSON never fits."""
    return checked_json(schema, value, language)[1]


def checked_json(schema: Mapping[str, Any], value: Any, language: str = "") -> tuple[str, str]:
    """The JSON text of a value, and why it does not fit `schema`: empty where it does."""
    try:
        text = plain_json(value)
    except (TypeError, ValueError, RecursionError) as error:
        return "", f"it is not JSON ({error})"
    if not schema:
        return text, ""
    written = json.dumps(schema)
    if _surely(written)(value):
        return text, ""
    errors = sorted(_validator(written).iter_errors(value), key=lambda e: (len(e.path), str(e.validator)))
    return text, _in_words(errors[0], language) if errors else ""


@lru_cache(maxsize=4096)
def _surely(schema: str) -> Fits:
    return quick_test(json.loads(schema))


def _in_words(error: Any, language: str) -> str:
    """One violation as a sentence part about the value."""
    limit, kind = error.validator_value, error.validator
    place = ".".join(map(str, error.path))
    where = f"{place}: " if place else ""
    if kind in ("anyOf", "oneOf") and error.context:
        # The form that a value comes nearest to is the one that it has at least from outside.
        nearest = max(error.context, key=lambda each: len(each.path))
        if nearest.path:
            return where + _in_words(nearest, language)
        if all(each.validator == "type" for each in error.context):
            kind, limit = "type", [name for each in error.context for name in _listed(each.validator_value)]
    if kind == "type":
        limit = say(language, "or").join(say(language, name) for name in dict.fromkeys(_listed(limit)))
    elif kind == "required":
        limit = ", ".join(name for name in limit if name not in error.instance)
    elif kind == "const":
        limit = repr(limit)
    elif kind == "enum":
        limit = ", ".join(map(str, limit))
    return where + (say(language, kind, limit=limit) if has(kind) else str(error.message))


def _listed(names: Any) -> list[str]:
    return [names] if isinstance(names, str) else list(names)
