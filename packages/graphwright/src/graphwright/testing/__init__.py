"""Scripted conversations: a file of turns and expectations, run against the real engine with a scripted model.

All names are imported on first use, so that the pytest plugin loads fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphwright.models._scripted import ScriptedModel
    from graphwright.testing._running import Result
    from graphwright.testing._suite import Suite, Unusable, find_conversations, run_suite

__all__ = ["Result", "ScriptedModel", "Suite", "Unusable", "find_conversations", "run_suite"]

_HOMES = {"ScriptedModel": "graphwright.models._scripted", "Result": "graphwright.testing._running"}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES.get(name, "graphwright.testing._suite")), name)
