"""Routes: a path, its access control, and a plain function that returns the answer."""

from __future__ import annotations

import hmac
import json
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from graphwright_upgrade_server._contexts import Contexts
from graphwright_upgrade_server._database import Connection, Database
from graphwright_upgrade_server._validation import is_uuid
from graphwright_upgrade_server.failures import INVALID_TOKEN, NO_TOKEN, UNKNOWN_CALLER, Failure, InvalidParams


@dataclass(frozen=True, slots=True)
class Access:
    """The requirements for callers.

    `admin_token` is the bearer token of admin routes; None: they are open. `client_key` is the content of a client
    token and `client_secret` its signing key, if the setting `toCheckAuth` is on.
    """

    admin_token: str | None = field(default=None, repr=False)
    client_key: str | None = field(default=None, repr=False)
    client_secret: str | None = field(default=None, repr=False)

    @property
    def knows_clients(self) -> bool:
        """Whether client tokens can be checked with a key and a secret."""
        return bool(self.client_key and self.client_secret)

    def require_admin(self, method: str, path: str, headers: Mapping[str, str]) -> None:
        """Raise the 401 of admin routes unless the call has the required token, if there is one."""
        if self.admin_token is None:
            return
        given = _bearer(headers)
        if given is None or not hmac.compare_digest(given.encode(), self.admin_token.encode()):
            raise Failure(
                401,
                f"Authorization is required for request on {method} {path}",
                UNKNOWN_CALLER,
                name="AuthorizationRequiredError",
            )

    def require_client(self, headers: Mapping[str, str]) -> None:
        """Raise the 401 of client routes unless the call has a token of the product, signed with our secret."""
        token = _bearer(headers)
        if token is None:
            raise Failure(401, "Token is not present in request header from client", NO_TOKEN)
        if not self.client_secret or not self.client_key:
            raise Failure(401, "Provided token is invalid", INVALID_TOKEN)
        # Imported late: tokens are rarely used, and cryptography is slow to load.
        import jwt

        try:
            # The owner chose the length of the secret, so a warning at each request does not help.
            with warnings.catch_warnings(action="ignore"):
                claims = jwt.decode(token, self.client_secret, algorithms=["HS256"])
        except jwt.ExpiredSignatureError:
            raise Failure(401, "jwt expired", INVALID_TOKEN, name="TokenExpiredError") from None
        except jwt.InvalidSignatureError:
            raise Failure(401, "invalid signature", INVALID_TOKEN, name="JsonWebTokenError") from None
        except jwt.InvalidAlgorithmError:
            raise Failure(401, "invalid algorithm", INVALID_TOKEN, name="JsonWebTokenError") from None
        except jwt.PyJWTError:
            raise Failure(401, "jwt malformed", UNKNOWN_CALLER, name="JsonWebTokenError") from None
        if claims.keys() - {"iat", "exp"} != {"APIKey"} or claims["APIKey"] != self.client_key:
            raise Failure(401, "Provided token is invalid", INVALID_TOKEN)


def _bearer(headers: Mapping[str, str]) -> str | None:
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None


Audience = Literal["admin", "client", "open"]
"""The callers: people and their tools, the instrumented product, or anyone."""


@dataclass(frozen=True, slots=True)
class Service:
    """The data that all calls share.

    `contexts` maps each context to its CONDITIONS, GROUP_TYPES, EXP_IDS (targets) and EXP_POINTS (sites). `strict`
    restores the flaws of the original that the service corrects by default. `access` is the access control.
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
    The names of `headers` are in lower case.
    """

    service: Service
    connection: Connection
    body: Any
    params: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)


Handler = Callable[[Call], Any]
"""Answers a call with a JSON value, or with bytes that are already its JSON text."""

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode


def encoded(answer: Any) -> bytes:
    """The JSON text of an answer, in UTF-8."""
    return _encode(answer).encode()


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A route. `handler` returns the content of the answer (status 200) or raises a Failure.

    A route that `writes` runs in a transaction that takes the write lock first, is committed when the handler returns
    and rolled back when it raises; the others read one state of the database throughout.
    """

    method: str
    path: str
    handler: Handler
    audience: Audience
    writes: bool = False


def path_id(call: Call) -> str:
    """The `{id}` of the path. Raises InvalidParams if it is not a UUID."""
    given = call.params["id"]
    if not is_uuid(given):
        raise InvalidParams("the id in the path must be a UUID")
    return given.lower()
