"""Users and their groups: first meeting, later changes, aliases, and what a changed working group undoes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, text

from graphwright_upgrade_server.database import Prepared
from graphwright_upgrade_server.designs import COMPLETE, ENROLLING
from graphwright_upgrade_server.failures import QUERY_FAILED, Failure
from graphwright_upgrade_server.tables import now
from graphwright_upgrade_server.users import User

GroupIds = Mapping[str, Sequence[str]]
WorkingGroup = Mapping[str, str]


def meet(connection: Connection, id: str) -> None:
    """Make the user of an id that is not known yet."""
    _MEET.run(connection, {"id": id, "now": now()})


def set_group(connection: Connection, user: User, group: GroupIds | None) -> None:
    """Replace the memberships as a whole. Neither the types nor the working group are compared with them."""
    _SET_GROUP.run(connection, {"user": user.id, "group": _text(group), "now": now()})


def set_working_group(connection: Connection, user: User, working_group: WorkingGroup | None) -> None:
    """Replace the working groups as a whole, and undo what hung on those that changed.

    That happens in group experiments of these types that enrol or are complete. Who gets a first working group, or
    none from now on, keeps all records.
    """
    if user.working_group is not None and working_group is not None:
        left = [type for type, id in user.working_group.items() if working_group.get(type) != id]
        for experiment, consistency in _CONCERNED.all(connection, {"types": json.dumps(left)}) if left else ():
            _leave(connection, experiment, user.id, consistency)
    _SET_WORKING_GROUP.run(connection, {"user": user.id, "working_group": _text(working_group), "now": now()})


def add_aliases(connection: Connection, user: User, aliases: Sequence[str]) -> list[str]:
    """Make other ids stand for the user, and give them all, those first that did before.

    Raises Failure where one of them is a user already, or stands for somebody else; none is added then.
    """
    wanted = list(dict.fromkeys(aliases))
    taken = dict(_ALIASES.all(connection, {"ids": json.dumps(wanted)}))
    others = {alias: owner for alias, owner in taken.items() if owner != user.id}
    if others:
        alias, owner = next(iter(others.items()))
        raise Failure(500, f"'{alias}' is an alias of '{owner}' and cannot be one of '{user.id}' too.", QUERY_FAILED)
    users = [id for (id,) in _USERS.all(connection, {"ids": json.dumps(wanted)})]
    if users:
        raise Failure(500, f"'{users[0]}' is a user already and cannot become an alias of '{user.id}'.", QUERY_FAILED)
    new = [alias for alias in wanted if alias not in taken]
    _ADD_ALIAS.run_many(connection, [{"alias": alias, "user": user.id} for alias in new])
    return [alias for alias in wanted if alias in taken] + new


def _leave(connection: Connection, experiment: str, user: str, consistency: str) -> None:
    """Undo what the user's records in a group experiment owe to the working group that is left behind."""
    values = {"experiment": experiment, "user": user}
    # Individual consistency means that the user keeps the condition whatever the group.
    if consistency != "individual":
        _UNENROL.run(connection, values)
    if consistency != "experiment" and _EXCLUDED.first(connection, values) is not None:
        _UNEXCLUDE.run(connection, values)
        # Groups are excluded because of their users: without any excluded user none is.
        _UNEXCLUDE_GROUPS.run(connection, values)


def _text(value: object) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False)


_MEET = Prepared(text('INSERT INTO "user" (id, created_at, updated_at, version_number) VALUES (:id, :now, :now, 1)'))
_SET_GROUP = Prepared(
    text('UPDATE "user" SET "group" = :group, updated_at = :now, version_number = version_number + 1 WHERE id = :user')
)
_SET_WORKING_GROUP = Prepared(
    text(
        'UPDATE "user" SET working_group = :working_group, updated_at = :now, version_number = version_number + 1'
        " WHERE id = :user"
    )
)
_CONCERNED = Prepared(
    text(
        "SELECT id, consistency_rule FROM experiment WHERE assignment_unit = 'group'"
        f" AND state IN ('{ENROLLING}', '{COMPLETE}') AND \"group\" IN (SELECT value FROM json_each(:types))"
    )
)
_UNENROL = Prepared(text("DELETE FROM individual_enrollment WHERE user_id = :user AND experiment_id = :experiment"))
_EXCLUDED = Prepared(text("SELECT 1 FROM individual_exclusion WHERE user_id = :user AND experiment_id = :experiment"))
_UNEXCLUDE = Prepared(text("DELETE FROM individual_exclusion WHERE user_id = :user AND experiment_id = :experiment"))
_UNEXCLUDE_GROUPS = Prepared(
    text(
        "DELETE FROM group_exclusion WHERE experiment_id = :experiment"
        " AND NOT EXISTS (SELECT 1 FROM individual_exclusion WHERE experiment_id = :experiment)"
    )
)
_ALIASES = Prepared(text("SELECT alias, user_id FROM user_alias WHERE alias IN (SELECT value FROM json_each(:ids))"))
_USERS = Prepared(text('SELECT id FROM "user" WHERE id IN (SELECT value FROM json_each(:ids))'))
_ADD_ALIAS = Prepared(text("INSERT INTO user_alias (alias, user_id) VALUES (:alias, :user)"))
