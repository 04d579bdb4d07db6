"""What a route is: a path, who may call it and how that is checked, and a plain function that gives the answer."""

from __future__ import annotations

import hmac
import json
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from graphwright_upgrade_server.contexts import Contexts
from graphwright_upgrade_server.database import Connection, Database
from graphwright_upgrade_server.failures import INVALID_TOKEN, NO_TOKEN, UNKNOWN_CALLER, Failure, InvalidParams
from graphwright_upgrade_server.validation import is_uuid


@dataclass(frozen=True, slots=True)
class Access:
    """What is demanded of callers.

    `admin_token`: what admin routes want as their bearer token; None: they are open. `client_key` and `client_secret`:
    what a client token holds, and what it is signed with, once the setting `toCheckAuth` is on.
    """

    admin_token: str | None = field(default=None, repr=False)
    client_key: str | None = field(default=None, repr=False)
    client_secret: str | None = field(default=None, repr=False)

    @property
    def knows_clients(self) -> bool:
        """Whether there is a key and a secret to check client tokens with."""
        return bool(self.client_key and self.client_secret)

    def require_admin(self, method: str, path: str, headers: Mapping[str, str]) -> None:
        """Raise the 401 of admin routes unless the call brings the token that is demanded, if one is."""
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
        """Raise the 401 of client routes unless the call brings a token of the product, signed with our secret."""
        token = _bearer(headers)
        if token is None:
            raise Failure(401, "Token is not present in request header from client", NO_TOKEN)
        if not self.client_secret or not self.client_key:
            raise Failure(401, "Provided token is invalid", INVALID_TOKEN)
        # Not at the top: hardly anybody switches tokens on, and cryptography is slow to load.
        import jwt

        try:
            # How long the secret is, its owner decided; a server has nobody to warn of it at each request.
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


def path_id(call: Call) -> str:
    """The `{id}` of the path. Raises InvalidParams where it is no UUID."""
    given = call.params["id"]
    if not is_uuid(given):
        raise InvalidParams("the id in the path must be a UUID")
    return given.lower()
