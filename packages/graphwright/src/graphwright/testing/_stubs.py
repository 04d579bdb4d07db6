"""Stubs of a conversation file: replacements for actions, tools and MCP servers."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from graphwright._config_models import SERVER_NAME
from graphwright.config import Config
from graphwright.errors import GraphwrightError
from graphwright.testing import _stub_server as stub_server
from graphwright.text.near_names import Names

if TYPE_CHECKING:
    from graphwright.host._actions import ActionSpec
    from graphwright.host.agent import Agent

NO_STUB = "no_stub"
"""The code of a call that no stub answers."""

_CLOSED = ConfigDict(extra="forbid")


class _StubbedFailure(ConnectionError):
    """The exception of an action whose stub fails, like that of a service that does not answer."""


class Failure(BaseModel):
    """A failure: its message, and the code of a GraphwrightError; without a code it is another exception."""

    model_config = _CLOSED

    message: Annotated[str, Field(min_length=1)]
    code: str = ""


def _as_failure(value: Any) -> Any:
    return {"message": value} if isinstance(value, str) else value


def _as_list(value: Any) -> Any:
    return value if isinstance(value, list) else [value]


def _server_name(name: str) -> str:
    if not SERVER_NAME.match(name):
        raise ValueError(
            f"{name[:60]!r} cannot be the name of an MCP server: use at most 31 letters, digits, - and single _, "
            "beginning with a letter"
        )
    return name


class _Stub(BaseModel):
    model_config = _CLOSED

    when: dict[str, Any] = Field(default_factory=dict)
    times: Annotated[int, Field(ge=1)] | None = None
    fails: Annotated[Failure | None, BeforeValidator(_as_failure)] = None


class ActionStub(_Stub):
    """Replaces an action: the channels that it `writes` and the text that it `says`, or the failure.

    The stub is used if the action reads the channels and `answers` in `when`.
    """

    writes: dict[str, Any] = Field(default_factory=dict)
    says: str = ""

    @model_validator(mode="after")
    def _one_outcome(self) -> ActionStub:
        if self.fails and (self.writes or self.says):
            raise ValueError("A stub that fails writes nothing and says nothing")
        return self


class ToolStub(_Stub):
    """Replaces a tool: the value that it `returns`, or the failure. `when` are arguments that a call must have."""

    returns: Any = None

    @model_validator(mode="after")
    def _one_outcome(self) -> ToolStub:
        if self.fails and "returns" in self.model_fields_set:
            raise ValueError("A stub that fails returns nothing")
        return self


class ServerTool(BaseModel):
    """A tool of a stubbed MCP server: its declaration, and the stubs that answer its `calls`.

    `reads_only` declares whether a call changes nothing; without it the server does not declare it.
    """

    model_config = _CLOSED

    description: str = ""
    parameters: dict[str, Any] = Field(default_factory=lambda: {"type": "object"})
    reads_only: bool | None = None
    calls: Annotated[list[ToolStub], BeforeValidator(_as_list)] = Field(default_factory=list)

    def declaration(self, name: str) -> dict[str, Any]:
        """Return the declaration in MCP's format."""
        hints = {} if self.reads_only is None else {"annotations": {"readOnlyHint": self.reads_only}}
        return {"name": name, "description": self.description, "inputSchema": self.parameters, **hints}


class Stubs(BaseModel):
    """The stubs of a conversation file, by the names of actions, of tools, and of MCP servers and their tools."""

    model_config = _CLOSED

    actions: dict[str, Annotated[list[ActionStub], BeforeValidator(_as_list)]] = Field(default_factory=dict)
    tools: dict[str, Annotated[list[ToolStub], BeforeValidator(_as_list)]] = Field(default_factory=dict)
    mcp: dict[Annotated[str, AfterValidator(_server_name)], dict[str, ServerTool]] = Field(default_factory=dict)


Place = tuple[str | int, ...]


def wrong_stubs(stubs: Stubs, agent: Agent) -> Iterator[tuple[Place, str, str]]:
    """Yield stubs with unknown names, and channels that an action does not write.

    Each is the place in the file, a message and a hint.
    """
    known: dict[str, Sequence[str]] = {"actions": [*agent.actions], "tools": [tool.name for tool in agent.tools]}
    for kind, names in known.items():
        for name in getattr(stubs, kind):
            if name not in names:
                listed = f"It has {', '.join(names)}." if names else f"It has no {kind}."
                text = f"The agent has no {kind.removesuffix('s')} {name!r}."
                yield ("stubs", kind, name), text, Names(names).hint(name, listed)
    for name, listed_stubs in stubs.actions.items():
        writes = agent.actions[name].writes if name in agent.actions else ()
        channels = dict.fromkeys(channel for stub in listed_stubs for channel in stub.writes)
        for channel in channels if name in agent.actions else ():
            if channel not in writes:
                text = f"Action {name!r} does not declare to write the channel {channel!r}."
                yield ("stubs", "actions", name), text, Names(writes).hint(channel, f"It writes {', '.join(writes)}.")


