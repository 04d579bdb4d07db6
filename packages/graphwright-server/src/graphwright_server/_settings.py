"""Settings of the service: address, data, limits and login, from `[service]` and the command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from graphwright.config import current
from graphwright_server.access._oidc import OidcSettings
from graphwright_server.access.principal import LimitSettings

PORT = 8420
_LOOPBACK = frozenset(("127.0.0.1", "::1", "localhost"))


@dataclass(frozen=True, slots=True)
class ServiceSettings:
    """`host` and `port` are the address to listen on; `hosts` are additional host names that requests may use.
    `home` and `model` are those of `Workspace`. `agents` are folders or flow files that are served in addition to
    the installed agents. `login` requires a login on this machine, too; on any other address it is always required.
    `dev` serves only `agents`, takes every change of their files, and shows tracebacks. `upload_bytes` is the
    maximum size of one upload, `stored_bytes` of all uploads of a user. `models` are those that users may choose for a
    conversation, in place of `model`.
    """

    host: str = "127.0.0.1"
    port: int = PORT
    home: Path | None = None
    model: Any = None
    hosts: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    login: bool = False
    dev: bool = False
    oidc: OidcSettings | None = None
    limits: LimitSettings = field(default_factory=LimitSettings)
    upload_bytes: int = 100 * 2**20
    stored_bytes: int = 2 * 2**30
    models: tuple[str, ...] = ()

    @property
    def local(self) -> bool:
        """Whether only this machine can reach the service."""
        return self.host in _LOOPBACK

    @property
    def needs_login(self) -> bool:
        """Whether every request must be authenticated."""
        return self.login or not self.local

    @property
    def names(self) -> frozenset[str]:
        """The host names that requests may use; empty if any name is allowed."""
        if not self.local and not self.hosts:
            return frozenset()
        return _LOOPBACK | {self.host, *self.hosts}

    @classmethod
    def configured(cls, **given: Any) -> Self:
        """Return the settings of `[service]`, overridden by the arguments that are not None. Raises ConfigError."""
        config = current()
        table: Mapping[str, Any] = config.service
        numbers = {name: table[name] for name in ("requests", "turns", "uploads", "runs") if name in table}
        read: dict[str, Any] = {name: table[name] for name in ("host", "port", "login") if name in table}
        read |= {name: tuple(table[name]) for name in ("hosts", "agents", "models") if name in table}
        read |= {"limits": replace(LimitSettings(), **numbers)} if numbers else {}
        read |= {f"{name[:-3]}_bytes": table[name] * 2**20 for name in ("upload_mb", "stored_mb") if name in table}
        read |= {"oidc": OidcSettings(**table["oidc"])} if table.get("oidc") else {}
        if config.file is not None:
            read["agents"] = tuple(str(config.file.parent / Path(each).expanduser()) for each in read.get("agents", ()))
        return cls(**{**read, **{name: value for name, value in given.items() if value is not None}})
