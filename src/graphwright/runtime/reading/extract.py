"""The model call that reads a reply: the tools it is offered, made from the flow, and what it proposes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from graphwright.flow.compiled import Path
from graphwright.runtime.reading.candidates import Candidate
from graphwright.runtime.reading.examples import examples
from graphwright.runtime.reading.options import options_of
from graphwright.runtime.reading.paths import Selection, path_examples, path_tool, selection

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from graphwright.context import PromptLibrary

PROMPT = "read_answers"
"""The prompt file of this call; an agent may have its own in `prompts/read_answers.j2`."""

MOST_ANSWERS = 8
LONGEST_QUOTE = 200


@dataclass(frozen=True, slots=True)
class Proposal:
    """A value that the model read, and the words it says it came from."""

    candidate: Candidate
    value: Any
    quote: str


@dataclass(frozen=True, slots=True)
class Proposals:
    """What the model made of a reply. `unknown` maps keys to the reasons why the user has no answer."""

    answers: tuple[Proposal, ...] = ()
    unknown: Mapping[str, str] = field(default_factory=dict)
    escalate: str | None = None
    selected: tuple[Selection, ...] = ()


async def extract(
    model: BaseChatModel,
    prompts: PromptLibrary,
    *,
    text: str,
    waiting: Candidate,
    prompt: str,
    offered: Sequence[Candidate],
    paths: Mapping[str, Path],
) -> Proposals:
    """Ask the model which of the `offered` answers are in `text`, the reply to `prompt`, and which of the `paths`.

    Raises ModelFailure.
    """
    from graphwright.models import acall_tools

    inputs = prompt_inputs(text, waiting, prompt, offered, paths)
    calls = await acall_tools(model, tools_for(offered, paths), prompts.messages(PROMPT, inputs))
    by_key = {c.key: c for c in offered}
    answers: list[Proposal] = []
    unknown: dict[str, str] = {}
    escalate: str | None = None
    selected: list[Selection] = []
    for call in calls:
        match call.name:
            case "UpdateAnswers":
                for item in call.args.get("answers", ()):
                    if item.get("key") in by_key:
                        quote = str(item.get("quote") or "")
                        answers.append(Proposal(by_key[item["key"]], item.get("value"), quote))
            case "UnknownAnswer":
                unknown[str(call.args.get("key", ""))] = str(call.args.get("reason", ""))
            case "EscalateToHuman":
                escalate = str(call.args.get("reason", ""))
            case "SelectPath":
                selected.append(selection(call.args))
    return Proposals(tuple(answers), unknown, escalate, tuple(selected))


def prompt_inputs(
    text: str, waiting: Candidate, prompt: str, offered: Sequence[Candidate], paths: Mapping[str, Path]
) -> dict[str, Any]:
    """What the prompt file is given."""
    shown = examples(offered)
    return {
        "message": text,
        "key": waiting.key,
        "prompt": prompt,
        "answers": [described(c) for c in offered],
        "paths": [{"name": path.id, "description": path.description} for path in paths.values()],
        "examples": [*path_examples(paths, offered, shown), *shown] if paths else shown,
    }


def described(candidate: Candidate) -> dict[str, Any]:
    """What a prompt says of an answer: its key, its kind in a word, its options, its unit, and what it means."""
    question = candidate.question
    schema = question.schema
    options = options_of(schema)
    meaning = str(schema.get("description") or question.label or "")
    if not meaning and "{{" not in question.prompt.text:
        meaning = " ".join(question.prompt.text.split())
    return {
        "key": candidate.key,
        "kind": "choice" if options else str(schema.get("format") or _kind(schema)),
        "options": [{"value": o.value, "title": o.title, "words": list(o.words)} for o in options],
        "unit": str(schema.get("x-unit") or ""),
        "meaning": meaning,
    }


def _kind(schema: Mapping[str, Any]) -> str:
    types = schema.get("type", "string")
    return " or ".join(types) if isinstance(types, list) else str(types)


def tools_for(offered: Sequence[Candidate], paths: Mapping[str, Path]) -> list[dict[str, Any]]:
    """The declarations of `UpdateAnswers`, `UnknownAnswer` and `EscalateToHuman` for these answers.

    Where there are `paths` to choose from, `SelectPath` is among them.
    """
    branches = [
        _closed(
            {
                "key": {"const": c.key},
                "quote": {"type": "string", "maxLength": LONGEST_QUOTE},
                "value": value_of(c),
            }
        )
        for c in offered
    ]
    item = branches[0] if len(branches) == 1 else {"anyOf": branches}
    keys = [c.key for c in offered]
    reason = {"type": "string", "maxLength": 200}
    tools = [
        {
            "name": "UpdateAnswers",
            "description": "Record the answers that the message states. quote: the exact words of the message.",
            "parameters": _closed(
                {"answers": {"type": "array", "items": item, "minItems": 1, "maxItems": MOST_ANSWERS}}
            ),
        },
        {
            "name": "UnknownAnswer",
            "description": "The message gives no usable answer: the user does not know, refuses or digresses.",
            "parameters": _closed({"key": {"enum": keys}, "reason": reason}),
        },
        {
            "name": "EscalateToHuman",
            "description": "Only when the user asks to talk to a human being.",
            "parameters": _closed({"reason": reason}),
        },
    ]
    return [*tools, path_tool(paths)] if paths else tools


def _closed(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def value_of(candidate: Candidate) -> dict[str, Any]:
    """The type of the value of an answer: without limits, and with the values that the flow knows named."""
    free = bare(candidate.question.schema)
    return {"anyOf": [{"enum": list(candidate.known)}, free]} if candidate.known else free


def bare(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The type of a value without its limits.

    A decoder that is held to limits turns a value that breaks them into one that does not: the user says 5000, at
    most 1000 is allowed, and 500 comes out. Limits are checked afterwards, where they can be explained.
    """
    options = options_of(schema)
    if options:
        return {"enum": [o.value for o in options]}
    types = schema.get("type", "string")
    if types == "array":
        return {"type": "array", "items": bare(schema.get("items", {})), "maxItems": 20}
    if types == "object" and schema.get("properties"):
        return _closed({k: bare(v) for k, v in schema["properties"].items()})
    if types == "string":
        return {"type": "string", "maxLength": int(schema.get("maxLength", 300))}
    return {"type": types}
