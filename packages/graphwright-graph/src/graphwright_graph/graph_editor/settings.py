"""The settings of an installation, from the table `[agents.graph_editor]`."""

from typing import get_args

from graphwright.proposals import Policy

SETTINGS = {
    "confirm": {
        "enum": list(get_args(Policy)),
        "default": "always",
        "description": "which changes wait for a yes: always, unsupported or destructive",
    },
}
