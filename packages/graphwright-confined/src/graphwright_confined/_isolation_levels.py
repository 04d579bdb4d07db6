"""The isolation levels of generated code: the kernel's layers inside a container of bubblewrap, or these alone."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from graphwright_confined import _runtime_paths as runtime_paths
from graphwright_confined._errors import SandboxUnavailable
from graphwright_confined.confine import ISOLATION, available

CONTAINER = f"bwrap+{ISOLATION}"
NOBODY = 65_534
_LIBRARY_FILES = 4 * 2**20
"""The bytes that libraries may write to /tmp while they are loaded. Generated code cannot write there."""

_SECONDS = 15
_DISABLES_NAMESPACES_SINCE = (0, 8)


@dataclass(frozen=True, slots=True)
class IsolationLevel:
    """One level. `missing` is None if it is available, otherwise the reason why it is not."""

    isolation: str
    missing: SandboxUnavailable | None


def isolation_levels() -> list[IsolationLevel]:
    """The levels, the strongest first."""
    kernel = next(iter(available().missing), None)
    # The container filters no system calls, so it needs the kernel's layers inside.
    return [IsolationLevel(CONTAINER, kernel or container_missing()), IsolationLevel(ISOLATION, kernel)]


def select_level(isolation: str | None) -> str:
    """The requested isolation, or the strongest that is available.

    Raises SandboxUnavailable if no level, or not the requested one, is available, and ValueError for an unknown name.
    """
    levels = [level for level in isolation_levels() if isolation in (None, level.isolation)]
    if not levels:
        raise ValueError(f"unknown isolation {isolation!r}; there are {CONTAINER} and {ISOLATION}")
    for level in levels:
        if level.missing is None:
            return level.isolation
    missing = levels[-1].missing
    assert missing is not None
    raise missing


def user_to_become(isolation: str) -> int | None:
    """The user id that the warm process switches to, or None for no change.

    If root starts it outside a container, it switches to the unprivileged user `NOBODY`. It stays root if that user
    could not read the libraries; Landlock alone then decides which files it can read.
    """
    if isolation != ISOLATION or os.geteuid() != 0:
        return None
    return NOBODY if runtime_paths.readable_by_all() else None


@cache
def container_missing() -> SandboxUnavailable | None:
    """The reason why a container cannot be created, or None. One is created as a test, once for each process."""
    program = shutil.which("bwrap")
    if program is None:
        return SandboxUnavailable(
            "bwrap", "Bubblewrap is not installed.", "Install it: apt install bubblewrap, or dnf install bubblewrap."
        )
    try:
        done = subprocess.run(
            [*_namespaces(), "--ro-bind", "/", "/", "--", "/bin/sh", "-c", ":"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return SandboxUnavailable("bwrap", f"{program} cannot be run: {error}.", "Install bubblewrap again.")
    if done.returncode:
        reason = " ".join(done.stderr.split()) or f"it ended with {done.returncode}"
        return SandboxUnavailable(
            "bwrap",
            f"Bubblewrap makes no container here: {reason.removeprefix('bwrap: ')}.",
            "Allow this user to make user namespaces: sysctl kernel.unprivileged_userns_clone=1, or "
            "kernel.apparmor_restrict_unprivileged_userns=0; a container must allow it in its profile.",
        )
    return None


@cache
def bubblewrap_version() -> tuple[int, ...]:
    """The version of bubblewrap, such as (0, 8, 0); () if it is unknown."""
    program = shutil.which("bwrap")
    if program is None:
        return ()
    text = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=_SECONDS, check=False).stdout
    found = re.search(r"\d+(?:\.\d+)+", text)
    return tuple(map(int, found[0].split("."))) if found else ()


def container_command(inner: Sequence[str], read: Iterable[Path], environment: Mapping[str, str]) -> list[str]:
    """The command that runs `inner` in a container with only the paths `read`."""
    binds = [part for path in read for part in ("--ro-bind", str(path), str(path))]
    settings = [part for name, value in environment.items() for part in ("--setenv", name, value)]
    return [
        *_namespaces(),
        "--clearenv",
        *settings,
        *("--uid", str(NOBODY), "--gid", str(NOBODY), "--hostname", "sandbox"),
        # These come before the paths, which may be beneath them.
        *("--proc", "/proc", "--dev", "/dev", "--size", str(_LIBRARY_FILES), "--tmpfs", "/tmp"),
        *binds,
        *("--remount-ro", "/", "--remount-ro", "/dev", "--chdir", "/"),
        "--",
        *inner,
    ]


def _namespaces() -> list[str]:
    program = shutil.which("bwrap") or "bwrap"
    further = ["--disable-userns"] if bubblewrap_version() >= _DISABLES_NAMESPACES_SINCE else []
    return [
        program,
        *("--unshare-user", "--unshare-all", *further, "--die-with-parent", "--new-session"),
        *("--cap-drop", "ALL"),
    ]
