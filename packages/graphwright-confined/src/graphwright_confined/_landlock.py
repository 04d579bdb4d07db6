"""Landlock: rules for the files that may be read and written, and against TCP, signals and abstract sockets."""

from __future__ import annotations

import errno
import os
import stat
import struct
from collections.abc import Iterable
from pathlib import Path

from graphwright_confined import _libc as libc
from graphwright_confined._errors import SandboxUnavailable

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION, _PATH_BENEATH = 1, 1

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR, _REMOVE_DIR, _REMOVE_FILE = (1 << bit for bit in range(6))
_MAKE_CHAR, _MAKE_DIR, _MAKE_REG, _MAKE_SOCK, _MAKE_FIFO, _MAKE_BLOCK, _MAKE_SYM = (1 << bit for bit in range(6, 13))
_REFER, _TRUNCATE, _IOCTL_DEV = (1 << bit for bit in range(13, 16))

_FIRST = (1 << 13) - 1
"""The rights of the first version."""
_LATER = {2: _REFER, 3: _TRUNCATE, 5: _IOCTL_DEV}
"""Further rights, by the version that introduced them."""

_NET_SINCE, _NET = 4, 0b11
"""The rights to bind and to connect a TCP socket."""
_SCOPES_SINCE, _SCOPES = 6, 0b11
"""The scopes of abstract Unix sockets and of signals."""

_READ = _READ_FILE | _READ_DIR
# No symbolic links, devices, sockets and pipes: a later reader of the folder must find only files.
_WRITE = _READ | _WRITE_FILE | _REMOVE_FILE | _REMOVE_DIR | _MAKE_REG | _MAKE_DIR | _REFER | _TRUNCATE
_OF_A_FILE = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV
"""The rights that a rule for anything except a folder may have; the kernel rejects a rule with others."""


def abi() -> int:
    """The version of Landlock of this kernel, 1 or higher. Raises SandboxUnavailable if it is not supported."""
    try:
        return libc.syscall(_CREATE_RULESET, None, 0, _ASK_VERSION)
    except OSError as error:
        raise _missing(error) from None


def ruleset(read: Iterable[str | Path], write: Iterable[str | Path]) -> int:
    """A descriptor of rules that allow reading `read` and reading and writing `write`; `enforce` applies them.

    A folder includes everything beneath it. Raises SandboxUnavailable.
    """
    version = abi()
    if version < 1:
        raise _missing(OSError(errno.ENOSYS, os.strerror(errno.ENOSYS)))
    handled = _FIRST
    for since, right in _LATER.items():
        if version >= since:
            handled |= right
    attributes = struct.pack("=Q", handled)
    if version >= _NET_SINCE:
        attributes += struct.pack("=Q", _NET)
    if version >= _SCOPES_SINCE:
        attributes += struct.pack("=Q", _SCOPES)
    try:
        rules = libc.syscall(_CREATE_RULESET, attributes, len(attributes), 0)
    except OSError as error:
        raise _missing(error) from None
    try:
        for path in read:
            _add(rules, path, _READ & handled)
        for path in write:
            _add(rules, path, _WRITE & handled)
    except BaseException:
        os.close(rules)
        raise
    return rules


def enforce(rules: int) -> None:
    """Apply the rules to this thread and to all threads and processes it starts, and close their descriptor."""
    try:
        libc.syscall(_RESTRICT_SELF, rules, 0)
    except OSError as error:
        raise SandboxUnavailable(
            "landlock",
            f"The rules cannot be applied: {error.strerror}.",
            "A process can be confined at most 16 times, and not in a container that forbids it.",
        ) from None
    finally:
        os.close(rules)


def _add(rules: int, path: str | Path, rights: int) -> None:
    try:
        # O_PATH does not need the right to read the file.
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError as error:
        raise SandboxUnavailable(
            "landlock",
            f"{path} cannot be allowed: {error.strerror}.",
            "Only what exists can be allowed: make it before, or leave it out.",
        ) from None
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            rights &= _OF_A_FILE
        libc.syscall(_ADD_RULE, rules, _PATH_BENEATH, struct.pack("=Qi", rights, descriptor), 0)
    except OSError as error:
        raise SandboxUnavailable(
            "landlock", f"{path} cannot be allowed: {error.strerror}.", "Name a file or a folder of a file system."
        ) from None
    finally:
        os.close(descriptor)


def _missing(error: OSError) -> SandboxUnavailable:
    why, hint = {
        errno.ENOSYS: ("this kernel has none", "Linux 5.13 or newer is needed, built with CONFIG_SECURITY_LANDLOCK."),
        errno.EOPNOTSUPP: ("it is switched off", "Add landlock to the list `lsm=` of the kernel's boot parameters."),
    }.get(
        error.errno or 0,
        (
            str(error.strerror),
            "Let the profile of the container allow the system calls whose names begin with landlock_.",
        ),
    )
    return SandboxUnavailable("landlock", f"Landlock cannot be used: {why}.", hint)
