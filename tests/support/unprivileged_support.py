"""Shared by the tests of permissions: dropping privileges, since root may read and write everything."""

from __future__ import annotations

import inspect
import os
from pathlib import Path

NOBODY = 65534


def become_nobody() -> None:
    """Drop root privileges permanently, if this process is root's. Only for a child, since it is irreversible."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def nobody_reaches(path: Path) -> bool:
    """Whether a process may still open files below `path` after `become_nobody`: not in a folder for root only."""
    return os.geteuid() != 0 or all(each.stat().st_mode & 0o001 for each in (path, *path.parents))


BECOME_NOBODY = f"import os\nNOBODY = {NOBODY}\n{inspect.getsource(become_nobody)}"
"""`become_nobody` for a script that is passed as text."""
