"""Seccomp: the filter that lets the listed system calls pass, made from groups of calls."""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from collections.abc import Iterable

from graphwright.sandbox import libc
from graphwright.sandbox.calls import GROUPS, NUMBERS, Only
from graphwright.sandbox.errors import SandboxUnavailable

_SET_SECCOMP, _MODE_FILTER = 22, 2

_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_LOAD, _AND, _EQUAL, _NOT_BELOW, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06

_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
"""Where things stand in what the kernel shows the filter."""

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""The machines that the numbers of the calls are known for, with the name that the kernel gives their native calls."""

_X32 = 0x40000000
"""Calls of the x32 ABI carry this bit, and pass for native ones otherwise."""

_NEW = 424
"""Calls from here on came since 2019. "There is no such call" makes the C library take the older way."""


def program(groups: Iterable[str], machine: str) -> bytes:
    """The filter that allows the calls of these groups on this machine and refuses all others.

    What `kill` and `tgkill` may reach is the process that calls this. Raises ValueError for an unknown group.
    """
    column = list(ARCHITECTURES).index(machine)
    code = [_do(_LOAD, _ARCHITECTURE), _do(_EQUAL, ARCHITECTURES[machine], 1, 0), _do(_RETURN, _KILL)]
    code.append(_do(_LOAD, _NUMBER))
    if machine == "x86_64":
        code += [_do(_NOT_BELOW, _X32, 0, 1), _do(_RETURN, _KILL)]
    for name, conditions in _allowed(groups).items():
        number = NUMBERS[name][column]
        if number is None:
            continue
        body = [step for condition in conditions for step in _held(condition)]
        body.append(_do(_RETURN, _ALLOW))
        code += [_do(_EQUAL, number, 0, len(body)), *body]
    code += [_do(_NOT_BELOW, _NEW, 0, 1), _refuse(errno.ENOSYS), _refuse(errno.EPERM)]
    return b"".join(code)


def enforce(filter: bytes) -> None:
    """Put the filter in force for this thread and all it will ever start. Needs `no_new_privs`."""
    buffer = ctypes.create_string_buffer(filter, len(filter))
    try:
        libc.prctl(_SET_SECCOMP, _MODE_FILTER, _described(len(filter) // 8, ctypes.addressof(buffer)))
    except OSError as error:
        raise _missing(error) from None


def check() -> None:
    """Raise SandboxUnavailable where no filter can be put in force; nobody is bound by this."""
    try:
        libc.prctl(_SET_SECCOMP, _MODE_FILTER, None)
    except OSError as error:
        # A kernel that filters looks at the address of the filter, and there is none.
        if error.errno != errno.EFAULT:
            raise _missing(error) from None


def _allowed(groups: Iterable[str]) -> dict[str, tuple[Only, ...]]:
    """The calls of all groups, with what must hold for each. Free wins; of two conditions the later one holds."""
    found: dict[str, tuple[Only, ...]] = {}
    for group in groups:
        if group not in GROUPS:
            raise ValueError(f"there is no group of system calls {group!r}, only {', '.join(GROUPS)}")
        for name, conditions in GROUPS[group].items():
            found[name] = conditions if found.get(name, conditions) else ()
    return found


def _held(condition: Only) -> list[bytes]:
    """Steps that refuse the call unless the condition holds. They spoil the accumulator: a return must follow."""
    place = _ARGUMENTS + 8 * condition.argument
    values = [os.getpid() if value is None else value for value in condition.values]
    steps = []
    if condition.wide:
        steps += [_do(_LOAD, place + 4), _do(_EQUAL, 0, 1, 0), _refuse(errno.EPERM)]
    steps += [_do(_LOAD, place), _do(_AND, condition.mask)]
    steps += [_do(_EQUAL, value, len(values) - index, 0) for index, value in enumerate(values)]
    return [*steps, _refuse(errno.EPERM)]


def _do(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def _refuse(number: int) -> bytes:
    return _do(_RETURN, _ERRNO | number)


def _described(length: int, address: int) -> bytes:
    return struct.pack("@HP", length, address)


def _missing(error: OSError) -> SandboxUnavailable:
    if error.errno == errno.EINVAL:
        reason, hint = "this kernel filters no system calls.", "It must be built with CONFIG_SECCOMP_FILTER."
    else:
        reason = f"system calls cannot be filtered: {error.strerror}."
        hint = "A process can be confined once. Let the surroundings of this one, a container perhaps, allow prctl."
    return SandboxUnavailable("seccomp", reason, hint)
