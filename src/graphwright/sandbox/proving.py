"""The proof: canaries try to escape by the very way that all code takes, once for each boot and configuration."""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import json
import os
import secrets
import socket
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from graphwright.sandbox import bubblewrap, places, tiers
from graphwright.sandbox.errors import SandboxUnavailable
from graphwright.sandbox.execution import Execution, ListResult, TextResult
from graphwright.store.home import data_home

_MOST_KEPT = 20

_CODE = """
from pathlib import Path
from graphwright.sandbox import canaries
result = canaries.escapes(Path({secret!r}), {victim}, {address}, port={port})
"""


def prove(isolation: str, trial: Callable[[str], Execution], *, anew: bool = False) -> None:
    """Raise SandboxUnavailable unless this isolation holds; what held once is believed until the next boot.

    `trial` runs code as all code is run. With `anew` nothing is believed, and nothing kept.
    """
    configuration = None if anew else _configuration(isolation)
    if configuration is not None and configuration in _kept():
        return
    escapes = _escapes(trial)
    if escapes:
        raise SandboxUnavailable(
            "self-test",
            f"under {isolation}, code could {' and '.join(escapes)}.",
            "Do not rely on it on this machine. Look for what is unusual about its kernel or container.",
        )
    if configuration is not None:
        _keep(configuration)


def _escapes(trial: Callable[[str], Execution]) -> list[str]:
    """The escapes that succeeded, as far as can be seen from here as well as from inside."""
    with tempfile.TemporaryDirectory(prefix="graphwright-") as folder, socket.socket() as listener:
        # Nothing but the isolation may be in the way.
        Path(folder).chmod(0o777)
        secret = Path(folder, "secret")
        secret.write_text(secrets.token_hex(), "ascii")
        secret.chmod(0o666)
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        listener.settimeout(0)
        memory = ctypes.create_string_buffer(secret.read_bytes())
        before = _state(Path(folder))
        execution = trial(
            _CODE.format(
                secret=str(secret),
                victim=os.getpid(),
                address=ctypes.addressof(memory),
                port=listener.getsockname()[1],
            )
        )
        if not isinstance(execution.result, ListResult):
            said = execution.error.message if execution.error else "it gave no result"
            raise SandboxUnavailable("self-test", f"the trial does not run: {said}", "Please report this.")
        found = [item.text for item in execution.result.items if isinstance(item, TextResult)]
        if _state(Path(folder)) != before:
            found.append("write outside")
        with contextlib.suppress(OSError):
            listener.accept()[0].close()
            found.append("open a socket")
    return list(dict.fromkeys(found))


def _state(folder: Path) -> list[tuple[str, int, int, int, bytes]]:
    found = []
    for path in (folder, *sorted(folder.iterdir())):
        status = path.lstat()
        content = path.read_bytes() if path.is_file() else b""
        found.append((path.name, status.st_mode, status.st_mtime_ns, status.st_nlink, content))
    return found


def _configuration(isolation: str) -> str | None:
    """What the proof depends on, in short; None where the system does not tell when it was booted."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii")
    except OSError:
        return None
    parts = [boot, isolation, sys.version, repr(list(os.uname())), str(os.getuid())]
    if isolation == tiers.CONTAINER:
        parts.append(repr(bubblewrap.version()))
    parts += map(str, places.readable())
    digest = hashlib.sha256("\0".join(parts).encode("utf-8", "replace"))
    for file in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _file() -> Path:
    return data_home() / "sandbox" / "held.json"


def _kept() -> list[str]:
    try:
        kept = json.loads(_file().read_text("utf-8"))
    except (OSError, ValueError):
        return []
    return [each for each in kept if isinstance(each, str)] if isinstance(kept, list) else []


def _keep(configuration: str) -> None:
    """Remember it; where that cannot be done the trial is made again the next time."""
    file = _file()
    kept = [*(each for each in _kept() if each != configuration), configuration][-_MOST_KEPT:]
    with contextlib.suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        made = file.with_name(f"{file.name}.{os.getpid()}")
        made.write_text(json.dumps(kept), "utf-8")
        made.replace(file)
