"""Users: their groups and the effects of changing them, the lists that name them, enrolments and exclusions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from graphwright_upgrade_server._database import Connection, Prepared
from graphwright_upgrade_server._designs import COMPLETE, ENROLLING
from graphwright_upgrade_server._tables import now
from graphwright_upgrade_server.failures import QUERY_FAILED, Failure

Group = tuple[str, str]
"""A group: its type and its id."""


@dataclass(frozen=True, slots=True)
class User:
    """A user. `group` are the ids of the groups by type, `working_group` the present one of each type.

    Both are None if they were never given.
    """

    id: str
    group: Mapping[str, list[str]] | None
    working_group: Mapping[str, str] | None
    preview: bool

    def working(self, type: str | None) -> str | None:
        """The id of the working group of a type."""
        return (self.working_group or {}).get(type) if type is not None else None

    def memberships(self) -> Iterator[Group]:
        """All groups of the user."""
        return ((type, id) for type, ids in (self.group or {}).items() for id in ids)

    def working_groups(self) -> Iterator[Group]:
        """The present groups."""
        return iter((self.working_group or {}).items())


@dataclass(frozen=True, slots=True)
class Listed:
    """The segments that name the user, and those that name a group (membership or working group) of the user."""

    by_user: frozenset[str]
    by_group: Mapping[Group, frozenset[str]]

    def user(self, segments: frozenset[str]) -> bool:
        """Whether one of the segments names the user."""
        return not self.by_user.isdisjoint(segments)

    def groups(self, groups: Iterable[Group], segments: frozenset[str]) -> list[Group]:
        """The groups that one of the segments names."""
        return [group for group in groups if not self.by_group.get(group, _NONE).isdisjoint(segments)]


@dataclass(frozen=True, slots=True)
class Records:
    """The records of the user and the user's working groups.

    `enrolled` is the condition id by experiment id, `group_enrolled` the same by experiment id and group id.
    """

    enrolled: Mapping[str, str | None]
    excluded: frozenset[str]
    group_enrolled: Mapping[tuple[str, str], str | None]
    group_excluded: frozenset[tuple[str, str]]


def find(connection: Connection, id: str) -> User | None:
    """The user with an id or an alias; an alias means its original user."""
    row = _USER.first(connection, {"id": id})
    if row is None:
        return None
    own, group, working_group, preview = row
    return User(own, json.loads(group or "null"), json.loads(working_group or "null"), bool(preview))


def listed(connection: Connection, user: User) -> Listed:
    """The segments that name the user or a group of the user."""
    groups = json.dumps(sorted({*user.memberships(), *user.working_groups()}))
    by_group: dict[Group, set[str]] = {}
    for type, group, segment in _SEGMENTS_OF_GROUPS.all(connection, {"groups": groups}) if groups != "[]" else ():
        by_group.setdefault((type, group), set()).add(segment)
    return Listed(
        frozenset(segment for (segment,) in _SEGMENTS_OF_USER.all(connection, {"user": user.id})),
        {group: frozenset(segments) for group, segments in by_group.items()},
    )


def any_group(connection: Connection, segments: frozenset[str]) -> bool:
    """Whether one of the segments names any group."""
    return bool(segments) and _ANY_GROUP.first(connection, {"segments": json.dumps(sorted(segments))}) is not None


def records(connection: Connection, user: User) -> Records:
    """The records of the user and the user's working groups."""
    # A user is enrolled at each point, always in the same condition.
    enrolled = dict(_ENROLLED.all(connection, {"user": user.id}))
    excluded = frozenset(experiment for (experiment,) in _EXCLUDED.all(connection, {"user": user.id}))
    if not user.working_group:
        return Records(enrolled, excluded, {}, frozenset())
    groups = {"groups": json.dumps([id for _, id in user.working_groups()])}
    return Records(
        enrolled,
        excluded,
        {(experiment, group): condition for experiment, group, condition in _GROUP_ENROLLED.all(connection, groups)},
        frozenset((experiment, group) for experiment, group in _GROUP_EXCLUDED.all(connection, groups)),
    )


_NONE: frozenset[str] = frozenset()

_USER = Prepared(
    'SELECT u.id, u."group", u.working_group, EXISTS (SELECT 1 FROM preview_user p WHERE p.id = u.id) FROM "user" u'
    " WHERE u.id = coalesce((SELECT user_id FROM user_alias WHERE alias = :id), :id)"
)
_SEGMENTS_OF_USER = Prepared("SELECT segment_id FROM segment_individual WHERE user_id = :user")
_SEGMENTS_OF_GROUPS = Prepared(
    "SELECT g.type, g.group_id, g.segment_id FROM json_each(:groups) mine CROSS JOIN segment_group g"
    " ON g.type = json_extract(mine.value, '$[0]') AND g.group_id = json_extract(mine.value, '$[1]')"
)
_ANY_GROUP = Prepared(
    "SELECT 1 FROM segment_group WHERE segment_id IN (SELECT value FROM json_each(:segments)) LIMIT 1"
)
_ENROLLED = Prepared("SELECT experiment_id, condition_id FROM individual_enrollment WHERE user_id = :user")
_EXCLUDED = Prepared("SELECT experiment_id FROM individual_exclusion WHERE user_id = :user")
_GROUP_ENROLLED = Prepared(
    "SELECT experiment_id, group_id, condition_id FROM group_enrollment"
    " WHERE group_id IN (SELECT value FROM json_each(:groups))"
)
_GROUP_EXCLUDED = Prepared(
    "SELECT experiment_id, group_id FROM group_exclusion WHERE group_id IN (SELECT value FROM json_each(:groups))"
)


