"""The agents that come with Graphwright: one folder each, users of the engine like any other."""
