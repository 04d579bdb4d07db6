"""The engine: pure, synchronous functions that decide the steps of a turn."""
