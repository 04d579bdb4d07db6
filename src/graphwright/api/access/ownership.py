"""Ownership of threads, files and runs: the only module that checks it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from graphwright.api.access.errors import AccessError, not_found

if TYPE_CHECKING:
    from graphwright.api.access.principal import Principal
    from graphwright.store import Owners

Kind = Literal["thread", "file", "run"]


class Ownership:
    """Every thread, file and run belongs to one user. For other users, whatever their role, it does not exist."""

    def __init__(self, owners: Owners) -> None:
        self._owners = owners

    async def claim(self, kind: Kind, id: str, principal: Principal) -> None:
        """Make the principal the owner of something new. Raises AccessError (`taken`, 409) if it has another owner."""
        if not await self._owners.claim(kind, id, principal.user):
            raise AccessError(409, "taken", f"this {kind} id cannot be used", "Choose another, or none.")

    async def require(self, kind: Kind, id: str, principal: Principal) -> None:
        """Raise AccessError (`not_found`) if the principal is not the owner."""
        if await self._owners.owner(kind, id) != principal.user:
            raise not_found(kind)

    async def release(self, kind: Kind, id: str) -> None:
        """Remove the owner of something that was deleted."""
        await self._owners.release(kind, id)
