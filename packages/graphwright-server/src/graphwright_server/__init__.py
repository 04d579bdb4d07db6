"""The HTTP service, and the other protocols that serve the same agents."""
