"""The store in one SQLite file: its connection, leases by file locks, and a look at its health."""