@dataclass
class Used:
    """The stubs that were used so far, by kind and name, and the unanswered calls."""

    stubs: Stubs
    folder: Path
    _numbers: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    _unanswered: list[str] = field(default_factory=list)

    def take(self, kind: str, name: str, stubs: Sequence[_Stub], given: Any) -> _Stub:
        """Return the stub that answers a call. Raises GraphwrightError (`no_stub`) if none does."""
        used = self._numbers.setdefault((kind, name), [])
        number = stub_server.chosen([stub.model_dump(mode="json") for stub in stubs], used, given)
        if number is None:
            text = _unanswered(f"{kind} {name!r}", given)
            self._unanswered.append(text)
            raise GraphwrightError(NO_STUB, text)
        used.append(number)
        return stubs[number]

    def unanswered(self) -> list[str]:
        """Return descriptions of the calls that no stub answered."""
        servers = [
            _unanswered(f"tool {tool!r} of the MCP server {server!r}", given)
            for server in self.stubs.mcp
            for tool, given in self._log(server)
            if not isinstance(given, int)
        ]
        return [*self._unanswered, *servers]

    def left_over(self) -> list[str]:
        """Return descriptions of the stubs that answered fewer calls than their `times`, by default one."""
        groups: list[tuple[str, Sequence[_Stub], list[int]]] = [
            (f"{kind}s.{name}", stubs, self._numbers.get((kind, name), []))
            for kind, by_name in (("action", self.stubs.actions), ("tool", self.stubs.tools))
            for name, stubs in by_name.items()
        ]
        for server, tools in self.stubs.mcp.items():
            log = self._log(server)
            for name, tool in tools.items():
                numbers = [number for used, number in log if used == name and isinstance(number, int)]
                groups.append((f"mcp.{server}.{name}", tool.calls, numbers))
        return [
            f"stubs.{place}: stub {number + 1} answered {count} of {stub.times or 'at least 1'} call(s)"
            for place, stubs, numbers in groups
            for number, stub in enumerate(stubs)
            if (count := numbers.count(number)) < (stub.times or 1)
        ]

    def config(self) -> Config:
        """Return a configuration with the stubbed MCP servers, whose files are in `folder`; empty without servers."""
        servers: dict[str, Mapping[str, Any]] = {}
        for server, tools in self.stubs.mcp.items():
            self.folder.mkdir(parents=True, exist_ok=True)
            declared = [tool.declaration(name) for name, tool in tools.items()]
            calls = {name: [stub.model_dump(mode="json") for stub in tool.calls] for name, tool in tools.items()}
            file = self.folder / f"{server}.json"
            file.write_text(json.dumps({"tools": declared, "stubs": calls}), "utf-8")
            program = [str(Path(stub_server.__file__)), str(file), str(self._used(server))]
            servers[server] = {"command": sys.executable, "args": ["-I", "-S", *program]}
        if not servers:
            return Config()
        file = self.folder / "graphwright.toml"
        file.touch()
        return Config(file=file, mcp=servers)

    def _used(self, server: str) -> Path:
        return self.folder / f"{server}.used"

    def _log(self, server: str) -> list[tuple[str, Any]]:
        file = self._used(server)
        return [tuple(json.loads(line)) for line in file.read_text("utf-8").splitlines()] if file.exists() else []


def _unanswered(what: str, given: Any) -> str:
    return f"No stub answers this call of {what}: {json.dumps(given, ensure_ascii=False, default=str)[:300]}."


def stubbed(agent: Agent, used: Used) -> Agent:
    """Return the agent with stubs instead of the functions of its actions and tools. Their declarations stay."""
    actions = {name: _action(agent.actions[name], stubs, used) for name, stubs in used.stubs.actions.items()}
    tools = [_tool(tool, used.stubs.tools[tool.name], used) if tool.name in used.stubs.tools else tool
             for tool in agent.tools]  # fmt: skip
    return replace(agent, actions={**agent.actions, **actions}, tools=tuple(tools))


def _action(spec: ActionSpec, stubs: Sequence[ActionStub], used: Used) -> ActionSpec:
    async def act(state: Mapping[str, Any], ctx: Any) -> dict[str, Any]:
        stub = used.take("action", spec.name, stubs, dict(state))
        assert isinstance(stub, ActionStub)
        if stub.fails is not None:
            raise _failure(stub.fails)
        ctx.say(stub.says)
        return stub.writes

    return replace(spec, function=act)


def _tool(tool: Any, stubs: Sequence[ToolStub], used: Used) -> Any:
    async def call(**arguments: Any) -> Any:
        stub = used.take("tool", tool.name, stubs, arguments)
        assert isinstance(stub, ToolStub)
        if stub.fails is not None:
            raise GraphwrightError(stub.fails.code, stub.fails.message)
        return stub.returns

    return replace(tool, function=call)


def _failure(failure: Failure) -> Exception:
    return GraphwrightError(failure.code, failure.message) if failure.code else _StubbedFailure(failure.message)
