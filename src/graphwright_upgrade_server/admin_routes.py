"""The routes for people and their tools, and those for anybody: what there is, and what changes it."""

from __future__ import annotations

from graphwright_upgrade_server import experiments, records, searching, segments, settings, states, statistics
from graphwright_upgrade_server.assignment import many
from graphwright_upgrade_server.failures import WRONG_FORMAT, Failure, OutOfScope
from graphwright_upgrade_server.lists import EXCLUSION, INCLUSION
from graphwright_upgrade_server.routing import Call, Endpoint
from graphwright_upgrade_server.shapes import Json
from graphwright_upgrade_server.validation import Checked

NAME = "Graphwright local UpGrade"
"""What the health answer calls the service; a real server has another name."""


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
    """Routes of a real server that are refused by name, each given as its method and path."""

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
    Endpoint("POST", "/experiments/paginated", searching.paginated, "admin"),
    Endpoint("GET", "/experiments/single/{id}", experiments.single, "admin"),
    Endpoint("POST", "/experiments", experiments.create, "admin", writes=True),
    Endpoint("POST", "/experiments/state", states.change, "admin", writes=True),
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
    Endpoint("GET", "/setting", settings.show, "admin"),
    Endpoint("POST", "/setting", settings.change, "admin", writes=True),
    Endpoint("POST", "/previewusers", settings.add_preview_user, "admin", writes=True),
    Endpoint("POST", "/batch-assign", batch_assign, "admin"),
    *records.routes,
    *_absent("feature flags", "GET /flags", "POST /flags", "POST /flags/paginated", "POST /v6/featureflag"),
    *_absent("metrics", "GET /metric", "POST /metric/save", "POST /v6/log", "POST /v6/bloblog"),
    *_absent("adaptive (ts_configurable) designs", "POST /v6/reward"),
)
