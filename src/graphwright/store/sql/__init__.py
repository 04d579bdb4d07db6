"""The store over SQL: tables and statements that every database of ours understands."""
