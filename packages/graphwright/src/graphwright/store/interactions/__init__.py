"""The interaction log: one interaction per turn of an agent, stored in SQLite, Postgres or JSON Lines.

Logging never fails and never delays an answer: interactions wait in a bounded queue for a thread that writes them
without secrets. The first failed write is reported as a warning.
"""

from graphwright.store._errors import InteractionLogError
from graphwright.store.interactions._interaction import LONGEST_TEXT, Interaction
from graphwright.store.interactions._sinks import InteractionSink, Query, SessionSummary, open_sink
from graphwright.store.interactions._summary import EMPTY, Bar, Summary
from graphwright.store.interactions._writer import Writer, configured, record

__all__ = [
    "EMPTY",
    "LONGEST_TEXT",
    "Bar",
    "Interaction",
    "InteractionLogError",
    "InteractionSink",
    "Query",
    "SessionSummary",
    "Summary",
    "Writer",
    "configured",
    "open_sink",
    "record",
]
