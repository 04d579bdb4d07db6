"""Experiments by pages: searched by name, state, tag, context or id, and sorted."""

from __future__ import annotations

from typing import Any

from sqlalchemy import String, case, cast, func, or_, select

from graphwright_upgrade_server import reading
from graphwright_upgrade_server.routing import Call
from graphwright_upgrade_server.shapes import SHOWN, Json
from graphwright_upgrade_server.tables import experiment
from graphwright_upgrade_server.validation import Checked, is_uuid

_STATE = case(SHOWN, value=experiment.c.state, else_=experiment.c.state)
_SEARCHED: dict[str, tuple[Any, ...]] = {
    "name": (experiment.c.name,),
    # Whoever searches has read `running` somewhere, or writes `enrolling`.
    "status": (experiment.c.state, _STATE),
    "tag": (experiment.c.tags,),
    "context": (experiment.c.context,),
    "id": (experiment.c.id,),
}
_SORTED = {
    "name": func.lower(experiment.c.name),
    "state": _STATE,
    "updatedAt": experiment.c.updated_at,
    "postExperimentRule": experiment.c.post_experiment_rule,
}
MOST = 1_000_000
"""The largest `skip` and `take`."""
LONGEST = 1000
"""The longest text to search for, in characters: SQLite refuses patterns of some ten thousand."""


def paginated(call: Call) -> Json:
    """POST /experiments/paginated {skip, take, searchParams?, sortParams?}"""
    body = Checked(call.body)
    skip, take = (_count(body, name) for name in ("skip", "take"))
    statement = select(experiment.c.id)
    if body.has("searchParams"):
        search = body.object("searchParams")
        key = search.one_of("key", ("all", *_SEARCHED))
        wanted = search.text("string")
        if len(wanted) > LONGEST:
            search.note("string", f"must not be longer than {LONGEST} characters")
        columns = _SEARCHED[key] if key in _SEARCHED else [c for group in _SEARCHED.values() for c in group]
        # A real server takes no notice of a search for an id that is none.
        if key != "id" or is_uuid(wanted) or not call.service.strict:
            statement = statement.where(or_(*(cast(c, String).icontains(wanted, autoescape=True) for c in columns)))
    if body.has("sortParams"):
        sort = body.object("sortParams")
        column = _SORTED[sort.one_of("key", tuple(_SORTED))]
        statement = statement.order_by(column.desc() if sort.one_of("sortAs", ("ASC", "DESC")) == "DESC" else column)
    body.refuse()
    ids = list(call.connection.scalars(statement.order_by(experiment.c.number)))
    return {
        "total": len(ids),
        "nodes": reading.whole(call.connection, ids[skip : skip + take]),
        "skip": skip,
        "take": take,
    }


def _count(body: Checked, name: str) -> int:
    value = body.whole_number(name)
    if not 0 <= value <= MOST:
        body.note(name, f"must be from 0 to {MOST}")
    return value
