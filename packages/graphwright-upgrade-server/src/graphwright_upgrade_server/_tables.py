"""The tables of the local service: experiments and their parts, lists, users, and who was enrolled or excluded.

Times are ISO 8601 texts in UTC with milliseconds (`now()`); JSON values that are not searched are stored as JSON text.
States are stored with their internal names (`enrolling`, not `running`). `number` counts in creation order.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

VERSION = 1
"""The version of the tables below, stored in every database as its `user_version`."""

APPLICATION_ID = 0x47575550
"""Stored in every database as its `application_id` ("GWUP"), so that files of other programs are recognised."""


def now() -> str:
    """The present time as in the tables and in answers: `2026-11-21T20:51:45.159Z`."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def stamps(at: str) -> dict[str, Any]:
    """The stamps of a new row."""
    return {"created_at": at, "updated_at": at, "version_number": 1}


_STAMPS = "created_at TEXT NOT NULL, updated_at TEXT NOT NULL, version_number INTEGER NOT NULL"
_LINK = "number INTEGER PRIMARY KEY"
_ROW = f"{_LINK}, id TEXT NOT NULL UNIQUE"


def _of(table: str, column: str, null: str = "NOT NULL") -> str:
    """A column that refers to a row of another table, and is deleted with it."""
    return f"{column} TEXT {null} REFERENCES {table} (id) ON DELETE CASCADE"


_EXPERIMENT = _of("experiment", "experiment_id")
_SEGMENT = _of("segment", "segment_id")

_TABLES = f"""
CREATE TABLE experiment ({_ROW}, name TEXT NOT NULL, context TEXT NOT NULL, state TEXT NOT NULL,
    consistency_rule TEXT NOT NULL, assignment_unit TEXT NOT NULL, post_experiment_rule TEXT NOT NULL,
    assignment_algorithm TEXT NOT NULL, filter_mode TEXT NOT NULL, backend_version TEXT NOT NULL, type TEXT NOT NULL,
    description TEXT, start_on TEXT, end_on TEXT, "group" TEXT, condition_order TEXT,
    enrollment_complete_condition TEXT, -- JSON {{userCount?, groupCount?}}
    revert_to TEXT, -- a condition id; null is the default condition
    tags TEXT NOT NULL, -- JSON list
    {_STAMPS});
CREATE TABLE condition ({_ROW}, two_character_id TEXT NOT NULL, condition_code TEXT NOT NULL, name TEXT,
    description TEXT, {_EXPERIMENT}, assignment_weight FLOAT NOT NULL, "order" INTEGER NOT NULL, {_STAMPS});
-- A decision point: a place in the product (`site`, and a `target` in it) where the condition matters.
CREATE TABLE partition ({_ROW}, two_character_id TEXT NOT NULL, site TEXT NOT NULL, target TEXT, description TEXT,
    {_EXPERIMENT}, "order" INTEGER NOT NULL, exclude_if_reached BOOLEAN NOT NULL, {_STAMPS});
CREATE TABLE condition_payload ({_ROW}, payload_type TEXT NOT NULL, payload_value TEXT NOT NULL,
    {_of("condition", "condition_id")}, {_of("partition", "partition_id", "")}, {_STAMPS});
-- type: private (a list of one experiment), public, or global_exclude (one a context, made when the service opens).
CREATE TABLE segment ({_ROW}, name TEXT NOT NULL, context TEXT NOT NULL, type TEXT NOT NULL, description TEXT,
    list_type TEXT, tags TEXT, -- JSON list
    {_STAMPS});
CREATE TABLE segment_individual ({_LINK}, user_id TEXT NOT NULL, {_SEGMENT}, {_STAMPS}, UNIQUE (segment_id, user_id));
CREATE TABLE segment_group ({_LINK}, type TEXT NOT NULL, group_id TEXT NOT NULL, {_SEGMENT}, {_STAMPS},
    UNIQUE (segment_id, type, group_id));
CREATE TABLE segment_subsegment ({_LINK}, {_SEGMENT}, {_of("segment", "subsegment_id")},
    UNIQUE (segment_id, subsegment_id));
CREATE TABLE inclusion ({_LINK}, {_SEGMENT} UNIQUE, {_EXPERIMENT}, {_STAMPS});
CREATE TABLE exclusion ({_LINK}, {_SEGMENT} UNIQUE, {_EXPERIMENT}, {_STAMPS});
CREATE TABLE user (id TEXT NOT NULL PRIMARY KEY, "group" TEXT, -- JSON {{type: [ids]}}
    working_group TEXT, -- JSON {{type: id}}
    {_STAMPS});
CREATE TABLE user_alias (alias TEXT NOT NULL PRIMARY KEY, {_of("user", "user_id")});
CREATE TABLE preview_user (id TEXT NOT NULL PRIMARY KEY, {_STAMPS});
-- One row for each user and point, whatever the experiments: it outlives them. `condition` is the first one recorded.
CREATE TABLE visit ({_ROW}, user_id TEXT NOT NULL, site TEXT NOT NULL, target TEXT NOT NULL, condition TEXT,
    experiment_id TEXT, {_STAMPS}, UNIQUE (user_id, site, target));
CREATE TABLE individual_enrollment ({_ROW}, user_id TEXT NOT NULL, enrollment_code TEXT NOT NULL, group_id TEXT,
    {_EXPERIMENT}, {_of("partition", "partition_id")}, {_of("condition", "condition_id", "")}, {_STAMPS},
    UNIQUE (user_id, experiment_id, partition_id));
CREATE TABLE group_enrollment ({_ROW}, group_id TEXT NOT NULL, {_EXPERIMENT}, {_of("partition", "partition_id")},
    {_of("condition", "condition_id", "")}, {_STAMPS}, UNIQUE (group_id, experiment_id));
-- `id` is `<experiment_id>_<user_id>`, as in the answers of /check; below it `<experiment_id>_<group_id>`.
CREATE TABLE individual_exclusion ({_ROW}, user_id TEXT NOT NULL, exclusion_code TEXT NOT NULL, group_id TEXT,
    {_EXPERIMENT}, {_STAMPS}, UNIQUE (user_id, experiment_id));
CREATE TABLE group_exclusion ({_ROW}, group_id TEXT NOT NULL, exclusion_code TEXT NOT NULL, {_EXPERIMENT}, {_STAMPS},
    UNIQUE (group_id, experiment_id));
CREATE TABLE state_time_log ({_ROW}, from_state TEXT NOT NULL, to_state TEXT NOT NULL, time_log TEXT NOT NULL,
    {_EXPERIMENT}, {_STAMPS});
-- One row.
CREATE TABLE setting (id TEXT NOT NULL PRIMARY KEY, to_check_auth BOOLEAN NOT NULL, to_filter_metric BOOLEAN NOT NULL,
    {_STAMPS});
-- One row, and a new value whenever an experiment changes: what a cache of experiments was read at. It is random, not
-- counted, so that a value of a transaction that was rolled back never comes again.
CREATE TABLE design_revision (value TEXT NOT NULL PRIMARY KEY)"""

