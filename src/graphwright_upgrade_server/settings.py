"""What is set for the whole service: whether the product must bring tokens, and who sees previews."""

from __future__ import annotations

import uuid

from sqlalchemy import bindparam, insert, literal_column, update
from sqlalchemy.dialects.sqlite import insert as insert_or

from graphwright_upgrade_server.database import Prepared
from graphwright_upgrade_server.failures import BadRequest, OutOfScope
from graphwright_upgrade_server.routing import Call, Service
from graphwright_upgrade_server.shapes import STAMPS, Json, Shape
from graphwright_upgrade_server.tables import now, preview_user, setting
from graphwright_upgrade_server.validation import Checked

SETTING = Shape(
    setting,
    {**STAMPS, "id": "id", "toCheckAuth": "to_check_auth", "toFilterMetric": "to_filter_metric"},
    {"toCheckAuth": bool, "toFilterMetric": bool},
)
_READ = Prepared(SETTING.select())
_MAKE = Prepared(insert(setting).values({c.name: bindparam(c.name) for c in setting.c}))
_CHANGE = Prepared(
    update(setting).values(
        to_check_auth=bindparam("demanded"),
        updated_at=bindparam("at"),
        version_number=setting.c.version_number + literal_column("1"),
    )
)
_ADD_PREVIEW = Prepared(
    insert_or(preview_user).values({c.name: bindparam(c.name) for c in preview_user.c}).on_conflict_do_nothing()
)
_PREVIEW = Shape(preview_user, {**STAMPS, "id": "id"}, {})
_READ_PREVIEW = Prepared(_PREVIEW.select().where(preview_user.c.id == bindparam("id")))


def make_setting(service: Service) -> None:
    """Make the one row of settings where it is missing: no tokens demanded."""
    with service.database.transaction(writes=False) as connection:
        if _READ.first(connection, {}) is not None:
            return
    with service.database.transaction(writes=True) as connection:
        if _READ.first(connection, {}) is None:
            at = now()
            stamps = {"created_at": at, "updated_at": at, "version_number": 1}
            _MAKE.run(
                connection, {"id": str(uuid.uuid4()), "to_check_auth": False, "to_filter_metric": False, **stamps}
            )


def show(call: Call) -> Json:
    """GET /setting"""
    return SETTING.json(_READ.first(call.connection, {}) or ())


def change(call: Call) -> Json:
    """POST /setting {toCheckAuth?}"""
    body = Checked(call.body)
    demanded = body.flag("toCheckAuth") if body.has("toCheckAuth") else None
    if body.has("toFilterMetric") and body.flag("toFilterMetric"):
        raise OutOfScope("metrics")
    body.refuse()
    if demanded and not call.service.access.knows_clients:
        raise BadRequest(
            "Tokens cannot be demanded: the service was started without a client key and secret. "
            "Set UPGRADE_CLIENT_API_KEY and UPGRADE_CLIENT_API_SECRET and start it again."
        )
    if demanded is not None:
        _CHANGE.run(call.connection, {"demanded": demanded, "at": now()})
    return show(call)


def add_preview_user(call: Call) -> Json:
    """POST /previewusers {id}: this user takes part in experiments in the state preview."""
    body = Checked(call.body)
    user_id = body.text("id")
    body.refuse()
    at = now()
    _ADD_PREVIEW.run(call.connection, {"id": user_id, "created_at": at, "updated_at": at, "version_number": 1})
    return _PREVIEW.json(_READ_PREVIEW.first(call.connection, {"id": user_id}) or ())
