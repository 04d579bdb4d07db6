"""The settings of an installation, from the table `[agents.graph_editor]`."""

from graphwright.proposals import POLICIES

SETTINGS = {
    "confirm": {
        "enum": list(POLICIES),
        "default": "always",
        "description": "which changes wait for a yes: always, unsupported or destructive",
    },
}
