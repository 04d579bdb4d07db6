"""Retrieval alone: whether the right page is among the first three of a foreign folder, compared with plain BM25."""
