"""Bearer tokens of an OpenID Connect provider, verified with its published keys. Nothing else is requested from it."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphwright.errors import exception_text
from graphwright_server.access.principal import ROLES, AccessError, unauthorized

if TYPE_CHECKING:
    import httpx
    from joserfc.jwk import KeySet

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519")
"""Asymmetric signatures only. With `none` or a shared secret, anyone who reads the keys could sign."""

LEEWAY = 60
"""Allowed clock difference, in seconds."""

_FRESH = 600.0
_PAUSE = 10.0
_SECONDS = 5.0
_MOST_BYTES = 1024 * 1024
_LONGEST_TOKEN = 16_384


@dataclass(frozen=True, slots=True)
class OidcSettings:
    """The OpenID Connect provider whose tokens are accepted.

    issuer the `iss` of a token, exactly audience the value that its `aud` must contain jwks the keys of the issuer: an
    address or a file; empty: as in its discovery document role_claim the claim with the role, dotted if nested
    (`realm_access.roles`); a text or a list role the role of a user without one there, one of `ROLES`; empty: such
    users are refused
    """

    issuer: str
    audience: str
    jwks: str = ""
    role_claim: str = "roles"
    role: str = "user"


class Tokens:
    """Verifies tokens. The keys are fetched on first use, and again if they are old or a token names an unknown one."""

    def __init__(
        self,
        settings: OidcSettings,
        *,
        transport: httpx.AsyncBaseTransport | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._settings = settings
        self._transport = transport
        self._clock = clock
        self._keys: KeySet | None = None
        self._fetched = 0.0
        self._tried = -_PAUSE
        self._lock = asyncio.Lock()

    async def verified(self, token: str) -> tuple[str, str]:
        """Return the user (`oidc:` and the `sub`) and the role of a token.

        Raises AccessError: `bad_login` for an invalid token, `forbidden` for a user without a role, `login_unavailable`
        if the keys cannot be fetched.
        """
        from joserfc.errors import InvalidKeyIdError, JoseError

        if len(token) > _LONGEST_TOKEN or token.count(".") != 2:
            raise _refused("it is not a signed web token")
        try:
            try:
                claims = self._checked(token, await self._key_set())
            except InvalidKeyIdError:
                # The issuer may have new keys.
                claims = self._checked(token, await self._key_set(renew=True))
        except (JoseError, ValueError, TypeError, KeyError, RecursionError) as error:
            raise _refused(exception_text(error)) from error
        return f"oidc:{claims['sub']}", self._role(claims)

    def _checked(self, token: str, keys: KeySet) -> dict[str, Any]:
        from joserfc import jwt

        decoded = jwt.decode(token, keys, algorithms=list(ALGORITHMS))
        registry = jwt.JWTClaimsRegistry(
            now=lambda: int(self._clock()),
            leeway=LEEWAY,
            iss={"essential": True, "value": self._settings.issuer},
            aud={"essential": True, "value": self._settings.audience},
            exp={"essential": True},
            sub={"essential": True},
        )
        registry.validate(decoded.claims)
        subject = decoded.claims["sub"]
        if not isinstance(subject, str) or not 0 < len(subject) <= 200 or not subject.isprintable():
            raise ValueError("its `sub` is not a plain text")
        return decoded.claims

    def _role(self, claims: Mapping[str, Any]) -> str:
        found: Any = claims
        for part in self._settings.role_claim.split("."):
            found = found.get(part) if isinstance(found, Mapping) else None
        names = [found] if isinstance(found, str) else found if isinstance(found, list) else []
        role = next((role for role in reversed(ROLES) if role in names), self._settings.role)
        if not role:
            message = (
                f"Your login has no role here: its `{self._settings.role_claim}` names none of {', '.join(ROLES)}."
            )
            raise AccessError(403, "forbidden", message, "Ask who runs the service for one.")
        return role

    async def _key_set(self, *, renew: bool = False) -> KeySet:
        """Return the keys of the issuer. Old keys stay in use while new ones cannot be fetched."""
        import httpx
        from joserfc.errors import JoseError

        now = self._clock()
        if self._keys is not None and not renew and now - self._fetched < _FRESH:
            return self._keys
        async with self._lock:
            # Limits requests to the issuer: every made-up key id would otherwise cause one.
            if now - self._tried >= _PAUSE and (renew or now - self._fetched >= _FRESH):
                self._tried = now
                try:
                    self._keys, self._fetched = await self._fetch(), now
                except (httpx.HTTPError, JoseError, OSError, ValueError, KeyError, TypeError) as error:
                    if self._keys is None:
                        raise _unavailable(self._settings, exception_text(error)) from error
            if self._keys is None:
                raise _unavailable(self._settings, "they could not be fetched a moment ago")
            return self._keys

    async def _fetch(self) -> KeySet:
        import httpx
        from joserfc.jwk import KeySet

        where = self._settings.jwks
        if where and not where.startswith(("https://", "http://")):
            found = json.loads(await asyncio.to_thread(_file, where))
        else:
            async with httpx.AsyncClient(transport=self._transport, timeout=_SECONDS) as client:
                if not where:
                    base = self._settings.issuer.rstrip("/")
                    discovered = await _json(client, f"{base}/.well-known/openid-configuration")
                    if discovered["issuer"] != self._settings.issuer:
                        raise ValueError(f"it calls itself {str(discovered['issuer'])[:200]}")
                    where = discovered["jwks_uri"]
                found = await _json(client, where)
        return KeySet.import_key_set(found)


def _file(name: str) -> bytes:
    return Path(name).expanduser().read_bytes()


async def _json(client: httpx.AsyncClient, address: str) -> Any:
    async with client.stream("GET", address) as response:
        response.raise_for_status()
        content = b""
        async for part in response.aiter_bytes():
            content += part
            if len(content) > _MOST_BYTES:
                raise ValueError(f"{address} is larger than 1 MB")
    return json.loads(content)


def _refused(why: str) -> AccessError:
    return unauthorized("bad_login", f"The token does not hold: {why.rstrip('.')}.", "Sign in again.")


def _unavailable(settings: OidcSettings, why: str) -> AccessError:
    message = f"No user can sign in: the keys of {settings.issuer} cannot be fetched: {why.rstrip('.')}."
    return AccessError(503, "login_unavailable", message, "Try again in a moment.", {"Retry-After": "10"})
