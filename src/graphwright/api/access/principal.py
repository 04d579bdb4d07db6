"""Principals and their roles."""

from __future__ import annotations

from dataclasses import dataclass

from graphwright.api.access.errors import AccessError
from graphwright.store import LOCAL

ROLES = ("viewer", "user", "admin")
"""Roles in ascending order: read one's own things, talk to agents, manage keys."""


@dataclass(frozen=True, slots=True)
class Principal:
    """The user of a request. `key` is the id of the API key, or empty; `login` is false on a service without login."""

    user: str
    role: str
    key: str = ""
    login: bool = True

    def may(self, role: str) -> bool:
        """Return whether the principal has this role or a higher one."""
        return ROLES.index(self.role) >= ROLES.index(role)

    def require(self, role: str) -> None:
        """Raise AccessError (`forbidden`) if the principal's role is lower than this one."""
        if not self.may(role):
            message = f"this needs the role {role}, and {self.user} is {self.role}"
            raise AccessError(403, "forbidden", message, "Ask an admin of the service.")


THE_LOCAL_USER = Principal(LOCAL, "admin", login=False)
"""The principal of a service without login, which only this machine can reach."""
