"""Code that cannot be isolated is not run: the refusal, its reason, and the hint."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from graphwright_confined import (
    LibrariesMissing,
    Sandbox,
    SandboxUnavailable,
)
from graphwright_confined import (
    _isolation_levels as isolation_levels,
)
from graphwright_confined import (
    _runtime_paths as runtime_paths,
)
from graphwright_confined import (
    _verification as verification,
)
from graphwright_confined.confine import ISOLATION, Availability
from graphwright_confined.execution import Execution, ListResult, TextResult
from sandbox_support import needs_sandbox


@pytest.fixture(autouse=True)
def fresh() -> Any:
    isolation_levels.container_missing.cache_clear()
    runtime_paths.libraries.cache_clear()
    yield
    isolation_levels.container_missing.cache_clear()
    runtime_paths.libraries.cache_clear()


def refused(isolation: str | None = None) -> SandboxUnavailable:
    with Sandbox(isolation=isolation) as sandbox, pytest.raises(SandboxUnavailable) as raised:
        sandbox.run("1")
    assert sandbox._worker is None
    return raised.value


@needs_sandbox
def test_without_bubblewrap_the_kernel_alone_holds(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with Sandbox() as sandbox:
        assert sandbox.run("1").isolation == ISOLATION
    error = refused(isolation_levels.CONTAINER)
    assert error.layer == "bwrap"
    assert "not installed" in error.message
    assert "apt install bubblewrap" in error.hint


@needs_sandbox
@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("echo 'bwrap: No permissions' >&2; exit 1", "No permissions."),
        ("exit 3", "it ended with 3."),
    ],
)
def test_a_bubblewrap_that_makes_no_container_is_passed_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str, why: str
) -> None:
    (tmp_path / "bwrap").write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with Sandbox() as sandbox:
        assert sandbox.run("1").isolation == ISOLATION
    error = refused(isolation_levels.CONTAINER)
    assert "no container here: " in error.message
    assert why in error.message
    assert "user namespaces" in error.hint


def test_without_isolation_it_refuses_and_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    none = Availability(
        "", 0, (SandboxUnavailable("landlock", "this kernel has no Landlock.", "Linux 5.13 is needed."),)
    )
    monkeypatch.setattr(isolation_levels, "available", lambda: none)
    for isolation in (None, ISOLATION, isolation_levels.CONTAINER):
        error = refused(isolation)
        assert "no Landlock" in error.message
        assert error.hint == "Linux 5.13 is needed."
    with Sandbox(isolation="none") as sandbox, pytest.raises(ValueError, match="landlock"):
        sandbox.run("1")


@needs_sandbox
def test_without_the_libraries_it_says_which_and_how_to_get_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtime_paths, "MODULES", ("pandas", "no_such_library"))
    with Sandbox() as sandbox, pytest.raises(LibrariesMissing) as raised:
        sandbox.run("1")
    assert "no_such_library" in raised.value.message
    assert "pandas" not in raised.value.message
    assert raised.value.hint == "pip install 'graphwright[data]'"


@needs_sandbox
def test_a_process_that_cannot_begin_runs_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with monkeypatch.context() as patch:
        # A path that is gone before it can be allowed.
        patch.setattr(runtime_paths, "readable", lambda: (tmp_path / "gone",))
        error = refused(ISOLATION)
    assert error.layer == "child"
    assert str(tmp_path / "gone") in error.message
    monkeypatch.setattr(runtime_paths, "command", lambda: [sys.executable, "-c", "raise SystemExit('out of order')"])
    error = refused(ISOLATION)
    assert error.layer == "start"
    assert "out of order" in error.message


@pytest.mark.parametrize("told", [True, False])
def test_a_successful_escape_makes_the_sandbox_unavailable(told: bool) -> None:
    def unconfined(code: str) -> Execution:
        script = f"{code}\nprint('\\n'.join(result))"
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
        items = [TextResult(text=line, length=len(line)) for line in done.stdout.splitlines() if told]
        return Execution(
            status="ok",
            stdout="",
            error=None,
            result=ListResult(items=items, length=len(items)),
            figures=[],
            isolation="none",
            limit=None,
            seconds=0,
        )

    with pytest.raises(SandboxUnavailable) as raised:
        verification.verify_isolation("none", unconfined)
    assert raised.value.layer == "self-test"
    for escape in ("write outside", "open a socket", *(["read a file outside"] if told else [])):
        assert escape in raised.value.message


@pytest.mark.parametrize(
    ("isolation", "user", "readable", "becomes"),
    [
        (ISOLATION, 0, True, isolation_levels.NOBODY),
        (isolation_levels.CONTAINER, 0, True, None),
        (ISOLATION, 0, False, None),
        (ISOLATION, 1000, True, None),
    ],
)
def test_root_switches_to_an_unprivileged_user(
    monkeypatch: pytest.MonkeyPatch, isolation: str, user: int, readable: bool, becomes: int | None
) -> None:
    monkeypatch.setattr(isolation_levels.os, "geteuid", lambda: user)
    monkeypatch.setattr(runtime_paths, "readable_by_all", lambda: readable)
    assert isolation_levels.user_to_become(isolation) == becomes
