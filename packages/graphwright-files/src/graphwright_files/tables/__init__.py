"""Tables from data files: DuckDB reads, types and profiles them, in the reading process."""
