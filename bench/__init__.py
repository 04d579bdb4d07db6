"""The benchmark: the cost of a step, a turn, a compilation and a conversation, compared with similar engines."""
