"""What happens when an experiment begins to enrol: whoever was at its points before may be excluded."""

from __future__ import annotations

from sqlalchemy import Connection, text

from graphwright_upgrade_server.database import Prepared
from graphwright_upgrade_server.recording import REACHED_BEFORE
from graphwright_upgrade_server.tables import now


def enter_enrolling(connection: Connection, experiment_id: str) -> None:
    """Exclude the users who visited a point marked `excludeIfReached`, at any time and in whatever experiment.

    To be called when the state becomes enrolling, unless it was enrollmentComplete before. Sites and targets are
    compared separately, as a real server does: of two such points, the site of one with the target of the other counts.
    Under consistency `group` the working groups of these users are excluded as well, under `experiment` nobody is.
    """
    values = {"experiment": experiment_id, "code": REACHED_BEFORE, "now": now()}
    _EXCLUDE.run(connection, values)
    _EXCLUDE_GROUPS.run(connection, values)


_MARKED = "FROM partition WHERE experiment_id = :experiment AND exclude_if_reached"
_REACHED = (
    "SELECT DISTINCT user_id FROM visit"
    f" WHERE site IN (SELECT site {_MARKED}) AND target IN (SELECT coalesce(target, '') {_MARKED})"
)
_EXCLUDE = Prepared(
    text(
        "INSERT INTO individual_exclusion (id, user_id, experiment_id, exclusion_code,"
        " created_at, updated_at, version_number)"
        " SELECT e.id || '_' || v.user_id, v.user_id, e.id, :code, :now, :now, 1"
        f" FROM experiment e CROSS JOIN ({_REACHED}) v"
        " WHERE e.id = :experiment AND e.consistency_rule IN ('individual', 'group')"
        " ON CONFLICT DO NOTHING"
    )
)
_EXCLUDE_GROUPS = Prepared(
    text(
        "INSERT INTO group_exclusion (id, group_id, experiment_id, exclusion_code,"
        " created_at, updated_at, version_number)"
        " SELECT DISTINCT e.id || '_' || g.value, g.value, e.id, :code, :now, :now, 1"
        f" FROM experiment e CROSS JOIN ({_REACHED}) v"
        ' JOIN "user" u ON u.id = v.user_id JOIN json_each(u.working_group) g ON g.key = e."group"'
        " WHERE e.id = :experiment AND e.consistency_rule = 'group'"
        " ON CONFLICT DO NOTHING"
    )
)
