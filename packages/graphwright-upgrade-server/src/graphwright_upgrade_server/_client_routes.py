"""The routes that the instrumented product calls: registering users, assigning conditions and marking visits."""

from __future__ import annotations

from typing import Any, get_args

from graphwright_upgrade_server import _users as users
from graphwright_upgrade_server._assignment import assignments
from graphwright_upgrade_server._database import Prepared
from graphwright_upgrade_server._marking import Mark, Status, mark
from graphwright_upgrade_server._routing import Call, Endpoint
from graphwright_upgrade_server._users import User
from graphwright_upgrade_server._validation import Checked
from graphwright_upgrade_server.failures import UNKNOWN_USER, WRONG_FORMAT, Failure


def init(call: Call) -> dict[str, Any]:
    """`POST /v6/init {group?, workingGroup?}` -> `{id, group?, workingGroup?}`."""
    id, user = _caller(call)
    _require_token(call)
    body = Checked(call.body)
    given = body.fields()
    for name in sorted(given.keys() - {"group", "workingGroup"}):
        body.note(name, "is not known here")
    _check_groups(body)
    stored: dict[str, Any] = {}
    if user is None:
        users.meet(call.connection, id)
        user = User(id, None, None, False)
    else:
        # Null for a missing value, except in the first answer, from which it is absent.
        stored = {"group": user.group, "workingGroup": user.working_group}
    if "group" in given:
        users.set_group(call.connection, user, given["group"])
    if "workingGroup" in given:
        users.set_working_group(call.connection, user, given["workingGroup"])
    return {"id": user.id, **stored, **given}


def set_group(call: Call) -> dict[str, Any]:
    """`PATCH /v6/groupmembership {group}` -> `{id, group}`."""
    user, body = _existing_user(call), Checked(call.body)
    # Null removes the groups, which must not happen because a client omitted them.
    if "group" not in body.fields():
        body.note("group", "is missing")
    _check_groups(body)
    users.set_group(call.connection, user, body.raw("group"))
    return {"id": user.id, "group": body.raw("group")}


def set_working_group(call: Call) -> dict[str, Any]:
    """`PATCH /v6/workinggroup {workingGroup}` -> `{id, workingGroup}`."""
    user, body = _existing_user(call), Checked(call.body)
    if not body.has("workingGroup"):
        body.note("workingGroup", "is missing")
    _check_groups(body)
    users.set_working_group(call.connection, user, body.raw("workingGroup"))
    return {"id": user.id, "workingGroup": body.raw("workingGroup")}


def add_aliases(call: Call) -> dict[str, Any]:
    """`PATCH /v6/useraliases {aliases[]}` -> `{userId, aliases[]}`."""
    user, body = _existing_user(call), Checked(call.body)
    aliases = body.texts("aliases", required=True)
    if "" in aliases:
        body.note("aliases", "must hold texts that are not empty")
    body.refuse()
    return {"userId": user.id, "aliases": users.add_aliases(call.connection, user, aliases)}


def assign(call: Call) -> list[dict[str, Any]]:
    """`POST /v6/assign {context}` -> an element for each decision point; none for the default condition."""
    user, body = _existing_user(call), Checked(call.body)
    context = body.text("context")
    body.refuse()
    if context not in call.service.contexts:
        raise Failure(400, f"Invalid app context: {context}", WRONG_FORMAT)
    return assignments(call.connection, user, context)


def mark_point(call: Call) -> dict[str, Any]:
    """`POST /v6/mark {data: {site, target, assignedCondition?}, status?}` -> the record of the first visit there."""
    user = _existing_user(call)
    return mark(call.connection, user, _mark(Checked(call.body)), strict=call.service.strict)


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


def _existing_user(call: Call) -> User:
    """The user of the header. An unknown one is rejected before the token is checked, as on a real server."""
    id, user = _caller(call)
    if user is None:
        raise Failure(404, f"User not found: {id}", UNKNOWN_USER)
    _require_token(call)
    return user


def _require_token(call: Call) -> None:
    (demanded,) = _TOKENS_DEMANDED.first(call.connection, {}) or (False,)
    if demanded:
        call.service.access.require_client(call.headers)


_TOKENS_DEMANDED = Prepared("SELECT to_check_auth FROM setting")


def _mark(body: Checked) -> Mark:
    data = body.object("data")
    site, target = data.text("site"), data.optional_text("target")
    if not data.has("target"):
        data.note("target", "is missing")
    assigned = data.object("assignedCondition") if data.has("assignedCondition") else Checked({})
    code, experiment, _ = (assigned.optional_text(name) for name in ("conditionCode", "experimentId", "id"))
    for name in ("uniquifier", "clientError"):
        body.optional_text(name)
    status = body.optional_one_of("status", get_args(Status))
    body.refuse()
    return Mark(site, target or "", code, experiment, status)


def _check_groups(body: Checked) -> None:
    """Raise InvalidBody for noted errors, and unless `group` and `workingGroup`, if given, have their shapes."""
    group, working_group = body.raw("group"), body.raw("workingGroup")
    if group is not None and not _is_group(group):
        body.note("group", "must be an object with a list of group ids for each type of group")
    if working_group is not None and not _is_working_group(working_group):
        body.note("workingGroup", "must be an object with one group id for each type of group")
    body.refuse()


def _is_group(group: Any) -> bool:
    return isinstance(group, dict) and all(
        type and isinstance(ids, list) and all(isinstance(id, str) and id for id in ids) for type, ids in group.items()
    )


def _is_working_group(group: Any) -> bool:
    return isinstance(group, dict) and all(type and isinstance(id, str) and id for type, id in group.items())
