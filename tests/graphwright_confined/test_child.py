"""Child processes for dangerous work: controlled over two pipes, limited, and always ended."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphwright_confined import ISOLATION, available
from graphwright_confined.child import Child, Died
from waiting_support import wait_until

PROGRAM = """
import os, signal, sys, time
from graphwright_confined import Confinement, Limits
from graphwright_confined.child import serve

def answer(request, data):
    what = request["do"]
    if what == "sleep":
        time.sleep(60)
    if what == "fill":
        bytearray(10**9)
    if what == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if what == "open":
        open(request["path"]).read()
    if what == "babble":
        return {"said": "x" * 10_000}, b""
    return {"said": what, "process": os.getpid()}, data[::-1]

def main():
    serve(answer, lambda request: Confinement(limits=Limits(memory=400_000_000)))
"""


@pytest.fixture
def child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Child]:
    (tmp_path / "asked_program.py").write_text(PROGRAM)
    monkeypatch.syspath_prepend(tmp_path)
    child = Child("asked_program", {})
    yield child
    child.close()
    assert not child.alive


def ask(child: Child, what: str, data: bytes = b"", most: int = 1_000, last: bool = False) -> tuple[dict, bytes]:  # type: ignore[type-arg]
    seconds = 0.5 if what == "sleep" else 60.0
    told, found = child.ask({"do": what, "seconds": seconds, "last": last}, data, 120.0, most)
    return told, found


def test_it_answers_and_the_last_request_ends_its_process(child: Child) -> None:
    content = os.urandom(3_000_000)
    first, data = ask(child, "one", content, 4_000_000)
    again, _ = ask(child, "two", last=True)
    fresh, _ = ask(child, "three")
    assert (first["said"], data) == ("one", content[::-1])
    assert first["isolation"] == (ISOLATION if available().isolation else "")
    assert first["process"] == again["process"] != fresh["process"]


@pytest.mark.parametrize(
    ("what", "why"), [("sleep", "late"), ("fill", "memory"), ("crash", "broken"), ("open", "start"), ("babble", "late")]
)
def test_reasons_for_a_missing_answer(child: Child, what: str, why: str) -> None:
    with pytest.raises(Died) as raised:
        ask(child, what)
    assert raised.value.why == why
    assert not child.alive


def test_it_ends_when_nothing_refers_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "asked_program.py").write_text(PROGRAM)
    monkeypatch.syspath_prepend(tmp_path)
    child = Child("asked_program", {})
    process = ask(child, "one")[0]["process"]
    del child
    wait_until(lambda: not Path(f"/proc/{process}").exists())
