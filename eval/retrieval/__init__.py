"""Retrieval alone: the right page among the first three of a foreign folder, beside plain BM25."""
