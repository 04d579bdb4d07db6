"""The model call that reads a reply: the tools it is offered, made from the flow, and what it proposes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from graphwright.context.builders import WEEKDAYS
from graphwright.flow.compiled import Path
from graphwright.kernel import lookup
from graphwright.proposals.choices import MOST_CHOICES
from graphwright.proposals.schema import closed
from graphwright.runtime.answers.examples import examples
from graphwright.runtime.questions import Candidate
from graphwright.runtime.votes import LONGEST_REASON, Selection, line, path_tool, selection

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from graphwright.context import PromptLibrary

PROMPT = "read_answers"
"""The prompt file of this call; an agent may have its own in `prompts/read_answers.j2`."""

MOST_ANSWERS = 8
MOST_CALLS = 32
"""How many calls of one reply are looked at."""
_MOMENTS = ("date", "time", "date-time")
CONSENT = ("agrees", "agrees_with_changes", "declines", "unclear")
"""What a model may make of the reply to a confirmation."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A value that the model read, the words it says it came from, and whether it replaces an earlier answer."""

    candidate: Candidate
    value: Any
    quote: str
    correction: bool


@dataclass(frozen=True, slots=True)
class Proposals:
    """What the model made of a reply.

    `unknown` maps keys to the reasons why the user has no answer. `consent` is one of `CONSENT`, empty where no
    confirmation was waiting. `language` is a tag such as `de`, as the model gave it.
    """

    answers: tuple[Proposal, ...] = ()
    unknown: Mapping[str, str] = field(default_factory=dict)
    escalate: str | None = None
    selected: tuple[Selection, ...] = ()
    consent: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a model is asked: which of the `offered` answers, and of the `paths`, are in `text`, the reply to `prompt`.

    `answers` are those given so far; `now` is the clock of the turn, in the zone of the machine.
    """

    text: str
    waiting: Candidate
    prompt: str
    offered: Sequence[Candidate]
    answers: Mapping[str, Any]
    paths: Mapping[str, Path]
    now: datetime


async def extract(model: BaseChatModel, prompts: PromptLibrary, asked: Asked) -> Proposals:
    """Ask the model what a reply says. Raises ModelFailure."""
    from graphwright.models import acall_tools

    tools = tools_for(asked.offered, asked.paths, asked.waiting.question.read == "confirm")
    calls = await acall_tools(model, tools, prompts.messages(PROMPT, prompt_inputs(asked)))
    by_key = {c.key: c for c in asked.offered}
    found: list[Proposal] = []
    unknown: dict[str, str] = {}
    escalate: str | None = None
    selected: list[Selection] = []
    consent = language = ""
    for call in calls[:MOST_CALLS]:
        args = call.args
        match call.name:
            case "UpdateAnswers":
                language = str(args.get("language") or language)
                consent = str(args.get("consent") or consent)
                for item in args.get("answers", ()):
                    quote, correction = str(item.get("quote") or ""), item.get("correction") is True
                    found.append(Proposal(by_key[item["key"]], item.get("value"), quote, correction))
            case "UnknownAnswer":
                unknown[str(args.get("key", ""))] = line(args.get("reason"))
            case "EscalateToHuman":
                escalate = line(args.get("reason"))
            case "SelectPath":
                selected.append(selection(asked.text, args))
    return Proposals(tuple(found), unknown, escalate, tuple(selected), consent, language)


def prompt_inputs(asked: Asked) -> dict[str, Any]:
    """What the prompt file is given."""
    given = {c.key: lookup(asked.answers, c.path) for c in asked.offered}
    moments = any(c.question.schema.get("format") in _MOMENTS for c in asked.offered)
    confirming = asked.waiting.question.read == "confirm"
    return {
        "message": asked.text,
        "key": asked.waiting.key,
        "prompt": " ".join(asked.prompt.split()),
        "confirming": confirming,
        "answers": [described(c) for c in asked.offered],
        "given": {key: value for key, (there, value) in given.items() if there},
        "paths": [{"name": path.id, "description": path.description} for path in asked.paths.values()],
        "examples": examples(asked.offered, asked.paths, confirming=confirming),
        # Names of days as strftime writes them hang on the locale of the machine.
        "now": f"{WEEKDAYS[asked.now.weekday()]}, {asked.now.isoformat(timespec='minutes')}" if moments else "",
    }


def described(candidate: Candidate) -> dict[str, Any]:
    """What a prompt says of an answer: its key, its kind in a word, its options, its unit, and what it means."""
    question = candidate.question
    schema = question.schema
    meaning = str(schema.get("description") or question.label or "")
    if not meaning and "{{" not in question.prompt.text:
        meaning = " ".join(question.prompt.text.split())
    types = schema.get("type", "string")
    kind = str(schema.get("format") or (" or ".join(types) if isinstance(types, list) else types))
    options = candidate.options[:MOST_CHOICES]
    return {
        "key": candidate.key,
        "kind": "choice" if options else kind,
        "options": [option.to_json() for option in options],
        "more": len(candidate.options) - len(options),
        "unit": str(schema.get("x-unit") or ""),
        "meaning": meaning,
    }


def tools_for(
    offered: Sequence[Candidate], paths: Mapping[str, Path], confirming: bool = False
) -> list[dict[str, Any]]:
    """The declarations of the tools, `SelectPath` where there are `paths`, and `consent` while a confirmation waits."""
    reason = {"type": "string", "maxLength": LONGEST_REASON}
    keys = [c.key for c in offered]
    update = {
        "name": "UpdateAnswers",
        "description": "Record the answers that the message states. quote: the exact words of the message. "
        "correction: whether the message replaces an answer given before. language: of the message, such as en or de.",
        "parameters": _update(offered, confirming, strict=True),
        "accepts": _update(offered, confirming, strict=False),
    }
    tools: list[dict[str, Any]] = [update] if offered or confirming else []
    if offered:
        tools.append(
            {
                "name": "UnknownAnswer",
                "description": "The message gives no usable answer: the user does not know, refuses or digresses.",
                "parameters": closed({"key": {"enum": keys}, "reason": reason}),
            }
        )
    tools.append(
        {
            "name": "EscalateToHuman",
            "description": "Only when the user asks to talk to a human being.",
            "parameters": closed({"reason": reason}),
        }
    )
    return [*tools, path_tool(paths)] if paths else tools


def _update(offered: Sequence[Candidate], confirming: bool, *, strict: bool) -> dict[str, Any]:
    """The parameters of `UpdateAnswers`; what a caller can do without is not demanded where not `strict`."""
    branches = []
    for candidate in offered:
        fields: dict[str, Mapping[str, Any]] = {
            "key": {"const": candidate.key},
            "quote": {"type": "string", "maxLength": 400},
            "value": value_of(candidate, strict=strict),
            "correction": {"type": "boolean"},
        }
        branches.append(closed(fields, None if strict else ("key", "value")))
    item = branches[0] if len(branches) == 1 else {"anyOf": branches}
    least = 0 if confirming else 1
    answers = {"type": "array", "items": item, "minItems": least, "maxItems": MOST_ANSWERS}
    whole: dict[str, Mapping[str, Any]] = {"language": {"type": "string", "maxLength": 20}}
    if offered:
        whole["answers"] = answers
    if confirming:
        whole["consent"] = {"enum": list(CONSENT)}
    return closed(whole, None if strict else () if confirming else ("answers",))


def value_of(candidate: Candidate, *, strict: bool = True) -> dict[str, Any]:
    """The type of the value of an answer: without limits, and with the values that the flow knows named.

    A date that is none is accepted where not `strict`: it is refused on its own, with its reason.
    """
    if candidate.options:
        few = len(candidate.options) <= MOST_CHOICES
        return {"enum": [o.value for o in candidate.options]} if few else {"type": "string", "maxLength": 300}
    free = _bare(candidate.question.schema)
    if not strict:
        free.pop("format", None)
    return {"anyOf": [{"enum": list(candidate.known)}, free]} if candidate.known else free


def _bare(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The type of a value without its limits.

    A decoder that is held to limits turns a value that breaks them into one that does not: the user says 5000, at
    most 1000 is allowed, and 500 comes out. Limits are checked afterwards, where they can be explained.
    """
    types = schema.get("type", "string")
    if types == "array":
        return {"type": "array", "items": _bare(schema.get("items", {})), "maxItems": 20}
    if types == "object" and schema.get("properties"):
        return closed({k: _bare(v) for k, v in schema["properties"].items()})
    if types == "string":
        named = {"format": schema["format"]} if schema.get("format") in _MOMENTS else {}
        return {"type": "string", "maxLength": int(schema.get("maxLength", 300)), **named}
    return {"enum": list(schema["enum"])} if "enum" in schema else {"type": types}
