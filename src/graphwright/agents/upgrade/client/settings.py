"""Which UpGrade server to talk to and how to sign in, as the environment says."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from graphwright.agents.upgrade.client.failures import BadSettings


@dataclass(frozen=True, slots=True)
class UpgradeSettings:
    """What holds for a connection. `api_url` ends in `/api` and is empty for the local service.

    Admin routes are asked with `auth_token`, else as the Google service account whose file `service_account` is, else
    without a token; client routes with a token made of `client_api_key` and `client_api_secret` where both are set.
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

        def said(name: str) -> str:
            return environ.get(name, "").strip()

        token, account = said("UPGRADE_AUTH_TOKEN"), said("UPGRADE_SERVICE_ACCOUNT")
        key, secret = said("UPGRADE_CLIENT_API_KEY"), said("UPGRADE_CLIENT_API_SECRET")
        if token and account:
            raise _bad("UPGRADE_AUTH_TOKEN and UPGRADE_SERVICE_ACCOUNT are both set.", "Unset one of them.")
        if not token.isascii() or not token.isprintable() or " " in token:
            raise _bad(
                "UPGRADE_AUTH_TOKEN is no token: it holds spaces or other signs that none has.",
                "Give the token alone, without `Bearer`.",
            )
        if bool(key) != bool(secret):
            names = ["UPGRADE_CLIENT_API_KEY", "UPGRADE_CLIENT_API_SECRET"]
            there, missing = names if key else reversed(names)
            raise _bad(f"{there} is set, but {missing} is not.", "Set both, or neither.")
        return cls(
            api_url=api_url(said("UPGRADE_API_URL")),
            service_account=Path(account).expanduser().absolute() if account else None,
            auth_token=token,
            client_api_key=key,
            client_api_secret=secret,
        )


def api_url(address: str) -> str:
    """The base of an address, with or without `/api` at its end: `https://host/api`; empty for an empty one.

    Raises BadSettings, which shows nothing of an address that may hold a password.
    """
    if not address:
        return ""
    example = "Write it as https://upgrade.example.com or http://127.0.0.1:3030/api."
    try:
        parts = urlsplit(address)
        # Reading the port checks it.
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
        parts = urlsplit("")
    if usable and (parts.username is not None or parts.password is not None):
        raise _bad("UPGRADE_API_URL holds a name or a password.", f"Take it out. {example}")
    if not usable or parts.query or parts.fragment or any(c.isspace() or not c.isprintable() for c in address):
        raise _bad("what UPGRADE_API_URL says is not the address of a server.", example)
    path = parts.path.rstrip("/")
    return f"{parts.scheme}://{parts.netloc}{path if path.endswith('/api') else f'{path}/api'}"


def _bad(message: str, hint: str) -> BadSettings:
    return BadSettings("bad_settings", message, hint)
