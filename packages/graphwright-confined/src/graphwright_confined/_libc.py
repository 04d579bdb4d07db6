"""Functions of the C library that Python does not have. Each raises OSError on failure."""

from __future__ import annotations

import ctypes
import os
from functools import cache

_LONG, _POINTER = ctypes.c_long, ctypes.c_void_p


@cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def syscall(number: int, *arguments: int | bytes | None) -> int:
    """A raw system call. A buffer is passed by its address, None as a null pointer."""
    call = _library().syscall
    call.restype = _LONG
    return _checked(call(_LONG(number), *map(_passed, arguments)))


def prctl(option: int, *arguments: int | bytes | None) -> int:
    """`prctl(2)`. Missing arguments are zero, as the kernel requires for some options."""
    filled = [*arguments, *[0] * (4 - len(arguments))]
    return _checked(_library().prctl(ctypes.c_int(option), *map(_passed, filled)))


def capabilities(header: bytes, data: bytes | None = None) -> bytes:
    """`capset(2)` with these data, or `capget(2)` without; returns the present data."""
    library = _library()
    if data is None:
        found = ctypes.create_string_buffer(24)
        _checked(library.capget(header, found))
        return found.raw
    _checked(library.capset(header, data))
    return data


def _passed(argument: int | bytes | None) -> ctypes.c_long | ctypes.c_char_p | ctypes.c_void_p:
    if isinstance(argument, bytes):
        return ctypes.c_char_p(argument)
    return _POINTER(None) if argument is None else _LONG(argument)


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
