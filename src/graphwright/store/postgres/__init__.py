"""The store in a Postgres database, which many processes on many machines share."""