_INDEXES = (
    "experiment (context, state)",
    *('condition (experiment_id, "order")', "condition (condition_code)"),
    *('partition (experiment_id, "order")', "partition (site, target)"),
    *("condition_payload (condition_id, partition_id)", "condition_payload (partition_id)"),
    "condition_payload (payload_value)",
    *("segment (type, context)", "segment_individual (user_id)", "segment_group (type, group_id)"),
    *("segment_subsegment (subsegment_id)", "inclusion (experiment_id)", "exclusion (experiment_id)"),
    *("user_alias (user_id)", "visit (site, target)"),
    *("individual_enrollment (experiment_id, condition_id)", "individual_enrollment (partition_id)"),
    *("individual_enrollment (condition_id)", "group_enrollment (experiment_id)", "group_enrollment (partition_id)"),
    *("group_enrollment (condition_id)", "individual_exclusion (experiment_id)", "group_exclusion (experiment_id)"),
    "state_time_log (experiment_id)",
)

_DESIGNS = (
    *("experiment", "condition", "partition", "condition_payload"),
    *("segment", "segment_subsegment", "inclusion", "exclusion"),
)

STATEMENTS = (
    *_TABLES.split(";\n"),
    *(f"CREATE INDEX by_{number} ON {index}" for number, index in enumerate(_INDEXES)),
    "INSERT INTO design_revision VALUES (hex(randomblob(16)))",
    *(
        f"CREATE TRIGGER design_{table}_{change.lower()} AFTER {change} ON {table} "
        "BEGIN UPDATE design_revision SET value = hex(randomblob(16)); END"
        for table in _DESIGNS
        for change in ("INSERT", "UPDATE", "DELETE")
    ),
)
"""The statements that create the tables of a new database, and insert the only row of `design_revision`."""


def _columns() -> Mapping[str, tuple[str, ...]]:
    with closing(sqlite3.connect(":memory:")) as connection:
        for statement in STATEMENTS:
            connection.execute(statement)
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        rows = {table: connection.execute(f"PRAGMA table_info({table})").fetchall() for table in tables}
    return {table: tuple(row[1] for row in rows[table] if row[1] != "number") for table in tables}


COLUMNS = _columns()
"""The columns of each table, without the row number."""
