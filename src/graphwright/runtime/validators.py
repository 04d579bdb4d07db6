"""The validators that every flow may name in `validate`, and the formats that libraries check."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from graphwright.text.folding import normalised


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


FORMATS: Mapping[str, Callable[[Any], bool]] = {
    "email": is_email,
    "phone": is_phone,
    **{name: partial(is_moment, name=name) for name in ("date", "time", "date-time")},
}
"""What checks a text by the `format` of its schema. It is read by code where the whole reply is one."""

BUILT_IN_VALIDATORS: Mapping[str, Callable[[Any], bool]] = {"email": is_email, "phone": is_phone}
