"""The schema of `graphwright.toml` as Pydantic models: the settings, and the check that they contain no secrets."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import AfterValidator, Field, field_validator, model_validator

from graphwright.errors import redact
from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._document import PathPolicy, Record, needs_one_of
from graphwright.flow._validation import fault, wrong_type

MOST_SECONDS = 600

SERVER_NAME = re.compile(r"[A-Za-z](?:_?[A-Za-z0-9-]){0,30}\Z")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+\Z")
_HOST = re.compile(r"(?:[a-z0-9_](?:[a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?\Z")
_READ = re.compile(r"(?:\A|\s)env:[A-Za-z_]\w*\s*\Z")
_OUT = "Take it out of the file:"


def _server_name(name: str) -> str:
    if not SERVER_NAME.match(name):
        hint = (
            "Use at most 31 letters, digits, - and single _, beginning with a letter: its tools are called NAME__TOOL."
        )
        raise fault(Code.BAD_NAME, f"`{name[:60]}` cannot be the name of an MCP server.", hint)
    return name


def _variable_name(name: str) -> str:
    if not _VARIABLE.match(name):
        raise fault(Code.BAD_NAME, f"`{name[:60]}` cannot be the name of a variable.", "Use letters, digits and _.")
    return name


def _header_name(name: str) -> str:
    if not _HEADER.match(name):
        raise fault(Code.BAD_NAME, f"`{name[:60]}` cannot be the name of a header.", "Use letters, digits and -.")
    return name


def _text(value: str) -> str:
    if "\0" in value:
        raise wrong_type("a text", value)
    return value


def _no_secret(value: str) -> str:
    if redact(value) != value:
        instead = f"{_OUT} use a variable that `env` or `headers` names, as env:NAME."
        raise fault(Code.WRONG_TYPE, "{name} holds a secret, and secrets do not belong in this file.", instead)
    return value


def _values_without_secrets(values: dict[str, str]) -> dict[str, str]:
    for name, text in values.items():
        if not _READ.search(text) and redact(f"{name}: {text}") != f"{name}: {text}":
            # Not in the form of the file: that would be redacted as a secret.
            scheme = f"{match[0]} " if (match := re.match("Bearer|Basic|Token", text, re.IGNORECASE)) else ""
            how = f'{_OUT} set it in the environment as VARIABLE, and write "{scheme}env:VARIABLE" as the value here.'
            message = f"`{name}` holds a secret, and secrets do not belong in this file."
            raise fault(Code.WRONG_TYPE, message, how, inside=(name,))
    return values


def _host_name(name: str) -> str:
    if not _HOST.match(name):
        hint = 'Use the name of a host in small letters, such as [http."api.example.org"] or [http."127.0.0.1:8080"].'
        raise fault(Code.BAD_NAME, f"`{name[:60]}` cannot be the name of a host.", hint)
    return name


def _address(value: str) -> str:
    if not re.match(r"https?://[^\s/]", value):
        hint = 'For example "https://agents.example.org".'
        raise fault(Code.WRONG_TYPE, "{name} must begin with http:// or https://.", hint)
    return value


def _seconds(value: float) -> float:
    if not 0 < value <= MOST_SECONDS:
        raise fault(Code.OUT_OF_RANGE, f"{{name}} must be more than 0 and at most {MOST_SECONDS} seconds.")
    return value


def _without_password(value: str, instead: str) -> str:
    # The part before an @ is never a host, however the rest of the address is written.
    password = ":" in value.rpartition("@")[0].rpartition("//")[2]
    if password or "password=" in value.partition("?")[2].lower():
        message = "{name} holds a password, and secrets do not belong in this file."
        raise fault(Code.WRONG_TYPE, message, f"{_OUT} {instead}")
    return value


Text = Annotated[str, AfterValidator(_text)]
Open = Annotated[Text, AfterValidator(_no_secret)]


class Server(Record):
    """One MCP server: a command with its arguments and variables, or an address with its headers."""

    called = "The configuration of an MCP server"

    command: Open = Field("", description="The program that is the server.")
    args: list[Open] = Field([], description="Its arguments.")
    env: dict[Annotated[str, AfterValidator(_variable_name)], Text] = Field(
        {}, description="Its variables; env:NAME passes one on."
    )
    url: Annotated[Open, AfterValidator(_address)] = Field("", description="Where a server that runs is reached.")
    headers: dict[Annotated[str, AfterValidator(_header_name)], Text] = Field(
        {}, description="What requests carry; env:NAME reads a variable."
    )
    timeout: Annotated[float, AfterValidator(_seconds)] = Field(30, description="Seconds that one call may take.")
    tools: list[str] = Field([], description="The only tools that are offered.")

    _no_secrets = field_validator("env", "headers")(_values_without_secrets)
    _any = model_validator(mode="after")(needs_one_of("command", "url"))

    @model_validator(mode="after")
    def _of_one_kind(self) -> Server:
        given = self.model_fields_set
        if {"command", "url"} <= given:
            message = "An MCP server has a `command` or a `url`, not both."
            raise fault(Code.WRONG_TYPE, message, "Leave one of them out.")
        for owner, names in (("command", ("args", "env")), ("url", ("headers",))):
            for name in names:
                if name in given and owner not in given:
                    raise fault(Code.WRONG_TYPE, f"`{name}` is for a server with a `{owner}`.", inside=(name,))
        return self


class HttpHost(Record):
    """A host to which flows may send requests."""

    called = "The configuration of a host"

    headers: dict[Annotated[str, AfterValidator(_header_name)], Text] = Field(
        {}, description="What requests to it carry; env:NAME reads a variable."
    )
    private: bool = Field(False, description="Whether it may have an address of this machine or its network.")
    timeout: Annotated[float, AfterValidator(_seconds)] = Field(30, description="Seconds that one request may take.")

    _no_secrets = field_validator("headers")(_values_without_secrets)


class FlowSettings(Record):
    """The settings of one flow."""

    called = "The configuration of a flow"

    path_policy: PathPolicy = Field(PathPolicy.model_construct(), description="Overrides the document's.")


def _server_address(value: str) -> str:
    return _without_password(value, "give it in the environment, as NEO4J_USERNAME and NEO4J_PASSWORD.")


def _log_address(value: str) -> str:
    return _without_password(value, "give the whole address in the environment, as GRAPHWRIGHT_INTERACTIONS.")


def _at_least_one(value: int) -> int:
    if value < 1:
        raise fault(Code.OUT_OF_RANGE, "{name} must be at least 1.")
    return value


def _port(value: int) -> int:
    if not 0 <= value <= 65535:
        raise fault(Code.OUT_OF_RANGE, "{name} must be a port, 0 to 65535.")
    return value


_Count = Annotated[int, AfterValidator(_at_least_one)]


def _not_negative(value: float) -> float:
    if value < 0:
        raise fault(Code.OUT_OF_RANGE, "{name} must not be below 0.")
    return value


def _currency_code(value: str) -> str:
    if not re.fullmatch("[A-Z]{3}", value):
        raise fault(
            Code.OUT_OF_RANGE, "{name} must be a code of three capital letters.", 'For example currency = "EUR".'
        )
    return value


_Amount = Annotated[float, AfterValidator(_not_negative)]


class Price(Record):
    """The prices of a model."""

    called = "The price of a model"

    input: _Amount = Field(0, description="For a million tokens of prompts.")
    output: _Amount = Field(0, description="For a million tokens of answers.")


class ModelsTable(Record):
    """The settings of models: prices and their currency."""

    called = "The configuration of models"

    currency: Annotated[str, AfterValidator(_currency_code)] = Field("USD", description="The currency of the prices.")
    prices: dict[str, Price] = Field({}, description="What models cost, by the name that calls them.")


class Oidc(Record):
    """The OpenID Connect provider whose tokens the service accepts."""

    called = "The configuration of OpenID Connect"

    issuer: Annotated[Open, AfterValidator(_address)] = Field(description="The `iss` of a token, exactly.")
    audience: Open = Field(description="What its `aud` must name.")
    jwks: Open = Field("", description="Where the issuer's keys are, an address or a file.")
    role_claim: Open = Field("roles", description="The claim that names the role, dotted for an inner one.")
    role: Open = Field("user", description="The role of who has none there; empty: they are refused.")


class ServiceTable(Record):
    """The settings of the HTTP service."""

    called = "The configuration of the service"

    host: Open = Field("127.0.0.1", description="Where it listens.")
    port: Annotated[int, AfterValidator(_port)] = Field(8420, description="On which port; 0 takes a free one.")
    hosts: list[Open] = Field([], description="Further names by which it may be addressed.")
    agents: list[Text] = Field([], description="Folders of agents that are served in addition to the installed ones.")
    login: bool = Field(False, description="Whether a login is demanded on this machine, too.")
    requests: _Count = Field(600, description="Requests that one login may send in a minute.")
    turns: _Count = Field(60, description="Turns that one login may begin in a minute.")
    uploads: _Count = Field(60, description="Files that one login may upload in a minute.")
    runs: _Count = Field(20, description="Turns of one user that may run at once.")
    models: list[Open] = Field([], description="Models that users may choose for a conversation.")
    upload_mb: _Count = Field(100, description="Megabytes of one upload.")
    stored_mb: _Count = Field(2048, description="Megabytes of all uploads of one user.")
    oidc: Oidc = Field(Oidc.model_construct(), description="The issuer whose tokens are accepted.")


class Settings(Record):
    """The whole configuration file."""

    called = "The configuration"
    elsewhere = dict.fromkeys(("path_policy", *PathPolicy.model_fields), '`[flows."ID".path_policy]`')

    model: str = Field("", description="The model that answers where none is named.")
    home: str = Field("", description="The data folder.")
    graph: Annotated[str, AfterValidator(_server_address)] = Field("", description="Where the graph lives.")
    interactions: Annotated[str, AfterValidator(_log_address)] = Field(
        "", description="Where the interaction log is kept."
    )
    flows: dict[str, FlowSettings] = Field({}, description="What holds for one flow, by its id.")
    agents: dict[str, dict[str, Any]] = Field({}, description="The settings of agents, by name.")
    models: ModelsTable = Field(ModelsTable.model_construct(), description="What models cost.")
    mcp: dict[Annotated[str, AfterValidator(_server_name)], Server] = Field({}, description="MCP servers, by name.")
    http: dict[Annotated[str, AfterValidator(_host_name)], HttpHost] = Field(
        {}, description="The hosts to which flows may send requests."
    )
    service: ServiceTable = Field(ServiceTable.model_construct(), description="How the HTTP service runs.")
