"""The shape of `[mcp.NAME]`: what an MCP server is configured by, and what is refused there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from graphwright.errors import redact
from graphwright.flow.diagnostic_catalog import Code
from graphwright.flow.reporter import Reporter
from graphwright.flow.scalars import TEXT
from graphwright.flow.shape import DROPPED, Field, ListOf, MapOf, Record, Refusal, Scalar, Shape
from graphwright.flow.source import Path

MOST_SECONDS = 600

_NAME = re.compile(r"[A-Za-z](?:_?[A-Za-z0-9-]){0,30}\Z")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+\Z")
_READ = re.compile(r"(?:\A|\s)env:[A-Za-z_]\w*\s*\Z")


def _bad_name(name: str) -> Refusal | None:
    if _NAME.match(name):
        return None
    hint = "Use at most 31 letters, digits, - and single _, beginning with a letter: its tools are called NAME__TOOL."
    return Code.BAD_NAME, f"`{name[:60]}` cannot be the name of an MCP server.", hint


def _bad_variable(name: str) -> Refusal | None:
    if _VARIABLE.match(name):
        return None
    return Code.BAD_NAME, f"`{name[:60]}` cannot be the name of a variable.", "Use letters, digits and _."


def _bad_header(name: str) -> Refusal | None:
    if _HEADER.match(name):
        return None
    return Code.BAD_NAME, f"`{name[:60]}` cannot be the name of a header.", "Use letters, digits and -."


def _text(value: Any) -> bool:
    return isinstance(value, str) and "\0" not in value


def _is_open(value: Any) -> bool:
    return _text(value) and redact(value) == value


def _refuse_secret(value: Any, name: str) -> Refusal | None:
    if not _text(value):
        return None
    instead = "give it in a variable that `env` or `headers` names, as env:NAME."
    return Code.WRONG_TYPE, f"{name} holds a secret, and secrets do not belong into this file.", _instead(instead)


def _instead(how: str) -> str:
    return f"Take it out of the file: {how}"


def _is_address(value: Any) -> bool:
    return _is_open(value) and re.match(r"https?://[^\s/]", value) is not None


def _refuse_address(value: Any, name: str) -> Refusal | None:
    if not _text(value) or not _is_open(value):
        return _refuse_secret(value, name)
    return Code.WRONG_TYPE, f"{name} must begin with http:// or https://.", 'For example url = "https://host/mcp".'


def _is_seconds(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= MOST_SECONDS


def _refuse_seconds(value: Any, name: str) -> Refusal | None:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return Code.OUT_OF_RANGE, f"{name} must be more than 0 and at most {MOST_SECONDS} seconds.", ""


@dataclass(frozen=True, slots=True)
class _Values:
    """Values by name, of which none is a secret: `env:NAME` at the end names the variable that it is read from."""

    values: Shape

    def clean(self, value: Any, path: Path, out: Reporter) -> Any:
        made = self.values.clean(value, path, out)
        if made is DROPPED:
            return made
        for name, text in made.items():
            if not _READ.search(text) and redact(f"{name}: {text}") != f"{name}: {text}":
                what = f"`{name}` holds a secret, and secrets do not belong into this file."
                # Not as it is written in the file: that would be taken for the secret, and hidden.
                how = _instead('set it in the environment as VARIABLE, and write "env:VARIABLE" as the value here.')
                out.add(Code.WRONG_TYPE, (*path, name), what, how)
        return made

    def schema(self) -> dict[str, Any]:
        return self.values.schema()


@dataclass(frozen=True, slots=True)
class _Server:
    """One server: a command or an address, and only what belongs to it."""

    fields: Record

    def clean(self, value: Any, path: Path, out: Reporter) -> Any:
        made = self.fields.clean(value, path, out)
        if made is DROPPED:
            return made
        if "command" in value and "url" in value:
            hint = "Leave one of them out."
            out.add(Code.WRONG_TYPE, path, "An MCP server has a `command` or a `url`, not both.", hint)
        for owner, names in (("command", ("args", "env")), ("url", ("headers",))):
            for name in names:
                if name in value and owner not in value:
                    out.add(Code.WRONG_TYPE, (*path, name), f"`{name}` is for a server with a `{owner}`.", "", key=True)
        return made

    def schema(self) -> dict[str, Any]:
        return self.fields.schema()


_OPEN = Scalar("a text", {"type": "string"}, _is_open, _refuse_secret)
_PLAIN = Scalar("a text", {"type": "string"}, _text)
_ADDRESS = Scalar("a text", {"type": "string"}, _is_address, _refuse_address)
_SECONDS = Scalar("a number", {"type": "number"}, _is_seconds, _refuse_seconds)

SERVERS = MapOf(
    _Server(
        Record(
            "The configuration of an MCP server",
            {
                "command": Field(_OPEN, "The program that is the server."),
                "args": Field(ListOf(_OPEN), "Its arguments."),
                "env": Field(_Values(MapOf(_PLAIN, _bad_variable)), "Its variables; env:NAME passes one on."),
                "url": Field(_ADDRESS, "Where a server that runs is reached."),
                "headers": Field(
                    _Values(MapOf(_PLAIN, _bad_header)), "What requests carry; env:NAME reads a variable."
                ),
                "timeout": Field(_SECONDS, "Seconds that one call may take."),
                "tools": Field(ListOf(TEXT), "The only tools that are offered."),
            },
            any_of=("command", "url"),
        )
    ),
    _bad_name,
)
