"""The routes that the instrumented product calls: who is here, what do they get, and where have they been."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy import text

from graphwright_upgrade_server import groups, users
from graphwright_upgrade_server.assignment import assignments
from graphwright_upgrade_server.database import Prepared
from graphwright_upgrade_server.failures import UNKNOWN_USER, WRONG_FORMAT, Failure, InvalidBody
from graphwright_upgrade_server.marking import Mark, Status, mark
from graphwright_upgrade_server.routing import Call, Endpoint
from graphwright_upgrade_server.users import User

STATUSES: Mapping[str, Status] = {
    "condition applied": "condition applied",
    "condition not applied": "condition not applied",
    "no condition assigned": "no condition assigned",
}


def init(call: Call) -> dict[str, Any]:
    """`POST /v6/init {group?, workingGroup?}` -> `{id, group?, workingGroup?}`."""
    id, user = _caller(call)
    _require_token(call)
    body = _object(call.body)
    errors = [f"`{name}` is not known here." for name in sorted(body.keys() - {"group", "workingGroup"})]
    errors += _wrong(body, "group", lambda group: group is None or _is_group(group), _GROUP)
    errors += _wrong(body, "workingGroup", lambda group: group is None or _is_working_group(group), _WORKING_GROUP)
    if errors:
        raise InvalidBody(*errors)
    stored: dict[str, Any] = {}
    if user is None:
        groups.meet(call.connection, id)
        user = User(id, None, None, False)
    else:
        # Null for what was never given, except in the very first answer, where it is absent.
        stored = {"group": user.group, "workingGroup": user.working_group}
    if "group" in body:
        groups.set_group(call.connection, user, body["group"])
    if "workingGroup" in body:
        groups.set_working_group(call.connection, user, body["workingGroup"])
    return {"id": user.id, **stored, **body}


def set_group(call: Call) -> dict[str, Any]:
    """`PATCH /v6/groupmembership {group}` -> `{id, group}`."""
    user = _known(call)
    body = _object(call.body)
    # Null takes the groups back, which must not happen to who forgot to name them.
    if "group" not in body or not (body["group"] is None or _is_group(body["group"])):
        raise InvalidBody(f"`group` must be {_GROUP}.")
    groups.set_group(call.connection, user, body["group"])
    return {"id": user.id, "group": body["group"]}


def set_working_group(call: Call) -> dict[str, Any]:
    """`PATCH /v6/workinggroup {workingGroup}` -> `{id, workingGroup}`."""
    user = _known(call)
    working_group = _object(call.body).get("workingGroup")
    if not _is_working_group(working_group):
        raise InvalidBody(f"`workingGroup` must be {_WORKING_GROUP}.")
    groups.set_working_group(call.connection, user, working_group)
    return {"id": user.id, "workingGroup": working_group}


def add_aliases(call: Call) -> dict[str, Any]:
    """`PATCH /v6/useraliases {aliases[]}` -> `{userId, aliases[]}`."""
    user = _known(call)
    aliases = _object(call.body).get("aliases")
    if not isinstance(aliases, list) or not all(isinstance(alias, str) and alias for alias in aliases):
        raise InvalidBody("`aliases` must be a list of texts that are not empty.")
    return {"userId": user.id, "aliases": groups.add_aliases(call.connection, user, aliases)}


def assign(call: Call) -> list[dict[str, Any]]:
    """`POST /v6/assign {context}` -> an element for each decision point; none for the default condition."""
    user = _known(call)
    context = _object(call.body).get("context")
    if not isinstance(context, str) or not context:
        raise InvalidBody("`context` must be a text that is not empty.")
    if context not in call.service.contexts:
        raise Failure(400, f"Invalid app context: {context}", WRONG_FORMAT)
    return assignments(call.connection, user, context)


def mark_point(call: Call) -> dict[str, Any]:
    """`POST /v6/mark {data: {site, target, assignedCondition?}, status?}` -> the record of the first visit there."""
    user = _known(call)
    return mark(call.connection, user, _mark(_object(call.body)), strict=call.service.strict)


routes = (
    Endpoint("POST", "/v6/assign", assign, "client"),
    Endpoint("POST", "/v6/mark", mark_point, "client", writes=True),
    Endpoint("POST", "/v6/init", init, "client", writes=True),
    Endpoint("PATCH", "/v6/groupmembership", set_group, "client", writes=True),
    Endpoint("PATCH", "/v6/workinggroup", set_working_group, "client", writes=True),
    Endpoint("PATCH", "/v6/useraliases", add_aliases, "client", writes=True),
)


def _caller(call: Call) -> tuple[str, User | None]:
    """The id in the header and its user, if it is known. Raises Failure without the header."""
    id = call.headers.get("user-id", "").strip()
    if not id:
        raise Failure(400, "User-Id header not found.", WRONG_FORMAT)
    return id, users.find(call.connection, id)


def _known(call: Call) -> User:
    """The user of the header. An unknown one is refused before any token is looked at, as a real server does."""
    id, user = _caller(call)
    if user is None:
        raise Failure(404, f"User not found: {id}", UNKNOWN_USER)
    _require_token(call)
    return user


def _require_token(call: Call) -> None:
    (demanded,) = _TOKENS_DEMANDED.first(call.connection, {}) or (False,)
    if demanded:
        call.service.access.require_client(call.headers)


_TOKENS_DEMANDED = Prepared(text("SELECT to_check_auth FROM setting"))


def _mark(body: Mapping[str, Any]) -> Mark:
    data = body.get("data")
    if not isinstance(data, dict):
        raise InvalidBody("`data` must be an object with `site` and `target`.")
    assigned = data.get("assignedCondition")
    errors = [
        *_wrong(data, "data.site", _text, "a text that is not empty"),
        *_wrong(data, "data.target", lambda target: isinstance(target, str), "a text"),
        *_wrong(data, "data.assignedCondition", lambda value: value is None or isinstance(value, dict), "an object"),
        *_wrong(body, "status", _status_or_none, f"one of: {', '.join(STATUSES)}"),
        *_wrong(body, "uniquifier", _text_or_none, "a text"),
        *_wrong(body, "clientError", _text_or_none, "a text"),
    ]
    if isinstance(assigned, dict):
        for name in ("id", "conditionCode", "experimentId"):
            errors += _wrong(assigned, f"data.assignedCondition.{name}", _text_or_none, "a text")
    else:
        assigned = {}
    if errors:
        raise InvalidBody(*errors)
    return Mark(
        site=data["site"],
        target=data["target"],
        code=assigned.get("conditionCode"),
        experiment_id=assigned.get("experimentId"),
        status=STATUSES.get(body.get("status") or ""),
    )


def _object(body: Any) -> dict[str, Any]:
    if not isinstance(body, dict):
        raise InvalidBody("The body must be an object.")
    return body


def _wrong(holder: Mapping[str, Any], path: str, good: Callable[[Any], bool], wanted: str) -> list[str]:
    return [] if good(holder.get(path.rpartition(".")[2])) else [f"`{path}` must be {wanted}."]


def _text_or_none(value: Any) -> bool:
    return value is None or isinstance(value, str)


def _status_or_none(value: Any) -> bool:
    return value is None or (isinstance(value, str) and value in STATUSES)


def _text(value: Any) -> bool:
    return isinstance(value, str) and value != ""


_GROUP = "an object with a list of group ids for each type of group"
_WORKING_GROUP = "an object with one group id for each type of group"


def _is_group(group: Any) -> bool:
    return isinstance(group, dict) and all(
        type and isinstance(ids, list) and all(map(_text, ids)) for type, ids in group.items()
    )


def _is_working_group(working_group: Any) -> bool:
    return isinstance(working_group, dict) and all(type and _text(id) for type, id in working_group.items())
