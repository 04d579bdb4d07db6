"""API keys. A key is shown once, when it is created; only its hash is stored."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from graphwright.errors import UsageError
from graphwright.store import ApiKey
from graphwright_server.access.principal import ROLES, unauthorized

if TYPE_CHECKING:
    from graphwright.store import Keys

LONGEST_DAYS = 3650

PREFIX = "gwk_"
_SHAPE = re.compile(rf"{PREFIX}(?P<id>[0-9a-f]{{10}})_[\w-]{{43}}\Z")
_USER = re.compile(r"[^\s\x00-\x1f\x7f]{1,200}\Z")
# A write for every request would make reads as expensive as writes.
_USED_EVERY = timedelta(minutes=1)


def is_key(text: str) -> bool:
    """Return whether a text has the form of a key."""
    return _SHAPE.match(text) is not None


async def create(keys: Keys, user: str, role: str, *, name: str = "", days: int | None = 90) -> tuple[ApiKey, str]:
    """Create a key. Returns its record, and the key itself, which cannot be shown again.

    The key expires after `days`, or never if None. Raises UsageError (`bad_user`, `bad_role`, `bad_days`).
    """
    if not _USER.match(user):
        raise UsageError("bad_user", "A user is named by 1 to 200 characters without blanks.", "Such as an address.")
    if role not in ROLES:
        raise UsageError("bad_role", f"There is no role {role[:40]!r}.", f"Choose one of: {', '.join(ROLES)}.")
    if days is not None and not 1 <= days <= LONGEST_DAYS:
        raise UsageError("bad_days", f"A key holds 1 to {LONGEST_DAYS:,} days.", "Or for ever, where it must.")
    id = secrets.token_hex(5)
    text = f"{PREFIX}{id}_{secrets.token_urlsafe(32)}"
    now = datetime.now(UTC)
    key = ApiKey(
        id=id,
        hash=_hash(text),
        user=user,
        role=role,
        name=" ".join(name.split())[:100],
        created=_time(now),
        expires=_time(now + timedelta(days=days)) if days is not None else "",
    )
    await keys.add(key)
    return key, text


async def verified(keys: Keys, text: str) -> ApiKey:
    """Return the record of the key of a request. Raises AccessError: `bad_login`, `key_revoked`, `key_expired`."""
    shape = _SHAPE.match(text)
    key = await keys.get(shape["id"]) if shape else None
    # Compare in constant time, also if no key has this id.
    if not hmac.compare_digest(key.hash if key else "", _hash(text)) or key is None:
        raise unauthorized("bad_login", "This API key is not known here.", "Check it, or ask an admin for another one.")
    # The reason is revealed only to callers who have the whole key.
    if key.revoked:
        raise unauthorized("key_revoked", f"The API key {key.id} was revoked.", "Ask an admin for another one.")
    now = datetime.now(UTC)
    if ended(key, now):
        raise unauthorized("key_expired", f"The API key {key.id} has expired.", "Ask an admin for another one.")
    if key.last_used < _time(now - _USED_EVERY):
        await keys.used(key.id)
    return key


def ended(key: ApiKey, now: datetime | None = None) -> bool:
    """Return whether a key was revoked or has expired."""
    return bool(key.revoked or (key.expires and key.expires <= _time(now or datetime.now(UTC))))


def _hash(text: str) -> str:
    # A random key of 256 bits needs no slow hash: it cannot be guessed by brute force.
    return hashlib.sha256(text.encode()).hexdigest()


def _time(moment: datetime) -> str:
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")
