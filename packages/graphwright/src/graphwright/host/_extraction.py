"""The model call that reads a reply: its prompt, tools and examples, made from the flow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from graphwright.context.builders import WEEKDAYS
from graphwright.engine._paths import Selection
from graphwright.engine._position import lookup
from graphwright.engine._questions import Candidate
from graphwright.engine.host_interface import CONSENT, ExtractionRequest, Proposal, Proposals
from graphwright.flow._json_schemas import closed
from graphwright.flow.compiled import Path
from graphwright.proposals._schema import MOST_CHOICES
from graphwright.text._provenance import occurs

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from graphwright.context import PromptLibrary


LONGEST_REASON = 200
"""Characters of a reason that a model gives."""


def selection(message: str, args: Mapping[str, Any]) -> Selection:
    """Return the selection of a `SelectPath` call. It withdraws a choice only if its reason is a quotation."""
    rationale = line(args.get("rationale"))
    correction = args.get("correction") is True and occurs(rationale, (message,))
    return Selection(args.get("path"), args.get("confidence"), rationale, correction)


def line(value: Any) -> str:
    """A reason that a model gave, as one line of a bounded length."""
    return " ".join(str(value or "").encode("utf-8", "replace").decode().split())[:LONGEST_REASON]


def path_tool(paths: Mapping[str, Path]) -> dict[str, Any]:
    """The declaration of `SelectPath`. A call that names another path is accepted, to be refused on its own."""
    meanings = "; ".join(f"{name}: {path.description or name}" for name, path in paths.items())
    fields: dict[str, Mapping[str, Any]] = {
        "rationale": {
            "type": "string",
            "maxLength": LONGEST_REASON,
            "description": "the words of the message that show it",
        },
        "path": {"enum": list(paths), "description": meanings},
        "confidence": {"type": "number", "minimum": 0, "maximum": 1, "description": "from 0 to 1"},
        "correction": {"type": "boolean", "description": "whether the message takes an earlier choice back"},
    }
    return {
        "name": "SelectPath",
        "description": "Only when the message itself shows which path the user wants; beside or instead of answers.",
        "parameters": closed(fields, ("rationale", "path")),
        "accepts": {"type": "object"},
    }


Example = dict[str, Any]


def examples(
    offered: Sequence[Candidate], paths: Mapping[str, Path], confirms: str = "", *, abandonable: bool = False
) -> list[Example]:
    """A handful of `{key, message, calls}`: an answer, a correction, a path, none at all, a wish for a person.

    A small model follows examples, not rules. They use the keys it may fill in, so that it learns the form of these
    values. Their texts are not in the user's message, so a value copied from one lacks its quotation. `confirms` is the
    key of the pending confirmation: then each example shows its outcome.
    """
    if not offered:
        return []
    made: list[Example] = []

    def add(candidate: Candidate, message: str, *calls: dict[str, Any]) -> None:
        made.append({"key": confirms or candidate.key, "message": message, "calls": list(calls)})

    def update(
        consent: str, *items: tuple[Candidate, str, Any], correction: bool = False, further: str = ""
    ) -> dict[str, Any]:
        answers = [{"key": c.key, "quote": q, "value": v, "correction": correction} for c, q, v in items]
        said = {"consent": consent, "further": further} if confirms else {}
        return {"name": "UpdateAnswers", "args": {"language": "en", "answers": answers, **said}}

    def unknown(candidate: Candidate, reason: str, kind: str = "declines") -> dict[str, Any]:
        args = {"language": "en", "key": candidate.key, "reason": reason, "kind": kind, "correction": False}
        return {"name": "UnknownAnswer", "args": args}

    changes, first = "agrees_with_changes", offered[0]
    add(first, "Hello there!", update("unclear") if confirms else unknown(first, "Hello there!", "other"))
    asks = unknown(first, "What is that for?", "question")
    add(first, "What is that for?", *([update("unclear")] if confirms else []), asks)
    for path in list(paths.values())[:1]:
        wish = (path.description or path.id.replace("_", " ")).rstrip(" .")
        vote = {"rationale": wish, "path": path.id, "confidence": 0.9, "correction": False}
        add(first, wish, {"name": "SelectPath", "args": vote}, *([update(changes)] if confirms else []))
    for choice in [c for c in offered if c.options][:1]:
        option = choice.options[-1]
        add(choice, f"I think {option.title}", update(changes, (choice, option.title, option.value)))
        add(choice, "It is the last of these", update(changes, (choice, "the last of these", option.value)))
    numbers = [c for c in offered if not c.options and c.question.schema.get("type") in ("integer", "number")]
    for number in numbers[:1]:
        unit = str(number.question.schema.get("x-unit") or "")
        some, less = (f"{amount} {unit}".rstrip() for amount in (130, 70))
        lacks = next((c for c in offered if not c.question.required and c is not number), None)
        if lacks is None or confirms:
            add(number, f"Roughly {some}", update(changes, (number, some, 130)))
        else:
            words = f"no {lacks.question.key.replace('_', ' ')} yet"
            add(number, f"Roughly {some}, {words}", update("", (number, some, 130)), unknown(lacks, words))
        add(number, f"No, make it {less}", update(changes, (number, less, 70), correction=True))
        for mail in [c for c in offered if c.question.schema.get("format") == "email"][:1]:
            words, two = "kim@example.net", ((number, some, 130), (mail, "kim@example.net", "kim@example.net"))
            add(number, f"{some}. My address is {words}", update(changes, *two))
    if confirms:
        add(first, "Yes, that is what I want", update("agrees"))
        words = "send me your catalogue as well"
        add(first, f"Yes, go ahead, and {words}", update("agrees", further=words))
        add(first, "No, I do not want that", update("declines"))
    else:
        last = (numbers or offered)[-1]
        add(last, "No idea, sorry", unknown(last, "No idea"))
    add(first, "Can I talk to somebody?", {"name": "EscalateToHuman", "args": {"reason": "wants a person"}})
    if abandonable:
        words = "I do not need anything any more"
        add(first, f"Leave it, {words}", {"name": "AbandonRequest", "args": {"reason": words}})
    return made


PROMPT = "read_answers"
"""The prompt file of this call; an agent may have its own in `prompts/read_answers.j2`."""

DECLINES = "declines"
"""The kind of `UnknownAnswer` that passes an optional question over."""

UNFIT = "unfit"
"""The kind of `UnknownAnswer` for a value that no answer can take."""

MOST_CALLS = 32
"""How many calls of one reply are looked at."""
_MOMENTS = ("date", "time", "date-time")


async def extract(model: BaseChatModel, prompts: PromptLibrary, asked: ExtractionRequest) -> Proposals:
    """Let the model read a reply. Raises ModelFailure."""
    from graphwright.models import acall_tools

    tools = tools_for(asked.offered, asked.paths, asked.confirms, asked.abandonable)
    calls = await acall_tools(model, tools, prompts.messages(PROMPT, prompt_inputs(asked)))
    by_key = {c.key: c for c in asked.offered}
    found: list[Proposal] = []
    unknown: dict[str, str] = {}
    withdrawn: dict[str, str] = {}
    escalate: str | None = None
    asks: tuple[tuple[str, str], ...] = ()
    abandon: str | None = None
    unfit: tuple[tuple[str, str], ...] = ()
    selected: list[Selection] = []
    consent = language = further = ""
    waiting = asked.waiting.key if asked.waiting else ""
    for call in calls[:MOST_CALLS]:
        args = call.args
        match call.name:
            case "UpdateAnswers":
                language = str(args.get("language") or language)
                consent = str(args.get("consent") or consent)
                further = line(args.get("further")) or further
                for item in args.get("answers", ()):
                    quote, correction = str(item.get("quote") or ""), item.get("correction") is True
                    found.append(Proposal(by_key[item["key"]], item.get("value"), quote, correction))
            case "UnknownAnswer":
                language = str(args.get("language") or language)
                key, reason, kind = str(args.get("key", "")), line(args.get("reason")), args.get("kind", DECLINES)
                correction = args.get("correction") is True
                # A greeting has the key that is asked for.
                if kind == UNFIT or (kind == "other" and not correction and key not in ("", waiting)):
                    unfit += ((key, reason),)
                elif correction:
                    withdrawn[key] = reason
                elif kind == DECLINES:
                    unknown[key] = reason
                elif kind == "question":
                    asks += ((key, reason),)
            case "EscalateToHuman":
                escalate = line(args.get("reason"))
            case "AbandonRequest":
                abandon = line(args.get("reason"))
            case "SelectPath":
                selected.append(selection(asked.text, args))
    return Proposals(
        tuple(found), unknown, withdrawn, escalate, tuple(selected), consent, language, asks, abandon, unfit, further
    )


def prompt_inputs(asked: ExtractionRequest) -> dict[str, Any]:
    """Return the inputs of the prompt file."""
    given = {c.key: lookup(asked.answers, c.path) for c in asked.offered}
    moments = any(c.question.schema.get("format") in _MOMENTS for c in asked.offered)
    key = asked.waiting.key if asked.waiting else ""
    return {
        "message": asked.text,
        "key": key,
        "prompt": asked.prompt,
        "confirming": asked.confirms,
        "abandonable": asked.abandonable,
        "answers": [described(c) for c in asked.offered],
        "given": {key: value for key, (there, value) in given.items() if there},
        "paths": [{"name": path.id, "description": path.description} for path in asked.paths.values()],
        "examples": examples(asked.offered, asked.paths, key if asked.confirms else "", abandonable=asked.abandonable),
        # Names of days as strftime writes them hang on the locale of the machine.
        "now": f"{WEEKDAYS[asked.now.weekday()]}, {asked.now.isoformat(timespec='minutes')}" if moments else "",
    }


def described(candidate: Candidate) -> dict[str, Any]:
    """Return the description of an answer for a prompt: its key, its kind in a word, options, unit and meaning."""
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
    offered: Sequence[Candidate], paths: Mapping[str, Path], confirming: bool = False, abandonable: bool = False
) -> list[dict[str, Any]]:
    """The declarations of the tools, and `consent` while a confirmation waits.

    `SelectPath` is offered if there are `paths`, and `AbandonRequest` if the flow is `abandonable`.
    """
    reason = {"type": "string", "maxLength": LONGEST_REASON}
    keys = [c.key for c in offered]
    update = {
        "name": "UpdateAnswers",
        "description": "Record the answers that the message states. quote: the exact words of the message. "
        "correction: whether the value replaces an answer given before or is added to it. "
        "language: of the message, such as en or de.",
        "parameters": _update(offered, confirming, strict=True),
        "accepts": _update(offered, confirming, strict=False),
    }
    unknown: dict[str, Mapping[str, Any]] = {
        "language": {"type": "string", "maxLength": 20},
        "key": {"enum": [*keys, ""]},
        "reason": reason,
        "kind": {"enum": [DECLINES, "question", UNFIT, "other"]},
        "correction": {"type": "boolean"},
    }
    tools: list[dict[str, Any]] = [update] if offered or confirming else []
    if offered:
        tools.append(
            {
                "name": "UnknownAnswer",
                "description": "The message gives no answer for a key; also next to UpdateAnswers. "
                "reason: the exact words that say so. kind: declines only if the user does not have, does not know or "
                "will not give the answer; question if the user asks something, with the key that the question is "
                "about, else an empty key, and one call for each; unfit if the message states a value that its "
                "key cannot take, or that belongs to no key (then an empty one), such as a second order; other for "
                "anything else, such as a greeting. "
                "correction: whether it takes an earlier answer back and gives no other.",
                "parameters": closed(unknown),
                "accepts": closed(unknown, ("key", "reason")),
            }
        )
    tools.append(
        {
            "name": "EscalateToHuman",
            "description": "Only when the user asks to talk to a human being.",
            "parameters": closed({"reason": reason}),
        }
    )
    if abandonable:
        gives_up = "Only when the user gives up the whole request and needs nothing any more. No other call beside it."
        tools.append({"name": "AbandonRequest", "description": gives_up, "parameters": closed({"reason": reason})})
    return [*tools, path_tool(paths)] if paths else tools


def _update(offered: Sequence[Candidate], confirming: bool, *, strict: bool) -> dict[str, Any]:
    """The parameters of `UpdateAnswers`; parameters that the caller does not need are required only if `strict`."""
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
    answers: dict[str, Any] = {"type": "array", "items": item, "minItems": 0 if confirming else 1}
    if strict:
        # A decoder constrained by the schema stops after one answer for each key. More answers from another model are
        # not an error: for duplicate keys the last one wins.
        answers["maxItems"] = len(offered)
    whole: dict[str, Mapping[str, Any]] = {"language": {"type": "string", "maxLength": 20}}
    if offered:
        whole["answers"] = answers
    if confirming:
        whole["consent"] = {"enum": list(CONSENT)}
        whole["further"] = {"type": "string", "maxLength": LONGEST_REASON}
    return closed(whole, None if strict else () if confirming else ("answers",))


def value_of(candidate: Candidate, *, strict: bool = True) -> dict[str, Any]:
    """The type of the value of an answer: without limits, and with the values that the flow knows named.

    A date that is none is accepted where not `strict`: it is refused on its own, with its reason.
    """
    if candidate.options:
        few = len(candidate.options) <= MOST_CHOICES
        listed, text = {"enum": [o.value for o in candidate.options]}, {"type": "string", "maxLength": 300}
        other = [text, *([_bare(candidate.question.schema)] if "type" in candidate.question.schema else [])]
        return {"anyOf": [listed, *other]} if few and candidate.computed else listed if few else text
    free = _bare(candidate.question.schema)
    if not strict:
        free.pop("format", None)
    return {"anyOf": [{"enum": list(candidate.known)}, free]} if candidate.known else free


def _bare(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The type of a value without its limits.

    A constrained decoder would turn a value outside the limits into one inside them: the user says 5000, at most 1000
    is allowed, and the model returns 500. Limits are checked afterwards, where the refusal can be explained.
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
