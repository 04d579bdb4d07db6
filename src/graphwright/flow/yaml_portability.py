"""YAML portability: plain scalars that a YAML 1.1 parser reads as another value, or cannot read."""

from __future__ import annotations

import re
from collections.abc import Iterable

from graphwright.flow.diagnostic_catalog import Code
from graphwright.flow.json_text import Finding
from graphwright.text.sentences import many

FLAGS_1_1 = frozenset(word for name in ("yes", "no", "on", "off") for word in (name, name.capitalize(), name.upper()))
"""Texts that YAML 1.1 reads as true or false."""

_OTHER_NUMBER = re.compile(
    r"""[-+]?0[0-9_]+\Z|0o[0-7]+\Z|[-+]?0b[01_]+\Z  # octal in YAML 1.1, octal in 1.2, binary in 1.1
    |[-+]?[0-9][0-9_]*_[0-9_.]*\Z                   # digits in groups
    |[-+]?[0-9]+(:[0-5]?[0-9])+(\.[0-9_]*)?\Z       # base 60
    |[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)[eE][-+]?[0-9]+\Z   # an exponent; YAML 1.1 needs a point and a sign
    |[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt ].*)?\Z     # a date
    """,
    re.VERBOSE,
)
_SAME_EXPONENT = re.compile(r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+)[eE][-+][0-9]+\Z")
_SHOWN = 40


def is_other_number(scalar: str) -> bool:
    """Whether a scalar that begins like a number has another value in YAML 1.1."""
    return _OTHER_NUMBER.match(scalar) is not None and _SAME_EXPONENT.match(scalar) is None


def portability_findings(text: str, scalars: Iterable[tuple[int, int]]) -> list[Finding]:
    """At most one finding for each kind of difference, at the first scalar; the other scalars are related places."""
    places: dict[str, list[tuple[int, int]]] = {}
    for start, end in scalars:
        scalar = text[start:end]
        kind = "flag" if scalar in FLAGS_1_1 else "number" if is_other_number(scalar) else "?"
        places.setdefault(kind, []).append((start, end))
    return [_finding(text, kind, found) for kind, found in places.items()]


def _finding(text: str, kind: str, places: list[tuple[int, int]]) -> Finding:
    (start, end), *others = places
    scalar = text[start:end]
    shown = scalar if len(scalar) <= _SHOWN else f"{scalar[: _SHOWN - 3]}..."
    more = f" (and text at {many(len(others), 'other place')})" if others else ""
    if kind == "?":
        message = f"Some YAML parsers cannot read `{shown}`{more}: inside braces, `?` ends a text without quotes."
    elif kind == "flag":
        message = f"`{shown}`{more} is a text here, and true or false to a YAML 1.1 parser."
    else:
        message = f"YAML 1.1 parsers read `{shown}`{more} as another value than this program, which follows YAML 1.2."
    hint = f'Put it in quotes: "{shown}".' if kind != "number" else f'Put it in quotes if it is a text: "{shown}".'
    return Finding(Code.YAML_PORTABILITY, start, end, message, hint, others=tuple(others))
