"""Bubblewrap: the container around the warm process, in which no file exists but those that it needs."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from graphwright.sandbox.errors import SandboxUnavailable

NOBODY = 65_534
FOLDER = "/folder-of-the-code"
"""The working folder in the container."""

_LIBRARY_FILES = 4 * 2**20
"""Bytes that libraries may write to /tmp while they are loaded. Generated code cannot write there."""

_SECONDS = 15
_DISABLES_NAMESPACES_SINCE = (0, 8)


@cache
def missing() -> SandboxUnavailable | None:
    """The reason why no container can be made here, or None. One is made to find out, once for each process."""
    program = shutil.which("bwrap")
    if program is None:
        return SandboxUnavailable(
            "bwrap", "bubblewrap is not installed.", "Install it: apt install bubblewrap, or dnf install bubblewrap."
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
        return SandboxUnavailable("bwrap", f"{program} cannot be run: {error}.", "Install bubblewrap anew.")
    if done.returncode:
        reason = " ".join(done.stderr.split()) or f"it ended with {done.returncode}"
        return SandboxUnavailable(
            "bwrap",
            f"bubblewrap makes no container here: {reason.removeprefix('bwrap: ')}.",
            "Allow this user to make user namespaces: sysctl kernel.unprivileged_userns_clone=1, or "
            "kernel.apparmor_restrict_unprivileged_userns=0; a container has to allow it in its profile.",
        )
    return None


@cache
def version() -> tuple[int, ...]:
    """The version of bubblewrap, such as (0, 8, 0); () where it is unknown."""
    program = shutil.which("bwrap")
    if program is None:
        return ()
    text = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=_SECONDS, check=False).stdout
    found = re.search(r"\d+(?:\.\d+)+", text)
    return tuple(map(int, found[0].split("."))) if found else ()


def command(inner: Sequence[str], read: Iterable[Path], environment: Mapping[str, str], disk: int) -> list[str]:
    """The command that runs `inner` in a container that holds the paths `read` and nothing else.

    With `disk` there is a working folder of so many bytes.
    """
    binds = [part for path in read for part in ("--ro-bind", str(path), str(path))]
    settings = [part for name, value in environment.items() for part in ("--setenv", name, value)]
    folder = ["--size", str(disk), "--perms", "0700", "--tmpfs", FOLDER] if disk else []
    return [
        *_namespaces(),
        "--clearenv",
        *settings,
        *("--uid", str(NOBODY), "--gid", str(NOBODY), "--hostname", "sandbox"),
        # These come before the paths, which may lie beneath them.
        *("--proc", "/proc", "--dev", "/dev", "--size", str(_LIBRARY_FILES), "--tmpfs", "/tmp"),
        *folder,
        *binds,
        *("--remount-ro", "/", "--remount-ro", "/dev", "--chdir", "/"),
        "--",
        *inner,
    ]


def _namespaces() -> list[str]:
    program = shutil.which("bwrap") or "bwrap"
    further = ["--disable-userns"] if version() >= _DISABLES_NAMESPACES_SINCE else []
    return [
        program,
        *("--unshare-user", "--unshare-all", *further, "--die-with-parent", "--new-session"),
        *("--cap-drop", "ALL"),
    ]
