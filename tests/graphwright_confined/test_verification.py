"""Unavailable confinement: the failing layer is named with a remedy, and the self-test detects leaks."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from confine_support import Place, needs_confinement, places
from graphwright_confined import SandboxUnavailable, available, self_test
from graphwright_confined import _verification as verification
from graphwright_confined.confine import _supported_machine


@pytest.fixture
def place() -> Iterator[Place]:
    yield from places(None)


# Reports how confine() failed, and which parts of the confinement are in force afterwards: none, in all foreseeable
# cases.
FAILS = """
def failed(confinement):
    try:
        confine(confinement)
    except SandboxUnavailable as error:
        return {"layer": error.layer, "code": error.code, "message": error.message, "hint": error.hint}
def tell_how(confinement):
    told = failed(confinement)
    Path(outside / "free").touch()
    status = open("/proc/self/status").read()
    tell({**told, "bound": "NoNewPrivs:\\t1" in status or "Seccomp:\\t0" not in status})
"""


def error_of(place: Place, code: str) -> dict[str, str]:
    found: dict[str, str] = place.sent_values(FAILS + code)
    assert found["hint"]
    assert not found["bound"]
    return found


@pytest.mark.parametrize(
    ("number", "remedy"), [("ENOSYS", "5.13"), ("EOPNOTSUPP", "lsm="), ("EPERM", "the profile of the container")]
)
def test_a_machine_without_landlock_is_refused(place: Place, number: str, remedy: str) -> None:
    found = error_of(
        place,
        f"""
def answer(number, *arguments):
    raise OSError(errno.{number}, "as if")
landlock.libc.syscall = answer
tell_how(Confinement())
""",
    )
    assert (found["layer"], found["code"]) == ("landlock", "sandbox_unavailable")
    assert remedy in found["hint"]


@needs_confinement
@pytest.mark.parametrize(
    ("code", "layer", "part"),
    [
        (
            "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\nc = Confinement()",
            "threads",
            "2 threads",
        ),
        (
            "c = Confinement(read=[inside, inside / 'missing'])",
            "landlock",
            "inside/missing cannot be allowed: No such file",
        ),
        ("c = Confinement(write=[inside / 'missing'])", "landlock", "inside/missing cannot be allowed: No such file"),
        ("c = Confinement(limits=Limits(memory=2**20))", "limits", "1 are allowed"),
        ("landlock.abi = lambda: 0\nc = Confinement()", "landlock", "has none"),
    ],
)
def test_an_unconfined_worker_is_refused_before_it_starts(place: Place, code: str, layer: str, part: str) -> None:
    found = error_of(place, f"{code}\ntell_how(c)\nos._exit(0)")
    assert found["layer"] == layer
    assert part in found["message"]


@needs_confinement
def test_a_confined_process_knows_that_it_can_confine_nothing(place: Place) -> None:
    """Here the system really refuses Landlock and seccomp."""
    found = place.sent_values(
        """
from graphwright_confined import available
before = available()
confine(Confinement())
tell([before.isolation, available().isolation, [missing.layer for missing in available().missing]])
"""
    )
    assert found == ["landlock+seccomp", "", ["landlock", "seccomp"]]


@pytest.mark.parametrize("layer", ["privileges", "limits", "landlock", "seccomp"])
def test_a_layer_that_fails_on_the_way_is_named(place: Place, layer: str) -> None:
    spoil = {
        "privileges": "libc.capabilities = broken",
        "limits": "resource.setrlimit = broken",
        "landlock": "whole = libc.syscall\nlibc.syscall = lambda n, *a: broken() if n == 446 else whole(n, *a)",
        "seccomp": "whole = libc.prctl\nlibc.prctl = lambda n, *a: broken() if n == 22 and a[1] else whole(n, *a)",
    }[layer]
    if available().missing:
        pytest.skip("nothing can be confined here")
    found = place.sent_values(
        FAILS
        + f"""
def broken(*arguments):
    raise OSError(errno.EPERM, "as if")
{spoil}
tell(failed(Confinement()))
"""
    )
    assert found["layer"] == layer
    assert found["hint"]


def test_only_known_machines_are_confined(monkeypatch: pytest.MonkeyPatch) -> None:
    class Other:
        machine = "riscv64"

    monkeypatch.setattr(os, "uname", Other)
    with pytest.raises(SandboxUnavailable, match="riscv64") as raised:
        _supported_machine()
    assert raised.value.layer == "platform"
    assert available().missing[0].layer == "platform"
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(SandboxUnavailable, match="darwin"):
        self_test()


# How a child's confinement is broken, and the escape that the self-test must then report. `whole` is the correct one.
LEAKS = {
    "read a file outside": "lambda c: whole(replace(c, read=['/']))",
    "write outside": "lambda c: whole(replace(c, write=['/']))",
    "open a socket": "with_calls('socket')",
    "start a process": "with_calls('clone')",
    # Newer versions of Landlock block signals, too.
    "look into another process": "as_of_old(with_calls('kill'))",
}


def spoil(confine: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the child of the self-test confine itself with this function."""
    (folder / "spoilt_escapes.py").write_text(
        f"""
from dataclasses import replace
from graphwright_confined import _escapes as escapes, _landlock as landlock, _seccomp as seccomp
whole = escapes.confine
def with_calls(name):
    seccomp.NUMBERS.setdefault("socket", (41, 198))
    seccomp.RULES.pop(name, None)
    return whole
def as_of_old(leak):
    landlock.abi = lambda: 1
    return leak
escapes.confine = {confine}
main = escapes.main
"""
    )
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setattr(verification, "_PROGRAM", "spoilt_escapes")


@needs_confinement
@pytest.mark.parametrize("escape", LEAKS)
def test_the_self_test_finds_each_leak(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, escape: str) -> None:
    spoil(LEAKS[escape], tmp_path, monkeypatch)
    with pytest.raises(SandboxUnavailable, match=escape) as raised:
        self_test()
    assert raised.value.layer == "self-test"


@needs_confinement
@pytest.mark.parametrize(
    ("program", "told"), [("/nowhere/python", "No child can be started: /nowhere/python"), ("/bin/false", "status 1")]
)
def test_a_child_that_cannot_start_is_reported(monkeypatch: pytest.MonkeyPatch, program: str, told: str) -> None:
    monkeypatch.setattr(sys, "executable", program)
    with pytest.raises(SandboxUnavailable, match=told):
        self_test()
