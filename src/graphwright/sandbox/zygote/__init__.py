"""What stands inside: the warm process that forks one child for each execution, and all that the child does."""
