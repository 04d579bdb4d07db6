"""`self_test()`: does the confinement hold? A real process confines itself and tries to escape."""

from __future__ import annotations

import ctypes
import json
import os
import sys
from pathlib import Path
from typing import Any

from graphwright.sandbox.confine import available
from graphwright.sandbox.errors import SandboxUnavailable

_SECONDS = 30

_START = (
    "import sys; sys.path.insert(0, sys.argv[1]); from graphwright.sandbox import canaries; canaries.main(sys.argv[2])"
)


def self_test() -> str:
    """Let a child confine itself and try five escapes; gives the isolation that held, as `confine` does.

    The escapes: read a file outside, write outside, open a socket, start a process, look into another process. Takes
    about as long as the start of an interpreter. Raises SandboxUnavailable where one succeeds, where what is allowed
    does not work, and where the child cannot be confined or started.
    """
    # Processes that confine themselves import this room, too, and have no use for these.
    import secrets
    import tempfile

    for missing in available().missing:
        raise missing
    with tempfile.TemporaryDirectory(prefix="graphwright-") as folder:
        inside, outside = Path(folder, "inside"), Path(folder, "outside")
        for place in (inside, outside):
            place.mkdir()
        secret = outside / "secret"
        secret.write_text(secrets.token_hex(), "ascii")
        before = _state(outside)
        memory = ctypes.create_string_buffer(secret.read_bytes())
        victim = [os.getpid(), ctypes.addressof(memory)]
        told = _child({"inside": str(inside), "secret": str(secret), "victim": victim})
        if "unavailable" in told:
            raise SandboxUnavailable(*told["unavailable"])
        escapes = list(told["escapes"])
        # What the child did to files is judged here, whatever it says.
        if _state(outside) != before and "write outside" not in escapes:
            escapes.append("write outside")
        kept = inside / "kept"
        if not kept.exists() or kept.read_text("ascii") != told["kept"]:
            raise _failed(
                "a confined process cannot even use its own folder.",
                "Look whether the folder for temporary files lies on an unusual file system; TMPDIR names another one.",
            )
    if escapes:
        raise _failed(
            f"a confined process could {' and '.join(escapes)}.",
            "Do not rely on it on this machine. Look for what is unusual about its kernel or container.",
        )
    return str(told["isolation"])


def _child(task: dict[str, Any]) -> dict[str, Any]:
    import subprocess

    root = Path(__file__).parents[2]
    command = [sys.executable, "-I", "-S", "-c", _START, str(root), json.dumps(task)]
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_SECONDS, check=False
        )
        told: dict[str, Any] = json.loads(done.stdout)
    except OSError as error:
        raise _failed(
            f"no child can be started: {sys.executable or 'the interpreter'}: {error.strerror}.",
            "Use a Python interpreter that this user may run.",
        ) from None
    except subprocess.TimeoutExpired:
        raise _failed(
            f"the child was not done after {_SECONDS} s.", "Try again on a machine that is less busy."
        ) from None
    except ValueError:
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise _failed(f"the child ended with {done.returncode}: {last}.", "Please report this.") from None
    return told


def _state(folder: Path) -> list[tuple[str, int, int, int, bytes]]:
    """All that can be changed about the files of a folder, and the folder itself."""
    found = []
    for path in sorted([folder, *folder.iterdir()]):
        status = path.lstat()
        content = path.read_bytes() if path.is_file() else b""
        found.append((path.name, status.st_mode, status.st_mtime_ns, status.st_nlink, content))
    return found


def _failed(reason: str, hint: str) -> SandboxUnavailable:
    return SandboxUnavailable("self-test", reason, hint)
