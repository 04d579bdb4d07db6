"""YAML portability: plain scalars that a YAML 1.1 parser reads as another value, or cannot read."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from graphwright.flow.diagnostic_catalog import Code
from graphwright.flow.json_text import Finding, Position
from graphwright.text.sentences import many

_FLAGS_1_1 = frozenset(word for name in ("yes", "no", "on", "off") for word in (name, name.capitalize(), name.upper()))
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
_CANDIDATE = re.compile(r"\?|[0-9][:_-][0-9]|\b0[0-9ob]|[0-9.]e|\b(?:yes|no|on|off)\b", re.IGNORECASE)
"""What every scalar that is read in two ways holds."""

_SHOWN = 40


def portability_findings(text: str, positions: Position | None) -> list[Finding]:
    """At most one finding for each kind of difference: at the first place, the other places are related ones."""
    candidates = [found.start() for found in _CANDIDATE.finditer(text)]
    if positions is None or not candidates:
        return []
    places: dict[str, list[tuple[int, int]]] = {}
    for start, end, in_flow in _plain_scalars(text, positions, candidates):
        if kind := _difference(text[start:end], in_flow=in_flow):
            places.setdefault(kind, []).append((start, end))
    return [_finding(text, kind, sorted(set(found))) for kind, found in places.items()]


def _plain_scalars(text: str, position: Position, candidates: list[int]) -> Iterator[tuple[int, int, bool]]:
    """Start and end of each scalar without quotes, keys included, and whether braces or brackets surround it.

    Braces and brackets without a candidate are left out.
    """
    todo = [(position, False)]
    while todo:
        (key_start, key_end, start, end, style, children), inside = todo.pop()
        if key_start >= 0 and text[key_start] not in "\"'":
            yield key_start, key_end, inside
        if children is not None:
            within = inside or text[start : start + 1] in ("{", "[")
            if within and bisect_left(candidates, start) == bisect_left(candidates, end):
                continue
            todo += [(child, within) for child in children.values()]
        elif not style and start < end:
            yield start, end, inside


def _difference(scalar: str, *, in_flow: bool) -> str:
    if in_flow and "?" in scalar:
        return "?"
    if scalar in _FLAGS_1_1:
        return "flag"
    if scalar[0] in "-+.0123456789" and _OTHER_NUMBER.match(scalar) and not _SAME_EXPONENT.match(scalar):
        return "number"
    return ""


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
