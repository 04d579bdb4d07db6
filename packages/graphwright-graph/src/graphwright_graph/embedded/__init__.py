"""The embedded graph store: graphqlite on SQLite in one file, and its worker process."""
