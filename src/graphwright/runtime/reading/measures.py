"""Sizes in a message, several numbers joined into one: `18 x 36 m`, `18 mal 36 Meter`, `10 by 20 by 3 metres`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from graphwright.runtime.reading.candidates import Candidate
from graphwright.runtime.reading.numbers import Mention, convert, numbers_in
from graphwright.runtime.reading.options import options_of
from graphwright.runtime.reading.words import Stretch, fold

_JOINT = re.compile(r"\s*(?:x|by|mal|auf|\*)\s*")


def measures_in(text: str) -> list[Stretch]:
    """Where two or more numbers are joined into a size, the unit included."""
    found: list[list[Mention]] = []
    for mention in numbers_in(text):
        last = found[-1][-1] if found else None
        if last is not None and _JOINT.fullmatch(fold(text[last.end : mention.start])):
            found[-1].append(mention)
        else:
            found.append([mention])
    return [Stretch(group[0].start, group[-1].end) for group in found if len(group) > 1]


def measured(text: str, offered: Sequence[Candidate]) -> tuple[Candidate, Stretch] | None:
    """The only size in a message, and the only answer that is one, as its `examples` show; None where none is."""
    wanted = [c for c in offered if _unit_of_size(c) is not None]
    unit = (_unit_of_size(wanted[0]) or "") if len(wanted) == 1 else ""
    sizes = [
        s for s in measures_in(text) if all(convert(m, unit) is not None for m in numbers_in(text[s.start : s.end]))
    ]
    return (wanted[0], sizes[0]) if len(sizes) == len(wanted) == 1 else None


def _unit_of_size(candidate: Candidate) -> str | None:
    """The unit of an answer whose examples are sizes; None for another answer."""
    schema = candidate.question.schema
    examples = schema.get("examples")
    if schema.get("type") != "string" or options_of(schema) or not isinstance(examples, list) or not examples:
        return None
    if not all(isinstance(example, str) and measures_in(example) for example in examples):
        return None
    return numbers_in(examples[0])[-1].unit
