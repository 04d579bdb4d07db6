"""The store in a Postgres database, which processes on several machines can share."""
