"""The routes for people and their tools, the routes without access control, and the settings of the whole service."""

from __future__ import annotations

import uuid

from graphwright_upgrade_server import _experiments as experiments
from graphwright_upgrade_server import _queries as queries
from graphwright_upgrade_server import _segments as segments
from graphwright_upgrade_server import _statistics as statistics
from graphwright_upgrade_server._assignment import many
from graphwright_upgrade_server._database import Prepared, insert_into
from graphwright_upgrade_server._lists import EXCLUSION, INCLUSION
from graphwright_upgrade_server._routing import Call, Endpoint, Service
from graphwright_upgrade_server._serialization import Json, Shape
from graphwright_upgrade_server._tables import now, stamps
from graphwright_upgrade_server._validation import Checked
from graphwright_upgrade_server.failures import WRONG_FORMAT, BadRequest, Failure, OutOfScope

SETTING = Shape("setting", "id toCheckAuth toFilterMetric", {"toCheckAuth": bool, "toFilterMetric": bool})
_READ = SETTING.select("")
_MAKE = insert_into("setting")
_CHANGE = Prepared(
    "UPDATE setting SET to_check_auth = :demanded, updated_at = :at, version_number = version_number + 1"
)
_ADD_PREVIEW = Prepared(
    "INSERT INTO preview_user (id, created_at, updated_at, version_number) VALUES (:id, :at, :at, 1)"
    " ON CONFLICT DO NOTHING"
)
_PREVIEW = Shape("preview_user", "id")
_READ_PREVIEW = _PREVIEW.select("WHERE id = :id")


def make_setting(service: Service) -> None:
    """Create the only row of settings if it is missing: tokens are not required."""
    with service.database.transaction(writes=False) as connection:
        if _READ.first(connection, {}) is not None:
            return
    with service.database.transaction(writes=True) as connection:
        if _READ.first(connection, {}) is None:
            row = {"id": str(uuid.uuid4()), "to_check_auth": False, "to_filter_metric": False}
            _MAKE.run(connection, {**row, **stamps(now())})


def show_settings(call: Call) -> Json:
    """GET /setting"""
    return SETTING.json(_READ.first(call.connection, {}) or ())


def change_settings(call: Call) -> Json:
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
    return show_settings(call)


def add_preview_user(call: Call) -> Json:
    """POST /previewusers {id}: this user takes part in experiments in the state preview."""
    body = Checked(call.body)
    user_id = body.text("id")
    body.refuse()
    _ADD_PREVIEW.run(call.connection, {"id": user_id, "at": now()})
    return _PREVIEW.json(_READ_PREVIEW.first(call.connection, {"id": user_id}) or ())


NAME = "Graphwright local UpGrade"
"""The name of the service in the health answer; a real server has another name."""


def health(call: Call) -> Json:
    """GET /"""
    description = "Experiments on this machine, behind the REST contract of UpGrade"
    return {"name": NAME, "version": call.service.version, "description": description}


def version(call: Call) -> str:
    """GET /version"""
    return call.service.version


def context_metadata(call: Call) -> Json:
    """GET /experiments/contextMetaData"""
    return {"contextMetadata": dict(call.service.contexts)}


def batch_assign(call: Call) -> Json:
    """POST /batch-assign {context, site, target, userIds[]}"""
    body = Checked(call.body)
    context, site, target = body.text("context"), body.text("site"), body.optional_text("target") or ""
    users = body.texts("userIds", required=True)
    body.refuse()
    if context not in call.service.contexts:
        raise Failure(400, f"Invalid app context: {context}", WRONG_FORMAT)
    return dict(many(call.connection, users, context, site, target))


def _absent(what: str, *places: str) -> tuple[Endpoint, ...]:
    """Routes of a real server that are refused with its name, each as method and path."""

    def refuse(_call: Call) -> Json:
        raise OutOfScope(what)

    return tuple(Endpoint(method, path, refuse, "open") for method, path in (place.split() for place in places))


routes = (
    Endpoint("GET", "", health, "open"),
    Endpoint("GET", "/", health, "open"),
    Endpoint("GET", "/version", version, "admin"),
    Endpoint("GET", "/experiments/contextMetaData", context_metadata, "admin"),
    Endpoint("GET", "/experiments/names", experiments.names, "admin"),
    Endpoint("GET", "/experiments", experiments.every, "admin"),
    Endpoint("POST", "/experiments/paginated", queries.paginated, "admin"),
    Endpoint("GET", "/experiments/single/{id}", experiments.single, "admin"),
    Endpoint("POST", "/experiments", experiments.create, "admin", writes=True),
    Endpoint("POST", "/experiments/state", experiments.change_state, "admin", writes=True),
    Endpoint("POST", "/experiments/inclusionList", INCLUSION.add, "admin", writes=True),
    Endpoint("PUT", "/experiments/inclusionList/{id}", INCLUSION.replace, "admin", writes=True),
    Endpoint("DELETE", "/experiments/inclusionList/{id}", INCLUSION.remove, "admin", writes=True),
    Endpoint("POST", "/experiments/exclusionList", EXCLUSION.add, "admin", writes=True),
    Endpoint("PUT", "/experiments/exclusionList/{id}", EXCLUSION.replace, "admin", writes=True),
    Endpoint("DELETE", "/experiments/exclusionList/{id}", EXCLUSION.remove, "admin", writes=True),
    Endpoint("PUT", "/experiments/{id}", experiments.replace, "admin", writes=True),
    Endpoint("DELETE", "/experiments/{id}", experiments.remove, "admin", writes=True),
    Endpoint("GET", "/segments/global", segments.global_excludes, "admin"),
    Endpoint("POST", "/segments", segments.save, "admin", writes=True),
    Endpoint("POST", "/stats/enrollment", statistics.enrollment, "admin"),
    Endpoint("POST", "/stats/enrollment/detail", statistics.detail, "admin"),
    Endpoint("GET", "/setting", show_settings, "admin"),
    Endpoint("POST", "/setting", change_settings, "admin", writes=True),
    Endpoint("POST", "/previewusers", add_preview_user, "admin", writes=True),
    Endpoint("POST", "/batch-assign", batch_assign, "admin"),
    *statistics.dumps,
    *_absent("feature flags", "GET /flags", "POST /flags", "POST /flags/paginated", "POST /v6/featureflag"),
    *_absent("metrics", "GET /metric", "POST /metric/save", "POST /v6/log", "POST /v6/bloblog"),
    *_absent("adaptive (ts_configurable) designs", "POST /v6/reward"),
)
