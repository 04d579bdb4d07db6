"""Seccomp: a filter program that allows the system calls of some groups and refuses all others."""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from collections.abc import Iterable

from graphwright.sandbox import libc
from graphwright.sandbox.errors import SandboxUnavailable
from graphwright.sandbox.syscalls import GROUPS, NUMBERS, ArgumentRule

_SET_SECCOMP, _MODE_FILTER = 22, 2

_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_LOAD, _AND, _EQUAL, _NOT_BELOW, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06

_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
"""Offsets in the data that the kernel passes to the filter."""

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""The supported machines, with the kernel's constant for their native calls."""

_X32 = 0x40000000
"""Calls of the x32 ABI have this bit, and look like native calls otherwise."""

_NEW = 424
"""The first number of calls newer than 2019. They fail with ENOSYS, upon which the C library uses an older call."""


def program(groups: Iterable[str], machine: str) -> bytes:
    """The filter that allows the calls of these groups on this machine and refuses all others.

    `kill` and `tgkill` may reach the process that calls this function. Raises ValueError for an unknown group.
    """
    column = list(ARCHITECTURES).index(machine)
    code = [
        _instruction(_LOAD, _ARCHITECTURE),
        _instruction(_EQUAL, ARCHITECTURES[machine], 1, 0),
        _instruction(_RETURN, _KILL),
    ]
    code.append(_instruction(_LOAD, _NUMBER))
    if machine == "x86_64":
        code += [_instruction(_NOT_BELOW, _X32, 0, 1), _instruction(_RETURN, _KILL)]
    for name, conditions in _allowed(groups).items():
        number = NUMBERS[name][column]
        if number is None:
            continue
        body = [step for condition in conditions for step in _checks(condition)]
        body.append(_instruction(_RETURN, _ALLOW))
        code += [_instruction(_EQUAL, number, 0, len(body)), *body]
    code += [_instruction(_NOT_BELOW, _NEW, 0, 1), _refuse(errno.ENOSYS), _refuse(errno.EPERM)]
    return b"".join(code)


def enforce(filter: bytes) -> None:
    """Apply the filter to this thread and to all that it will start. Needs `no_new_privs`."""
    buffer = ctypes.create_string_buffer(filter, len(filter))
    try:
        libc.prctl(_SET_SECCOMP, _MODE_FILTER, _filter_struct(len(filter) // 8, ctypes.addressof(buffer)))
    except OSError as error:
        raise _missing(error) from None


def check() -> None:
    """Raise SandboxUnavailable where no filter can be applied. Applies none."""
    try:
        libc.prctl(_SET_SECCOMP, _MODE_FILTER, None)
    except OSError as error:
        # A kernel with seccomp reads the address of the filter, which is null.
        if error.errno != errno.EFAULT:
            raise _missing(error) from None


def _allowed(groups: Iterable[str]) -> dict[str, tuple[ArgumentRule, ...]]:
    """The calls of all groups with their conditions. No conditions win over some; of two, the later ones hold."""
    found: dict[str, tuple[ArgumentRule, ...]] = {}
    for group in groups:
        if group not in GROUPS:
            raise ValueError(f"unknown group of system calls {group!r}; known: {', '.join(GROUPS)}")
        for name, conditions in GROUPS[group].items():
            found[name] = conditions if found.get(name, conditions) else ()
    return found


def _checks(condition: ArgumentRule) -> list[bytes]:
    """Instructions that refuse the call unless the condition holds. They overwrite the register: a return follows."""
    place = _ARGUMENTS + 8 * condition.argument
    values = [os.getpid() if value is None else value for value in condition.values]
    steps = []
    if condition.wide:
        steps += [_instruction(_LOAD, place + 4), _instruction(_EQUAL, 0, 1, 0), _refuse(errno.EPERM)]
    steps += [_instruction(_LOAD, place), _instruction(_AND, condition.mask)]
    steps += [_instruction(_EQUAL, value, len(values) - index, 0) for index, value in enumerate(values)]
    return [*steps, _refuse(errno.EPERM)]


def _instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def _refuse(number: int) -> bytes:
    return _instruction(_RETURN, _ERRNO | number)


def _filter_struct(length: int, address: int) -> bytes:
    return struct.pack("@HP", length, address)


def _missing(error: OSError) -> SandboxUnavailable:
    if error.errno == errno.EINVAL:
        reason, hint = "this kernel filters no system calls.", "It must be built with CONFIG_SECCOMP_FILTER."
    else:
        reason = f"system calls cannot be filtered: {error.strerror}."
        hint = "A process can be confined once. Let the surroundings of this one, a container perhaps, allow prctl."
    return SandboxUnavailable("seccomp", reason, hint)
