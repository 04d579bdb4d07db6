"""The MCP library, imported on first use, and kept from writing to the terminal on its own."""

from __future__ import annotations

import logging
import os
import sys
from importlib import import_module

from graphwright.errors import GraphwrightError

_SWITCH = "FASTMCP_LOG_ENABLED"


def load() -> None:
    """Import fastmcp so that it logs like any library: to whom has set up logging, else to nobody.

    Left to itself it prints what it logs, tracebacks too, on the standard error of the program that imports it. Where
    the program has imported it before, that is left as it is. Raises GraphwrightError (`mcp_missing`).
    """
    if "fastmcp" in sys.modules:
        return
    before = os.environ.get(_SWITCH)
    os.environ[_SWITCH] = "false"
    try:
        import_module("fastmcp")
    except ImportError as error:
        raise missing(error) from error
    finally:
        if before is None:
            del os.environ[_SWITCH]
        else:
            os.environ[_SWITCH] = before
    for name in ("fastmcp", "mcp"):
        logging.getLogger(name).addHandler(logging.NullHandler())


def missing(error: ImportError) -> GraphwrightError:
    """What to tell people where the library, or something that it needs, cannot be imported (`mcp_missing`)."""
    return GraphwrightError(
        "mcp_missing",
        f"The packages for MCP servers are not installed ({error.name or 'fastmcp'}).",
        "pip install 'graphwright[assistant]'",
    )
