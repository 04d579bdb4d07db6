"""Where Graphwright keeps its data on this machine."""

from __future__ import annotations

import os
from pathlib import Path


def data_home() -> Path:
    """The data folder: `GRAPHWRIGHT_HOME`, else the platform's user data folder. It may not exist yet.

    The path is absolute and a leading `~` is expanded; nothing is created.
    """
    chosen = os.environ.get("GRAPHWRIGHT_HOME", "").strip()
    if chosen:
        return Path(chosen).expanduser().absolute()
    # Not at the top: commands that keep no data should not pay for it.
    from platformdirs import user_data_dir

    return Path(user_data_dir("graphwright", appauthor=False)).absolute()
