"""What must outlive the process: threads, their states, traces, messages, outcomes, blobs, records, leases."""

from graphwright.store.errors import LeaseTimeout, StoreError
from graphwright.store.facade import Store, open_store
from graphwright.store.rows import (
    EventRow,
    Message,
    Outcome,
    OutcomeStatus,
    Record,
    Role,
    ThreadChanges,
    ThreadRow,
    ThreadStatus,
)

__all__ = [
    "EventRow",
    "LeaseTimeout",
    "Message",
    "Outcome",
    "OutcomeStatus",
    "Record",
    "Role",
    "Store",
    "StoreError",
    "ThreadChanges",
    "ThreadRow",
    "ThreadStatus",
    "open_store",
]
