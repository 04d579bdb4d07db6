"""Ready-made actions: their channel, prompt file, address and confirmation."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from graphwright.errors import redact
from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._draft import Draft, DraftNode
from graphwright.flow._expressions import channel_schema
from graphwright.flow._json_schemas import TYPES, allows_type
from graphwright.flow._ready_made import SAFE_METHODS, WITH, has_effects
from graphwright.flow._source import Path, Reporter
from graphwright.flow.checks._map import confirmed_graphs
from graphwright.flow.compiled import Catalogue
from graphwright.text.near_names import Names, listed

_HOST = re.compile(r"https?://[^/?#{}\s\\]+")
_IN_HEADERS = 'The operator gives it to requests to this host: `headers` in `[http."HOST"]` of graphwright.toml.'


def check_ready_made(draft: Draft, catalogue: Catalogue | None, out: Reporter) -> None:
    """Check the parameters that nodes pass to ready-made actions. Their shape and expressions were checked before."""
    confirmed = confirmed_graphs(draft)
    for node in draft.nodes.values():
        if node.is_ready_made:
            _check_channel(draft, node, out)
            if node.graph not in confirmed:
                _check_confirmed(node, out)
            if node.data["run"] == "ask_model" and catalogue is not None and catalogue.prompts is not None:
                _check_prompt(node, catalogue.prompts, out)
            elif node.data["run"] == "http_request":
                _check_request(node, out)


def _check_channel(draft: Draft, node: DraftNode, out: Reporter) -> None:
    into, path = node.parameters.get("into"), (*node.path, WITH, "into")
    if isinstance(into, str) and into not in draft.state:
        hint = Names(draft.state).hint(into, f"Add it under `state`, as `{into}: {{type: ...}}`.")
        out.add(Code.ACTION_WRITES, path, f"`{into}` is not a channel of the flow.", hint)
        return
    schema = node.parameters.get("schema")
    if isinstance(schema, Mapping) and isinstance(into, str) and node.sound and into not in draft.unsound:
        channel = channel_schema(draft.state[into])
        unfit = [name for name in TYPES if allows_type(schema, name) and not allows_type(channel, name)]
        if unfit:
            message = f"An answer may be of type {listed(unfit)}, which the channel `{into}` does not take."
            related = [("the channel", ("state", into))]
            hint = "Leave `schema` out: the schema of the channel is the default."
            out.add(Code.ANSWER_MISFITS, (*node.path, WITH, "schema"), message, hint, key=True, related=related)


def _check_confirmed(node: DraftNode, out: Reporter) -> None:
    run = node.data["run"]
    if "confirm" in node.data or run not in ("http_request", "call_tool") or not has_effects(node.parameters, run):
        return
    hint = "Ask before it with a question of `read: confirm`, and write `confirm: {by: THE_QUESTION, over: [...]}`."
    if run == "http_request":
        path, what = (*node.path, WITH, "method"), f"A request with {node.parameters.get('method')}"
    else:
        path, what = (*node.path, "run"), "A tool that is not marked `read_only: true`"
        hint = f"{hint} If the tool changes nothing, mark it."
    out.add(Code.CONFIRM_REQUIRED, path, f"{what} may change something, so `{node.id}` needs a `confirm`.", hint)


def _check_prompt(node: DraftNode, prompts: Mapping[str, str], out: Reporter) -> None:
    name, path = node.parameters.get("prompt"), (*node.path, WITH, "prompt")
    if not isinstance(name, str):
        return
    if name not in prompts:
        hint = Names(prompts).hint(name, f"Write `prompts/{name}.j2` beside the flow.")
        out.add(Code.PROMPT_FILE, path, f"There is no prompt file `prompts/{name}.j2`.", hint)
        return
    from jinja2 import Environment, TemplateSyntaxError, meta

    try:
        needed = meta.find_undeclared_variables(Environment(autoescape=True).parse(prompts[name]))
    except TemplateSyntaxError as error:
        message = f"The prompt file `prompts/{name}.j2` is not a template: line {error.lineno}: {error.message}."
        out.add(Code.PROMPT_FILE, path, message, "Correct the template.")
        return
    given = node.parameters.get("inputs", {})
    if lacking := sorted(needed - given.keys()):
        message = f"The prompt `{name}` needs {listed(lacking)}, which `inputs` does not give."
        hint = f"Write `inputs: {{{', '.join(f'{each}: ...' for each in lacking)}}}`."
        out.add(Code.PROMPT_FILE, path, message, hint)
    for unused in sorted(given.keys() - needed):
        hint = Names(needed).hint(unused, f"It uses {listed(sorted(needed))}." if needed else "It uses none.")
        message = f"The prompt `{name}` does not use the input `{unused}`."
        out.add(Code.PROMPT_FILE, (*node.path, WITH, "inputs", unused), message, hint, key=True)


def _check_request(node: DraftNode, out: Reporter) -> None:
    url, path = node.parameters.get("url"), (*node.path, WITH, "url")
    if isinstance(url, str):
        host = _HOST.match(url)
        if host is None or url[host.end() : host.end() + 1] not in ("", "/", "?", "#"):
            message = "The address must begin with https:// and the name of a host, without an expression in it."
            hint = "For example `https://api.example.org/orders/{{ answers.number }}`."
            out.add(Code.REQUEST_ADDRESS, path, message, hint)
        elif "@" in host[0] or redact(url) != url:
            message = "The address contains a secret, which would appear in traces and logs."
            out.add(Code.REQUEST_ADDRESS, path, message, _IN_HEADERS)
        elif _port(url) is None:
            out.add(Code.REQUEST_ADDRESS, path, "The port in the address is not a number from 1 to 65535.", "")
    headers: Mapping[str, Any] = node.parameters.get("headers", {})
    for name, value in headers.items():
        where: Path = (*node.path, WITH, "headers", name)
        if not re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", name):
            out.add(Code.BAD_NAME, where, f"`{name[:60]}` cannot be the name of a header.", "Use letters.", key=True)
        elif redact(f"{name}: {value}") != f"{name}: {value}" or name.lower() in _OWN_HEADERS:
            if name.lower() in ("host", "content-length", "transfer-encoding", "connection"):
                message, hint = f"The header `{name}` is set by the request itself.", "Remove it."
            else:
                message, hint = f"The header `{name}` contains a secret, which does not belong in a flow.", _IN_HEADERS
            out.add(Code.REQUEST_ADDRESS, where, message, hint)
    if node.parameters.get("method", "GET") in SAFE_METHODS and node.parameters.get("body") is not None:
        message = f"A request with {node.parameters.get('method', 'GET')} has no body."
        out.add(Code.REQUEST_ADDRESS, (*node.path, WITH, "body"), message, "Remove it, or use POST.", key=True)


_OWN_HEADERS = frozenset(
    ("host", "content-length", "transfer-encoding", "connection", "authorization", "cookie", "proxy-authorization")
)


def _port(url: str) -> int | None:
    try:
        return urlsplit(url).port or 443
    except ValueError:
        return None
