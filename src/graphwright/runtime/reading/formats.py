"""E-mail addresses and phone numbers: finding them in a message, and deciding whether a value is one."""

from __future__ import annotations

import re
from dataclasses import dataclass

from graphwright.runtime.reading.words import fold_keeping_places

_LOCAL = r"[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*"
_LABEL = r"[^\W_](?:[\w-]{0,61}[^\W_])?"
_EMAIL = re.compile(rf"{_LOCAL}@(?:{_LABEL}\.)+[^\W\d_]{{2,24}}")
# The look-behind lets a match begin only where a run of such characters begins: the search stays linear.
_EMAIL_IN_TEXT = re.compile(r"(?<![\w.+%@'-])[\w.+%'-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")
_AT = r"(?:\s?[\[({]\s?(?:at|@)\s?[\])}]\s?|\s(?:at|@)\s)"
_DOT = r"(?:\s?[\[({]\s?(?:dot|punkt|point)\s?[\])}]\s?|\s(?:dot|punkt|point)\s|\.)"
_SPELLED = re.compile(
    rf"(?<![\w.+-])([\w+-]{{1,40}}(?:{_DOT}[\w+-]{{1,40}}){{0,3}}){_AT}([\w-]{{1,63}}(?:{_DOT}[\w-]{{1,63}}){{1,4}})"
)
_DOT_WORD = re.compile(_DOT)

_PHONE = re.compile(r"\+?[\d\s()./-]+")
_PHONE_IN_TEXT = re.compile(r"(?<![\w+])(?:\+\s?)?\(?\d[\d ()./\u00a0-]{4,28}(?!\w)")
_DATE = re.compile(r"\d{1,4}([./-])\d{1,2}\1\d{1,4}")


@dataclass(frozen=True, slots=True)
class Found:
    """An address or a number found in a text: `value` is how it is committed, `start` and `end` are where it stands.

    `spelled` is true when it was put into words (`anna at example dot com`).
    """

    value: str
    start: int
    end: int
    spelled: bool = False


def email(value: object) -> bool:
    """Whether `value` is an e-mail address: one `@`, a dotted domain, no empty part, at most 254 characters."""
    if not isinstance(value, str) or len(value) > 254 or value.find("@") > 64:
        return False
    return _EMAIL.fullmatch(value) is not None


def phone(value: object) -> bool:
    """Whether `value` is a phone number: 6 to 15 digits with the usual separators, and `+` only in front."""
    if not isinstance(value, str) or len(value) > 40 or not _PHONE.fullmatch(value.strip()):
        return False
    if _DATE.fullmatch(value.strip()) or value.count("(") != value.count(")"):
        return False
    return 6 <= len(digits(value)) <= 15


def digits(text: str) -> str:
    """The digits of `text`, as ASCII."""
    return "".join(c for c in fold_keeping_places(text).text if "0" <= c <= "9")


def emails_in(text: str) -> list[Found]:
    """The e-mail addresses in `text`, as they are written there; those put into words come last."""
    found = []
    for match in _EMAIL_IN_TEXT.finditer(text):
        start, value = match.start(), match[0].rstrip("-_.'")
        trimmed = value.lstrip("'.")
        start += len(value) - len(trimmed)
        if email(trimmed):
            found.append(Found(trimmed, start, start + len(trimmed)))
    lowered = text.lower()
    if len(lowered) == len(text) and (" at " in lowered or "@" in text or "at]" in lowered or "at)" in lowered):
        for match in _SPELLED.finditer(lowered):
            value = f"{_joined(match[1])}@{_joined(match[2])}"
            if email(value) and not any(f.start < match.end() and match.start() < f.end for f in found):
                found.append(Found(value, match.start(), match.end(), spelled=True))
    return found


def without_emails(text: str) -> str:
    """`text` with blanks for its e-mail addresses: "jobs@shop.example" speaks of no job."""
    for address in emails_in(text):
        text = text[: address.start] + " " * (address.end - address.start) + text[address.end :]
    return text


def _joined(spelled: str) -> str:
    return _DOT_WORD.sub(".", spelled).strip()


def phones_in(text: str) -> list[Found]:
    """The phone numbers in `text`, spaces evened out: 6 to 15 digits. Dates are none."""
    found = []
    for match in _PHONE_IN_TEXT.finditer(text):
        raw = match[0].rstrip(" (./-\u00a0")
        if raw.count("(") > raw.count(")"):
            raw = raw.replace("(", "", 1) if raw.startswith("(") else raw
        value = " ".join(raw.split())
        if phone(value):
            found.append(Found(value, match.start(), match.start() + len(match[0].rstrip(" (./-\u00a0"))))
    return found
