"""A local service that behaves like UpGrade: the REST contract of version 6.4 on a SQLite database."""
