"""The embedded graph store: graphqlite on SQLite in one file, and the worker process that holds it."""
