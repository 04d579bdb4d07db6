"""A graph on a Neo4j server, through the official driver, which is imported when it is first needed."""

from graphwright.graphstore.neo4j.store import Neo4jStore

__all__ = ["Neo4jStore"]
