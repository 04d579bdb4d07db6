"""Sketches: the smallest hashes of a column's values, by which the overlap of two columns is estimated."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

KEPT = 256
"""Hashes of a sketch. A column with fewer values is held as a whole."""

_MOST_LENGTH = 64
_AT_ONCE = 50_000
_MOST_BYTES = 128
_ALL = np.uint64(2**64 - 1)


def sketch(distinct: Any) -> list[int] | None:
    """The smallest hashes of different values, none of them missing, in order; None for values that are no keys."""
    if pa.types.is_integer(distinct.type):
        hashes = _mixed(distinct.to_numpy(zero_copy_only=False).astype(np.int64).view(np.uint64))
    elif pa.types.is_string(distinct.type):
        if len(distinct) and pc.mean(pc.binary_length(distinct)).as_py() > _MOST_LENGTH:
            return None
        parts = [_of_texts(distinct.slice(start, _AT_ONCE)) for start in range(0, len(distinct), _AT_ONCE)]
        hashes = np.concatenate(parts) if parts else np.empty(0, np.uint64)
    else:
        return None
    if len(hashes) > KEPT:
        hashes = np.partition(hashes, KEPT)[:KEPT]
    return [int(each) for each in np.sort(hashes)]


def _mixed(values: Any) -> Any:
    """Each number spread over all 64 bits, near ones far from each other."""
    values = values + np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def _of_texts(texts: Any) -> Any:
    """A hash of each text, taken eight bytes at a time, of its first 128 and its length."""
    raw = pc.cast(texts, pa.large_binary())
    _, offsets, data = raw.buffers()
    bounds = np.frombuffer(offsets, np.int64)[raw.offset : raw.offset + len(raw) + 1]
    signs = np.frombuffer(data, np.uint8)[bounds[0] : bounds[-1]] if data else np.empty(0, np.uint8)
    # Every eight neighbouring bytes as one number; the last ones are filled up.
    padded = np.concatenate([signs, np.zeros(8, np.uint8)])
    eights = np.ndarray((len(signs) + 1,), np.dtype("<u8"), padded, strides=(1,))
    starts, lengths = bounds[:-1] - bounds[0], np.diff(bounds)
    hashes = _mixed(lengths.astype(np.uint64))
    for at in range(0, _MOST_BYTES, 8):
        longer = np.nonzero(lengths > at)[0]
        if not len(longer):
            break
        left = np.minimum(lengths[longer] - at, 8).astype(np.uint64)
        word = eights[starts[longer] + at] & (_ALL >> (np.uint64(64) - np.uint64(8) * left))
        hashes[longer] = _mixed(hashes[longer] ^ word)
    return hashes
