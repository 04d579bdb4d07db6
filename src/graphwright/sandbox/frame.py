"""The frame: the one message that leaves the sandbox, a length of four bytes and JSON. Nothing in it is trusted."""

from __future__ import annotations

import json
import struct
from typing import Any, NoReturn

_LENGTH = struct.Struct(">I")

_MOST_CONTAINERS = 1_000_000
"""Lists and objects: each takes many times the memory that its two brackets take in the text."""

_LONGEST_INTEGER = 1_000


class Forged(Exception):
    """What came is no frame; the message says why."""


class TooLong(Exception):
    """The frame is longer than it may be."""


def framed(payload: bytes) -> bytes:
    """The payload as a frame."""
    return _LENGTH.pack(len(payload)) + payload


class Incoming:
    """A frame as it comes in, piece by piece, never holding more than `most` bytes."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._bytes = bytearray()

    def take(self, piece: bytes) -> None:
        """The next bytes. Raises TooLong as soon as the frame promises to be, and Forged where more than one comes."""
        self._bytes += piece
        if len(self._bytes) < _LENGTH.size:
            return
        (length,) = _LENGTH.unpack_from(self._bytes)
        if length > self._most:
            raise TooLong
        if len(self._bytes) > _LENGTH.size + length:
            raise Forged("it gave more than one result")

    def payload(self) -> bytes | None:
        """The payload after the end; None where nothing came. Raises Forged where it is not whole."""
        if not self._bytes:
            return None
        if len(self._bytes) < _LENGTH.size or len(self._bytes) != _LENGTH.size + _LENGTH.unpack_from(self._bytes)[0]:
            raise Forged("its result broke off")
        return bytes(self._bytes[_LENGTH.size :])


def read(payload: bytes) -> Any:
    """The JSON of a payload as plain data. Raises Forged for whatever is none, or is made to harm who reads it."""
    if payload.count(b"[") + payload.count(b"{") > _MOST_CONTAINERS:
        raise Forged("its result has too many parts")
    try:
        return json.loads(payload.decode("utf-8"), parse_constant=_no_constant, parse_int=_integer)
    except RecursionError:
        raise Forged("its result is nested too deeply") from None
    except ValueError:
        raise Forged("its result is no JSON") from None


def _integer(digits: str) -> int:
    if len(digits) > _LONGEST_INTEGER:
        raise Forged("its result has a number without end")
    return int(digits)


def _no_constant(name: str) -> NoReturn:
    raise Forged(f"its result has {name}, which is no JSON")
