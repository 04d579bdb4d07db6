"""Seccomp: a filter program that allows the system calls of one table and refuses all others.

A call is in the table if ordinary programs need it and if it reaches nothing outside the process except what Landlock
allows. Left out on purpose:

- calls that change or read a path without a check by Landlock: `chmod`, `chown`, `utimensat`, `truncate`, extended
  attributes, `inotify`, handles of files
- memory that no limit covers: `memfd_create`, System V shared memory
- calls that reach other processes: sockets, `ptrace`, `process_vm_*`, `pidfd_*`, `sched_*` of others, priorities
- a wider kernel: namespaces, mounts, `bpf`, `io_uring`, keyrings, `perf_event_open`, `userfaultfd`, modules
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from dataclasses import dataclass

from graphwright_confined import _libc as libc
from graphwright_confined._errors import SandboxUnavailable

_SET_SECCOMP, _MODE_FILTER = 22, 2

_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_LOAD, _AND, _EQUAL, _NOT_BELOW, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06

_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
"""Offsets in the data that the kernel passes to the filter."""

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""The supported machines, with the kernel's constant for their native calls."""

_X32 = 0x40000000
"""Calls of the x32 ABI have this bit, and otherwise look like native calls."""

_NEW = 424
"""The first number of calls newer than 2019. They fail with ENOSYS, so that the C library uses an older call."""


@dataclass(frozen=True, slots=True)
class ArgumentRule:
    """A condition for a call: one of its arguments, under a mask, has one of these values.

    None is the id of the confined process. `mask` covers the lower 32 bits, which the kernel reads of an int; with
    `wide` (a pointer, a long) the upper bits must be zero.
    """

    argument: int
    values: tuple[int | None, ...]
    mask: int = 0xFFFFFFFF
    wide: bool = False


_O_ACCMODE_TRUNC, _O_TRUNC = 0o1003, 0o1000
# Before version 3 Landlock does not have a right to truncate, so that a read-only file could be emptied. The access
# mode 3 is only for ioctl, and Landlock does not check it.
_OPEN_MODES = (0, 1, 2, 1 | _O_TRUNC, 2 | _O_TRUNC)

# Duplicates, flags and locks. Left out: the owner of signals (F_SETOWN reaches other processes), leases, notifications.
_FCNTL = (0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030)
_TERMINAL_ATTRIBUTES, _NON_BLOCKING, _READABLE, _KEEP_ON_EXEC, _CLOSE_ON_EXEC = 0x5401, 0x5421, 0x541B, 0x5450, 0x5451
_SET_NAME, _GET_NAME, _NAME_MEMORY = 15, 16, 0x53564D41

# The flags with which C libraries create a thread (glibc; musl adds one that the kernel ignores): memory, files, file
# system and signal handlers are shared, in the same process.
_THREAD = (0x3D0F00, 0x7D0F00)

RULES: dict[str, tuple[ArgumentRule, ...]] = {
    # Threads of this process, but no other processes.
    "clone": (ArgumentRule(0, _THREAD, wide=True),),
    "fcntl": (ArgumentRule(1, _FCNTL),),
    "ioctl": (ArgumentRule(1, (_TERMINAL_ATTRIBUTES, _NON_BLOCKING, _READABLE, _KEEP_ON_EXEC, _CLOSE_ON_EXEC)),),
    "kill": (ArgumentRule(0, (None,)),),
    "open": (ArgumentRule(1, _OPEN_MODES, _O_ACCMODE_TRUNC),),
    "openat": (ArgumentRule(2, _OPEN_MODES, _O_ACCMODE_TRUNC),),
    "prctl": (ArgumentRule(0, (_SET_NAME, _GET_NAME, _NAME_MEMORY)),),
    # The limits of this process may be read.
    "prlimit64": (ArgumentRule(0, (0, None)), ArgumentRule(2, (0,), wide=True)),
    "sched_getaffinity": (ArgumentRule(0, (0, None)),),
    "tgkill": (ArgumentRule(0, (None,)),),
}
"""The conditions of calls in the table; all conditions of a call must be true."""


