"""Which UpGrade server to talk to, as the environment says, and what signs requests in there."""

from __future__ import annotations

import asyncio
import json
import os
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

import httpx

from graphwright.errors import exception_text
from graphwright_upgrade.client._failures import BadSettings, Unauthorized, Unreachable

if TYPE_CHECKING:
    from google.oauth2.service_account import Credentials

_SCOPE = "https://www.googleapis.com/auth/cloud-platform"
_LIFETIME = 3600
_GOOGLE_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class UpgradeSettings:
    """The settings of a connection. `api_url` ends in `/api` and is empty for the local service.

    Admin routes use `auth_token`, or else the Google service account in the file `service_account`, or no token. Client
    routes use a token made from `client_api_key` and `client_api_secret` if both are set.
    """

    api_url: str = ""
    service_account: Path | None = None
    auth_token: str = field(default="", repr=False)
    client_api_key: str = field(default="", repr=False)
    client_api_secret: str = field(default="", repr=False)

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] | None = None) -> UpgradeSettings:
        """The settings of an environment, that of the process unless given. Raises BadSettings."""
        environ = os.environ if environ is None else environ

        def setting(name: str) -> str:
            return environ.get(name, "").strip()

        token, account = setting("UPGRADE_AUTH_TOKEN"), setting("UPGRADE_SERVICE_ACCOUNT")
        key, secret = setting("UPGRADE_CLIENT_API_KEY"), setting("UPGRADE_CLIENT_API_SECRET")
        if token and account:
            raise _bad("UPGRADE_AUTH_TOKEN and UPGRADE_SERVICE_ACCOUNT are both set.", "Unset one of them.")
        if not token.isascii() or not token.isprintable() or " " in token:
            raise _bad(
                "UPGRADE_AUTH_TOKEN is not a token: it contains spaces or other characters that no token has.",
                "Set only the token, without `Bearer`.",
            )
        if bool(key) != bool(secret):
            message = "Only one of UPGRADE_CLIENT_API_KEY and UPGRADE_CLIENT_API_SECRET is set."
            raise _bad(message, "Set both, or neither.")
        return cls(
            api_url=_api_url(setting("UPGRADE_API_URL")),
            service_account=Path(account).expanduser().absolute() if account else None,
            auth_token=token,
            client_api_key=key,
            client_api_secret=secret,
        )


def _api_url(address: str) -> str:
    """The base of an address, with or without `/api` at its end: `https://host/api`; empty for an empty one.

    The error shows nothing of an address that may hold a password.
    """
    if not address:
        return ""
    try:
        parts = urlsplit(address)
        # Reading the port checks it.
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    extra = "@?#"  # A name or a password, a query, a fragment.
    if not usable or any(c in extra or c.isspace() or not c.isprintable() for c in address):
        raise _bad(
            "The value of UPGRADE_API_URL is not the address of a server alone.",
            "Write it as https://upgrade.example.com or http://127.0.0.1:3030/api, without a name or a password.",
        )
    path = parts.path.rstrip("/")
    return f"{parts.scheme}://{parts.netloc}{path if path.endswith('/api') else f'{path}/api'}"


def _bad(message: str, hint: str) -> BadSettings:
    return BadSettings("bad_settings", message, hint)


# Signing in


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
            loaded: Credentials = Credentials.from_service_account_info(info, scopes=[_SCOPE])  # type: ignore[no-untyped-call]
        # The libraries raise many classes of errors for a broken key, and their messages may quote it.
        except Exception as error:
            why = error.strerror if isinstance(error, OSError) else type(error).__name__
            raise _bad(
                f"{self._file}, which UPGRADE_SERVICE_ACCOUNT names, is not the key of a service account ({why}).",
                "Download a JSON key of the service account, and set UPGRADE_SERVICE_ACCOUNT to its path.",
            ) from None
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
            message = f"Google, which issues the tokens, cannot be reached: {exception_text(error)}."
            raise Unreachable("unreachable", message, "Try again later.") from error
        except GoogleAuthError as error:
            hint = f"Is the key in {self._file} still valid, and the clock of this machine right?"
            raise Unauthorized(
                "auth", f"Google issues no token to the service account: {exception_text(error)}.", hint
            ) from error


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
    """The authentication of admin routes, or None."""
    if settings.auth_token:
        return GivenToken(settings.auth_token)
    return ServiceAccountToken(settings.service_account) if settings.service_account else None


def client_token(settings: UpgradeSettings) -> Token | None:
    """The authentication of client routes, or None."""
    return ClientToken(settings.client_api_key, settings.client_api_secret) if settings.client_api_key else None
