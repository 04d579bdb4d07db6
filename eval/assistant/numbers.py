"""Numbers in texts, in the ways in which they can be read."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)*")
_MOMENT = re.compile(
    r"\b\d{4}-\d{1,2}-\d{1,2}\b|\b\d{1,2}[./]\s?\d{1,2}[./](?:\s?\d{2,4})?|\b\d{1,2}:\d{2}(?::\d{2})?\b"
    r"|\b(?:19|20)\d{2}\b|^\s*\d{1,2}[.)]\s|\[\d{1,2}\]",
    re.MULTILINE,
)
_THOUSANDS = re.compile(r"\d{1,3}(?:[.,]\d{3})+")

SMALL = 31
"""Whole numbers up to this one count days, entries or lines: they say nothing that a source would have to say."""


def readings(number: str) -> set[str]:
    """What a number may mean: `1,600` is 1600, or 1.6 where the comma is that of a decimal."""
    found = {number.replace(",", ".")} if number.count(",") + number.count(".") <= 1 else set()
    if _THOUSANDS.fullmatch(number):
        found.add(re.sub(r"[.,]", "", number))
    return {f"{float(each):g}" for each in found or {re.sub(r"[.,]", "", number)}}


def numbers_in(text: str) -> list[str]:
    """The numbers of a text as they are written, each once."""
    return list(dict.fromkeys(_NUMBER.findall(text)))


def foreign(text: str, known: set[str]) -> list[str]:
    """The numbers of an answer that are none of these readings, dates, times and small whole numbers apart."""
    found = numbers_in(_MOMENT.sub(" ", text))
    return [each for each in found if not _small(each) and not readings(each) & known]


def _small(number: str) -> bool:
    return number.isdecimal() and int(number) <= SMALL
