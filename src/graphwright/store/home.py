"""Where Graphwright keeps its data on this machine."""

from __future__ import annotations

from pathlib import Path

from graphwright.config import chosen_home


def data_home() -> Path:
    """The data folder: the configured one, else the platform's user data folder. It may not exist yet.

    The path is absolute and a leading `~` is expanded; nothing is created. Raises ConfigError.
    """
    chosen = chosen_home()
    if chosen is not None:
        return chosen
    # Not at the top: commands that keep no data should not pay for it.
    from platformdirs import user_data_dir

    return Path(user_data_dir("graphwright", appauthor=False)).absolute()
