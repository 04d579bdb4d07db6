"""Graphs as files: JSON, JSON Lines, GraphML and CSV, read and written without losing anything."""

from graphwright.graphstore.exchange.files import SUFFIXES, places_of, read_file, read_files, write_file

__all__ = ["SUFFIXES", "places_of", "read_file", "read_files", "write_file"]
