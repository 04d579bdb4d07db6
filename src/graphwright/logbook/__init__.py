"""Electronic logbooks: ELOG servers over HTTP and a built-in one, behind one port; and the tools that search them.

open_logbook        the ELOG server at an address, or the built-in logbook of a data folder
search_elog, get_elog_thread    what the tools do
make_server         the tools as an MCP server
"""

from __future__ import annotations

from graphwright.logbook.clock import Clock, clock_of_environment
from graphwright.logbook.errors import LogbookError, Refused
from graphwright.logbook.opening import configured_address, open_logbook
from graphwright.logbook.port import Entry, Found, Known, Logbook, Thread, Wanted
from graphwright.logbook.searching import get_elog_thread, search_elog
from graphwright.logbook.serving import make_server

__all__ = [
    "Clock",
    "Entry",
    "Found",
    "Known",
    "Logbook",
    "LogbookError",
    "Refused",
    "Thread",
    "Wanted",
    "clock_of_environment",
    "configured_address",
    "get_elog_thread",
    "make_server",
    "open_logbook",
    "search_elog",
]
