"""Users as assign and mark see them: their groups, the lists they stand on, and what they are enrolled in or not."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, text

from graphwright_upgrade_server.database import Prepared

Group = tuple[str, str]
"""A group: its type and its id."""


@dataclass(frozen=True, slots=True)
class User:
    """A user. `group` are the ids of the groups by type, `working_group` the one of each type that counts now.

    Both are None where they were never given.
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
        """The groups that count now."""
        return iter((self.working_group or {}).items())


@dataclass(frozen=True, slots=True)
class Listed:
    """The segments that name the user, and those that name a group of the user, membership or working group."""

    by_user: frozenset[str]
    by_group: Mapping[Group, frozenset[str]]

    def user(self, segments: frozenset[str]) -> bool:
        """Whether one of the segments names the user."""
        return not self.by_user.isdisjoint(segments)

    def groups(self, groups: Iterable[Group], segments: frozenset[str]) -> list[Group]:
        """Those of the groups that one of the segments names."""
        return [group for group in groups if not self.by_group.get(group, _NONE).isdisjoint(segments)]


@dataclass(frozen=True, slots=True)
class Records:
    """What the user and the user's working groups are recorded as.

    `enrolled` is the condition id by experiment id, `group_enrolled` the same by experiment id and group id.
    """

    enrolled: Mapping[str, str | None]
    excluded: frozenset[str]
    group_enrolled: Mapping[tuple[str, str], str | None]
    group_excluded: frozenset[tuple[str, str]]


def find(connection: Connection, id: str) -> User | None:
    """The user of an id or of an alias; an alias is its original user."""
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
    """Whether one of the segments names any group at all."""
    return bool(segments) and _ANY_GROUP.first(connection, {"segments": json.dumps(sorted(segments))}) is not None


def records(connection: Connection, user: User) -> Records:
    """What the user and the user's working groups are recorded as."""
    # A user is enrolled at each point, and in the same condition at all of them.
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
    text(
        'SELECT u.id, u."group", u.working_group, EXISTS (SELECT 1 FROM preview_user p WHERE p.id = u.id) FROM "user" u'
        " WHERE u.id = coalesce((SELECT user_id FROM user_alias WHERE alias = :id), :id)"
    )
)
_SEGMENTS_OF_USER = Prepared(text("SELECT segment_id FROM segment_individual WHERE user_id = :user"))
_SEGMENTS_OF_GROUPS = Prepared(
    text(
        "SELECT g.type, g.group_id, g.segment_id FROM json_each(:groups) mine CROSS JOIN segment_group g"
        " ON g.type = json_extract(mine.value, '$[0]') AND g.group_id = json_extract(mine.value, '$[1]')"
    )
)
_ANY_GROUP = Prepared(
    text("SELECT 1 FROM segment_group WHERE segment_id IN (SELECT value FROM json_each(:segments)) LIMIT 1")
)
_ENROLLED = Prepared(text("SELECT experiment_id, condition_id FROM individual_enrollment WHERE user_id = :user"))
_EXCLUDED = Prepared(text("SELECT experiment_id FROM individual_exclusion WHERE user_id = :user"))
_GROUP_ENROLLED = Prepared(
    text(
        "SELECT experiment_id, group_id, condition_id FROM group_enrollment"
        " WHERE group_id IN (SELECT value FROM json_each(:groups))"
    )
)
_GROUP_EXCLUDED = Prepared(
    text("SELECT experiment_id, group_id FROM group_exclusion WHERE group_id IN (SELECT value FROM json_each(:groups))")
)
