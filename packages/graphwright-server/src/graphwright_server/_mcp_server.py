"""Agents as tools of an MCP server: one tool per agent, and `resume`, the only one that can approve a confirmation.

Over stdio the principal is the user of this machine; over HTTP the gate identifies it.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field
from pydantic import ValidationError as PydanticError
from starlette.requests import Request

from graphwright.errors import GraphwrightError, UsageError
from graphwright_server._problems import answer, invalid_value, problem_of, request_id
from graphwright_server._runs import Order
from graphwright_server._talking import begun, ended, waits_for
from graphwright_server.access.principal import THE_LOCAL_USER, AccessError, Principal

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from fastapi import FastAPI
    from fastmcp import FastMCP
    from starlette.types import ASGIApp, Receive, Scope, Send

    from graphwright_server.access.gate import Gate
    from graphwright_server.service import Service

PRINCIPAL = "graphwright.principal"
"""The key of the principal in the scope of a request."""

PATH = "/mcp"

_THREAD = Field("", max_length=200, description="The thread to go on with, as an earlier result names it. Empty: new.")
_HOW = (
    "One call is one turn of a conversation. A result with status `waiting` asks something: call again with its thread "
    "and the answer. Where it has an `approval`, something would really be done: show the user exactly what "
    "`approval.over` holds, ask them, and answer with the tool `resume`; a yes given here does nothing."
)
_RESUME = (
    "Answer what a thread waits for. For a confirmation: `value` true or false, and for true `approves`, the hash of "
    "exactly what the user was shown and agreed to. Never say true without having asked the user."
)


def mcp_server(service: Callable[[], Service], offers: Callable[[], Awaitable[list[dict[str, Any]]]]) -> FastMCP[Any]:
    """Return the MCP server. `service` is called for each tool call; `offers` returns the cards of the agents."""
    from fastmcp import FastMCP
    from fastmcp.exceptions import ToolError, ValidationError
    from fastmcp.server.middleware import Middleware
    from fastmcp.server.providers import Provider
    from fastmcp.tools import Tool

    class AgentTools(Provider):
        """The current tools."""

        async def _list_tools(self) -> list[Tool]:
            tools = [_agent_tool(service, card) for card in await offers()]
            resumes = Tool.from_function(_resume(service), name="resume", description=_RESUME)
            return [*tools, resumes]

    class PlainErrors(Middleware):
        """Reports invalid arguments in words for the model, without texts of the library."""

        async def on_call_tool(self, context: Any, call_next: Any) -> Any:
            try:
                return await call_next(context)
            except ValidationError as error:
                raise ToolError(_wrong_arguments(context.message.name, error.__cause__)) from None

    return FastMCP("graphwright", providers=[AgentTools()], middleware=[PlainErrors()])


def _wrong_arguments(tool: str, cause: BaseException | None) -> str:
    """Return an error text that says which arguments of a call are wrong."""
    found = cause.errors(include_url=False, include_input=False) if isinstance(cause, PydanticError) else []
    problems = [invalid_value(".".join(map(str, each["loc"])), each["type"], each["msg"]) for each in found]
    text = " ".join(problems) or "They do not fit."
    return (
        f"The arguments of `{tool}` are wrong. {text} Call it again with arguments that fit its schema. [bad_arguments]"
    )


def _agent_tool(service: Callable[[], Service], card: dict[str, Any]) -> Any:
    from fastmcp.tools import Tool

    name = card["name"]

    async def ask(
        message: Annotated[str, Field(min_length=1, max_length=100_000, description="What the user says.")],
        thread: Annotated[str, _THREAD] = "",
    ) -> dict[str, Any]:
        opened, principal = service(), _principal()
        if thread:
            row = await opened.thread(thread, principal)
            if opened.agents.name(row.agent) != name:
                raise UsageError("other_agent", "This thread belongs to another agent.", "Use that agent's tool.")
        else:
            principal.require("user")
            thread = (await opened.begin(name, principal)).thread
        return await _turn(opened, principal, name, Order(thread=thread, message=message, door="mcp"))

    does = card["description"] or f"Talk to the agent {card['title']}."
    return Tool.from_function(_with_tool_errors(ask), name=name, title=card["title"], description=f"{does}\n\n{_HOW}")


def _resume(service: Callable[[], Service]) -> Callable[..., Awaitable[dict[str, Any]]]:
    async def resume(
        thread: Annotated[str, Field(max_length=200, description="The thread that waits.")],
        value: Annotated[Any, Field(description="The answer: true, false, a number, a text or other JSON.")],
        approves: Annotated[str, Field(max_length=100, description="`approval.hash`, for a yes.")] = "",
    ) -> dict[str, Any]:
        opened, principal = service(), _principal()
        row = await opened.thread(thread, principal)
        agent = opened.agents.name(row.agent)
        waits = await waits_for(opened, agent, thread) or {}
        if value is True and "approval" in waits and not approves:
            hint = "Show the user what `approval` holds, and send its hash as `approves`."
            raise UsageError("approval_missing", "A yes must say what it approves.", hint)
        order = Order(thread=thread, value=value, has_value=True, approves=approves, door="mcp")
        return await _turn(opened, principal, agent, order)

    return _with_tool_errors(resume)


async def _turn(service: Service, principal: Principal, agent: str, order: Order) -> dict[str, Any]:
    run = await begun(service, principal, order)
    kind, data = await ended(service, run)
    if kind != "turn_ended":
        raise UsageError(data.get("code", "cancelled"), data.get("detail", "The turn was cancelled."), "Try again.")
    waits = await waits_for(service, agent, order.thread) if data["status"] == "waiting" else None
    more = {name: data[name] for name in ("refused", "unread", "error") if data.get(name)}
    return {
        "thread": order.thread,
        "status": data["status"],
        "reply": data["reply"],
        "waiting_for": waits,
        "artifacts": data["artifacts"],
        **more,
    }


def _with_tool_errors(tool: Callable[..., Awaitable[dict[str, Any]]]) -> Callable[..., Awaitable[dict[str, Any]]]:
    """Wrap a tool so that it raises GraphwrightErrors as errors of the protocol."""
    from functools import wraps

    from fastmcp.exceptions import ToolError

    @wraps(tool)
    async def call(*args: Any, **kwargs: Any) -> dict[str, Any]:
        try:
            return await tool(*args, **kwargs)
        except GraphwrightError as error:
            raise ToolError(f"{error.full_text} [{error.code}]") from None

    return call


def _principal() -> Principal:
    """Return the principal: over HTTP the one that the gate identified, else the user of this machine."""
    from fastmcp.server.dependencies import get_http_request

    try:
        request = get_http_request()
    except RuntimeError:
        return THE_LOCAL_USER
    found = request.scope.get(PRINCIPAL)
    if not isinstance(found, Principal):
        raise AccessError(401, "login_required", "The user of the request is unknown.")
    return found


class McpDoor:
    """The MCP server over HTTP, behind the gate. It is created by the first request, because its import is slow."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app
        self._inner: ASGIApp | None = None
        self._task: asyncio.Task[None] | None = None
        self._there = asyncio.Event()
        self._closing = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        gate: Gate = self._app.state.gate
        try:
            scope[PRINCIPAL] = await gate.identify(request.headers, request.query_params)
        except AccessError as error:
            await answer(problem_of(error, request_id(request)), error.headers)(scope, receive, send)
            return
        if self._task is None:
            self._task = asyncio.create_task(self._run())
        await self._there.wait()
        if self._inner is None:
            # The caller gets the error of the failed start.
            await self._task
        assert self._inner is not None
        await self._inner(scope, receive, send)

    async def close(self) -> None:
        """Close the server, if it was created."""
        self._closing.set()
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        try:
            inner = await asyncio.to_thread(self._made)
            async with inner.router.lifespan_context(inner):
                self._inner = inner
                self._there.set()
                await self._closing.wait()
        finally:
            self._there.set()

    def _made(self) -> Any:
        def service() -> Service:
            opened: Service = self._app.state.service
            return opened

        # Stateless: no session holds state in memory that another worker would need, or outlives the key that began it.
        server = mcp_server(service, lambda: ready_cards(service()))
        return server.http_app(path=PATH, stateless_http=True, json_response=True)


async def ready_cards(service: Service) -> list[dict[str, Any]]:
    """Return the cards of the served agents that are ready."""
    return [card for card in await service.agents.cards() if card["ready"]]
