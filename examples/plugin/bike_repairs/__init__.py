"""A package that adds an agent, a command, a doctor check, an approval card, a pane and a route to Graphwright."""