def program(machine: str) -> bytes:
    """The filter that allows the calls of `NUMBERS` on this machine, under their `RULES`, and refuses all others.

    `kill` and `tgkill` may reach the process that calls this function.
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
    for name, numbers in NUMBERS.items():
        number = numbers[column]
        if number is None:
            continue
        body = [step for rule in RULES.get(name, ()) for step in _checks(rule)]
        body.append(_instruction(_RETURN, _ALLOW))
        code += [_instruction(_EQUAL, number, 0, len(body)), *body]
    code += [_instruction(_NOT_BELOW, _NEW, 0, 1), _refuse(errno.ENOSYS), _refuse(errno.EPERM)]
    return b"".join(code)


def enforce(filter: bytes) -> None:
    """Apply the filter to this thread and to all threads and processes it starts. Needs `no_new_privs`."""
    buffer = ctypes.create_string_buffer(filter, len(filter))
    try:
        libc.prctl(_SET_SECCOMP, _MODE_FILTER, struct.pack("@HP", len(filter) // 8, ctypes.addressof(buffer)))
    except OSError as error:
        raise _missing(error) from None


def check() -> None:
    """Raise SandboxUnavailable if a filter cannot be applied. Does not apply one."""
    try:
        libc.prctl(_SET_SECCOMP, _MODE_FILTER, None)
    except OSError as error:
        # A kernel with seccomp reads the address of the filter, which is null.
        if error.errno != errno.EFAULT:
            raise _missing(error) from None


def _checks(condition: ArgumentRule) -> list[bytes]:
    """Instructions that refuse the call unless the condition is true. They overwrite the register: a return follows."""
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


def _missing(error: OSError) -> SandboxUnavailable:
    if error.errno == errno.EINVAL:
        reason, hint = "this kernel filters no system calls.", "It must be built with CONFIG_SECCOMP_FILTER."
    else:
        reason = f"System calls cannot be filtered: {error.strerror}."
        hint = "A process can be confined once. Let the surroundings of this one, a container perhaps, allow prctl."
    return SandboxUnavailable("seccomp", reason, hint)


NUMBERS: dict[str, tuple[int | None, int | None]] = {
    "access": (21, None),
    "alarm": (37, None),
    "brk": (12, 214),
    "chdir": (80, 49),
    "clock_getres": (229, 114),
    "clock_gettime": (228, 113),
    "clock_nanosleep": (230, 115),
    "clone": (56, 220),
    "close": (3, 57),
    "dup": (32, 23),
    "dup2": (33, None),
    "dup3": (292, 24),
    "epoll_create1": (291, 20),
    "epoll_ctl": (233, 21),
    "epoll_pwait": (281, 22),
    "epoll_wait": (232, None),
    "eventfd2": (290, 19),
    "exit": (60, 93),
    "exit_group": (231, 94),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "fadvise64": (221, 223),
    "fallocate": (285, 47),
    "fchdir": (81, 50),
    "fcntl": (72, 25),
    "fdatasync": (75, 83),
    "flock": (73, 32),
    "fstat": (5, 80),
    "fstatfs": (138, 44),
    "fsync": (74, 82),
    "ftruncate": (77, 46),
    "futex": (202, 98),
    "get_robust_list": (274, 100),
    "getcpu": (309, 168),
    "getcwd": (79, 17),
    "getdents64": (217, 61),
    "getegid": (108, 177),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getgroups": (115, 158),
    "getitimer": (36, 102),
    "getpgrp": (111, None),
    "getpid": (39, 172),
    "getppid": (110, 173),
    "getrandom": (318, 278),
    "getresgid": (120, 150),
    "getresuid": (118, 148),
    "getrlimit": (97, 163),
    "getrusage": (98, 165),
    "gettid": (186, 178),
    "gettimeofday": (96, 169),
    "getuid": (102, 174),
    "ioctl": (16, 29),
    "kill": (62, 129),
    "lseek": (8, 62),
    "lstat": (6, None),
    "madvise": (28, 233),
    "membarrier": (324, 283),
    "mkdir": (83, None),
    "mkdirat": (258, 34),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "mremap": (25, 216),
    "msync": (26, 227),
    "munmap": (11, 215),
    "nanosleep": (35, 101),
    "newfstatat": (262, 79),
    "open": (2, None),
    "openat": (257, 56),
    "pause": (34, None),
    "pipe": (22, None),
    "pipe2": (293, 59),
    "poll": (7, None),
    "ppoll": (271, 73),
    "prctl": (157, 167),
    "pread64": (17, 67),
    "preadv": (295, 69),
    "prlimit64": (302, 261),
    "pselect6": (270, 72),
    "pwrite64": (18, 68),
    "pwritev": (296, 70),
    "read": (0, 63),
    "readlink": (89, None),
    "readlinkat": (267, 78),
    "readv": (19, 65),
    "rename": (82, None),
    "renameat": (264, 38),
    "renameat2": (316, 276),
    "restart_syscall": (219, 128),
    "rmdir": (84, None),
    "rseq": (334, 293),
    "rt_sigaction": (13, 134),
    "rt_sigpending": (127, 136),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "rt_sigsuspend": (130, 133),
    "rt_sigtimedwait": (128, 137),
    "sched_getaffinity": (204, 123),
    "sched_yield": (24, 124),
    "select": (23, None),
    "set_robust_list": (273, 99),
    "set_tid_address": (218, 96),
    "setitimer": (38, 103),
    "sigaltstack": (131, 132),
    "stat": (4, None),
    "statfs": (137, 43),
    "statx": (332, 291),
    "sysinfo": (99, 179),
    "tgkill": (234, 131),
    "time": (201, None),
    "times": (100, 153),
    "umask": (95, 166),
    "uname": (63, 160),
    "unlink": (87, None),
    "unlinkat": (263, 35),
    "write": (1, 64),
    "writev": (20, 66),
}
"""The allowed calls, with their numbers on x86_64 and aarch64, or None if the machine does not have the call."""
