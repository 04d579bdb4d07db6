"""To whom threads, files and runs belong: the one place that lets a request at them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from graphwright.api.access.errors import AccessError, not_found

if TYPE_CHECKING:
    from graphwright.api.access.principal import Principal
    from graphwright.store import Owners

Kind = Literal["thread", "file", "run"]


class Ownership:
    """Everything belongs to one user, whatever their role; to all others it is not there."""

    def __init__(self, owners: Owners) -> None:
        self._owners = owners

    async def claim(self, kind: Kind, id: str, principal: Principal) -> None:
        """Make something that was just made theirs. Raises AccessError (`taken`, 409) where it is somebody else's."""
        if not await self._owners.claim(kind, id, principal.user):
            raise AccessError(409, "taken", f"this {kind} id cannot be used", "Choose another, or none.")

    async def require(self, kind: Kind, id: str, principal: Principal) -> None:
        """Raise AccessError (`not_found`) for what is not theirs."""
        if await self._owners.owner(kind, id) != principal.user:
            raise not_found(kind)

    async def release(self, kind: Kind, id: str) -> None:
        """Something is no more."""
        await self._owners.release(kind, id)
