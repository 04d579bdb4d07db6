"""Common text functions: removal of hidden characters, equal spellings, dates, numbers, search and provenance."""
