"""The table of the interaction log. Its name has a prefix: the database may hold the tables of others, too."""

from __future__ import annotations

from sqlalchemy import JSON, Boolean, Column, Float, Index, Integer, MetaData, Table, Text
from sqlalchemy.dialects.postgresql import JSONB

metadata = MetaData()

interactions = Table(
    "gw_interactions",
    metadata,
    Column("id", Text, primary_key=True),
    Column("session", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Column("number", Integer, nullable=False),
    Column("type", Text, nullable=False),
    Column("question", Text, nullable=False),
    Column("code", Text, nullable=False),
    Column("result", Text, nullable=False),
    Column("reply", Text, nullable=False),
    Column("success", Boolean, nullable=False),
    Column("error", Text, nullable=False),
    Column("metadata", JSON().with_variant(JSONB(), "postgresql"), nullable=False),
    Column("started", Text, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("model_calls", Integer, nullable=False),
    Column("tokens", Integer, nullable=False),
)
Index("gw_interactions_session", interactions.c.session, interactions.c.number)
Index("gw_interactions_started", interactions.c.started)
