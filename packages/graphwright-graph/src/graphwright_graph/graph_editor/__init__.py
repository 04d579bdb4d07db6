"""The graph editor: natural language over a property graph, with confirmations, recovery, and questions to the user."""
