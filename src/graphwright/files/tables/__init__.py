"""Tables out of data files: DuckDB reads them, types them and profiles them, in the reading process."""
