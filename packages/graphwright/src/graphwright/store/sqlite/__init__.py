"""The store in one SQLite file: its connection, leases by file locks, and its health."""
