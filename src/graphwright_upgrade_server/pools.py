"""Pools: experiments that share decision points compete for a user, who gets at most one of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from graphwright_upgrade_server.designs import ENROLLING, PREVIEW, Design
from graphwright_upgrade_server.seeded import rand
from graphwright_upgrade_server.users import Records, User


def pools(designs: Iterable[Design]) -> list[list[Design]]:
    """The experiments by pool; sharing is transitive. One without a point is in none.

    The order within a pool is that of the ids, so that nobody can build on which was made first: on a real server the
    order is arbitrary.
    """
    found: list[list[Design]] = []
    pool_of: dict[tuple[str, str | None], list[Design]] = {}
    for design in designs:
        points = {(point.site, point.target) for point in design.points}
        touching = {id(pool): pool for point in points if (pool := pool_of.get(point)) is not None}
        if not points:
            continue
        # The largest takes the others in, so that one long chain of experiments is not copied again and again.
        pool, *others = sorted(touching.values(), key=len, reverse=True) or [[]]
        pool.append(design)
        for other in others:
            pool += other
            pool_of |= {(point.site, point.target): pool for member in other for point in member.points}
            other.clear()
        pool_of |= dict.fromkeys(points, pool)
        if not touching:
            found.append(pool)
    return [sorted(pool, key=lambda design: design.id) for pool in found if pool]


def chosen(pool: Sequence[Design], user: User, records: Records) -> Design | None:
    """The experiment of a pool that the user is in.

    An enrolment, the user's or the working group's, holds. Without one it is drawn among those that are enrolling and
    do not exclude the user, so nobody new comes into one that is complete. The draw hangs on the user alone: in two
    pools of the same size a user gets the member at the same place.
    """
    enrolled = [design for design in pool if is_enrolled(design, user, records)]
    if len(enrolled) == 1:
        return enrolled[0]
    if enrolled:
        # Whoever marks experiments of a pool one by one can be enrolled in several.
        return next((design for design in enrolled if design.state == ENROLLING), None)
    # Only preview users meet experiments in preview.
    free = [d for d in pool if d.state in (ENROLLING, PREVIEW) and not is_excluded(d, user, records)]
    if len(free) > 1:
        return free[int(rand(user.id) * len(free))]
    return free[0] if free else None


def is_enrolled(design: Design, user: User, records: Records) -> bool:
    """Whether the user or the user's working group is enrolled."""
    return design.id in records.enrolled or (design.id, user.working(design.group)) in records.group_enrolled


def is_excluded(design: Design, user: User, records: Records) -> bool:
    """Whether the user or a working group of the user is excluded."""
    return design.id in records.excluded or is_group_excluded(design, user, records)


def is_group_excluded(design: Design, user: User, records: Records) -> bool:
    """Whether a working group of the user, of whatever type, is excluded from an experiment that assigns groups."""
    groups = user.working_groups() if design.group is not None else ()
    return any((design.id, id) in records.group_excluded for _, id in groups)
