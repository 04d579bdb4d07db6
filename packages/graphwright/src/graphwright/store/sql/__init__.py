"""The store over SQL: tables and statements that all supported databases understand."""
