"""The limits of a confined process: each one ends what goes beyond it, and none can be raised."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest
from confine_support import Place, needs_confinement, places

from graphwright.sandbox import Limits

pytestmark = needs_confinement

MIB = 2**20


@pytest.fixture
def place() -> Iterator[Place]:
    yield from places(None)


def test_too_much_memory_is_a_memory_error(place: Place) -> None:
    told = place.told(
        """
confine(Confinement(limits=Limits(memory=512 * 2**20)))
def taken(size):
    try:
        return len(bytearray(size))
    except MemoryError:
        return "MemoryError"
def mapped(size):
    try:
        return len(mmap.mmap(-1, size))
    except OSError as error:
        return errno.errorcode[error.errno]
tell([taken(2**20), taken(600 * 2**20), mapped(600 * 2**20), taken(2**20)])
"""
    )
    assert told == [MIB, "MemoryError", "ENOMEM", MIB]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "ended"), [("", signal.SIGXCPU), ("signal.signal(signal.SIGXCPU, signal.SIG_IGN)", signal.SIGKILL)]
)
def test_too_much_computing_ends_the_process(place: Place, before: str, ended: int) -> None:
    status, _, err = place.end(f"{before}\nconfine(Confinement(limits=Limits(cpu_seconds=1)))\nwhile True: pass")
    assert status == -ended, err


def test_descriptors_and_files_have_a_limit(place: Place) -> None:
    told = place.told(
        """
confine(Confinement(write=[inside], limits=Limits(files=20, file_size=10_000)))
kept = []
def open_many():
    for index in range(100):
        kept.append(open(inside / str(index), "w"))
many = tried(open_many)
kept[0].write("x" * 10_000)
kept[0].flush()
def write_more():
    kept[0].write("x")
    kept[0].flush()
tell([many, len(kept) < 20, tried(write_more)])
os._exit(0)
"""
    )
    assert told == ["EMFILE", True, "EFBIG"]
    assert (place.inside / "0").stat().st_size == 10_000


def test_limits_cannot_be_raised_again(place: Place) -> None:
    told = place.told(
        """
limits = (resource.RLIMIT_AS, resource.RLIMIT_NOFILE, resource.RLIMIT_CPU, resource.RLIMIT_CORE)
before = [resource.getrlimit(what) for what in limits]
resource.setrlimit(resource.RLIMIT_NOFILE, (50, 100))
confine(Confinement(limits=Limits(memory=2**30, cpu_seconds=100)))
def refused(what, values):
    try:
        resource.setrlimit(what, values)
    except (ValueError, OSError):
        return True
    return False
tell([[refused(what, values) for what, values in zip(limits, before)],
      [resource.getrlimit(what) for what in limits]])
"""
    )
    assert told == [[True] * 4, [[2**30, 2**30], [100, 100], [100, 101], [0, 0]]]


def test_a_limit_below_one_is_an_error() -> None:
    with pytest.raises(ValueError, match="memory"):
        Limits(memory=0)
