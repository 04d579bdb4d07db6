"""The configured servers, their variables from the environment, and the error of an unusable server."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from graphwright.config import Config, ConfigError, current
from graphwright.errors import GraphwrightError, redact
from graphwright.text.markup import one_line

TIMEOUT = 30.0
"""Default time limit of a call, in seconds."""

_PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "SYSTEMROOT", "TEMP", "USERPROFILE")
"""Variables that processes need to start. None of them contains a secret."""

_FROM = re.compile(r"(?P<before>|.*\s)env:(?P<variable>[A-Za-z_]\w*)\s*\Z", re.DOTALL)


class McpError(GraphwrightError):
    """A server or one of its tools cannot be used. `why` is a phrase about the server: "did not answer within 5 s".

    Codes: `mcp_settings` (its settings cannot be used as they are), `mcp_unavailable` (it cannot be reached, died or
    does not speak the protocol), `mcp_timeout`, `mcp_too_large`, `mcp_no_tool` (it does not offer that tool any more)
    and `mcp_tool_failed` (the tool reports an error; a server in this process may report its own code instead).
    """

    def __init__(self, code: str, server: str, why: str, hint: str = "") -> None:
        super().__init__(code, f"The MCP server {server} {why}.", hint)
        self.server = server
        self.why = redact(why)


MOST_REPORTED = 600
"""Maximum length of a server's message in an error, in characters."""


def reported(text: str) -> str:
    """Return a message of a server or a library for a sentence: one bounded line, without secrets and final stop."""
    return one_line(redact(text), MOST_REPORTED).rstrip(" .")


@dataclass(frozen=True, slots=True)
class McpServer:
    """One server: a `command` to run, the `url` of a running one, or a fastmcp server `here`, in this process.

    `environment` and `headers` are values by name; a value ending with `env:NAME` is read from that variable. `folder`
    is the working directory of the command. `timeout` is the limit of one call in seconds. `tools` are the names, on
    the server, of the only tools to offer; empty for all. Tools of a server `here` keep their names, those of other
    servers are called `NAME__TOOL`.
    """

    name: str
    command: str = ""
    arguments: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    folder: Path | None = None
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    here: Any = None
    timeout: float = TIMEOUT
    tools: tuple[str, ...] = ()

    def process_environment(self) -> dict[str, str]:
        """Return all variables of its process. Raises McpError (`mcp_settings`) if a required one is not set."""
        inherited = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        return inherited | read_variables(f"mcp.{self.name}", self.environment, self.name)

    def request_headers(self) -> dict[str, str]:
        """Return all headers of requests to it. Raises McpError (`mcp_settings`) if a variable for one is not set."""
        return read_variables(f"mcp.{self.name}", self.headers, self.name)


def read_variables(table: str, values: Mapping[str, str], name: str = "") -> dict[str, str]:
    """Return the values of a table of the configuration, those that end with `env:NAME` with that variable's.

    Raises McpError (`mcp_settings`) about the server `name` if a variable is not set.
    """
    made = {}
    for key, value in values.items():
        found = _FROM.match(value)
        if found is None:
            made[key] = value
            continue
        variable = found["variable"]
        if variable not in os.environ:
            hint = f"Set {variable}, or remove it from [{table}]."
            raise McpError("mcp_settings", name, f"needs the variable {variable}, which is not set", hint)
        made[key] = f"{found['before']}{os.environ[variable]}"
    return made


def addresses() -> tuple[str, ...]:
    """Return the URLs of the configured servers that have one."""
    return tuple(str(said["url"]) for said in current().mcp.values() if said.get("url"))


def configured(config: Config | None = None) -> tuple[McpServer, ...]:
    """Return the servers of `[mcp.NAME]`, in the order of the file. They run in its folder, the base of relative
    commands.

    Raises ConfigError (`unsafe_config`) if the file was found by search and other users may write it: it names programs
    that run with the rights of this process.
    """
    config = current() if config is None else config
    if config.file is None or not config.mcp:
        return ()
    refuse_what_others_write(config.file, "names MCP servers, which are programs to run")
    folder = config.file.parent
    return tuple(_server(name, said, folder) for name, said in config.mcp.items())


def refuse_what_others_write(file: Path, names: str) -> None:
    """Raise ConfigError (`unsafe_config`) if a file that is not named by GRAPHWRIGHT_CONFIG may be written by others.

    `names` is the part of the message about the content of the file.
    """
    if os.environ.get("GRAPHWRIGHT_CONFIG", "").strip():
        return
    state = file.stat()
    if state.st_uid in (0, os.getuid()) and not state.st_mode & stat.S_IWOTH:
        return
    who = "is writable by everyone" if state.st_mode & stat.S_IWOTH else "belongs to another user"
    raise ConfigError(
        "unsafe_config",
        f"{file} {names}, and it {who}.",
        f"If the file is yours, correct its owner or its permissions, or name it: GRAPHWRIGHT_CONFIG={file}",
    )


def _server(name: str, said: Mapping[str, Any], folder: Path) -> McpServer:
    command = said.get("command", "")
    if command.startswith("~") or os.sep in command:
        command = str(folder / Path(command).expanduser())
    return McpServer(
        name=name,
        command=command,
        arguments=tuple(said.get("args", ())),
        environment=said.get("env", {}),
        folder=folder,
        url=said.get("url", ""),
        headers=said.get("headers", {}),
        timeout=float(said.get("timeout", TIMEOUT)),
        tools=tuple(said.get("tools", ())),
    )
