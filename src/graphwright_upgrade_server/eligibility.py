"""Whether an experiment is open to a user at all: the global exclude, groups, and the lists of the experiment."""

from __future__ import annotations

from enum import Enum

from sqlalchemy import Connection

from graphwright_upgrade_server import users
from graphwright_upgrade_server.designs import Design, Place
from graphwright_upgrade_server.users import Listed, Records, User


class Groups(Enum):
    """Whether a user's groups will do for a group experiment."""

    VALID = "valid"
    MISSING = "missing"
    INVALID = "invalid"


class Outcome(Enum):
    """What the lists of an experiment say of a user, and which of them said it."""

    IN = "in"
    OUT = "out"
    OUT_BY_OWN_GROUP = "out by own group"
    """A group of the type that the experiment assigns stands on the exclusion list: the group is out as a whole."""

    OUT_BY_OTHER_GROUP = "out by other group"
    """A group of another type does, in an experiment that assigns groups."""


def kept_out(connection: Connection, user: User, listed: Listed, place: Place) -> bool:
    """Whether the global exclude of a context keeps the user out of everything in it."""
    any_group_listed = not user.working_group and users.any_group(connection, place.excluded)
    return globally_excluded(user, listed, place.excluded, any_group_listed)


def globally_excluded(user: User, listed: Listed, segments: frozenset[str], any_group_listed: bool) -> bool:
    """Whether a global exclude, given by all segments in it, names the user.

    It looks at working groups, where the lists of an experiment look at memberships. A real server also keeps out every
    user without a working group as soon as it lists any group.
    """
    if listed.user(segments):
        return True
    if not user.working_group:
        return any_group_listed
    return bool(listed.groups(user.working_groups(), segments))


def groups_of(design: Design, user: User) -> Groups:
    """Whether the user's groups will do: the working group of the experiment's type has to be among the memberships."""
    if design.group is None:
        return Groups.VALID
    if not user.group or not user.working_group:
        return Groups.MISSING
    working = user.working(design.group)
    return Groups.VALID if working is not None and working in user.group.get(design.group, ()) else Groups.INVALID


def by_lists(design: Design, user: User, listed: Listed, records: Records) -> Outcome:
    """What the lists of the experiment say: who is named beats what group, and exclusion beats inclusion.

    They are asked anew each time, so an enrolled user who comes to stand on an exclusion list loses the condition. In
    group experiments of individual consistency enrolled users are beyond the lists.
    """
    if design.group is not None and design.consistency == "individual" and design.id in records.enrolled:
        return Outcome.IN
    if listed.user(design.excluded):
        return Outcome.OUT
    if listed.user(design.included):
        return Outcome.IN
    excluded = listed.groups(user.memberships(), design.excluded)
    if design.filter_mode == "includeAll":
        if not excluded:
            return Outcome.IN
        if design.group is None:
            return Outcome.OUT
        own = any(type == design.group for type, _ in excluded)
        return Outcome.OUT_BY_OWN_GROUP if own else Outcome.OUT_BY_OTHER_GROUP
    # Who is not let in by an excludeAll experiment says nothing of the group.
    return Outcome.IN if listed.groups(user.memberships(), design.included) and not excluded else Outcome.OUT
