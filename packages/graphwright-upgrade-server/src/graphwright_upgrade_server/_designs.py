"""Experiments in the form for assign and mark: read once, and cached until one of them changes."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from graphwright_upgrade_server._database import SOME, Connection, Prepared

ENROLLING = "enrolling"
COMPLETE = "enrollmentComplete"
PREVIEW = "preview"


@dataclass(frozen=True, slots=True)
class Condition:
    """A possible condition of a user, with its weight in percent."""

    id: str
    code: str
    weight: float


@dataclass(frozen=True, slots=True)
class Point:
    """A decision point. `payloads` are `{type, value}` by condition id."""

    id: str
    site: str
    target: str | None
    payloads: Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Design:
    """An experiment, with its conditions and points in order.

    `group` is the group type of a group experiment, or None for one that assigns individuals. `included` and `excluded`
    are the ids of the segments on its lists, including nested ones. `user_count` and `group_count` are the numbers at
    which it completes itself.
    """

    id: str
    context: str
    state: str
    consistency: str
    group: str | None
    post_rule: str
    revert_to: str | None
    filter_mode: str
    type: str
    user_count: int | None
    group_count: int | None
    conditions: tuple[Condition, ...]
    points: tuple[Point, ...]
    included: frozenset[str]
    excluded: frozenset[str]

    def condition(self, id: str | None) -> Condition | None:
        """The condition with an id, or None."""
        return next((condition for condition in self.conditions if condition.id == id), None)


@dataclass(frozen=True, slots=True)
class Place:
    """The content of a context: its experiments that can reach users, and its global exclude's segments.

    The experiments are in creation order.

    Experiments in preview reach only registered preview users.
    """

    designs: tuple[Design, ...]
    excluded: frozenset[str]


@dataclass(slots=True)
class _Cache:
    """The data that was read at one revision of the experiments; its size is limited by that of the database."""

    revision: str
    designs: dict[str, Design] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)


def place(connection: Connection, context: str) -> Place:
    """The content of a context. The context must be a known one, because the result is cached for each."""
    cache = _cache(connection)
    found = cache.places.get(context)
    if found is None:
        rows = _REACHING.all(connection, {"context": context})
        segments = [id for (id,) in _GLOBAL.all(connection, {"context": context})]
        found = Place(tuple(_designs(connection, cache, [id for (id,) in rows])), _closed(connection, segments))
        cache.places[context] = found
    return found


def at_point(connection: Connection, site: str, target: str) -> list[tuple[Design, Point]]:
    """The experiments at a decision point, of any state and context, in creation order; each with its point there."""
    rows = _AT_POINT.all(connection, {"site": site, "target": target})
    designs = {design.id: design for design in _designs(connection, _cache(connection), [id for id, _ in rows])}
    return [(designs[id], point) for id, own in rows for point in designs[id].points if point.id == own]


def _cache(connection: Connection) -> _Cache:
    (revision,) = _REVISION.first(connection, {}) or ("",)
    cache = connection.info.get(__name__)
    if not isinstance(cache, _Cache) or cache.revision != revision:
        cache = connection.info[__name__] = _Cache(revision)
    return cache


def _designs(connection: Connection, cache: _Cache, ids: Sequence[str]) -> list[Design]:
    missing = [id for id in ids if id not in cache.designs]
    if missing:
        cache.designs |= {design.id: design for design in _read(connection, missing)}
    return [cache.designs[id] for id in ids]


def _read(connection: Connection, ids: Sequence[str]) -> Iterable[Design]:
    some = {"ids": json.dumps(ids)}
    conditions: dict[str, list[Condition]] = defaultdict(list)
    for experiment, id, code, weight in _CONDITIONS.all(connection, some):
        conditions[experiment].append(Condition(id, code, weight))
    payloads: dict[str, dict[str, dict[str, str]]] = defaultdict(dict)
    for condition, partition, type, value in _PAYLOADS.all(connection, some):
        payloads[partition].setdefault(condition, {"type": type, "value": value})
    points: dict[str, list[Point]] = defaultdict(list)
    for experiment, id, site, target in _POINTS.all(connection, some):
        points[experiment].append(Point(id, site, target, payloads[id]))
    lists: dict[str, dict[str, list[str]]] = {"included": defaultdict(list), "excluded": defaultdict(list)}
    for side, experiment, segment in _LISTS.all(connection, some):
        lists[side][experiment].append(segment)
    for id, unit, group, complete_at, *rest in _EXPERIMENTS.all(connection, some):
        counts = json.loads(complete_at or "null") or {}
        context, state, consistency, post_rule, revert_to, filter_mode, type = rest
        yield Design(
            id=id,
            context=context,
            state=state,
            consistency=consistency,
            group=group if unit == "group" else None,
            post_rule=post_rule,
            revert_to=revert_to,
            filter_mode=filter_mode,
            type=type,
            user_count=counts.get("userCount"),
            group_count=counts.get("groupCount"),
            conditions=tuple(conditions[id]),
            points=tuple(points[id]),
            included=_closed(connection, lists["included"][id]),
            excluded=_closed(connection, lists["excluded"][id]),
        )


def _closed(connection: Connection, segments: Sequence[str]) -> frozenset[str]:
    """The segments with all nested segments, at any depth; cyclic ones are read once."""
    if not segments:
        return frozenset()
    return frozenset(id for (id,) in _INSIDE.all(connection, {"ids": json.dumps(segments)}))


_REVISION = Prepared("SELECT value FROM design_revision")
_REACHING = Prepared(
    "SELECT id FROM experiment WHERE context = :context"
    f" AND state IN ('{ENROLLING}', '{COMPLETE}', '{PREVIEW}') ORDER BY number"
)
_GLOBAL = Prepared("SELECT id FROM segment WHERE type = 'global_exclude' AND context = :context")
_AT_POINT = Prepared(
    "SELECT e.id, p.id FROM partition p JOIN experiment e ON e.id = p.experiment_id"
    " WHERE p.site = :site AND (p.target = :target OR p.target IS NULL AND :target = '')"
    ' ORDER BY e.number, p."order", p.number'
)
_EXPERIMENTS = Prepared(
    'SELECT id, assignment_unit, "group", enrollment_complete_condition, context, state, consistency_rule,'
    f" post_experiment_rule, revert_to, filter_mode, type FROM experiment WHERE id {SOME}"
)
_CONDITIONS = Prepared(
    "SELECT experiment_id, id, condition_code, assignment_weight FROM condition"
    f' WHERE experiment_id {SOME} ORDER BY "order", number'
)
_POINTS = Prepared(
    f'SELECT experiment_id, id, site, target FROM partition WHERE experiment_id {SOME} ORDER BY "order", number'
)
_PAYLOADS = Prepared(
    "SELECT d.condition_id, d.partition_id, d.payload_type, d.payload_value"
    " FROM condition_payload d JOIN condition c ON c.id = d.condition_id"
    f" WHERE c.experiment_id {SOME} ORDER BY d.number"
)
_LISTS = Prepared(
    f"SELECT 'included', experiment_id, segment_id FROM inclusion WHERE experiment_id {SOME}"
    f" UNION ALL SELECT 'excluded', experiment_id, segment_id FROM exclusion WHERE experiment_id {SOME}"
)
_INSIDE = Prepared(
    "WITH RECURSIVE inside(id) AS (SELECT value FROM json_each(:ids)"
    " UNION SELECT subsegment_id FROM segment_subsegment JOIN inside ON segment_id = inside.id)"
    " SELECT id FROM inside"
)
