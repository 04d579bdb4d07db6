"""Examples for the model that reads replies, made from the flow itself: its own keys, options, units and formats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphwright.runtime.reading.candidates import Candidate
from graphwright.runtime.reading.options import Option, options_of

Example = dict[str, Any]

_SPOKEN = {"W": "W", "EUR": "euros", "USD": "dollars", "GBP": "pounds"}


def examples(offered: Sequence[Candidate]) -> list[Example]:
    """A handful of `{key, message, calls}`: one or several answers, a correction, none at all, a wish for a person.

    A small model follows examples, not rules. They use the keys it may fill in, so that it learns the form of these
    very values; what they say is not in the user's message, so a value copied from one is refused as ungrounded.
    """
    choices = [(c, _options(c)) for c in offered if _options(c)]
    numbers = [c for c in offered if c.question.schema.get("type") in ("integer", "number") and not _options(c)]
    emails = [c for c in offered if c.question.schema.get("format") == "email"]
    first = offered[0]
    made: list[Example] = [_unknown(first, "Hello there!", "greeting")]
    if choices:
        candidate, options = choices[0]
        option = options[-1] if len(options) < 3 else options[1]
        word = _word(option)
        made.append(_update(candidate, f"I think {word}", [(candidate, word, option.value)]))
        made.append(_unknown(candidate, "What would you take?", "asks back"))
    together = _together(choices, numbers)
    if len(together) > 1:
        text = ", ".join(quote for _, quote, _ in together)
        made.append(_update(together[0][0], f"We would like {text}", together))
    if numbers:
        number = numbers[-1]
        quote, value = _amount(number, 130)
        made.append(_update(number, f"Roughly {quote}", [(number, quote, value)]))
        quote, value = _amount(numbers[0], 70)
        made.append(_update(first, f"No, make it {quote}", [(numbers[0], quote, value)]))
    made.append(_unknown(numbers[0] if numbers else offered[-1], "No idea, sorry", "does not know"))
    for candidate in offered:
        said = candidate.question.schema.get("examples")
        if isinstance(said, list) and said and isinstance(said[0], str) and not _options(candidate):
            made.append(_update(candidate, f"It is {said[0]}", [(candidate, said[0], said[0])]))
            break
    if emails:
        address = "kim@mail.example"
        made.append(_update(emails[0], f"Write to {address}", [(emails[0], address, address)]))
    made.append({"key": first.key, "message": "Can I talk to somebody?", "calls": [_call_human()]})
    return made


def _together(
    choices: Sequence[tuple[Candidate, tuple[Option, ...]]], numbers: Sequence[Candidate]
) -> list[tuple[Candidate, str, Any]]:
    found = [(candidate, _word(options[0]), options[0].value) for candidate, options in choices[1:3] or choices[:1]]
    if numbers:
        quote, value = _amount(numbers[0], 90)
        found.append((numbers[0], quote, value))
    return found


def _options(candidate: Candidate) -> tuple[Option, ...]:
    return options_of(candidate.question.schema)


def _word(option: Option) -> str:
    return option.words[0] if option.words else option.title


def _amount(candidate: Candidate, value: int) -> tuple[str, int]:
    """A number as people write it, within the limits of the schema."""
    schema = candidate.question.schema
    low, high = schema.get("minimum"), schema.get("maximum")
    if isinstance(high, int | float) and value > high:
        value = int(high)
    if isinstance(low, int | float) and value < low:
        value = int(low)
    unit = str(schema.get("x-unit") or "")
    return f"{value} {_SPOKEN.get(unit, unit)}".strip(), value


def _update(key: Candidate, message: str, answers: Sequence[tuple[Candidate, str, Any]]) -> Example:
    items = [{"key": c.key, "quote": quote, "value": value} for c, quote, value in answers]
    return {"key": key.key, "message": message, "calls": [{"name": "UpdateAnswers", "args": {"answers": items}}]}


def _unknown(key: Candidate, message: str, reason: str) -> Example:
    return {
        "key": key.key,
        "message": message,
        "calls": [{"name": "UnknownAnswer", "args": {"key": key.key, "reason": reason}}],
    }


def _call_human() -> dict[str, Any]:
    return {"name": "EscalateToHuman", "args": {"reason": "asks for a person"}}
