"""The tables of the local service: experiments and their parts, lists, users, and who was enrolled or excluded.

Times are ISO 8601 texts in UTC with milliseconds (`now()`); what is JSON on the wire and never searched is JSON text.
States are stored under their internal names (`enrolling`, never `running`). `number` counts in creation order.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    event,
    text,
)
from sqlalchemy.schema import SchemaItem

VERSION = 1
"""The version of the tables below, stamped into every database as its `user_version`."""

APPLICATION_ID = 0x47575550
"""Stamped into every database as its `application_id` ("GWUP"), so that no other program's file is taken for ours."""

metadata = MetaData()


def now() -> str:
    """The time as it stands in the tables and in answers: `2026-11-21T20:51:45.159Z`."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def stamps(at: str) -> dict[str, Any]:
    """The stamps of a new row."""
    return {"created_at": at, "updated_at": at, "version_number": 1}


def _of(table: str, name: str, *, nullable: bool = False, index: bool = False) -> Column[str]:
    return Column(name, Text, ForeignKey(f"{table}.id", ondelete="CASCADE"), nullable=nullable, index=index)


def _texts(names: str, *, nullable: bool = False) -> tuple[Column[str], ...]:
    return tuple(Column(name, Text, nullable=nullable) for name in names.split())


def _stamps() -> tuple[SchemaItem, ...]:
    return *_texts("created_at updated_at"), Column("version_number", Integer, nullable=False, default=1)


def _table(name: str, *columns: SchemaItem, id: bool = True) -> Table:
    """A table whose rows are numbered and stamped, and have an `id` of their own or not."""
    number = Column("number", Integer, primary_key=True, autoincrement=True)
    ids = (Column("id", Text, nullable=False, unique=True),) if id else ()
    return Table(name, metadata, number, *ids, *columns, *_stamps())


experiment = _table(
    "experiment",
    *_texts("name context state consistency_rule assignment_unit post_experiment_rule assignment_algorithm"),
    *_texts("filter_mode backend_version type"),
    *_texts("description start_on end_on group condition_order", nullable=True),
    Column("enrollment_complete_condition", Text),  # JSON {userCount?, groupCount?}
    Column("revert_to", Text),  # a condition id; null is the default condition
    Column("tags", Text, nullable=False),  # JSON list
)
Index("experiment_context_state", experiment.c.context, experiment.c.state)

condition = _table(
    "condition",
    *_texts("two_character_id condition_code"),
    *_texts("name description", nullable=True),
    _of("experiment", "experiment_id"),
    Column("assignment_weight", Float, nullable=False),
    Column("order", Integer, nullable=False),
)
Index("condition_experiment", condition.c.experiment_id, condition.c.order)
Index("condition_code", condition.c.condition_code)

# A decision point: a place in the product (`site`, and a `target` in it) where the condition matters.
partition = _table(
    "partition",
    *_texts("two_character_id site"),
    *_texts("target description", nullable=True),
    _of("experiment", "experiment_id"),
    Column("order", Integer, nullable=False),
    Column("exclude_if_reached", Boolean, nullable=False),
)
Index("partition_experiment", partition.c.experiment_id, partition.c.order)
Index("partition_point", partition.c.site, partition.c.target)

condition_payload = _table(
    "condition_payload",
    *_texts("payload_type payload_value"),
    _of("condition", "condition_id"),
    _of("partition", "partition_id", nullable=True, index=True),
)
Index("condition_payload_condition", condition_payload.c.condition_id, condition_payload.c.partition_id)
Index("condition_payload_value", condition_payload.c.payload_value)

# type: private (a list of one experiment), public, or global_exclude (one a context, made when the service opens).
segment = _table(
    "segment",
    *_texts("name context type"),
    *_texts("description list_type", nullable=True),
    Column("tags", Text),  # JSON list
)
Index("segment_type_context", segment.c.type, segment.c.context)

segment_individual = _table(
    "segment_individual",
    *_texts("user_id"),
    _of("segment", "segment_id"),
    UniqueConstraint("segment_id", "user_id"),
    id=False,
)
Index("segment_individual_user", segment_individual.c.user_id)

segment_group = _table(
    "segment_group",
    *_texts("type group_id"),
    _of("segment", "segment_id"),
    UniqueConstraint("segment_id", "type", "group_id"),
    id=False,
)
Index("segment_group_group", segment_group.c.type, segment_group.c.group_id)

segment_subsegment = Table(
    "segment_subsegment",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    _of("segment", "segment_id"),
    _of("segment", "subsegment_id"),
    UniqueConstraint("segment_id", "subsegment_id"),
)
Index("segment_subsegment_child", segment_subsegment.c.subsegment_id)


def _list_link(name: str) -> Table:
    segments = Column("segment_id", Text, ForeignKey("segment.id", ondelete="CASCADE"), nullable=False, unique=True)
    return _table(name, segments, _of("experiment", "experiment_id", index=True), id=False)


inclusion = _list_link("inclusion")
exclusion = _list_link("exclusion")

user = Table(
    "user",
    metadata,
    Column("id", Text, primary_key=True),
    Column("group", Text),  # JSON {type: [ids]}
    Column("working_group", Text),  # JSON {type: id}
    *_stamps(),
)

user_alias = Table(
    "user_alias",
    metadata,
    Column("alias", Text, primary_key=True),
    _of("user", "user_id"),
)
Index("user_alias_user", user_alias.c.user_id)

preview_user = Table("preview_user", metadata, Column("id", Text, primary_key=True), *_stamps())

# One row for each user and point, whatever the experiments: it outlives them. `condition` is the first one recorded.
visit = _table(
    "visit",
    *_texts("user_id site target"),
    *_texts("condition experiment_id", nullable=True),
    UniqueConstraint("user_id", "site", "target"),
)
Index("visit_point", visit.c.site, visit.c.target)

individual_enrollment = _table(
    "individual_enrollment",
    *_texts("user_id enrollment_code"),
    *_texts("group_id", nullable=True),
    _of("experiment", "experiment_id"),
    _of("partition", "partition_id", index=True),
    _of("condition", "condition_id", nullable=True, index=True),
    UniqueConstraint("user_id", "experiment_id", "partition_id"),
)
Index("individual_enrollment_experiment", individual_enrollment.c.experiment_id, individual_enrollment.c.condition_id)

group_enrollment = _table(
    "group_enrollment",
    *_texts("group_id"),
    _of("experiment", "experiment_id", index=True),
    _of("partition", "partition_id", index=True),
    _of("condition", "condition_id", nullable=True, index=True),
    UniqueConstraint("group_id", "experiment_id"),
)

# `id` is `<experiment_id>_<user_id>`, as in the answers of /check.
individual_exclusion = _table(
    "individual_exclusion",
    *_texts("user_id exclusion_code"),
    *_texts("group_id", nullable=True),
    _of("experiment", "experiment_id", index=True),
    UniqueConstraint("user_id", "experiment_id"),
)

# `id` is `<experiment_id>_<group_id>`.
group_exclusion = _table(
    "group_exclusion",
    *_texts("group_id exclusion_code"),
    _of("experiment", "experiment_id", index=True),
    UniqueConstraint("group_id", "experiment_id"),
)

state_time_log = _table(
    "state_time_log",
    *_texts("from_state to_state time_log"),
    _of("experiment", "experiment_id", index=True),
)

# One row.
setting = Table(
    "setting",
    metadata,
    Column("id", Text, primary_key=True),
    Column("to_check_auth", Boolean, nullable=False),
    Column("to_filter_metric", Boolean, nullable=False),
    *_stamps(),
)


# One row, and a new value whenever an experiment changes: what a cache of experiments was read at. It is random, not
# counted, so that a value of a transaction that was rolled back never comes again.
design_revision = Table("design_revision", metadata, Column("value", Text, primary_key=True))


@event.listens_for(metadata, "after_create")
def _watch_designs(_metadata: MetaData, connection: Connection, **_: object) -> None:
    connection.execute(text("INSERT INTO design_revision VALUES (hex(randomblob(16)))"))
    lists = (segment, segment_subsegment, inclusion, exclusion)
    for table in (experiment, condition, partition, condition_payload, *lists):
        for change in ("INSERT", "UPDATE", "DELETE"):
            connection.execute(
                text(
                    f'CREATE TRIGGER design_{table.name}_{change.lower()} AFTER {change} ON "{table.name}" '
                    "BEGIN UPDATE design_revision SET value = hex(randomblob(16)); END"
                )
            )
