"""ELOG servers: their HTTP interface, spoken with care for what they do wrong, and the port over it. Only reading."""
