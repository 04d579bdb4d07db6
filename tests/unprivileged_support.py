"""What the tests of permissions share: rights given away, since root may read and write everything."""

from __future__ import annotations

import inspect
import os
from pathlib import Path

NOBODY = 65534


def become_nobody() -> None:
    """Go on as nobody for good, if this process is root's. For a child: there is no way back."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def nobody_reaches(path: Path) -> bool:
    """Whether a process may still open what lies below `path` after `become_nobody`: not in a folder of root alone."""
    return os.geteuid() != 0 or all(each.stat().st_mode & 0o001 for each in (path, *path.parents))


BECOME_NOBODY = f"import os\nNOBODY = {NOBODY}\n{inspect.getsource(become_nobody)}"
"""`become_nobody` for a script that is given as text."""
