"""Who asks, and what their role lets them do."""

from __future__ import annotations

from dataclasses import dataclass

from graphwright.api.access.errors import AccessError
from graphwright.store import LOCAL

ROLES = ("viewer", "user", "admin")
"""Each may all that those before it may: look at their own things, talk to agents, and manage keys."""


@dataclass(frozen=True, slots=True)
class Principal:
    """Who asks. `key` is the id of their API key, empty for a token; `login` is false on a service without login."""

    user: str
    role: str
    key: str = ""
    login: bool = True

    def may(self, role: str) -> bool:
        """Whether their role is this one or one above it."""
        return ROLES.index(self.role) >= ROLES.index(role)

    def require(self, role: str) -> None:
        """Raise AccessError (`forbidden`) where their role is below this one."""
        if not self.may(role):
            message = f"this needs the role {role}, and {self.user} is {self.role}"
            raise AccessError(403, "forbidden", message, "Ask an admin of the service.")


THE_LOCAL_USER = Principal(LOCAL, "admin", login=False)
"""Who asks a service without login, which only this machine reaches."""
