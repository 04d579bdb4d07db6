"""Ready-made actions, which flows run without Python code."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from graphwright.context.builders import fenced
from graphwright.engine._wording import say
from graphwright.engine.events import PRIVATE, HandedOver
from graphwright.engine.host_interface import ActionError, safe_message
from graphwright.flow._dependencies import own_signature
from graphwright.flow._json_schemas import allows_type
from graphwright.flow._ready_made import is_repeatable
from graphwright.flow._schema_validation import first_violation
from graphwright.flow.compiled import Action, CompiledFlow
from graphwright.flow.guards._templates import UnfilledError, format_value
from graphwright.host._action_context import ActionContext, called
from graphwright.host._actions import ActionSpec, OutcomeUnknown

if TYPE_CHECKING:
    from graphwright.tools import ToolRegistry
    from graphwright.tools.mcp import McpServers

INSTRUCTION = "instruction"
"""The prompt file for `ask_model` with an `instruction`."""

HAND_OVERS = "hand_over"
"""The collection of the records of `hand_over`."""

_Perform = Callable[[CompiledFlow, Action, dict[str, Any], ActionContext], Awaitable[Any]]
_SHARED_SERVERS = "graphwright.ready_made.mcp"
_UNSENT = ("mcp_settings", "mcp_no_tool", "mcp_tool_failed", "mcp_missing")
"""The codes of errors after which it is known that a tool did nothing, or what it reported."""
_RICHER = ("enum", "const", "pattern", "format", "oneOf", "anyOf", "allOf", "$ref")
"""The keywords with which a text is not any text."""


def ready_made_actions(flow: CompiledFlow) -> dict[str, ActionSpec]:
    """The ready-made actions of a flow, by the ids of their nodes."""
    return {
        node.id: _spec(flow, node)
        for node in flow.nodes.values()
        if isinstance(node, Action) and node.parameters is not None
    }


def _spec(flow: CompiledFlow, node: Action) -> ActionSpec:
    signature = own_signature(flow, node)
    function = partial(_performed, flow, node)
    return ActionSpec(node.id, signature.reads, signature.writes, function, is_repeatable(node), signature.effects)


async def _performed(flow: CompiledFlow, node: Action, state: Mapping[str, Any], ctx: ActionContext) -> dict[str, Any]:
    assert node.parameters is not None
    try:
        given = node.parameters.fill(dict(state))
    except UnfilledError as error:
        hint = "Ask for it before, or write what holds without it: `has(answers.x) ? answers.x : ''`."
        raise ActionError(
            "missing_parameter", f"{node.run!r} at {node.id!r} was not performed: {error}.", hint
        ) from None
    value = await _PERFORM[node.run](flow, node, given, ctx)
    return {given["into"]: value} if "into" in given else {}


async def _ask_model(flow: CompiledFlow, node: Action, given: dict[str, Any], ctx: ActionContext) -> Any:
    from graphwright.models import acall_tools, atext

    into = given["into"]
    schema = given.get("schema", flow.channels[into].schema)
    inputs = given.get("inputs", {})
    if "instruction" in given:
        messages = ctx.prompt(INSTRUCTION, instruction=format_value(given["instruction"]), data=_as_texts(inputs))
    else:
        messages = ctx.prompt(given["prompt"], **inputs)
    types = schema.get("type")
    if set([types] if isinstance(types, str) else types or ()) - {"null"} == {"string"} and not any(
        keyword in schema for keyword in _RICHER
    ):
        return (await atext(ctx.model, messages)).strip()
    whole = schema.get("type") == "object"
    parameters = schema if whole else {"type": "object", "properties": {into: schema}, "required": [into]}
    calls = await acall_tools(ctx.model, [{"name": into, "parameters": parameters}], messages, several=False)
    return calls[0].args if whole else calls[0].args[into]


def _as_texts(inputs: Mapping[str, Any]) -> dict[str, str]:
    """Values as texts that cannot close the fence around them."""
    texts = {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in inputs.items()
    }
    return {name: fenced(text) for name, text in texts.items()}


async def _call_tool(flow: CompiledFlow, node: Action, given: dict[str, Any], ctx: ActionContext) -> Any:
    from graphwright.tools.mcp import McpError, McpServers, configured

    server, tool = given["server"], given["tool"]
    servers = await ctx.shared(_SHARED_SERVERS, partial(McpServers, configured()))
    registry = await _offering(servers, server, tool)
    if given.get("read_only") and registry.changes(tool) is not False:
        raise ActionError(
            "tool_not_read_only",
            f"The tool {tool!r} of the MCP server {server!r} was not called: the flow marks it `read_only`, and the "
            "server does not declare that it changes nothing.",
            "Remove `read_only`, and give the node a `confirm`.",
        )
    result = await called(registry, tool, given.get("arguments", {}))
    if result.ok:
        return _as_channel(flow, given.get("into", ""), result.value)
    message = f"The tool {tool!r} of the MCP server {server!r} failed: {result.error}"
    if result.kind == "failed" and result.code not in _UNSENT and not given.get("read_only"):
        raise OutcomeUnknown("I got no result", message)
    raise McpError(result.code or "mcp_tool_failed", server, f"did not do {tool}: {result.error.rstrip('.')}")


def _as_channel(flow: CompiledFlow, into: str, value: Any) -> Any:
    """A text as the JSON in it, if the channel takes no text: servers for models often write JSON as a text."""
    if not into or not isinstance(value, str) or allows_type(flow.channels[into].schema, "string"):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


async def _offering(servers: McpServers, server: str, tool: str) -> ToolRegistry:
    """The tools of a server, among them this one. Raises ActionError if none of the operator's servers offers it."""
    registry = servers.plain_registry(server)
    if tool not in registry:
        await servers.refresh()
        registry = servers.plain_registry(server)
    if tool in registry:
        return registry
    state = next((each for each in servers.states() if each.name == server), None)
    if state is None:
        known = ", ".join(each.name for each in servers.states()) or "none"
        raise ActionError(
            "no_mcp_server",
            f"There is no MCP server {server!r} in the configuration.",
            f"It has {known}. The operator adds it as [mcp.{server}] to graphwright.toml.",
        )
    why = f"it {state.why}" if state.state != "ready" else "the server does not offer it, or `tools` leaves it out"
    hint = state.hint or f"It offers {', '.join(each['name'] for each in registry.declarations()) or 'no tools'}."
    raise ActionError("no_mcp_tool", f"The tool {tool!r} of the MCP server {server!r} cannot be called: {why}.", hint)


