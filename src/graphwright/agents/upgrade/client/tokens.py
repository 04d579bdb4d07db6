"""What signs requests in: a token that was given, one that Google issues to a service account, one signed by HS256."""

from __future__ import annotations

import asyncio
import json
import time
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Protocol

import httpx

from graphwright.agents.upgrade.client.failures import BadSettings, Unauthorized, Unreachable
from graphwright.agents.upgrade.client.settings import UpgradeSettings
from graphwright.errors import said

if TYPE_CHECKING:
    from google.oauth2.service_account import Credentials

_SCOPE = "https://www.googleapis.com/auth/cloud-platform"
_LIFETIME = 3600
_GOOGLE_SECONDS = 20.0


class Token(Protocol):
    """Something that signs requests in. `name` says what it is, for people."""

    name: str
    renews: bool

    async def value(self, *, renew: bool = False) -> str:
        """The token; with `renew` a new one, because the server refused the last. Raises UpgradeError."""


class GivenToken:
    """A token that was made elsewhere. It cannot be renewed."""

    name = "the token of UPGRADE_AUTH_TOKEN"
    renews = False

    def __init__(self, token: str) -> None:
        self._token = token

    async def value(self, *, renew: bool = False) -> str:
        """The token as it was given."""
        return self._token


class ServiceAccountToken:
    """Access tokens that Google issues to a service account, renewed shortly before they expire."""

    renews = True

    def __init__(self, file: Path) -> None:
        self.name = f"the Google service account of {file}"
        self._file = file
        self._credentials: Credentials | None = None
        self._lock = asyncio.Lock()

    async def value(self, *, renew: bool = False) -> str:
        """Raises BadSettings, Unauthorized (Google refuses) and Unreachable (Google does not answer)."""
        async with self._lock:
            # google-auth is synchronous, reads a file and asks a server.
            return await asyncio.to_thread(self._issued, renew)

    def _issued(self, renew: bool) -> str:
        credentials = self._credentials = self._credentials or self._loaded()
        if renew or not credentials.valid:
            self._refresh(credentials)
        return str(credentials.token)

    def _loaded(self) -> Credentials:
        try:
            from google.oauth2.service_account import Credentials
        except ImportError:
            raise BadSettings(
                "missing_package",
                "UPGRADE_SERVICE_ACCOUNT is set, but google-auth is not installed.",
                "Install it: pip install 'graphwright[google]'.",
            ) from None
        try:
            info = json.loads(self._file.read_text("utf-8"))
        except OSError as error:
            raise self._unusable(f"cannot be read: {error.strerror}") from None
        except (ValueError, RecursionError):
            raise self._unusable("is not JSON") from None
        if not isinstance(info, dict) or info.get("type") != "service_account":
            raise self._unusable("is not the key of a service account")
        try:
            loaded: Credentials = Credentials.from_service_account_info(info, scopes=[_SCOPE])  # type: ignore[no-untyped-call]
        # What the libraries below raise for a broken key has many classes, and their texts may quote it.
        except Exception as error:
            raise self._unusable(f"is incomplete or damaged ({type(error).__name__})") from None
        return loaded

    def _refresh(self, credentials: Credentials) -> None:
        from google.auth.exceptions import GoogleAuthError, TransportError

        def request(
            url: str, method: str = "GET", body: bytes | None = None, headers: Any = None, **_: Any
        ) -> SimpleNamespace:
            # Over httpx, so that google-auth needs no second HTTP library.
            try:
                answer = httpx.request(method, url, content=body, headers=headers, timeout=_GOOGLE_SECONDS)
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                raise TransportError(error) from error  # type: ignore[no-untyped-call]
            return SimpleNamespace(status=answer.status_code, headers=answer.headers, data=answer.content)

        try:
            credentials.refresh(request)  # type: ignore[no-untyped-call]
        except TransportError as error:
            raise Unreachable(
                "unreachable", f"Google, which issues the tokens, cannot be reached: {said(error)}", "Try again later."
            ) from error
        except GoogleAuthError as error:
            hint = f"Is the key in {self._file} still valid, and the clock of this machine right?"
            raise Unauthorized("auth", f"Google issues no token to the service account: {said(error)}", hint) from error

    def _unusable(self, why: str) -> BadSettings:
        hint = "Download a JSON key of the service account, and set UPGRADE_SERVICE_ACCOUNT to its path."
        return BadSettings("bad_settings", f"{self._file}, which UPGRADE_SERVICE_ACCOUNT names, {why}.", hint)


class ClientToken:
    """A token for the client routes, signed with the secret that the server shares."""

    name = "a client token"
    renews = False

    def __init__(self, key: str, secret: str) -> None:
        self._key, self._secret = key, secret

    async def value(self, *, renew: bool = False) -> str:
        """A token that is valid for an hour from now."""
        import jwt

        now = int(time.time())
        claims: dict[str, Any] = {"APIKey": self._key, "iat": now, "exp": now + _LIFETIME}
        with warnings.catch_warnings():
            # The server chose how long its secret is; a warning at every call changes nothing.
            warnings.simplefilter("ignore")
            return jwt.encode(claims, self._secret, algorithm="HS256")


def admin_token(settings: UpgradeSettings) -> Token | None:
    """What signs in on admin routes, None for nothing."""
    if settings.auth_token:
        return GivenToken(settings.auth_token)
    return ServiceAccountToken(settings.service_account) if settings.service_account else None


def client_token(settings: UpgradeSettings) -> Token | None:
    """What signs in on client routes, None for nothing."""
    return ClientToken(settings.client_api_key, settings.client_api_secret) if settings.client_api_key else None
