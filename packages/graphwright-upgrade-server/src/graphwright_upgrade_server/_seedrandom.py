"""The seeded draw: the same random numbers as `seedrandom` 3.0.5 of npm for a seed, bit for bit."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

_IDENTITY = bytes(range(256))
_DISCARDED = (*range(1, 256), 0)


# A draw takes longer than the rest of an assign, and is repeated for the same user.
@lru_cache(maxsize=65_536)
def rand(seed: str) -> float:
    """The first number of the stream of a seed, in [0, 1)."""
    return next(stream(seed))


def stream(seed: str) -> Iterator[float]:
    """All numbers of a seed, in [0, 1): an RC4 key stream whose bytes are read as doubles."""
    drawn = _bytes(_key(seed))
    while True:
        # A double has 53 bits. Only whole bytes can be drawn, so that additional bits are shifted out again.
        number, scale, spare = int.from_bytes([next(drawn) for _ in range(6)], "big"), 1 << 48, 0
        while number < 1 << 52:
            number, scale, spare = number + spare << 8, scale << 8, next(drawn)
        while number >= 1 << 53:
            number, scale, spare = number >> 1, scale >> 1, spare >> 1
        yield (number + spare) / scale


def _key(seed: str) -> bytes:
    """The key of at most 256 bytes: the lower byte of each UTF-16 unit, because the upper ones cancel modulo 256.

    Units beyond 256 are mixed into the key from its beginning.
    """
    units = seed.encode("utf-16-le", "surrogatepass")[::2]
    key, smear = bytearray(units[:256]), 0
    for position in range(256, len(units)):
        smear ^= key[position & 255] * 19
        key[position & 255] = smear + units[position] & 255
    return bytes(key) or b"\0"


def _bytes(key: bytes) -> Iterator[int]:
    """The key stream of RC4 without its first 256 bytes, which reveal too much of the key."""
    state = list(_IDENTITY)
    j = 0
    for i, part in enumerate((key * (256 // len(key) + 1))[:256]):
        held = state[i]
        j = j + held + part & 255
        state[i] = state[j]
        state[j] = held
    i = j = 0
    # This loop is half of a draw: it omits work that only the kept bytes need.
    for i in _DISCARDED:
        held = state[i]
        j = j + held & 255
        state[i] = state[j]
        state[j] = held
    while True:
        i = i + 1 & 255
        held = state[i]
        j = j + held & 255
        other = state[i] = state[j]
        state[j] = held
        yield state[held + other & 255]
