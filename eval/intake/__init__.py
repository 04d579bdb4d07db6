"""Reading: messages and whole conversations with the intake agent, with known answers."""
