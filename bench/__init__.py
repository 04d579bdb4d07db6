"""The benchmark: what a step, a turn, a compilation and a conversation cost, beside comparable engines."""
