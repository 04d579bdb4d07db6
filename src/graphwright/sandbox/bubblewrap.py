"""Bubblewrap: the container round the warm process, in which nothing exists but what it needs."""

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
"""The working folder in there."""

_FOR_LIBRARIES = 4 * 2**20
"""Bytes that libraries may write while they are loaded. What generated code runs in can write none of it."""

_SECONDS = 15
_HIDES_NAMESPACES_SINCE = (0, 8)


@cache
def missing() -> SandboxUnavailable | None:
    """Why there is no such container here; None where there is one. It is tried, once in this process."""
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
        said = " ".join(done.stderr.split()) or f"it ended with {done.returncode}"
        return SandboxUnavailable(
            "bwrap",
            f"bubblewrap makes no container here: {said.removeprefix('bwrap: ')}.",
            "Let this user make user namespaces: sysctl kernel.unprivileged_userns_clone=1, or "
            "kernel.apparmor_restrict_unprivileged_userns=0; a container has to allow it in its profile.",
        )
    return None


@cache
def version() -> tuple[int, ...]:
    """The version of the program, such as (0, 8, 0); () where it says none."""
    program = shutil.which("bwrap")
    if program is None:
        return ()
    told = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=_SECONDS, check=False).stdout
    found = re.search(r"\d+(?:\.\d+)+", told)
    return tuple(map(int, found[0].split("."))) if found else ()


def command(
    inner: Sequence[str], read: Iterable[Path], environment: Mapping[str, str], disk: int, programs: Iterable[Path]
) -> list[str]:
    """The command that runs `inner` in a container.

    `read` and `programs` can be read in there, and nothing else is there. With `disk` there is a working folder, which
    takes so many bytes.
    """
    binds = [part for path in (*read, *programs) for part in ("--ro-bind", str(path), str(path))]
    settings = [part for name, value in environment.items() for part in ("--setenv", name, value)]
    folder = ["--size", str(disk), "--perms", "0700", "--tmpfs", FOLDER] if disk else []
    return [
        *_namespaces(),
        "--clearenv",
        *settings,
        *("--uid", str(NOBODY), "--gid", str(NOBODY), "--hostname", "sandbox"),
        # These come first: an interpreter may stand beneath them.
        *("--proc", "/proc", "--dev", "/dev", "--size", str(_FOR_LIBRARIES), "--tmpfs", "/tmp"),
        *folder,
        *binds,
        *("--remount-ro", "/", "--remount-ro", "/dev", "--chdir", "/"),
        "--",
        *inner,
    ]


def _namespaces() -> list[str]:
    program = shutil.which("bwrap") or "bwrap"
    further = ["--disable-userns"] if version() >= _HIDES_NAMESPACES_SINCE else []
    return [
        program,
        *("--unshare-user", "--unshare-all", *further, "--die-with-parent", "--new-session"),
        *("--cap-drop", "ALL"),
    ]
