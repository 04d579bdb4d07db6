"""Where a Neo4j server is and who asks it: the URL without its secrets, and the secrets from the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import SplitResult, unquote, urlsplit

from graphwright.errors import HIDDEN, said
from graphwright.graphstore.errors import GraphUnavailable

SCHEMES = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")
"""`+s` encrypts and checks the certificate, `+ssc` encrypts and takes any; `bolt` asks one server, without routing."""

_HINT = "Write neo4j://HOST:PORT, or neo4j+s:// for an encrypted connection. User and password go into " + (
    "NEO4J_USERNAME and NEO4J_PASSWORD, the name of a database into NEO4J_DATABASE."
)


@dataclass(frozen=True, slots=True)
class Address:
    """A server, a database on it (empty: its default one), and who asks. `url` holds no user and no password."""

    url: str
    database: str
    user: str
    password: str = field(repr=False)

    @property
    def name(self) -> str:
        """How people are told of it."""
        return f"Neo4j at {self.url}" + (f", database {self.database}" if self.database else "")

    def said(self, error: BaseException) -> str:
        """What an exception says, on one line, without the password, wherever it came from."""
        text = said(error)
        return text.replace(self.password, HIDDEN) if self.password else text


def address(url: str, environment: Mapping[str, str] = os.environ) -> Address:
    """The address that a URL and the environment give. Raises GraphUnavailable (`bad_graph_url`), without the URL.

    User and password stand in the URL, else in NEO4J_USERNAME (`neo4j` without it) and NEO4J_PASSWORD. With neither,
    the server is asked without any.
    """
    try:
        parts = urlsplit(url.strip())
        host, port = parts.hostname, parts.port
    except ValueError:
        # What it says quotes the URL, and with it a password.
        raise _bad("its host or its port cannot be read") from None
    if parts.scheme not in SCHEMES:
        raise _bad(f"it begins with none of {', '.join(f'{scheme}://' for scheme in SCHEMES)}")
    if not host:
        raise _bad("it names no host")
    if parts.path.strip("/") or parts.query or parts.fragment:
        raise _bad("something follows the host and the port")
    user, password = _who(parts, environment)
    place = f"[{host}]" if ":" in host else host
    return Address(
        url=f"{parts.scheme}://{place}" + (f":{port}" if port else ""),
        database=environment.get("NEO4J_DATABASE", "").strip(),
        user=user,
        password=password,
    )


def _who(parts: SplitResult, environment: Mapping[str, str]) -> tuple[str, str]:
    password = unquote(parts.password or "") or environment.get("NEO4J_PASSWORD", "")
    user = unquote(parts.username or "") or environment.get("NEO4J_USERNAME", "").strip()
    return user or ("neo4j" if password else ""), password


def _bad(why: str) -> GraphUnavailable:
    return GraphUnavailable("bad_graph_url", f"the URL of the Neo4j server cannot be used: {why}", _HINT)
