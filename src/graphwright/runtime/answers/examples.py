"""Examples for the model that reads replies, made from the flow itself: its own keys, options, units and paths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphwright.flow.compiled import Path
from graphwright.runtime.questions import Candidate

Example = dict[str, Any]


def examples(offered: Sequence[Candidate], paths: Mapping[str, Path], *, confirming: bool) -> list[Example]:
    """A handful of `{key, message, calls}`: an answer, a correction, a path, none at all, a wish for a person.

    A small model follows examples, not rules. They use the keys it may fill in, so that it learns the form of these
    very values; what they say is not in the user's message, so that a value copied from one lacks its quotation.
    """
    if not offered:
        return []
    made = [_example(offered[0], "Hello there!", "UnknownAnswer", key=offered[0].key, reason="greeting")]

    def update(candidate: Candidate, message: str, quote: str, value: Any, *, correction: bool = False) -> None:
        item = {"key": candidate.key, "quote": quote, "value": value, "correction": correction}
        consent = {"consent": "agrees_with_changes" if correction else "unclear"} if confirming else {}
        made.append(_example(candidate, message, "UpdateAnswers", language="en", answers=[item], **consent))

    for path in list(paths.values())[:1]:
        wish = (path.description or path.id.replace("_", " ")).rstrip(" .")
        vote = {"rationale": wish, "path": path.id, "confidence": 0.9, "correction": False}
        made.append(_example(offered[0], wish, "SelectPath", **vote))
    choice = next((c for c in offered if c.options), None)
    if choice is not None:
        option = choice.options[-1]
        update(choice, f"I think {option.title}", option.title, option.value)
    numbers = [c for c in offered if not c.options and c.question.schema.get("type") in ("integer", "number")]
    for number in numbers[:1]:
        unit = str(number.question.schema.get("x-unit") or "")
        first, second = (f"{amount} {unit}".rstrip() for amount in (130, 70))
        update(number, f"Roughly {first}", first, 130)
        update(number, f"No, make it {second}", second, 70, correction=True)
    last = (numbers or offered)[-1]
    made.append(_example(last, "No idea, sorry", "UnknownAnswer", key=last.key, reason="does not know"))
    made.append(_example(offered[0], "Can I talk to somebody?", "EscalateToHuman", reason="wants a person"))
    return made


def _example(candidate: Candidate, message: str, tool: str, **args: Any) -> Example:
    return {"key": candidate.key, "message": message, "calls": [{"name": tool, "args": args}]}
