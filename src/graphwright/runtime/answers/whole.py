"""Values that code reads: the whole reply is an option, a number, an amount, an address or a date."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from graphwright.flow.options import Option
from graphwright.runtime.answers.consent import read_yes_no
from graphwright.runtime.answers.options import chosen
from graphwright.runtime.validators import FORMATS
from graphwright.text.folding import normalised

if TYPE_CHECKING:
    from pint import UnitRegistry

NOTHING = object()
"""The reply as a whole is no such value; null would be one."""

_LONGEST = 300
_NUMBER = re.compile(r"([+-]?)(\d[\d.,\u00a0\u202f' ]*)(.*)")


def whole_value(schema: Mapping[str, Any], options: Sequence[Option], text: str) -> Any:
    """The value that the whole of `text` is for this schema, or NOTHING.

    An option, yes or no, a number (with a unit where the schema has `x-unit`), or what its `format` asks for.
    """
    said = text.strip()
    if not said or len(said) > _LONGEST:
        return NOTHING
    if options:
        return _option(options, said)
    kinds = schema.get("type", "string")
    if kinds in ("integer", "number"):
        return number_in(said, str(schema.get("x-unit") or ""), whole=kinds == "integer")
    fits = FORMATS.get(str(schema.get("format"))) if kinds == "string" else None
    return said if fits is not None and fits(said) else NOTHING


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
    # Case stays: it tells mW and MW apart.
    match = _NUMBER.fullmatch(unicodedata.normalize("NFKC", text).strip())
    number = _plain(match[2].strip()) if match is not None else None
    if match is None or number is None:
        return NOTHING
    factor = _factor(match[3].strip(" ."), unit) if match[3].strip() else 1.0
    if factor is None:
        return NOTHING
    value = round(float(f"{match[1]}{number}") * factor, 9)
    if not abs(value) < 1e15:
        return NOTHING
    return int(value) if value == int(value) and (whole or "." not in number) else value if not whole else NOTHING


def _plain(digits: str) -> str | None:
    """The digits as Python writes a number; None where a separator can be read in two ways."""
    text = re.sub(r"(?<=\d)[ \u00a0\u202f'](?=\d{3}(?!\d))", "", digits)
    match = re.fullmatch(r"(\d+)(?:[.,](\d+))?", text)
    if match is None or (match[2] and len(match[2]) == 3 and match[1] != "0"):
        return None
    return f"{match[1]}.{match[2]}" if match[2] else match[1]


def _factor(named: str, unit: str) -> float | None:
    """How many `unit` one of `named` is; None where it is none of that kind."""
    if not unit:
        return None
    if normalised(named) == normalised(unit):
        return 1.0
    # What pint would work out, such as powers of powers, is no name of a unit.
    if len(named) > 30 or any((sign.isdigit() and sign.isascii()) or sign in "*^()" for sign in named):
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
