"""Tool calls: a call of a model that offers tools, and the validation of the tool calls that it answers with."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from graphwright.models.calls import attempt, blocking, repair_turns
from graphwright.models.failures import (
    BadReply,
    EmptyReply,
    MalformedReply,
    ModelFailure,
    RefusedToolCall,
    check_whole,
)

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, BaseMessage


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool that was offered, with arguments that fit its schema."""

    name: str
    args: dict[str, Any]


@dataclass(frozen=True, slots=True)
class RejectedCall:
    """A call that does not fit what was offered, and why."""

    name: str
    args: Any
    problem: str


class ToolCalls(list[ToolCall]):
    """The calls of one answer, in the model's order.

    `rejected` are calls of the same answer that were still wrong after the repair: a caller whose calls depend on
    each other should not go on when there are any. `text` is the text beside the calls.
    """

    def __init__(self, calls: Sequence[ToolCall] = (), rejected: Sequence[RejectedCall] = (), text: str = "") -> None:
        super().__init__(calls)
        self.rejected = tuple(rejected)
        self.text = text


def call_tools(
    model: BaseChatModel,
    tools: Sequence[Mapping[str, Any]],
    messages: Sequence[BaseMessage],
    *,
    required: bool = True,
    several: bool = True,
) -> ToolCalls:
    """`acall_tools` for a caller that does not await."""
    return blocking(acall_tools(model, tools, messages, required=required, several=several))


async def acall_tools(
    model: BaseChatModel,
    tools: Sequence[Mapping[str, Any]],
    messages: Sequence[BaseMessage],
    *,
    required: bool = True,
    several: bool = True,
) -> ToolCalls:
    """Offer tools `{"name", "description", "parameters": JSON Schema}` and return the calls the model makes.

    Every call is of an offered tool and its arguments fit the schema; a tool may have a wider one, `accepts`, for a
    caller that validates more itself than the model has to follow. A call that is not and does not, text where
    a call was `required`, broken JSON or an empty answer is shown to the model with what is wrong, once. If calls
    are still wrong then, the right ones of that answer (or, when it has none, of the first) are returned and the
    wrong ones are in `rejected`; with no right one `MalformedReply`, `RefusedToolCall`, `EmptyReply` or `CutReply`
    is raised. Without `required` an answer of text alone is an empty list with that `text`. Without `several` only
    one call is accepted.
    """
    from graphwright.models.recorder import recorded

    checks = {str(tool["name"]): _validator(tool) for tool in tools}
    model = recorded(model)
    options: dict[str, Any] = {"tool_choice": "any"} if required else {}
    if not several and "parallel_tool_calls" in inspect.signature(model.bind_tools).parameters:
        options["parallel_tool_calls"] = False
    runnable = model.bind_tools([_described(tool) for tool in tools], **options)
    turns = list(messages)
    usable: ToolCalls | None = None
    for last in (False, True):
        reply: AIMessage | None = None
        try:
            reply = await attempt(partial(runnable.ainvoke, list(turns)), tuple(checks))
            found = _read(reply, checks, required=required, several=several)
            if not found.rejected:
                return found
            if found:
                usable = found
            elif last:
                raise MalformedReply(_problems(found), "Try again, or use a stronger model.")
            problem = _problems(found)
        except BadReply as failure:
            problem = failure.message
            if last and usable is None:
                raise
        turns += repair_turns(reply, problem)
    assert usable is not None
    return usable


Checks = Mapping[str, Callable[[Any], str]]


def _described(tool: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "name": tool["name"],
        "description": tool.get("description") or tool["name"],
        "parameters": tool.get("parameters") or {"type": "object", "properties": {}},
    }


def _read(reply: AIMessage, checks: Checks, *, required: bool, several: bool) -> ToolCalls:
    check_whole(reply)
    text = reply.text.strip()
    if not reply.tool_calls and not reply.invalid_tool_calls:
        if not text:
            raise EmptyReply("The model answered with nothing.", "Try again, or use another model.")
        if required:
            raise RefusedToolCall(
                f"The model answered with text where it had to call one of {', '.join(checks)}: {text[:200]}",
                "Try again, or use a model that calls tools.",
            )
    good: list[ToolCall] = []
    bad = [
        RejectedCall(call["name"] or "", call["args"], "the arguments are not JSON")
        for call in reply.invalid_tool_calls
    ]
    for call in reply.tool_calls:
        problem = _problem(call["name"], call["args"], checks)
        if not problem and good and not several:
            problem = "only one call is wanted"
        if problem:
            bad.append(RejectedCall(call["name"], call["args"], problem))
        else:
            good.append(ToolCall(call["name"], call["args"]))
    return ToolCalls(good, bad, text)


def _problem(name: str, args: Any, checks: Checks) -> str:
    check = checks.get(name)
    if check is None:
        near = get_close_matches(name, checks, 1)
        guess = f"; did you mean {near[0]}?" if near else ""
        return f"there is no such tool, only {', '.join(checks)}{guess}"
    return check(args)


def _problems(found: ToolCalls) -> str:
    return " ".join(
        f"{call.name}({json.dumps(call.args, ensure_ascii=False, default=str)[:300]}): {call.problem}."
        for call in found.rejected
    )


def _validator(tool: Mapping[str, Any]) -> Callable[[Any], str]:
    from jsonschema.exceptions import SchemaError, UnknownType
    from referencing.exceptions import Unresolvable

    schema = tool.get("accepts") or tool.get("parameters") or {}
    try:
        checker = _checker(json.dumps(schema))
    except SchemaError as error:
        raise _bad_schema(tool, f"{error.json_path}: {error.message}") from None

    def check(args: Any) -> str:
        try:
            errors = sorted(checker.iter_errors(args), key=lambda error: list(map(str, error.absolute_path)))
        except (Unresolvable, UnknownType) as error:
            raise _bad_schema(tool, str(error)) from None
        return "; ".join(_explained(error) for error in errors[:3])

    return check


@lru_cache(maxsize=256)
def _checker(schema: str) -> Validator:
    """The validator of a schema given as JSON. A turn offers the same tools again and again."""
    from jsonschema import Draft202012Validator

    formats = Draft202012Validator.FORMAT_CHECKER
    decoded = json.loads(schema)
    Draft202012Validator.check_schema(decoded, format_checker=formats)
    return Draft202012Validator(decoded, format_checker=formats)


def _bad_schema(tool: Mapping[str, Any], problem: str) -> ModelFailure:
    return ModelFailure(
        f"The parameters of the tool {tool['name']} are no JSON Schema: {problem}",
        "Mend the schema of the tool.",
        code="bad_tool_schema",
    )


def _explained(error: ValidationError) -> str:
    """What is wrong, in the alternative that was meant: the one whose constants fit."""
    while error.context:
        branches: dict[Any, list[ValidationError]] = {}
        for part in error.context:
            branches.setdefault(part.schema_path[0], []).append(part)
        meant = [parts for parts in branches.values() if not any(part.validator in ("const", "enum") for part in parts)]
        if len(meant) != 1:
            break
        error = meant[0][0]
    where = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.absolute_path).lstrip(".")
    message = error.message if len(error.message) <= 300 else error.message[:300] + " ..."
    return f"{where}: {message}" if where else message
