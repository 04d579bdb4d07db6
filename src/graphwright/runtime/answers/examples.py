"""Examples for the model that reads replies, made from the flow itself: its own keys, options, units and paths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphwright.flow.compiled import Path
from graphwright.runtime.answers.candidates import Candidate

Example = dict[str, Any]


def examples(offered: Sequence[Candidate], paths: Mapping[str, Path], *, confirming: bool) -> list[Example]:
    """A handful of `{key, message, calls}`: an answer, a correction, a path, none at all, a wish for a person.

    A small model follows examples, not rules. They use the keys it may fill in, so that it learns the form of these
    very values; what they say is not in the user's message, so that a value copied from one lacks its quotation.
    """
    if not offered:
        return []
    first = offered[0]
    made = [_unknown(first, "Hello there!", "greeting")]
    if paths:
        path = next(iter(paths.values()))
        wish = (path.description or path.id.replace("_", " ")).rstrip(" .")
        chosen = {"rationale": wish, "path": path.id, "confidence": 0.9, "correction": False}
        made.append({"key": first.key, "message": wish, "calls": [{"name": "SelectPath", "args": chosen}]})
    choice = next((c for c in offered if c.options), None)
    open_ones = [c for c in offered if not c.options]
    number = next((c for c in open_ones if c.question.schema.get("type") in ("integer", "number")), None)
    if choice is not None:
        option = choice.options[-1]
        made.append(_update(choice, f"I think {option.title}", option.title, option.value, confirming=confirming))
    if number is not None:
        unit = str(number.question.schema.get("x-unit") or "")
        made.append(_update(number, f"Roughly {_amount(130, unit)}", _amount(130, unit), 130, confirming=confirming))
        said = _amount(70, unit)
        made.append(_update(number, f"No, make it {said}", said, 70, correction=True, confirming=confirming))
    text = next((c for c in open_ones if _is_plain(c.question.schema)), None)
    if text is not None and not (choice or number):
        made.append(_update(text, "It is Robin Hood", "Robin Hood", "Robin Hood", confirming=confirming))
    made.append(_unknown(number or offered[-1], "No idea, sorry", "does not know"))
    call = {"name": "EscalateToHuman", "args": {"reason": "wants a person"}}
    made.append({"key": first.key, "message": "Can I talk to somebody?", "calls": [call]})
    return made


def _is_plain(schema: Mapping[str, Any]) -> bool:
    return schema.get("type", "string") == "string" and not {"format", "pattern"} & set(schema)


def _amount(number: int, unit: str) -> str:
    return f"{number} {unit}".rstrip()


def _update(
    candidate: Candidate, message: str, quote: str, value: Any, *, correction: bool = False, confirming: bool
) -> Example:
    item = {"key": candidate.key, "quote": quote, "value": value, "correction": correction}
    consent = {"consent": "agrees_with_changes" if correction else "unclear"} if confirming else {}
    args = {"language": "en", "answers": [item], **consent}
    return {"key": candidate.key, "message": message, "calls": [{"name": "UpdateAnswers", "args": args}]}


def _unknown(candidate: Candidate, message: str, reason: str) -> Example:
    call = {"name": "UnknownAnswer", "args": {"key": candidate.key, "reason": reason}}
    return {"key": candidate.key, "message": message, "calls": [call]}
