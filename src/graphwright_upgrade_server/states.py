"""Changing the state of an experiment: any state may follow any other, and each change is logged."""

from __future__ import annotations

import uuid

from sqlalchemy import Connection, bindparam, insert, literal_column, update

from graphwright_upgrade_server import reading, sweep
from graphwright_upgrade_server.database import Prepared
from graphwright_upgrade_server.failures import QUERY_FAILED, Failure, OutOfScope
from graphwright_upgrade_server.routing import Call
from graphwright_upgrade_server.shapes import INTERNAL, STATES, Json, internal_state, shown_log, shown_state
from graphwright_upgrade_server.tables import experiment, now, state_time_log
from graphwright_upgrade_server.validation import Checked

_SET = Prepared(
    update(experiment)
    .where(experiment.c.id == bindparam("key"))
    .values(
        state=bindparam("new_state"),
        updated_at=bindparam("at"),
        version_number=experiment.c.version_number + literal_column("1"),
    )
)
_LOG = Prepared(
    insert(state_time_log).values({c.name: bindparam(c.name) for c in state_time_log.c if c.name != "number"})
)


def change(call: Call) -> Json:
    """POST /experiments/state"""
    body = Checked(call.body)
    key = body.uuid("experimentId")
    state = internal_state(body.one_of("state", (*STATES, *INTERNAL)))
    body.refuse()
    if state == "scheduled":
        raise OutOfScope("a scheduled start")
    connection = call.connection
    before = reading.stored(connection, key or "")
    if before is None:
        if call.service.strict:
            raise Failure(500, "Cannot read properties of null (reading 'context')", name="TypeError")
        raise Failure(404, "Experiment not found!", QUERY_FAILED)
    parts = {"partitions": reading.partitions(connection, before["id"]), "queries": []}
    logs = reading.state_logs(connection, before["id"])
    if state == "enrolling" and before["state"] != "enrollmentComplete":
        sweep.enter_enrolling(connection, before["id"])
    at = now()
    _SET.run(connection, {"key": before["id"], "new_state": state, "at": at})
    entry = log_change(connection, before["id"], before["state"], state, at)
    entry["experiment"] = before | {"stateTimeLogs": logs} | parts
    shown_logs = [shown_log(log) for log in (*logs, entry)]
    # The stamps stay those from before the change, as the original answers.
    return before | {"state": shown_state(state), "stateTimeLogs": shown_logs} | parts


def log_change(connection: Connection, experiment_id: str, old: str, new: str, at: str) -> Json:
    """Note that the state went from `old` to `new` (internal names), and give the entry as its log shows it."""
    entry = {"id": str(uuid.uuid4()), "from_state": old, "to_state": new, "time_log": at}
    _LOG.run(
        connection,
        {**entry, "experiment_id": experiment_id, "created_at": at, "updated_at": at, "version_number": 1},
    )
    return reading.state_logs(connection, experiment_id)[-1]
