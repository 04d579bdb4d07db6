"""Authentication: who sends a request, by its API key or token, and whether the role allows it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Depends, Request

from graphwright.store import StoreError
from graphwright_server.access._keys import ended, is_key, verified
from graphwright_server.access.principal import ROLES, THE_LOCAL_USER, AccessError, Principal, unauthorized

if TYPE_CHECKING:
    from fastapi.dependencies.models import Dependant

    from graphwright.store import Keys
    from graphwright_server.access._oidc import Tokens
    from graphwright_server.access.principal import Limits

__all__ = ["Viewer", "User"]

_IN_ADDRESS = frozenset(("access_token", "api_key", "apikey", "authorization", "key", "token"))


class Gate:
    """Identifies the principal of a request. Without `login`, every request is the local user's."""

    def __init__(self, keys: Keys, limits: Limits, *, login: bool, tokens: Tokens | None = None) -> None:
        self.login = login
        self._keys = keys
        self._limits = limits
        self._tokens = tokens

    async def identify(self, headers: Mapping[str, str], query: Mapping[str, str]) -> Principal:
        """Return the principal of a request. Header names are lower case.

        Raises AccessError: `login_required`, `bad_login`, `key_revoked`, `key_expired`, `key_in_address`, `forbidden`,
        `too_many_requests`, `login_unavailable`.
        """
        for name, value in query.items():
            # Addresses are kept in logs, histories and referrers.
            if is_key(value) or (self.login and name.lower() in _IN_ADDRESS):
                message = "The address contains a key or token, and logs and histories record addresses."
                raise AccessError(
                    400,
                    "key_in_address",
                    message,
                    "Send it in the Authorization header, after the word Bearer, and revoke this one.",
                )
        if not self.login:
            return THE_LOCAL_USER
        principal = await self._principal(_credential(headers))
        await self._limits.take(principal, "requests")
        return principal

    async def still_holds(self, principal: Principal) -> bool:
        """Return whether the key of a request is still valid: it may end while the response is streamed.

        False if the store cannot be read: the stream ends, and the listener may reconnect.
        """
        if not self.login or not principal.key:
            return True
        try:
            key = await self._keys.get(principal.key)
        except StoreError:
            return False
        return key is not None and not ended(key)

    async def _principal(self, credential: str) -> Principal:
        if is_key(credential):
            key = await verified(self._keys, credential)
            return Principal(key.user, key.role, key.id)
        if self._tokens is not None:
            return Principal(*await self._tokens.verified(credential))
        raise unauthorized("bad_login", "This is not an API key of this service.", "A key begins with gwk_.")


def _credential(headers: Mapping[str, str]) -> str:
    scheme, _, value = headers.get("authorization", "").strip().partition(" ")
    found = value.strip() if scheme.lower() == "bearer" else headers.get("x-api-key", "").strip()
    if not found:
        raise unauthorized(
            "login_required",
            "This service requires a login.",
            "Send an API key in the Authorization header, after the word Bearer.",
        )
    return found


async def identified(request: Request) -> Principal:
    """Return the principal of a request, identified once."""
    found: Principal | None = getattr(request.state, "principal", None)
    if found is None:
        gate: Gate = request.app.state.gate
        found = request.state.principal = await gate.identify(request.headers, request.query_params)
    return found


_ROLES: dict[Any, str] = {}
"""The role that a dependency of routes requires."""


def _at_least(role: str) -> Callable[[Principal], Awaitable[Principal]]:
    async def check(principal: Annotated[Principal, Depends(identified)]) -> Principal:
        principal.require(role)
        return principal

    _ROLES[check] = role
    return check


def role_of(dependant: Dependant) -> str | None:
    """Return the role that a route requires, from its dependencies; None if everyone may call it."""
    found = [role for each in dependant.dependencies if (role := role_of(each)) is not None]
    if dependant.call in _ROLES:
        found.append(_ROLES[dependant.call])
    return max(found, key=ROLES.index, default=None)


viewer = _at_least("viewer")
"""The dependency of routes that need at least the role viewer."""

Viewer = Annotated[Principal, Depends(viewer)]
User = Annotated[Principal, Depends(_at_least("user"))]
Author = Annotated[Principal, Depends(_at_least("author"))]
Publisher = Annotated[Principal, Depends(_at_least("publisher"))]
Admin = Annotated[Principal, Depends(_at_least("admin"))]