def meet(connection: Connection, id: str) -> None:
    """Create the user of a new id."""
    _MEET.run(connection, {"id": id, "now": now()})


def set_group(connection: Connection, user: User, group: Mapping[str, Sequence[str]] | None) -> None:
    """Replace all memberships. They are not compared with the types and the working group."""
    _SET_GROUP.run(connection, {"user": user.id, "group": _text(group), "now": now()})


def set_working_group(connection: Connection, user: User, working_group: Mapping[str, str] | None) -> None:
    """Replace all working groups, and undo the records that depend on changed ones.

    This applies to group experiments of these types that enrol or are complete. A first working group, or the removal
    of all, does not change any record.
    """
    if user.working_group is not None and working_group is not None:
        left = [type for type, id in user.working_group.items() if working_group.get(type) != id]
        for experiment, consistency in _CONCERNED.all(connection, {"types": json.dumps(left)}) if left else ():
            _leave(connection, experiment, user.id, consistency)
    _SET_WORKING_GROUP.run(connection, {"user": user.id, "working_group": _text(working_group), "now": now()})


def add_aliases(connection: Connection, user: User, aliases: Sequence[str]) -> list[str]:
    """Add aliases of the user. Returns all of them, existing ones first.

    Raises Failure if one of them is already a user, or an alias of another user; none is added then.
    """
    wanted = list(dict.fromkeys(aliases))
    taken = dict(_ALIASES.all(connection, {"ids": json.dumps(wanted)}))
    others = {alias: owner for alias, owner in taken.items() if owner != user.id}
    if others:
        alias, owner = next(iter(others.items()))
        raise Failure(500, f"'{alias}' is an alias of '{owner}' and cannot be one of '{user.id}' too.", QUERY_FAILED)
    users = [id for (id,) in _USERS_AMONG.all(connection, {"ids": json.dumps(wanted)})]
    if users:
        raise Failure(500, f"'{users[0]}' is a user already and cannot become an alias of '{user.id}'.", QUERY_FAILED)
    new = [alias for alias in wanted if alias not in taken]
    _ADD_ALIAS.run_many(connection, [{"alias": alias, "user": user.id} for alias in new])
    return [alias for alias in wanted if alias in taken] + new


def _leave(connection: Connection, experiment: str, user: str, consistency: str) -> None:
    """Undo the records of a user in a group experiment that depend on the previous working group."""
    values = {"experiment": experiment, "user": user}
    # With individual consistency the user keeps the condition in any group.
    if consistency != "individual":
        _UNENROL.run(connection, values)
    if consistency != "experiment" and _IS_EXCLUDED.first(connection, values) is not None:
        _UNEXCLUDE.run(connection, values)
        # Groups are excluded because of their users: without any excluded user no group is.
        _UNEXCLUDE_GROUPS.run(connection, values)


def _text(value: object) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False)


_MEET = Prepared('INSERT INTO "user" (id, created_at, updated_at, version_number) VALUES (:id, :now, :now, 1)')
_SET_GROUP = Prepared(
    'UPDATE "user" SET "group" = :group, updated_at = :now, version_number = version_number + 1 WHERE id = :user'
)
_SET_WORKING_GROUP = Prepared(
    'UPDATE "user" SET working_group = :working_group, updated_at = :now, version_number = version_number + 1'
    " WHERE id = :user"
)
_CONCERNED = Prepared(
    "SELECT id, consistency_rule FROM experiment WHERE assignment_unit = 'group'"
    f" AND state IN ('{ENROLLING}', '{COMPLETE}') AND \"group\" IN (SELECT value FROM json_each(:types))"
)
_UNENROL = Prepared("DELETE FROM individual_enrollment WHERE user_id = :user AND experiment_id = :experiment")
_IS_EXCLUDED = Prepared("SELECT 1 FROM individual_exclusion WHERE user_id = :user AND experiment_id = :experiment")
_UNEXCLUDE = Prepared("DELETE FROM individual_exclusion WHERE user_id = :user AND experiment_id = :experiment")
_UNEXCLUDE_GROUPS = Prepared(
    "DELETE FROM group_exclusion WHERE experiment_id = :experiment"
    " AND NOT EXISTS (SELECT 1 FROM individual_exclusion WHERE experiment_id = :experiment)"
)
_ALIASES = Prepared("SELECT alias, user_id FROM user_alias WHERE alias IN (SELECT value FROM json_each(:ids))")
_USERS_AMONG = Prepared('SELECT id FROM "user" WHERE id IN (SELECT value FROM json_each(:ids))')
_ADD_ALIAS = Prepared("INSERT INTO user_alias (alias, user_id) VALUES (:alias, :user)")
