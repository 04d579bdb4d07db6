"""The settings of an installation: the table `[agents.upgrade]`."""

from __future__ import annotations

SETTINGS = {
    "server": {
        "enum": ["environment", "local"],
        "default": "environment",
        "description": "environment: the server that UPGRADE_API_URL names, else the local service; "
        "local: the local service whatever the environment says, as scripted conversations should",
    }
}
