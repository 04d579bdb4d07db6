"""The tables of the local service: experiments and their parts, lists, users, and who was enrolled or excluded.

Times are ISO 8601 texts in UTC with milliseconds (`now()`); what is JSON on the wire and never searched is JSON text.
States are stored under their internal names (`enrolling`, never `running`). `number` counts in creation order.
"""

from __future__ import annotations

from datetime import UTC, datetime

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

VERSION = 1
"""The version of the tables below, stamped into every database as its `user_version`."""

APPLICATION_ID = 0x47575550
"""Stamped into every database as its `application_id` ("GWUP"), so that no other program's file is taken for ours."""

metadata = MetaData()


def now() -> str:
    """The time as it stands in the tables and in answers: `2026-11-21T20:51:45.159Z`."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _stamps() -> tuple[Column[str], Column[str], Column[int]]:
    return (
        Column("created_at", Text, nullable=False),
        Column("updated_at", Text, nullable=False),
        Column("version_number", Integer, nullable=False, default=1),
    )


def _number() -> Column[int]:
    return Column("number", Integer, primary_key=True, autoincrement=True)


def _of(table: str, name: str, *, nullable: bool = False) -> Column[str]:
    return Column(name, Text, ForeignKey(f"{table}.id", ondelete="CASCADE"), nullable=nullable)


experiment = Table(
    "experiment",
    metadata,
    _number(),
    Column("id", Text, nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("description", Text),
    Column("context", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("start_on", Text),
    Column("consistency_rule", Text, nullable=False),
    Column("assignment_unit", Text, nullable=False),
    Column("post_experiment_rule", Text, nullable=False),
    Column("enrollment_complete_condition", Text),  # JSON {userCount?, groupCount?}
    Column("end_on", Text),
    Column("revert_to", Text),  # a condition id; null is the default condition
    Column("tags", Text, nullable=False),  # JSON list
    Column("group", Text),
    Column("condition_order", Text),
    Column("assignment_algorithm", Text, nullable=False),
    Column("filter_mode", Text, nullable=False),
    Column("backend_version", Text, nullable=False),
    Column("type", Text, nullable=False),
    *_stamps(),
    sqlite_autoincrement=True,
)
Index("experiment_context_state", experiment.c.context, experiment.c.state)

condition = Table(
    "condition",
    metadata,
    _number(),
    Column("id", Text, nullable=False, unique=True),
    _of("experiment", "experiment_id"),
    Column("two_character_id", Text, nullable=False),
    Column("name", Text),
    Column("description", Text),
    Column("condition_code", Text, nullable=False),
    Column("assignment_weight", Float, nullable=False),
    Column("order", Integer, nullable=False),
    *_stamps(),
)
Index("condition_experiment", condition.c.experiment_id, condition.c.order)
Index("condition_code", condition.c.condition_code)

# A decision point: a place in the product (`site`, and a `target` in it) where the condition matters.
partition = Table(
    "partition",
    metadata,
    _number(),
    Column("id", Text, nullable=False, unique=True),
    _of("experiment", "experiment_id"),
    Column("two_character_id", Text, nullable=False),
    Column("site", Text, nullable=False),
    Column("target", Text),
    Column("description", Text),
    Column("order", Integer, nullable=False),
    Column("exclude_if_reached", Boolean, nullable=False),
    *_stamps(),
)
Index("partition_experiment", partition.c.experiment_id, partition.c.order)
Index("partition_point", partition.c.site, partition.c.target)

condition_payload = Table(
    "condition_payload",
    metadata,
    _number(),
    Column("id", Text, nullable=False, unique=True),
    _of("condition", "condition_id"),
    _of("partition", "partition_id", nullable=True),
    Column("payload_type", Text, nullable=False),
    Column("payload_value", Text, nullable=False),
    *_stamps(),
)
Index("condition_payload_condition", condition_payload.c.condition_id, condition_payload.c.partition_id)
Index("condition_payload_partition", condition_payload.c.partition_id)
Index("condition_payload_value", condition_payload.c.payload_value)

# type: private (a list of one experiment), public, or global_exclude (one a context, made when the service opens).
segment = Table(
    "segment",
    metadata,
    _number(),
    Column("id", Text, nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("description", Text),
    Column("list_type", Text),
    Column("context", Text, nullable=False),
    Column("type", Text, nullable=False),
    Column("tags", Text),  # JSON list
    *_stamps(),
)
Index("segment_type_context", segment.c.type, segment.c.context)

segment_individual = Table(
    "segment_individual",
    metadata,
    _number(),
    _of("segment", "segment_id"),
    Column("user_id", Text, nullable=False),
    *_stamps(),
    UniqueConstraint("segment_id", "user_id"),
)
Index("segment_individual_user", segment_individual.c.user_id)

segment_group = Table(
    "segment_group",
    metadata,
    _number(),
    _of("segment", "segment_id"),
    Column("type", Text, nullable=False),
    Column("group_id", Text, nullable=False),
    *_stamps(),
    UniqueConstraint("segment_id", "type", "group_id"),
)
Index("segment_group_group", segment_group.c.type, segment_group.c.group_id)

segment_subsegment = Table(
    "segment_subsegment",
    metadata,
    _number(),
    _of("segment", "segment_id"),
    _of("segment", "subsegment_id"),
    UniqueConstraint("segment_id", "subsegment_id"),
)
Index("segment_subsegment_child", segment_subsegment.c.subsegment_id)


def _list_link(name: str) -> Table:
    table = Table(
        name,
        metadata,
        _number(),
        Column("segment_id", Text, ForeignKey("segment.id", ondelete="CASCADE"), nullable=False, unique=True),
        _of("experiment", "experiment_id"),
        *_stamps(),
    )
    Index(f"{name}_experiment", table.c.experiment_id)
    return table


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
visit = Table(
    "visit",
    metadata,
    _number(),
    Column("id", Text, nullable=False, unique=True),
    Column("user_id", Text, nullable=False),
    Column("site", Text, nullable=False),
    Column("target", Text, nullable=False),
    Column("condition", Text),
    Column("experiment_id", Text),
    *_stamps(),
    UniqueConstraint("user_id", "site", "target"),
)
Index("visit_point", visit.c.site, visit.c.target)

individual_enrollment = Table(
    "individual_enrollment",
    metadata,
    _number(),
    Column("id", Text, nullable=False, unique=True),
    Column("user_id", Text, nullable=False),
    _of("experiment", "experiment_id"),
    _of("partition", "partition_id"),
    _of("condition", "condition_id", nullable=True),
    Column("group_id", Text),
    Column("enrollment_code", Text, nullable=False),
    *_stamps(),
    UniqueConstraint("user_id", "experiment_id", "partition_id"),
)
Index("individual_enrollment_experiment", individual_enrollment.c.experiment_id, individual_enrollment.c.condition_id)
Index("individual_enrollment_partition", individual_enrollment.c.partition_id)
Index("individual_enrollment_condition", individual_enrollment.c.condition_id)

group_enrollment = Table(
    "group_enrollment",
    metadata,
    _number(),
    Column("id", Text, nullable=False, unique=True),
    Column("group_id", Text, nullable=False),
    _of("experiment", "experiment_id"),
    _of("partition", "partition_id"),
    _of("condition", "condition_id", nullable=True),
    *_stamps(),
    UniqueConstraint("group_id", "experiment_id"),
)
Index("group_enrollment_experiment", group_enrollment.c.experiment_id)
Index("group_enrollment_partition", group_enrollment.c.partition_id)
Index("group_enrollment_condition", group_enrollment.c.condition_id)

# `id` is `<experiment_id>_<user_id>`, as in the answers of /check.
individual_exclusion = Table(
    "individual_exclusion",
    metadata,
    _number(),
    Column("id", Text, nullable=False, unique=True),
    Column("user_id", Text, nullable=False),
    _of("experiment", "experiment_id"),
    Column("group_id", Text),
    Column("exclusion_code", Text, nullable=False),
    *_stamps(),
    UniqueConstraint("user_id", "experiment_id"),
)
Index("individual_exclusion_experiment", individual_exclusion.c.experiment_id)

# `id` is `<experiment_id>_<group_id>`.
group_exclusion = Table(
    "group_exclusion",
    metadata,
    _number(),
    Column("id", Text, nullable=False, unique=True),
    Column("group_id", Text, nullable=False),
    _of("experiment", "experiment_id"),
    Column("exclusion_code", Text, nullable=False),
    *_stamps(),
    UniqueConstraint("group_id", "experiment_id"),
)
Index("group_exclusion_experiment", group_exclusion.c.experiment_id)

state_time_log = Table(
    "state_time_log",
    metadata,
    _number(),
    Column("id", Text, nullable=False, unique=True),
    _of("experiment", "experiment_id"),
    Column("from_state", Text, nullable=False),
    Column("to_state", Text, nullable=False),
    Column("time_log", Text, nullable=False),
    *_stamps(),
)
Index("state_time_log_experiment", state_time_log.c.experiment_id)

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
