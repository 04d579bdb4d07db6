"""The service: HTTP, and the other doors to the same agents."""
