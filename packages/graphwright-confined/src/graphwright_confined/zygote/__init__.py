"""The inside of the sandbox: the warm process that forks one child for each execution, and the child's program."""
