"""What a proposal may not do, whatever the model: sizes, secrets, undeclared actions, hosts and tools not allowed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from graphwright.authoring._commands import Data, Refused, action_nodes, all_nodes
from graphwright.errors import redact
from graphwright.flow import Catalogue
from graphwright.flow._ready_made import TEMPLATED
from graphwright.text.near_names import Names

MOST_COMMANDS = 300
"""The maximum number of commands in one reply."""

LONGEST_TEXT = 20_000
"""The maximum length of a text in a command, in characters."""

LONGEST_DOCUMENT = 200_000
"""The maximum length of a flow document that a model is shown and changes, in characters."""


@dataclass(frozen=True, slots=True)
class Allowed:
    """The names for nodes: the Python of the agent, and the hosts and MCP servers of the operator's configuration.

    `servers` maps a server to the only tools that are offered; an empty list stands for all. `prompts` are the prompt
    files of the agent.
    """

    catalogue: Catalogue = field(default_factory=Catalogue)
    hosts: Sequence[str] = ()
    servers: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def prompts(self) -> Sequence[str]:
        return sorted(self.catalogue.prompts or ())


def check_proposed(value: Any) -> None:
    """Refuse a command or conversation that is too large or has a secret."""
    texts = _texts(value)
    for text in texts:
        if len(text) > LONGEST_TEXT:
            raise Refused(f"A text has {len(text):,} characters; at most {LONGEST_TEXT:,} are allowed.")
    # A name and its value may be a secret only together.
    if any(redact(text) != text for text in (*texts, json.dumps(value, ensure_ascii=False))):
        raise Refused("It contains what looks like a secret. Secrets belong in the operator's configuration.")


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    parts = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in parts for text in _texts(part)]


def check_allowed(before: Data, after: Data, allowed: Allowed) -> None:
    """Refuse a change that makes an action node use what is not declared or not allowed.

    Nodes that are the same as before are not looked at: a person wrote them.
    """
    known = [*action_nodes(before)]
    for node in action_nodes(after):
        if node not in known:
            _check_action(node, allowed)


def _check_action(node: Data, allowed: Allowed) -> None:
    run, given = node.get("run"), node.get("with")
    actions = allowed.catalogue.actions
    if not isinstance(run, str) or run in actions:
        return
    if run not in TEMPLATED:
        names = [*actions, *TEMPLATED]
        hint = Names(names).hint(run, f"There are: {', '.join(names)}.")
        raise Refused(f"`{node.get('id')}` runs `{run}`, which is not declared. {hint} Code cannot be added here.")
    if not isinstance(given, dict):
        raise Refused(f"The ready-made action `{run}` needs its parameters in `with`.")
    if run == "http_request":
        _check_host(given.get("url"), allowed)
    elif run == "call_tool":
        _check_tool(given.get("server"), given.get("tool"), allowed)


def _check_host(url: Any, allowed: Allowed) -> None:
    if not isinstance(url, str):
        return
    try:
        host = urlsplit(url).netloc.lower()
    except ValueError:
        host = ""
    if host.removesuffix(":443") not in allowed.hosts and host not in allowed.hosts:
        known = f"Allowed are {', '.join(allowed.hosts)}." if allowed.hosts else "None is allowed."
        hint = "Only the operator can allow a host, in graphwright.toml."
        raise Refused(f"Requests to the host `{host[:100]}` are not allowed. {known} {hint}")


def _check_tool(server: Any, tool: Any, allowed: Allowed) -> None:
    if not isinstance(server, str) or not isinstance(tool, str):
        return
    if server not in allowed.servers:
        known = f"There are {', '.join(allowed.servers)}." if allowed.servers else "There is none."
        hint = "Only the operator can add one, in graphwright.toml."
        raise Refused(f"The MCP server `{server[:100]}` is not in the configuration. {known} {hint}")
    tools = allowed.servers[server]
    if tools and tool not in tools:
        raise Refused(f"The server `{server}` offers only {', '.join(tools)}, not `{tool[:100]}`.")


def only_earlier_ids(before: Data, after: Data) -> Data:
    """Keep in `was` only ids that waiting conversations can have: those of the present document, and its own `was`."""
    known = all_nodes(before)
    present = {each for node in known.values() for each in _was(node)} | known.keys()
    for node in all_nodes(after).values():
        was = [each for each in _was(node) if each in present]
        if was == _was(node):
            continue
        if was:
            node["was"] = was[0] if len(was) == 1 else was
        else:
            del node["was"]
    return after


def _was(node: Data) -> list[str]:
    was = node.get("was", [])
    return [was] if isinstance(was, str) else [each for each in was if isinstance(each, str)]
