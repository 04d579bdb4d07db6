"""What a route is: a path, who may call it, and a plain function of the call that gives the JSON of the answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from sqlalchemy import Connection

from graphwright_upgrade_server.access import Access
from graphwright_upgrade_server.contexts import Contexts
from graphwright_upgrade_server.database import Database

Audience = Literal["admin", "client", "open"]
"""Who calls: people and their tools, the instrumented product, or anybody."""


@dataclass(frozen=True, slots=True)
class Service:
    """What stays the same from call to call.

    `contexts` maps each context to its CONDITIONS, GROUP_TYPES, EXP_IDS (targets) and EXP_POINTS (sites).
    `strict` restores the flaws of the original where the service is kinder by default. `access` holds who may call.
    """

    database: Database
    contexts: Contexts
    access: Access
    version: str
    strict: bool


@dataclass(frozen=True, slots=True)
class Call:
    """One request, inside the transaction that it runs in.

    `body` is the JSON that was sent, an object or a list, `{}` for none. `params` are the variable parts of the path.
    The names of `headers` are lower-case.
    """

    service: Service
    connection: Connection
    body: Any
    params: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)


Handler = Callable[[Call], Any]
"""What answers a call: with something that is JSON, or with bytes that are its text already."""

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode


def encoded(answer: Any) -> bytes:
    """The JSON text of an answer, in UTF-8."""
    return _encode(answer).encode()


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A route. `handler` returns what the answer holds (status 200) or raises a Failure.

    One that `writes` runs in a transaction that begins by taking the write lock, is committed when the handler returns
    and rolled back when it raises; the others read one state of the database throughout.
    """

    method: str
    path: str
    handler: Handler
    audience: Audience
    writes: bool = False
