"""A graph on a Neo4j server, through the official driver, which is imported at its first use."""
