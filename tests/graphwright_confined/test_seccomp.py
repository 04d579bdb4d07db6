"""The filter of system calls for each machine, interpreted here as the kernel does."""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Sequence
from pathlib import Path

import pytest

from graphwright_confined._seccomp import ARCHITECTURES, NUMBERS, RULES, program

ALLOWED, KILLED, EPERM, ENOSYS = 0x7FFF0000, 0x80000000, 0x50001, 0x50026

MACHINES = list(ARCHITECTURES)


def outcome(filter: bytes, architecture: int, number: int, arguments: Sequence[int] = ()) -> int:
    """The result of the filter: its steps, run one by one."""
    filled = [*arguments, *[0] * (6 - len(arguments))]
    shown = struct.pack("<IIQ6Q", number, architecture, 0, *(value % 2**64 for value in filled))
    steps = [struct.unpack_from("=HBBI", filter, place) for place in range(0, len(filter), 8)]
    at, register = 0, 0
    while True:
        code, if_true, if_false, value = steps[at]
        at += 1
        match code:
            case 0x20:
                (register,) = struct.unpack_from("<I", shown, value)
            case 0x54:
                register &= value
            case 0x15:
                at += if_true if register == value else if_false
            case 0x35:
                at += if_true if register >= value else if_false
            case 0x06:
                return int(value)
            case _:
                raise AssertionError(f"no such step: {code:#x}")


@pytest.mark.parametrize("machine", MACHINES)
def test_only_listed_calls_are_allowed(machine: str) -> None:
    filter = program(machine)
    column = MACHINES.index(machine)
    free = {numbers[column] for name, numbers in NUMBERS.items() if name not in RULES}
    bound = {NUMBERS[name][column] for name in RULES}
    for number in range(600):
        answer = outcome(filter, ARCHITECTURES[machine], number, [-1] * 6)
        if number in free:
            assert answer == ALLOWED, number
        elif number in bound or number < 424:
            assert answer == EPERM, number
        else:
            assert answer == ENOSYS, number
    assert len(filter) // 8 <= 4096


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("name", "arguments", "passes"),
    [
        ("clone", [0x3D0F00], True),
        ("clone", [0x3D0F00 | 0x20000000], False),
        ("clone", [0x3D0F00 | 1 << 32], False),
        ("kill", [os.getpid(), 15], True),
        ("kill", [os.getpid() + 1, 15], False),
        ("kill", [-os.getpid(), 9], False),
        ("tgkill", [os.getpid(), 1, 6], True),
        ("tgkill", [1, 1, 6], False),
        ("prlimit64", [0, 7, 0, 4096], True),
        ("prlimit64", [0, 7, 4096, 0], False),
        ("prlimit64", [1, 7, 0, 4096], False),
        ("openat", [-100, 4096, os.O_RDONLY], True),
        ("openat", [-100, 4096, os.O_RDWR | os.O_CREAT | os.O_TRUNC | 0o2000000], True),
        ("openat", [-100, 4096, os.O_RDONLY | os.O_TRUNC], False),
        ("openat", [-100, 4096, 3 | os.O_TRUNC], False),
        ("fcntl", [3, 6], True),
        ("fcntl", [3, 8], False),
        ("ioctl", [0, 0x5401], True),
        ("ioctl", [0, 0x5412], False),
        ("prctl", [15], True),
        ("prctl", [4, 1], False),
    ],
)
def test_the_filter_checks_arguments_of_calls(machine: str, name: str, arguments: list[int], passes: bool) -> None:
    number = NUMBERS[name][MACHINES.index(machine)]
    assert number is not None
    answer = outcome(program(machine), ARCHITECTURES[machine], number, arguments)
    assert answer == (ALLOWED if passes else EPERM)


@pytest.mark.parametrize("machine", MACHINES)
def test_calls_of_other_machines_are_deadly(machine: str) -> None:
    filter = program(machine)
    for other in (*ARCHITECTURES.values(), 0x40000003, 0x40000028):
        if other != ARCHITECTURES[machine]:
            assert outcome(filter, other, 0) == KILLED
    x32 = outcome(filter, ARCHITECTURES[machine], 0x40000000)
    assert x32 == (KILLED if machine == "x86_64" else ENOSYS)


HEADERS = (Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"), Path("/usr/include/asm-generic/unistd.h"))


@pytest.mark.skipif(not all(map(Path.exists, HEADERS)), reason="the headers of the kernel are not installed")
def test_the_numbers_are_those_of_the_kernel() -> None:
    x86, generic = (
        {
            name: int(number)
            for name, number in re.findall(r"#define __NR(?:3264)?_(\w+) (\d+)", path.read_text("ascii"))
        }
        for path in HEADERS
    )
    # On new machines the call has another name in the headers, and the older forms are missing.
    generic["newfstatat"] = generic["fstatat"]
    for name in ("stat", "lstat"):
        generic.pop(name, None)
    assert {name: (x86[name], generic.get(name)) for name in NUMBERS} == NUMBERS