async def _http_request(flow: CompiledFlow, node: Action, given: dict[str, Any], ctx: ActionContext) -> Any:
    from graphwright.tools._http_requests import HttpError, Request, send

    request = Request(
        given.get("method", "GET"), given["url"], given.get("headers", {}), given.get("body"), f'"{ctx.key}"'
    )
    try:
        value = await send(request, node.timeout)
    except HttpError as error:
        if error.sent and not is_repeatable(node):
            raise OutcomeUnknown("I got no usable response", safe_message(error)) from error
        raise
    if "into" in given and own_signature(flow, node).effects is False:
        schema = flow.channels[given["into"]].schema
        if why := first_violation(schema, value):
            message = f"The response does not fit the channel {given['into']!r}: {why}."
            raise ActionError("http_misfit", message, "Change the schema of the channel, or the request.")
    return value


async def _record(flow: CompiledFlow, node: Action, given: dict[str, Any], ctx: ActionContext) -> None:
    await ctx.store.put_once(given["collection"], given["value"])


async def _hand_over(flow: CompiledFlow, node: Action, given: dict[str, Any], ctx: ActionContext) -> None:
    to, summary, said = (format_value(given.get(name, "")) for name in ("to", "summary", "say"))
    await ctx.store.put_once(HAND_OVERS, {"to": to, "summary": summary, "node": node.id})
    private = any(channel.private for name in own_signature(flow, node).reads if (channel := flow.channels.get(name)))
    ctx.noted.append(HandedOver(node.id, to, PRIVATE if private else summary))
    ctx.say(said or say(ctx.language, "handed_over"))


async def _say(flow: CompiledFlow, node: Action, given: dict[str, Any], ctx: ActionContext) -> None:
    ctx.say(format_value(given["text"]))


_PERFORM: Mapping[str, _Perform] = {
    "ask_model": _ask_model,
    "call_tool": _call_tool,
    "http_request": _http_request,
    "record": _record,
    "hand_over": _hand_over,
    "say": _say,
}
